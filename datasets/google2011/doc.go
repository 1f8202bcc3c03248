// Package google2011 reads the Google cluster-usage trace of 2011 (clusterdata-2011-1 and -2): a month of a Borg cell.
//
// Specification: C. Reiss, J. Wilkes and J. L. Hellerstein, "Google cluster-usage traces: format + schema", Google
// Inc., 2011, version 2.1 of 2014; https://github.com/google/cluster-data, ClusterData2011_2.md. Tables are folders of
// parts, CSV without header:
//
//	job_events      time, missing info, job ID, event, user, scheduling class, job name, logical job name
//	task_events     time, missing info, job ID, task index, machine ID, event, user, scheduling class, priority,
//	                CPU request, memory request, disk request, different-machine constraint
//	task_usage      start, end, job ID, task index, machine ID, mean CPU usage rate, canonical memory usage,
//	                and 12 or 13 more
//	machine_events  time, machine ID, event, platform ID, CPU capacity, memory capacity
//
// A file's table is told by its name or folder, else by the number of its fields. machine_attributes and
// task_constraints are ignored under their kind, and so are headers: lines that begin with #, or a first line without
// numbers. Any parts, and any of the tables, may be missing; rows of a job lie scattered through all parts and are
// gathered within the budget.
//
// # Times
//
// Times are microseconds; the trace begins at 600 s. Time 0 marks an event before the trace and becomes null.
// Time 2^63-1 marks an event after the end and is dropped, so that its job or task is still running. Both are
// counted repairs. The order of rows and files does not matter: package [racecard/datasets/internal/borg] explains how
// events are ordered and folded.
//
// # Tables
//
//   - jobs: a job ID is a run, also when the job was submitted again after its end. submit is its first SUBMIT, start
//     its first SCHEDULE, end its last EVICT, FAIL, FINISH, KILL or LOST, which also is its status; a job that is
//     pending or running when the trace ends is running, without an end: a counted repair. name is the logical job
//     name, which recurs, or else the job name; group is the scheduling class, 0 (least sensitive to latency) to 3.
//     Without rows of job_events, submit, start, end and status come from the tasks: end and status once all of them
//     have ended, failed when one has failed, else killed, evicted or lost when one was.
//   - stages: one per job with rows of task_events or task_usage; tasks is the number of distinct task indices, which
//     are numbered from 0 in their order. start and submit are null when something of the stage came before the trace.
//     cpu and mem are the mean over the tasks of their latest request.
//   - tasks: each SCHEDULE opens an attempt and the next end closes it: FINISH succeeded, FAIL failed, KILL killed,
//     EVICT evicted, LOST lost. queued is the SUBMIT before it. An attempt without an end is censored: running. One
//     that another SCHEDULE or SUBMIT follows has status unknown: its end was lost. An end without a SCHEDULE is an
//     attempt without a start, unless the task was pending, on no machine, and did not finish: then it never ran. Each
//     is a counted repair, and so is an event that stands in two rows, which is one. cpu and mem are the means of CPU
//     usage rate and canonical memory usage over the windows of task_usage, weighted by their length, if the input
//     holds any task_usage, else the request. A window belongs to the attempt that it overlaps longest.
//   - machines: from is the first ADD, to the last REMOVE of a machine that did not come back; the capacity is its
//     latest.
//   - not available: edges, io, bytes, allocations, guarantees, speculative, spare, disk and network demand,
//     priorities.
//
// cpu and mem of tasks and machines are normalised as the trace has them: shares of the largest machine.
package google2011

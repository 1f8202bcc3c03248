// Package rumen reads the traces that Rumen extracts from Hadoop's job history: what GridMix, Mumak and the YARN
// scheduler load simulator (SLS) replay.
//
// A trace is a sequence of JSON objects, one per job, with only white space between them: pretty-printed, one to
// a line, or all on one line. Specification: https://hadoop.apache.org/docs/stable/hadoop-rumen/Rumen.html and
// the classes LoggedJob, LoggedTask, LoggedTaskAttempt and LoggedNetworkTopology of
// org.apache.hadoop.tools.rumen in https://github.com/apache/hadoop. Objects may hold fields of any other name,
// in any order. Unknown values are -1, and times are milliseconds since the Unix epoch.
//
// # Tables
//
// A job becomes a run as package [racecard/datasets/mapreduce] tells. In detail:
//
//   - jobs: job_id is jobID, name jobName (early versions have none: null), user user, group queue, submit submitTime,
//     start the later of launchTime and the first attempt, end finishTime, status outcome. guaranteed is null.
//   - stages: map and reduce, with totalMaps and totalReduces tasks; mem is jobMapMB and jobReduceMB, in MiB.
//   - tasks: one row per attempt in mapTasks and reduceTasks. Only attempts are read: startTime and finishTime of tasks
//     are often missing, 0, reversed, or of another clock than the times of attempts. A task without attempts counts in
//     stages.tasks and has no row. machine is the last element of hostName, without the rack before it and without
//     backslashes before points. queued of the first attempt of a map is launchTime; reduces wait for maps in a way the
//     trace does not tell: null. cpu is cumulativeCpuUsage, or the sum of cpuUsages, over the duration; mem is
//     physicalMemoryUsage, or the largest of physMemKbytes.
//   - input_bytes sums hdfsBytesRead, output_bytes hdfsBytesWritten, shuffle_bytes reduceShuffleBytes or
//     mapOutputBytes.
//   - machines: the leaves of a topology, which Rumen writes next to a trace: names only. Each name is kept once.
//   - not available: edges between jobs (directDependantJobs is always empty, and counted in a warning when it is not),
//     io, allocations, speculative, disk and network demand. Setup and cleanup tasks (otherTasks) are left out.
//
// # Records
//
// A record is a JSON object. One that is not whole, because its end is missing and another job begins, is rejected, and
// reading goes on with that job; so is text between objects, up to the end of its line. One on which the file ends is
// rejected as truncated. All that came before is kept.
package rumen

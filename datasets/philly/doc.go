// Package philly reads the traces of Microsoft's Philly GPU clusters of 2017: cluster_job_log, a JSON array of jobs,
// with cluster_machine_list, CSV, and the reduced CSV files that others derived from it. Specification:
// https://github.com/msr-fiddle/philly-traces; M. Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters for
// DNN Training Workloads", USENIX ATC 2019.
//
//	cluster_job_log       status, vc, jobid, attempts[start_time, end_time, detail[ip, gpus[]]], submitted_time, user
//	cluster_machine_list  machineId, number of GPUs, single GPU mem
//	philly.csv            timestamp, duration, num_gpus, gpu_time, cluster
//	philly_runtime.csv    runtime
//
// The log is read one job at a time, as an array or as objects one behind the other, on one line or on many. Files are
// known by their names or by their first bytes. The utilisation tables (cluster_gpu_util and its like) are ignored by
// name.
//
// # Times
//
// Times are local Pacific ones without a zone, YYYY-MM-DD HH:MM:SS; they are kept as if they were UTC, and one warning
// says so. Around the change from summer time, 2017-11-05 02:00, they are ambiguous: spans across it are an hour short
// of the truth, and an end can come before its start. Such an end becomes null, a counted repair. null, None and
// nothing are null.
//
// # cluster_job_log
//
// jobs: jobid, user, group is the vc (virtual cluster), submit, status (Pass is succeeded), start is the first start of
// an attempt, end the end of the last attempt. guaranteed is the number of GPUs of the first attempt that has any: jobs
// are scheduled as gangs, all GPUs at once. A job whose last attempt has no end was still running when the log was
// taken, as its documentation says: status running, a counted repair. Jobs without attempts were never scheduled; they
// keep their status.
//
// stages: one, of one task (the gang), with the times of the job and its GPUs as demand. tasks: the attempts of
// that task, in the order of the log, each with its own GPUs. machine is null for an attempt on several
// machines; allocations then has their number. The last attempt has the status of the job; the status of earlier
// ones is not stated. allocations: GPUs (as tokens) and machines held, at every known start and end of an
// attempt. machines: the machine list, with GPUs; the memory of a GPU has no column. Recurring names, cpu,
// memory, bytes and graphs are not available.
//
// # Reduced files
//
// philly.csv: timestamp is the submission and duration the sum of the durations of the attempts, as the job whose log
// entry the documentation prints shows. So a row is a run with submit, guaranteed, group (cluster), one stage, and one
// attempt with a duration but without start and end, as the wait is not known; its status is unknown. It has no id:
// that is the number of the row, from 1, behind the name of the file where there are several. gpu_time that is not
// duration times num_gpus is warned of.
//
// philly_runtime.csv: runtimes of jobs, sorted. Each row becomes a run of one attempt with a duration. The order
// of runs means nothing, and one warning says so.
package philly

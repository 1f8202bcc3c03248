// Package swf reads the Standard Workload Format, in which the Parallel Workloads Archive keeps the logs of
// supercomputers, clusters and grids, and in which models of workloads are published.
//
// A line is a job: 18 numbers separated by blanks. Lines that begin with a semicolon are comments; comments at
// the start describe the log as "; Key: value". Specification: D. G. Feitelson et al., "The Standard Workload
// Format", version 2.2, https://www.cs.huji.ac.il/labs/parallel/workload/swf.html. The fields are:
//
//	1 job number            7 used memory, in KB per processor  13 group
//	2 submit time           8 requested processors              14 application
//	3 wait time             9 requested time                    15 queue
//	4 run time             10 requested memory                  16 partition
//	5 processors           11 status                            17 preceding job
//	6 CPU time of each     12 user                              18 think time
//
// Times are seconds, with or without fractions; -1 is unknown. Field 5 counts the allocated processors, and field 6 is
// their average. Some logs have further fields, which are not read.
//
// # Tables
//
// A job of the format is one parallel program that holds its processors from its start to its end. It becomes a run of
// one stage of one task, which demands all of them: splitting it into tasks of one processor each would invent tasks
// that start and end alone.
//
//   - jobs: job_id is the job number, behind the file's name ([source.Labels]) when there are several, as every log
//     begins at job 1. name is app-<application>, user user-<user>, group group-<group>; text in place of a number is
//     kept. Where a job key names fields, job is made of those, such as user-7/requested_time-3600. submit is field 2,
//     start submit + wait, end start + run time: null where a part is unknown, as in logs that hold only submit and run
//     times. Where the header notes that "submit times are actually start times", an unknown wait is 0. guaranteed is
//     the number of requested processors.
//   - status: 1 is succeeded, 0 failed, 5 killed (cancelled), anything else unknown.
//   - stages: tasks = 1; cpu is the number of allocated processors or, where that is unknown or 0, of requested ones;
//     mem is used memory per processor times processors or, if that is unknown, the requested memory.
//   - tasks: one attempt, queued at submit, with the start and end of the run and the run time as duration; cpu and mem
//     are the stage's, mem only if it was measured. A job that was cancelled and has neither run time nor processors
//     never ran: no attempt, start or end. Nor is there an attempt where neither start nor run time is known.
//   - allocations: the processors from start to end, where those are known. A token is a processor here.
//   - not available: io, machines, estimate_s (requested time is a limit, not a mean), edges between jobs. Fields 6, 9,
//     15, 16 and 18 are kept in names of recurring jobs alone; jobs with a preceding job (17) are counted in a warning.
//
// Times are Unix times where the header says UnixStartTime, the Unix time from which submit times count. Otherwise they
// are left as they stand: they count from an unknown start, or are Unix times already. The header is kept.
//
// # Records
//
// A record is a line. Comments and blank lines are ignored. A log of checkpointed or swapped jobs has a line for the
// whole job, with the sum of its run times, and behind it one for each partial execution, with status 2 or, the last
// one, 3 or 4, and the same job number: these are ignored, so that the end of such a run leaves out the time it was
// swapped out. Where the line for the whole job is missing, the first partial execution stands for it, with status
// unknown.
package swf

// Package jobs makes, of runs in a trace, the jobs that simulators of many jobs on one cluster schedule: graphs of
// stages of tasks with durations and demands (Carbyne, OSDI 2016, §2).
//
// Tasks, durations and edges come from package workload, at the seed of [workload.Draw]. Demands that a trace
// lacks are drawn, and counted:
//
//   - a task holds the demand of its stage, else the mean demand of the attempts of its stage. A resource of which
//     neither is known is drawn once per stage, log-uniform: 1 to 4 cores, 1 to 16 GB, and 10 to 200 MB/s of each of
//     disk and network. GPUs are not drawn.
//
// Draws depend on the seed and on the number of the run in the trace alone, so that all schedulers see the same tasks.
// Of runs that share a number, as those that were appended to a store do with earlier ones, every one draws its own.
package jobs

// Package jobs converts the runs of a trace to jobs for simulators of a shared cluster: graphs of stages of tasks with
// durations and demands (Carbyne, OSDI 2016, §2).
//
// Tasks, durations and edges come from package workload, at the seed of [workload.Draw]. Demands that a trace
// lacks are drawn, and counted:
//
//   - a task holds the demand of its stage, else the mean demand of the attempts of its stage. A resource for which
//     neither is known is drawn once per stage, log-uniform: 1 to 4 cores, 1 to 16 GB, and 10 to 200 MB/s of each of
//     disk and network. GPUs are not drawn.
//
// Draws depend on the seed and on the number of the run in the trace alone, so that all schedulers see the same tasks.
// Runs that were appended to a store may have the number of an earlier run; each still has its own draws.
package jobs

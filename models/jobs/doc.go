// Package jobs makes, of runs in a trace, the jobs that simulators of many jobs on one cluster schedule: graphs of stages
// of tasks with durations and demands (Carbyne, OSDI 2016, §2).
//
// A trace rarely holds all of it. What a stage lacks is drawn, and counted:
//
//   - a task takes as long as its attempt that succeeded, else its longest attempt. A task of which no attempt is known
//     takes the mean of its stage; where no attempt of the stage is known, as long as the stage; where that is not known
//     either, a stage draws a log-normal time of median 10 s and σ 1, which all its tasks take.
//   - a task holds the demand of its stage, else the mean demand of the attempts of its stage. A resource of which neither
//     is known is drawn once per stage, log-uniform: 1 to 4 cores, 1 to 16 GB, and 10 to 200 MB/s of each of disk and
//     network. GPUs are not drawn.
//
// Draws depend on the seed and on the number of the run in the trace alone, so that all schedulers see the same tasks. Of runs that
// share a number, as those that were appended to a store do with earlier ones, every one draws its own.
package jobs

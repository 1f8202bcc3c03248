// Package replay runs the jobs of a trace again, on machines with several resources, under a scheduler that decides
// which tasks start where.
//
// Time goes from instant to instant: jobs arrive, tasks end. All events of an instant happen first. Then the
// [Scheduler] is called once, and starts tasks, which hold their demand until they end. Nothing is preempted. An
// attempt that fails holds its machine until then, and its task is runnable again.
//
// A scheduler sees demands and durations as it believes them to be ([Stage.Demand], [Stage.Estimate]). Machines execute
// the true ones: where the tasks of a machine hold more than it has of any resource, all of them slow down by the ratio
// (PAPERS C9).
//
// The cost of an event depends on the state it changes. A [State] lists the jobs that changed, and keeps per job
// the held, wanted and least needed resources of its tasks. It searches all machines for room for a task once;
// after that it looks where tasks ended. Package policy describes how to write a scheduler; package replaytest
// checks one.
package replay

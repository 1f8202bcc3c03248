// Package replay simulates the jobs of a trace on machines with several resources, under a scheduler that decides which
// tasks start where.
//
// Time goes from instant to instant: jobs arrive, tasks end. All events of an instant happen first. Then the
// [Scheduler] is called once, and starts tasks, which hold their demand until they end. Nothing is preempted. An
// attempt that fails holds its machine until then, and its task is runnable again.
//
// A scheduler sees estimated demands and durations ([Stage.Demand], [Stage.Estimate]); machines execute the true ones.
// If the tasks of a machine together exceed its capacity of a resource, all of them slow down by the ratio (PAPERS C9).
//
// The cost of an event depends on the state it changes. A [State] lists the jobs that changed, and keeps per job the
// held, wanted and least needed resources of its tasks. It searches all machines for room for a task once, and
// afterwards only those on which tasks ended. Package policy describes how to write a scheduler; package replaytest
// checks one.
package replay

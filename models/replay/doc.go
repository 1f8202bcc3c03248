// Package replay runs the jobs of a trace again, on machines with several resources, under a scheduler that decides which
// tasks start where.
//
// Time goes from instant to instant at which something happens: jobs arrive, tasks end. All of an instant happens first,
// then the [Scheduler] is called once, and starts tasks, which hold what they demand until they end. Nothing is preempted. An
// attempt that fails holds its machine until then, and its task is runnable again.
//
// A scheduler sees demands and durations as it believes them to be ([Stage.Demand], [Stage.Estimate]). Machines execute the
// true ones: where the tasks of a machine hold more than it has of any resource, all of them slow down by the ratio (PAPERS
// C9).
//
// An event costs what it touches: a [State] lists the jobs that changed, keeps per job what its tasks hold, want and need at
// least, and searches all machines for room for a task once: after that it looks where tasks ended. Package policy says how to
// write a scheduler; package replaytest checks one.
package replay

// Package sim simulates one job's plan on tokens, event by event, like the offline simulator of Jockey (A. D.
// Ferguson et al., "Jockey: Guaranteed Job Latency in Data Parallel Clusters", EuroSys 2012, section 4.1). A
// task becomes ready when its inputs are there, takes a token, waits its initialisation latency, runs, and may
// fail and be queued again. The package knows nothing of deadlines and profiles, and suits any simulator of
// plans on slots.
//
// # Use
//
//	c, err := sim.Compile(sim.Plan{Stages: stages, Edges: edges}) // checked once, shared by goroutines
//	r := sim.NewRunner(c)                                          // one per goroutine
//	res, err := r.Run(&sim.Options{Allocation: []sim.Step{{At: 0, Tokens: 50}}}, seed.Stream(s, "purpose", replicate))
//
// [Plan] describes the job, [Options] its tokens and disturbances, [Result] the outcome. Time is int64
// microseconds from the start of the job; durations are distributions ([Dist]) of microseconds. A run may last
// 2^43 of them.
//
// # What happens
//
// Tasks start first come, first served: the paper does not state its order. Tasks made ready together start in
// the order of their indices; a task that is retried goes to the end of the queue. After the loss of a machine,
// the ready tasks are found anew, in the order of stages and tasks. An attempt that ends hands its slot to the
// next one; otherwise the slot released last is taken first, so that the lowest are in use. At one instant
// attempts end first, in the order of slots; then stages are handed out (Stage.Delay), the allocation steps,
// spare tokens change, a machine is lost, and control is asked.
//
// A task has one attempt at a time, or two while one of them is a copy. Attempts end as [Event] kinds say:
//
//	Attempts = tasks + OutputsLost + Failures + Evictions + Losses + Killed
//
// # Randomness
//
// A run draws one number, and what an attempt draws is a function of that number, its task, and how many attempts the
// task had before. A run is the same bytes wherever and in whatever order runs are made, and runs of the same number on
// other tokens see the same tasks: differences between allocations are not noise (common random numbers).
// Options.Antithetic pairs runs.
//
// # What more tokens do
//
// With common random numbers a run never ends later on an allocation that is nowhere smaller, if the plan is a chain of
// stages joined by barriers, or one stage. It may have durations, latencies and delays alone, and nothing is evicted.
// Every task starts no later. For when a task starts on the smaller allocation, all tasks before it have started, also
// on the larger one, and no more of them still run there, so that a token is free. No more than this holds for a single
// run. Where branches or pairs compete for tokens, where failed, lost or evicted tasks are queued again, or where
// stages are cold on a machine at first, more tokens can delay a run (R. L. Graham, "Bounds on Multiprocessing Timing
// Anomalies", SIAM J. Appl. Math. 17(2), 1969; his example is a test here). What holds for all plans of durations and
// edges is his bound: on a tokens a run ends by work/a + (1 - 1/a) of its critical path.
//
// # How it is built
//
// An event is its time and its slot in one integer; the slots make a winner tree (events.go). A run that needs
// durations, also cold and scaled ones, and barriers only takes the lean loop (lean.go), any other the general one
// (sim.go); both give the same result for a lean run. Attempts begin and end in attempt.go, ready tasks are in
// ready.go, and events outside attempts in tokens.go.
//
// To add an option, give it a field whose zero is off, in Options or in Plan, and check it (validate). An option
// with an instant adds one to schedule and fire. An option that changes an attempt draws under its own constant
// (random.go) in start. Exclude it in isLean or Compile from lean runs. Add it to the slow simulator that the
// tests compare with, or to a worked case, and to the full benchmark.
package sim

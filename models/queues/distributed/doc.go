// Package distributed simulates schedulers of clusters whose workers have queues: Sparrow, Hawk, Eagle and its parts,
// least waiting time with full and with stale knowledge, Mercury and Yaq, and a bound. It follows P. Delgado, D.
// Didona, F. Dinu and W. Zwaenepoel, "Job-Aware Scheduling in Eagle: Divide and Stick to Your Probes", SoCC 2016, and
// P. Delgado et al., "Hawk: Hybrid Datacenter Scheduling", USENIX ATC 2015.
//
// # Use
//
//	w := &distributed.Workload{}
//	w.Add("job 1", 0, -1, 10*distributed.Second, 12*distributed.Second) // id, submission, estimate (-1: the mean), durations
//	o := distributed.DefaultOptions(100)
//	s, err := distributed.New("eagle", o)
//	out, err := distributed.Run(ctx, w, s, o)
//
// A [Workload] is jobs, each a bag of tasks; [Options] describe the cluster; an [Outcome] has the completion
// time of every job. Time is int64 microseconds. Workloads are shared by simulations; a [Scheduler] serves one.
//
// # What happens
//
// A job is short or long by the mean that its scheduler is told. Workers run one task at a time, or more, and queue the
// rest. The workers with the lowest numbers are for short jobs alone, the others (the general partition) for all jobs.
// A queue entry is either a task that is bound to the worker, or a probe, with which the worker asks for a task when it
// gets to it (two network delays, in which it is busy; the task is handed out at their start). A probe that finds no
// task left costs that round trip.
//
// A worker may have several slots (Options.Slots), which share its queue. Workers may have different numbers of
// slots (Options.Capacity), which central placement takes into account and random probing does not. A free slot
// chooses for itself, so that a sticky probe is answered in every slot that chooses it; one per worker and job
// is enough. Workers with a long task in any slot reject probes of short jobs; queued entries wait behind long
// tasks while every slot is taken by one ([JobDetail]). In central placement, a worker with fewer tasks than
// slots does not wait. Another one waits for its unfinished work, divided by its slots (our ruling: the papers
// do not cover it). Sparrow's probes take the first free slot, without an estimate. Yaq's bound on queues is per
// slot. The published simulator has one slot.
//
// Eagle: long jobs are placed centrally by least waiting time, in the general partition. A short job sends
// probes to random workers. Workers that run or queue a long task reject them, and report the other workers that
// had some when a long task last arrived (Succinct State Sharing). Rejected probes go to workers that are free
// of long tasks according to the newest report, and after Options.Rounds rounds to those for short jobs alone. A
// probe stays at its worker until its job has no task left (Sticky Batch Probing). A free worker chooses the job
// with least remaining work, unless that would pass a task by more than Options.Bypass times its estimate.
//
// # Following the published simulator
//
// Options.EPFL follows the simulator that the authors published (https://github.com/epfl-labos/eagle, simulation) where
// it decides otherwise. Durations and estimates are cut to whole seconds; simultaneous jobs are put 10 ms apart
// ([Workload.EPFL]). All rounds of probes are decided when the job arrives; workers are drawn with replacement;
// centrally placed tasks are requested like others. On equal waits the worker that got the last task gets one more, and
// waits are compared in seconds, as floating-point numbers from the same additions, so that few of the expected ties
// occur. Ends are known at once; stealing takes no time; dlwl does not prefer idle workers to workers whose tasks take
// longer than estimated. Wrong estimates are cut to whole seconds, and do not change whether a job is long. Given the
// same random numbers, completion times of all jobs are equal under all eight schedulers, on the authors' traces and a
// synthetic one (testdata/exact.csv lists the other settings: the order of simultaneous events). With racecard's own
// random numbers, we compare medians over seeds 1 to 5 of p50, p90 and p99 of short and long jobs at loads 0.5, 0.7 and
// 0.9. They lie within the spread over the simulator's runs, or 5% of its median, for 428 of 432 numbers: 143 of 144 on
// YH1_sub, 143 on the synthetic trace, 142 on GOOG_subtrace. The simulator ran with the same seeds (lwl, which draws
// nothing, at least once), and once more on GOOG_subtrace with simultaneous events in a random order; without that run
// the last number is 141.
//
// # Wrong estimates
//
// Without EPFL, a job is long or short by its estimate. Then Eagle's short jobs suffer more than Hawk's: with factors
// from 0 to 2 on the Yahoo trace at load 0.9 their p90 is 77 minutes against 27 (medians over seeds 1 to 5); with
// classes by the truth 3 against 20, and under the published simulator 2 against 17. The cause are long jobs classified
// as short (with only short jobs classified as long it is 2 against 13). Workers with long tasks reject their probes,
// which go to the workers for short jobs alone. Those workers then spend 32% to 94% of the time of submissions on long
// tasks (Hawk's: 10% to 24%), and rejected probes of short jobs go there too. Estimates of 0 and bypassing occur with
// true classes as well, without such harm. [Options.KnownClasses] has classes by the truth.
//
// # How to add a scheduler
//
// Write a type with two methods: Rules, and Submit, which sends probes or tasks when a job arrives. This one sends all
// tasks of a job to random workers:
//
//	type random struct{}
//
//	func (random) Rules() distributed.Rules { return distributed.Rules{AllCentral: true} }
//
//	func (random) Submit(c *distributed.Cluster, j int32) {
//		tasks, _, _ := c.Job(j)
//		c.Place(j, 0, c.Draw(j, tasks))
//	}
//
// To choose a worker's next task, or to be notified of ends, replies, idle workers or heartbeats, implement [Chooser],
// [Placer], [Replier], [Idler] or [Beater]. Embed existing parts: central places, sharing probes, shortestFirst
// chooses, thief steals; Eagle is a few lines of them. Name it in [Kinds], give it times in schedules_test.go, and
// studies compare it with the others. A [Checker] as Options.Observe finds tasks that never run.
//
// # How it is built
//
// No step visits all workers. Ends of tasks are a radix heap (agenda.go), and so are the instants at which waits
// cease to fall. Messages take one delay or two, so that each kind is a queue in order of time (mail.go). Waits
// are winner trees, one for constant waits and one for waits that fall with time (wait.go), updated when the
// least is asked for. Vectors of long tasks are copied when they have changed, share unchanged blocks, and are
// shared by their holders (vector.go). A worker with a queue of up to two entries is one line of the cache, up
// to four two (queue.go). The state that others read without a message is stored separately, in bits and numbers
// that fit in the cache (worker.go). In large clusters the workers do not fit: the receivers of messages, and
// the workers of the next ends, are touched together before they are processed (events.go, mail.go).
//
// The work per task hardly grows with the cluster. On 1,000, 10,000 and 100,000 workers, busy for 80% of the time, it
// takes 2,260, 2,457 and 2,611 instructions under eagle, 4,127, 4,469 and 4,611 under hawk, 1,539, 1,697 and 1,736
// under sparrow, and 2,250, 2,503 and 2,593 under lwl (`just count`). The time per task grows by half, as it visits
// three random workers, two probes and an end: with 100,000 workers their state does not fit in the second-level cache.
// Under eagle, a task then misses 6.8 cache lines there, with 1,000 workers none.
package distributed

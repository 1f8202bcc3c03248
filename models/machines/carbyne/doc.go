// Package carbyne is the altruistic scheduler of R. Grandl, M. Chowdhury, A. Akella and G. Ananthanarayanan,
// "Altruistic Scheduling in Multi-Resource Clusters", OSDI 2016, Pseudocode 1, with the rulings C1 to C16 of PAPERS.
//
// At every instant at which a job arrives or ends, or a task ends:
//
//  1. Every job has a share A by right: DRF over what its tasks hold that run or could (C3), or an equal part.
//  2. A job plans inside its share: T is when it can end, packing its tasks as Tetris does, or in the order of DAGPS.
//     What it wants now is not what it will want: it plans with its dominant share of every resource, for that is what
//     DRF would grant its later stages at the same level ([policy.Shares.Allowance]). The reversed graph, packed the
//     same way back from T, says how late each task may start (package pack). What may start no later than now must
//     start now. Where packing in reverse takes longer than T, the forward plan is followed (C1); where it takes less,
//     T is that much sooner: a reversed plan is a plan.
//  3. What must start is started, for the job first that holds the smallest part of its share. With it a job may not
//     hold more than its share: tasks that it began earlier, from what others left, count (C2).
//  4. All that is left goes to another scheduler, which sees the cluster as it is: SRTF, which gives each job in turn
//     all that fits, or packing.
//
// What the rulings leave open are [Options]: leftover by when plans end instead of by work (C5), or by packing (C7);
// shares of the work that is left instead of what could run (C3); the order of asks in YARN (C7); and Reserve, which
// gives away only what no task claims that must start and found no machine, as package compare's carbyne does: then
// tasks may wait that fit.
//
// With probability 1 - P(Altruism), drawn per job and instant, a job fills its share greedily, breadth first, instead;
// at P(Altruism) = 0 the scheduler is DRF (C11).
//
// # When a job plans again
//
// A job plans only while its tasks wait. If none wait and there is room for all runnable tasks, no job plans:
// they start, whoever might yield. A job keeps its plan while that ends no later than a new one would (C1). It
// plans again when a task failed, when its remaining work has changed by more than Tolerance, and when its share
// has changed by more than ShareTolerance. So an event costs at most the plan of one job, and most events cost
// less. Stages that become runnable are in the plan already. At tolerances of 0 every change counts. Shares that
// change as other jobs come and go are found in a tree ordered by the level of DRF at which jobs made their
// plans.
//
// Such changes are most frequent: at 1% of a share, they cause 92 to 95 of 100 plans of Microsoft-like jobs, at
// loads of 1.5 and 0.8, and 98 of 100 of these plans left the must-run tasks as they were. Hence the 5% of
// [DefaultOptions]. Against 1% and a plan for every stage that becomes runnable, on 250 jobs at once (synthetic
// TPC-DS-, TPC-H- and BigBench-like, 100 machines, medians of seeds 1 to 3), the mean completion time changes by
// -1.3, -0.7 and -1.0%, the makespan by 1.1, 0.9 and -0.2%, and Jain's index by -0.013, -0.004 and -0.013.
//
// What must start by when needs no clock: as long as no task waits that fits, a task whose time has come without any
// event has no room. Where leftover is not given away there may be room, and the scheduler asks to be called.
package carbyne

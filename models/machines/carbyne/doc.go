// Package carbyne is the altruistic scheduler of R. Grandl, M. Chowdhury, A. Akella and G. Ananthanarayanan,
// "Altruistic Scheduling in Multi-Resource Clusters", OSDI 2016, Pseudocode 1, with the rulings C1 to C16 of PAPERS.
//
// At every instant at which a job arrives or ends, or a task ends:
//
//  1. Every job has a share A by right: by DRF over the demands of its running and runnable tasks (C3), or an equal
//     part.
//  2. A job plans inside its share: T is when it can end, packing its tasks as Tetris does, or in the order of DAGPS.
//     Its demand changes from stage to stage, so it plans with its dominant share of every resource: DRF would grant
//     its later stages as much at the same level ([policy.Shares.Allowance]). The reversed graph, packed the same way
//     back from T, determines how late each task may start (package pack). Tasks that may start no later than now must
//     start now. If packing in reverse takes longer than T, the job follows the forward plan (C1); if it takes less, T
//     is that much sooner, as a reversed plan is a valid plan.
//  3. Must-run tasks start, first for the job that holds the smallest part of its share. A job may not exceed its share
//     with them; tasks that it began earlier, on leftover of others, count (C2).
//  4. The rest of the cluster goes to another scheduler: SRTF, which starts all fitting tasks of each job in turn, or
//     packing.
//
// Choices that the rulings leave open are [Options]: leftover by the end of plans instead of by work (C5), or by
// packing (C7); shares of the remaining work instead of runnable tasks (C3); the order of asks in YARN (C7); and
// Reserve, used by carbyne in package compare, which withholds the demand of must-run tasks that found no machine from
// leftover, so that fitting tasks may wait.
//
// With probability 1 - P(Altruism), drawn per job and instant, a job fills its share greedily, breadth first, instead;
// at P(Altruism) = 0 the scheduler is DRF (C11).
//
// # When a job plans again
//
// A job plans only while its tasks wait. If none wait and there is room for all runnable tasks, no job plans: they
// start, whoever might yield. A job keeps its plan while it ends no later than a new plan would (C1). It plans again
// when a task failed, when its remaining work has changed by more than Tolerance, and when its share has changed by
// more than ShareTolerance. So an event costs at most the plan of one job, and most events cost less. Stages that
// become runnable are in the plan already. At tolerances of 0 every change counts. Shares that change as other jobs
// come and go are found in a tree ordered by the level of DRF at which jobs made their plans. Their new plans do not
// depend on each other and are made at once.
//
// Most plans leave the must-run tasks as they were, so the tolerances of [DefaultOptions] are wide: 3% of the work,
// and 10% of a share. They were compared with 1% of each on 250 jobs (synthetic TPC-DS-, TPC-H- and BigBench-like, 100
// machines) that arrive at once, or at loads of 0.8 and 1.5. Medians of seeds 1 to 3 change by -2.0 to 0.1% (mean
// completion times), -0.7 to 1.7% (makespans), and -0.011 to 0.001 (Jain's index, capped). A replay takes a sixth to
// half as long. Compared with 1% and 5%, with Microsoft-like jobs, too, and seeds 1 to 5, the changes are -0.8 to 0.2%,
// -0.8 to 0.4%, and -0.008 to 0.003. Where jobs wait ever longer (31,000 Microsoft-like ones at a load of 1.5), the
// mean completion time is 2.5% longer, 1 h 23 min.
//
// Latest starts need no timer: as long as no fitting task waits, a task that becomes due between events has no room. If
// leftover is withheld there may be room, and the scheduler asks to be called at that time.
package carbyne

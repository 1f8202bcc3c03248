// Package leftover measures the share of held resources that jobs could give away without ending later: the
// leftover of Carbyne (R. Grandl et al., "Altruistic Scheduling in Multi-Resource Clusters", OSDI 2016, §2.2).
//
// # One run
//
// A run k has attempts with a known start, end and demand; T is its observed end. An attempt's demand is its
// recorded demand, otherwise the demand of a task of its stage. alloc_k(t) is the sum over the attempts that run
// at t (an attempt holds its demand from its start until just before its end). A_k is the maximum of alloc_k,
// per resource.
//
// The attempts are packed again, backwards, each as late as its dependents and A_k allow:
//
//  1. Attempts are taken in descending order of their observed end; of equal ends the one that started later comes
//     first, then the higher stage, task and attempt number.
//  2. An attempt must end by max(its observed end, min(T, the earliest start, so far, of attempts of the stages that
//     depend on its stage)). Edges of kind driver count: the driver would have started the child late, too. A stage
//     without attempts passes on the bound of its own children.
//  3. It takes the latest place before that at which, in every resource whose demand is known, all that was placed
//     before and itself stay within A_k. Attempts that failed, were killed, evicted or lost stay where they were.
//
// All attempts placed before an attempt that overlap its observed place were also running there as observed, since they
// ended no earlier and only move later. So the observed place always fits, no attempt moves earlier, and no run ends
// later. Every schedule is checked for that, and the checks are part of the result. need_k(t) is the amount held by the
// packed schedule, and
//
//	spare_k(t) = max(0, alloc_k(t) - need_k(t))
//
// is the amount that the run could give away.
//
// # The cluster
//
// leftover(t) = sum_k spare_k(t) / sum_k alloc_k(t), per resource, at each event: the arrival and the end of a run, the
// start and the end of an attempt, as observed. All events of an instant are applied before leftover is evaluated.
// Event-weighted, every event counts once (type 7 quantiles); time-weighted, an instant weighs the time to the next one
// (weighted quantiles). Instants with nothing allocated are left out. In addition, share is the exact ratio of the
// integrals of spare and allocated amounts over time, including the time between events.
//
// The leftover of a run is defined as for a cluster with this run alone: the time-weighted mean over its own events.
//
// # Sums
//
// Demands become whole numbers of quanta of 2^-30 of the resource's unit (of a coarser quantum, a power of two, in runs
// that hold more than 2^32 units), so that all sums are exact and results do not depend on the partition of runs. The
// steps of all runs are kept while they fit a memory budget, with equal instants merged. Beyond it, they become time
// bins whose width is a power of two microseconds and which hold exact integrals. The leftover of a bin then stands for
// its instants; the result says estimated, and states the width.
package leftover

// Package health examines a trace before any statistic is computed: whether its times, ids, graphs, values and statuses
// are as analyses assume, when it was active and silent, and how fine its clock is. These are the pitfalls that users
// of public traces report most often (dependency cycles, ends at 0 or before the start, orphans, units, time origin,
// coverage: alibaba/clusterdata issues 11, 13, 115, 167, 259).
//
// A check counts the odd cases (Count) among the judged cases (Of), and keeps the three worst examples; of equal ones,
// the first. A check without cases to judge is "unchecked", never "ok". [IDs] lists them; these are their definitions:
//
//   - Time. far-instants: instants apart from the rest by more than ten times the span of the central 98% of instants,
//     and by more than a day. implausible-year: Unix times outside 1990 to 2099. before-zero, beyond-relative: relative
//     times below 0, or above 20 years. out-of-range: beyond 2^60 microseconds. coverage-gap: periods without an
//     arrival and without a run in progress that are longer than ln(n) + 5 mean gaps between n arrivals; by chance, one
//     in 150 Poisson processes has one. not-continuous: such periods, of any length, make up more than half of the
//     span. begins-at-first-instant, ends-at-last-instant: three runs or more, and 1% of all, begin at the first
//     instant at which any does, or end at the last: the recording cut them off. coarse-clock: all times are whole
//     multiples of a second or more. mixed-clock: many of the times are whole seconds, and others are not.
//   - Order. Stages that begin before a parent on an all_to_all edge has ended, and the same on edges of unknown kind
//     (a stage without recorded times begins with its first attempt and ends with its last succeeded one); attempts
//     outside their run, their stage or their machine's lifetime; attempts of one task that overlap although neither is
//     marked as speculative.
//   - Ids. Duplicates, cycles and unknown parents, as rejected or repaired by the import. Orphans: stages without
//     attempts, attempts of stages without a count, counts that differ from the tasks seen, machines that the table of
//     machines lacks. unique-names: at least 20 names, 95% of them used once. generic-names: a name of n ≥ 10 runs with
//     at least 5 and at least n/2 different graphs of stages: unrelated work under one name, such as Spark shell.
//   - Values. More than 10,000 cores or 10^15 bytes for one task; columns in bytes whose values never exceed 1 (memory:
//     4096); columns with at least ten values that are all the same.
//
// Memory is bounded, whatever the trace: activity is kept in bins whose width is a power of two of microseconds and
// doubles when more than a few thousand are in use, names in a sketch of their hashes. Counts, sums and bins are
// integers, so the result is the same however the runs are partitioned.
package health

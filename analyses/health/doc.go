// Package health examines a trace before any statistic is read off it: whether its times, ids, graphs, values
// and statuses are as analyses assume, when it was active and silent, and how finely its clock ticks. These are
// the pitfalls that users of public traces report most (dependency cycles, ends at 0 or before the start,
// orphans, units, time origin, coverage: alibaba/clusterdata issues 11, 13, 115, 167, 259).
//
// A check counts the odd cases (Count) among the judged cases (Of), and keeps the three worst examples, the
// first of equals. A check without cases to judge is "unchecked", never "ok". [IDs] lists them; these are their
// definitions:
//
//   - Time. far-instants: instants apart from the rest by more than ten times the span of the central 98% of instants,
//     and by more than a day. implausible-year: Unix times outside 1990 to 2099. before-zero, beyond-relative: relative
//     times below 0, or above 20 years. out-of-range: beyond 2^60 microseconds. coverage-gap: stretches without an
//     arrival and without a run in progress that are too long to be chance: longer than ln(n) + 5 mean gaps between n
//     arrivals, which one in 150 Poisson processes reaches. not-continuous: such stretches, of any length, make up more
//     than half of the span. begins-at-first-instant, ends-at-last-instant: three runs or more, and 1% of all, begin at
//     the first instant at which any does, or end at the last: the recording cut them off. coarse-clock: all times are
//     whole multiples of a second or more. mixed-clock: a good part of the times are whole seconds, and others are not.
//   - Order. A stage that begins before a parent on an all_to_all edge has ended, where a stage without times of its
//     own begins with its first attempt and ends with its last succeeded one, and the same on edges of unknown kind;
//     attempts outside their run, their stage or their machine's lifetime; attempts of one task that overlap although
//     neither is marked as speculative.
//   - Ids. Duplicates, cycles and unknown parents are what the import rejected or mended. Orphans: stages without
//     attempts, attempts of stages without a count, counts that differ from the tasks seen, machines that the table of
//     machines lacks. unique-names: at least 20 names, of which 95% occur once. generic-names: a name of 10 runs or
//     more whose runs have at least 5, and half as many, different graphs of stages: unrelated work under one name,
//     such as Spark shell.
//   - Values. More than 10,000 cores or 10^15 bytes for one task; columns in bytes whose values never exceed 1 (memory:
//     4096); columns with at least ten values that are all the same.
//
// Memory is bounded, whatever the trace: activity is kept in bins whose width is a power of two of microseconds and
// doubles when more than a few thousand are in use, names in a sketch of their hashes. Counts, sums and bins are
// integers, so the result is the same however the runs are partitioned.
package health

// Package trace holds runs of data-parallel jobs as plain Go values: runs, stages, edges and attempts.
//
// A [Run] is one execution of a job. Its stages form a directed acyclic graph. Each stage is a set of identical
// tasks, and each task is executed by one or more attempts. The words follow Jockey (EuroSys 2012, §2) and
// Carbyne (OSDI 2016, §2); the fields are the columns of racecard's canonical tables.
//
// Every reader produces these values, every analysis and simulator consumes them, and simulated runs are the same
// values as measured ones, so that any analysis works on both. [Run.Validate] states the invariants all of them may
// rely on.
//
// # Nulls
//
// Values that a trace lacks are null, never 0 or -1. In these structs null is [None] for instants, durations and
// counts, NaN for floating-point fields, the empty string for text, and the zero value for [Status], [EdgeKind] and
// [Tri]. A field left out of a struct literal is 0, not null: start from [NewRun], [NewStage], [NewAttempt].
package trace

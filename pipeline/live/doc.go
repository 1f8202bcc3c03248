// Package live is the library that a scheduler embeds to look up remaining times, steer runs to their deadlines and
// admit jobs. It reads the folders that `racecard table build` writes.
//
// 1. [Open] reads and verifies the tables of a folder. [Tables.Current] returns the newest [Generation] of them: one
// atomic
//
//	   load, no lock.
//	2. [Generation.Table] finds the table of a job. [Table.Remaining] and [Table.Conditioned] answer without allocating.
//
// 3. [Table.NewRun] makes the control loop of one run. [Run.Decide] takes an [Observation] and answers with a
// [Decision]:
//
//	   the tokens to request, the predicted end with its band, and the risk of missing the deadline.
//	4. [Generation.Admit] answers whether jobs fit next to each other.
//
// 5. [Tables.Reload] loads newly published tables. Readers keep the generation that they hold; the garbage collector
// releases it after the last reader. A table that fails verification is not served: the last good one stays in use.
//
// Tables, Generation and Table are safe for concurrent use. A Run is for one goroutine at a time. Times are seconds
// since the start of a run. Tokens are tasks that may run at once.
package live

// Package store keeps a trace on disk: Parquet files of the canonical tables and a manifest of their contents.
//
// A store is a directory:
//
//	racecard.json               the manifest: format version, source files with checksums, options, time base, units,
//	                            rows per table, records read, used, ignored and rejected, repairs, warnings, completeness
//	jobs/part-00000.parquet     one row per run, sorted by job_id
//	stages/part-00000.parquet   the stages of the same runs, in the same order; so do edges, tasks, allocations and io
//	machines/part-00000.parquet
//	rejects/part-00000.parquet  the records that could not be used: file, line, field, reason, detail, raw text
//
// Part k of every table holds the rows of the same runs, whole; a table without rows in a part has no file for
// it. A [Writer] writes parts as runs come in, in bounded memory, into a directory next to the store. It renames
// the directory when the manifest, written last, is on disk: a store is there whole or not at all. A [Store]
// checks the size and SHA-256 of a file against the manifest before decoding it, and yields one whole run at a
// time.
package store

// Package google2019 reads exports of the Google cluster-usage traces v3: eight Borg cells in May 2019.
//
// Specification: J. Wilkes, "Google cluster-usage traces v3", Google Inc., 2020, and
// https://github.com/google/cluster-data, clusterdata_trace_format_v3.proto and ClusterData2019.md; M. Tirmazi et al.,
// "Borg: the Next Generation", EuroSys 2020. The traces are published as BigQuery tables, so that what people have are
// exports, in whatever form their tool writes. Three are read, with the field names of the tables:
//
//   - JSON Lines, as BigQuery exports: integers may be text, text may hold escapes such as \u003d.
//   - CSV with a header, as pandas writes it: an unnamed index column, quoted fields with line breaks inside,
//     structures and lists as Python prints them ({'cpus': 0.02, 'memory': None}, [1 2 3]). A record is at most 256
//     KiB, so that a quote that never closes costs one record.
//   - Parquet, with resource_request as a structure, as two columns (resource_request_cpus), or as text.
//
// Columns may be in any order, missing, or more than are known; type may be a number or a name; null is an empty field,
// null, None or NaN. A record with instance_index is one of instance_events, another with a type one of
// collection_events. Exports in which people joined the tables have instance_events_type and collections_events_type:
// such a record is the instance event, and says who runs the collection besides; columns that were derived from types
// (event, failed) are not read. Rows may be in any order. machine_events, machine_attributes and instance_usage are
// ignored under their kind.
//
// # Tables
//
// Jobs, stages and tasks are built as in package [racecard/datasets/google2011]; package
// [racecard/datasets/internal/borg] folds the events of both, and explains times of 0 and 2^63-1. In detail:
//
//   - jobs: a collection of type JOB is a run, its id the collection_id; name is collection_logical_name, which recurs,
//     or else collection_name; user is user. group is null. Records of alloc sets, which hold resources for jobs and
//     run nothing themselves, are ignored under their kind.
//   - stages and tasks: instances of the collection. queued is the last ENABLE, when the batch scheduler let the
//     instance be scheduled, else the SUBMIT. cpu and mem are resource_request: the mean of the latest ones for the
//     stage, for an attempt the one in force when it was scheduled. machine is machine_id, null for 0 (none) and -1
//     (dedicated).
//   - io: a collection that starts after others (start_after_collection_ids) reads the dataset collection:ID of each,
//     which that collection writes: this is how a dependency between runs is said here. parent_collection_id, whose end
//     stops the collection, and alloc_collection_id, in which it runs, are no dependencies: they are counted in
//     warnings.
//   - not available: edges, machines, bytes, allocations, guarantees, speculative, spare, disk and network demand,
//     priorities, measured usage.
//
// cpu and mem are normalised as the trace has them: shares of the largest machine.
//
// # Records and memory
//
// A record is a JSON object, a CSV record or a Parquet row; rejects name it by its line, or by its number from 1 in a
// Parquet file. Records of a collection may lie anywhere and are gathered within the budget; the ids that others start
// after are kept in memory besides. A Parquet file that is damaged or cut off ends the import with an error that names
// it.
package google2019

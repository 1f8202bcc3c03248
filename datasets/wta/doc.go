// Package wta reads traces of the Workflow Trace Archive, and the traces of OpenDC, both Parquet.
//
// Specification: https://wta.atlarge-research.com/traceformat.html and the objects of
// https://github.com/atlarge-research/wta-tools (L. Versluis et al., "The Workflow Trace Archive: Open-Access Data from
// Public and Private Computing Infrastructures", IEEE TPDS 31(9), 2020); for OpenDC
// https://atlarge-research.github.io/opendc/docs/documentation/Input/Workload and the schemas of
// https://github.com/atlarge-research/opendc-traces.
//
// A trace of the archive is a folder of tables, each in schema-1.0/part.N.parquet: workload (generic_information.json),
// workflows, tasks, task_state, resources and others. OpenDC has tasks.parquet and fragments.parquet. Tables are told
// apart by their columns, wherever they lie. Columns may be in any order, missing, or more than are known
// (__index_level_0__), and their types differ between traces: every number may be an integer of any width,
// floating-point, or text; lists may hold either, call their element item, element or anything else, and be empty or
// null. Unknown values are -1, NaN or null.
//
// # Tables
//
// A workflow is a run, its id the workflow's. A task is a stage of one task with one attempt, since the archive has no
// notion of a set of like tasks; times are milliseconds.
//
//   - jobs: submit is ts_submit of the workflow, else ts_submit of its first task; start and end are the first start
//     and, when all are known, the last end of its tasks; name is application_name, which the tables of version 1.0 do
//     not have; user and group are user_id and group_id of its tasks where they agree. status is succeeded when every
//     task has a run time, else unknown: the archive records no failures.
//   - stages: name is the task's id; submit ts_submit, start = submit + wait_time, end = start + runtime. cpu is
//     resource_amount_requested of type core, cpu or thread, gpu is resource_amount_requested of type gpu; other types
//     are left out with a warning. mem is memory_requested in the unit of the trace's source: the archive states none.
//   - edges: parents and children, whichever side states them, as one_to_one: data flow between single tasks. One that
//     is no task of the workflow is dropped and counted, and so is an edge that closes a cycle.
//   - tasks: queued, start, end and duration (runtime) as above. A task whose wait is unknown has a duration alone. The
//     demand is the requested amount; machine is resource_used.
//   - machines: the resources table, if there is one: num_resources of type core, cpu or thread, memory (GB), network
//     (Gbps).
//   - not available: io, bytes, allocations, guarantees, speculative, spare. Rows of task_state and of other tables are
//     ignored under their kind.
//
// In OpenDC's traces a task is a separate run unless tasks name parents or children. Then connected tasks are
// one run with the id of its first task. submission_time [ms] is submit, duration [ms] the run time. The waiting
// time of a task is not recorded, so that start and end are null. cpu is cpu_count, gpu gpu_count, mem
// mem_capacity (MB, 10^6 bytes). cpu_capacity, deadline and the like have no column here; fragments are ignored
// under their kind.
//
// # Records and memory
//
// A record is a row of a Parquet file; rejects name it by its number from 1 in the place of the line. Rows of a
// workflow may lie anywhere and are gathered within the budget. A file is copied to a temporary one when it is larger
// than [parquetio.SpoolMemory], since Parquet is read from its end. OpenDC tasks with parents or children need about 60
// bytes of memory per task besides. A Parquet file that is damaged or cut off ends the import with an error that names
// it.
package wta

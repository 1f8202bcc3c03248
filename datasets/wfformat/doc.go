// Package wfformat reads WfFormat, the JSON in which WfCommons publishes executions of scientific workflows: versions
// 1.2 to 1.5 and their neighbours 1.0, 1.1 and 1.6.
//
// A file is one JSON object, one execution of one workflow. Specification: https://github.com/wfcommons/WfFormat
// (README.md, wfcommons-schema.json) and, for what earlier versions called their fields and in which units they
// measured, tools/wfcommons-migrate-instance.py there. From 1.5 on workflow.specification holds the tasks, their
// parents, children and files, and workflow.execution their measurements, joined by id. Up to 1.4 workflow.tasks (jobs,
// up to 1.2) holds both, tasks refer to each other by name, and memory is in kilobytes up to 1.3.
//
// # Tables
//
//   - jobs: job_id is the file's base name without .json, with as many of its folders as tell it from the other files;
//     name is the name of the instance without .json, since that recurs, and the file's where there is none. start is
//     executedAt of the execution, end start + makespanInSeconds. status is succeeded when a makespan is stated, else
//     unknown. A makespan of 0 although tasks ran, and a date of 1970-01-01T00:00:00Z, stand for nothing: null.
//     input_bytes, shuffle_bytes and output_bytes sum the files of io and those that go from task to task. user, group,
//     submit and guaranteed are null: the author of an instance is not who ran it.
//   - stages: every task is a stage of one task, since the format has no notion of a set of like tasks. name is the
//     task's name; cpu is coreCount, mem memoryInBytes. start and end are the start and end of its attempt.
//   - edges: parents and children, whichever side states them, as one_to_one: data flow between single tasks. An
//     instance that states neither takes edges from files, from who writes one to who reads it. A parent or child that
//     is no task is dropped and counted.
//   - tasks: one attempt per entry of execution.tasks that has a runtime, succeeded, with runtimeInSeconds as duration.
//     The published executions say nothing of when a task started: start and end are null, and the makespan, which
//     includes queueing and staging, is far longer than the critical path. A task with executedAt has both. cpu is
//     avgCPU/100, mem memoryInBytes, disk_read and disk_write readBytes and writtenBytes over the runtime: all
//     measured. machine is the first of machines.
//   - io: a file that some task reads and none writes is a read of the run, one that some task writes and none reads is
//     a write; at is null. Files that go from task to task are shuffle_bytes, and no row: every run of a workflow gives
//     them the same names, and would seem to read what another run wrote.
//   - machines: name, cores and memory, each combination once.
//   - not available: allocations, queued, speculative, spare, network demand.
//
// # Records
//
// A record is a file's JSON object. It is decoded as a stream: memory is bounded by the kept part of the run and
// by the longest element. A document that is cut off holds no whole run and is rejected as truncated.
package wfformat

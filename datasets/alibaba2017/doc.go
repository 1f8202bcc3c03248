// Package alibaba2017 reads the batch workload of the Alibaba cluster trace of 2017: batch_task and batch_instance, CSV
// without headers as published, or with a header as people re-save them. Specification:
// https://github.com/alibaba/clusterdata, cluster-trace-v2017/schema.csv and trace_201708.md.
//
//	batch_task      task_create_time, task_end_time, job_id, task_id, number_of_instances, status, plan_cpu, plan_mem
//	batch_instance  start_timestamp, end_timestamp, job_id, task_id, machine_id, status, seq_no, total_seq_no,
//	                real_cpu_max, real_cpu_avg, real_mem_max, real_mem_avg
//
// A header decides where the columns of its file are, in any order and number. The column names of the two
// documents and of the re-saved file are known, in any case and with any blanks. Without a header, the number of
// fields in the first row of a file tells the two kinds of rows apart. Both kinds may come in one import or
// separately; the rows of a job may lie anywhere. The tables of servers and containers are ignored by file name.
//
// # Tables
//
// jobs: job_id; submit is the first creation of a task; start is the first start of an instance, null without
// batch_instance; end is the last end, when no task is left waiting or running and every end is known. A run has failed
// when a task has, else it was killed when one was, else it is running while a task waits or runs, else it succeeded
// when all tasks are terminated. There are no names, users, bytes or guarantees.
//
// stages: a task each, named by its task_id; tasks is number_of_instances; submit is task_create_time, which the tasks
// of a job mostly share; start is the first start of an instance, so null without batch_instance. This version of the
// trace has no graph: there are no edges.
//
// tasks: one row per row of batch_instance, with machine and measured cpu and memory (the averages). Rows do not
// name their instance. Every row with seq_no 1 counts as a new instance; the n-th row with a higher seq_no and
// the same total_seq_no counts as a further attempt of the n-th such instance: a counted repair. Rows without
// job_id or task_id, about 1.3 % of the published table, are rejects. machines, allocations and io are not
// available.
//
// # Units and repairs
//
// Times are seconds since the start of the trace; negative ones lie before it and are kept. 0 means not yet, or before
// the trace: it becomes null. What is published as the end of a task is the time of its last change of state: where a
// task or an instance waits or runs it is no end and becomes null. So does an end before the creation or the start. All
// are counted repairs.
//
// plan_cpu is documented as a number of cpus, but machines have 64 and most tasks ask for 50 or 100: it counts
// hundredths of a core, as https://github.com/alibaba/clusterdata/issues/11 confirms, and is converted to cores; one
// warning says so. The measured cpu of instances is in cores. Memory keeps the trace's unit, normalised to 0..1.
package alibaba2017

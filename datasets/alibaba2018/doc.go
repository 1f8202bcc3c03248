// Package alibaba2018 reads the batch workload of the Alibaba cluster trace of 2018: batch_task and batch_instance, CSV
// without headers. Specification: https://github.com/alibaba/clusterdata, cluster-trace-v2018/schema.txt and
// trace_2018.md.
//
//	batch_task      task_name, instance_num, job_name, task_type, status, start_time, end_time, plan_cpu, plan_mem
//	batch_instance  instance_name, task_name, job_name, task_type, status, start_time, end_time, machine_id, seq_no,
//	                total_seq_no, cpu_avg, cpu_max, mem_avg, mem_max
//
// The two kinds of rows are told apart by their number of fields and may come in one import or apart; the rows of a job
// lie anywhere. A row of the columns' names is ignored; a first row that has them in another order refuses the file.
// Times are seconds since the start of the trace; 0 means not yet.
//
// A job is a run, its id the job_name. A task is a stage, its name the task_name. Instances are attempts: a task of the
// canonical tables is a distinct instance_name of a stage, numbered in the order of the input, and seq_no orders the
// attempts of one. A stage without a row of batch_task takes its times and its status from its instances, the last
// attempt of each. start and end of the run are the first start and, when no task is left waiting or running, the last
// end of its stages. A run has failed when a task has, else it is running while a task waits or runs, else it succeeded
// when all tasks are terminated. There are no submission times, users or names of recurring jobs, and no bytes.
//
// # The graph
//
// A task_name that reads letters, own number, then numbers of parents behind underscores, such as M1, R2_1 or J3_1_2,
// gives edges of kind unknown, since a child may start before its parent has ended. Other parts (R4_2_Stg9) and
// trailing underscores mean nothing; other names (task_MTg4MDcx) are stages without parents. The own number of a stage
// may be lower than its parents'. Parents that the job does not have are dropped and counted, and so are edges that
// close a cycle.
//
// # Units and repairs
//
// cpu is in cores (the trace counts hundredths). mem keeps the trace's unit, percent of a machine-like unit that it
// does not state. instance_num is written 23.0; empty, as in waiting tasks, it is null. An end before its start, or a
// start or end of 0 in a row that waits or runs, becomes null: a counted repair.
package alibaba2018

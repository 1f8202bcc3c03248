// Package pai reads the GPU cluster traces of Alibaba: the PAI workload of 2020 (jobs, tasks, instances and machines,
// CSV whose headers are files of their own), the pods and nodes of 2023, and the DLRM instances of 2025, both CSV with
// headers. Specification: the README files of cluster-trace-gpu-v2020, -v2023 and -v2025 in
// https://github.com/alibaba/clusterdata; Q. Weng et al., "MLaaS in the Wild", NSDI 2022; Q. Weng et al., "Beware of
// Fragmentation", USENIX ATC 2023; L. Yang et al., "GPU-Disaggregated Serving for Deep Learning Recommendation Models
// at Scale", NSDI 2025.
//
// A file is recognised by the table name in its own name, by a header in its first line, or by the number and
// form of the fields of its first rows. A header in the first line rules the columns of its file. Otherwise a
// file pai_x.header, if present, rules the columns of every pai_x; otherwise they are built in. Tables may come
// in one import or separately, in any order.
//
// # 2020: jobs, tasks, instances
//
//	pai_job_table       job_name, inst_id, user, status, start_time, end_time
//	pai_task_table      job_name, task_name, inst_num, status, start_time, end_time, plan_cpu, plan_mem, plan_gpu,
//	                    gpu_type
//	pai_instance_table  job_name, task_name, inst_name, worker_name, inst_id, status, start_time, end_time, machine
//	pai_group_tag_table inst_id, user, gpu_type_spec, group, workload
//	pai_machine_spec    machine, gpu_type, cap_cpu, cap_mem, cap_gpu
//
// jobs: job_name is the id. name, the recurring name, is the group tag of its inst_id if that table is given
// (its rows count as ignored, and cost about 50 bytes of memory each during an import). submit is the start_time
// of the job, which is documented as its submission; start is the first start of a task; user, end and status
// come from the job's row. A job without a row takes end and status from its tasks: a counted repair.
//
// stages: one per task (a role such as ps or worker). The roles of a job run side by side and have no edges.
// tasks is inst_num; cpu, mem and gpu are the planned use of one instance. gpu_type has no column.
//
// tasks: a row of the instance table each. A task of the canonical tables is a distinct inst_name of a stage; further
// rows of that name, which have another worker_name, are further attempts in the order of their start. The same
// worker_name twice is a counted repair, a row that repeats another a reject. Measured use (pai_sensor_table,
// pai_machine_metric) is ignored.
//
// machines: pai_machine_spec. allocations, io and bytes are not available.
//
// Times are seconds since an origin that the trace hides. 0, or nothing, means not yet and becomes null, and so does an
// end before its start: counted repairs. plan_cpu and plan_gpu count hundredths of a core and of a GPU. plan_mem and
// cap_mem are documented in GB; the values are multiples of 1/1024 (29.296875 is 30000 MiB), so a GB is taken for 2^30
// bytes.
//
// # 2023: pods and nodes
//
//	openb_pod_list_*    name, cpu_milli, memory_mib, num_gpu, gpu_milli, gpu_spec, qos, pod_phase, creation_time,
//	                    deletion_time, scheduled_time
//	openb_node_list_*   sn, cpu_milli, memory_mib, gpu, model
//
// jobs: a pod each: id, group is its qos, submit its creation, start its scheduling, end its deletion. Pods that
// Succeeded or Failed say so; pods that were deleted while Running or Pending were killed; those without a deletion are
// running. Where several Running or Pending pods share the last deletion of a list, that is the end of the trace: they
// are running and have no end, a counted repair. stages: one of one task, which asks for num_gpu times gpu_milli.
// tasks: one attempt where the pod was scheduled; pending pods have none.
// machines: nodes. gpu_spec and model have no column. Pods have no names that recur, users or machines. The lists
// without time columns (multigpu) give stages alone, with status unknown. Only the default list is the trace; the other
// lists are resampled from it, repeat its names, and cannot be imported with it.
//
// # 2025: DLRM instances
//
//	disaggregated_DLRM_trace  instance_sn, role, app_name, cpu_request, ..., gpu_request, ..., memory_request, ...,
//	                          creation_time, scheduled_time, deletion_time
//
// jobs: an inference instance each: id, name is its app_name, group its role (CN or HN), submit its creation, start its
// scheduling, end its deletion; empty times lie before the start or after the end of the trace and are null. Without a
// deletion it is running, else its status is unknown. stages: one of one task, named by the role, which asks for the
// requests (cores, GPUs, GiB). tasks: one attempt where a scheduling or a deletion is known. Limits, which equal
// requests, RDMA, disk space and density have no column.
package pai

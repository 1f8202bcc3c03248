package pai

import (
	"bytes"
	"slices"
	"strings"

	"racecard/datasets/internal/csvtable"
	"racecard/datasets/lists"
	"racecard/datasets/trace"
)

// The columns of pai_job_table.
const (
	jobName = iota
	jobInstID
	jobUser
	jobStatus
	jobStart
	jobEnd
)

// The columns of pai_task_table.
const (
	taskJob = iota
	taskName
	taskInstances
	taskStatus
	taskStart
	taskEnd
	taskCPU
	taskMem
	taskGPU
)

// The columns of pai_instance_table.
const (
	instJob = iota
	instTask
	instName
	instWorker
	instID
	instStatus
	instStart
	instEnd
	instMachine
)

// The columns of pai_group_tag_table.
const (
	groupInstID = iota
	_           // user
	_           // gpu_type_spec
	groupTag
)

// The columns of pai_machine_spec.
const (
	machineName = iota
	machineType
	machineCPU
	machineMem
	machineGPU
)

func columns(must string, names ...string) []csvtable.Column {
	return lists.Map(names, func(n string) csvtable.Column {
		return csvtable.Column{Name: n, Must: strings.Contains(" "+must+" ", " "+n+" ")}
	})
}

// The tables. Those of 2020 are named as their files are.
var (
	jobTable = &csvtable.Table{Name: "pai_job_table", Columns: columns("job_name inst_id user status",
		"job_name", "inst_id", "user", "status", "start_time", "end_time")}
	taskTable = &csvtable.Table{Name: "pai_task_table", Columns: columns("job_name task_name inst_num plan_gpu",
		"job_name", "task_name", "inst_num", "status", "start_time", "end_time", "plan_cpu", "plan_mem", "plan_gpu",
		"gpu_type")}
	instanceTable = &csvtable.Table{Name: "pai_instance_table", Columns: columns("job_name task_name inst_name "+
		"worker_name",
		"job_name", "task_name", "inst_name", "worker_name", "inst_id", "status", "start_time", "end_time", "machine")}
	groupTable = &csvtable.Table{Name: "pai_group_tag_table", Columns: columns("inst_id group gpu_type_spec",
		"inst_id", "user", "gpu_type_spec", "group", "workload")}
	machineTable = &csvtable.Table{Name: "pai_machine_spec", Columns: columns("machine cap_cpu cap_gpu",
		"machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu")}
	sensorTable = &csvtable.Table{Name: "pai_sensor_table", Columns: columns("worker_name gpu_wrk_util",
		"job_name", "task_name", "worker_name", "inst_id", "machine", "gpu_name", "cpu_usage", "gpu_wrk_util",
		"avg_mem", "max_mem", "avg_gpu_wrk_mem", "max_gpu_wrk_mem", "read", "write", "read_count", "write_count")}
	metricTable = &csvtable.Table{Name: "pai_machine_metric", Columns: columns("worker_name machine_gpu machine_cpu",
		"worker_name", "machine", "start_time", "end_time", "machine_cpu_iowait", "machine_cpu_kernel",
		"machine_cpu_usr", "machine_gpu", "machine_load_1", "machine_net_receive", "machine_num_worker", "machine_cpu")}
	podTable = &csvtable.Table{Name: "openb_pod_list", Columns: columns("name cpu_milli memory_mib num_gpu",
		"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos", "pod_phase", "creation_time",
		"deletion_time", "scheduled_time")}
	nodeTable = &csvtable.Table{Name: "openb_node_list", Columns: columns("sn cpu_milli memory_mib gpu",
		"sn", "cpu_milli", "memory_mib", "gpu", "model")}
	dlrmTable = &csvtable.Table{Name: "disaggregated_dlrm_trace", Columns: columns("instance_sn app_name cpu_request "+
		"gpu_request",
		"instance_sn", "role", "app_name", "cpu_request", "cpu_limit", "gpu_request", "gpu_limit", "rdma_request",
		"rdma_limit",
		"memory_request", "memory_limit", "disk_request", "disk_limit", "max_instance_per_node", "creation_time",
		"scheduled_time", "deletion_time")}
)

// tables lists them; headers are compared in this order.
func tables() []*csvtable.Table {
	return []*csvtable.Table{jobTable, taskTable, instanceTable, groupTable, machineTable, sensorTable, metricTable,
		podTable, nodeTable, dlrmTable}
}

// headerEnding ends the names of files that hold the header of a table.
const headerEnding = ".header"

// named returns the table whose name occurs in the name of a file.
func named(base string) (*csvtable.Table, bool) {
	base = strings.ToLower(base)
	for _, t := range tables() {
		if strings.Contains(base, t.Name) {
			return t, true
		}
	}
	return nil, false
}

// headed returns the layout that a line names.
func headed(line []byte) (csvtable.Layout, bool) {
	for _, t := range tables() {
		if l, ok := t.Header(line); ok {
			return l, true
		}
	}
	return csvtable.Layout{}, false
}

// formed returns the table that a row without header has the form of. It does not know those that are ignored, whose
// rows could be anything.
func formed(line []byte) (*csvtable.Table, bool) {
	fields := bytes.Split(line, []byte{','})
	numbers := func(from, to int) bool {
		return !slices.ContainsFunc(fields[from:to+1], func(f []byte) bool { return !csvtable.IsNumber(f) })
	}
	status := func(i int) bool {
		_, known := statuses[string(bytes.TrimSpace(fields[i]))]
		return known
	}
	switch len(fields) {
	case len(jobTable.Columns):
		return jobTable, status(jobStatus) && numbers(jobStart, jobEnd)
	case len(taskTable.Columns):
		return taskTable, status(taskStatus) && numbers(taskInstances, taskInstances) && numbers(taskStart, taskGPU)
	case len(instanceTable.Columns):
		return instanceTable, status(instStatus) && numbers(instStart, instEnd)
	case len(machineTable.Columns):
		return machineTable, len(fields[machineName]) > 0 && !csvtable.IsNumber(fields[machineType]) &&
			numbers(machineCPU, machineGPU)
	}
	return nil, false
}

// knownGPU reports whether the second field is a type of GPU of the trace.
func knownGPU(line []byte) bool {
	_, rest, _ := bytes.Cut(line, []byte{','})
	kind, _, _ := bytes.Cut(rest, []byte{','})
	switch string(kind) {
	case "CPU", "MISC", "T4", "P100", "V100", "V100M16", "V100M32":
		return true
	}
	return false
}

// statuses maps the status words of the trace of 2020. Only Terminated is success, as documented.
var statuses = map[string]trace.Status{
	"Terminated": trace.Succeeded, "Failed": trace.Failed, "Cancelled": trace.Killed, "Interrupted": trace.Killed,
	"Running": trace.Running, "Ready": trace.Running, "Waiting": trace.Running,
}

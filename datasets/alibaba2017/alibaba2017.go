package alibaba2017

import (
	"context"
	"strings"

	"racecard/datasets/groupby"
	"racecard/datasets/internal/csvtable"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Reasons of rejects, besides the shared ones of package source.
const (
	ReasonNoJob  = "missing job id"
	ReasonNoTask = "missing task id"
)

// Kinds of repairs.
const (
	RepairZero      = "time of 0: not yet, or before the trace"
	RepairOpen      = "last change of an unfinished row is no end"
	RepairEnd       = "end before creation or start"
	RepairRetry     = "retry matched to an instance by its order"
	RepairNoTaskRow = "stage known from instances only"
)

// Kinds of warnings.
const (
	WarnCPU      = "unit of cpu"
	WarnSmallCPU = "cpu below a tenth of a core"
)

// Format describes the format to the registry of formats. memory is the budget for gathering rows, 0 the default.
func Format(memory int64) source.Format {
	return groupby.Format(source.Format{
		Name:    "alibaba2017",
		Summary: "Alibaba cluster trace 2017: batch_task and batch_instance, CSV with or without header",
		Holds: "jobs and their stages with creation and end times, task counts, planned cpu and memory; attempts, " +
			"starts and machines from batch_instance",
		Lacks: "graphs, users, names that recur, bytes: no dag, no recurrence; starts and attempts without " +
			"batch_instance",
		Spec:     "https://github.com/alibaba/clusterdata (cluster-trace-v2017)",
		TimeBase: source.TimeBaseRelative,
		Detect:   detect,
	}, func(_ context.Context, _ []*source.File, tally *source.Tally) (groupby.Input, error) {
		tally.Units["mem"] = "normalised to 0..1; the trace does not state what 1 is"
		r := &reader{tally: tally}
		return groupby.Stateful[[]csvtable.LayoutForm]{
			Lines: groupby.Lines{Memory: memory, Key: r.key, NewBuild: func() groupby.Build {
				return (&reader{layouts: r.layouts}).build
			}},
			State: func() []csvtable.LayoutForm { return r.layouts.Forms() },
			Adopt: func(from [][]csvtable.LayoutForm) (func(int, uint8) uint8, error) {
				return r.layouts.Adopt(from, &taskTable, &instanceTable)
			},
		}, nil
	})
}

// The columns of batch_task.
const (
	taskCreate = iota
	taskEnd
	taskJob
	taskID
	taskInstances
	taskStatus
	taskCPU
	taskMem
)

// The columns of batch_instance.
const (
	instStart = iota
	instEnd
	instJob // equal to taskJob
	instTask
	instMachine
	instStatus
	instSeq
	instTotal
	_ // real_cpu_max
	instCPU
	_ // real_mem_max
	instMem
)

var taskTable = csvtable.Table{Name: "batch_task", Columns: []csvtable.Column{
	{Name: "task_create_time", Aliases: []string{"create_timestamp", "create_time"}, Must: true},
	{Name: "task_end_time", Aliases: []string{"modify_timestamp", "end_timestamp", "end_time"}},
	{Name: "job_id", Must: true},
	{Name: "task_id", Must: true},
	{Name: "number_of_instances", Aliases: []string{"instance_num", "instances"}},
	{Name: "status"},
	{Name: "plan_cpu", Aliases: []string{"number_of_cpus_requested_per_instance_in_the_task", "cpu"}},
	{Name: "plan_mem", Aliases: []string{"normalized_memory_requested_per_instance_in_the_task", "mem"}},
}}

var instanceTable = csvtable.Table{Name: "batch_instance", Columns: []csvtable.Column{
	{Name: "start_timestamp", Aliases: []string{"start_time", "start"}, Must: true},
	{Name: "end_timestamp", Aliases: []string{"end_time", "end"}},
	{Name: "job_id", Must: true},
	{Name: "task_id", Must: true},
	{Name: "machine_id", Aliases: []string{"machineid", "machine"}},
	{Name: "status"},
	{Name: "seq_no", Aliases: []string{"sequence_number", "seq"}, Must: true},
	{Name: "total_seq_no", Aliases: []string{"total_sequence_number", "total_seq"}},
	{Name: "real_cpu_max", Aliases: []string{"maximum_real_cpu_number", "max_cpu"}},
	{Name: "real_cpu_avg", Aliases: []string{"average_real_cpu_number", "avg_cpu"}},
	{Name: "real_mem_max", Aliases: []string{"maximum_normalized_memory_usage", "max_mem"}},
	{Name: "real_mem_avg", Aliases: []string{"average_normalized_memory_usage", "avg_mem"}},
}}

// statuses maps the trace's status words. Instances that were interrupted ran twice: the slower copy is stopped.
var statuses = map[string]trace.Status{
	"Terminated": trace.Succeeded, "Failed": trace.Failed, "Cancelled": trace.Killed, "Interrupted": trace.Killed,
	"Running": trace.Running, "Ready": trace.Running, "Waiting": trace.Running,
}

// otherTables lists, by file name, the tables of the trace that are ignored.
var otherTables = []string{"container_event", "container_usage", "server_event", "server_usage", "schema"}

// otherTable returns which of them a file holds, "" if none.
func otherTable(f *source.File) string {
	base := strings.ToLower(f.Base())
	for _, name := range otherTables {
		if strings.HasPrefix(base, name) {
			return name
		}
	}
	return ""
}

// detect looks for a header, or for a first row of numbers with a status in the sixth field.
func detect(_ string, head []byte) bool {
	line, _ := csvtable.FirstLine(head)
	var row csvtable.Row
	layout, header, ok := layoutOf(&row, line)
	if !ok || header {
		return ok
	}
	numbers := []int{taskCreate, taskEnd, taskJob, taskID, taskInstances, taskCPU, taskMem}
	if layout.Table == &instanceTable {
		numbers = []int{instStart, instEnd, instJob, instTask, instMachine, instSeq, instTotal, instCPU, instMem}
	}
	for _, column := range numbers {
		if !csvtable.IsNumber(row.Field(column)) {
			return false
		}
	}
	_, known := statuses[row.Text(taskStatus)] // in both tables the sixth
	return known
}

// layoutOf finds out what the rows of a file are from its first line: a header or, without one, a row, which it splits.
// In both tables the sixth field of a row is a word, the status.
func layoutOf(row *csvtable.Row, line []byte) (layout csvtable.Layout, header, ok bool) {
	for _, t := range []*csvtable.Table{&taskTable, &instanceTable} {
		if layout, ok = t.Header(line); ok {
			return layout, true, true
		}
	}
	for _, t := range []*csvtable.Table{&taskTable, &instanceTable} {
		if csvtable.Width(line) == len(t.Columns) {
			layout = t.ByHeart()
			_ = row.Split(nil, line, &layout) // the number of fields is right
			return layout, false, !csvtable.IsNumber(row.Field(taskStatus))
		}
	}
	return layout, false, false
}

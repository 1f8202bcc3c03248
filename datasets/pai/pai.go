package pai

import (
	"context"
	"slices"
	"strings"

	"racecard/datasets/groupby"
	"racecard/datasets/internal/csvtable"
	"racecard/datasets/source"
)

// Reasons of rejects, besides the shared ones of package source.
const (
	ReasonNoName    = "missing name"
	ReasonDuplicate = "duplicate row"
)

// Kinds of repairs.
const (
	RepairZero      = "time of 0: not yet"
	RepairEnd       = "end before creation or start"
	RepairCut       = "pod deleted at the end of the trace"
	RepairNoJobRow  = "job known from tasks or instances only"
	RepairNoTaskRow = "stage known from instances only"
	RepairWorker    = "worker that occurs twice in a task"
	RepairNoName    = "instance without a name: a task of its own"
)

// Kinds of records that are ignored.
const (
	IgnoredHeader   = "header"
	IgnoredGroupTag = "group tag (it names its job)"
	IgnoredSensor   = "pai_sensor_table"
	IgnoredMetric   = "pai_machine_metric"
	IgnoredMachine  = "machine listed before"
)

// WarnGroups is the kind of warnings about jobs with several group tags.
const WarnGroups = "several group tags"

// Format describes the format to the registry of formats. memory is the budget for gathering rows, 0 the default.
func Format(memory int64) source.Format {
	return groupby.Format(source.Format{
		Name: "pai",
		Summary: "Alibaba GPU cluster traces: PAI 2020 (jobs, tasks, instances), pods and nodes of 2023, DLRM " +
			"instances of 2025",
		Holds: "submission, start and end of jobs, stages with task counts, planned cpu, memory and gpu; attempts " +
			"and machines from the " +
			"instance table and from pods; names that recur from the group tags and apps; the machines",
		Lacks:    "graphs, measured use, bytes: no dag; recurrence without pai_group_tag_table",
		Spec:     "https://github.com/alibaba/clusterdata (cluster-trace-gpu-v2020, -v2023, -v2025)",
		TimeBase: source.TimeBaseRelative,
		Detect:   detect,
		Rules:    isHeader,
	}, func(ctx context.Context, files []*source.File, _ *source.Tally) (groupby.Input, error) {
		return prepare(ctx, memory, files), nil
	})
}

// detect recognises a file by the name of its table, by a header, or by its first row. A row decides only if its
// form is unique to a table.
func detect(name string, head []byte) bool {
	line, _ := csvtable.FirstLine(head)
	if !slices.Contains(line, ',') {
		return false
	}
	base := source.BytesFile(name, nil).Base()
	if _, ok := named(base); ok && !strings.ContainsRune(string(line), 0) {
		return true
	}
	if _, ok := headed(line); ok {
		return true
	}
	t, ok := formed(line)
	return ok && (t != machineTable || knownGPU(line))
}

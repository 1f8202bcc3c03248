package wta

import (
	"bytes"
	"context"
	"path"
	"strings"

	"racecard/datasets/groupby"
	"racecard/datasets/parquetio"
	"racecard/datasets/source"
)

// Reasons of rejects, besides the shared ones of package source.
const (
	ReasonNoWorkflow = "missing workflow id"
	ReasonBadValue   = "bad value"
	ReasonTwice      = "duplicate workflow"
)

// Kinds of repairs.
const (
	RepairNegative      = "negative time or amount"
	RepairUnknownParent = "unknown parent dropped"
	RepairCycle         = "edge of a cycle dropped"
	RepairSubmit        = "submitted after it ended"
)

// Kinds of warnings.
const (
	WarnResource = "resource of an unknown type"
	WarnCount    = "another number of tasks than stated"
)

// Format describes the format to the registry of formats. memory is the budget for gathering rows, 0 the default.
func Format(memory int64) source.Format {
	return groupby.Format(source.Format{
		Name:    "wta",
		Summary: "Workflow Trace Archive, and OpenDC's traces: Parquet tables of workflows and tasks",
		Holds: "workflows with their graph of tasks, submission, waiting and run times, requested cores, GPUs and " +
			"memory, users; " +
			"from OpenDC submission and run times, cores and memory",
		Lacks: "names that recur, failures, retries, names of datasets, measured demand: no recurrence, no " +
			"dependency between workflows",
		Spec: "https://wta.atlarge-research.com/traceformat.html; " +
			"https://atlarge-research.github.io/opendc/docs/documentation/Input/Workload",
		TimeBase: source.TimeBaseGuess,
		Detect:   detect,
	}, func(context.Context, []*source.File, *source.Tally) (groupby.Input, error) {
		return groupby.Records[held]{Memory: memory, Add: add, Join: join, Chunk: chunk}, nil
	})
}

// detect knows a small file by its columns, as its end is in head too. The columns of a larger one are not to be seen
// there, unless its writer repeated them behind each column as parquet-cpp did; then its place in the archive, or the
// name that OpenDC gives it, must do.
func detect(name string, head []byte) bool {
	if isJSON(head) {
		return path.Base(name) == infoName || bytes.Contains(head, []byte(`"total_workflows"`)) &&
			bytes.Contains(head, []byte(`"total_tasks"`))
	}
	if !bytes.HasPrefix(head, []byte("PAR1")) {
		return false
	}
	if len(head) < source.HeadSize {
		if t, err := parquetio.OpenTable(bytes.NewReader(head), int64(len(head))); err == nil {
			return classify(t) != tableOther
		}
	}
	for _, hint := range []string{"ts_submit", "submission_time"} {
		if bytes.Contains(head, []byte(hint)) {
			return true
		}
	}
	return detectName(name)
}

// tableFolders are the folders of the archive's tables, without separators of words.
const tableFolders = " workload workflows tasks taskstate taskstates resources resourcestate resourcestates " +
	"datatransfers "

func detectName(name string) bool {
	dir, base := path.Split(strings.ReplaceAll(name[strings.LastIndexByte(name, ':')+1:], "\\", "/"))
	switch base {
	case "tasks.parquet", "workflows.parquet", "fragments.parquet", "task_state.parquet", "task_states.parquet":
		return true
	}
	dir, version := path.Split(strings.TrimSuffix(dir, "/"))
	folder := strings.NewReplacer("-", "", "_", "").Replace(path.Base(dir))
	return strings.HasPrefix(version, "schema-") && strings.Contains(tableFolders, " "+folder+" ")
}

func isJSON(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	return len(head) > 0 && head[0] == '{'
}

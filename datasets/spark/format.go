package spark

import (
	"bytes"
	"context"
	"iter"
	"strings"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Format describes the format to the registry of formats.
func Format() source.Format {
	return source.Format{
		Name:    "spark",
		Summary: "Apache Spark event logs, 1.x to 4.x: JSON lines, single files and rolling folders",
		Holds: "application attempts with stages, shuffle and driver edges, every task attempt with times, outcome " +
			"and executor; input, shuffle and output bytes; executors over time; cpu, input, spill, peak memory and " +
			"garbage collection per task; cores and memory of executors; descriptions of queries and the nodes of " +
			"their plans per stage; the cluster id of Databricks and EMR",
		Lacks: "names of datasets (no dependency between applications), groups, memory, disk and network demand " +
			"of tasks",
		Spec: "https://spark.apache.org/docs/latest/monitoring.html; org.apache.spark.util.JsonProtocol in " +
			"https://github.com/apache/spark",
		TimeBase: source.TimeBaseUnix,
		PerRun:   true,
		Detect:   detect,
		Apart:    true,
		Together: together,
		Read:     Read,
		Keyed: func(property string) (source.Format, error) {
			f := Format()
			f.Read = func(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
				return readKeyed(ctx, files, tally, property)
			}
			return f, nil
		},
	}
}

// detect knows a log by an event of a Spark listener in its first lines, and files that are empty by their names, which
// rolling logs hold.
func detect(name string, head []byte) bool {
	if len(head) == 0 {
		folder, base := split(name)
		_, _, _, events := rolling(base)
		return events || strings.HasPrefix(base, markerPrefix) && strings.Contains(folder, folderPrefix)
	}
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte{'\n'})
		line = bytes.TrimLeft(line, "\ufeff \t\r")
		if len(line) == 0 || line[0] != '{' {
			continue
		}
		if name, bad := eventName(line); bad == nil && isSpark(name) {
			return true
		}
	}
	return false
}

// isSpark reports whether an event can only come from Spark: from its listeners, its own classes, or Databricks'
// additions.
func isSpark(name []byte) bool {
	return bytes.Contains(name, []byte("SparkListener")) || bytes.HasPrefix(name, []byte("org.apache.spark.")) ||
		bytes.HasPrefix(name, []byte("com.databricks."))
}

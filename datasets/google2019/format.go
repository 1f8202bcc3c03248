package google2019

import (
	"bytes"
	"context"
	"encoding/csv"
	"path"
	"strings"

	"racecard/datasets/groupby"
	"racecard/datasets/internal/jsonscan"
	"racecard/datasets/lists"
	"racecard/datasets/parquetio"
	"racecard/datasets/source"
)

// Reasons of rejects, besides the shared ones of package source.
const (
	ReasonBadCSV = "bad CSV"
	ReasonQuote  = "quote that does not close"
)

// Kinds of warnings that package borg lacks.
const (
	WarnParent = "collection that ends with its parent"
	WarnAlloc  = "collection that runs in an alloc set"
)

// Kinds of records that fill no table.
const (
	ignoredAlloc   = "alloc set event"
	ignoredUsage   = "instance usage"
	ignoredMachine = "machine event or attribute"
	ignoredHeader  = "header"
	ignoredBlank   = "blank line"
)

const (
	unitCPU = "share of the cores of the largest machine"
	unitMem = "share of the memory of the largest machine"
)

// Format describes the format to the registry of formats. memory is the budget for gathering records, 0 the default.
func Format(memory int64) source.Format {
	return groupby.Format(source.Format{
		Name: "google2019",
		Summary: "Google cluster-usage traces 2019 (Borg, v3): exports of collection_events and instance_events as " +
			"JSON Lines, CSV or Parquet",
		Holds: "jobs with submission, start, end, outcome, user, a name that recurs, and the jobs they start after; " +
			"every attempt of every instance with machine and requests",
		Lacks:    "graphs of stages, bytes, guarantees, groups, machines, measured usage: no dag",
		Spec:     "https://github.com/google/cluster-data (ClusterData2019.md, clusterdata_trace_format_v3.proto)",
		TimeBase: source.TimeBaseRelative,
		Detect:   detect,
	}, func(_ context.Context, _ []*source.File, tally *source.Tally) (groupby.Input, error) {
		tally.Units["cpu"], tally.Units["mem"] = unitCPU, unitMem
		return groupby.Records[[]int64]{Memory: memory, Add: add, Join: join, Chunk: chunk}, nil
	})
}

// detect recognises an export by the field names of its first object or its header, or by the schema at the end
// of a Parquet file if head holds it. Otherwise the file must be named after its table.
func detect(name string, head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	switch kindOf(head) {
	case kindParquet:
		if len(head) < source.HeadSize {
			if t, err := parquetio.OpenTable(bytes.NewReader(head), int64(len(head))); err == nil {
				return known(func(name string) bool { return t.Find(name) >= 0 })
			}
		}
		return known(func(name string) bool { return bytes.Contains(head, []byte(name)) }) || named(name)
	case kindJSON:
		line, _, _ := bytes.Cut(head, []byte{'\n'})
		keys := map[string]bool{}
		s := scanner{Scanner: jsonscan.Scanner{Text: line}, key: func(key string) { keys[key] = true }}
		s.object(&cells{}, 0) // of a line that is longer than head the first keys do
		return known(func(name string) bool { return keys[name] })
	default:
		line, _, _ := bytes.Cut(head, []byte{'\n'})
		r := csv.NewReader(bytes.NewReader(line))
		r.LazyQuotes = true
		header, err := r.Read()
		columns := lists.Set(lists.Map(header, strings.TrimSpace))
		return err == nil && known(func(name string) bool { return columns[name] })
	}
}

// known reports whether fields belong to one of the trace's tables.
func known(has func(name string) bool) bool {
	typed := false
	for _, name := range fieldNames[colType] {
		typed = typed || has(name)
	}
	switch {
	case has("collection_id"):
		return has("time") && typed || has("start_time") && has("instance_index")
	case has("machine_id"):
		return has("time") && (has("switch_id") || has("platform_id") || has("deleted"))
	default:
		return false
	}
}

// named reports whether a file, or its folder, is called after a table.
func named(name string) bool {
	dir, base := path.Split(strings.ReplaceAll(name[strings.LastIndexByte(name, ':')+1:], "\\", "/"))
	for _, s := range []string{base, path.Base(dir)} {
		s = strings.ToLower(s)
		for _, table := range []string{"collection_events", "instance_events", "instance_usage"} {
			if strings.Contains(s, table) {
				return true
			}
		}
	}
	return false
}

// kind is the form of an export.
type kind uint8

const (
	kindCSV kind = iota
	kindJSON
	kindParquet
)

func kindOf(head []byte) kind {
	switch {
	case bytes.HasPrefix(head, []byte("PAR1")):
		return kindParquet
	case len(head) > 0 && head[0] == '{':
		return kindJSON
	default:
		return kindCSV
	}
}

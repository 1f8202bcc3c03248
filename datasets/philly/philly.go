package philly

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"strings"

	"racecard/datasets/internal/csvtable"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Kinds of repairs.
const (
	RepairEnd  = "end before submission or start"
	RepairOpen = "last attempt without an end: still running"
)

// Kinds of records that are ignored.
const (
	IgnoredHeader      = "header"
	IgnoredUtilisation = "utilisation"
	IgnoredMachine     = "machine listed before"
)

// Kinds of warnings.
const (
	WarnZone    = "times without zone"
	WarnGPUTime = "gpu_time"
	WarnSorted  = "order of runs"
)

// Format describes the format to the registry of formats. Jobs do not lie apart, so no budget of memory is needed.
func Format(int64) source.Format {
	return source.Format{
		Name: "philly",
		Summary: "Microsoft Philly GPU cluster 2017: cluster_job_log (JSON) and machine list, and the reduced CSV " +
			"files",
		Holds: "submission, users, virtual clusters, attempts with start, end and machine, GPUs, what jobs hold; " +
			"from the reduced files submission, duration, GPUs",
		Lacks: "names that recur, graphs, cpu and memory, bytes: no recurrence, no dag; starts and ends in the " +
			"reduced files",
		Spec:         "https://github.com/msr-fiddle/philly-traces",
		TimeBase:     source.TimeBaseUnix,
		Apart:        true,
		Numbered:     true,
		ListedBefore: IgnoredMachine,
		Detect:       detect,
		Read:         read,
	}
}

// detect looks for the first job of a log, or for the header of one of the tables.
func detect(name string, head []byte) bool {
	base := strings.ToLower(source.BytesFile(name, nil).Base())
	line, _ := csvtable.FirstLine(head)
	if t, _, ok := headed(line); ok {
		return t != runtimeTable || strings.Contains(base, "philly")
	}
	if strings.Contains(base, machineTable.Name) {
		return csvtable.Width(line) == len(machineTable.Columns)
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if strings.Contains(base, "cluster_job_log") && len(text) > 0 && (text[0] == '[' || text[0] == '{') {
		return true
	}
	return beginsWithJob(text)
}

// beginsWithJob reports whether the first object of a text has a jobid and another field of jobs, at its top.
func beginsWithJob(text []byte) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	token, err := d.Token()
	if err == nil && token == json.Delim('[') {
		token, err = d.Token()
	}
	if err != nil || token != json.Delim('{') {
		return false
	}
	id, other := false, false
	for !id || !other {
		key, err := d.Token()
		if err != nil {
			return false
		}
		switch key {
		case "jobid":
			id = true
		case "vc", "attempts", "submitted_time":
			other = true
		case json.Delim('}'):
			return false
		}
		if !skipValue(d) {
			break
		}
	}
	return id && other
}

// skipValue passes over a value and reports whether all of it was there.
func skipValue(d *json.Decoder) bool {
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return false
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return true
		}
	}
}

// reader is the state of one import.
type reader struct {
	csvtable.Stream
	row      csvtable.Row
	machines map[string]bool
	prefix   string // of ids in the file at hand
}

// read yields the runs in files, one per job or row, in the order of the input. A yielded run is not used again.
func read(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
	return func(yield func(*trace.Run, error) bool) {
		r := &reader{
			Stream:   csvtable.Stream{Output: source.Output{Ctx: ctx, Tally: tally, Yield: yield, IDs: source.NewIDs()}},
			machines: map[string]bool{},
		}
		prefixes := source.IDPrefixes(files)
		for i, f := range files {
			r.prefix = prefixes[i]
			if !r.file(f) {
				return
			}
		}
	}
}

// file reads one file.
func (r *reader) file(f *source.File) bool {
	base := strings.ToLower(f.Base())
	if strings.HasSuffix(base, "_util") || strings.HasSuffix(base, "_util.csv") {
		return r.Each(f, func(*source.Line) (*trace.Run, string, *source.Reject) {
			return nil, IgnoredUtilisation, nil
		})
	}
	head, err := f.Head(r.Ctx)
	if text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n"); err == nil && len(text) > 0 &&
		(text[0] == '[' || text[0] == '{') {
		return r.log(f)
	}
	return r.Each(f, r.table(f))
}

// warnZone says once that times have no zone.
func (r *reader) warnZone() {
	r.Tally.WarnOnce(WarnZone, "times are local Pacific ones and say no zone; they were kept as if they were UTC")
}

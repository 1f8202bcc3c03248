// Package swim reads the Facebook workload samples of SWIM, the Statistical Workload Injector for MapReduce.
//
// One job per line, fields separated by tabs: job id, submit time in seconds, gap to the job before in seconds, map
// input bytes, shuffle bytes, reduce output bytes, and in some files the id of the input path; trailing tabs are
// allowed. There is no header. Specification: https://github.com/SWIMProjectUCB/SWIM/wiki, "Workloads repository", and
// Y. Chen et al., "The Case for Evaluating MapReduce Performance Using Workload Suites", MASCOTS 2011.
//
// Each line becomes a run without stages: the format holds no durations, no task counts and no graph, so completion
// times, recurrence, graphs and simulations of tasks are not available from it. An input path becomes a dataset that
// the run reads. Zero bytes are zero, not null: a job without shuffle is map-only.
package swim

import (
	"bytes"
	"context"
	"iter"
	"strconv"
	"unsafe"

	"racecard/datasets/internal/decimal"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// The columns of a line.
const (
	colID = iota
	colSubmit
	colGap
	colInput
	colShuffle
	colOutput
	colPath
	maxColumns = 9
)

var names = [maxColumns]string{"job id", "submit time", "gap", "map input bytes", "shuffle bytes",
	"reduce output bytes", "input path", "column 8", "column 9"}

// Format describes the format to the registry of formats.
func Format() source.Format {
	return source.Format{
		Name:         "swim",
		Summary:      "Facebook workload samples of SWIM: tab-separated submit times and bytes per MapReduce job",
		Holds:        "submit times, input, shuffle and output bytes; input paths in some files",
		Lacks:        "durations, task counts, stages, names, users: no recurrence, no dag, no simulation of tasks",
		Spec:         "https://github.com/SWIMProjectUCB/SWIM/wiki",
		TimeBase:     source.TimeBaseRelative,
		Detect:       detect,
		Apart:        true,
		EndsInNumber: true,
		Read:         Read,
	}
}

func detect(_ string, head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, "\r\n"), []byte{'\n'})
	fields := bytes.Split(bytes.TrimSuffix(line, []byte{'\r'}), []byte{'\t'})
	if len(fields) < colPath || len(fields) > maxColumns || len(fields[colID]) == 0 {
		return false
	}
	for _, f := range fields[colSubmit:colPath] {
		if _, err := strconv.ParseInt(string(f), 10, 64); err != nil {
			return false
		}
	}
	return true
}

// Read yields one run per line. It has the form of [source.Format].Read.
func Read(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
	return source.ReadLines(ctx, files, tally, func() source.LineParser { return &parser{} })
}

// parser makes runs that lie side by side in room that is used again and again.
type parser struct {
	runs     []trace.Run
	accesses []trace.Access
}

// Reset makes room for other runs.
func (p *parser) Reset() { p.runs, p.accesses = p.runs[:0], p.accesses[:0] }

// Parse makes a run of a line.
func (p *parser) Parse(line *source.Line, _ *source.Tally) (*trace.Run, *source.Reject) {
	var fields [maxColumns][]byte
	n := 0
	for f := range bytes.SplitSeq(line.Bytes, []byte{'\t'}) {
		if n == maxColumns {
			return nil, line.Reject("", source.ReasonFields, "more than %d, want 6 to %d", maxColumns, maxColumns)
		}
		fields[n] = f
		n++
	}
	if n < colPath {
		return nil, line.Reject(names[n], source.ReasonFields, "%d, want 6 to %d", n, maxColumns)
	}
	if len(fields[colID]) == 0 {
		return nil, line.Reject(names[colID], source.ReasonNoID, "the first field is empty")
	}
	for _, extra := range fields[colPath+1:] {
		if len(extra) > 0 {
			return nil, line.Reject("", source.ReasonFields, "columns 8 and 9 are always empty, found %.40q", extra)
		}
	}
	run := *trace.NewRun(text(fields[colID]))
	submit, ok := decimal.Parse(fields[colSubmit])
	if !ok {
		return nil, line.Reject(names[colSubmit], source.ReasonBadNumber, "%.40q, want seconds", fields[colSubmit])
	}
	var err error
	if run.Submit, err = trace.InstantFromSeconds(submit); err != nil {
		return nil, line.Reject(names[colSubmit], source.ReasonBadNumber, "%v", err)
	}
	for _, c := range [...]struct {
		column int
		into   *int64
	}{{colInput, &run.InputBytes}, {colShuffle, &run.ShuffleBytes}, {colOutput, &run.OutputBytes}} {
		v, err := strconv.ParseInt(text(fields[c.column]), 10, 64)
		if err != nil || v < 0 {
			return nil, line.Reject(names[c.column], source.ReasonBadNumber, "%.40q, want a whole number of bytes",
				fields[c.column])
		}
		*c.into = v
	}
	if path := fields[colPath]; len(path) > 0 {
		n := len(p.accesses)
		p.accesses = append(p.accesses, trace.Access{Dataset: text(path), At: trace.None, Bytes: run.InputBytes})
		run.IO = p.accesses[n : n+1 : n+1]
	}
	p.runs = append(p.runs, run)
	return &p.runs[len(p.runs)-1], nil
}

// text views b as a string.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

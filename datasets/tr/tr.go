// Package tr reads the text traces of the Sparrow, Hawk and Eagle simulators.
//
// One job per line, fields separated by blanks: submit time in seconds, number of tasks n, mean task duration in
// seconds, then n task durations in seconds. There is no header and there are no names, stages, resources,
// starts or ends. The simulators published with Hawk (USENIX ATC 2015) and Eagle (SoCC 2016) use this form:
// https://github.com/epfl-labos/eagle, simulation/README.md.
//
// Each line becomes a run of one stage. Its id is the number of the non-empty line, from 1, after the file's
// name ([source.Labels]) if there are several files. The third field becomes stages.estimate_s; each duration
// becomes a succeeded attempt. A line whose third field differs from the mean of its durations by more than 1%
// is kept with a warning. A line with too few or too many durations is rejected.
package tr

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"racecard/datasets/internal/decimal"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Reasons of rejects, besides the shared ones of package source.
const (
	ReasonTaskCount = "wrong number of durations"
)

// meanTolerance is by how much, relatively, the third field may differ from the mean of the durations. Simulators write
// it with fewer digits than the durations.
const meanTolerance = 0.01

// maxTasks bounds the tasks of a job. Each takes much more memory than its two bytes of a line.
const maxTasks = 1 << 20

// Format describes the format to the registry of formats.
func Format() source.Format {
	return source.Format{
		Name:         "tr",
		Summary:      "Sparrow, Hawk and Eagle simulator traces: one line of task durations per job",
		Holds:        "submit times, number of tasks, estimates, task durations",
		Lacks:        "names, users, start and end times, graphs of stages, resources: no recurrence, no leftover",
		Spec:         "https://github.com/epfl-labos/eagle (simulation/README.md)",
		TimeBase:     source.TimeBaseRelative,
		Detect:       detect,
		Apart:        true,
		Numbered:     true,
		EndsInNumber: true,
		Read:         Read,
	}
}

// detect looks for a first line of numbers whose second is a count. Only what must hold of any line is asked, since
// lines may be longer than head.
func detect(_ string, head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n"), []byte{'\n'})
	fields := bytes.Fields(line)
	if len(fields) < 4 {
		return false
	}
	for _, f := range fields[:4] {
		if _, err := number(f); err != nil {
			return false
		}
	}
	n, err := strconv.Atoi(string(fields[1]))
	return err == nil && n > 0
}

// Read yields one run per line. It has the form of [source.Format].Read.
func Read(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
	return source.ReadLines(ctx, files, tally, func() source.LineParser { return &parser{} })
}

// parser makes runs whose stages and attempts lie side by side in room that is used again and again.
type parser struct {
	runs     []trace.Run
	stages   []trace.Stage
	attempts []trace.Attempt
}

// Reset makes room for other runs.
func (p *parser) Reset() { p.runs, p.stages, p.attempts = p.runs[:0], p.stages[:0], p.attempts[:0] }

// Parse makes a run of a line, whose number is its id.
func (p *parser) Parse(line *source.Line, tally *source.Tally) (*trace.Run, *source.Reject) {
	rest := line.Bytes
	var head [3][]byte
	for i := range head {
		head[i], rest = field(rest)
		if head[i] == nil {
			return nil, line.Reject(headNames[i], source.ReasonTooFewFields, "a line holds submit time, tasks, mean "+
				"and the durations")
		}
	}
	submit, err := number(head[0])
	if err != nil {
		return nil, line.Reject("submit time", source.ReasonBadNumber, "%v", err)
	}
	at, err := trace.InstantFromSeconds(submit)
	if err != nil {
		return nil, line.Reject("submit time", source.ReasonBadNumber, "%v", err)
	}
	tasks, err := strconv.ParseInt(string(head[1]), 10, 32)
	if err != nil || tasks < 1 || tasks > maxTasks {
		return nil, line.Reject("tasks", source.ReasonBadNumber, "%.40q, want a whole number from 1 to %d", head[1],
			maxTasks)
	}
	mean, err := number(head[2])
	if err != nil || mean < 0 {
		return nil, line.Reject("mean duration", source.ReasonBadNumber, "%.40q, want seconds of at least 0", head[2])
	}
	from := len(p.attempts)
	sum, rej := p.durations(line, rest, tasks)
	if rej != nil {
		p.attempts = p.attempts[:from]
		return nil, rej
	}
	if got := sum / float64(tasks); math.Abs(got-mean) > meanTolerance*max(got, mean) {
		tally.Warn("mean differs from durations", "%s:%d: field 3 says %g s, the durations %g s", line.File.Name,
			line.Number, mean, got)
	}
	stage := trace.NewStage()
	stage.Tasks, stage.EstimateS = tasks, mean
	p.stages = append(p.stages, stage)
	p.runs = append(p.runs, *trace.NewRun(""))
	run := &p.runs[len(p.runs)-1]
	run.Submit = at
	run.Stages, run.Attempts = p.stages[len(p.stages)-1:len(p.stages):len(p.stages)],
		p.attempts[from:len(p.attempts):len(p.attempts)]
	return run, nil
}

var headNames = [3]string{"submit time", "tasks", "mean duration"}

// durations appends an attempt of each duration and returns their sum in seconds.
func (p *parser) durations(line *source.Line, rest []byte, tasks int64) (float64, *source.Reject) {
	p.attempts = slices.Grow(p.attempts, min(int(tasks), len(rest)/2+1))
	from := len(p.attempts)
	var sum float64
	for {
		var f []byte
		f, rest = field(rest)
		if f == nil {
			break
		}
		n := len(p.attempts) - from
		if int64(n) == tasks {
			return 0, line.Reject("durations", ReasonTaskCount, "more than the %d tasks of field 2", tasks)
		}
		s, err := number(f)
		if err != nil {
			return 0, line.Reject(fmt.Sprintf("duration %d", n+1), source.ReasonBadNumber, "%v", err)
		}
		d, err := trace.DurationFromSeconds(s)
		if err != nil {
			return 0, line.Reject(fmt.Sprintf("duration %d", n+1), source.ReasonBadNumber, "%v", err)
		}
		a := trace.NewAttempt(0, int32(n), 0)
		a.Duration, a.Status = d, trace.Succeeded
		p.attempts = append(p.attempts, a)
		sum += s
	}
	if n := int64(len(p.attempts) - from); n != tasks {
		return 0, line.Reject("durations", ReasonTaskCount, "%d for the %d tasks of field 2", n, tasks)
	}
	return sum, nil
}

// field returns the first field of line, nil if there is none, and the rest of the line.
func field(line []byte) (f, rest []byte) {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	j := i
	for j < len(line) && line[j] != ' ' && line[j] != '\t' {
		j++
	}
	if i == j {
		return nil, nil
	}
	return line[i:j], line[j:]
}

// number parses a finite decimal number.
func number(f []byte) (float64, error) {
	x, ok := decimal.Parse(f)
	if !ok {
		return 0, fmt.Errorf("%.40q is not a finite number", f)
	}
	return x, nil
}

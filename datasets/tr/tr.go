// Package tr reads the text traces of the Sparrow, Hawk and Eagle simulators.
//
// One job per line, fields separated by blanks: submit time in seconds, number of tasks n, mean task duration in seconds,
// then n task durations in seconds. There is no header and there are no names, stages, resources, starts or ends. The
// form is that of the simulators published with Hawk (USENIX ATC 2015) and Eagle (SoCC 2016),
// https://github.com/epfl-labos/eagle, simulation/README.md.
//
// Each line becomes a run of one stage. It has no id of its own: the id is the number of the non-empty line, from 1,
// behind the file's name ([source.Labels]) when there are several. The third field becomes stages.estimate_s, each duration an
// attempt that succeeded. A line whose third field differs from the mean of its durations by more than 1% is kept with a
// warning; a line with too few or too many durations is rejected.
package tr

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Reasons of rejects.
const (
	ReasonTooFewFields = "too few fields"
	ReasonBadNumber    = "bad number"
	ReasonTaskCount    = "wrong number of durations"
)

// meanTolerance is by how much, relatively, the third field may differ from the mean of the durations. Simulators write
// it with fewer digits than the durations.
const meanTolerance = 0.01

// maxTasks bounds the tasks of a job, each of which takes much more memory than its two bytes of a line.
const maxTasks = 1 << 20

// Format describes the format to the registry of formats.
func Format() source.Format {
	return source.Format{
		Name:     "tr",
		Summary:  "Sparrow, Hawk and Eagle simulator traces: one line of task durations per job",
		Holds:    "submit times, number of tasks, estimates, task durations",
		Lacks:    "names, users, start and end times, graphs of stages, resources: no recurrence, no leftover",
		Spec:     "https://github.com/epfl-labos/eagle (simulation/README.md)",
		TimeBase: source.TimeBaseRelative,
		Detect:   detect,
		Read:     Read,
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
	p := parser{tally: tally, run: trace.NewRun("")}
	p.run.Stages = []trace.Stage{trace.NewStage()}
	return source.ReadLines(ctx, files, tally, p.parse)
}

// parser turns lines into the same run, again and again.
type parser struct {
	tally *source.Tally
	run   *trace.Run
	seq   int64
}

func (p *parser) parse(line *source.Line) (*trace.Run, *source.Reject) {
	rest := line.Bytes
	var head [3][]byte
	for i := range head {
		head[i], rest = field(rest)
		if head[i] == nil {
			return nil, line.Reject(headNames[i], ReasonTooFewFields, "a line holds submit time, tasks, mean and the durations")
		}
	}
	submit, err := number(head[0])
	if err != nil {
		return nil, line.Reject("submit time", ReasonBadNumber, "%v", err)
	}
	at, err := trace.InstantFromSeconds(submit)
	if err != nil {
		return nil, line.Reject("submit time", ReasonBadNumber, "%v", err)
	}
	tasks, err := strconv.ParseInt(string(head[1]), 10, 32)
	if err != nil || tasks < 1 || tasks > maxTasks {
		return nil, line.Reject("tasks", ReasonBadNumber, "%.40q, want a whole number from 1 to %d", head[1], maxTasks)
	}
	mean, err := number(head[2])
	if err != nil || mean < 0 {
		return nil, line.Reject("mean duration", ReasonBadNumber, "%.40q, want seconds of at least 0", head[2])
	}
	sum, rej := p.attempts(line, rest, tasks)
	if rej != nil {
		return nil, rej
	}
	if got := sum / float64(tasks); math.Abs(got-mean) > meanTolerance*max(got, mean) {
		p.tally.Warn("mean differs from durations", "%s:%d: field 3 says %g s, the durations %g s", line.File.Name, line.Number, mean, got)
	}
	p.run.ID = line.Prefix + strconv.FormatInt(line.Record, 10)
	p.run.Seq, p.run.Submit = p.seq, at
	p.run.Stages[0].Tasks, p.run.Stages[0].EstimateS = tasks, mean
	p.seq++
	return p.run, nil
}

var headNames = [3]string{"submit time", "tasks", "mean duration"}

// attempts reads the durations into the run and returns their sum in seconds.
func (p *parser) attempts(line *source.Line, rest []byte, tasks int64) (float64, *source.Reject) {
	p.run.Attempts = slices.Grow(p.run.Attempts[:0], min(int(tasks), len(rest)/2+1))
	var sum float64
	for {
		var f []byte
		f, rest = field(rest)
		if f == nil {
			break
		}
		n := len(p.run.Attempts)
		if int64(n) == tasks {
			return 0, line.Reject("durations", ReasonTaskCount, "more than the %d tasks of field 2", tasks)
		}
		s, err := number(f)
		if err != nil {
			return 0, line.Reject(fmt.Sprintf("duration %d", n+1), ReasonBadNumber, "%v", err)
		}
		d, err := trace.DurationFromSeconds(s)
		if err != nil {
			return 0, line.Reject(fmt.Sprintf("duration %d", n+1), ReasonBadNumber, "%v", err)
		}
		a := trace.NewAttempt(0, int32(n), 0)
		a.Duration, a.Status = d, trace.Succeeded
		p.run.Attempts = append(p.run.Attempts, a)
		sum += s
	}
	if n := int64(len(p.run.Attempts)); n != tasks {
		return 0, line.Reject("durations", ReasonTaskCount, "%d for the %d tasks of field 2", n, tasks)
	}
	return sum, nil
}

// field returns the first field of line, nil when there is none, and what follows it.
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

// number parses a finite decimal number. Hexadecimal forms and underscores, which strconv knows, are not part of the format.
func number(f []byte) (float64, error) {
	s := unsafe.String(unsafe.SliceData(f), len(f)) // not kept
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || strings.ContainsAny(s, "xX_") {
		return 0, fmt.Errorf("%.40q is not a finite number", f)
	}
	return x, nil
}

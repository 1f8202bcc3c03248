package swf

import (
	"math"
	"strconv"

	"racecard/datasets/internal/decimal"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// parser turns lines into the same run, again and again.
type parser struct {
	run    *trace.Run
	f      [numFields][]byte
	v      [numFields]float64 // values of the fields that are used; unknown where they are
	labels map[label]string
	key    []keyField // by which recurring jobs are named; none: by applications
	room   []byte     // for an id or a name
	lacks  []string   // fields of the key that the line leaves unknown

	starts bool    // submit times of the file are starts: see WarnStarts
	begin  float64 // Unix time from which submit times of the file count, in seconds; 0 where it is unknown

	repairs   []string // of the line
	partial   bool     // the line is a partial execution
	preceding bool     // it names a preceding job
}

// label is a number with a prefix, as in user-7. The prefix of a field in the name of a recurring job may be another.
type label struct {
	field  int
	prefix string
	number int64
}

// maxLabels bounds the labels that are remembered.
const maxLabels = 1 << 16

func newParser(key []keyField) *parser {
	p := &parser{run: trace.NewRun(""), labels: map[label]string{}, key: key}
	p.run.Stages = []trace.Stage{trace.NewStage()}
	p.run.Stages[0].Tasks = 1
	return p
}

// parse reads a line into the run.
func (p *parser) parse(line *source.Line) *source.Reject {
	p.repairs, p.partial, p.preceding = p.repairs[:0], false, false
	if n := split(line.Bytes, &p.f); n < numFields {
		return line.Reject(fieldNames[n], source.ReasonTooFewFields, "%d, want %d", n, numFields)
	}
	for _, i := range [...]int{
		fieldJob, fieldSubmit, fieldWait, fieldRun, fieldProcs, fieldMemory, fieldReqProcs, fieldReqMemory, fieldStatus,
	} {
		x, ok := decimal.Parse(p.f[i])
		if !ok {
			return line.Reject(fieldNames[i], source.ReasonBadNumber, "%.40q is not a finite number", p.f[i])
		}
		p.v[i] = x
	}
	for _, c := range [...]struct {
		field int
		least float64
	}{{fieldJob, 0}, {fieldProcs, unknown}, {fieldReqProcs, unknown}} {
		if x := p.v[c.field]; x < c.least || x != math.Trunc(x) || x > math.MaxInt32 {
			return line.Reject(fieldNames[c.field], source.ReasonBadCount, "%.40s, want a whole number from %g",
				p.f[c.field], c.least)
		}
	}
	for _, i := range [...]int{fieldSubmit, fieldWait, fieldRun} {
		if math.Abs(p.v[i]) > trace.MaxSeconds {
			return line.Reject(fieldNames[i], source.ReasonBadTime, "%.40s seconds", p.f[i])
		}
	}
	if x := p.v[fieldSubmit]; x != unknown && x < p.begin/2 { // others are Unix times already
		p.v[fieldSubmit] += p.begin
	}
	p.id(line)
	p.run.Name = p.label(fieldApp, "app-")
	p.run.Job = p.recurring()
	p.run.User = p.label(fieldUser, "user-")
	p.run.Group = p.label(fieldGroup, "group-")
	status := p.v[fieldStatus]
	p.partial = status >= statusPartial && status <= statusLast
	if x, ok := decimal.Parse(p.f[fieldPreceding]); ok && x > 0 {
		p.preceding = true
	}
	p.fill()
	return nil
}

// id names the run.
func (p *parser) id(line *source.Line) {
	p.room = append(p.room[:0], line.Prefix...)
	p.room = strconv.AppendInt(p.room, int64(p.v[fieldJob]), 10)
	p.run.ID = string(p.room)
}

// label returns a name made of a prefix and a number. Text instead of a number is already a name.
func (p *parser) label(field int, prefix string) string {
	x, ok := decimal.Parse(p.f[field])
	switch {
	case !ok || x != math.Trunc(x) || math.Abs(x) > 1<<53:
		return string(p.f[field])
	case x < 0:
		return ""
	}
	key := label{field, prefix, int64(x)}
	s, ok := p.labels[key]
	if !ok {
		if len(p.labels) >= maxLabels {
			clear(p.labels)
		}
		s = prefix + strconv.FormatInt(key.number, 10)
		p.labels[key] = s
	}
	return s
}

// span returns a field that is a length of time, unknown when it is negative.
func (p *parser) span(field int, repair string) float64 {
	x := p.v[field]
	if x < 0 && x != unknown {
		p.repairs = append(p.repairs, repair)
	}
	if x < 0 {
		return unknown
	}
	return x
}

// fill fills the run from the values of the line.
func (p *parser) fill() {
	run := p.run
	run.Submit, run.Start, run.End = trace.None, trace.None, trace.None
	run.Attempts, run.Allocations = run.Attempts[:0], run.Allocations[:0]
	run.Status = statusOf(p.v[fieldStatus])
	run.Guaranteed = trace.None
	if x := p.v[fieldReqProcs]; x > 0 {
		run.Guaranteed = int64(x)
	}
	if x := p.v[fieldSubmit]; x != unknown {
		run.Submit = instant(x)
	}
	wait, length := p.span(fieldWait, RepairWait), p.span(fieldRun, RepairRun)
	if p.starts && p.v[fieldWait] == unknown {
		wait = 0
	}
	p.demand()
	ran := p.v[fieldStatus] != statusCancelled || length > 0 || p.v[fieldProcs] > 0 // not cancelled before
	if ran && run.Submit.Known() && wait != unknown {
		run.Start = instant(p.v[fieldSubmit] + wait)
	}
	if run.Start.Known() && length != unknown {
		run.End = max(run.Start, instant(p.v[fieldSubmit]+wait+length))
	}
	stage := &run.Stages[0]
	stage.Submit, stage.Start, stage.End = run.Submit, run.Start, run.End
	if !ran {
		return
	}
	if p.v[fieldProcs] == 0 {
		p.repairs = append(p.repairs, RepairProcs)
	}
	p.attempt(length)
	p.allocations()
}

// instant converts seconds, which are within bounds.
func instant(seconds float64) trace.Instant { return trace.Instant(math.Round(seconds * 1e6)) }

func statusOf(x float64) trace.Status {
	switch x {
	case statusCompleted:
		return trace.Succeeded
	case statusFailed:
		return trace.Failed
	case statusCancelled:
		return trace.Killed
	}
	return trace.StatusUnknown
}

// kilobyte is the unit of memory in the format.
const kilobyte = 1024

// demand fills the demand of the stage.
func (p *parser) demand() {
	d := trace.NoDemand()
	procs := p.procs()
	if procs > 0 {
		d[trace.CPU] = procs
	}
	for _, m := range [...]struct {
		field int
		procs float64
	}{{fieldMemory, procs}, {fieldReqMemory, p.asked()}} {
		x := p.v[m.field]
		if x < 0 && x != unknown {
			p.repairs = append(p.repairs, RepairMemory)
		}
		if math.IsNaN(d[trace.Mem]) && x >= 0 && m.procs > 0 && !math.IsInf(x*kilobyte*m.procs, 0) {
			d[trace.Mem] = x * kilobyte * m.procs
		}
	}
	p.run.Stages[0].Demand = d
}

// procs returns how many processors the job held, or else asked for; unknown or 0 when the line does not say.
func (p *parser) procs() float64 {
	if x := p.v[fieldProcs]; x > 0 {
		return x
	}
	return p.v[fieldReqProcs]
}

// asked returns how many processors the job asked for, or else held; unknown or 0 when the line does not say.
func (p *parser) asked() float64 {
	if x := p.v[fieldReqProcs]; x > 0 {
		return x
	}
	return p.v[fieldProcs]
}

// attempt adds the attempt of the task, when anything is known of its time.
func (p *parser) attempt(length float64) {
	run := p.run
	if !run.Start.Known() && length == unknown {
		return
	}
	a := trace.NewAttempt(0, 0, 0)
	a.Status, a.Queued, a.Start, a.End = run.Status, run.Submit, run.Start, run.End
	if a.Duration = a.End.Since(a.Start); !a.Duration.Known() && length != unknown {
		a.Duration = trace.Duration(instant(length))
	}
	a.Demand = run.Stages[0].Demand
	if p.v[fieldMemory] < 0 { // then what the stage has was requested, not used
		a.Demand[trace.Mem] = math.NaN()
	}
	run.Attempts = append(run.Attempts, a)
}

// allocations adds what the run held.
func (p *parser) allocations() {
	procs := p.v[fieldProcs]
	if procs <= 0 || !p.run.Start.Known() {
		return
	}
	hold := trace.Allocation{At: p.run.Start, Tokens: int64(procs), Spare: trace.None, Machines: trace.None}
	p.run.Allocations = append(p.run.Allocations, hold)
	if p.run.End.Known() {
		hold.At, hold.Tokens = p.run.End, 0
		p.run.Allocations = append(p.run.Allocations, hold)
	}
}

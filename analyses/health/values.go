package health

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// The columns whose ranges are kept. Those of the resources of stages and of attempts follow valueStageDemand and
// valueTaskDemand.
const (
	valueInput = iota
	valueShuffle
	valueOutput
	valueGuaranteed
	valueTasks
	valueEstimate
	valueDuration
	valueStageDemand
	valueTaskDemand = valueStageDemand + int(trace.NumResources)
	numValues       = valueTaskDemand + int(trace.NumResources)
)

const (
	textName = iota
	textUser
	textGroup
	textMachine
	numTexts
)

// texts are the names of the columns of text, by their constants.
var texts = [numTexts]string{"jobs.name", "jobs.user", "jobs.group", "tasks.machine"}

// column is the name of a column of numbers and the unit it has unless the trace says otherwise.
func column(i int) (name, unit string) {
	if i >= valueStageDemand {
		table, r := "stages.", trace.Resource(i-valueStageDemand)
		if i >= valueTaskDemand {
			table, r = "tasks.", trace.Resource(i-valueTaskDemand)
		}
		unit = "bytes/s"
		switch r {
		case trace.CPU:
			unit = "cores"
		case trace.Mem:
			unit = "bytes"
		case trace.GPU:
			unit = "GPUs"
		}
		return table + r.String(), unit
	}
	c := [valueStageDemand][2]string{{"jobs.input_bytes", "bytes"}, {"jobs.shuffle_bytes", "bytes"},
		{"jobs.output_bytes", "bytes"}, {"jobs.guaranteed", "tokens"}, {"stages.tasks", "tasks"},
		{"stages.estimate_s", "s"}, {"tasks.duration", "s"}}[i]
	return c[0], c[1]
}

// unit returns the unit of a column of numbers: the trace's own unit for a resource.
func (p *Partial) unit(i int) string {
	name, unit := column(i)
	if i < valueStageDemand {
		return unit
	}
	_, resource, _ := strings.Cut(name, ".")
	return cmp.Or(p.opts.Units[resource], unit)
}

// Limits of plausible values, and the number of values a column needs to be judged.
const (
	mostCores  = 10_000
	mostMemory = 1e15 // bytes
	leastPage  = 4096 // bytes, exceeded by the largest of many processes
	manyValues = 10
)

// span is the range of the numbers in a column.
type span struct {
	n, zeros int64
	min, max float64
}

func (s *span) see(x float64) {
	if s.n == 0 {
		s.min, s.max = x, x
	}
	s.n++
	if x == 0 {
		s.zeros++
	}
	s.min, s.max = min(s.min, x), max(s.max, x)
}

func (s *span) merge(t *span) {
	switch {
	case t.n == 0:
	case s.n == 0:
		*s = *t
	default:
		s.n += t.n
		s.zeros += t.zeros
		s.min, s.max = min(s.min, t.min), max(s.max, t.max)
	}
}

// textSpan is the range of the texts in a column.
type textSpan struct {
	n        int64
	min, max string
}

func (s *textSpan) see(x string) {
	if x == "" {
		return
	}
	s.n++
	switch {
	case s.n == 1:
		s.min = strings.Clone(x)
		s.max = s.min
	case x < s.min:
		s.min = strings.Clone(x)
	case x > s.max:
		s.max = strings.Clone(x)
	}
}

func (s *textSpan) merge(t *textSpan) {
	switch {
	case t.n == 0:
	case s.n == 0:
		*s = *t
	default:
		s.n += t.n
		s.min, s.max = min(s.min, t.min), max(s.max, t.max)
	}
}

func (p *Partial) addValues(run *trace.Run) {
	p.count(valueInput, run.InputBytes)
	p.count(valueShuffle, run.ShuffleBytes)
	p.count(valueOutput, run.OutputBytes)
	p.count(valueGuaranteed, run.Guaranteed)
	p.texts[textName].see(run.Name)
	p.texts[textUser].see(run.User)
	p.texts[textGroup].see(run.Group)
	for i := range run.Stages {
		s := &run.Stages[i]
		p.count(valueTasks, s.Tasks)
		p.value(valueEstimate, s.EstimateS)
		p.demand(run, place{int32(i), -1, -1}, valueStageDemand, &s.Demand)
	}
	for i := range run.Attempts {
		a := &run.Attempts[i]
		p.value(valueDuration, a.Duration.Seconds())
		p.texts[textMachine].see(a.Machine)
		p.demand(run, placeOf(a), valueTaskDemand, &a.Demand)
	}
}

func (p *Partial) count(column int, n int64) {
	if n != trace.None {
		p.values[column].see(float64(n))
	}
}

func (p *Partial) value(column int, x float64) {
	if !math.IsNaN(x) && !math.IsInf(x, 0) {
		p.values[column].see(x)
	}
}

// demand counts the resources of a stage or an attempt.
func (p *Partial) demand(run *trace.Run, at place, first int, d *trace.Demand) {
	for r, x := range d {
		p.value(first+r, x)
	}
	p.plausible(implausibleCPU, run, at, d[trace.CPU], mostCores, p.cores)
	p.plausible(implausibleMem, run, at, d[trace.Mem], mostMemory, p.bytes)
}

func (p *Partial) plausible(c check, run *trace.Run, at place, x, most float64, unit bool) {
	if !unit || math.IsNaN(x) || math.IsInf(x, 0) {
		return
	}
	p.see(c)
	if x > most {
		p.found(c, example{run: run.ID, at: at, value: x, rank: x})
	}
}

// ranges describes the columns that hold numbers.
func (p *Partial) ranges() []result.HealthValues {
	out := []result.HealthValues{}
	for i := range p.values {
		if s := &p.values[i]; s.n > 0 {
			name, _ := column(i)
			out = append(out, result.HealthValues{Column: name, Unit: p.unit(i), N: s.n, Zeros: s.zeros,
				Min: result.Number(s.min), Max: result.Number(s.max)})
		}
	}
	return out
}

// finishValues judges columns as a whole.
func (p *Partial) finishValues(columns []result.HealthValues) {
	constants, scaled := &p.tallies[constantColumns], &p.tallies[normalised]
	for _, c := range columns {
		if c.N < manyValues {
			continue
		}
		constants.of++
		if c.Min == c.Max {
			constants.count++
			constants.names = append(constants.names, c.Column+" = "+strconv.FormatFloat(float64(c.Min), 'f', -1, 64))
		}
		if !strings.HasPrefix(c.Unit, "bytes") {
			continue
		}
		scaled.of++
		least := result.Number(1)
		if strings.HasSuffix(c.Column, ".mem") {
			least = leastPage
		}
		if c.Max > 0 && c.Max <= least {
			scaled.count++
			scaled.names = append(scaled.names, fmt.Sprintf("%s <= %v", c.Column, float64(c.Max)))
		}
	}
	for i := range p.texts {
		if t := &p.texts[i]; t.n >= manyValues {
			constants.of++
			if t.min == t.max {
				constants.count++
				constants.names = append(constants.names, texts[i]+" = "+t.min)
			}
		}
	}
	if s, t := &p.values[valueInput], &p.tallies[inputZero]; s.n > 0 {
		t.of = s.n
		if s.zeros == s.n {
			t.count = s.n
		}
	}
}

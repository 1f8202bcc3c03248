package anatomy

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"strings"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// tick is half of the shortest time that a store can hold, in seconds. A shorter part is a rounding error, left out.
const tick = 5e-7

// MostSlow is how many slow attempts an explanation lists.
const MostSlow = 5

// Explain divides the difference of a run from others of its job, at least one, all in time order. It returns
// false if the run's completion time is unknown.
func Explain(ctx context.Context, run *trace.Run, others []Run) (*result.Explanation, bool) {
	r, known := Measure(ctx, run)
	if !known {
		return nil, false
	}
	usual := UsualOf(others, elasticity(others))
	usual.Powers = powers(others)
	seconds := lists.Map(others, func(x Run) float64 { return x.Seconds })
	sorted := quantile.Sort(seconds)
	e := &result.Explanation{Header: result.Header{Available: true}, Run: run.ID,
		Submitted: result.Number(trace.Duration(r.At).Seconds()), TookS: r.Seconds,
		UsualS: usual.Seconds, Parts: []result.CausePart{}, UsualRuns: len(others), UsualFrom: quantile.Quantile(sorted,
			0.1), UsualTo: quantile.Quantile(sorted, 0.9), Slowest: slowest(run)}
	if run.Status != trace.StatusUnknown && run.Status != trace.Succeeded {
		e.Warnings = append(e.Warnings, "the run did not succeed ("+run.Status.String()+"): the parts are of its time until "+
			"then, which tells little of how long it would have taken")
	}
	for _, p := range waterfall(&r, &usual) {
		if math.Abs(p.Seconds) >= tick {
			part := result.CausePart{What: string(p.Kind), Stage: p.Stage, Seconds: p.Seconds}
			switch p.Kind {
			case Cores, Input, Failures:
				was, is := usual.Measure(p.Kind, ""), r.Measure(p.Kind, "")
				part.Usual, part.Here = &was, &is
			case Slower:
				part.Usual, part.Here = tasksOf(usual.find(p.Stage), r.find(p.Stage))
			}
			e.Parts = append(e.Parts, part)
		}
	}
	e.Parts = byLine(e.Parts)
	slices.SortStableFunc(e.Parts, func(a, b result.CausePart) int {
		return cmp.Compare(math.Abs(b.Seconds), math.Abs(a.Seconds))
	})
	e.Stages = queries(run, e.Parts)
	return e, true
}

// tasksOf returns the numbers of tasks of a stage in the usual run and in this one; nil where one of them is not known.
func tasksOf(usual, here *Stage) (was, is *float64) {
	if usual == nil || here == nil || usual.Tasks == 0 || here.Tasks == 0 {
		return nil, nil
	}
	before, now := float64(usual.Tasks), float64(here.Tasks)
	return &before, &now
}

// queries returns the query operators of the stages that made a run slower.
func queries(run *trace.Run, parts []result.CausePart) []result.SlowStage {
	stages := map[string][]*trace.Stage{} // those with operators, by name
	for i := range run.Stages {
		if s := &run.Stages[i]; s.Plan != "" || s.Description != "" {
			stages[s.Name] = append(stages[s.Name], s)
		}
	}
	all, said := []result.SlowStage{}, map[result.SlowStage]bool{}
	for i := range parts {
		p := &parts[i]
		if p.Stage == "" || p.Seconds <= 0 {
			continue
		}
		for _, name := range p.Names() {
			for _, s := range stages[name] {
				q := result.SlowStage{Stage: s.Name, Description: s.Description, Plan: nodes(s.Plan)}
				if !said[q] {
					said[q] = true
					q.Plan = s.Plan
					all = append(all, q)
				}
			}
		}
	}
	return all
}

// nodes returns the nodes of a plan in the order of their names: a stage that repeats lists them in any order.
func nodes(plan string) string {
	return strings.Join(slices.Sorted(slices.Values(strings.Split(plan, ", "))), ", ")
}

// sourceLine matches a line of a program; line 0 stands for calls from another language, wherever they are.
var sourceLine = regexp.MustCompile(`^\S+:[1-9][0-9]*$`)

// byLine unites parts of one kind in one direction whose stages are operations of one line of the program, such as
// "distinct at a.py:7" and "groupByKey at a.py:7".
func byLine(parts []result.CausePart) []result.CausePart {
	type line struct {
		kind, place string
		longer      bool
	}
	at := map[line]int{}
	out := parts[:0:0]
	for _, p := range parts {
		_, place, ok := strings.Cut(p.Stage, " at ")
		ok = ok && sourceLine.MatchString(place)
		of := line{p.What, place, p.Seconds > 0}
		if k, had := at[of]; ok && had {
			first := &out[k]
			if first.Stages == nil {
				first.Stages = []string{first.Stage}
			}
			first.Stages, first.Seconds = append(first.Stages, p.Stage), first.Seconds+p.Seconds
			first.Usual, first.Here = sum(first.Usual, p.Usual), sum(first.Here, p.Here)
			continue
		}
		if ok {
			at[of] = len(out)
		}
		out = append(out, p)
	}
	for of, k := range at {
		if p := &out[k]; p.Stages != nil {
			operations := make([]string, len(p.Stages))
			for i, s := range p.Stages {
				operations[i], _, _ = strings.Cut(s, " at ")
			}
			p.Stage = strings.Join(operations, ", ") + " at " + of.place
		}
	}
	return out
}

// sum returns the sum of two numbers; nil where one of them is not known.
func sum(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	both := *a + *b
	return &both
}

// slowest returns the attempts that exceed the median of their stage by the most seconds.
func slowest(run *trace.Run) []result.SlowTask {
	all := []result.SlowTask{}
	for from := 0; from < len(run.Attempts); { // attempts of a stage lie together
		to := from
		var durations []float64
		for ; to < len(run.Attempts) && run.Attempts[to].Stage == run.Attempts[from].Stage; to++ {
			if d := run.Attempts[to].Duration; d.Known() {
				durations = append(durations, d.Seconds())
			}
		}
		median := quantile.Quantile(quantile.Sort(durations), 0.5)
		for i := from; i < to; i++ {
			a := &run.Attempts[i]
			if a.Duration.Known() && a.Duration.Seconds() > median {
				all = append(all, result.SlowTask{Stage: run.Stages[a.Stage].Name, Task: a.Task, Attempt: a.Attempt,
					Status: a.Status.String(), Machine: a.Machine, Seconds: a.Duration.Seconds(), MedianS: median})
			}
		}
		from = to
	}
	slices.SortStableFunc(all, func(a, b result.SlowTask) int {
		return cmp.Compare(b.Seconds-b.MedianS, a.Seconds-a.MedianS)
	})
	return slices.Clone(all[:min(len(all), MostSlow)])
}

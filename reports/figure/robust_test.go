package figure

import (
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/reports/internal/figuretest"
)

// everyForm writes a figure in every form and checks that the SVG is well-formed and has a name.
func everyForm(t interface {
	Helper()
	Fatalf(string, ...any)
}, f *Figure, pixels bool) {
	t.Helper()
	if f.Name == "" || f.Title == "" || f.Caption == "" || f.Alt == "" {
		t.Fatalf("%s lacks a name, title, caption or alternative text", f.Name)
	}
	for _, text := range []string{f.InlineSVG(Wide), f.InlineSVG(Narrow), string(f.SVG())} {
		if !strings.Contains(text, `role="img" aria-label="`) {
			t.Fatalf("%s: a drawing without a name", f.Name)
		}
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
		}
		for _, word := range []string{"NaN", "Inf"} {
			if i := strings.Index(text, word); i >= 0 {
				t.Fatalf("%s: not a number: %s", f.Name, text[max(0, i-60):i+20])
			}
		}
	}
	for _, v := range f.Values {
		if !finite(v.Value) {
			t.Fatalf("%s: %s of %s is %v", f.Name, v.What, v.Of, v.Value)
		}
	}
	if pixels {
		if _, err := f.PNG(36); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
	}
}

func TestEveryBundle(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]*result.Bundle{"typical": figuretest.Typical(), "single": figuretest.Single(),
		"unavailable": figuretest.Unavailable(), "hostile": figuretest.Hostile(), "large": figuretest.Large()} {
		t.Run(name, func(t *testing.T) {
			s := Source{Store: b.Provenance.Store}
			d := b.Documents["dag"].(*result.DAG)
			everyForm(t, CoV(b.Documents["recurrence"].(*result.Recurrence), s), true)
			everyForm(t, Causes(b.Documents["recurrence"].(*result.Recurrence), s), true)
			everyForm(t, Drift(b.Documents["recurrence"].(*result.Recurrence), s), true)
			everyForm(t, Guarantee(b.Documents["allocation"].(*result.Allocation), b.Tables["allocation"], s), true)
			everyForm(t, Guarantee(b.Documents["allocation"].(*result.Allocation), nil, s), true)
			everyForm(t, Shape(d, b.Tables["dag"], s), true)
			everyForm(t, Shape(d, nil, s), true)
			everyForm(t, PlanShapes(d, s), true)
			everyForm(t, Waterfall(b.Documents["timeline"].(*result.Timeline), b.Tables["timeline"], s), true)
			everyForm(t, Dependency(b.Documents["dependency"].(*result.Dependency), b.Tables["dependency"], s), true)
			everyForm(t, Dependency(b.Documents["dependency"].(*result.Dependency), nil, s), true)
			if d.Largest != nil {
				everyForm(t, StageGraph(d.Largest, s), true)
			}
			if h, ok := b.Documents["health"].(*result.Health); ok {
				everyForm(t, Activity(h, s), true)
			}
			for _, f := range loadFigures(b.Documents["workload"].(*result.Workload)) {
				everyForm(t, f, true)
			}
		})
	}
}

// loadFigures are the figures of a workload.
func loadFigures(w *result.Workload) []*Figure {
	return []*Figure{Arrivals(w, Source{}), Tails(w, Source{}), Cutoff(&w.Cutoff, Source{}), Concurrency(w, Source{}),
		Failures(&w.Failures, Source{})}
}

func TestEmptyDocuments(t *testing.T) {
	for _, f := range loadFigures(&result.Workload{}) {
		everyForm(t, f, true)
	}
	everyForm(t, CoV(&result.Recurrence{}, Source{}), true)
	everyForm(t, Causes(&result.Recurrence{}, Source{}), true)
	everyForm(t, Drift(&result.Recurrence{}, Source{}), true)
	everyForm(t, Guarantee(&result.Allocation{}, nil, Source{}), true)
	everyForm(t, Shape(&result.DAG{}, nil, Source{}), true)
	everyForm(t, PlanShapes(&result.DAG{}, Source{}), true)
	everyForm(t, Waterfall(&result.Timeline{}, nil, Source{}), true)
	everyForm(t, Dependency(&result.Dependency{}, nil, Source{}), true)
	everyForm(t, StageGraph(&result.StageGraph{}, Source{}), true)
	everyForm(t, Activity(&result.Health{}, Source{}), true)
	for _, f := range append(jockeyFigures(&result.Jockey{Shown: &result.JockeyTimeline{}}),
		carbyneFigures(&result.Carbyne{})...) {
		everyForm(t, f, true)
	}
}

// jockeyFigures are the figures of a comparison of policies.
func jockeyFigures(j *result.Jockey) []*Figure {
	out := []*Figure{JockeyPolicies(j, Source{}), JockeyCompletion(j, Source{}), JockeySensitivity(j, Source{}),
		JockeyRun(j.Shown, Source{})}
	for _, t := range j.Changed {
		out = append(out, JockeyRun(t, Source{}))
	}
	return out
}

// carbyneFigures are the figures of a comparison of schedulers.
func carbyneFigures(c *result.Carbyne) []*Figure {
	return []*Figure{CarbyneBars(c, Source{}), CarbyneImprovement(c, c.Table(), Source{}), CarbyneSweeps(c, Source{}),
		CarbyneOverTime(c, Source{}),
		CarbyneCompletion(c, c.Table(), Source{}), CarbyneDAGPS(c, c.Table(), Source{})}
}

// anyCarbyne is a comparison with numbers that a damaged result may hold.
func anyCarbyne(t *rapid.T) *result.Carbyne {
	c := figuretest.CarbyneOf(rapid.String().Draw(t, "name"))
	x := func() float64 { return anyNumber(t, "number") }
	spread := func() result.Spread {
		return result.Spread{Median: result.Number(x()), Low: result.Number(x()), High: result.Number(x())}
	}
	for i := range c.Experiments {
		points := c.Experiments[i].Points
		for k := range points[:rapid.IntRange(0, len(points)).Draw(t, "damaged")] {
			p := &points[k]
			p.X, p.JCT, p.Makespan, p.Jain, p.JainCapped = x(), spread(), spread(), spread(), spread()
			for _, name := range slices.Sorted(maps.Keys(p.Improvement)) { // draws must not depend on the order of the map
				p.Improvement[name] = result.CarbyneFactor{OfMeans: spread()}
			}
		}
	}
	for _, name := range c.Order {
		s := c.Schedulers[name]
		s.BinS, s.MakespanS, s.JCT, s.Jain, s.JainCapped, s.Utilization["cpu"] = x(), x(), anySummary(t), anySummary(t),
			anySummary(t), result.Number(x())
		s.Used["cpu"][0], s.Tasks = x(), []float64{x(), x()}
		s.Followed.AtS[rapid.IntRange(0, 11).Draw(t, "at")] = x()
		s.Followed.All = s.Followed.All[:rapid.IntRange(0, 12).Draw(t, "known")]
	}
	c.Runs = c.Runs[:rapid.IntRange(0, 4).Draw(t, "rows")]
	for i := range c.Runs {
		c.Runs[i].Improvement = x()
	}
	for _, name := range slices.Sorted(maps.Keys(c.Improvement)) {
		c.Improvement[name] = anySummary(t)
	}
	return c
}

// anyJockey is a comparison with numbers that a damaged result may hold.
func anyJockey(t *rapid.T) *result.Jockey {
	j := figuretest.JockeyOf(rapid.String().Draw(t, "name"))
	x := func() float64 { return anyNumber(t, "number") }
	score := func(s *result.JockeyScore) {
		s.Runs, s.Missed = rapid.IntRange(-1, 5).Draw(t, "runs"), rapid.IntRange(-1, 5).Draw(t, "missed")
		s.MissedLow, s.MissedHigh, s.AllocationAboveOracle, s.JCTOverDeadline = result.Number(x()), result.Number(x()),
			anySummary(t), anySummary(t)
	}
	for _, name := range j.Order[:3] {
		score(&j.Policies[name].JockeyScore)
		j.Policies[name].Curve = []float64{x(), x(), x()}
	}
	for i := range j.Sensitive {
		score(&j.Sensitive[i].JockeyScore)
	}
	for _, l := range append(j.Changed, j.Shown) {
		l.Scenario = rapid.String().Draw(t, "scenario")
		l.DeadlineS, l.ChangeAtS, l.ChangedS, l.EndS, l.Oracle = x(), result.Number(x()), result.Number(x()), x(),
			rapid.Int().Draw(t, "oracle")
		for i := range 5 {
			l.Points[i] = result.JockeyTick{AtS: x(), Progress: x(), Raw: rapid.Int().Draw(t, "raw"),
				Tokens: rapid.Int().Draw(t, "tokens"), Running: rapid.Int().Draw(t, "running"),
				Low: result.Number(x()), Middle: result.Number(x()), High: result.Number(x())}
		}
	}
	return j
}

// anyNumber draws numbers that a damaged result may hold.
func anyNumber(t *rapid.T, label string) float64 {
	special := []float64{0, 1, 1e-320, 1e-12, 0.28, 1.55, 40, 1e15, 1e300, math.MaxFloat64, -1, math.NaN(), math.Inf(1),
		math.Inf(-1)}
	if rapid.Bool().Draw(t, label+" special") {
		return rapid.SampledFrom(special).Draw(t, label)
	}
	return rapid.Float64Range(0, 100).Draw(t, label)
}

func anySummary(t *rapid.T) result.Summary {
	x := func() float64 { return anyNumber(t, "summary") }
	return result.Summary{N: rapid.IntRange(0, 50).Draw(t, "n"), Mean: x(), Min: x(), P10: x(), P25: x(), P50: x(),
		P75: x(),
		P90: x(), P95: x(), P99: x(), Max: x()}
}

func anyIntervals(t *rapid.T, names ...string) result.Intervals {
	out := result.Intervals{Level: anyNumber(t, "level"), Of: map[string]map[string]result.Interval{}}
	for _, name := range names {
		out.Of[name] = map[string]result.Interval{"p50": {anyNumber(t, "low"), anyNumber(t, "high")}}
	}
	return out
}

func TestAnyNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := &result.Recurrence{CoV: anySummary(t), CoVSimilarInput: anySummary(t), Intervals: anyIntervals(t, "cov",
			"cov_similar_input")}
		for range rapid.IntRange(0, 6).Draw(t, "jobs") {
			r.Jobs = append(r.Jobs, result.RecurringJob{CoV: anyNumber(t, "cov")})
			r.Groups = append(r.Groups, result.SimilarInputSet{CoV: anyNumber(t, "cov")})
		}
		everyForm(t, CoV(r, Source{}), false)
		n := func() result.Number { return result.Number(anyNumber(t, "number")) }
		for i := range r.Jobs {
			j := &r.Jobs[i]
			j.Causes = result.Shares{Runs: 12, Rest: n(), Of: map[string]result.Number{"input": n(), "drift": n()}}
			j.Drift = result.Drift{Drifting: rapid.Bool().Draw(t, "drifting"), CoVWithin: n(),
				Changes: []result.Change{{AtS: float64(n()), Before: n(), After: n()}}}
			r.Shown = append(r.Shown, result.ShownJob{Name: j.Name, Points: []result.RunPoint{{AtS: float64(n()),
				Seconds: float64(n())}, {AtS: float64(n()), Seconds: float64(n())}}})
			r.Causes = append(r.Causes, result.Cause{Cause: rapid.SampledFrom([]string{"input", "drift", result.Rest,
				"?"}).Draw(t, "cause"), Jobs: rapid.Int().Draw(t, "divided"), Mean: n()})
		}
		everyForm(t, Causes(r, Source{}), false)
		everyForm(t, Drift(r, Source{}), false)

		a := &result.Allocation{Ratio: anySummary(t), Intervals: anyIntervals(t, "ratio"),
			ShareAbove10x: result.Number(anyNumber(t, "above"))}
		for range rapid.IntRange(0, 6).Draw(t, "guarantees") {
			a.Runs.Add(&result.RunUse{JobID: "r", Guaranteed: rapid.Int64().Draw(t, "guaranteed"),
				MaxParallelism: rapid.Int64().Draw(t, "at once")})
		}
		everyForm(t, Guarantee(a, a.Table(), Source{}), false)

		d := &result.DAG{Jobs: 3, Stages: anySummary(t), Barriers: anySummary(t), CriticalPathS: anySummary(t),
			InputWork: anySummary(t), Intervals: anyIntervals(t, "stages", "input_work")}
		for range rapid.IntRange(0, 6).Draw(t, "runs") {
			d.Runs.Add(&result.RunShape{JobID: "r", Stages: rapid.Int32().Draw(t, "stages"),
				CriticalPathS: anyNumber(t, "seconds"), InputWork: anyNumber(t, "share")})
		}
		everyForm(t, Shape(d, d.Table(), Source{}), false)
		for range rapid.IntRange(0, 60).Draw(t, "shapes") {
			d.Plans.Shapes = append(d.Plans.Shapes, result.ShapeCount{Shape: rapid.String().Draw(t, "shape"),
				Runs: rapid.Int().Draw(t, "runs"), Plans: rapid.Int().Draw(t, "plans")})
		}
		everyForm(t, PlanShapes(d, Source{}), false)

		dep := &result.Dependency{GapMin: anySummary(t), ChainLength: anySummary(t), IndirectDependents: anySummary(t),
			DependentGroups: anySummary(t), Intervals: anyIntervals(t, "gap_min", "chain_length"),
			Overlapping:   rapid.Int().Draw(t, "overlapping"),
			StandardError: map[string]float64{"indirect_dependents": anyNumber(t, "error")}}
		for range rapid.IntRange(0, 6).Draw(t, "gaps") {
			dep.GapQuantiles = append(dep.GapQuantiles, anyNumber(t, "gap"))
			dep.Runs = append(dep.Runs, result.Producer{JobID: "r", ChainLength: rapid.Int().Draw(t, "chain"),
				IndirectDependents: rapid.Int().Draw(t, "jobs")})
		}
		everyForm(t, Dependency(dep, dep.Table(), Source{}), false)

		l := &result.Timeline{EndS: result.Number(anyNumber(t, "end"))}
		for range rapid.IntRange(0, 8).Draw(t, "attempts") {
			l.Attempts = append(l.Attempts, result.TimelineBar{Stage: rapid.IntRange(-2, 1<<40).Draw(t, "stage") % 99,
				StartS: anyNumber(t, "start"), EndS: anyNumber(t, "end"), Machine: rapid.String().Draw(t, "machine"),
				Status: rapid.SampledFrom([]string{"succeeded", "failed", "running", "?"}).Draw(t, "status")})
			l.Allocations = append(l.Allocations, result.TimelineChange{AtS: anyNumber(t, "at"),
				Tokens: rapid.Int64().Draw(t,
					"tokens")})
			l.Stages = append(l.Stages, result.TimelineStage{Name: rapid.String().Draw(t, "name"),
				FirstS: result.Number(anyNumber(t, "first"))})
		}
		everyForm(t, Waterfall(l, nil, Source{}), false)

		for _, f := range append(jockeyFigures(anyJockey(t)), carbyneFigures(anyCarbyne(t))...) {
			everyForm(t, f, false)
		}
		everyForm(t, Activity(anyHealth(t), Source{}), false)
		for _, f := range loadFigures(anyWorkload(t)) {
			everyForm(t, f, false)
		}
	})
}

func anyHealth(t *rapid.T) *result.Health {
	x := func(label string) result.Number { return result.Number(anyNumber(t, label)) }
	h := &result.Health{Coverage: result.HealthCoverage{Base: rapid.SampledFrom([]string{"unix", "relative",
		"?"}).Draw(t,
		"base"), FromS: x("from"),
		ToS: x("to"), WidthS: x("width"), LongGaps: rapid.Int64().Draw(t, "gaps"),
		Begins: result.HealthPile{AtS: x("begins")}}}
	for range rapid.IntRange(0, 6).Draw(t, "bins") {
		h.Coverage.Bins = append(h.Coverage.Bins, result.HealthBin{AtS: anyNumber(t, "at"),
			Arrivals: rapid.Int64().Draw(t,
				"arrivals"),
			Runs: anyNumber(t, "runs"), Attempts: anyNumber(t, "attempts")})
		h.Coverage.Gaps = append(h.Coverage.Gaps, result.HealthGap{FromS: anyNumber(t, "gap from"), ToS: anyNumber(t,
			"gap to"), Long: true})
	}
	for _, id := range []string{"begins-at-first-instant", "ends-at-last-instant"} {
		h.Checks = append(h.Checks, result.HealthCheck{ID: id, Count: rapid.Int64Range(0, 9).Draw(t, "count")})
	}
	return h
}

// anyWorkload draws a workload that a damaged result may hold.
func anyWorkload(t *rapid.T) *result.Workload {
	x := func() float64 { return anyNumber(t, "number") }
	series := func() result.Series {
		s := result.Series{FromS: x(), BinS: x()}
		for range rapid.IntRange(0, 4).Draw(t, "bins") {
			s.Values = append(s.Values, x())
		}
		return s
	}
	w := &result.Workload{TimeBase: rapid.SampledFrom([]string{"unix", "relative", ""}).Draw(t, "base")}
	w.Arrivals = result.Arrivals{FirstS: x(), LastS: x(), PerHour: result.Number(x()), Counts: series(),
		Longest: result.Gap{Seconds: x()}}
	for range rapid.SampledFrom([]int{0, 5, 24, 168}).Draw(t, "hours") {
		w.Arrivals.HourOf = append(w.Arrivals.HourOf, result.Cell{Arrivals: 3, Hours: x()})
	}
	for range rapid.IntRange(0, 3).Draw(t, "windows") {
		w.Arrivals.Index = append(w.Arrivals.Index, result.Index{WindowS: x(), Index: x(), Low: x(), High: x(),
			PeakToMean: x()})
	}
	f := result.Fitted{What: rapid.String().Draw(t, "what"), Unit: rapid.SampledFrom([]string{"s", ""}).Draw(t, "unit"),
		Resamples: rapid.IntRange(-1, 200).Draw(t, "resamples")}
	fit := result.FamilyFit{Family: rapid.SampledFrom([]string{"lognormal", "pareto", "?"}).Draw(t, "family"), KS: x(),
		PKS: result.Number(x())}
	for range rapid.IntRange(0, 4).Draw(t, "points") {
		f.Curve = append(f.Curve, result.Point{X: x(), Share: x()})
		f.At, fit.Above = append(f.At, x()), append(fit.Above, x())
	}
	f.Families = []result.FamilyFit{fit}
	rising := result.Fitted{Unit: f.Unit, Families: f.Families, At: f.At, Curve: []result.Point{{X: 1, Share: 1},
		{X: 1 +
			math.Abs(rapid.Float64Range(1e-12, 1e12).Draw(t, "end")), Share: 1e-12}}}
	w.Fits = []result.Fitted{f, rising}
	w.Concurrency = result.Concurrency{Tasks: &result.Concurrent{Mean: x(), Peak: x(), Weighted: anySummary(t),
		Series: series()},
		Utilization: []result.Utilization{{Resource: "cpu", Share: x(), Used: series(), There: series()}}}
	row := result.CutoffRow{CutoffS: x(), ShareOfJobs: x(), ShareOfTime: x()}
	w.Cutoff = result.Cutoff{Suggested: &row, Curve: []result.CutoffRow{row, {ShareOfJobs: x(), ShareOfTime: x()}}}
	for range rapid.IntRange(0, 15).Draw(t, "reasons") {
		w.Failures.Reasons = append(w.Failures.Reasons, result.Reason{Reason: rapid.String().Draw(t, "reason"),
			Status: "lost",
			Spent:  result.Spent{Attempts: rapid.Int64Range(-1, 1<<55).Draw(t, "attempts"), TaskSeconds: x()}})
	}
	return w
}

// A stage graph of any size and shape can be drawn, with ever less detail.
func TestStageGraphSizes(t *testing.T) {
	for _, tc := range []struct {
		name          string
		stages, width int // stages, stages per layer
		wide, narrow  detail
	}{
		{"a chain of three", 3, 1, boxes, boxes},
		{"a chain of 10", 10, 1, boxes, boxes},
		{"a chain of 60", 60, 1, boxes, numbers},
		{"a chain of 100", 100, 1, numbers, numbers},
		{"a chain of 130", 130, 1, dots, dots},
		{"a fan of 40", 40, 40, numbers, numbers},
		{"100 in ten layers", 100, 10, numbers, numbers},
		{"1,000 in 20 layers", 1000, 50, dots, dots},
		{"a fan of 1,000", 1000, 1000, profile, profile},
		{"100,000", 100_000, 400, profile, profile},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := &result.StageGraph{Name: tc.name, Stages: make([]result.GraphStage, tc.stages)}
			for i := tc.width; i < tc.stages; i++ {
				g.Edges = append(g.Edges, result.GraphEdge{Parent: i - tc.width, Child: i, Kind: "all_to_all"})
			}
			f := StageGraph(g, Source{})
			d := newGraphDrawing(g)
			if got := d.choose(Wide.units()).detail; got != tc.wide {
				t.Errorf("wide: detail %d, want %d", got, tc.wide)
			}
			if got := d.choose(Narrow.units()).detail; got != tc.narrow {
				t.Errorf("narrow: detail %d, want %d", got, tc.narrow)
			}
			everyForm(t, f, false)
			if n := len(f.InlineSVG(Wide)); n > 400_000 {
				t.Errorf("%d bytes of SVG", n)
			}
		})
	}
}

// Ten times the observations do not make the files ten times as large.
func TestSizeIsBounded(t *testing.T) {
	t.Parallel()
	bundle := figuretest.Large()
	for _, f := range []*Figure{
		Waterfall(bundle.Documents["timeline"].(*result.Timeline), nil, Source{}),
		Shape(bundle.Documents["dag"].(*result.DAG), bundle.Tables["dag"], Source{}),
		Guarantee(bundle.Documents["allocation"].(*result.Allocation), bundle.Tables["allocation"], Source{}),
		CoV(bundle.Documents["recurrence"].(*result.Recurrence), Source{}),
		Dependency(bundle.Documents["dependency"].(*result.Dependency), bundle.Tables["dependency"], Source{}),
		Causes(bundle.Documents["recurrence"].(*result.Recurrence), Source{}),
		Drift(bundle.Documents["recurrence"].(*result.Recurrence), Source{}),
		Arrivals(bundle.Documents["workload"].(*result.Workload), Source{}),
		Tails(bundle.Documents["workload"].(*result.Workload), Source{}),
		Concurrency(bundle.Documents["workload"].(*result.Workload), Source{}),
	} {
		if n := len(f.InlineSVG(Wide)); n > 300_000 {
			t.Errorf("%s: %d bytes of SVG for a large trace, want at most 300,000", f.Name, n)
		}
	}
}

package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// eagleColours gives schedulers colours: those that most figures show the same one in all, others what is left.
func eagleColours(names []string) []style.Colour {
	usual := []string{"eagle", "hawk", "sparrow", "lwl", "dlwl", "srpt"}
	colours, taken := make([]style.Colour, len(names)), map[int]bool{}
	for i, name := range names {
		if k := slices.Index(usual, name); k >= 0 {
			colours[i], taken[k] = policyColour(k), true
		}
	}
	next := 0
	for i, name := range names {
		if slices.Contains(usual, name) {
			continue
		}
		for taken[next] && len(taken) <= len(usual) {
			next = (next + 1) % (len(usual) + 1)
		}
		colours[i], taken[next] = policyColour(next), true
		next = (next + 1) % (len(usual) + 1)
	}
	return colours
}

// eagleClasses are the classes of jobs, in the order of their panels.
var eagleClasses = [2]string{"short", "long"}

// EagleCompletion draws the distributions of the completion times of short and of long jobs under every scheduler.
func EagleCompletion(e *result.Eagle, source Source) *Figure {
	f := &Figure{Name: "eagle-completion", Title: "Completion times of short and of long jobs", source: source}
	var k key
	var panels []smallGraph
	colours := eagleColours(e.Names())
	for c, class := range eagleClasses {
		l := smallGraph{title: class + " jobs: share at or below", label: "completion time", y: axis{0, 1, plot.LinearScale{}, []float64{0, 0.5, 0.9, 1}, 0},
			writeX: style.Seconds, writeY: style.Percent}
		lo, hi := math.Inf(1), 0.0
		for i, name := range e.Names() {
			s := e.Schedulers[name]
			of, quantiles := s.Short, s.ShortCurve
			if c == 1 {
				of, quantiles = s.Long, s.LongCurve
			}
			curve := quantileCurve(name+", "+class, quantiles, of, colours[i])
			if c == 0 {
				k = append(k, keyEntry{keyHeavy, colours[i].Light, style.Shorten(name, 40)})
			}
			if len(curve.xs) < 2 {
				continue
			}
			for _, what := range []string{"p50", "p90", "p99"} {
				f.Values = append(f.Values, Value{style.Shorten(curve.name, 60), what, percentile(of, what)})
			}
			for _, x := range curve.xs {
				if x > 0 {
					lo, hi = min(lo, x), max(hi, x)
				}
			}
			l.lines = append(l.lines, plotted{colour: colours[i], look: line{width: style.LineWidth}, xs: curve.xs, ys: curve.ys})
		}
		if hi > 0 {
			l.x = logarithmic(lo, hi, secondSteps(lo, hi))
			panels = append(panels, l)
		}
	}
	f.Values = slices.DeleteFunc(f.Values, func(v Value) bool { return !finite(v.Value) })
	f.Caption = fmt.Sprintf("Cumulative distributions over %s, of which %s long: tasks of more than %s on average. %s, %s, load %s; %s. %s", style.Of(int64(e.Workload.Jobs), "job", "jobs"),
		style.Count(int64(e.Workload.LongJobs)), style.Seconds(e.Options.CutoffS), EagleCluster(&e.Options),
		style.Of(int64(e.Workload.Tasks), "task", "tasks"), style.Number(float64(e.Workload.Load)), eagleMode(e), source)
	f.Alt = "Cumulative curves. " + eagleMedians(e)
	f.plan = func(width float64) sheet { return smallGraphs(width, k, panels, 2, "no job was run") }
	return f
}

// EagleCluster says what workers a comparison has, and their slots where they have several.
func EagleCluster(o *result.EagleOptions) string {
	text := style.Of(int64(o.Workers), "worker", "workers")
	switch {
	case o.Slots > 1:
		text += fmt.Sprintf(" of %s each", style.Of(int64(o.Slots), "slot", "slots"))
	case o.SlotsMost > o.SlotsLeast:
		text += fmt.Sprintf(" of %d to %s, %s in all", o.SlotsLeast, style.Of(int64(o.SlotsMost), "slot", "slots"), style.Count(int64(o.SlotsInAll)))
	}
	return text
}

// eagleMode says how the simulation decides.
func eagleMode(e *result.Eagle) string {
	text := "simulated"
	if e.Options.Compat == "epfl" {
		text += " as by the simulator that was published with Eagle"
	}
	if e.Workload.GapS > 0 {
		text += ", submissions drawn"
	}
	if e.Workload.AsStages > 0 {
		text += ", tasks as long as their stages"
	}
	return text
}

func eagleMedians(e *result.Eagle) string {
	var parts []string
	for _, name := range e.Names() {
		if s := e.Schedulers[name]; s.Short.N > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", style.Shorten(name, 40), style.Seconds(s.Short.P50)))
		}
	}
	if len(parts) == 0 {
		return "No short job was run."
	}
	return "Medians of short jobs: " + style.List(parts) + "."
}

// duration is a linear axis of times from 0, with round steps.
func duration(hi float64) axis {
	a := linear(hi, false)
	for _, step := range []float64{1e-3, 1e-2, 0.1, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 18_000, 36_000, 86_400, 172_800, 432_000, 864_000} {
		if hi/step > 5 {
			continue
		}
		a.steps = nil
		for x := 0.0; x <= a.max; x += step {
			a.steps = append(a.steps, x)
		}
		break
	}
	return a
}

// eagleSeries is what a scheduler did over the values of an experiment.
type eagleSeries struct {
	name   string
	colour style.Colour
	points []*result.EaglePoint
}

// eagleSeriesOf returns the schedulers of an experiment, in its order.
func eagleSeriesOf(x *result.EagleExperiment) []eagleSeries {
	var all []eagleSeries
	var names []string
	for i := range x.Points {
		p := &x.Points[i]
		k := slices.IndexFunc(all, func(s eagleSeries) bool { return s.name == p.Scheduler })
		if k < 0 {
			k = len(all)
			all, names = append(all, eagleSeries{name: p.Scheduler}), append(names, p.Scheduler)
		}
		all[k].points = append(all[k].points, p)
	}
	for i, c := range eagleColours(names) {
		all[i].colour = c
	}
	return all
}

// Slug makes a name that may be one of a file: lower case letters, digits and hyphens.
func Slug(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return -1
	}, strings.ToLower(style.Shorten(name, 40)))
}

// lineOf makes a series of a measure, in seconds or over the base.
func (s *eagleSeries) lineOf(measure string, over bool) plotted {
	l := plotted{colour: s.colour, look: line{width: style.LineWidth}, dots: true}
	for _, p := range s.points {
		v := p.S[measure]
		if over {
			v = p.Over[measure]
		}
		if !finite(float64(v.Median)) || !finite(float64(v.Low)) || !finite(float64(v.High)) || !finite(p.X) {
			continue
		}
		l.xs, l.ys = append(l.xs, p.X), append(l.ys, float64(v.Median))
		l.lows, l.highs = append(l.lows, float64(v.Low)), append(l.highs, float64(v.High))
	}
	return l
}

// variedAxis is the axis of the values that were varied.
func variedAxis(xs []float64) axis {
	if len(xs) == 0 {
		return linear(1, false)
	}
	all := slices.Clone(xs)
	slices.Sort(all)
	all = slices.Compact(all)
	lo, hi := all[0], all[len(all)-1]
	if lo == hi {
		lo, hi = lo*0.9-0.1, hi*1.1+0.1
	}
	if lo > 0 && hi/lo > 6 {
		return axis{lo, hi, plot.LogScale{}, all, 0}
	}
	if lo == 0 && len(all) > 2 && hi > 6*all[len(all)/2] {
		return axis{lo, hi, log1p{}, all, 0}
	}
	return axis{lo, hi, plot.LinearScale{}, all, 0}
}

// roomy returns the axis with some room at both ends, for lines that stand apart.
func (a axis) roomy() axis {
	to, from := func(x float64) float64 { return x }, func(x float64) float64 { return x }
	switch a.scale.(type) {
	case plot.LogScale:
		to, from = math.Log, math.Exp
	case log1p:
		to, from = math.Log1p, math.Expm1
	}
	lo, hi := to(a.min), to(a.max)
	room := 0.05 * (hi - lo)
	a.min, a.max = from(lo-room), from(hi+room)
	return a
}

func runsOf(x *result.EagleExperiment) string {
	n := 0
	for i := range x.Points {
		n = max(n, x.Points[i].Runs)
	}
	return style.Of(int64(n), "seed", "seeds")
}

// seedsNote says what several seeds tell.
const seedsNote = "Seeds change what is drawn, such as workers to probe, and are the same under every scheduler; the jobs stay: a scheduler that draws nothing has no spread."

// eagleTitle returns the title of the figure of an experiment.
func eagleTitle(x *result.EagleExperiment) string {
	if x.Title != "" {
		return style.Shorten(x.Title, 80)
	}
	return capital(style.Shorten(x.Name, 40)) + ", by " + style.Shorten(x.Axis, 40)
}

// EagleExperiment draws what one thing does to the percentiles of completion times.
func EagleExperiment(x *result.EagleExperiment, source Source) *Figure {
	f := &Figure{Name: "eagle-" + Slug(x.Name), Title: eagleTitle(x), source: source}
	series := eagleSeriesOf(x)
	var k key
	for i := range series {
		k = append(k, keyEntry{keyHeavy, series[i].colour.Light, style.Shorten(series[i].name, 40)})
	}
	k = append(k, keyEntry{keyBand, style.Muted().Alpha(barOpacity), "all seeds"})
	var panels []smallGraph
	for _, m := range []struct{ measure, title string }{{"short_p50", "short jobs, 50th percentile"}, {"short_p90", "short jobs, 90th"}, {"short_p99", "short jobs, 99th"}, {"long_p50", "long jobs, 50th percentile"},
		{"long_p90", "long jobs, 90th"}, {"long_p99", "long jobs, 99th"}} {
		l := smallGraph{title: m.title, label: x.Axis, writeX: style.Number, writeY: style.Seconds}
		lo, hi := math.Inf(1), 0.0
		var all []float64
		for i := range series {
			line := series[i].lineOf(m.measure, false)
			line.bars = true
			for n := range line.xs {
				f.Values = append(f.Values, Value{fmt.Sprintf("%s at %s", style.Shorten(series[i].name, 40), style.Number(line.xs[n])), m.measure, line.ys[n]})
				if line.lows[n] > 0 {
					lo, hi = min(lo, line.lows[n]), max(hi, line.highs[n])
				}
			}
			all = append(all, line.xs...)
			l.lines = append(l.lines, line)
		}
		if hi <= 0 {
			continue
		}
		lo, hi = lo*0.8, hi*1.25
		l.x, l.y = variedAxis(all).roomy(), logarithmic(lo, hi, shortSteps(lo, hi))
		panels = append(panels, l)
	}
	f.Caption = fmt.Sprintf("%s. Medians of %s, bars from the least to the largest. %s %s", capital(style.Printable(x.About)), runsOf(x), seedsNote, source)
	f.Alt = experimentAlt(x, false)
	f.plan = func(width float64) sheet { return smallGraphs(width, k, panels, 3, "nothing was varied") }
	return f
}

// shortSteps returns round durations that are written with one unit: there is no room for "1 h 30 min" beside small graphs, nor
// for 50 s beside a minute.
func shortSteps(lo, hi float64) []float64 {
	return slices.DeleteFunc(secondSteps(lo, hi), func(s float64) bool { return s == 50 || strings.Count(style.Seconds(s), " ") > 1 })
}

// experimentAlt says what the medians of short jobs are, first and last.
func experimentAlt(x *result.EagleExperiment, over bool) string {
	text := "Curves per scheduler."
	for _, s := range eagleSeriesOf(x) {
		if over && s.name == x.Base {
			continue
		}
		l := s.lineOf("short_p50", over)
		if n := len(l.xs); n > 0 {
			write := style.Seconds
			if over {
				write = func(v float64) string { return style.Fixed(v, 2) }
			}
			text += fmt.Sprintf(" %s, median of short jobs: %s at %s, %s at %s.", style.Shorten(s.name, 40), write(l.ys[0]), style.Number(l.xs[0]), write(l.ys[n-1]), style.Number(l.xs[n-1]))
		}
	}
	return text
}

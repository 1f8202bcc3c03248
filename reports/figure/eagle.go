package figure

import (
	"fmt"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
)

// eagleLooks assigns looks to schedulers: common schedulers have the same look in all figures, others take the
// remaining ones.
func eagleLooks(names []string) []look {
	usual := []string{"eagle", "hawk", "sparrow", "lwl", "dlwl", "srpt"}
	looks, next := make([]look, len(names)), len(usual)
	for i, name := range names {
		k := slices.Index(usual, name)
		if k < 0 {
			k, next = next, next+1
		}
		looks[i] = lookAt(k)
	}
	return looks
}

// eagleClasses are the classes of jobs, in the order of their panels.
var eagleClasses = [2]string{"short", "long"}

// EagleCompletion draws the distributions of the completion times of short and of long jobs under every scheduler.
func EagleCompletion(e *result.Eagle, source Source) *Figure {
	ch := &chart{about: "Cumulative distributions of completion times", nothing: "no job was run", columns: 2}
	looks := eagleLooks(e.Names())
	for c, class := range eagleClasses {
		var curves []*curve
		for i, name := range e.Names() {
			s := e.Schedulers[name]
			of, quantiles := s.Short, s.ShortCurve
			if c == 1 {
				of, quantiles = s.Long, s.LongCurve
			}
			v := quantileCurve(words.Shorten(name+", "+class, 60), quantiles, of, looks[i])
			v.marks, v.entry, v.told = nil, words.Shorten(name, 40), []string{"p50", "p90", "p99"}
			if len(v.xs) > 1 {
				curves = append(curves, v)
			}
		}
		if n := completions(curves, 0); n != nil {
			n.title, n.high, n.y = class+" jobs: share at or below", 210, shareSteps(0, 0.5, 0.9, 1)
			ch.panels = append(ch.panels, *n)
		}
	}
	return ch.figure("eagle-completion", "Completion times of short and of long jobs",
		fmt.Sprintf("Cumulative distributions over %s, of which %s long: tasks of more than %s on average. "+
			"%s, %s, load %s; %s.", words.Of(e.Workload.Jobs, "job", "jobs"), words.Count(e.Workload.LongJobs),
			words.Seconds(e.Options.CutoffS), EagleCluster(&e.Options), words.Of(e.Workload.Tasks, "task", "tasks"),
			words.Number(e.Workload.Load), eagleMode(e)), source)
}

// EagleCluster describes the workers of a comparison, and their slots if they have several.
func EagleCluster(o *result.EagleOptions) string {
	text := words.Of(o.Workers, "worker", "workers")
	switch {
	case o.Slots > 1:
		text += fmt.Sprintf(" of %s each", words.Of(o.Slots, "slot", "slots"))
	case o.SlotsMost > o.SlotsLeast:
		text += fmt.Sprintf(" of %d to %s, %s in all", o.SlotsLeast, words.Of(o.SlotsMost, "slot", "slots"),
			words.Count(o.SlotsInAll))
	}
	return text
}

// eagleMode describes the mode of the simulation.
func eagleMode(e *result.Eagle) string {
	text := "simulated"
	text += words.When(e.Options.Compat == "epfl", " as by the simulator that was published with Eagle")
	text += words.When(e.Workload.GapS > 0, ", submissions drawn")
	text += words.When(e.Workload.AsStages > 0, ", tasks as long as their stages")
	return text
}

// durations is an axis of times from 0 to the longest of a panel, with round steps.
func durations() axis { return axis{write: words.Seconds[float64], fit: duration} }

// duration is a linear axis of times from 0 to just beyond hi, with round steps.
func duration(hi float64) axis {
	hi = max(hi, 1e-3)
	a := linear(hi, false).in(words.Seconds)
	a.steps = every(0, a.max, timeStep(hi/5))
	return a
}

// eagleSeries is the results of a scheduler over the values of an experiment.
type eagleSeries struct {
	name   string
	look   look
	points []result.EaglePoint
}

// eagleSeriesOf returns the schedulers of an experiment, in its order.
func eagleSeriesOf(x *result.EagleExperiment) []eagleSeries {
	groups := grouped(x.Points, func(a, b result.EaglePoint) bool { return a.Scheduler == b.Scheduler })
	looks := eagleLooks(lists.Map(groups, func(of []result.EaglePoint) string { return of[0].Scheduler }))
	var all []eagleSeries
	for i, of := range groups {
		all = append(all, eagleSeries{of[0].Scheduler, looks[i], of})
	}
	return all
}

// Slug returns a name that is valid for a file: lower case letters, digits and hyphens.
func Slug(name string) string {
	return strings.Map(safe(-1), strings.ToLower(words.Shorten(name, 40)))
}

// safe keeps the characters that are allowed in the name of a file. It returns another for the others; -1 drops them.
func safe(other rune) func(rune) rune {
	return func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return other
	}
}

// swept returns a measure, in seconds or over the base, as a line with a name.
func (s *eagleSeries) swept(name string, l look, measure string, over bool) *swept {
	out := newSwept(name, l)
	for _, p := range s.points {
		v := p.S[measure]
		if over {
			v = p.Over[measure]
		}
		out.measure(p.X, v)
	}
	return out
}

func runsOf(x *result.EagleExperiment) string {
	runs := lists.Map(x.Points, func(p result.EaglePoint) int { return p.Runs })
	return words.Of(slices.Max(append(runs, 0)), "seed", "seeds")
}

// seedsNote explains the spread over several seeds.
const seedsNote = "Seeds change random draws, such as the workers to probe, and are the same under every scheduler; " +
	"the jobs stay: a scheduler that draws nothing has no spread."

// eagleTitle returns the title of the figure of an experiment.
func eagleTitle(x *result.EagleExperiment) string {
	return words.Either(x.Title != "", words.Shorten(x.Title, 80),
		words.Capital(words.Shorten(x.Name, 40))+", by "+words.Shorten(x.Axis, 40))
}

// EagleExperiment draws the effect of one setting on the percentiles of completion times.
func EagleExperiment(x *result.EagleExperiment, source Source) *Figure {
	series := eagleSeriesOf(x)
	ch := &chart{about: "Lines per scheduler", nothing: "nothing was varied", columns: 3}
	for _, m := range []struct{ measure, title string }{{"short_p50", "short jobs, 50th percentile"},
		{"short_p90", "short jobs, 90th"}, {"short_p99", "short jobs, 99th"},
		{"long_p50", "long jobs, 50th percentile"}, {"long_p90", "long jobs, 90th"}, {"long_p99", "long jobs, 99th"}} {
		n := panel{title: m.title, high: 170}
		for i, of := range series {
			name := words.Shorten(of.name, 40)
			line := of.swept(name, of.look, m.measure, false)
			bars := line.bars()
			line.shift = (float64(i) - float64(len(series)-1)/2) * 3
			bars.shift, bars.width = line.shift, 3
			for _, q := range line.points {
				line.values = append(line.values,
					Value{fmt.Sprintf("%s at %s", name, words.Number(q.x)), m.measure, q.y})
			}
			n.layers = append(n.layers, line.sum(name, words.Number, words.Seconds), bars)
		}
		times := lists.Kept(n.ys(), func(s float64) bool { return s > 0 })
		if len(times) == 0 {
			continue
		}
		lo, hi := slices.Min(times)*0.8, slices.Max(times)*1.25
		n.x, n.y = variedAxis(n.xs(), x.Axis).roomy(), logarithmic(lo, hi, shortSteps(lo, hi)).in(words.Seconds)
		ch.panels = append(ch.panels, n)
	}
	return ch.figure("eagle-"+Slug(x.Name), eagleTitle(x), fmt.Sprintf("%s. Medians of %s, bars from the "+
		"least to the largest. %s", words.Capital(words.Printable(x.About)), runsOf(x), seedsNote), source)
}

// shortSteps returns round durations with a single unit: small graphs have no room for "1 h 30 min", nor for 50 s next
// to a minute.
func shortSteps(lo, hi float64) []float64 {
	return slices.DeleteFunc(secondSteps(lo, hi), func(s float64) bool {
		return s == 50 || strings.Count(words.Seconds(s), " ") > 1
	})
}

package figure

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/papers"
	"racecard/reports/style"
)

// schedulerRow is the result of a scheduler, over seeds.
type schedulerRow struct {
	name string
	of   [4]result.Spread // as [measures]
}

// schedulerGroup is schedulers that ran the same jobs.
type schedulerGroup struct {
	name      string
	seeds     int
	rows      []schedulerRow
	published map[string][3]float64 // by scheduler: completion time, makespan, index
}

// schedulerLook returns the look of a scheduler of a comparison.
func schedulerLook(order []string, name string) look {
	return lookAt(max(0, slices.Index(order, name)))
}

// ordered returns the schedulers of a comparison and of its experiments, in the order of their first occurrence.
func ordered(c *result.Carbyne) []string {
	order := slices.Clone(c.Order)
	for _, x := range c.Experiments {
		for _, p := range x.Points {
			if !slices.Contains(order, p.Scheduler) {
				order = append(order, p.Scheduler)
			}
		}
	}
	return order
}

// schedulerGroups returns the experiments in which nothing varies, or the comparison itself if there is none.
func schedulerGroups(c *result.Carbyne) (out []schedulerGroup) {
	for _, x := range c.Experiments {
		if x.Axis != "" {
			continue
		}
		g := schedulerGroup{name: words.Shorten(x.Name, 30), seeds: len(x.Seeds)}
		if x.Name == "offline" {
			g.published = papers.CarbyneOffline()
		}
		g.rows = lists.Map(x.Points, func(p result.CarbynePoint) schedulerRow {
			return schedulerRow{p.Scheduler, [4]result.Spread{p.JCT, p.Makespan, p.Jain, p.JainCapped}}
		})
		out = append(out, g)
	}
	if len(out) > 0 {
		return out
	}
	g := schedulerGroup{name: "online", seeds: 1}
	if c.Workload.Arrivals == "offline" {
		g.name, g.published = "offline", papers.CarbyneOffline()
	}
	one := func(x float64) result.Spread {
		return result.Spread{Median: result.Number(x), Low: result.Number(x), High: result.Number(x)}
	}
	for _, name := range c.Order {
		if s := c.Schedulers[name]; s != nil {
			g.rows = append(g.rows, schedulerRow{name,
				[4]result.Spread{one(s.JCT.Mean), one(s.MakespanS), one(s.Jain.Mean), one(s.JainCapped.Mean)}})
		}
	}
	return []schedulerGroup{g}
}

// measure is a panel of schedulers.
type measure struct {
	title, what string
	write       func(float64) string
}

// measures are the panels of schedulers.
func measures() []measure {
	return []measure{{"mean completion time", "mean JCT, s", words.FineSeconds[float64]},
		{"makespan", "makespan, s", words.FineSeconds[float64]}, {"Jain’s index, mean", "Jain", asRatio},
		{"the same, capped", "Jain, capped", asRatio}}
}

// publishedAt returns the value published for a scheduler. Published times are relative to DRF; they are scaled
// by the time of DRF here.
func (g *schedulerGroup) publishedAt(name string, k int) float64 {
	printed, ok := g.published[name]
	drf := slices.IndexFunc(g.rows, func(r schedulerRow) bool { return r.name == "drf" })
	if !ok || drf < 0 {
		return math.NaN()
	}
	if k >= 2 {
		return printed[2]
	}
	return printed[k] / g.published["drf"][k] * float64(g.rows[drf].of[k].Median)
}

// CarbyneBars draws the results of schedulers: mean completion time, makespan and fairness, with the spread over seeds.
func CarbyneBars(c *result.Carbyne, source Source) *Figure {
	groups, order := schedulerGroups(c), ordered(c)
	ch := &chart{about: "Dots with bars, of mean completion times, makespans and fairness",
		nothing: "no scheduler was run", columns: 4, narrow: 1, sharedY: true}
	for k := range measures() {
		if n := schedulerPanel(groups, order, k); len(n.rows) > len(groups) {
			ch.panels = append(ch.panels, n)
		}
	}
	text := "Every group of schedulers ran the same " + words.Of(c.Workload.Jobs, "job", "jobs") +
		"; less time is better, and so is more of Jain’s index, which is over windows of a minute and 1 where all " +
		"jobs hold the same part of their share; capped, resources that a job holds beyond its share do not count."
	for _, g := range groups {
		about := map[string]string{"offline": ", where all jobs arrive at once",
			"online": ", where jobs arrive one after the other"}[g.name]
		if g.seeds > 1 {
			text += fmt.Sprintf(" %s%s: medians of %s, bars from the least to the most.", words.Capital(g.name), about,
				words.Of(g.seeds, "seed", "seeds"))
			ch.key = []entry{spotEntry("median", look{}, false), spanEntry("all seeds")}
		}
		if g.published != nil {
			text += " Circles: Carbyne (OSDI 2016, Figures 1 and 4), times relative to those of DRF; it does not " +
				"say which index it has."
		}
	}
	return ch.figure("carbyne-schedulers", "Completion time, makespan and fairness", text, source)
}

// schedulerPanel draws one measure of all schedulers, a row each. Every group has a separate axis: rows show shares of
// the largest value of their group.
func schedulerPanel(groups []schedulerGroup, order []string, k int) panel {
	m := measures()[k]
	n := panel{title: m.title, rowHeight: 17, x: between(0, 1.03).in(nil)}
	for _, g := range groups {
		n.row(category{name: g.name, heading: true}, "")
		most := 1e-9
		for _, r := range g.rows {
			most = max(most, largest(float64(r.of[k].High), float64(r.of[k].Median), g.publishedAt(r.name, k)))
		}
		for _, r := range g.rows {
			v, row := r.of[k], len(n.rows)
			n.row(category{name: words.Shorten(r.name, 30)}, m.write(float64(v.Median)))
			look := schedulerLook(order, r.name)
			look.shape = disc
			dot, bar := n.dot("", look, row, max(float64(v.Median), 0)/most, max(float64(v.Low), 0)/most,
				max(float64(v.High), 0)/most)
			bar.width = 2 * barWidth
			dot.values = []Value{{g.name + ", " + words.Shorten(r.name, 30), m.what, float64(v.Median)}}
			dot.says = words.When(len(groups) > 1, "%s, ", g.name) + words.Shorten(r.name, 30) + " " +
				m.write(float64(v.Median))
			if !finite(v.Median) || v.Median < 0 {
				dot.points = nil
				n.ends[len(n.ends)-1] = words.None
			}
			if x := g.publishedAt(r.name, k); finite(x) {
				n.layers = append(n.layers,
					rings("published, by DRF’s", plain(style.Muted()), point{x / most, rowAt(row)}))
			}
		}
	}
	return n
}

// OfSeed names the seed of the times of single jobs, if there are experiments, which may have several seeds.
func OfSeed(c *result.Carbyne) string {
	return words.When(len(c.Experiments) > 0, " Of seed %d.", c.Seed)
}

// CarbyneImprovement draws distributions over jobs of the ratio of completion times under other schedulers to those
// under Carbyne.
func CarbyneImprovement(c *result.Carbyne, t *result.Table, source Source) *Figure {
	var curves []*curve
	order, factor := ordered(c), perJob(t, "improvement")
	for _, name := range c.Order {
		if s := c.Improvement[name]; s.N > 0 {
			xs := slices.Collect(maps.Values(factor[name]))
			if v := newCurve(words.Shorten(name, 40), xs, s, schedulerLook(order, name)); len(v.xs) > 1 {
				curves = append(curves, v)
			}
		}
	}
	ch := ratioChart(curves, factors(curves), "jobs", "completion time under the other scheduler / under carbyne",
		"under ", "")
	ch.nothing = "carbyne was not compared"
	better, worse, below := papers.CarbyneFactors()
	return ch.figure("carbyne-improvement", "How many times longer jobs take than under carbyne",
		fmt.Sprintf("Factors of improvement of %s: right of 1, a job ends sooner under carbyne, left of it later.%s "+
			"Published (Carbyne, OSDI 2016, Figure 7): more than %s of jobs clearly better, at most %s below %s.%s",
			words.Of(c.Workload.Jobs, "job", "jobs"), OfSeed(c), words.Percent(better), words.Percent(worse),
			words.Number(below), hidden(curves)), source)
}

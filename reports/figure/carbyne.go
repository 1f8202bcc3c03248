package figure

import (
	"fmt"
	"math"
	"slices"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// schedulerRow is how a scheduler did, over seeds.
type schedulerRow struct {
	name                        string
	colour                      style.Colour
	jct, makespan, jain, capped result.Spread
}

// schedulerGroup is schedulers that ran the same jobs.
type schedulerGroup struct {
	name      string
	seeds     int
	rows      []schedulerRow
	published map[string][3]float64 // by scheduler: as rows
}

// schedulerColour returns the colour of the i-th scheduler of a comparison.
func schedulerColour(order []string, name string) style.Colour {
	return policyColour(max(0, slices.Index(order, name)))
}

// repeated reports whether a scheduler has the colour of an earlier one: then its lines are dashed.
func repeated(order []string, name string) bool {
	return slices.Index(order, name) > len(style.Series())
}

// ordered returns the schedulers of a comparison and of its experiments, in the order in which they first come.
func ordered(c *result.Carbyne) []string {
	order := slices.Clone(c.Order)
	for i := range c.Experiments {
		for _, p := range c.Experiments[i].Points {
			if !slices.Contains(order, p.Scheduler) {
				order = append(order, p.Scheduler)
			}
		}
	}
	return order
}

// schedulerGroups returns the experiments in which nothing varies, or where there is none the comparison itself.
func schedulerGroups(c *result.Carbyne) (out []schedulerGroup) {
	order := ordered(c)
	for i := range c.Experiments {
		x := &c.Experiments[i]
		if x.Axis != "" {
			continue
		}
		g := schedulerGroup{name: style.Shorten(x.Name, 30), seeds: len(x.Seeds)}
		if x.Name == "offline" {
			g.published = carbyneOffline()
		}
		for _, p := range x.Points {
			g.rows = append(g.rows, schedulerRow{p.Scheduler, schedulerColour(order, p.Scheduler), p.JCT, p.Makespan, p.Jain, p.JainCapped})
		}
		out = append(out, g)
	}
	if len(out) > 0 {
		return out
	}
	g := schedulerGroup{name: "online", seeds: 1}
	if c.Workload.Arrivals == "offline" {
		g.name, g.published = "offline", carbyneOffline()
	}
	one := func(x float64) result.Spread {
		return result.Spread{Median: result.Number(x), Low: result.Number(x), High: result.Number(x)}
	}
	for _, name := range c.Order {
		if s := c.Schedulers[name]; s != nil {
			g.rows = append(g.rows, schedulerRow{name, schedulerColour(order, name), one(s.JCT.Mean), one(s.MakespanS), one(s.Jain.Mean), one(s.JainCapped.Mean)})
		}
	}
	return []schedulerGroup{g}
}

// CarbyneBars draws how schedulers did: mean completion time, makespan and fairness, with the spread over seeds.
func CarbyneBars(c *result.Carbyne, source Source) *Figure {
	d := &schedulersDrawing{groups: schedulerGroups(c), jobs: c.Workload.Jobs}
	f := &Figure{Name: "carbyne-schedulers", Title: "Completion time, makespan and fairness", source: source}
	f.Caption = d.caption() + " " + source.String()
	f.Alt = d.alt()
	for _, g := range d.groups {
		for _, r := range g.rows {
			of := g.name + ", " + style.Shorten(r.name, 30)
			f.Values = append(f.Values, Value{of, "mean JCT, s", float64(r.jct.Median)}, Value{of, "makespan, s", float64(r.makespan.Median)}, Value{of, "Jain", float64(r.jain.Median)},
				Value{of, "Jain, capped", float64(r.capped.Median)})
		}
	}
	f.Values = slices.DeleteFunc(f.Values, func(v Value) bool { return !finite(v.Value) })
	f.plan = d.sheet
	return f
}

type schedulersDrawing struct {
	groups []schedulerGroup
	jobs   int // of every run
}

// measure is one of the panels.
type measure struct {
	name  string
	label float64 // width of a number
	of    func(r *schedulerRow) result.Spread
	write func(float64) string
}

func measures() []measure {
	return []measure{
		{"mean completion time", 76, func(r *schedulerRow) result.Spread { return r.jct }, style.FineSeconds},
		{"makespan", 76, func(r *schedulerRow) result.Spread { return r.makespan }, style.FineSeconds},
		{"Jain’s index, mean", 42, func(r *schedulerRow) result.Spread { return r.jain }, func(x float64) string { return style.Fixed(x, 2) }},
		{"the same, capped", 42, func(r *schedulerRow) result.Spread { return r.capped }, func(x float64) string { return style.Fixed(x, 2) }},
	}
}

// publishedAt returns what was published for a scheduler, as a share of what was published for DRF times what DRF has here; for the
// index as it is.
func (g *schedulerGroup) publishedAt(name string, k int, of func(r *schedulerRow) result.Spread) float64 {
	printed, ok := g.published[name]
	drf := slices.IndexFunc(g.rows, func(r schedulerRow) bool { return r.name == "drf" })
	if !ok || drf < 0 {
		return math.NaN()
	}
	if k >= 2 {
		return printed[2]
	}
	return printed[k] / g.published["drf"][k] * float64(of(&g.rows[drf]).Median)
}

func (d *schedulersDrawing) sheet(width float64) sheet {
	var k key
	if slices.ContainsFunc(d.groups, func(g schedulerGroup) bool { return g.seeds > 1 }) {
		k = key{{keyDisc, style.Ink().Light, "median"}, {keyBand, style.Muted().Alpha(barOpacity), "all seeds"}}
	}
	if slices.ContainsFunc(d.groups, func(g schedulerGroup) bool { return g.published != nil }) {
		k = append(k, keyEntry{keyRing, style.Muted().Light, "published, by DRF’s"})
	}
	const rowHeight, gap, head, panel = 17.0, 10.0, 22.0, 24.0
	faces := newFaces()
	left, rows := 96.0, 0
	for _, g := range d.groups {
		rows += len(g.rows)
		for i := range g.rows {
			left = min(max(left, faces.width(g.rows[i].name, text{})+8+style.Gap), max(96, width/5))
		}
	}
	top := k.height(faces, width) + panel
	body := float64(rows)*rowHeight + float64(len(d.groups))*head
	narrow := width < 500
	height := top + body + gap
	if narrow { // the panels below each other
		height = top + float64(len(measures()))*(body+gap+panel) - panel
	}
	return sheet{height: height, draw: func(p *pen) {
		k.draw(p, width)
		across := (width - left) / float64(len(measures()))
		for m, of := range measures() {
			x, y, w := left+float64(m)*across, top, across-style.Gap
			if narrow {
				x, y, w = left, top+float64(m)*(body+gap+panel), width-left-style.Gap
			}
			p.text(of.name, x, y-8, text{bold: true, size: style.SmallSize})
			for i := range d.groups {
				g := &d.groups[i]
				y += head
				if m == 0 || narrow {
					p.text(p.fit(g.name, left-style.Gap, smallText()), 0, y-5, smallText())
				}
				most := g.most(m, of.of)
				for n := range g.rows {
					r := &g.rows[n]
					at := y + float64(n)*rowHeight + rowHeight/2
					if m == 0 || narrow {
						p.text(p.fit(r.name, left-style.Gap, text{}), 8, at+4, text{colour: r.colour.Light})
					}
					g.row(p, r, m, &of, rect{x, at, w - of.label, 0}, most)
				}
				y += float64(len(g.rows)) * rowHeight
			}
		}
		if rows == 0 {
			p.text("no scheduler was run", width/2, top+20, centred())
		}
	}}
}

// most is the end of an axis.
func (g *schedulerGroup) most(k int, of func(r *schedulerRow) result.Spread) float64 {
	most := 0.0
	for i := range g.rows {
		for _, x := range []float64{float64(of(&g.rows[i]).High), float64(of(&g.rows[i]).Median), g.publishedAt(g.rows[i].name, k, of)} {
			if finite(x) {
				most = max(most, x)
			}
		}
	}
	return max(most, 1e-9)
}

// row draws one number of one scheduler along r.
func (g *schedulerGroup) row(p *pen, s *schedulerRow, k int, of *measure, r rect, most float64) {
	v := of.of(s)
	x := func(v float64) float64 { return r.x + min(max(v, 0), most)/most*r.w }
	p.stroke(line{colour: style.Faint().Light}, point{r.x, r.y}, point{r.x + r.w, r.y})
	median, low, high := float64(v.Median), float64(v.Low), float64(v.High)
	if !finite(median) || median < 0 {
		p.text("–", r.x, r.y+4, smallText())
		return
	}
	if finite(low) && finite(high) {
		p.stroke(line{colour: s.colour.Alpha(barOpacity), width: 2 * barWidth}, point{x(low), r.y}, point{max(x(high), x(low)+1), r.y})
	}
	if at := g.publishedAt(s.name, k, of.of); finite(at) {
		p.ring(line{colour: style.Muted().Light, width: 1.2}, x(at), r.y, style.DotRadius+1.6)
	}
	p.dot(s.colour.Light, x(median), r.y, style.DotRadius)
	p.text(of.write(median), r.x+r.w+11, r.y+3.5, smallText())
}

func (d *schedulersDrawing) caption() string {
	text := "Every group of schedulers ran the same " + style.Of(int64(d.jobs), "job", "jobs") + "; less time is better, and so is more of Jain’s index, which is over windows of a minute and 1 where all jobs " +
		"hold the same part of their share; capped, what a job holds beyond its share does not count."
	for _, g := range d.groups {
		about := map[string]string{"offline": ", where all jobs arrive at once", "online": ", where jobs arrive one after the other"}[g.name]
		if g.seeds > 1 {
			text += fmt.Sprintf(" %s%s: medians of %s, bars from the least to the most.", capital(g.name), about, style.Of(int64(g.seeds), "seed", "seeds"))
		}
		if g.published != nil {
			text += " Circles: Carbyne (OSDI 2016, Figures 1 and 4), times relative to those of DRF; it does not say which index it has."
		}
	}
	return text
}

func (d *schedulersDrawing) alt() string {
	text := ""
	for _, g := range d.groups {
		var parts []string
		for _, r := range g.rows {
			if finite(float64(r.jct.Median)) {
				parts = append(parts, fmt.Sprintf("%s %s, makespan %s, Jain’s index %s, capped %s", style.Shorten(r.name, 30), style.Seconds(float64(r.jct.Median)),
					style.Seconds(float64(r.makespan.Median)), style.Fixed(float64(r.jain.Median), 2), style.Fixed(float64(r.capped.Median), 2)))
			}
		}
		text += " " + capital(g.name) + ": " + style.List(parts) + "."
	}
	return "Dots with bars, of mean completion times, makespans and fairness." + text
}

// OfSeed says of which seed times of single jobs are, where there are experiments, which may have several.
func OfSeed(c *result.Carbyne) string {
	if len(c.Experiments) == 0 {
		return ""
	}
	return fmt.Sprintf(" Of seed %d.", c.Seed)
}

// CarbyneImprovement draws how many times longer jobs take under other schedulers than under Carbyne, as distributions over jobs.
func CarbyneImprovement(c *result.Carbyne, t *result.Table, source Source) *Figure {
	d := &ratioCurves{of: "jobs", entry: "under ", what: "completion time under the other scheduler / under carbyne", write: style.Number, nothing: "carbyne was not compared"}
	order, xs := ordered(c), map[string][]float64{}
	if t != nil {
		names, values := t.Text("scheduler"), t.Floats("improvement")
		if len(names) == len(values) { // there is one of every row, or none
			for i, name := range names {
				xs[name] = append(xs[name], values[i])
			}
		}
	}
	for _, name := range c.Order {
		if s, ok := c.Improvement[name]; ok && s.N > 0 {
			curve := newCurve(style.Shorten(name, 40), xs[name], s, schedulerColour(order, name))
			curve.dashed = repeated(order, name)
			d.add(curve)
		}
	}
	d.axis = factors(d.curves)
	f := &Figure{Name: "carbyne-improvement", Title: "How many times longer jobs take than under carbyne", source: source}
	f.Caption = fmt.Sprintf("Factors of improvement of %s: right of 1, a job ends sooner under carbyne, left of it later.%s Published (Carbyne, OSDI 2016, Figure 7): more "+
		"than 84%% of jobs clearly better, at most 4%% below 0.8.%s %s", style.Of(int64(c.Workload.Jobs), "job", "jobs"), OfSeed(c), hidden(d.curves), source)
	f.Alt = "Carbyne was not compared."
	if len(d.curves) > 0 {
		f.Alt = "Cumulative curves. Median factor of improvement over " + d.medians() + "."
	}
	f.Values = d.values()
	f.plan = d.sheet
	return f
}

package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// jockeyPolicy is a policy in a figure.
type jockeyPolicy struct {
	name   string
	colour style.Colour
	*result.JockeyPolicy
}

// jockeyPolicies returns the policies of a comparison that have runs, each with a colour.
func jockeyPolicies(j *result.Jockey) []jockeyPolicy {
	var out []jockeyPolicy
	for _, name := range j.Names() {
		if p := j.Policies[name]; p.Runs > 0 {
			out = append(out, jockeyPolicy{style.Shorten(name, 40), policyColour(len(out)), p})
		}
	}
	return out
}

// policyColour returns the colour of the i-th policy; the one after all series is muted.
func policyColour(i int) style.Colour {
	if n := len(style.Series()); i%(n+1) == n {
		return style.Muted()
	}
	return style.SeriesAt(i % (len(style.Series()) + 1))
}

// missed is the share of the deadlines that a policy missed, with its interval.
func (p *jockeyPolicy) missed() (share, low, high float64) {
	share = float64(p.Missed) / float64(p.Runs)
	low, high = float64(p.MissedLow), float64(p.MissedHigh)
	if !finite(low) || !finite(high) || low > share || high < share {
		low, high = share, share
	}
	return share, low, high
}

// JockeyPolicies draws policies by what they are judged by: the share of deadlines that they missed, against the share of what
// they requested that was above the oracle.
func JockeyPolicies(j *result.Jockey, source Source) *Figure {
	d := &policiesDrawing{runs: 0}
	for _, p := range jockeyPolicies(j) {
		if share, _, _ := p.missed(); share >= 0 && share <= 1 && p.AllocationAboveOracle.N > 0 && finite(p.AllocationAboveOracle.Mean) {
			d.policies = append(d.policies, p)
			d.runs = max(d.runs, p.Runs)
		}
	}
	f := &Figure{Name: "jockey-policies", Title: "Deadlines missed, and tokens asked for", source: source}
	f.Caption = d.caption(j) + " " + source.String()
	f.Alt = d.alt()
	for _, p := range d.policies {
		share, low, high := p.missed()
		f.Values = append(f.Values, Value{p.name, "runs", float64(p.Runs)}, Value{p.name, "missed", share}, Value{p.name, "missed low", low},
			Value{p.name, "missed high", high}, Value{p.name, "above oracle", p.AllocationAboveOracle.Mean})
	}
	f.plan = d.sheet
	return f
}

type policiesDrawing struct {
	policies []jockeyPolicy
	runs     int // most of a policy
}

// floor is where a policy stands that missed nothing: below one of all runs.
func (d *policiesDrawing) floor() float64 { return 0.4 / float64(max(d.runs, 10)) }

func (d *policiesDrawing) sheet(width float64) sheet {
	const head, below = 26.0, scaleBelow
	high := 320.0
	if width < 500 {
		high = 280
	}
	return sheet{height: head + high + below, draw: func(p *pen) {
		p.text("share of deadlines missed", 0, head-12, smallText())
		r := rect{scaleLeft, head, width - scaleLeft, high}
		x := axis{0, 1, plot.LinearScale{}, []float64{0, 0.25, 0.5, 0.75, 1}, 0}
		floor := d.floor()
		y := logarithmic(floor, 1, nil)
		y.steps = append([]float64{floor}, roundSteps(2.4*floor, 1)...)
		y.steps = slices.DeleteFunc(y.steps, func(s float64) bool { return s != floor && s < 2.4*floor || s > 1 })
		g := graph{r, x, y}
		g.frame(p, "requested token-time above the oracle, mean over runs", style.Percent, func(s float64) string {
			if s == floor {
				return "none"
			}
			return style.Percent(s)
		})
		if len(d.policies) == 0 {
			p.text("no policy was run", r.x+r.w/2, r.y+r.h/2, centred())
		}
		for _, q := range d.policies {
			_, low, high := q.missed()
			above := q.AllocationAboveOracle.Mean
			p.stroke(line{colour: q.colour.Alpha(barOpacity), width: barWidth}, g.at(above, max(low, floor)), g.at(above, max(high, floor)))
		}
		d.labels(p, g)
	}}
}

// labels draws the discs and their names, each beside its disc where no other label or disc is.
func (d *policiesDrawing) labels(p *pen, g graph) {
	var taken []rect
	for _, q := range d.policies {
		at := d.place(g, &q)
		_, low, high := q.missed()
		from, to := g.at(0, max(high, d.floor())).y, g.at(0, max(low, d.floor())).y
		taken = append(taken, rect{at.x - 5, at.y - 5, 10, 10}, rect{at.x - barWidth/2, from, barWidth, to - from})
	}
	for _, q := range d.policies {
		at := d.place(g, &q)
		p.dot(q.colour.Light, at.x, at.y, style.DotRadius+1)
		w := p.width(q.name, text{bold: true})
		best := rect{min(at.x+9, g.rect.x+g.w-w), at.y - 8, w, 14}
		for _, r := range beside(at, w) {
			r.x = min(max(r.x, g.rect.x), g.rect.x+g.w-4-w)
			if r.y >= g.rect.y && r.y+r.h <= g.rect.y+g.h && !slices.ContainsFunc(taken, func(o rect) bool {
				return r.x < o.x+o.w && o.x < r.x+r.w && r.y < o.y+o.h && o.y < r.y+r.h
			}) {
				best = r
				break
			}
		}
		taken = append(taken, best)
		p.text(q.name, best.x, best.y+11, text{bold: true, colour: q.colour.Light})
	}
}

// beside returns places for a name of a width at a disc: at its right, at its left and over it, the nearest first.
func beside(at point, w float64) []rect {
	var out []rect
	for _, y := range []float64{-8, 6, -22, 20, -36, 34, -50, -64, -78, -92, -106, -120, -134, -148} {
		for _, x := range []float64{9, -9 - w, -w / 2} {
			out = append(out, rect{at.x + x, at.y + y, w, 14})
		}
	}
	return out
}

func (d *policiesDrawing) place(g graph, q *jockeyPolicy) point {
	share, _, _ := q.missed()
	return g.at(q.AllocationAboveOracle.Mean, max(share, d.floor()))
}

func (d *policiesDrawing) caption(j *result.Jockey) string {
	text := fmt.Sprintf("Up to %s per policy: %s, %s each, under %s. Lower is better, and so is further left. Pale bars: 95%% intervals (Wilson).",
		style.Of(int64(d.runs), "controlled run", "controlled runs"), style.Of(int64(len(j.Jobs)), "job", "jobs"),
		style.Of(int64(jockeyDeadlines(j)), "deadline", "deadlines"), style.Of(int64(len(j.Scenarios)), "scenario", "scenarios"))
	if j.Generated {
		text += " The jobs were made up after published statistics."
	}
	text += " Above the oracle: the share of the token-time requested that lies above the work of the run / the time to its deadline."
	if j.Policies["bound"] != nil {
		text += " bound: the same loop as jockey, with the true remaining time."
	}
	return text + " Published (Jockey, EuroSys 2012): 1 of 94 deadlines missed."
}

// jockeyDeadlines is how many deadlines a job has.
func jockeyDeadlines(j *result.Jockey) int {
	most := 0
	for i := range j.Jobs {
		most = max(most, len(j.Jobs[i].Deadlines))
	}
	return most
}

func (d *policiesDrawing) alt() string {
	if len(d.policies) == 0 {
		return "No policy was run."
	}
	var parts []string
	for _, p := range d.policies {
		share, _, _ := p.missed()
		parts = append(parts, fmt.Sprintf("%s %s missed, %s above the oracle", p.name, style.Percent(share), style.Percent(p.AllocationAboveOracle.Mean)))
	}
	return "Scatter of policies: " + style.List(parts) + "."
}

// JockeyCompletion draws the distribution of completion over deadline under every policy.
func JockeyCompletion(j *result.Jockey, source Source) *Figure {
	d := &ratioCurves{axis: axis{0, 1.5, plot.LinearScale{}, []float64{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5}, 0}, of: "runs", one: "deadline",
		what: "completion time / deadline", write: func(x float64) string { return style.Fixed(x, 2) }, nothing: "no policy was run"}
	for _, p := range jockeyPolicies(j) {
		c := quantileCurve(p.name, p.Curve, p.JCTOverDeadline, p.colour)
		c.marks = nil
		d.add(c)
	}
	f := &Figure{Name: "jockey-completion", Title: "When jobs end, relative to their deadline", source: source}
	f.Caption = "Cumulative distributions of the completion time of runs over their deadline; both count from the submission." +
		beyondDeadlines(d) + " " + source.String()
	f.Alt = "No policy was run."
	if len(d.curves) > 0 {
		f.Alt = "Cumulative curves. Median of completion over deadline: " + d.medians() + "."
	}
	f.Values = d.values()
	f.plan = d.sheet
	return f
}

// beyondDeadlines says how much of which curve lies beyond the axis.
func beyondDeadlines(d *ratioCurves) string {
	var beyond []string
	for i := range d.curves {
		c := &d.curves[i]
		if last := c.xs[len(c.xs)-1]; last > d.axis.max {
			beyond = append(beyond, fmt.Sprintf("%s %s, up to %s", c.name, style.Percent(c.beyond(d.axis.max)), style.Fixed(last, 2)))
		}
	}
	if len(beyond) == 0 {
		return ""
	}
	return " Beyond the axis: " + style.List(beyond) + "."
}

// beyond returns the share of values that are larger than x, which is less than the largest.
func (c *curve) beyond(x float64) float64 {
	k, _ := slices.BinarySearch(c.xs, x)
	if k == 0 {
		return 1
	}
	low, high := c.xs[k-1], c.xs[k]
	return 1 - c.ys[k-1] - (c.ys[k]-c.ys[k-1])*(x-low)/(high-low)
}

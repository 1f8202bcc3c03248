package figure

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// JockeyRun draws one controlled run over time: the end that is predicted and the deadline, progress, and the tokens that were
// needed, requested and used.
func JockeyRun(t *result.JockeyTimeline, source Source) *Figure {
	d := &jockeyRun{JockeyTimeline: t, to: 1}
	if finite(t.EndS) && t.EndS > 0 {
		d.to = t.EndS
	}
	for _, x := range t.Points {
		if finite(x.AtS) && x.AtS >= 0 && x.AtS <= d.to {
			d.points = append(d.points, x)
		}
	}
	f := &Figure{Name: "jockey-run-" + strings.Map(safe, t.Scenario), source: source}
	f.Title = "One run over time: " + strings.ReplaceAll(style.Shorten(t.Scenario, 40), "-", " ")
	switch t.Scenario {
	case "everything":
		f.Title = "One run in which everything goes wrong"
	case "deadline-halved", "deadline-doubled":
		f.Title = "One run whose deadline is " + strings.TrimPrefix(t.Scenario, "deadline-")
	}
	f.Caption = d.caption() + " " + source.String()
	f.Alt = d.alt()
	f.Values = d.values()
	f.plan = d.sheet
	return f
}

// safe keeps what is allowed in the name of a file.
func safe(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
		return r
	}
	return '_'
}

type jockeyRun struct {
	*result.JockeyTimeline
	points []result.JockeyTick // at instants that can be drawn
	to     float64             // end of the time axis
}

// due is the deadline that holds in the end.
func (d *jockeyRun) due() float64 {
	if s := float64(d.ChangedS); finite(s) {
		return s
	}
	return d.DeadlineS
}

// Colours of a run.
func granted() style.Colour { return style.SeriesAt(0) }
func needed() style.Colour  { return style.SeriesAt(1) }
func used() style.Colour    { return style.SeriesAt(2) }

func (d *jockeyRun) sheet(width float64) sheet {
	k := key{
		{keyHeavy, style.Ink().Light, "deadline"},
		{keyLine, granted().Light, "predicted end: median, 5–95%"},
		{keyHeavy, granted().Light, "tokens requested"},
		{keyPlain, needed().Light, "smallest that would do"},
		{keyBox, used().Alpha(0.35), "tasks that ran, also on spare tokens"},
		{keyDashed, style.Ink().Light, "oracle"},
	}
	heights := []float64{150, 60, 140}
	const head, gap = 20.0, 14.0
	top := k.height(newFaces(), width) + style.Gap/2
	height := top + scaleBelow
	for _, h := range heights {
		height += head + h + gap
	}
	return sheet{height: height - gap, draw: func(p *pen) {
		k.draw(p, width)
		x, write, _ := clockAxis(0, d.to, false)
		_, unit := clockUnit(d.to)
		y := top
		for i, h := range heights {
			y += head
			r := rect{scaleLeft, y, width - scaleLeft - style.Gap, h} // room for the disc at the end
			say := func(float64) string { return "" }
			if i == len(heights)-1 {
				say = write
			}
			d.panel(p, i, r, x, say, ended(i == len(heights)-1, unit+" since the job's start"), write, unit)
			y += h + gap
		}
	}}
}

// panel draws one of the three.
func (d *jockeyRun) panel(p *pen, i int, r rect, x axis, say func(float64) string, label string, write func(float64) string, unit string) {
	switch i {
	case 0:
		note := fmt.Sprintf("%s, ended after %s", style.Seconds(d.due()), style.Seconds(d.EndS))
		headline(p, r, "end, "+unit, "deadline "+note)
		g := graph{r, x, d.ends()}
		g.frame(p, label, say, write)
		d.marks(p, g)
		d.band(p, g)
		d.deadline(p, g)
	case 1:
		headline(p, r, "progress", "")
		g := graph{r, x, axis{0, 1, plot.LinearScale{}, []float64{0, 0.5, 1}, 0}}
		g.frame(p, label, say, style.Percent)
		d.marks(p, g)
		xs, ys := d.of(func(t *result.JockeyTick) float64 { return t.Progress })
		g.curve(p, line{width: style.LineWidth}, append(xs, d.EndS), append(ys, 1))
	default:
		headline(p, r, "tokens", fmt.Sprintf("oracle %s: work of this run / time to the deadline", style.Count(int64(d.Oracle))))
		most := float64(d.Oracle)
		for i := range d.points {
			most = max(most, float64(d.points[i].Tokens), float64(d.points[i].Raw), float64(d.points[i].Running))
		}
		g := graph{r, x, linear(most, true)}
		g.frame(p, label, say, style.Number)
		d.tokens(p, g)
		d.marks(p, g)
	}
}

// ends is the axis of predicted ends: it holds the deadlines, the end, and predictions that are not far beyond.
func (d *jockeyRun) ends() axis {
	lo, hi := d.to, d.to
	cover := func(x float64) {
		if finite(x) && x >= 0 {
			lo, hi = min(lo, x), max(hi, min(x, 3*d.to))
		}
	}
	cover(d.DeadlineS)
	cover(float64(d.ChangedS))
	for i := range d.points {
		cover(float64(d.points[i].Low))
		cover(float64(d.points[i].High))
	}
	if !finite(lo) || lo < 0 || lo >= hi {
		lo = 0
	}
	unit, _ := clockUnit(d.to)
	step := unit * roundUp((hi-lo)/4/unit)
	lo = math.Floor(lo/step) * step
	hi = max(hi*1.02, lo+step)
	return axis{lo, hi, plot.LinearScale{}, every(lo, hi, step), 0}
}

// of returns a value of every decision.
func (d *jockeyRun) of(value func(*result.JockeyTick) float64) (xs, ys []float64) {
	for i := range d.points {
		xs, ys = append(xs, d.points[i].AtS), append(ys, value(&d.points[i]))
	}
	return xs, ys
}

// steps returns a value that stays from one decision to the next, and to the end.
func (d *jockeyRun) steps(value func(*result.JockeyTick) float64) (xs, ys []float64) {
	for i := range d.points {
		y, until := value(&d.points[i]), d.EndS
		if i+1 < len(d.points) {
			until = d.points[i+1].AtS
		}
		xs, ys = append(xs, d.points[i].AtS, until), append(ys, y, y)
	}
	return xs, ys
}

// marks draws what the three panels share: when the deadline changes.
func (d *jockeyRun) marks(p *pen, g graph) {
	if at := float64(d.ChangeAtS); finite(at) && at >= g.x.min && at <= g.x.max {
		x := g.at(at, g.y.min).x
		p.stroke(line{colour: style.Muted().Light, width: 1, dash: dashes()}, point{x, g.rect.y}, point{x, g.rect.y + g.h})
	}
}

// band draws the predicted end.
func (d *jockeyRun) band(p *pen, g graph) {
	var upper, lower []point
	flush := func() {
		upper, lower = apart(upper), apart(lower)
		for i := len(lower) - 1; i >= 0; i-- {
			upper = append(upper, lower[i])
		}
		p.polygon(granted().Alpha(0.2), upper)
		upper, lower = nil, nil
	}
	for i := range d.points {
		t := &d.points[i]
		low, high := float64(t.Low), float64(t.High)
		if !finite(low) || !finite(high) {
			flush()
			continue
		}
		upper, lower = append(upper, g.at(t.AtS, high)), append(lower, g.at(t.AtS, low))
	}
	flush()
	xs, ys := d.of(func(t *result.JockeyTick) float64 { return float64(t.Middle) })
	g.curve(p, line{colour: granted().Light, width: style.LineWidth}, xs, ys)
	if finite(d.EndS) {
		at := g.at(d.EndS, d.EndS)
		p.dot(granted().Light, at.x, at.y, style.DotRadius)
	}
}

// deadline draws the deadline, and its change.
func (d *jockeyRun) deadline(p *pen, g graph) {
	xs, ys := []float64{0, d.to}, []float64{d.DeadlineS, d.DeadlineS}
	if at := float64(d.ChangeAtS); finite(at) && at >= 0 && at <= d.to {
		xs, ys = []float64{0, at, at, d.to}, []float64{d.DeadlineS, d.DeadlineS, d.due(), d.due()}
	}
	g.curve(p, line{width: style.HeavyWidth}, xs, ys)
}

// tokens draws what ran, what would have done, what was requested, and the oracle.
func (d *jockeyRun) tokens(p *pen, g graph) {
	xs, ys := d.of(func(t *result.JockeyTick) float64 { return float64(t.Running) })
	if n := len(xs); n > 1 { // what ran is known at the instants of decisions
		area := make([]point, 0, n+2)
		for i := range xs {
			area = append(area, g.at(xs[i], ys[i]))
		}
		area = apart(area)
		p.polygon(used().Alpha(0.35), append(area, g.at(xs[n-1], 0), g.at(xs[0], 0)))
	}
	xs, ys = d.steps(func(t *result.JockeyTick) float64 { return float64(t.Raw) })
	g.curve(p, line{colour: needed().Light, width: 1.1}, xs, ys)
	xs, ys = d.steps(func(t *result.JockeyTick) float64 { return float64(t.Tokens) })
	g.curve(p, line{colour: granted().Light, width: style.HeavyWidth}, xs, ys)
	if d.Oracle > 0 {
		oracle := float64(d.Oracle)
		p.stroke(line{width: 1, dash: dashes()}, g.at(g.x.min, oracle), g.at(g.x.max, oracle))
	}
}

func (d *jockeyRun) caption() string {
	text := fmt.Sprintf("A simulated run of job %s under the policy %s, with %s.", style.Shorten(d.Job, 40), style.Shorten(d.Policy, 40),
		style.Of(int64(len(d.points)), "decision", "decisions"))
	if at := float64(d.ChangeAtS); finite(at) {
		text += fmt.Sprintf(" After %s (dashed) its deadline changed from %s to %s.", style.Seconds(at), style.Seconds(d.DeadlineS), style.Seconds(float64(d.ChangedS)))
	}
	return text + " Above: the end that its table of remaining times predicts at every decision, for the tokens then requested, without slack; " +
		"the disc is the end as it was. Below: the smallest allocation that meets the deadline with slack and dead zone, what was requested, and " +
		"the tasks that ran at that instant."
}

func (d *jockeyRun) alt() string {
	if len(d.points) == 0 {
		return "No decision is known."
	}
	most := 0
	for i := range d.points {
		most = max(most, d.points[i].Tokens)
	}
	return fmt.Sprintf("Lines over time. The run ended after %s, its deadline was %s; it requested %s at first and %s at most, the oracle has %s.",
		style.Seconds(d.EndS), style.Seconds(d.due()), style.Of(int64(d.points[0].Tokens), "token", "tokens"), style.Count(int64(most)), style.Count(int64(d.Oracle)))
}

func (d *jockeyRun) values() []Value {
	var out []Value
	add := func(what string, x float64) {
		if finite(x) {
			out = append(out, Value{"run", what, x})
		}
	}
	add("deadline, s", d.DeadlineS)
	add("deadline changes at, s", float64(d.ChangeAtS))
	add("deadline then, s", float64(d.ChangedS))
	add("end, s", d.EndS)
	add("oracle", float64(d.Oracle))
	add("decisions", float64(len(d.points)))
	for _, x := range []struct {
		what string
		i    int
	}{{"first", 0}, {"middle", len(d.points) / 2}, {"last", len(d.points) - 1}} {
		if len(d.points) == 0 {
			break
		}
		t := &d.points[x.i]
		add(x.what+" decision, s", t.AtS)
		add(x.what+" tokens", float64(t.Tokens))
		add(x.what+" predicted end, s", float64(t.Middle))
	}
	return out
}

package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// strand is a number over time under one scheduler.
type strand struct {
	name   string
	colour style.Colour
	dashed bool
	xs, ys []float64 // seconds; a step from each x to the next
}

// timePanel is a panel over time.
type timePanel struct {
	title string
	most  float64
	write func(float64) string
	of    []strand
	ended bool // it has a time axis of its own, over what there is in it; the panels before it share one
}

// span returns the first and the last instant of a panel.
func (t *timePanel) span() (from, to float64) {
	from = t.of[0].xs[0]
	for _, s := range t.of {
		from, to = min(from, s.xs[0]), max(to, s.xs[len(s.xs)-1])
	}
	return from, max(to, from+max(1e-6, 1e-9*from)) // an instant alone has some width, however late it is
}

// CarbyneOverTime draws what share of every resource was used over time, the tasks that ran, and those of one job.
func CarbyneOverTime(c *result.Carbyne, source Source) *Figure {
	order := ordered(c)
	d := &timesDrawing{job: followed(c), order: order}
	for _, name := range few(c.Order) {
		if s := c.Schedulers[name]; s != nil {
			d.names = append(d.names, name)
		}
	}
	for _, r := range c.Resources() {
		d.panel(ResourceTitle(r), style.Percent, 1, func(s *result.CarbyneScheduler) (xs, ys []float64) { return bins(s.BinS, s.Used[r]) }, c)
	}
	d.panel("tasks", style.Number, 0, func(s *result.CarbyneScheduler) (xs, ys []float64) { return bins(s.BinS, s.Tasks) }, c)
	whole := d.names
	if slices.Contains(d.names, "drf") && slices.Contains(d.names, "carbyne") { // as the paper does
		d.names = slices.DeleteFunc(slices.Clone(d.names), func(name string) bool { return name != "drf" && name != "carbyne" })
	}
	d.panel("tasks of "+d.job, style.Number, 0, func(s *result.CarbyneScheduler) (xs, ys []float64) {
		return stepsOf(s.Followed, func(f *result.CarbyneFollowed) []int { return f.All })
	}, c)
	d.names = whole
	d.own(c, order)
	if n := len(d.panels); n > 0 && d.job != "" {
		d.panels[n-1].ended = true
	}
	f := &Figure{Name: "carbyne-over-time", Title: "The cluster, and one job, over time", source: source}
	f.Caption = d.caption() + OfSeed(c) + " " + source.String()
	f.Alt = d.alt(c)
	for _, name := range d.names {
		for _, r := range c.Resources() {
			if u, ok := c.Schedulers[name].Utilization[r]; ok && finite(float64(u)) {
				f.Values = append(f.Values, Value{style.Shorten(name, 30), r + " used", float64(u)})
			}
		}
	}
	f.plan = d.sheet
	return f
}

// few returns the schedulers of which lines over time can be told apart: all, or of more than five those that the paper compares.
func few(order []string) []string {
	if len(order) <= 5 {
		return order
	}
	var out []string
	for _, name := range order {
		if slices.Contains([]string{"drf", "tetris", "sjf", "carbyne"}, name) {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return order[:5]
	}
	return out
}

// followed returns the id and the name of the job of which it is known what ran, "" where there is none.
func followed(c *result.Carbyne) string {
	for _, name := range c.Order {
		if s := c.Schedulers[name]; s != nil && s.Followed != nil {
			id, name := style.Shorten(s.Followed.Job, 30), style.Shorten(s.Followed.Name, 40)
			if name == "" || name == id {
				return "job " + id
			}
			return "job " + name + " (" + id + ")"
		}
	}
	return ""
}

// bins returns values of equal bins with where they begin.
func bins(width float64, values []float64) (xs, ys []float64) {
	if !finite(width) || width <= 0 {
		return nil, nil
	}
	for k, v := range values {
		if finite(v) && v >= 0 {
			xs, ys = append(xs, float64(k)*width), append(ys, v)
		}
	}
	return xs, ys
}

// stepsOf returns what is known of a followed job.
func stepsOf(f *result.CarbyneFollowed, of func(f *result.CarbyneFollowed) []int) (xs, ys []float64) {
	if f == nil {
		return nil, nil
	}
	for k, n := range of(f) {
		if k < len(f.AtS) && finite(f.AtS[k]) && f.AtS[k] >= 0 && n >= 0 && (k == 0 || f.AtS[k] >= f.AtS[k-1]) {
			xs, ys = append(xs, f.AtS[k]), append(ys, float64(n))
		}
	}
	return xs, ys
}

type timesDrawing struct {
	job    string
	names  []string
	order  []string // of all schedulers, by which they have colours
	panels []timePanel
}

func (d *timesDrawing) colour(name string) style.Colour { return schedulerColour(d.order, name) }

// high returns the height of a panel: one job's is taller, as its lines cross.
func (t *timePanel) high() float64 {
	if t.ended {
		return 130
	}
	return 56
}

// panel adds a panel, if there is anything in it.
func (d *timesDrawing) panel(title string, write func(float64) string, most float64, of func(s *result.CarbyneScheduler) (xs, ys []float64), c *result.Carbyne) {
	p := timePanel{title: title, most: most, write: write}
	for _, name := range d.names {
		xs, ys := of(c.Schedulers[name])
		if len(xs) > 1 {
			p.of = append(p.of, strand{name: name, colour: d.colour(name), xs: xs, ys: ys})
			p.most = max(p.most, slices.Max(ys))
		}
	}
	if len(p.of) > 0 {
		d.panels = append(d.panels, p)
	}
}

// own adds to the last panel what carbyne started by right.
func (d *timesDrawing) own(c *result.Carbyne, order []string) {
	s := c.Schedulers["carbyne"]
	if s == nil || len(d.panels) == 0 || s.Followed == nil {
		return
	}
	xs, ys := stepsOf(s.Followed, func(f *result.CarbyneFollowed) []int { return f.Own })
	if len(xs) > 1 {
		last := &d.panels[len(d.panels)-1]
		last.of = append(last.of, strand{"carbyne", schedulerColour(order, "carbyne"), true, xs, ys})
		last.most = max(last.most, slices.Max(ys))
	}
}

func (d *timesDrawing) sheet(width float64) sheet {
	var k key
	for _, name := range d.names {
		k = append(k, keyEntry{keyHeavy, d.colour(name).Light, style.Shorten(name, 30)})
	}
	k = append(k, keyEntry{keyDashed, style.Muted().Light, "carbyne, started by right"})
	const head = 26.0
	top := k.height(newFaces(), width)
	body := 0.0
	for i := range d.panels {
		body += d.panels[i].high() + head
	}
	height := top + max(body, 40) + scaleBelow
	if n := len(d.panels); n > 1 && d.panels[n-1].ended {
		height += scaleBelow
	}
	return sheet{height: height, draw: func(p *pen) {
		k.draw(p, width)
		if len(d.panels) == 0 {
			p.text("nothing is known of what ran", width/2, top+20, centred())
		}
		y := top
		for i := range d.panels {
			panel := &d.panels[i]
			high := panel.high()
			r := rect{scaleLeft, y + head, width - scaleLeft - style.Gap, high}
			headline(p, r, panel.title, "")
			last := i == len(d.panels)-1 || d.panels[i+1].ended
			d.draw(p, panel, r, last)
			y += high + head
			if last {
				y += scaleBelow
			}
		}
	}}
}

// draw draws a panel, with a time axis if it is the last that shares it.
func (d *timesDrawing) draw(p *pen, panel *timePanel, r rect, last bool) {
	from, to := 0.0, 0.0
	if panel.ended {
		from, to = panel.span()
	} else {
		for i := range d.panels {
			if !d.panels[i].ended {
				_, end := d.panels[i].span()
				to = max(to, end)
			}
		}
	}
	unit, name := clockUnit(to - from)
	g := graph{r, axis{from, to, plot.LinearScale{}, nil, 0}, linear(panel.most, panel.most > 5)}
	g.y.steps = []float64{0, panel.most}
	label := ""
	if last {
		g.x.steps, label = every(from, to, unit*roundUp((to-from)/6/unit)), name+" from the first arrival"
	}
	g.frame(p, label, func(s float64) string { return style.Number(s / unit) }, panel.write)
	for n := len(panel.of) - 1; n >= 0; n-- {
		panel.of[n].draw(p, g)
	}
}

func (s *strand) draw(p *pen, g graph) {
	var xs, ys []float64
	for k, x := range s.xs {
		if k > 0 {
			xs, ys = append(xs, x), append(ys, s.ys[k-1])
		}
		xs, ys = append(xs, x), append(ys, s.ys[k])
	}
	look := line{colour: s.colour.Light, width: 1.1}
	if s.dashed {
		look.dash = dashes()
	}
	g.curve(p, look, xs, ys)
}

func (d *timesDrawing) caption() string {
	text := "What is held of all machines, as schedulers believe it."
	if d.job != "" {
		text += fmt.Sprintf(" Below, how many tasks of %s run, which is of median size unless another was asked for; dashed, those of them that carbyne started as the "+
			"job’s own right, the others from what others left.", d.job)
	}
	return text
}

func (d *timesDrawing) alt(c *result.Carbyne) string {
	var parts []string
	for _, name := range d.names {
		if s := c.Schedulers[name]; finite(s.MakespanS) {
			parts = append(parts, style.Shorten(name, 30)+" until "+style.Seconds(s.MakespanS))
		}
	}
	if len(parts) == 0 {
		return "Nothing is known of what ran."
	}
	return "Lines over time of the use of resources: " + style.List(parts) + "."
}

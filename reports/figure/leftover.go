package figure

import (
	"fmt"
	"math"
	"slices"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// strip is one resource over time: what was held, and the part of it that could have been given away.
type strip struct {
	resource string
	title    string
	of       *result.LeftoverResource
	held     []float64 // per step of time; finite and not negative
	spare    []float64 // at most held
	most     float64   // of held
	write    func(float64) string
}

// Leftover draws what runs held of every resource over time, and how much of it they could have given away without ending
// later. units are those of the trace by resource, where it keeps its own.
func Leftover(l *result.Leftover, units map[string]string, source Source) *Figure {
	strips := leftoverStrips(l, units)
	span := float64(l.Timeline.StepS) * float64(len(l.Timeline.Running))
	f := &Figure{Name: "leftover", Title: "What runs held and could have given away", source: source}
	f.Caption = leftoverCaption(l, span) + " " + source.String()
	f.Alt = leftoverAlt(l)
	for i := range strips {
		f.Values = append(f.Values, strips[i].values()...)
	}
	sample := style.Of(int64(l.Runs), "run", "runs") + ", " + style.Of(l.Attempts, "task attempt", "task attempts")
	f.plan = func(width float64) sheet { return leftoverSheet(width, strips, span, sample) }
	return f
}

// ResourceTitle returns the name of a resource for people.
func ResourceTitle(resource string) string {
	titles := map[string]string{"cpu": "CPU", "mem": "memory", "disk_read": "disk read", "disk_write": "disk write",
		"net_in": "network in", "net_out": "network out", "gpu": "GPU"}
	if t, ok := titles[resource]; ok {
		return t
	}
	return style.Shorten(resource, 30)
}

// quantity returns how amounts of a resource are written, and the unit that is not part of that.
func quantity(unit string) (write func(float64) string, label string) {
	switch unit {
	case "bytes":
		return style.Bytes, ""
	case "bytes/s":
		return func(x float64) string { return style.Bytes(x) + "/s" }, ""
	}
	return style.Number, style.Shorten(unit, 60)
}

// available returns the names of the resources that there is something to show of.
func available(l *result.Leftover) []string {
	return slices.DeleteFunc(l.Names(), func(name string) bool { return !l.Resources[name].Available })
}

func leftoverStrips(l *result.Leftover, units map[string]string) []strip {
	var out []strip
	for _, name := range available(l) {
		v := l.Timeline.Resources[name]
		s := strip{resource: name, title: ResourceTitle(name), of: l.Resources[name]}
		unit := ""
		s.write, unit = quantity(units[name])
		if unit != "" {
			s.title += ", " + unit
		}
		for i := range min(len(v.Allocated), len(v.Spare)) {
			held, spare := v.Allocated[i], v.Spare[i]
			if !finite(held) || held < 0 {
				held = 0
			}
			if !(spare >= 0) {
				spare = 0
			}
			s.held, s.spare = append(s.held, held), append(s.spare, min(spare, held))
			s.most = max(s.most, held)
		}
		out = append(out, s)
	}
	return out
}

// share says in words how much of a resource could have been given away.
func (s *strip) share() string {
	text := style.Percent(float64(s.of.Share)) + " could have been given away"
	if s.of.EventWeighted.N > 0 {
		text += "; at the median event " + style.Percent(s.of.EventWeighted.P50)
	}
	if p := carbyneLeftover(s.resource); p != nil {
		text += " (published: " + style.Percent(p[0].x) + ")"
	}
	return text
}

func (s *strip) values() []Value {
	var out []Value
	add := func(what string, x float64) {
		if finite(x) {
			out = append(out, Value{s.resource, what, x})
		}
	}
	add("share", float64(s.of.Share))
	add("events", float64(s.of.EventWeighted.N))
	add("event p50", percentile(s.of.EventWeighted, "p50"))
	add("time p50", percentile(s.of.TimeWeighted, "p50"))
	for _, m := range carbyneLeftover(s.resource) {
		add("event "+m.what+", published", m.x)
	}
	add("most held", s.most)
	add("steps", float64(len(s.held)))
	return out
}

func leftoverSheet(width float64, strips []strip, span float64, sample string) sheet {
	strips = slices.Clone(strips)
	columns := 2 * int(width) / max(2, len(strips)+1) // so that a file hardly grows with the number of resources
	for i := range strips {
		strips[i].average(columns)
	}
	k := key{
		{keyBox, style.SeriesAt(0).Light, "needed when it was held"},
		{keyBox, style.SeriesAt(1).Light, "could have been given away"},
	}
	const head, gap = 36.0, 18.0
	across := 110.0
	if len(strips) > 3 {
		across = 72
	}
	top := k.height(newFaces(), width) + style.Gap
	height := top + float64(len(strips))*(head+across+gap) + 30
	if !finite(span) {
		span = 0
	}
	x, write, _ := clockAxis(0, span, false)
	share := linear(1, false)
	return sheet{height: height, draw: func(p *pen) {
		k.draw(p, width)
		left := 0.0
		for i := range strips {
			left = max(left, p.width(strips[i].write(strips[i].most), smallText()))
		}
		left = math.Ceil(left + 10)
		for i := range strips {
			area := rect{left, top + float64(i)*(head+across+gap) + head, width - left, across}
			strips[i].draw(p, area)
			if i < len(strips)-1 {
				graph{area, x, share}.below(p, "", func(float64) string { return "" })
				continue
			}
			_, unit := clockUnit(span)
			graph{area, x, share}.below(p, unit+" since the first event; "+sample, write)
		}
		if len(strips) == 0 {
			p.text("no resource is known", width/2, top+10, centred())
		}
	}}
}

// draw draws the strip: its title and what it says in words above the area, and the two layers.
func (s *strip) draw(p *pen, area rect) {
	p.text(p.fit(capital(s.title), p.w, text{bold: true}), 0, area.y-22, text{bold: true})
	p.text(p.fit(s.share(), p.w, smallText()), 0, area.y-8, smallText())
	y := func(x float64) float64 { return area.y + area.h*(1-x/s.most) }
	t := smallText()
	t.align = 1
	for _, x := range []float64{0, s.most / 2, s.most} {
		p.stroke(line{colour: style.Faint().Light}, point{area.x, y(x)}, point{area.x + area.w, y(x)})
	}
	p.text(s.write(s.most), area.x-6, y(s.most)+7, t)
	p.text("0", area.x-6, y(0)+1, t)
	held, spare := s.held, s.spare
	var base, needed, all []point
	for i := range held {
		x0, x1 := area.x+area.w*float64(i)/float64(len(held)), area.x+area.w*float64(i+1)/float64(len(held))
		base = append(base, point{x0, y(0)}, point{x1, y(0)})
		needed = append(needed, point{x0, y(held[i] - spare[i])}, point{x1, y(held[i] - spare[i])})
		all = append(all, point{x0, y(held[i])}, point{x1, y(held[i])})
	}
	between := func(colour style.Colour, upper, lower []point) {
		slices.Reverse(lower)
		p.polygon(colour.Light, corners(append(slices.Clone(upper), lower...)))
		slices.Reverse(lower)
	}
	between(style.SeriesAt(1), all, needed)
	between(style.SeriesAt(0), needed, base)
}

// average makes the steps of time no more than n, and finds the most that is held in one.
func (s *strip) average(n int) {
	s.held, s.spare = averages(s.held, n), averages(s.spare, n)
	s.most = 0
	for _, x := range s.held {
		s.most = max(s.most, x)
	}
	if s.most == 0 {
		s.most = 1 // an axis needs a length
	}
}

// averages returns at most n means of neighbours.
func averages(values []float64, n int) []float64 {
	per := (len(values) + n - 1) / n
	if per < 2 {
		return values
	}
	var out []float64
	for i := 0; i < len(values); i += per {
		part, sum := values[i:min(i+per, len(values))], 0.0
		for _, x := range part {
			sum += x
		}
		out = append(out, sum/float64(len(part)))
	}
	return out
}

func leftoverCaption(l *result.Leftover, span float64) string {
	text := fmt.Sprintf("What %s with %s held together, averaged within %s steps of %s.",
		style.Of(int64(l.Runs), "run", "runs"), style.Of(l.Attempts, "timed task attempt", "timed task attempts"),
		style.Count(int64(len(l.Timeline.Running))), style.Seconds(float64(l.Timeline.StepS)))
	if !finite(span) || span <= 0 {
		text = "Nothing is known of what runs held."
	}
	return text + " The attempts of each run are packed again from its observed end backwards, each as late as the stages that " +
		"depend on it allow, never holding more at once than the run did. What the run held beyond what that schedule needs at " +
		"the same time could have been given to others: the run would have ended no later. Attempts that failed stay where they " +
		"were; time in which nothing but the run's driver worked counts as slack. Published: medians over events at Microsoft " +
		"(Carbyne, OSDI 2016, section 2.2)."
}

func leftoverAlt(l *result.Leftover) string {
	var parts []string
	for _, name := range available(l) {
		parts = append(parts, fmt.Sprintf("%s %s", ResourceTitle(name), style.Percent(float64(l.Resources[name].Share))))
	}
	if len(parts) == 0 {
		return "No resource is known."
	}
	return "Areas over time. Share of what was held that could have been given away: " + style.List(parts) + "."
}

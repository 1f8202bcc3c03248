package figure

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// Levels of layers, from the ground upwards.
const (
	levelArea = iota
	levelSpan
	levelRule
	levelLine
	levelRing
	levelMark
	levelName
)

// told is the description that every layer has.
type told struct {
	name   string // in the key; empty for none
	look   look
	rank   int // level
	values []Value
	says   string // summary
}

func (t *told) shown() []Value    { return t.values }
func (t *told) explain() []entry  { return nil }
func (t *told) summary() string   { return t.says }
func (t *told) level() int        { return t.rank }
func (t *told) outside() []string { return nil }
func (t *told) reach() []point    { return nil }

// keyed returns an entry of the key, unless the layer has no name there or draws nothing.
func (t *told) keyed(drawn int, e entry) []entry {
	return given(t.name != "" && drawn > 0, e)
}

// view is a panel that layers draw on.
type view struct {
	*pen
	area rect
	x, y axis
}

// view returns the view of a panel's data. Its origin is the origin of the canvas, with y downwards: coordinates round
// alike wherever the sheet is.
func (p *pen) view(r rect, x, y axis) view {
	low, high := p.at(r.x, r.y+r.h), p.at(r.x+r.w, r.y)
	area := rect{low.X.Points(), -high.Y.Points(), (high.X - low.X).Points(), (high.Y - low.Y).Points()}
	return view{&pen{c: p.c, faces: p.faces}, area, x, y}
}

// at returns the place of a point; outside the axes it is on their edge.
func (v view) at(x, y float64) point {
	along, up := v.x.share(min(max(x, v.x.min), v.x.max)), v.y.share(min(max(y, v.y.min), v.y.max))
	return point{v.area.x + along*v.area.w, v.area.y + (1-up)*v.area.h}
}

// within reports whether x lies on the axis.
func (v view) within(x float64) bool { return x >= v.x.min && x <= v.x.max }

// lineLayer is a line through points, in ascending order of x.
type lineLayer struct {
	told
	points []point
	steps  bool    // a value holds until the next x
	marked bool    // has a mark at every point
	shift  float64 // to the right, in units of the drawing, to separate several lines
}

// newLine returns a line.
func newLine(name string, l look, points ...point) *lineLayer {
	return &lineLayer{told: told{name: name, look: l, rank: levelLine}, points: points}
}

// add adds a point.
func (l *lineLayer) add(x, y float64) { l.points = append(l.points, point{x, y}) }

// ys returns the heights of the points.
func (l *lineLayer) ys() []float64 { return lists.Map(l.points, func(q point) float64 { return q.y }) }

// last returns the last point of a line that has one.
func (l *lineLayer) last() point { return l.points[len(l.points)-1] }

// tell adds the values of a line, each named by its x, and a summary of its first and last value.
func (l *lineLayer) tell(of string, writeX, writeY func(float64) string) *lineLayer {
	for _, q := range l.points {
		l.values = append(l.values, Value{of, writeX(q.x), q.y})
	}
	return l.sum(of, writeX, writeY)
}

// sum adds a summary of the first and the last value of a line.
func (l *lineLayer) sum(of string, writeX, writeY func(float64) string) *lineLayer {
	if n := len(l.points); n > 0 {
		first, last := l.points[0], l.last()
		l.says = of + " from " + writeY(first.y) + " at " + writeX(first.x)
		l.says += words.When(n > 1, " to %s at %s", writeY(last.y), writeX(last.x))
	}
	return l
}

func (l *lineLayer) reach() []point { return l.points }

func (l *lineLayer) explain() []entry {
	if l.marked {
		return l.keyed(1, markedEntry(l.name, l.look))
	}
	return l.keyed(1, lineEntry(l.name, l.look))
}

// draw implements [layer]. The line breaks at values that are not finite and ends where it leaves the x axis.
func (l *lineLayer) draw(v view) {
	var points, marks []point
	flush := func() {
		v.stroke(l.look.line(), apart(points)...)
		points = nil
	}
	inside := func(q point) bool { return q.finite() && v.within(q.x) }
	for i, q := range l.points {
		if !inside(q) {
			if i > 0 && inside(l.points[i-1]) && q.finite() {
				points = append(points, l.leave(v, i-1, i))
			}
			flush()
			continue
		}
		if i > 0 && len(points) == 0 && l.points[i-1].finite() && l.points[i-1].x < v.x.min {
			points = append(points, l.leave(v, i, i-1))
		}
		at := v.at(q.x, q.y)
		at.x += l.shift
		if n := len(points); l.steps && n > 0 {
			points = append(points, point{at.x, points[n-1].y})
		}
		points, marks = append(points, at), append(marks, at)
	}
	flush()
	if l.marked {
		for _, at := range marks {
			v.spot(l.look, at, 2.6)
		}
	}
}

// leave returns where the line from a point on the axis to one beyond it leaves the axis.
func (l *lineLayer) leave(v view, in, out int) point {
	a, b, end := l.points[in], l.points[out], v.x.max
	if b.x < v.x.min {
		end = v.x.min
	}
	if l.steps {
		return v.at(end, l.points[min(in, out)].y)
	}
	share := (end - a.x) / (b.x - a.x)
	return v.at(end, a.y+share*(b.y-a.y))
}

// areaLayer is the area between the low and the high values of spans, in ascending order.
type areaLayer struct {
	told
	spans []span
}

// newArea returns an area.
func newArea(name string, l look, spans ...span) *areaLayer {
	return &areaLayer{told{name: name, look: l}, spans}
}

// add adds a span.
func (a *areaLayer) add(x, low, high float64) { a.spans = append(a.spans, span{x, low, high}) }

// step adds a stretch over which both lines are level.
func (a *areaLayer) step(from, to, low, high float64) {
	a.add(from, low, high)
	a.add(to, low, high)
}

func (a *areaLayer) reach() []point   { return ends(a.spans, false) }
func (a *areaLayer) explain() []entry { return a.keyed(len(a.spans), boxEntry(a.name, a.look)) }

// draw implements [layer]. The area ends and begins again at values that are not finite.
func (a *areaLayer) draw(v view) {
	var upper, lower []point
	flush := func() {
		up, low := apart(corners(upper)), apart(corners(lower))
		if len(up) > 1 {
			back := slices.Clone(low)
			slices.Reverse(back)
			v.polygon(a.look.ink(), append(slices.Clone(up), back...))
			v.stripes(a.look, up[0].x, up[len(up)-1].x, func(x float64) (float64, float64) {
				return heightAt(up, x), heightAt(low, x)
			})
		}
		upper, lower = nil, nil
	}
	for _, s := range a.spans {
		if !s.finite() {
			flush()
			continue
		}
		upper, lower = append(upper, v.at(s.at, s.high)), append(lower, v.at(s.at, s.low))
	}
	flush()
}

// heightAt returns the y of a line at x.
func heightAt(points []point, x float64) float64 {
	k, _ := slices.BinarySearchFunc(points, x, func(q point, x float64) int { return cmp.Compare(q.x, x) })
	if k == 0 || k == len(points) || points[k].x == points[k-1].x {
		return points[min(k, len(points)-1)].y
	}
	a, b := points[k-1], points[k]
	return a.y + (x-a.x)/(b.x-a.x)*(b.y-a.y)
}

// boxLayer is rectangles: bars, cells and bins.
type boxLayer struct {
	told
	boxes  []box
	thick  float64   // height in units of the drawing, for rows; 0 takes it from the boxes
	gap    float64   // left out between neighbours, in units of the drawing
	shades []float64 // opacity of each box
	texts  []string  // written right of each
	opaque bool      // hides layers below it even if its colour is pale
	inside bool      // texts lie on the plot, where there is room left of a box if not right of it
}

// box is a rectangle from a lower left to an upper right corner.
type box struct{ x0, y0, x1, y1 float64 }

// newBoxes returns a layer of boxes.
func newBoxes(name string, l look, boxes ...box) *boxLayer {
	return &boxLayer{told: told{name: name, look: l}, boxes: boxes}
}

func (b *boxLayer) explain() []entry { return b.keyed(len(b.boxes), boxEntry(b.name, b.look)) }
func (b *boxLayer) reach() (out []point) {
	for _, q := range b.boxes {
		out = append(out, point{q.x0, q.y0}, point{q.x1, q.y1})
	}
	return out
}
func (b *boxLayer) outside() []string { return given(!b.inside, b.texts...) }

// draw implements [layer]. Boxes have a least width, so that they are visible.
func (b *boxLayer) draw(v view) {
	var order []float64
	shaded := map[float64][]rect{}
	for i, q := range b.boxes {
		if q.x0 == q.x1 && len(b.texts) == 0 {
			continue
		}
		low, high := v.at(q.x0, q.y0), v.at(q.x1, q.y1)
		r := rect{low.x + b.gap/2, high.y, max(high.x-low.x-b.gap, 0.8), max(low.y-high.y, 0.8)}
		if b.thick > 0 {
			r.y, r.h = (low.y+high.y)/2-b.thick/2, b.thick
		}
		shade := 0.0
		if i < len(b.shades) {
			shade = b.shades[i]
		}
		if shaded[shade] == nil {
			order = append(order, shade)
		}
		shaded[shade] = append(shaded[shade], r)
		if i < len(b.texts) {
			b.write(v, r, b.texts[i])
		}
	}
	slices.Sort(order)
	for _, shade := range order {
		l := b.look
		if shade > 0 {
			l.opacity = shade
		}
		if b.opaque {
			v.fill(style.Paper().Light, shaded[shade]...)
		}
		v.filled(l, shaded[shade]...)
	}
}

// write writes the text of a box.
func (b *boxLayer) write(v view, r rect, words string) {
	t, x, y := smallText(), r.x+r.w+6, r.y+r.h/2+3.5
	if !b.inside {
		v.text(words, x, y, t)
		return
	}
	t.colour = style.Ink().Light
	right, left := v.area.x+v.area.w-x, r.x-6-v.area.x
	if v.width(words, t) > right && left > right {
		t.align, x, right = 1, r.x-6, left
	}
	v.text(v.fit(words, right, t), x, y, t)
}

// spanLayer is pale bars, of intervals.
type spanLayer struct {
	told
	spans []span
	along bool    // along x; else along y
	shift float64 // upwards or to the right, in units of the drawing
	width float64 // 0 is [barWidth]
}

// span is a bar at a place, from a low to a high value.
type span struct{ at, low, high float64 }

func (s span) finite() bool { return finite(s.at, s.low, s.high) }

// ends returns the ends of spans along x or along y.
func ends(spans []span, along bool) (out []point) {
	for _, s := range spans {
		if along {
			out = append(out, point{s.low, s.at}, point{s.high, s.at})
		} else {
			out = append(out, point{s.at, s.low}, point{s.at, s.high})
		}
	}
	return out
}

// newSpans returns a layer of upright bars.
func newSpans(name string, l look, spans ...span) *spanLayer {
	return &spanLayer{told: told{name: name, look: l, rank: levelSpan}, spans: spans}
}

func (s *spanLayer) reach() []point { return ends(s.spans, s.along) }

func (s *spanLayer) explain() []entry {
	if s.width > 0 && s.width <= 1 {
		return s.keyed(len(s.spans), lineEntry(s.name, s.look))
	}
	return s.keyed(len(s.spans), spanEntry(s.name))
}

// draw implements [layer].
func (s *spanLayer) draw(v view) {
	width := cmp.Or(s.width, barWidth)
	look := line{colour: s.look.faded(barOpacity).ink(), width: width}
	if width <= 1 {
		look.colour = s.look.ink()
	}
	for q := range slices.Chunk(ends(lists.Kept(s.spans, span.finite), s.along), 2) {
		a, b := v.at(q[0].x, q[0].y), v.at(q[1].x, q[1].y)
		if s.along {
			v.stroke(look, point{a.x, a.y - s.shift}, point{max(b.x, a.x+1), b.y - s.shift})
		} else {
			v.stroke(look, point{a.x + s.shift, a.y}, point{b.x + s.shift, min(b.y, a.y-1)})
		}
	}
}

// markLayer is marks at points: discs or other shapes, open ones for published values, or specks if there are
// many.
type markLayer struct {
	told
	points []point
	hollow bool
	specks float64 // size of specks; 0 draws marks
	radius float64 // 0 is [style.DotRadius]
	lift   float64 // upwards, in units of the drawing
}

// newMarks returns marks.
func newMarks(name string, l look, points ...point) *markLayer {
	return &markLayer{told: told{name: name, look: l, rank: levelMark}, points: points}
}

// rings returns open marks, for published values.
func rings(name string, l look, points ...point) *markLayer {
	m := newMarks(name, l, points...)
	m.hollow, m.rank = true, levelRing
	return m
}

func (m *markLayer) reach() []point { return m.points }

func (m *markLayer) explain() []entry {
	return m.keyed(len(m.points), spotEntry(m.name, m.look, m.hollow))
}

// draw implements [layer]. Marks beyond the ends of the x axis are left out.
func (m *markLayer) draw(v view) {
	radius := cmp.Or(m.radius, style.DotRadius)
	var specks []point
	for _, q := range m.points {
		if !q.finite() || !v.within(q.x) {
			continue
		}
		at := v.at(q.x, q.y)
		at.y -= m.lift
		switch {
		case m.specks > 0:
			specks = append(specks, at)
		case m.hollow:
			v.hollow(m.look, at, radius)
		default:
			v.spot(m.look, at, radius)
		}
	}
	if m.specks > 0 {
		v.specks(m.look.ink(), m.specks, thinned(specks))
	}
}

// ruleLayer is a straight line between two points, such as a reference; an infinite coordinate is the end of the axis.
type ruleLayer struct {
	told
	from, to point
	words    string // next to its lower end, or above its left end if it is level
}

// newRule returns a rule between two points.
func newRule(name string, l look, from, to point) *ruleLayer {
	return &ruleLayer{told: told{name: name, look: l, rank: levelRule}, from: from, to: to}
}

// across returns a rule at a height.
func across(name string, l look, y float64) *ruleLayer {
	return newRule(name, l, point{math.Inf(-1), y}, point{math.Inf(1), y})
}

// upright returns a rule at an x.
func upright(name string, l look, x float64) *ruleLayer {
	return newRule(name, l, point{x, math.Inf(-1)}, point{x, math.Inf(1)})
}

func (r *ruleLayer) reach() []point   { return []point{r.from, r.to} }
func (r *ruleLayer) explain() []entry { return r.keyed(1, lineEntry(r.name, r.look)) }

// draw implements [layer].
func (r *ruleLayer) draw(v view) {
	a, b := v.at(r.from.x, r.from.y), v.at(r.to.x, r.to.y)
	v.stroke(r.look.line(), a, b)
	if r.words == "" {
		return
	}
	t, x := smallText(), a.x+5
	if x+v.width(r.words, t) > v.area.x+v.area.w {
		t.align, x = 1, a.x-5
	}
	v.text(r.words, x, max(a.y, b.y)-6, t)
}

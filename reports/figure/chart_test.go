package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// drawChart draws a chart of any panels.
func drawChart(t *rapid.T) *chart {
	c := &chart{about: "Lines", nothing: "nothing", columns: rapid.IntRange(0, 5).Draw(t, "columns"),
		narrow: rapid.IntRange(0, 2).Draw(t, "narrow"), sharedY: rapid.Bool().Draw(t, "shared")}
	texts := rapid.StringMatching(`[a-z ]{0,60}`)
	for range rapid.IntRange(1, 9).Draw(t, "panels") {
		n := panel{title: texts.Draw(t, "title"), x: shareSteps().labelled(texts.Draw(t, "label")), y: shareSteps(),
			wide: rapid.IntRange(0, 4).Draw(t, "wide") == 0,
			high: rapid.Float64Range(40, 300).Draw(t, "high")}
		if rapid.Bool().Draw(t, "noted") {
			n.notes = []string{texts.Draw(t, "note")}
		}
		if rapid.IntRange(0, 3).Draw(t, "rows") == 0 {
			for range rapid.IntRange(1, 5).Draw(t, "n") {
				n.rows = append(n.rows, category{name: texts.Draw(t, "name"), heading: rapid.Bool().Draw(t, "heading")})
				n.ends = append(n.ends, rapid.StringMatching(`[0-9]{0,6}`).Draw(t, "end"))
			}
			n.y = rowAxis(len(n.rows))
		}
		n.layers = []layer{newLine(texts.Draw(t, "line"), lookAt(0), point{0, 0}, point{1, 1})}
		c.panels = append(c.panels, n)
	}
	return c
}

// Whatever the panels, their plots lie on the sheet, do not overlap, have one width per column, and stand below what is
// written above them.
func TestGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawChart(t)
		width := rapid.SampledFrom([]float64{style.WideWidth, style.WideWidth - 32, style.NarrowWidth}).Draw(t, "width")
		g := c.grid(newFaces(), width)
		widths := map[bool]map[int]bool{true: {}, false: {}}
		for i, s := range g.places {
			if s.plot.x < 0 || s.plot.x+s.plot.w > width+0.01 || s.plot.y < s.head-0.01 || s.plot.y+s.plot.h > g.height+
				0.01 {
				t.Fatalf("plot %d at %+v on a sheet of %v x %v", i, s.plot, width, g.height)
			}
			widths[s.panel.wide][int(math.Round(10*s.plot.w))] = true
			for k, o := range g.places[:i] {
				if s.plot.covers(o.plot) {
					t.Fatalf("plots %d and %d overlap: %+v, %+v", k, i, o.plot, s.plot)
				}
			}
		}
		if len(widths[false]) > 1 || len(widths[true]) > 1 {
			t.Fatalf("plots of several widths: %v", widths)
		}
		f := c.figure("any", "Any", "Any.", Source{Store: "s"})
		everyForm(t, f, false)
	})
}

// The key has every name once, the alternative text and the values what the layers tell; values that are not finite are
// left out.
func TestChartDerives(t *testing.T) {
	line := newLine("p50", lookAt(0), point{1, 3}, point{2, math.NaN()}).tell("short jobs", words.Number,
		words.Number)
	again := newLine("p50", lookAt(0))
	c := &chart{about: "Lines", nothing: "no run", panels: []panel{{title: "left", x: shareSteps(), y: shareSteps(),
		layers: []layer{line}},
		{title: "right", x: shareSteps(), y: shareSteps(), layers: []layer{again}}},
		key: []entry{spanEntry("all seeds")}}
	f := c.figure("f", "F", "C.", Source{Store: "s"}, Value{"jobs", "n", 2})
	if want := []Value{{"jobs", "n", 2}, {"short jobs", "1", 3}}; !slices.Equal(f.Values, want) {
		t.Errorf("values %v, want %v", f.Values, want)
	}
	if want := "Lines. Left: short jobs from 3 at 1 to – at 2."; f.Alt != want {
		t.Errorf("alternative text %q, want %q", f.Alt, want)
	}
	var key []string
	for _, e := range c.legend() {
		key = append(key, e.words)
	}
	if got := strings.Join(key, ", "); got != "p50, all seeds" {
		t.Errorf("key %s", got)
	}
	if f := (&chart{about: "Lines", nothing: "no run was made"}).figure("f", "F", "C.",
		Source{}); f.Alt != "No run was made." {
		t.Errorf("alternative text of nothing: %q", f.Alt)
	}
}

// No two series differ by colour alone: lines also by dashes, marks by shape, areas by stripes, until colours repeat.
func TestLooksDiffer(t *testing.T) {
	of := func(l look) (dash, stripes string) { return fmt.Sprint(l.dash), fmt.Sprint(l.stripe) }
	for i := range 49 {
		for k := range i {
			a, b := lookAt(i), lookAt(k)
			da, sa := of(a)
			db, sb := of(b)
			if a.colour == b.colour && da == db {
				t.Errorf("series %d and %d look the same", k, i)
			}
			if i < 7 && (da == db || sa == sb) {
				t.Errorf("series %d and %d differ by colour alone", k, i)
			}
			if i < 6 && a.shape == b.shape {
				t.Errorf("marks %d and %d have one shape", k, i)
			}
		}
	}
}

// A distribution of fewer than five values is marks without a line; of more, a line.
func TestFewValuesAreMarks(t *testing.T) {
	for n := 1; n <= 6; n++ {
		var xs []float64
		for i := range n {
			xs = append(xs, float64(i))
		}
		of := summaryOf(xs)
		c := newCurve("c", xs, of, lookAt(0))
		_, line := c.layers()[0].(*lineLayer)
		if line != (n > 4) {
			t.Errorf("%d values: a line is %v", n, line)
		}
		if m, ok := c.layers()[0].(*markLayer); ok && len(m.points) != n {
			t.Errorf("%d marks of %d values", len(m.points), n)
		}
	}
}

// Lines end where they leave the axis, and steps hold their value until then.
func TestLinesLeaveTheAxis(t *testing.T) {
	for _, c := range []struct {
		steps bool
		want  string
	}{{false, "l"}, {true, "h"}} {
		l := newLine("", lookAt(0), point{-1, 0}, point{0.5, 0.5}, point{3, 1})
		l.steps = c.steps
		ch := &chart{panels: []panel{{x: shareSteps(), y: shareSteps(), layers: []layer{l}}}}
		svg := ch.figure("f", "F", "C.", Source{}).InlineSVG(Wide)
		_, path, ok := strings.Cut(svg, `class="s-blue" stroke-width="1.75" d="M`)
		if path, _, _ = strings.Cut(path, `"`); !ok || !strings.Contains(path, c.want) ||
			strings.ContainsAny(path, "Mm") {
			t.Errorf("steps %v: path %q", c.steps, path)
		}
	}
}

// Words beside marks lie within the plot, and none covers another.
func TestNamesKeepApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := &nameLayer{above: rapid.Bool().Draw(t, "above"), left: rapid.Bool().Draw(t, "left")}
		for range rapid.IntRange(1, 8).Draw(t, "names") {
			at := point{rapid.Float64Range(0, 1).Draw(t, "x"), rapid.Float64Range(0, 1).Draw(t, "y")}
			n.names = append(n.names, named{at: at, words: rapid.StringMatching(`[a-z]{3,12}`).Draw(t, "words")})
		}
		c := &chart{panels: []panel{{x: shareSteps(), y: shareSteps(), layers: []layer{n}}}}
		var placed []rect
		f := newFaces()
		for _, line := range strings.Split(c.figure("f", "F", "C.", Source{}).InlineSVG(Wide), "\n") {
			var x, y float64
			if _, err := fmt.Sscanf(line, `<text x="%f" y="%f"`, &x, &y); err != nil {
				continue
			}
			_, words, _ := strings.Cut(line, ">")
			words, _, _ = strings.Cut(words, "<")
			placed = append(placed, rect{x, y - 8, f.width(words, smallText()), 9})
		}
		for i, r := range placed {
			for k, o := range placed[:i] {
				if r.covers(o) {
					t.Fatalf("names %d and %d overlap: %+v, %+v", k, i, o, r)
				}
			}
		}
	})
}

// summaryOf returns the size and the median of ascending values, which is all that these tests need.
func summaryOf(xs []float64) result.Summary {
	return result.Summary{N: len(xs), Min: xs[0], P50: xs[len(xs)/2], Max: xs[len(xs)-1]}
}

// rowProbe notes where the middle of each of its rows is drawn.
type rowProbe struct {
	told
	rows int
	ys   []float64
}

func (r *rowProbe) level() int       { return levelMark }
func (r *rowProbe) explain() []entry { return nil }
func (r *rowProbe) draw(v view) {
	for i := range r.rows {
		r.ys = append(r.ys, v.at(0, rowAt(i)).y)
	}
}

// Where names are above their rows, data is in the middle of what they leave, not under the names.
func TestDataIsBelowNames(t *testing.T) {
	for _, name := range []string{"short", strings.Repeat("long name ", 9)} {
		probe := &rowProbe{rows: 3}
		n := panel{x: shareSteps(), y: rowAxis(probe.rows), rows: make([]category, probe.rows), layers: []layer{probe}}
		for i := range n.rows {
			n.rows[i].name = name
		}
		c := &chart{panels: []panel{n}}
		s := c.grid(newFaces(), style.NarrowWidth).places[0]
		if (s.above > 0) != (name != "short") {
			t.Errorf("%q has %v above its row", name, s.above)
		}
		c.figure("f", "F", "C.", Source{}).InlineSVG(Narrow)
		high, sheet := s.plot.h/float64(probe.rows), c.sheet(style.NarrowWidth).height
		for i, y := range probe.ys {
			y += sheet // a canvas has its origin at the lower left
			if want := s.plot.y + float64(i)*high + (s.above+high)/2; math.Abs(y-want) > 0.01 {
				t.Errorf("%q: row %d at %v, want %v", name, i, y, want)
			}
		}
	}
}

// A line leads from a point to words that have no room next to it.
func TestDistantNamesAreLed(t *testing.T) {
	lines := func(marks []point) int {
		at := point{0.5, 0.5}
		n := panel{x: shareSteps(), y: shareSteps(),
			layers: []layer{&nameLayer{names: []named{{at: at, words: "Facebook"}}, marks: marks}}}
		drawn := (&chart{panels: []panel{n}}).figure("f", "F", "C.", Source{}).InlineSVG(Wide)
		if !strings.Contains(drawn, "Facebook") {
			t.Fatal("the name is not drawn")
		}
		return strings.Count(drawn, "s-muted")
	}
	var crowd []point
	for x := 0.3; x < 0.7; x += 0.005 {
		for y := 0.4; y < 0.6; y += 0.02 {
			crowd = append(crowd, point{x, y})
		}
	}
	if alone, crowded := lines(nil), lines(crowd); crowded != alone+1 {
		t.Errorf("%d lines where the name is next to its point, %d where it is not", alone, crowded)
	}
}

// The line to distant words goes around other words, or there is none.
func TestLeadCrossesNoWords(t *testing.T) {
	at, words := point{50, 10}, rect{0, 60, 48, 14}
	for _, tc := range []struct {
		name  string
		words rect
		other []rect
		end   point
		ok    bool
	}{
		{"next to the point", rect{58, 5, 40, 14}, nil, at, true},
		{"below, at the nearest corner", words, nil, point{48, 60}, true},
		{"below, past words at the right", words, []rect{{44, 40, 40, 14}}, point{24, 60}, true},
		{"above", rect{0, -60, 48, 14}, nil, point{48, -46}, true},
		{"no way", words, []rect{{0, 30, 90, 14}}, at, false},
	} {
		if end, ok := lead(at, tc.words, tc.other); end != tc.end || ok != tc.ok {
			t.Errorf("%s: %v, %v, want %v, %v", tc.name, end, ok, tc.end, tc.ok)
		}
	}
}

package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// scatter is the leftover of runs against one measure of their graphs of stages.
type scatter struct {
	measure string
	title   string
	xs, ys  []float64 // of runs; both finite
	axis    axis
	of      result.LeftoverCorrelation
}

// LeftoverShape draws the leftover of runs against the shape of their graphs of stages, one small plot per measure, with the
// correlation and the published one. runs is the analysis's table, one row per run.
func LeftoverShape(l *result.Leftover, runs *result.Table, source Source) *Figure {
	var panels []scatter
	for _, m := range [][2]string{{"stages", "stages"}, {"barriers", "barriers"}, {"critical_path_stages", "critical path"},
		{"disjoint_paths", "disjoint paths"}, {"width", "width"}} {
		panels = append(panels, newScatter(m[0], m[1], l, runs))
	}
	f := &Figure{Name: "leftover-shape", Title: "Leftover of runs and the shape of their graphs", source: source}
	f.Caption = scatterCaption(l, panels) + " " + source.String()
	f.Alt = scatterAlt(panels)
	for i := range panels {
		f.Values = append(f.Values, panels[i].values()...)
	}
	f.plan = func(width float64) sheet { return scatterSheet(width, panels) }
	return f
}

func newScatter(measure, title string, l *result.Leftover, runs *result.Table) scatter {
	s := scatter{measure: measure, title: title, of: l.Correlation[measure]}
	if runs != nil {
		xs, ys := runs.Pairs(measure, "leftover")
		for i := range xs {
			if finite(xs[i]) && xs[i] >= 0 && ys[i] >= 0 && ys[i] <= 1 {
				s.xs, s.ys = append(s.xs, xs[i]), append(s.ys, ys[i])
			}
		}
	}
	sorted := slices.Clone(s.xs)
	slices.Sort(sorted)
	s.axis = chooseAxis([][]float64{sorted}, nil, true)
	return s
}

// words writes the correlation, and what was published.
func (s *scatter) words() (measured, published string) {
	measured = "no correlation: constant"
	if x := float64(s.of.Pearson); finite(x) {
		measured = "r " + style.Fixed(x, 2)
		if rho := float64(s.of.Spearman); finite(rho) {
			measured += ", rank " + style.Fixed(rho, 2)
		}
	} else if s.of.N < 2 {
		measured = "fewer than two runs"
	}
	if x, ok := carbyneCorrelation(s.measure); ok {
		published = "published " + style.Fixed(x, 2)
	}
	return measured, published
}

func (s *scatter) values() []Value {
	out := []Value{{s.measure, "n", float64(s.of.N)}, {s.measure, "points", float64(len(s.xs))}}
	for _, v := range []Value{{s.measure, "pearson", float64(s.of.Pearson)}, {s.measure, "spearman", float64(s.of.Spearman)}} {
		if finite(v.Value) {
			out = append(out, v)
		}
	}
	if x, ok := carbyneCorrelation(s.measure); ok {
		out = append(out, Value{s.measure, "published", x})
	}
	return out
}

func scatterSheet(width float64, panels []scatter) sheet {
	columns, across := 5, 150.0
	if width < 500 {
		columns, across = 2, 140
	}
	const left, right, head, gap = 34.0, 6.0, 62.0, 18.0
	cell := (width - left - right - float64(columns-1)*gap) / float64(columns)
	rows := (len(panels) + columns - 1) / columns
	height := float64(rows)*(head+across) + float64(rows-1)*gap
	return sheet{height: height, draw: func(p *pen) {
		p.text(fmt.Sprintf("leftover of a run, time-weighted mean; n = %s", style.Of(int64(panels[0].of.N), "run", "runs")), 0, 9, smallText())
		for i := range panels {
			x, y := left+float64(i%columns)*(cell+gap), float64(i/columns)*(head+across+gap)
			panels[i].draw(p, rect{x, y + 16, cell, head + across - 16}, head-16, i%columns == 0)
		}
	}}
}

func (s *scatter) draw(p *pen, r rect, head float64, labels bool) {
	measured, published := s.words()
	heading(p, r, s.title, measured, published)
	plt := newPlot(p, s.axis, r.w, "", style.Number)
	plt.Y.Tick.Marker = shares{}
	plt.Add(grid{}, s)
	area := p.area(rect{r.x, r.y + head, r.w, r.h - head})
	plt.Draw(area)
	if labels {
		shareLabels(p, r.x, plt.DataCanvas(area))
	}
}

// spot is a place where points lie so near to each other that one dot at their mean stands for them.
type spot struct {
	column, row int
	x, y        vg.Length // sums
	n           int
}

// Plot implements [plot.Plotter]: dots that grow with the number of runs they stand for.
func (s *scatter) Plot(area draw.Canvas, p *plot.Plot) {
	const pitch = 6.0
	x, y := p.Transforms(&area)
	at := map[[2]int]int{}
	var spots []spot
	for i := range s.xs {
		if s.xs[i] < p.X.Min || s.xs[i] > p.X.Max {
			continue
		}
		px, py := x(s.xs[i]), y(s.ys[i])
		place := [2]int{int(px / pitch), int(py / pitch)}
		k, ok := at[place]
		if !ok {
			k = len(spots)
			at[place] = k
			spots = append(spots, spot{column: place[0], row: place[1]})
		}
		spots[k].x, spots[k].y, spots[k].n = spots[k].x+px, spots[k].y+py, spots[k].n+1
	}
	slices.SortFunc(spots, func(a, b spot) int { // the largest first, so that none is hidden
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.column, b.column), cmp.Compare(a.row, b.row))
	})
	area.SetColor(style.SeriesAt(0).Alpha(0.6))
	var squares vg.Path
	least, most := 1.5, 10.0
	if len(spots) > 0 && spots[0].n > 100 {
		least, most = 0.5, float64(spots[0].n)
	}
	for _, s := range spots {
		at := vg.Point{X: s.x / vg.Length(s.n), Y: s.y / vg.Length(s.n)}
		radius := vg.Length(least + (4-least)*math.Sqrt(float64(s.n-1)/most))
		if len(spots) <= maxDots {
			area.Fill(circle(at, radius))
			continue
		}
		squares.Move(vg.Point{X: at.X - radius, Y: at.Y - radius})
		squares.Line(vg.Point{X: at.X + radius, Y: at.Y - radius})
		squares.Line(vg.Point{X: at.X + radius, Y: at.Y + radius})
		squares.Line(vg.Point{X: at.X - radius, Y: at.Y + radius})
		squares.Close()
	}
	if len(squares) > 0 {
		area.Fill(squares)
	}
}

// maxDots is the number of dots of a small plot beyond which they become squares, which take less room in a file.
const maxDots = 100

func scatterCaption(l *result.Leftover, panels []scatter) string {
	text := fmt.Sprintf("Each dot is a run, larger where it stands for several at one place: n = %s. Leftover of a run: mean over the resources "+
		"that are known (%s) of the time-weighted share that the run could have given away. r: Pearson's correlation, rank: "+
		"Spearman's. Published: correlation at Microsoft (Carbyne, OSDI 2016, section 2.2). Edges that only the driver imposes "+
		"are left out of the graphs.", style.Of(int64(panels[0].of.N), "run", "runs"), resourceList(l))
	for i := range panels {
		if b := panels[i].axis.beyond; b > 0 {
			text += fmt.Sprintf(" %s: %s of the axis.", capital(panels[i].title),
				style.Of(int64(b), "run lies beyond the end", "runs lie beyond the end"))
		}
	}
	return text
}

// resourceList names the resources that are known.
func resourceList(l *result.Leftover) string {
	var names []string
	for _, name := range available(l) {
		names = append(names, ResourceTitle(name))
	}
	if len(names) == 0 {
		return "none"
	}
	return style.List(names)
}

func scatterAlt(panels []scatter) string {
	var parts []string
	for i := range panels {
		measured, _ := panels[i].words()
		parts = append(parts, panels[i].title+" "+strings.ReplaceAll(measured, "r ", "correlation "))
	}
	return "Scatter of the leftover of runs against measures of their graphs: " + strings.Join(parts, "; ") + "."
}

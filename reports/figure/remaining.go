package figure

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// Remaining draws C(p,a): how long a run still takes by the progress it has made, a fan of quantiles for each of a few allocations.
func Remaining(r *result.Remaining, source Source) *Figure {
	d := &remainingDrawing{Remaining: r}
	for _, a := range r.At {
		if len(a.S) == len(result.RemainingQuantiles()) && slices.IndexFunc(a.S, func(s []float64) bool { return len(s) < 2 || slices.ContainsFunc(s, notFinite) }) < 0 {
			d.fans = append(d.fans, a)
			d.most = max(d.most, a.S[len(a.S)-1][0])
		}
	}
	d.fans = spread(d.fans, mostFans)
	f := &Figure{Name: "remaining", Title: "How long a run still takes", source: source}
	f.Caption = d.caption() + " " + source.String()
	f.Alt = d.alt()
	for _, a := range d.fans {
		for q, name := range result.RemainingQuantiles() {
			f.Values = append(f.Values, Value{style.Of(int64(a.Tokens), "token", "tokens"), name + " at 0, s", a.S[q][0]},
				Value{style.Of(int64(a.Tokens), "token", "tokens"), name + " halfway, s", a.S[q][len(a.S[q])/2]})
		}
	}
	f.plan = d.sheet
	return f
}

func notFinite(x float64) bool { return !finite(x) }

// panelGap is the space between panels, in which their outer tick labels have room.
const panelGap = 30

// mostFans is how many allocations are drawn.
const mostFans = 4

// spread returns n elements at most, the first and the last among them.
func spread[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	var out []T
	for i := range n {
		out = append(out, all[i*(len(all)-1)/(n-1)])
	}
	return out
}

type remainingDrawing struct {
	*result.Remaining
	fans []result.RemainingAt
	most float64 // seconds
}

func (d *remainingDrawing) sheet(width float64) sheet {
	blue := style.SeriesAt(0)
	k := key{{keyHeavy, blue.Light, "median"}}
	if d.Method != "amdahl" {
		k = append(k, keyEntry{keyBox, blue.Alpha(fanInner), "half of the runs"}, keyEntry{keyBox, blue.Alpha(fanOuter), "nine in ten"})
	}
	columns := max(1, len(d.fans))
	if width < 500 {
		columns = min(columns, 2)
	}
	rows := (max(1, len(d.fans)) + columns - 1) / columns
	const head, high = 24.0, 190.0
	top := k.height(newFaces(), width) + style.Gap/2
	return sheet{height: top + float64(rows)*(head+high+20) + scaleBelow - 20, draw: func(p *pen) {
		k.draw(p, width)
		if len(d.fans) == 0 {
			p.text("no remaining time is known", width/2, top+head+high/2, centred())
			return
		}
		unit, name := clockUnit(d.most)
		wide := (width - scaleLeft + panelGap - style.Gap) / float64(columns)
		for i, a := range d.fans {
			column, row := i%columns, i/columns
			r := rect{scaleLeft + float64(column)*wide, top + float64(row)*(head+high+20) + head, wide - panelGap, high}
			g := graph{r, axis{max: 1, scale: plot.LinearScale{}, steps: []float64{0, 0.5, 1}},
				axis{max: d.most * 1.02, scale: plot.LinearScale{}, steps: every(0, d.most, unit*roundUp(d.most/5/unit))}}
			write := func(s float64) string { return style.Number(s / unit) }
			if column > 0 {
				write = func(float64) string { return "" }
			}
			var notes []string
			if column == 0 {
				notes = append(notes, name)
			}
			if float64(a.Tokens) > float64(d.MostTokens) { // never where that is not known
				notes = append(notes, "extrapolated")
			}
			headline(p, r, style.Of(int64(a.Tokens), "token", "tokens"), strings.Join(notes, ", "))
			g.frame(p, ended(row == rows-1, "progress"), style.Percent, write)
			d.fan(p, g, &a, blue)
		}
	}}
}

// How strong the bands of a fan are.
const (
	fanInner = 0.45
	fanOuter = 0.2
)

func (d *remainingDrawing) fan(p *pen, g graph, a *result.RemainingAt, colour style.Colour) {
	last := float64(len(a.S[0]) - 1)
	along := func(s []float64) []point {
		var out []point
		for i, y := range s {
			out = append(out, g.at(float64(i)/last, y))
		}
		return out
	}
	if d.Method != "amdahl" {
		for _, band := range []struct {
			low, high int
			opacity   float64
		}{{0, 4, fanOuter}, {1, 3, fanInner}} {
			up := along(a.S[band.high])
			slices.Reverse(up)
			p.polygon(colour.Alpha(band.opacity), append(along(a.S[band.low]), up...))
		}
	}
	p.stroke(line{colour: colour.Light, width: style.HeavyWidth}, along(a.S[2])...)
}

func (d *remainingDrawing) caption() string {
	text := fmt.Sprintf("C(p,a) of %s: the time that a run still takes, by its progress p (%s) and the tokens a that it holds until its end", style.Printable(d.Job), style.Printable(d.Indicator))
	if d.Method == "amdahl" {
		text += ", by Amdahl's law from the longest path and the work that are left; no distribution."
	} else {
		text += fmt.Sprintf(": %s, by a model of %s.", style.Of(d.Simulated, "simulated run", "simulated runs"), style.Of(int64(d.Runs), "past run", "past runs"))
	}
	if d.starts() {
		text += " The step at 0% is the time before the first task is done."
	}
	if len(d.fans) < len(d.At) {
		text += fmt.Sprintf(" %d of %d allocations are shown.", len(d.fans), len(d.At))
	}
	if most := float64(d.MostTokens); finite(most) {
		text += fmt.Sprintf(" Past runs held %s at most; beyond, run times are extrapolated.", style.Of(int64(most), "token", "tokens"))
	}
	return text
}

// starts reports whether more than a tenth of a run goes by before it makes progress, on any allocation that is drawn.
func (d *remainingDrawing) starts() bool {
	return slices.ContainsFunc(d.fans, func(a result.RemainingAt) bool { return a.S[2][1] < 0.9*a.S[2][0] })
}

func (d *remainingDrawing) alt() string {
	if len(d.fans) == 0 {
		return "No remaining time is known."
	}
	var parts []string
	for _, a := range d.fans {
		parts = append(parts, fmt.Sprintf("%s of %s", style.Seconds(a.S[2][0]), style.Of(int64(a.Tokens), "token", "tokens")))
	}
	return "Fans that fall to 0 as progress is made. A run that begins takes, in the median, " + style.List(parts) + "."
}

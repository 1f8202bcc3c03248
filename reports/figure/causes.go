package figure

import (
	"fmt"
	"math"
	"strings"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// maxCauseJobs is the number of jobs whose causes are drawn.
const maxCauseJobs = 12

// causeKind is a cause, or several, as one colour of a bar.
type causeKind struct {
	name   string
	causes []string
	colour style.Colour
}

// causeKinds are the parts of a bar from the left.
func causeKinds() []causeKind {
	return []causeKind{
		{"input size", []string{"input"}, style.SeriesAt(0)},
		{"tokens", []string{"tokens"}, style.SeriesAt(1)},
		{"queueing", []string{"queueing"}, style.SeriesAt(2)},
		{"spare tokens", []string{"spare"}, style.SeriesAt(3)},
		{"failures", []string{"failures"}, style.Alert()},
		{"hour and weekday", []string{"hour", "weekday"}, style.SeriesAt(4)},
		{"drift", []string{"drift"}, style.SeriesAt(5)},
		{"the rest", []string{result.Rest}, style.Faint()},
	}
}

// causeRow is a bar: the share of each kind.
type causeRow struct {
	name, note string
	bold       bool
	shares     []float64
}

// Causes draws where the variance of completion times comes from: the share of each cause, on average over recurring jobs and
// for those of the greatest impact.
func Causes(r *result.Recurrence, source Source) *Figure {
	kinds, rows := causeRows(r)
	f := &Figure{Name: "causes", Title: "Where the variance of completion times comes from", source: source}
	f.Caption = causesCaption(r, len(rows)) + " " + source.String()
	f.Alt = causesAlt(kinds, rows)
	for _, row := range rows {
		for i, k := range kinds {
			f.Values = append(f.Values, Value{row.name, k.name, row.shares[i]})
		}
	}
	f.plan = func(width float64) sheet { return causesSheet(width, kinds, rows) }
	return f
}

// causeRows returns the kinds of causes that are examined in any job, and the bars.
func causeRows(r *result.Recurrence) (kinds []causeKind, rows []causeRow) {
	mean := map[string]float64{}
	divided := 0
	seen := map[string]bool{result.Rest: true}
	for _, c := range r.Causes {
		mean[c.Cause] = float64(c.Mean)
		seen[c.Cause] = seen[c.Cause] || c.Jobs > 0
		if c.Cause == result.Rest {
			divided = c.Jobs
		}
	}
	for _, k := range causeKinds() {
		for _, c := range k.causes {
			if seen[c] {
				kinds = append(kinds, k)
				break
			}
		}
	}
	add := func(row causeRow, share func(cause string) float64) {
		sum := 0.0
		for _, k := range kinds {
			x := 0.0
			for _, c := range k.causes {
				if s := share(c); s >= 0 && s <= 1 { // not for NaN
					x += s
				}
			}
			row.shares = append(row.shares, x)
			sum += x
		}
		if math.Abs(sum-1) < 1e-6 { // else damaged, or not divided
			rows = append(rows, row)
		}
	}
	if divided > 1 {
		add(causeRow{name: fmt.Sprintf("mean of %s", style.Of(int64(divided), "job", "jobs")), bold: true}, func(c string) float64 { return mean[c] })
	}
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if len(rows) > maxCauseJobs {
			break
		}
		if !finite(float64(j.Causes.Rest)) {
			continue
		}
		note := fmt.Sprintf("CoV %s, n = %s", style.Percent(j.CoV), style.Count(int64(j.Causes.Runs)))
		add(causeRow{name: style.Shorten(j.Name, 60), note: note}, func(c string) float64 {
			if c == result.Rest {
				return float64(j.Causes.Rest)
			}
			return float64(j.Causes.Of[c])
		})
	}
	return kinds, rows
}

func causesSheet(width float64, kinds []causeKind, rows []causeRow) sheet {
	var k key
	for _, kind := range kinds {
		k = append(k, keyEntry{keyBox, kind.colour.Light, kind.name})
	}
	const bar, axis = 14.0, 36.0
	row, left, right := 22.0, 196.0, 118.0
	if width < 500 {
		row, left, right = 36, 0, 0
	}
	top := k.height(newFaces(), width) + 2*style.Gap
	height := top + max(1, float64(len(rows)))*row + axis
	return sheet{height: height, draw: func(p *pen) {
		k.draw(p, width)
		if len(rows) == 0 {
			p.text("no recurring job has enough runs", width/2, top+20, centred())
			return
		}
		small := smallText()
		room := width - left - right
		bottom := top + float64(len(rows))*row
		for i, r := range rows {
			y := top + float64(i)*row
			label := text{bold: r.bold}
			if left > 0 {
				p.text(p.fit(r.name, left-style.Gap, label), 0, y+bar-2, label)
				p.text(r.note, left+room+style.Gap, y+bar-2, small)
			} else {
				note := p.width(r.note, small)
				p.text(p.fit(r.name, width-note-style.Gap, label), 0, y+10, label)
				small.align = 1
				p.text(r.note, width, y+10, small)
				small.align = 0
				y += 14
			}
			p.stack(kinds, r.shares, rect{left, y, room, bar})
		}
		for _, share := range []float64{0, 0.25, 0.5, 0.75, 1} {
			x := left + share*room
			p.stroke(line{colour: style.Muted().Light}, point{x, bottom}, point{x, bottom + 4})
			t := small
			t.align = share // the first begins at the axis, the last ends there
			p.text(style.Percent(share), x, bottom+14, t)
		}
		p.stroke(line{colour: style.Muted().Light}, point{left, bottom}, point{left + room, bottom})
		p.text("share of the variance of log completion time", left+room/2, bottom+30, centred())
	}}
}

// stack draws shares side by side.
func (p *pen) stack(kinds []causeKind, shares []float64, r rect) {
	x := r.x
	for i, share := range shares {
		w := share * r.w
		if w > 1.5 {
			p.fill(kinds[i].colour.Light, rect{x, r.y, w - 0.75, r.h}) // so that neighbours are told apart
		} else if w > 0 {
			p.fill(kinds[i].colour.Light, rect{x, r.y, w, r.h})
		}
		x += w
	}
}

func causesCaption(r *result.Recurrence, rows int) string {
	divided := 0
	var without []string
	for _, c := range r.Causes {
		switch {
		case c.Cause == result.Rest:
			divided = c.Jobs
		case c.Jobs == 0:
			without = append(without, style.Shorten(c.Cause, 20))
		}
	}
	text := fmt.Sprintf("Shares of the variance of the logarithm of the completion time, for %s of %s with enough runs",
		style.Count(int64(divided)), style.Of(int64(len(r.Jobs)), "recurring job", "recurring jobs"))
	if divided > maxCauseJobs {
		text += fmt.Sprintf("; shown are the mean and the %d jobs of the greatest impact (variance × cost)", maxCauseJobs)
	} else if rows > 1 {
		text += ", by impact (variance × cost)"
	}
	text += ". Shares are by regression, averaged over all orders of the causes and adjusted for their number (lmg); drift has what it " +
		"explains beyond the others. n: runs that a job's bar rests on. What goes with a cause is put down to it, whether or not it is its effect."
	if len(without) > 0 && divided > 0 {
		text += " Not examined in any job, for lack of data: " + style.List(without) + "."
	}
	return text
}

func causesAlt(kinds []causeKind, rows []causeRow) string {
	if len(rows) == 0 {
		return "No recurring job has enough runs to divide its variance."
	}
	var parts []string
	for i, k := range kinds {
		parts = append(parts, k.name+" "+style.Percent(rows[0].shares[i]))
	}
	return "Stacked bars of the shares of causes in the variance of completion times. " + capital(strings.TrimSpace(rows[0].name)) + ": " + style.List(parts) + "."
}

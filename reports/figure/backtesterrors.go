package figure

import (
	"fmt"
	"image/color"
	"math"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// maxErrorRows is the number of jobs of which errors are drawn.
const maxErrorRows = 25

// errorRow is the median absolute errors of some runs, in the order of the methods; not finite where a method predicts none.
type errorRow struct {
	name   string
	note   string
	bold   bool
	errors []float64
}

// PredictionErrors draws how far predictions were off, per job and over all runs, beside those of simple ways to predict. Where
// runs have no times, it draws the same of their stages.
func PredictionErrors(b *result.Backtest, source Source) *Figure {
	rows := errorRows(b)
	f := &Figure{Name: "prediction-errors", Title: "How far predictions were off", source: source}
	f.Caption = errorsCaption(b, len(rows)) + " " + source.String()
	f.Alt = errorsAlt(b, rows)
	for _, r := range rows {
		for i, e := range r.errors {
			if finite(e) {
				f.Values = append(f.Values, Value{r.name, MethodName(b.Methods[i]), e})
			}
		}
	}
	f.plan = func(width float64) sheet { return errorsSheet(width, b.Methods, rows) }
	return f
}

// MethodName returns the name of a way to predict for people.
func MethodName(method string) string {
	names := map[string]string{"last": "last run", "mean5": "mean of the last 5", "lognormal": "lognormal", "ols": "least squares",
		"ols_log": "log-linear", "ernest": "Ernest", "amdahl": "Amdahl", "stages": "stage by stage", "replay": "replay", "pooled": "all other runs together", "nearest": "nearest run"}
	if n, ok := names[method]; ok {
		return n
	}
	return style.Shorten(method, 30)
}

// QuantityName returns the name of what is predicted of runs that are held out.
func QuantityName(quantity string) string {
	names := map[string]string{"duration_p50": "median task of a stage", "duration_p90": "p90 of a stage's tasks", "work": "task-seconds of a run"}
	if n, ok := names[quantity]; ok {
		return n
	}
	return style.Shorten(quantity, 40)
}

func errorRows(b *result.Backtest) []errorRow {
	var rows []errorRow
	add := func(name string, bold bool, n int, errors map[string]result.BacktestErrors) {
		r := errorRow{name: style.Shorten(name, 60), note: "n = " + style.Count(int64(n)), bold: bold}
		for _, method := range b.Methods {
			e, ok := errors[method]
			x := float64(e.MedianAbsolute)
			if !ok || e.N == 0 || x < 0 {
				x = math.NaN()
			}
			r.errors = append(r.errors, x)
		}
		rows = append(rows, r)
	}
	if b.Held != nil {
		for _, q := range b.Held.Quantities() {
			add(QuantityName(q), false, b.Held.Errors[q][method0(b)].N, b.Held.Errors[q])
		}
		return rows
	}
	if b.Predicted > 0 {
		add("all runs", true, b.Predicted, b.Errors)
	}
	for i := range b.PerJob {
		if i < maxErrorRows {
			add(b.PerJob[i].Job, false, b.PerJob[i].Predicted, b.PerJob[i].Errors)
		}
	}
	return rows
}

// method0 is the first method, racecard's.
func method0(b *result.Backtest) string {
	if len(b.Methods) == 0 {
		return ""
	}
	return b.Methods[0]
}

func errorsSheet(width float64, methods []string, rows []errorRow) sheet {
	k := key{}
	for i, m := range methods {
		mark := keyRing
		if i == 0 {
			mark = keyDisc
		}
		k = append(k, keyEntry{mark, methodColour(i), MethodName(m)})
	}
	var all []float64
	for _, r := range rows {
		for _, e := range r.errors {
			if finite(e) {
				all = append(all, min(e, mostError))
			}
		}
	}
	most := 0.1
	for _, e := range all {
		most = max(most, e)
	}
	a := chooseAxis([][]float64{{0, most}}, nil, false)
	const axis = 38.0
	row, left, right := 24.0, 210.0, 64.0
	if width < 500 {
		row, left, right = 38, 8, 12
	}
	top := k.height(newFaces(), width) + 2*style.Gap
	bottom := top + max(1, float64(len(rows)))*row
	return sheet{height: bottom + axis, draw: func(p *pen) {
		k.draw(p, width)
		room := width - left - right
		at := func(e float64) float64 { return left + a.scale.Normalize(a.min, a.max, min(e, mostError))*room }
		t := smallText()
		t.align = 0.5
		label := func(s string) float64 { return p.width(s, t) }
		for _, tick := range (ticker{a, room, style.Percent, label}).Ticks(a.min, a.max) {
			x := at(tick.Value)
			p.stroke(line{colour: style.Faint().Light}, point{x, top - 4}, point{x, bottom})
			p.stroke(line{colour: style.Muted().Light}, point{x, bottom}, point{x, bottom + 4})
			p.text(tick.Label, x, bottom+14, t)
		}
		p.stroke(line{colour: style.Muted().Light}, point{left, bottom}, point{left + room, bottom})
		p.text("median absolute error, share of the observed value", left+room/2, bottom+31, centred())
		for i := range rows {
			rows[i].draw(p, rect{left, top + float64(i)*row, room, row}, width, at)
		}
		if len(rows) == 0 {
			p.text("no run was predicted", width/2, top+14, centred())
		}
	}}
}

// mostError is where errors that are larger are drawn.
const mostError = 2.0

// methodColour returns the colour of the i-th method.
func methodColour(i int) color.Color { return style.SeriesAt(i).Light }

// draw draws a row into an area: its name at the left, or above it on a narrow sheet, and a mark per method, racecard's last.
func (r *errorRow) draw(p *pen, area rect, width float64, at func(float64) float64) {
	name, note := text{bold: r.bold}, smallText()
	y := area.y + area.h/2
	if area.x > 20 {
		p.text(p.fit(r.name, area.x-2*style.Gap, name), 0, y+4, name)
		p.text(r.note, area.x+area.w+style.Gap, y+4, note)
	} else {
		room := p.width(r.note, note)
		p.text(p.fit(r.name, width-room-2*style.Gap, name), 0, area.y+11, name)
		note.align = 1
		p.text(r.note, width, area.y+11, note)
		y = area.y + area.h - 12
	}
	p.stroke(line{colour: style.Faint().Light}, point{area.x, y}, point{area.x + area.w, y})
	for i := len(r.errors) - 1; i >= 0; i-- {
		e := r.errors[i]
		switch {
		case !finite(e):
		case i == 0:
			p.dot(methodColour(i), at(e), y, style.DotRadius+1)
		default:
			p.ring(line{colour: methodColour(i), width: 1.5}, at(e), y, style.DotRadius)
		}
	}
}

func errorsCaption(b *result.Backtest, rows int) string {
	text := "Median over runs of |predicted − observed| / observed."
	if b.Held != nil {
		text += fmt.Sprintf(" No run of the trace tells how long it took. %s with %s were held out in turn, each at a number of tokens that no other run "+
			"of its job held, and predicted from the others: the median and the 90th percentile of the run times of a stage's tasks, and the task-seconds "+
			"of the run; this says nothing of how long runs take.", style.Of(int64(b.Held.Runs), "run", "runs"), style.Of(int64(b.Held.Stages), "stage", "stages"))
	} else {
		text += fmt.Sprintf(" %s of %s, each predicted from the runs before it. Last run, mean of the last 5: of completion times. Amdahl: driver time and "+
			"longest path, and all other work spread over the tokens (Jockey, section 4.1). Stage by stage: the last run's driver time, and each level of its "+
			"graph on the tokens, in the manner of Sparklens. n: runs that were predicted.", style.Of(int64(b.Predicted), "run", "runs"),
			style.Of(int64(b.Jobs), "recurring job", "recurring jobs"))
		if len(b.PerJob) > maxErrorRows {
			text += fmt.Sprintf(" Shown are %d of %s.", rows-1, style.Of(int64(len(b.PerJob)), "job", "jobs"))
		}
	}
	for _, r := range errorRows(b) {
		for _, e := range r.errors {
			if e > mostError {
				return text + " Errors above " + style.Percent(mostError) + " are drawn there."
			}
		}
	}
	return text
}

func errorsAlt(b *result.Backtest, rows []errorRow) string {
	if len(rows) == 0 {
		return "No run was predicted."
	}
	var parts []string
	for i, e := range rows[0].errors {
		if finite(e) {
			parts = append(parts, MethodName(b.Methods[i])+" "+style.Percent(e))
		}
	}
	if len(parts) == 0 {
		return "Errors of no method are known."
	}
	return "Dots of median absolute errors per method. " + capital(rows[0].name) + ": " + style.List(parts) + "."
}

package figure

import (
	"fmt"
	"math"
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// maxCauseJobs is the number of jobs whose causes are drawn.
const maxCauseJobs = 12

// causeKind is a cause, or several, as one colour of a bar.
type causeKind struct {
	name   string
	causes []string
	look   look
}

// causeKinds are the parts of a bar from the left.
func causeKinds() []causeKind {
	return []causeKind{
		{"input size", []string{"input"}, lookAt(0)},
		{"tokens", []string{"tokens"}, lookAt(1)},
		{"queueing", []string{"queueing"}, lookAt(2)},
		{"spare tokens", []string{"spare"}, lookAt(3)},
		{"failures", []string{"failures"}, look{colour: style.Alert(), stripe: stripe{2.5, false}}},
		{"hour and weekday", []string{"hour", "weekday"}, lookAt(4)},
		{"drift", []string{"drift"}, lookAt(5)},
		{"the rest", []string{result.Rest}, look{colour: style.Faint()}},
	}
}

// causeRow is a bar: the share of each kind.
type causeRow struct {
	name, note string
	bold       bool
	shares     []float64
}

// Causes draws the causes of the variance of completion times: the share of each cause, on average over
// recurring jobs and for the jobs of greatest impact.
func Causes(r *result.Recurrence, source Source) *Figure {
	kinds, rows := causeRows(r)
	n := panel{x: shareSteps(), label: "share of the variance of log completion time",
		writeX: words.Percent, rowHeight: 21}
	layers := make([]*boxLayer, len(kinds))
	for k, kind := range kinds {
		layers[k] = &boxLayer{told: told{name: kind.name, look: kind.look}, thick: 14, gap: 0.75}
		n.layers = append(n.layers, layers[k])
	}
	var values []Value
	for i, row := range rows {
		n.row(category{name: row.name, bold: row.bold}, row.note)
		x, y := 0.0, rowAt(i)
		var parts []string
		for k, kind := range kinds {
			if share := row.shares[k]; share > 0 {
				layers[k].boxes = append(layers[k].boxes, box{x, y, x + share, y})
				x += share
			} else {
				layers[k].boxes = append(layers[k].boxes, box{x, y, x, y}) // for its entry in the key
			}
			values = append(values, Value{row.name, kind.name, row.shares[k]})
			parts = append(parts, kind.name+" "+words.Percent(row.shares[k]))
		}
		if i == 0 {
			layers[0].says = strings.TrimSpace(row.name) + ": " + words.List(parts)
		}
	}
	c := &chart{about: "Stacked bars of the shares of causes in the variance of completion times",
		nothing: "no recurring job has enough runs to divide its variance", panels: withRows(n)}
	return c.figure("causes", "Where the variance of completion times comes from", causesCaption(r, len(rows)), source,
		values...)
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
		if math.Abs(sum-1) < 1e-6 { // otherwise damaged, or not divided
			rows = append(rows, row)
		}
	}
	if divided > 1 {
		add(causeRow{name: fmt.Sprintf("mean of %s", words.Of(divided, "job", "jobs")), bold: true},
			func(c string) float64 { return mean[c] })
	}
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if len(rows) > maxCauseJobs {
			break
		}
		if !finite(float64(j.Causes.Rest)) {
			continue
		}
		note := fmt.Sprintf("CoV %s, n = %s", words.Percent(j.CoV), words.Count(j.Causes.Runs))
		add(causeRow{name: words.Shorten(j.Name, 60), note: note}, func(c string) float64 {
			if c == result.Rest {
				return float64(j.Causes.Rest)
			}
			return float64(j.Causes.Of[c])
		})
	}
	return kinds, rows
}

func causesCaption(r *result.Recurrence, rows int) string {
	divided := 0
	var without []string
	for _, c := range r.Causes {
		switch {
		case c.Cause == result.Rest:
			divided = c.Jobs
		case c.Jobs == 0:
			without = append(without, words.Shorten(c.Cause, 20))
		}
	}
	text := fmt.Sprintf("Shares of the variance of the logarithm of the completion time, for %s of %s with enough runs",
		words.Count(divided), words.Of(len(r.Jobs), "recurring job", "recurring jobs"))
	if divided > maxCauseJobs {
		text += fmt.Sprintf("; shown are the mean and the %d jobs of the greatest impact (variance × cost)",
			maxCauseJobs)
	} else if rows > 1 {
		text += ", by impact (variance × cost)"
	}
	text += ". Shares are by regression, averaged over all orders of the causes and adjusted for their number (lmg); " +
		"drift has the part that it explains beyond the others. n: runs that a job's bar rests on. Variance that " +
		"goes with a cause is put down to it, whether or not the cause has that effect."
	if len(without) > 0 && divided > 0 {
		text += " Not examined in any job, for lack of data: " + words.List(without) + "."
	}
	return text
}

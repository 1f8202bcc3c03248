package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// maxCauseJobs is the number of jobs whose causes are drawn.
const maxCauseJobs = 12

// causeKind is a cause, or several, as one class of a bar.
type causeKind struct {
	told
	causes []string
}

// causeKinds are the parts of a bar from the left.
func causeKinds() []causeKind {
	return []causeKind{
		{told{name: "input size", look: lookAt(0)}, []string{"input"}},
		{told{name: "tokens", look: lookAt(1)}, []string{"tokens"}},
		{told{name: "queueing", look: lookAt(2)}, []string{"queueing"}},
		{told{name: "spare tokens", look: lookAt(3)}, []string{"spare"}},
		{told{name: "failures", look: look{colour: style.Alert(), stripe: stripe{2.5, false}}}, []string{"failures"}},
		{told{name: "hour and weekday", look: lookAt(4)}, []string{"hour", "weekday"}},
		{told{name: "drift", look: lookAt(5)}, []string{"drift"}},
		{told{name: "the rest", look: look{colour: style.Faint()}}, []string{result.Rest}},
	}
}

// Causes draws the causes of the variance of completion times: the share of each cause, on average over
// recurring jobs and for the jobs of greatest impact.
func Causes(r *result.Recurrence, source Source) *Figure {
	kinds, rows := causeRows(r)
	bars := newShareBars(lists.Map(kinds, func(k causeKind) told { return k.told }))
	n := bars.panel("the variance of log completion time")
	var values []Value
	for i, row := range rows {
		n.row(row.category, row.end)
		bars.stack(i, row.values)
		var parts []string
		for k, kind := range kinds {
			values = append(values, Value{row.name, kind.name, row.values[k]})
			parts = append(parts, kind.name+" "+words.Percent(row.values[k]))
		}
		if i == 0 {
			bars[0].says = strings.TrimSpace(row.name) + ": " + words.List(parts)
		}
	}
	c := &chart{about: "Stacked bars of the shares of causes in the variance of completion times",
		nothing: "no recurring job has enough runs to divide its variance", panels: withRows(n)}
	return c.figure("causes", "Where the variance of completion times comes from", causesCaption(r, len(rows)), source,
		values...)
}

// dividedJobs returns the number of jobs whose variance was divided.
func dividedJobs(r *result.Recurrence) (n int) {
	for _, c := range r.Causes {
		if c.Cause == result.Rest {
			n = c.Jobs
		}
	}
	return n
}

// causeRows returns the kinds of causes that are examined in any job, and the bars.
func causeRows(r *result.Recurrence) (kinds []causeKind, rows []valueRow) {
	mean, seen := map[string]float64{}, map[string]bool{result.Rest: true}
	for _, c := range r.Causes {
		mean[c.Cause] = float64(c.Mean)
		seen[c.Cause] = seen[c.Cause] || c.Jobs > 0
	}
	kinds = slices.DeleteFunc(causeKinds(), func(k causeKind) bool {
		return !slices.ContainsFunc(k.causes, func(c string) bool { return seen[c] })
	})
	add := func(c category, end string, share func(cause string) float64) {
		row, sum := valueRow{category: c, end: end}, 0.0
		for _, k := range kinds {
			x := 0.0
			for _, c := range k.causes {
				if s := share(c); s >= 0 && s <= 1 { // not for NaN
					x += s
				}
			}
			row.values = append(row.values, x)
			sum += x
		}
		if math.Abs(sum-1) < 1e-6 { // otherwise they are damaged, or none were found
			rows = append(rows, row)
		}
	}
	if n := dividedJobs(r); n > 1 {
		add(category{name: "mean of " + words.Of(n, "job", "jobs"), bold: true}, "",
			func(c string) float64 { return mean[c] })
	}
	for _, j := range r.Jobs {
		if len(rows) > maxCauseJobs {
			break
		}
		if !finite(j.Causes.Rest) {
			continue
		}
		note := fmt.Sprintf("CoV %s, n = %s", words.Percent(j.CoV), words.Count(j.Causes.Runs))
		add(category{name: words.Shorten(j.Name, 60)}, note, func(c string) float64 {
			if c == result.Rest {
				return float64(j.Causes.Rest)
			}
			return float64(j.Causes.Of[c])
		})
	}
	return kinds, rows
}

func causesCaption(r *result.Recurrence, rows int) string {
	divided := dividedJobs(r)
	without := lists.Kept(r.Causes, func(c result.Cause) bool { return c.Cause != result.Rest && c.Jobs == 0 })
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
	text += words.When(len(without) > 0 && divided > 0, " Not examined in any job, for lack of data: %s.",
		words.List(lists.Map(without, func(c result.Cause) string { return words.Shorten(c.Cause, 20) })))
	return text
}

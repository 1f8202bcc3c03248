package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// maxErrorRows is the number of jobs whose errors are drawn.
const maxErrorRows = 25

// PredictionErrors draws the errors of predictions, per job and over all runs, next to the errors of simple
// methods. If runs have no times, it draws the errors for their stages.
func PredictionErrors(b *result.Backtest, source Source) *Figure {
	rows := errorRows(b)
	n := panel{}
	marks := make([]*markLayer, len(b.Methods))
	for i, m := range b.Methods {
		look := lookAt(i)
		look.shape = shape(i % int(cross+1))
		if marks[i] = rings(MethodName(m), look); i == 0 {
			marks[i] = newMarks(MethodName(m), look)
			marks[i].radius = style.DotRadius + 1
		}
		n.layers = append(n.layers, marks[i])
	}
	most, far := 0.1, false
	var values []Value
	for i, r := range rows {
		n.row(r.category, r.end)
		for k, e := range r.values {
			if !finite(e) {
				continue
			}
			most, far = max(most, min(e, mostError)), far || e > mostError
			marks[k].points = append(marks[k].points, point{min(e, mostError), rowAt(i)})
			values = append(values, Value{r.name, MethodName(b.Methods[k]), e})
			if i == 0 {
				marks[k].says = MethodName(b.Methods[k]) + " " + words.Percent(e)
			}
		}
	}
	n.x = upTo(most, false).in(words.Percent).labelled("median absolute error, share of the observed value")
	c := &chart{about: "Marks of median absolute errors per method", nothing: "no run was predicted",
		panels: withRows(n)}
	return c.figure("prediction-errors", "How far predictions were off", errorsCaption(b, len(rows), far), source,
		values...)
}

// mostError is the largest error on the axis; larger ones are drawn there.
const mostError = 2.0

// MethodName returns the display name of a method of prediction.
func MethodName(method string) string {
	names := map[string]string{"last": "last run", "mean5": "mean of the last 5", "lognormal": "lognormal",
		"ols": "least squares", "ols_log": "log-linear", "ernest": "Ernest", "amdahl": "Amdahl",
		"stages": "stage by stage", "replay": "replay", "pooled": "all other runs together", "nearest": "nearest run"}
	return cmp.Or(names[method], words.Shorten(method, 30))
}

// QuantityName returns the name of a predicted quantity of held-out runs.
func QuantityName(quantity string) string {
	names := map[string]string{"duration_p50": "median task of a stage", "duration_p90": "p90 of a stage's tasks",
		"work": "task-seconds of a run"}
	return cmp.Or(names[quantity], words.Shorten(quantity, 40))
}

// errorRows returns the median absolute errors of some runs, in the order of the methods; not finite for methods
// without predictions.
func errorRows(b *result.Backtest) (rows []valueRow) {
	add := func(name string, bold bool, n int, errors map[string]result.BacktestErrors) {
		r := valueRow{category: category{name: words.Shorten(name, 60), bold: bold}, end: "n = " + words.Count(n)}
		for _, method := range b.Methods {
			e, ok := errors[method]
			x := float64(e.MedianAbsolute)
			if !ok || e.N == 0 || x < 0 {
				x = math.NaN()
			}
			r.values = append(r.values, x)
		}
		rows = append(rows, r)
	}
	if b.Held != nil {
		racecard := slices.Concat(b.Methods, []string{""})[0]
		for _, q := range b.Held.Quantities() {
			add(QuantityName(q), false, b.Held.Errors[q][racecard].N, b.Held.Errors[q])
		}
		return rows
	}
	if b.Predicted > 0 {
		add("all runs", true, b.Predicted, b.Errors)
	}
	for _, j := range b.PerJob[:min(len(b.PerJob), maxErrorRows)] {
		add(j.Job, false, j.Predicted, j.Errors)
	}
	return rows
}

func errorsCaption(b *result.Backtest, rows int, far bool) string {
	text := "Median over runs of |predicted − observed| / observed."
	if b.Held != nil {
		text += fmt.Sprintf(" No run of the trace tells how long it took. %s with %s were held out in turn, each at "+
			"a number of tokens that no other run of its job held, and predicted from the others: the median and the "+
			"90th percentile of the run times of a stage's tasks, and the task-seconds of the run; this says nothing "+
			"of how long runs take.", words.Of(b.Held.Runs, "run", "runs"), words.Of(b.Held.Stages, "stage", "stages"))
	} else {
		text += fmt.Sprintf(" %s of %s, each predicted from the runs before it. Last run, mean of the last 5: of "+
			"completion times. Amdahl: driver time and longest path, and all other work spread over the tokens "+
			"(Jockey, section 4.1). Stage by stage: the last run's driver time, and each level of its graph on the "+
			"tokens, in the manner of Sparklens. n: runs that were predicted.", words.Of(b.Predicted, "run", "runs"),
			words.Of(b.Jobs, "recurring job", "recurring jobs"))
		text += words.When(len(b.PerJob) > maxErrorRows, " Shown are %d of %s.", rows-1,
			words.Of(len(b.PerJob), "job", "jobs"))
	}
	return text + words.When(far, " Errors above %s are drawn there.", words.Percent(mostError))
}

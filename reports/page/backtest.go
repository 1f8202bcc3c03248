package page

import (
	"fmt"
	"slices"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// aboutBacktest reports the accuracy of predictions from past runs. runs is the document's table.
func (s *section) aboutBacktest(b *result.Backtest, runs *result.Table, source figure.Source) {
	if b.Held != nil {
		s.heldOut(b)
		s.draw(figure.PredictionErrors(b, source))
		s.Tables = append(s.Tables, HeldTable(b))
		return
	}
	s.accuracy(b)
	s.calibrated(b)
	s.hardestJob(b)
	s.draw(figure.Calibration(b, runs, source), figure.PredictionErrors(b, source))
	if runs != nil {
		s.draw(figure.Predicted(b, runs, source))
	}
	s.Tables = append(s.Tables, BacktestTable(b))
}

// own is the method that the others are compared with: racecard's.
func own(b *result.Backtest) string {
	if len(b.Methods) == 0 {
		return ""
	}
	return b.Methods[0]
}

// accuracy states the median error of predictions and the errors of simple methods.
func (s *section) accuracy(b *result.Backtest) {
	e := b.Errors[own(b)]
	f := Finding{ID: "prediction-error", See: "fig-prediction-errors", N: b.Predicted,
		Text: fmt.Sprintf("Median prediction error: %s, from past runs.", words.Percent(e.MedianAbsolute)),
		Numbers: map[string]float64{"median_absolute": float64(e.MedianAbsolute),
			"median_signed": float64(e.MedianSigned), "p90_absolute": float64(e.P90Absolute)}}
	var others, better, counts []string
	for _, v := range b.Versus {
		if x := float64(b.Errors[v.Method].MedianAbsolute); known(x) {
			others = append(others, figure.MethodName(v.Method)+" "+words.Percent(x))
			f.Numbers[v.Method+"_median_absolute"] = x
		}
		if v.Jobs > 0 {
			counts = append(counts, partOf(v.Better, v.Jobs))
			better = append(better, figure.MethodName(v.Method)+" ("+partOf(v.Better, v.Jobs)+")")
		}
	}
	f.Detail = fmt.Sprintf("90%% of the errors are at most %s; %s", words.Percent(e.P90Absolute),
		sample(b.Predicted, "run", "runs"))
	f.Detail += words.When(len(others) > 0, " For comparison: %s.", words.List(others))
	switch {
	case len(counts) > 1 && len(counts) == len(others) && len(slices.Compact(slices.Clone(counts))) == 1:
		f.Detail += " Jobs with a smaller median error than by each of these: " + counts[0] + "."
	case len(better) > 0:
		f.Detail += " Jobs with a smaller median error than by a method: " + words.List(better) + "."
	}
	s.find(f)
}

// partOf writes a part of a whole in counts.
func partOf(part, whole int) string {
	return words.Count(part) + " of " + words.Count(whole)
}

// calibrated compares the share of runs within the predicted p90 with 90%.
func (s *section) calibrated(b *result.Backtest) {
	for _, c := range b.Coverage {
		if c.Level != 0.9 {
			continue
		}
		verdict := "as many as there should be, as far as so many runs tell"
		switch {
		case c.Interval[1] < c.Level:
			verdict = "fewer than there should be: predictions are too narrow or too early"
		case c.Interval[0] > c.Level:
			verdict = "more than there should be: predictions are wider or later than need be"
		}
		s.find(Finding{ID: "prediction-p90", See: "fig-calibration", N: b.Predicted,
			Text: fmt.Sprintf("%s of the runs ended within the time predicted to be enough for 90%%.",
				words.Percent(c.Share)),
			Detail: fmt.Sprintf("95%% interval %s, %s; the interval from p10 to p90 is %s of p50 wide (median); %s",
				words.PercentRange(c.Interval[0], c.Interval[1]), verdict, words.Percent(b.Sharpness), sample(b.Predicted,
					"run", "runs")), Numbers: map[string]float64{"at_most_p90": c.Share, "low": c.Interval[0],
				"high": c.Interval[1], "sharpness": float64(b.Sharpness)}})
	}
}

// hardestJob names the job whose runs are hardest to predict.
func (s *section) hardestJob(b *result.Backtest) {
	first := leaders(len(b.PerJob), func(i int) float64 { return float64(b.PerJob[i].Errors[own(b)].MedianAbsolute) },
		more, words.Percent)
	if len(first) != 1 || len(b.PerJob) < 2 {
		return // none, or several alike
	}
	worst := first[0]
	j := &b.PerJob[worst]
	e := j.Errors[own(b)]
	s.find(Finding{ID: "prediction-worst", See: "table-backtest", N: j.Predicted,
		Text: fmt.Sprintf("%s is the hardest to predict: the median error of its predictions is %s.", name(j.Job),
			words.Percent(e.MedianAbsolute)),
		Detail: fmt.Sprintf("With its sign, the median error is %s: below 0, runs take longer than predicted; %s",
			words.Percent(e.MedianSigned), sample(j.Predicted, "run", "runs")),
		Numbers: map[string]float64{"median_absolute": float64(e.MedianAbsolute),
			"median_signed": float64(e.MedianSigned)}})
}

func (s *section) heldOut(b *result.Backtest) {
	e := b.Held.Errors["work"]
	s.find(Finding{ID: "held-out", See: "fig-prediction-errors", N: b.Held.Runs,
		Text: fmt.Sprintf("At other numbers of tokens, the median error of predicted task-seconds is %s.",
			words.Percent(e[own(b)].MedianAbsolute)),
		Detail: fmt.Sprintf("From all other runs together: %s; from the run at the nearest tokens: %s; %s No run "+
			"has a completion time, so none is predicted.", words.Percent(e["pooled"].MedianAbsolute),
			words.Percent(e["nearest"].MedianAbsolute), sample(b.Held.Runs, "run", "runs")),
		Numbers: map[string]float64{"work_median_absolute": float64(e[own(b)].MedianAbsolute)}})
}

// BacktestTable returns the predictions of every job and of simple methods.
func BacktestTable(b *result.Backtest) table {
	t := table{ID: "table-backtest", Title: "Predictions by job", All: "backtest.json",
		Note: "Error: median of |predicted − observed| / observed. Signed: median of (predicted − observed) / " +
			"observed. At most p90: runs that took at most the predicted p90, and its 95% Wilson interval, which is wider " +
			"where runs submitted in the same hour are late together. Width: p10 to p90 as a share of p50, median. By stages: run times of tasks are not known.",
		Columns: []column{{Name: "Job"}, number("Runs"), number("Error"), minor(number("Signed")),
			number("At most p90"), minor(number("Width"))}}
	for _, v := range b.Versus {
		t.Columns = append(t.Columns, minor(number(words.Capital(figure.MethodName(v.Method)))))
	}
	row := func(what, sub string, s *result.BacktestScore) {
		e := s.Errors[own(b)]
		out := cells(what, words.Count(s.Predicted), words.Percent(e.MedianAbsolute),
			words.Percent(e.MedianSigned), words.None, words.Percent(s.Sharpness))
		out[1].Sub = sub
		for _, c := range s.Coverage {
			if c.Level == 0.9 {
				out[4] = cell{Text: words.Percent(c.Share), Sub: "[" +
					words.PercentRange(c.Interval[0], c.Interval[1]) + "]"}
			}
		}
		for _, v := range b.Versus {
			out = append(out, cell{Text: words.Percent(s.Errors[v.Method].MedianAbsolute)})
		}
		t.Rows = append(t.Rows, out)
	}
	row("All", "", &b.BacktestScore)
	for i := range b.PerJob {
		j := &b.PerJob[i]
		row(name(j.Job), words.When(j.Resolution == "stage", "by stages"), &j.BacktestScore)
	}
	return t
}

// HeldTable returns the predictions of runs that have no times.
func HeldTable(b *result.Backtest) table {
	t := table{ID: "table-backtest", Title: "Predictions at other numbers of tokens",
		Note: "Median of |predicted − observed| / observed, and in brackets with its sign. No run tells how long " +
			"it took: these are not errors of completion times.", Columns: []column{{Name: "Quantity"}, number("N")}}
	for _, m := range b.Methods {
		t.Columns = append(t.Columns, number(words.Capital(figure.MethodName(m))))
	}
	for _, q := range b.Held.Quantities() {
		row := cells(words.Capital(figure.QuantityName(q)), words.Count(b.Held.Errors[q][own(b)].N))
		for _, m := range b.Methods {
			e := b.Held.Errors[q][m]
			row = append(row, cell{Text: words.Percent(e.MedianAbsolute), Sub: "[" +
				words.Percent(e.MedianSigned) + "]"})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

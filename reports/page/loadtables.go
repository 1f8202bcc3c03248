package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

func loadTable(w *result.Workload) table {
	t := table{ID: "table-load", Title: "The load in numbers",
		Note: "Top 1%: share of the sum in the largest hundredth. Attempts at once: percentiles of time. In brackets " +
			"the 95% interval of the median.",
		Columns: []column{{Name: "Measure"}, number("Number"), minor(number("Mean")), number("Median"),
			number("90th pct"), minor(number("99th pct")), number("Largest"), minor(number("Top 1%"))}}
	row := func(h *result.Header, title, key string, of result.Summary, top result.Number, write func(float64) string) {
		if !h.Available || of.N == 0 {
			return
		}
		cells := cells(title, words.Count(of.N), write(of.Mean), write(of.P50), write(of.P90), write(of.P99),
			write(of.Max), words.Percent(top))
		if between := intervalIn(w.Intervals, key, "p50", write); between != "" {
			cells[3].Sub = "[" + between + "]"
		}
		t.Rows = append(t.Rows, cells)
	}
	none := result.Number(math.NaN())
	row(&w.Arrivals.Header, "Time between arrivals", "", w.Arrivals.Gap, none, words.Seconds)
	row(&w.Durations.Header, "Wait for the start", "", w.Durations.Wait, none, words.Seconds)
	row(&w.Durations.Header, "Completion time", "completion_s", w.Durations.Completion, w.Durations.Top1, words.Seconds)
	row(&w.Durations.Header, "… of runs that did not succeed", "", w.Durations.Unsuccessful, none, words.Seconds)
	row(&w.TasksPerJob.Header, "Tasks of a run", "tasks_per_job", w.TasksPerJob.Tasks, w.TasksPerJob.Top1, words.Number)
	row(&w.TaskDurations.Header, "Duration of an attempt", "", w.TaskDurations.Duration, w.TaskDurations.Top1,
		words.Seconds)
	row(&w.TaskDurations.Header, "… of attempts that did not succeed", "", w.TaskDurations.Unsuccessful, none,
		words.Seconds)
	for _, c := range []struct {
		title string
		of    *result.Concurrent
	}{{"Attempts at once", w.Concurrency.Tasks}, {"Runs at once", w.Concurrency.Runs}} {
		if c.of != nil {
			row(&w.Concurrency.Header, c.title, "", c.of.Weighted, none, words.Number)
		}
	}
	return t
}

func fitsTable(w *result.Workload) table {
	t := table{ID: "table-fits", Title: "Fitted distributions, the best first", Folded: true, All: "workload.json",
		Note: "Maximum likelihood. ΔAIC: Akaike's criterion above that of the best. D: largest difference between " +
			"the cumulative distributions; A²: that of Anderson and Darling, which weighs the tails more; over all " +
			"values. p: share of samples of the fitted distribution that lie as far from their own fit. Power-law tail: " +
			"Pareto above the value from which it fits best.",
		Columns: []column{{Name: "Of, family"}, {Name: "Parameters"}, number("ΔAIC"), number("D"), number("p of D"),
			minor(number("A²")), minor(number("p of A²"))}}
	for i := range w.Fits {
		f := &w.Fits[i]
		if len(f.Families) == 0 {
			continue
		}
		head := cells(words.Capital(words.Printable(f.What)), values(f), "", "", "", "", "")
		for _, warning := range f.Warnings {
			head[1].Sub += words.Capital(words.Printable(warning)) + ". "
		}
		t.Rows = append(t.Rows, head)
		for k := range f.Families {
			x := &f.Families[k]
			params := lists.Map(slices.Sorted(maps.Keys(x.Params)), func(p string) string {
				return words.Shorten(p, 20) + " " + words.Number(x.Params[p])
			})
			cells := cells(figure.FamilyName(x.Family), strings.Join(params, ", "), words.Number(x.DeltaAIC),
				words.Number(x.KS), words.Number(x.PKS), words.Number(x.AD), words.Number(x.PAD))
			cells[0].Inner = true
			t.Rows = append(t.Rows, cells)
		}
		if f.Tail != nil {
			cells := cells("power-law tail", fmt.Sprintf("alpha %s from %s on, %s of the values",
				words.Number(f.Tail.Alpha), words.Number(f.Tail.From), words.Percent(f.Tail.Share)), "",
				words.Number(f.Tail.KS), words.Number(f.Tail.P), "", "")
			cells[0].Inner = true
			t.Rows = append(t.Rows, cells)
		}
	}
	return t
}

// values states the number of fitted values.
func values(f *result.Fitted) string {
	text := words.Of(f.N, "value", "values")
	text += words.When(f.Open > 0, " and %s that had not ended", words.Count(f.Open))
	return text
}

func cutoffTable(c *result.Cutoff) table {
	t := table{ID: "table-cutoffs", Title: "Cutoffs between short and long jobs", All: "workload.json",
		Note: "A job is long when its mean task duration exceeds the cutoff.",
		Columns: []column{{Name: "Cutoff"}, number("Long jobs"), number("Share of jobs"),
			number("Share of task-seconds"), minor(number("Share of tasks"))}}
	for _, r := range c.Rows {
		cells := cells(words.Seconds(r.CutoffS), words.Count(r.Long), words.Percent(r.ShareOfJobs),
			words.Percent(r.ShareOfTime), words.Percent(r.ShareTasks))
		if c.Suggested != nil && r == *c.Suggested {
			cells[1].Sub = "suggested"
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func reasonsTable(f *result.Failures) table {
	t := table{ID: "table-reasons", Title: "Why attempts did not succeed", Folded: true, All: "workload.json",
		Note: "Example: the first attempt with the reason, by run, stage, task and attempt.",
		Columns: []column{{Name: "Reason"}, {Name: "Status"}, number("Attempts"), minor(number("Share")),
			number("Task-seconds"), {Name: "Example", Minor: true}}}
	for i := range f.Reasons {
		r := &f.Reasons[i]
		t.Row(cmp.Or(words.Shorten(r.Reason, 80), "(none given)"), words.Shorten(r.Status, 20),
			words.Count(r.Attempts), words.Percent(float64(r.Attempts)/float64(max(f.Bad, 1))),
			words.Number(r.TaskSeconds), words.Shorten(r.Example, 90))
	}
	return t
}

func suspectsTable(m *result.MachineTest) table {
	t := table{ID: "table-suspects", Title: "Machines on which attempts fail more often than by chance",
		All: "workload.parquet",
		Note: "q: the least rate of false discoveries at which the machine is found (Benjamini and Hochberg). " +
			"Failures: attempts that failed or were lost.",
		Columns: []column{{Name: "Machine"}, number("Attempts"), number("Failures"), number("Share"), number("q")}}
	for i := range m.Suspects {
		x := &m.Suspects[i]
		t.Row(words.Shorten(x.Machine, 60), words.Count(x.Attempts), words.Count(x.Failed),
			words.Percent(float64(x.Failed)/float64(max(x.Attempts, 1))), words.Number(x.Q))
	}
	return t
}

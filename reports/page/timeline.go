package page

import (
	"fmt"
	"strconv"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// stragglerTasks is the least number of tasks of a stage whose slowest task is compared with its median.
const stragglerTasks = 4

// aboutTimeline reports one run as it happened. attempts is the analysis's table.
func (s *section) aboutTimeline(l *result.Timeline, attempts *result.Table, source figure.Source) {
	s.straggler(l)
	s.draw(figure.Waterfall(l, attempts, source))
	if len(l.Stages) > 0 {
		s.Tables = append(s.Tables, runTable(l))
	}
}

// straggler finds the stage with the largest ratio of its slowest task to its median task.
func (s *section) straggler(l *result.Timeline) {
	worst, ratio, failed, attempts := -1, 0.0, 0, 0
	for i := range l.Stages {
		st := &l.Stages[i]
		failed += st.Failed
		attempts += st.Attempts
		if r := float64(st.MaxS) / float64(st.MedianS); st.Attempts-st.Failed >= stragglerTasks && known(r) &&
			r > ratio {
			worst, ratio = i, r
		}
	}
	if worst < 0 {
		return
	}
	st := &l.Stages[worst]
	f := Finding{ID: "stragglers", See: "fig-waterfall", N: st.Attempts - st.Failed,
		Text: fmt.Sprintf("In the run shown, the slowest task of stage %d, %s, took %s times as "+
			"long as its median task.", worst, name(st.Name), words.Fixed(ratio, 1)),
		Detail: fmt.Sprintf("%s against %s, in run %s of %s.", words.Seconds(st.MaxS),
			words.Seconds(st.MedianS), name(l.JobID), name(l.Name)),
		Numbers: map[string]float64{"ratio": ratio, "max_s": float64(st.MaxS), "median_s": float64(st.MedianS)}}
	if ratio < 1.5 {
		f.Text = fmt.Sprintf("In the run shown, no stage has a straggler: no task took more than %s times as long as "+
			"its stage's median.", words.Fixed(ratio, 1))
	}
	f.Detail += words.When(failed > 0, " %s of its %s failed, were killed or were lost.", words.Count(failed),
		words.Of(attempts, "task attempt", "task attempts"))
	f.Detail += " n = " + words.Of(f.N, "task", "tasks") + " of one run."
	s.find(f)
}

func runTable(l *result.Timeline) table {
	t := table{ID: "table-run", Title: "Stages of the run shown, " + name(l.Name), Folded: len(l.Stages) > 12,
		All:  "timeline.json",
		Note: "Times in seconds since the run's first event. Slowest: its ratio to the median below it.",
		Columns: []column{{Name: "Stage"}, number("Tasks"), minor(number("Starts")), number("Ends"),
			number("Median task"), number("Slowest"), minor(number("Attempts")), minor(number("Failed"))}}
	for i := range l.Stages {
		s := &l.Stages[i]
		slowest := cell{Text: words.Seconds(s.MaxS)}
		if r := float64(s.MaxS) / float64(s.MedianS); known(r) && s.Attempts > 1 {
			slowest.Sub = "× " + words.Fixed(r, 1)
		}
		row := cells(strconv.Itoa(i)+"  "+name(s.Name), countOrNone(s.Tasks), words.Fixed(s.FirstS, 1),
			words.Fixed(s.LastS, 1), words.Seconds(s.MedianS), "", words.Count(s.Attempts), words.Count(s.Failed))
		row[5] = slowest
		t.Rows = append(t.Rows, row)
	}
	return t
}

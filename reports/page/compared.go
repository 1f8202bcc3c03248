package page

import (
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// mostCompared bounds the jobs in the table of changes.
const mostCompared = 50

// aboutChanges reports the changes between two periods. If the report has a section on variation, the finding is
// there.
func (s *section) aboutChanges(d *result.Comparison, c *changed, dates calendar, told bool, source figure.Source) {
	if c != nil && !told {
		f := Finding{ID: "changes", See: "fig-changes", N: d.Compared, Numbers: map[string]float64{}}
		c.find(&f, dates)
		f.Detail += "."
		f.Stake = f.Numbers["slower_share"]
		s.find(f)
	}
	why := func(c *result.ChangeCause) string {
		text := causeOfChange(c)
		if at := float64(c.SinceS); text != "" && known(at) {
			if c.Gradual {
				return text + ", step by step"
			}
			text += " since " + dates.when(at)
		}
		return text
	}
	s.draw(figure.Changes(d, why, source))
	t := table{ID: "table-changes", Title: "Jobs in both periods", All: "changes.parquet",
		Columns: []column{{Name: "Job"}, number("Before"), number("After"), number("Change of the median"),
			minor(number("95th percentile")), minor(number("p")), {Name: "Why"}}}
	for i := range d.Jobs[:min(len(d.Jobs), mostCompared)] {
		j := &d.Jobs[i]
		row := cells(name(j.Job), words.Seconds(j.Before.P50), words.Seconds(j.After.P50), "~", "",
			words.Number(j.PValue), "")
		row[1].Sub, row[2].Sub = "n = "+words.Count(j.Before.N), "n = "+words.Count(j.After.N)
		if j.PValue < 0.001 {
			row[5].Text = "< 0.001"
		}
		if j.Changed {
			row[3].Text = figure.SignedShare(float64(j.Change))
			row[3].Sub = words.Range(float64(j.Interval[0]), float64(j.Interval[1]), figure.SignedShare)
			row[4].Text = figure.SignedShare(j.After.P95/j.Before.P95 - 1)
			row[6].Text = why(&j.Cause)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Note = "~: no change was found."
	s.filled(t)
}

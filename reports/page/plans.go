package page

import (
	"fmt"
	"math"
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/words"
)

// plans states the number of different stage graphs, and whether recurring jobs keep theirs.
func (s *section) plans(d *result.DAG) {
	p := &d.Plans
	if p.Distinct == 0 || len(p.Common) == 0 || len(p.Shapes) == 0 {
		return
	}
	text := fmt.Sprintf("The %s have %s", words.Of(d.Jobs, "run", "runs"),
		words.Of(p.Distinct, "different plan", "different plans"))
	text += words.When(p.Distinct > 1 && p.Common[0].Runs > 1, ", the commonest of which %s share",
		words.Of(p.Common[0].Runs, "run", "runs"))
	if d.Jobs == 1 {
		text = "The one run has one plan"
	}
	most := p.Shapes[0]
	for _, c := range p.Shapes {
		if c.Runs > most.Runs {
			most = c
		}
	}
	s.find(Finding{ID: "plans", See: "fig-plan-shapes", N: d.Jobs, Text: text + ".",
		Detail: fmt.Sprintf("A plan is a graph of stages, however they are numbered or named. The "+
			"most frequent shape is "+
			"%s, %s of the runs; %s", shapeWords(most.Shape), words.Percent(float64(most.Runs)/float64(d.Jobs)),
			sample(d.Jobs, "run with stages", "runs with stages")),
		Numbers: map[string]float64{"plans": float64(p.Distinct), "runs_of_commonest": float64(p.Common[0].Runs)}})
	share, n := float64(p.ShareOfOne), p.PerJob.N
	if n == 0 || !known(share) {
		return
	}
	f := Finding{ID: "stable-plans", See: "fig-plan-shapes", N: n,
		Numbers: map[string]float64{"share_of_one": share, "plans_per_job_max": p.PerJob.Max},
		Text: fmt.Sprintf("%s of the %s run the same plan every time.",
			words.Count(int64(math.Round(share*float64(n)))), words.Of(n, "recurring job", "recurring jobs")),
		Detail: fmt.Sprintf("The most plans of one job are %s; %s", words.Number(p.PerJob.Max),
			sample(n, "recurring job", "recurring jobs"))}
	if share < 1 {
		f.See = "table-job-plans"
	}
	switch {
	case n > 1 && share == 1:
		f.Text = "Every recurring job runs the same plan every time."
	case n == 1 && share == 1:
		f.Text = "The one recurring job runs the same plan every time."
	case n == 1:
		f.Text = fmt.Sprintf("The one recurring job has run %s different plans.", words.Number(p.PerJob.Max))
	}
	s.find(f)
}

// shapeWords writes the name of a class of graphs for a sentence.
func shapeWords(shape string) string { return words.Shorten(strings.ReplaceAll(shape, "_", "-"), 30) }

func plansTable(p *result.Plans) table {
	t := table{ID: "table-plans", Title: "Plans that most runs have", Folded: true, All: "dag.json",
		Note: "Runs with the same plan have the same graph of stages, with the same kinds of edges, as far as a hash " +
			"can tell. Names of jobs are counted after normalisation; the run is the first with that plan.",
		Columns: []column{{Name: "Plan"}, {Name: "Shape"}, number("Stages"), number("Runs"), minor(number("Jobs")),
			{Name: "Run", Minor: true}}}
	for i := range p.Common {
		c := &p.Common[i]
		row := cells(words.Shorten(c.Plan, 40), shapeWords(c.Shape), words.Count(c.Stages),
			words.Count(c.Runs), words.Count(c.Names), name(c.JobID))
		row[5].Sub = name(c.Name)
		t.Rows = append(t.Rows, row)
	}
	return t
}

// jobPlansTable lists recurring jobs with more than one plan.
func jobPlansTable(p *result.Plans) table {
	t := table{ID: "table-job-plans", Title: "Recurring jobs whose plan changes", Folded: true, All: "dag.json",
		Columns: []column{{Name: "Job"}, number("Runs"), number("Plans"), number("Runs of the commonest")}}
	for i := range p.Jobs {
		if j := &p.Jobs[i]; j.Plans > 1 {
			t.Row(name(j.Name), words.Count(j.Runs), words.Count(j.Plans), words.Percent(j.Share))
		}
	}
	return t
}

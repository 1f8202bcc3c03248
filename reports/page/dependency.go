package page

import (
	"fmt"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
	"racecard/reports/style"
)

// aboutDependency reports the dependencies between jobs. producers is the analysis's table.
func (s *section) aboutDependency(d *result.Dependency, producers *result.Table, source figure.Source) {
	s.connected(d)
	if d.Pairs > 0 {
		s.gap(d)
		s.downstream(d)
		s.chain(d)
		s.draw(figure.Dependency(d, producers, source))
	}
	s.Tables = append(s.Tables, dependencyTable(d))
	if len(d.MostDependents) > 0 {
		s.Tables = append(s.Tables, producersTable(d))
	}
	if len(d.LongestChain) > 2 {
		s.Tables = append(s.Tables, chainTable(d))
	}
}

func (s *section) connected(d *result.Dependency) {
	share := float64(d.ShareWithDependency)
	f := Finding{ID: "dependency", See: "table-dependency", N: d.Jobs,
		Numbers: map[string]float64{"share_with_dependency": share,
			"pairs": float64(d.Pairs), "dependents": float64(d.Dependents), "producers": float64(d.Producers)}}
	switch {
	case d.Jobs == 0:
		return
	case d.Pairs == 0:
		f.Text = "No run reads data that another wrote before it."
		f.Detail = fmt.Sprintf("%s of %s; ", words.Of(d.Reads, "read", "reads"),
			words.Of(d.Datasets, "dataset", "datasets"))
	default:
		f.Text = fmt.Sprintf("%s of the runs depend on the output of another or feed one.", words.Percent(share))
		f.Detail = fmt.Sprintf("%s on another, %s another; ", words.Of(d.Dependents, "run depends", "runs depend"),
			words.Of(d.Producers, "feeds", "feed"))
	}
	f.Detail += sample(d.Jobs, "run", "runs")
	s.find(f)
}

func (s *section) gap(d *result.Dependency) {
	f := Finding{ID: "gap", See: "fig-dependency", N: d.GapMin.N,
		Numbers: map[string]float64{"gap_min_p50": d.GapMin.P50,
			"gap_min_p95": d.GapMin.P95, "overlapping": float64(d.Overlapping)}}
	switch {
	case d.GapMin.N == 0 && d.Overlapping == 0:
		return
	case d.GapMin.N == 0:
		f.N, f.See = d.Overlapping, "table-dependency"
		f.Text = "Every dependent run starts before the run whose output it reads has ended."
	case d.GapMin.N == 1:
		f.Text = fmt.Sprintf("The one dependent run starts %s after the run whose output it reads has ended.",
			minutes(d.GapMin.P50))
	default:
		f.Text = fmt.Sprintf("Half of the dependent runs start within %s of the end of the run whose output they read.",
			minutes(d.GapMin.P50))
		f.Detail = "Per pair of runs" + interval(d.Intervals, "gap_min", "p50", minutes)
		f.Detail += words.When(d.GapMin.N >= style.SmallSample, "; one pair in twenty is more than %s apart%s",
			minutes(d.GapMin.P95), interval(d.Intervals, "gap_min", "p95", minutes))
		f.Detail += "; "
	}
	f.Detail += sample(f.N, "pair", "pairs")
	f.Detail += words.When(d.Overlapping > 0 && d.GapMin.N > 0, " In %s more the dependent started before the other "+
		"had ended.", words.Of(d.Overlapping, "pair", "pairs"))
	s.find(f)
}

// minutes writes a duration in minutes.
func minutes(m float64) string { return words.Seconds(60 * m) }

func (s *section) downstream(d *result.Dependency) {
	if d.IndirectDependents.N == 0 || len(d.MostDependents) == 0 {
		return
	}
	top := &d.MostDependents[0]
	f := Finding{ID: "downstream", See: "fig-dependency", N: d.IndirectDependents.N,
		Numbers: map[string]float64{"indirect_dependents_p50": d.IndirectDependents.P50,
			"indirect_dependents_max": d.IndirectDependents.Max,
			"dependent_groups_p50":    d.DependentGroups.P50, "dependent_groups_max": d.DependentGroups.Max}}
	f.Text = fmt.Sprintf("A run that feeds others typically has %s downstream; a run of %s has most, %s.",
		amount(d.IndirectDependents.P50, "run", "runs"),
		nameOr(top.Name, "a job without a name"), words.Count(top.IndirectDependents))
	f.Detail = fmt.Sprintf("The median over runs on which another depends%s; downstream runs depend on the run, "+
		"directly or through others.", interval(d.Intervals, "indirect_dependents", "p50", words.Number))
	f.Detail += words.When(d.DependentGroups.N > 0, " It lies in %s (median), in %s at most.",
		amount(d.DependentGroups.P50, "group", "groups"), words.Number(d.DependentGroups.Max))
	e := d.StandardError["indirect_dependents"]
	f.Detail += words.When(e > 0, " The numbers are estimates, with a standard error of %s.", words.Percent(e))
	f.Detail += " Most: run " + name(top.JobID) + "; " + sample(f.N, "run", "runs")
	s.find(f)
}

func (s *section) chain(d *result.Dependency) {
	if d.ChainLength.N == 0 || len(d.LongestChain) < 2 {
		return
	}
	first := &d.LongestChain[0]
	f := Finding{ID: "chain", See: "fig-dependency", N: d.ChainLength.N,
		Numbers: map[string]float64{"chain_length_p50": d.ChainLength.P50, "chain_length_max": d.ChainLength.Max}}
	f.Text = fmt.Sprintf("The longest chain of runs that wait for each other has %s runs.",
		words.Count(int64(d.ChainLength.Max)+1))
	if d.ChainLength.Max == 1 {
		f.Text = "No chain of runs that wait for each other is longer than two."
	}
	f.Detail = fmt.Sprintf("It begins with run %s of %s. The median over runs on which another depends is %s; %s",
		name(first.JobID), nameOr(first.Name, "a job without a name"), amount(d.ChainLength.P50, "step", "steps"),
		sample(f.N, "run", "runs"))
	s.find(f)
}

func dependencyTable(d *result.Dependency) table {
	t := table{ID: "table-dependency", Title: "Dependencies in numbers",
		Note: fmt.Sprintf("A run depends on the one that wrote last what it reads. Gap: start of the dependent less "+
			"end of the other, over pairs; %s no gap. The others: over runs on which another depends. Of %s, %s of "+
			"data that no run wrote. In brackets the 95%% interval of the percentile, "+
			"where it differs from it.", words.Of(d.Overlapping, "pair overlaps and has", "pairs overlap and have"),
			words.Of(d.Reads, "read", "reads"), words.Of(d.ReadsWithoutWriter, "is", "are")),
		Columns: []column{{Name: "Metric"}, minor(number("Sample")), minor(number("10th pct")), number("Median"),
			number("95th pct"), number("Largest")}}
	for _, m := range []metric{
		{"gap_min", "Gap to the dependent run", d.GapMin, minutes},
		{"chain_length", "Longest chain from a run, edges", d.ChainLength, words.Number[float64]},
		{"indirect_dependents", "Runs downstream of a run", d.IndirectDependents, words.Number[float64]},
		{"dependent_groups", "Groups downstream of a run", d.DependentGroups, words.Number[float64]},
	} {
		t.Rows = append(t.Rows, m.cells(d.Intervals, "p10", "p50", "p95", "max"))
	}
	return t
}

func producersTable(d *result.Dependency) table {
	t := table{ID: "table-producers", Title: "Runs with most runs downstream",
		Columns: []column{{Name: "Job"}, {Name: "Run"}, {Name: "Group", Minor: true}, minor(number("Dependents")),
			number("Downstream"), minor(number("Groups")), number("Longest chain")}}
	largest := 1
	for i := range d.MostDependents {
		largest = max(largest, d.MostDependents[i].IndirectDependents)
	}
	for i := range d.MostDependents {
		p := &d.MostDependents[i]
		row := cells(name(p.Name), name(p.JobID), nameOr(p.Group, words.None), words.Count(p.Dependents),
			words.Count(p.IndirectDependents), countOrNone(p.DependentGroups), words.Count(p.ChainLength))
		row[4].Bar = float64(p.IndirectDependents) / float64(largest)
		t.Rows = append(t.Rows, row)
	}
	t.Note = fmt.Sprintf("The first %s of %s; all are in dependency.parquet.", words.Count(len(t.Rows)),
		words.Count(max(d.Producers, len(t.Rows))))
	if m := d.MostGroups; m != nil {
		t.Note += fmt.Sprintf(" Most groups, %s, are downstream of run %s of %s.", words.Count(m.DependentGroups),
			name(m.JobID), nameOr(m.Name, "a job without a name"))
	}
	if g := d.LongestGap; g != nil {
		t.Note += fmt.Sprintf(" The longest gap, %s, lies between runs %s and %s, which reads %s.", minutes(g.GapMin),
			name(g.Producer), name(g.Dependent), name(g.Dataset))
	}
	return t
}

func chainTable(d *result.Dependency) table {
	t := table{ID: "table-chain", Title: "The longest chain", Folded: true,
		Note:    "Gap: from the end of the run above to the start of this one; none where they overlap.",
		Columns: []column{{Name: "Job"}, {Name: "Run"}, {Name: "Group", Minor: true}, number("Gap")}}
	for i := range d.LongestChain {
		l := &d.LongestChain[i]
		t.Row(name(l.Name), name(l.JobID), nameOr(l.Group, words.None), minutes(float64(l.GapMin)))
	}
	n := int(d.ChainLength.Max) + 1
	t.Note += words.When(n > len(t.Rows), " The first %s of %s runs.", words.Count(len(t.Rows)), words.Count(n))
	return t
}

package page

import (
	"fmt"

	"racecard/datasets/result"
	"racecard/reports/figure"
	"racecard/reports/style"
)

// whatIfSection reports what one finished run would have done with other numbers of tokens.
func whatIfSection(w *result.WhatIf, source figure.Source) *section {
	s := newSection("whatif", "What if this run had held other tokens", w.Head())
	if s.Missing != nil {
		return s
	}
	r := &w.Recommended
	f := Finding{ID: "whatif", See: "fig-whatif", N: 1,
		Text: fmt.Sprintf("With %s, run %s would have taken %s: within %s of the shortest time.", style.Of(int64(r.Tokens), "token", "tokens"),
			style.Printable(w.Run), style.Seconds(r.TimeS), style.Percent(w.Within)),
		Detail: fmt.Sprintf("It holds %s token-seconds then, and tasks run in %s of them.", style.Number(r.CostS), style.Percent(r.Utilisation)),
		Numbers: map[string]float64{"tokens": float64(r.Tokens), "time_s": r.TimeS, "cost_token_s": r.CostS, "observed_s": float64(w.ObservedS),
			"observed_tokens": float64(w.Tokens), "replay_s": float64(w.ReplayS)}}
	if observed := float64(w.ObservedS); known(observed) {
		f.Detail += fmt.Sprintf(" It took %s on up to %s; simulated so, %s.", style.Seconds(observed), style.Of(int64(w.Tokens), "token", "tokens"),
			style.Seconds(float64(w.ReplayS)))
	}
	if what, share := mostOf(r); what != "" {
		f.Detail += fmt.Sprintf(" Most of that time, %s, is %s.", style.Percent(share), what)
	}
	s.find(f)
	s.Figures = append(s.Figures, figure.WhatIf(w, source))
	s.Tables = append(s.Tables, whatIfTable(w))
	return s
}

// mostOf says what most of a time is spent on.
func mostOf(p *result.WhatIfPoint) (string, float64) {
	best, what := 0.0, ""
	for _, part := range []struct {
		name string
		x    float64
	}{{"work, which more tokens divide", p.WorkS}, {"waiting at barriers and for whole waves", p.BarriersS},
		{"skew, which smaller partitions would cut", p.SkewS}, {"the driver, which no token makes faster", p.DriverS}} {
		if part.x > best {
			best, what = part.x, part.name
		}
	}
	return what, best / p.TimeS
}

func whatIfTable(w *result.WhatIf) table {
	t := table{ID: "table-whatif", Title: "The run at other allocations", Folded: true,
		Columns: []column{{Name: "Tokens"}, {Name: "Time", Number: true}, {Name: "Token-seconds", Number: true}, {Name: "Busy", Number: true},
			{Name: "Work", Number: true, Minor: true}, {Name: "Barriers", Number: true, Minor: true}, {Name: "Skew", Number: true, Minor: true},
			{Name: "Driver", Number: true, Minor: true}}}
	row := func(name string, p *result.WhatIfPoint) {
		t.Rows = append(t.Rows, plain(name, style.Seconds(p.TimeS), style.Number(p.CostS), style.Percent(p.Utilisation), style.Seconds(p.WorkS),
			style.Seconds(p.BarriersS), style.Seconds(p.SkewS), style.Seconds(p.DriverS)))
	}
	for i := range w.Points {
		row(style.Count(int64(w.Points[i].Tokens)), &w.Points[i])
	}
	row("a task each", &w.Unlimited)
	t.cut("whatif.parquet")
	return t
}

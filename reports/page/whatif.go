package page

import (
	"fmt"
	"math"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// aboutWhatIf reports the time and cost of one finished run on other numbers of tokens.
func (s *section) aboutWhatIf(w *result.WhatIf, source figure.Source) {
	r := &w.Recommended
	f := Finding{ID: "whatif", See: "fig-whatif", N: 1, Text: WhatIfAdvice(w), Detail: WhatIfObserved(w),
		Numbers: map[string]float64{"tokens": float64(r.Tokens), "time_s": r.TimeS, "cost_token_s": r.CostS,
			"observed_s": float64(w.ObservedS), "observed_tokens": float64(w.Tokens), "replay_s": float64(w.ReplayS)}}
	if c := w.Cheapest(); c != nil {
		f.Numbers["cheapest_cost_token_s"] = c.CostS
	}
	f.Detail += fmt.Sprintf(" With %s its tasks would run in %s of the token-seconds.",
		words.Of(r.Tokens, "token", "tokens"), words.Percent(r.Utilisation))
	if what, share := mostOf(r); what != "" {
		f.Detail += fmt.Sprintf(" The largest part of that time, %s, is %s.", words.Percent(share), what)
	}
	s.find(f)
	s.draw(figure.WhatIf(w, source))
	s.Tables = append(s.Tables, WhatIfTable(w))
}

// keptDurations says that a replay assumes tasks to be as long on more tokens.
const keptDurations = " Tasks keep their durations, but for the first of a stage on each machine, though they may slow " +
	"each other down on more tokens: `racecard forecast` learns that from past runs."

// WhatIfAdvice recommends an allocation and states its cost. The page and the terminal have the same sentence.
func WhatIfAdvice(w *result.WhatIf) string {
	r, c := &w.Recommended, w.Cheapest()
	text := fmt.Sprintf("With %s, run %s would have taken %s, within %s of the shortest on the numbers of tokens tried",
		words.Of(r.Tokens, "token", "tokens"), words.Printable(w.Run), words.Seconds(r.TimeS), words.Percent(w.Within))
	switch {
	case c == nil || c.Tokens == r.Tokens || !(c.CostS > 0):
		text += fmt.Sprintf(", for %s token-seconds: no other allocation in the table costs less.", words.Number(r.CostS))
	case r.CostS <= 1.005*c.CostS:
		text += fmt.Sprintf(", for %s token-seconds: as many as the cheapest, %s.", words.Number(r.CostS),
			words.Of(c.Tokens, "token", "tokens"))
	default:
		text += fmt.Sprintf(", for %s token-seconds: %s times those of %s, which takes %s.", words.Number(r.CostS),
			words.Number(r.CostS/c.CostS), words.Of(c.Tokens, "token", "tokens"), words.Seconds(c.TimeS))
	}
	return text + words.When(w.Tokens > 0 && r.Tokens > w.Tokens, keptDurations)
}

// roughReplay is the relative error of a replay above which it is reported.
const roughReplay = 0.1

// WhatIfObserved describes the run, and whether a simulation at its held tokens repeats it.
func WhatIfObserved(w *result.WhatIf) string {
	held := "how many tokens it held is not known"
	if w.Tokens > 0 {
		held = fmt.Sprintf("on up to %s it takes %s in simulation", words.Of(w.Tokens, "token", "tokens"),
			words.Seconds(w.ReplayS))
	}
	if !known(w.ObservedS) {
		return "How long the run took is not known; " + held + "."
	}
	if w.Tokens > 0 {
		text := fmt.Sprintf("It took %s on up to %s; simulated so, %s.", words.Seconds(w.ObservedS),
			words.Of(w.Tokens, "token", "tokens"), words.Seconds(w.ReplayS))
		if off := float64(w.ReplayS)/float64(w.ObservedS) - 1; off > roughReplay || off < -roughReplay {
			text += fmt.Sprintf(" The two differ by %s: compare the rows with each other rather than with the clock.",
				words.Percent(math.Abs(off)))
		}
		return text
	}
	return fmt.Sprintf("It took %s; %s.", words.Seconds(w.ObservedS), held)
}

// mostOf names the largest part of a time.
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

// WhatIfTable returns the allocations of an answer, with the parts of their times.
func WhatIfTable(w *result.WhatIf) table {
	t := table{ID: "table-whatif", Title: "The run at other allocations", Folded: true, All: "whatif.parquet",
		Columns: []column{{Name: "Tokens"}, number("Time"), number("Token-seconds"), number("Busy"),
			minor(number("Work")), minor(number("Barriers")), minor(number("Skew")), minor(number("Driver"))}}
	row := func(name string, p *result.WhatIfPoint) {
		t.Row(name, words.Seconds(p.TimeS), words.Number(p.CostS), words.Percent(p.Utilisation), part(p.WorkS, p.TimeS),
			part(p.BarriersS, p.TimeS), part(p.SkewS, p.TimeS), part(p.DriverS, p.TimeS))
	}
	for i := range w.Points {
		name := words.Count(w.Points[i].Tokens)
		name += words.When(w.Points[i].Tokens == w.Recommended.Tokens, " (recommended)")
		row(name, &w.Points[i])
	}
	row("a task each", &w.Unlimited)
	return t
}

// part writes a part of a time. Parts are differences of simulated times: a part far below them is rounding and written
// as nothing.
func part(s, of float64) string {
	if math.Abs(s) < 1e-3 && math.Abs(s) < 1e-3*of {
		s = 0
	}
	return words.Seconds(s)
}

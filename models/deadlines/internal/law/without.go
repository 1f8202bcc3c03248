package law

// Parts returns the parts that [Prior.Without] can exclude.
func Parts() []string {
	return []string{"bend", "local", "drift", "trend", "plans", "changes", "outliers", "modes", "periods"}
}

// Without returns a prior that excludes a part of the law, to measure its contribution. A name that is not in [Parts]
// changes nothing.
func (p Prior) Without(part string) Prior {
	only := func(of []float64, possible func(i int) bool) []float64 {
		out, sum := make([]float64, len(of)), 0.0
		for i, x := range of {
			if possible(i) {
				out[i] = x
				sum += x
			}
		}
		for i := range out {
			out[i] /= sum
		}
		return out
	}
	switch part {
	case "bend":
		p.Tokens = only(p.Tokens, func(i int) bool { return byTokens[i].bend == 0 })
		p.Simulated = only(p.Simulated, func(i int) bool { return bySimulated[i].bend == 0 })
	case "local":
		p.Local = only(p.Local, func(i int) bool { return locals[i].kind == noLocal })
	case "drift":
		p.Drift = only(p.Drift, func(i int) bool { return drifts[i].amplitude == 0 })
	case "trend":
		p.Drift = only(p.Drift, func(i int) bool { return drifts[i].trend == 0 })
		p.Gentle, p.Steep = 0, 0
	case "plans":
		p.Plan = only(p.Plan, func(i int) bool { return byPlan[i] == 0 })
	case "changes":
		p.Change, p.Gentle, p.Steep = 0, 0, 0
	case "outliers":
		p.Outlier = 0
	case "periods":
		p.Period = only(p.Period, func(i int) bool { return periods[i].amplitude == 0 })
	case "modes":
		p.Modes = 0
	}
	return p
}

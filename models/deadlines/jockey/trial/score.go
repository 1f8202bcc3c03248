package trial

import (
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// score sums up runs.
func score(runs []result.JockeyRun) result.JockeyScore {
	s := result.JockeyScore{Runs: len(runs)}
	var late, above, ratio, over, tokens []float64
	for i := range runs {
		r := &runs[i]
		switch missed := r.EndS > r.DeadlineS; {
		case missed:
			s.Missed++
			if r.OutOfReach {
				s.OutOfReach++
			}
			if r.Warned {
				s.Warned++
			}
		case r.Warned:
			s.FalseAlarm++
		}
		late, over, tokens = append(late, r.EndS-r.DeadlineS), append(over, r.EndS/r.DeadlineS),
			append(tokens, r.MeanTokens)
		if !math.IsNaN(r.AboveOracle) {
			above, ratio = append(above, r.AboveOracle), append(ratio, r.RatioToOracle)
		}
	}
	i := quantile.Wilson(float64(s.Missed)/float64(s.Runs), float64(s.Runs))
	s.MissedLow, s.MissedHigh = result.Number(i[0]), result.Number(i[1])
	s.LatenessS, s.AllocationAboveOracle, s.RatioToOracle = quantile.Summarize(quantile.Sort(late)),
		quantile.Summarize(quantile.Sort(above)), quantile.Summarize(quantile.Sort(ratio))
	s.JCTOverDeadline, s.Allocation = quantile.Summarize(quantile.Sort(over)), quantile.Summarize(quantile.Sort(tokens))
	return s
}

// result gathers what became of all runs.
func (c *comparison) result() (*result.Jockey, error) {
	loop := c.o.Loop
	doc := &result.Jockey{Header: result.Header{Available: true}, Generated: c.o.Generated, World: c.world(),
		Scenarios: scenarioList(), Policies: map[string]*result.JockeyPolicy{},
		Options: result.JockeyOptions{Seed: c.o.Seed, Replicates: c.o.Replicates, Simulations: c.o.Simulated,
			PeriodS: loop.PeriodS, PeriodShare: loop.PeriodShare, Slack: loop.Slack, Hysteresis: loop.Hysteresis,
			Rise: loop.Rise, DeadZoneS: loop.DeadZoneS,
			DeadZoneShare: loop.DeadZoneShare, Hold: loop.Hold, Jump: loop.Jump, Learn: loop.Learn, Gain: loop.Gain,
			Blend: c.o.Blend, Dwell: c.o.Dwell, Limit: c.o.Limit, Statistic: loop.Statistic.String(),
			Quantile: loop.Quantile, MinTokens: loop.Min, MaxTokens: loop.Max, Indicator: c.o.Indicator.String()}}
	for _, a := range grid(loop.Min, loop.Max) {
		doc.Options.Allocations = append(doc.Options.Allocations, int(a))
	}
	doc.Warnings = append(doc.Warnings, c.warnings...)
	for _, s := range c.subjects {
		doc.Jobs = append(doc.Jobs, s.info)
		for _, w := range s.Model.Warnings {
			doc.Warnings = append(doc.Warnings, "job "+s.Name+": "+w)
		}
		for i, d := range s.info.Deadlines {
			if f := s.feasible(c.o, d); !s.info.Raised[i] && !f.Promised() {
				doc.Warnings = append(doc.Warnings, "job "+s.Name+": "+f.Err().Error())
			}
		}
	}
	all := c.policies
	if c.o.Bound > 0 {
		all = append(slices.Clone(all), bound(c.o))
	}
	for i, p := range all {
		var runs []result.JockeyRun
		for n := range c.outcomes {
			if i < len(c.outcomes[n].runs) {
				runs = append(runs, c.outcomes[n].runs[i])
			}
		}
		doc.Order, doc.Runs = append(doc.Order, p.name), append(doc.Runs, runs...)
		doc.Policies[p.name] = summarize(p, runs)
	}
	doc.Sensitive, doc.Misses = c.sensitivity(), c.misses()
	return doc, c.show(doc)
}

// misses lists the deadlines that the loop missed, and why.
func (c *comparison) misses() []result.JockeyMiss {
	out := []result.JockeyMiss{}
	for n := range c.outcomes {
		runs := c.outcomes[n].runs
		r := &runs[0]
		if r.EndS <= r.DeadlineS {
			continue
		}
		m := result.JockeyMiss{Job: r.Job, Scenario: r.Scenario, Replicate: r.Replicate, DeadlineS: r.DeadlineS,
			LateS: r.EndS - r.DeadlineS, Most: r.MostTokens, MostAtS: r.MostAtS, Why: result.MissedByPrediction}
		switch {
		case r.OutOfReach:
			m.Why = result.MissedByAll
		case len(runs) > len(c.policies) && runs[len(c.policies)].EndS > r.DeadlineS:
			m.Why = result.MissedByBound
		}
		out = append(out, m)
	}
	return out
}

// summarize sums up the runs of a policy.
func summarize(p policy, runs []result.JockeyRun) *result.JockeyPolicy {
	out := &result.JockeyPolicy{JockeyScore: score(runs), About: p.about, ByScenario: map[string]*result.JockeyScore{}}
	for _, s := range scenarios() {
		of := lists.Kept(runs, func(r result.JockeyRun) bool { return r.Scenario == s.name })
		if len(of) > 0 {
			x := score(of)
			out.ByScenario[s.name] = &x
		}
	}
	var over []float64
	for i := range runs {
		over = append(over, runs[i].EndS/runs[i].DeadlineS)
	}
	sorted := quantile.Sort(over)
	out.Curve = lists.Indexed(101, func(i int) float64 { return quantile.Quantile(sorted, float64(i)/100) })
	return out
}

// world says in which world the jobs ran.
func (c *comparison) world() string {
	for _, s := range c.subjects {
		if len(s.Recorded) > 0 {
			return RecordedWorld
		}
	}
	return ModelledWorld
}

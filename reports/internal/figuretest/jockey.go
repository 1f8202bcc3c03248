package figuretest

import (
	"fmt"
	"math"

	"racecard/datasets/result"
)

// Jockey returns a made-up comparison of policies for jobs with deadlines, with numbers like the output of
// `racecard simulate jockey`.
func Jockey() *result.Bundle {
	b := with(assemble(), JockeyOf("F"))
	b.Provenance = &result.Provenance{Store: "jockey-table-2", Synthetic: true, TimeBase: "relative", Version: "0.1.0",
		Command: "racecard simulate jockey",
		Note:    "Jobs made up after the statistics that were published: synthetic."}
	return b
}

// JockeyOf returns a comparison for two jobs, one of the given name, whose scenarios and parameters are named after it,
// too.
func JockeyOf(name string) *result.Jockey {
	r := source(31)
	j := &result.Jockey{Header: result.Header{Available: true,
		Warnings: []string{"job " + name + ": past runs are few"}}, Generated: true,
		Order:    []string{"jockey", "jockey-2012", "no-adaptation", "no-simulator", "max-allocation", "oracle", "bound"},
		Policies: map[string]*result.JockeyPolicy{},
		Options: result.JockeyOptions{Seed: 1, Replicates: 8, Simulations: 200, PeriodS: 60, Slack: 1.05,
			Hysteresis: 0.2, Rise: 1, Quantile: 0.9, MinTokens: 1, MaxTokens: 100},
		Jobs: []result.JockeyJob{
			{Job: "A", Stages: 23, Barriers: 6, Tasks: 681, WorkS: 18_154, FastestS: 410, CriticalS: 679, P95S: 940,
				EarliestS: 941, Deadlines: []float64{1358, 2037}, Raised: []bool{false, false}},
			{Job: name, Stages: 26, Barriers: 1, Tasks: 6139, WorkS: 56_332, FastestS: 215, CriticalS: 338, P95S: 992,
				EarliestS: 769, Deadlines: []float64{992, 1015}, Raised: []bool{true, false}},
		},
		Scenarios: []result.JockeyScenario{{Name: "undisturbed", About: "nothing goes wrong"},
			{Name: "slow-machines", About: "machines are slow"}, {Name: "deadline-halved", About: "it comes forward"}},
	}
	for i, p := range []struct{ missed, above, at float64 }{{0.008, 0.3, 0.82}, {0.018, 0.47, 0.63},
		{0.041, 0.32, 0.78}, {0.005, 0.36, 0.79}, {0, 0.62, 0.58}, {0.64, 0.003, 1.01}, {0.008, 0.12, 0.94}} {
		q := &result.JockeyPolicy{JockeyScore: jockeyScore(p.missed, p.above, p.at), About: "policy " + fmt.Sprint(i),
			ByScenario: map[string]*result.JockeyScore{}}
		for k, s := range j.Scenarios {
			x := jockeyScore(p.missed*float64(k), p.above-0.02*float64(k), p.at)
			q.ByScenario[s.Name] = &x
		}
		for k := range 101 {
			q.Curve = append(q.Curve, p.at*(0.5+0.5*math.Pow(float64(k)/50, 0.6)))
		}
		j.Policies[j.Order[i]] = q
	}
	for i, why := range []string{result.MissedByPrediction, result.MissedByAll, result.MissedByBound} {
		j.Misses = append(j.Misses, result.JockeyMiss{Job: name, Scenario: "slow-machines", Replicate: i,
			DeadlineS: 992, LateS: 31 * float64(i+1), Most: 100, MostAtS: 300})
		j.Misses[i].Why = why
	}
	add := func(parameter, value string, base bool, missed, above float64) {
		j.Sensitive = append(j.Sensitive, result.JockeySetting{Parameter: parameter, Value: value, Base: base,
			JockeyScore: jockeyScore(missed, above, 0.8)})
	}
	add("", "base", false, 0.008, 0.3)
	for i, v := range []string{"1", "1.05", "1.1", "1.2"} {
		add("slack", v, i == 1, 0.01-0.002*float64(i), 0.275+0.025*float64(i))
	}
	for i, v := range []string{"totalworkWithQ", "minstage", name} {
		add("progress", v, i == 0, 0.008+0.3*float64(i/2), 0.3+0.05*float64(i))
	}
	line := func(scenario string, changeAt, changed float64) *result.JockeyTimeline {
		t := &result.JockeyTimeline{Job: name, Scenario: scenario, Policy: "jockey", DeadlineS: 992,
			ChangeAtS: result.Number(changeAt), ChangedS: result.Number(changed), EndS: 905, Oracle: 57}
		for at := 0.0; at < t.EndS; at += 33 {
			p := at / t.EndS
			end := 840 + 60*math.Sin(at/150) + 10*r.Float64()
			raw := int(70 - 30*p + 8*math.Sin(at/90))
			t.Points = append(t.Points, result.JockeyTick{AtS: at, Progress: math.Pow(p, 1.2), Raw: raw,
				Tokens: raw + 4, Running: max(0, raw-int(40*p)),
				Slower: 1, Low: result.Number(end - 90*(1-p)), Middle: result.Number(end),
				High: result.Number(end + 130*(1-p))})
		}
		return t
	}
	j.Shown = line("everything", math.NaN(), math.NaN())
	j.Changed = []*result.JockeyTimeline{line("deadline-halved", 297, 930)}
	for i := range 40 {
		j.Runs = append(j.Runs, result.JockeyRun{Job: name, Scenario: "undisturbed", Policy: j.Order[i%7],
			DeadlineS: 992, EndS: 700 + 10*float64(i), Oracle: 57, AboveOracle: 0.3})
	}
	return j
}

// jockeyScore is of 1,008 runs.
func jockeyScore(missed, above, at float64) result.JockeyScore {
	const n = 1008
	flat := func(x float64) result.Summary {
		return result.Summary{N: n, Mean: x, Min: x / 2, P10: x * 0.7, P25: x * 0.8, P50: x, P75: x * 1.2, P90: x * 1.3,
			P95: x * 1.4, P99: x * 1.5, Max: x * 1.6}
	}
	k := int(math.Round(missed * n))
	share := float64(k) / n
	half := 2 * math.Sqrt(share*(1-share)/n)
	return result.JockeyScore{Runs: n, Missed: k, Warned: k, MissedLow: result.Number(max(0, share-half)),
		MissedHigh: result.Number(min(1, share+half+0.003)),
		LatenessS:  flat(-200), AllocationAboveOracle: flat(above), RatioToOracle: flat(1 + above),
		JCTOverDeadline: flat(at), Allocation: flat(60)}
}

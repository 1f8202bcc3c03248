package figuretest

import (
	"math"
	"math/rand/v2"

	"racecard/datasets/result"
)

// Health returns the oddities of an invented trace of four days: quiet nights, half a day that is missing, runs
// that were there when it began, and clocks that differ.
func Health() *result.Health {
	r := source(4)
	nan := result.Number(math.NaN())
	h := &result.Health{Header: result.Header{Available: true, Needs: []string{"jobs.job_id"}}, Runs: 76, Stages: 1102,
		Attempts: 5312, Status: map[string]map[string]int64{"runs": {"succeeded": 74, "failed": 2},
			"attempts": {"succeeded": 5250, "failed": 62}}}
	const width, days, start = 1048.576, 4, 1773324120.0
	c := &h.Coverage
	*c = result.HealthCoverage{Base: "unix", FirstS: start, LastS: start + days*86400, FromS: start, ToS: start +
		days*86400, WidthS: width,
		Begins: result.HealthPile{AtS: start, Runs: 9, Of: 76}, Ends: result.HealthPile{AtS: start + days*86400,
			Runs: 1, Of: 74},
		Gaps: []result.HealthGap{{FromS: start + 2.1*86400, ToS: start + 2.6*86400, Seconds: 0.5 * 86400,
			Long: true}, {FromS: start + 700, ToS: start + 1400, Seconds: 700}},
		GapCount: 2, LongGaps: 1, LongShare: 0.125, IdleShare: 0.127, ShortestS: 4.194304, MeanEveryS: 4547}
	draw(r, c, days)
	example := func(run string, value float64, place ...int32) result.HealthExample {
		e := result.HealthExample{JobID: run, Value: result.Number(value)}
		for i, into := range []**int32{&e.Stage, &e.Task, &e.Attempt} {
			if i < len(place) {
				*into = &place[i]
			}
		}
		return e
	}
	h.Clock = result.HealthClock{Instants: 19_000, ResolutionS: 0.001, DurationResolutionS: nan, WholeSeconds: 0.001,
		WholeMillis: 1}
	h.Names = result.HealthNames{Named: 76, Distinct: 4, Exact: true}
	h.Values = []result.HealthValues{{Column: "tasks.cpu", Unit: "cores", N: 5302, Min: 1, Max: 20_000}}
	h.Checks = []result.HealthCheck{
		{ID: "far-instants", Severity: result.HealthOK, Of: 19_000, Largest: nan},
		{ID: "coverage-gap", Severity: result.HealthWarn, Count: 1, Of: 2, Share: 0.5, Largest: 43_200, Unit: "s"},
		{ID: "begins-at-first-instant", Severity: result.HealthWarn, Count: 9, Of: 76, Share: 9.0 / 76, Runs: 9,
			Largest: nan, Examples: []result.HealthExample{example("sales-rollup-001", math.NaN())}},
		{ID: "attempt-before-submit", Severity: result.HealthWarn, Count: 17, Of: 5312, Share: 17.0 / 5312, Runs: 3,
			Largest: 406, Unit: "s", Examples: []result.HealthExample{example("customer-360-004", 406, 2, 5, 0),
				example("customer-360-009", 8.5, 0, 1, 0)}},
		{ID: "outside-machine-lifetime", Severity: result.HealthUnchecked, Share: nan, Largest: nan},
		{ID: "implausible-cpu", Severity: result.HealthBad, Count: 1, Of: 5302, Share: 1.0 / 5302, Runs: 1,
			Largest: 20_000, Unit: "cores",
			Examples: []result.HealthExample{example("page-importance-002", 20_000, 7, 1, 0)}},
		{ID: "failed-runs", Severity: result.HealthInfo, Count: 2, Of: 76, Share: 2.0 / 76, Runs: 2, Largest: nan},
	}
	return h
}

// examined adds the health of the trace to its results.
func examined(b *result.Bundle) *result.Bundle {
	b.Documents["health"] = Health()
	return b
}

// draw fills the bins of a coverage with a daily cycle, but for its gaps.
func draw(r *rand.Rand, c *result.HealthCoverage, days float64) {
	for at := float64(c.FromS); at < float64(c.FromS)+days*86400; at += float64(c.WidthS) {
		b := result.HealthBin{AtS: at}
		if g := c.Gaps[0]; at+float64(c.WidthS) < g.FromS || at > g.ToS {
			busy := 1 - math.Cos(2*math.Pi*(at-float64(c.FromS))/86400)
			b.Arrivals = int64(busy * 2 * r.ExpFloat64())
			b.Runs = busy * (1 + r.Float64())
			b.Attempts = b.Runs * (5 + 3*r.Float64())
		}
		c.Bins = append(c.Bins, b)
	}
	c.Bins[0].Arrivals += 9
}

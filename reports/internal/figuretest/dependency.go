package figuretest

import (
	"fmt"
	"math"
	"sort"

	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// withDependency adds, to a bundle, the result of a trace in which n jobs of some groups feed others.
func withDependency(b *result.Bundle, n, groups int) *result.Bundle {
	r := source(13)
	d := &result.Dependency{Header: result.Header{Available: true,
		Needs: []string{"io.dataset", "io.mode", "jobs.start|jobs.submit|io.at", "jobs.end|io.at"}},
		Jobs: 3 * n, Producers: n, Dependents: 2 * n, Datasets: 4 * n, Reads: 7 * n, ReadsWithoutWriter: 2 * n,
		Memory: 1 << 30, Overlapping: n / 9}
	var gaps []float64
	columns := map[string][]float64{}
	for i := range n {
		p := result.Producer{JobID: fmt.Sprintf("run-%05d", i+1), Name: fmt.Sprint("feed-", i%40),
			Group: fmt.Sprint("team-", i%groups), DependsOn: i % 4}
		p.ChainLength = 1 + int(min(60, 3*math.Exp(0.9*r.NormFloat64())))
		p.IndirectDependents = p.ChainLength + int(min(1e5, 9*math.Exp(2*r.NormFloat64())))
		p.DependentGroups = 1 + r.IntN(min(groups, p.IndirectDependents))
		p.Dependents = 1 + r.IntN(min(9, p.IndirectDependents))
		d.Pairs += p.Dependents
		for range p.Dependents {
			gaps = append(gaps, 10*math.Exp(2*r.NormFloat64()))
		}
		d.Runs = append(d.Runs, p)
		columns["chain_length"] = append(columns["chain_length"], float64(p.ChainLength))
		columns["indirect_dependents"] = append(columns["indirect_dependents"], float64(p.IndirectDependents))
		columns["dependent_groups"] = append(columns["dependent_groups"], float64(p.DependentGroups))
		if p.IndirectDependents > most(d.MostDependents).IndirectDependents {
			d.MostDependents = append([]result.Producer{p}, d.MostDependents...)
			d.MostDependents = d.MostDependents[:min(10, len(d.MostDependents))]
		}
		if d.MostGroups == nil || p.DependentGroups > d.MostGroups.DependentGroups {
			d.MostGroups = &p
		}
	}
	d.ShareWithDependency = result.Number(float64(d.Producers+d.Dependents/2) / float64(d.Jobs))
	d.GapMin = summarise(gaps)
	d.ChainLength, d.IndirectDependents = summarise(columns["chain_length"]), summarise(columns["indirect_dependents"])
	d.DependentGroups = summarise(columns["dependent_groups"])
	d.Intervals = result.Intervals{Level: 0.95, Method: "bootstrap percentile", Resamples: 200,
		Of: map[string]map[string]result.Interval{}}
	columns["gap_min"] = gaps
	for _, name := range []string{"gap_min", "chain_length", "indirect_dependents", "dependent_groups"} {
		if xs := columns[name]; len(xs) < 2000 {
			d.Intervals.Of[name] = intervals(r, xs)
		}
	}

	d.GapQuantiles = quantiles(gaps, 201)
	d.LongestGap = &result.DependencyPair{Producer: "run-00001", Dependent: "run-00002", ProducerName: "feed-0",
		DependentName: "feed-1", Dataset: "/data/feed-0/latest", GapMin: d.GapMin.Max}
	for i := range min(50, int(d.ChainLength.Max)+1) {
		link := result.ChainLink{JobID: fmt.Sprintf("run-%05d", i+1), Name: fmt.Sprint("feed-", i%40),
			Group: fmt.Sprint("team-", i%groups), GapMin: result.Number(i)}
		if i%5 == 0 {
			link.GapMin = result.Number(math.NaN())
		}
		d.LongestChain = append(d.LongestChain, link)
	}
	b.Documents["dependency"] = d
	b.Tables["dependency"] = d.Table()
	return b
}

// most returns the first of producers, one without dependents when there is none.
func most(producers []result.Producer) result.Producer {
	if len(producers) == 0 {
		return result.Producer{}
	}
	return producers[0]
}

// quantiles returns xs in ascending order, when they are at most n; else n of their quantiles.
func quantiles(xs []float64, n int) []float64 {
	sorted := append([]float64(nil), xs...)
	sort.Float64s(sorted)
	if len(sorted) <= n {
		return sorted
	}
	return lists.Indexed(n, func(i int) float64 { return quantile(sorted, float64(i)/float64(n-1)) })
}

// withoutDependency adds, to a bundle, the result of a trace that does not record reads and writes.
func withoutDependency(b *result.Bundle) *result.Bundle {
	columns := []string{"io.dataset", "io.mode", "jobs.start|jobs.submit|io.at", "jobs.end|io.at"}
	b.Documents["dependency"] = &result.Dependency{Header: result.Header{Missing: columns[:2], Needs: columns}}
	return b
}

// Package figuretest makes results to draw in tests: plausible, invented, always labelled synthetic, and the same on
// every call. The jobs are modelled on four small applications that run every night, with realistic causes of variance:
// varying inputs, a shared cluster, failing tasks.
package figuretest

import (
	"maps"
	"math"
	"math/rand/v2"
	"sort"
	"sync"

	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// Typical returns the results of a trace of four recurring applications with 19 runs each.
func Typical() *result.Bundle {
	r := source(1)
	apps := Applications()
	var runs []run
	for i := range apps {
		runs = append(runs, drawRuns(r, &apps[i], 19)...)
	}
	return with(examined(withDependency(bundle(apps, runs, timeline(r, &apps[2], 3, 2, 1)), 64, 6)),
		workload(source(4), 21, 2000))
}

// Single returns the results of a trace with one recurring job, one run with stages and one task.
func Single() *result.Bundle {
	r := source(2)
	apps := Applications()[:1]
	runs := drawRuns(r, &apps[0], 1)
	rec := recurrence(apps, runs, 1)
	rec.CoV, rec.Jobs[0].CoV = summarise([]float64{0.12}), 0.12
	line := timeline(r, &apps[0], 1, 1, 1)
	line.Attempts = line.Attempts[:1]
	line.Stages, line.Allocations = line.Stages[:1], line.Allocations[:1]
	return with(withDependency(assemble(rec, allocation(runs), dag(apps, runs), line), 1, 1), oneRun())
}

// Large returns results as a production cluster gives them: 3,000 recurring jobs, 60,000 runs, a graph of 160 stages
// and a run of 13,000 tasks on 150 machines. Documents and tables are made once and shared: they must not be changed.
func Large() *result.Bundle {
	b, from := *large(), *large().Provenance
	b.Provenance, b.Documents, b.Tables = &from, maps.Clone(b.Documents), maps.Clone(b.Tables)
	return &b
}

var large = sync.OnceValue(func() *result.Bundle {
	r := source(3)
	apps := manyApplications(r, 3000)
	var runs []run
	for i := range apps {
		runs = append(runs, drawRuns(r, &apps[i], 20)...)
	}
	big := layeredApplication(r, "web-index", 160, 13000)
	return with(examined(withDependency(bundle(append(apps, big), append(runs, drawRuns(r, &big, 1)...),
		timeline(r, &big, 150, 4, 40)), 20_000, 80)), workload(source(5), 90, 60_000))
})

// Unavailable returns the results of a trace that holds nothing the analyses need.
func Unavailable() *result.Bundle {
	missing := func(columns ...string) result.Header { return result.Header{Missing: columns, Needs: columns} }
	none := summarise(nil)
	return with(withoutDependency(assemble(
		&result.Recurrence{Header: missing("jobs.end"), CoV: none, CoVSimilarInput: none,
			ShareOfRuns: result.Number(math.NaN())},
		&result.Allocation{Header: missing("jobs.guaranteed"), Ratio: none, MaxParallelism: none},
		&result.DAG{Header: missing("stages.stage", "edges.parent"), Stages: none, Barriers: none,
			Synchronisations:   none,
			CriticalPathStages: none, CriticalPathS: none, CriticalPathDriverS: none, DisjointPaths: none, Width: none,
			InputWork: none}, &result.Timeline{Header: missing("tasks.start", "tasks.end")})),
		&result.Workload{Header: missing("jobs.submit|jobs.start|jobs.status|stages.tasks|tasks.duration")})
}

// Hostile returns Typical with names that try to leave their place in a page.
func Hostile() *result.Bundle {
	b := Typical()
	const script = `<script>alert(1)</script>`
	rec := b.Documents["recurrence"].(*result.Recurrence)
	rec.Jobs[0].Name = script
	rec.Jobs[0].SlowestRun = `"><img src=x onerror=alert(1)>`
	rec.Warnings = append(rec.Warnings, script)
	rec.Rules = append(rec.Rules, "`"+script)
	rec.ByStatus["</style>"+script] = 1
	dep := b.Documents["dependency"].(*result.Dependency)
	dep.MostDependents[0] = result.Producer{JobID: script, Name: script, Group: script, IndirectDependents: 9}
	dep.LongestChain[0].Name, dep.LongestGap.Dataset = script, script
	rec.Extremes = []result.ExtremeRun{{What: script, JobID: script, Name: script, Value: 1}}
	b.Documents["allocation"].(*result.Allocation).Users[0].Who = script
	line := b.Documents["timeline"].(*result.Timeline)
	line.Name, line.JobID, line.Why = script, `' onload='alert(1)`, "because "+script
	line.Stages[0].Name = "</text></svg>" + script
	graph := b.Documents["dag"].(*result.DAG).Largest
	plans := &b.Documents["dag"].(*result.DAG).Plans
	plans.Common[0].Name, plans.Jobs[1].Name, plans.Shapes[0].Shape = script, script, script
	graph.Name, graph.Stages[0].Name = script, "]]>"+script
	graph.Stages[1].Name = "\x00\xff\u202etxt.exe" + script
	load := b.Documents["workload"].(*result.Workload)
	load.Failures.Reasons[0].Reason, load.Failures.Reasons[0].Example = script, script
	load.Failures.Machines.Suspects[0].Machine, load.Durations.Extremes[0].JobID = script, script
	load.Fits[0].What, load.Fits[0].Families[0].Family, load.Cutoff.Reason = script, script, script
	load.Concurrency.Utilization[0].Resource, load.Concurrency.Utilization[0].What = script, "\x00"+script
	load.Arrivals.LeftOut = map[string]int64{script: 2}
	for _, doc := range Answers(script) {
		with(b, doc)
	}
	p := b.Provenance
	p.Store, p.Command, p.Note = script, "racecard analyze '"+script+"'", script
	p.Warnings = append(p.Warnings, script)
	p.Sources = append(p.Sources, result.Source{Name: script, SHA256: script})
	p.Rejected[script] = 3
	p.Columns[script] = map[string]float64{script: 0.5}
	return b
}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func bundle(apps []Application, runs []run, line *result.Timeline) *result.Bundle {
	return assemble(recurrence(apps, runs, 10), allocation(runs), dag(apps, runs), line)
}

// with adds a document to a bundle.
func with(b *result.Bundle, doc result.Document) *result.Bundle {
	b.Documents[doc.Analysis()] = doc
	if t := doc.Table(); t.Len() > 0 {
		b.Tables[doc.Analysis()] = t
	}
	return b
}

func assemble(docs ...result.Document) *result.Bundle {
	b := &result.Bundle{Provenance: provenance(), Documents: map[string]result.Document{},
		Tables: map[string]*result.Table{}}
	for _, doc := range docs {
		b.Documents[doc.Analysis()] = doc
		if t := doc.Table(); t.Len() > 0 {
			b.Tables[doc.Analysis()] = t
		}
	}
	return b
}

func provenance() *result.Provenance {
	return &result.Provenance{
		Store: "nightly-store", Format: "spark", Synthetic: true, TimeBase: "unix", From: 1773324120, To: 1773339480,
		Sources: []result.Source{
			{Name: "eventlog_v2_app-0001.zst", Bytes: 81_204,
				SHA256: "6b3a55e0261b0304143f805a24924d0c1c44524821305f31d9277843b8a10f4e"},
			{Name: "eventlog_v2_app-0002.zst", Bytes: 79_310,
				SHA256: "f1945cd6c19e56b3c1c78943ef5ec18116907a4ca1efc40a57d48ab1db7adfc5"},
		},
		Rows: map[string]int64{"jobs": 76, "stages": 1102, "edges": 1419, "tasks": 5312, "allocations": 240, "io": 0,
			"machines": 8},
		Read: 18_442, Used: 12_980, Ignored: map[string]int64{"SparkListenerBlockUpdated": 4300,
			"SparkListenerExecutorMetricsUpdate": 1158},
		Rejected: map[string]int64{"truncated": 1, "end before start": 3},
		Repairs:  map[string]int64{"end before start set to null": 2},
		Warnings: []string{"eventlog_v2_app-0002.zst ends early: the whole records before the break are used"},
		Version:  "0.1.0", Command: "racecard analyze nightly-store --out results",
		Columns: map[string]map[string]float64{
			"jobs": {"job_id": 1, "seq": 1, "name": 1, "user": 1, "group": 0, "submit": 1, "start": 1, "end": 0.987,
				"status": 1, "input_bytes": 1, "shuffle_bytes": 0.74, "output_bytes": 1, "guaranteed": 0},
			"stages": {"job_id": 1, "stage": 1, "name": 1, "tasks": 1, "estimate_s": 0, "submit": 0.98, "start": 0.98,
				"end": 0.97, "cpu": 0},
			"edges": {"job_id": 1, "parent": 1, "child": 1, "kind": 1},
			"tasks": {"job_id": 1, "stage": 1, "task": 1, "attempt": 1, "queued": 1, "start": 1, "end": 0.9992,
				"duration": 0.9992, "status": 1, "machine": 1, "speculative": 1, "spare": 0, "cpu": 0.998, "mem": 0.998,
				"net_in": 0, "net_out": 0},
		},
	}
}

// summarise describes xs; quantiles are type 7.
func summarise(xs []float64) result.Summary {
	s := append([]float64(nil), xs...)
	sort.Float64s(s)
	if len(s) == 0 {
		nan := math.NaN()
		return result.Summary{Mean: nan, Min: nan, P10: nan, P25: nan, P50: nan, P75: nan, P90: nan, P95: nan, P99: nan,
			Max: nan}
	}
	q := func(p float64) float64 { return quantile(s, p) }
	return result.Summary{N: len(s), Mean: lists.Sum(s) / float64(len(s)), Min: s[0], P10: q(.1), P25: q(.25), P50: q(.5),
		P75: q(.75), P90: q(.9), P95: q(.95), P99: q(.99), Max: s[len(s)-1]}
}

func quantile(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

// intervals bootstraps the percentiles of xs.
func intervals(r *rand.Rand, xs []float64) map[string]result.Interval {
	points := map[string]float64{"p10": .1, "p50": .5, "p90": .9, "p95": .95, "p99": .99}
	draws := map[string][]float64{}
	sample := make([]float64, len(xs))
	for range 200 {
		for i := range sample {
			sample[i] = xs[r.IntN(len(xs))]
		}
		sort.Float64s(sample)
		for name, p := range points {
			draws[name] = append(draws[name], quantile(sample, p))
		}
	}
	out := map[string]result.Interval{}
	for name, d := range draws {
		sort.Float64s(d)
		out[name] = result.Interval{quantile(d, .025), quantile(d, .975)}
	}
	return out
}

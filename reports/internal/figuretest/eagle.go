package figuretest

import (
	"math"

	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// Eagle returns a made-up comparison of schedulers of workers with queues, with numbers like the output of
// `racecard simulate eagle`.
func Eagle() *result.Bundle {
	b := with(assemble(), EagleOf("eagle", "723"))
	b.Provenance = &result.Provenance{Store: "yahoo.store", Format: "tr", TimeBase: "relative", Version: "0.1.0",
		Command: "racecard simulate eagle yahoo.store"}
	return b
}

// EagleOf returns a comparison of three schedulers, one of the given name, with a slow job of the given id.
func EagleOf(name, job string) *result.Eagle {
	e := &result.Eagle{Header: result.Header{Available: true,
		Warnings: []string{"runs left out: no task durations: 3"}}, Order: []string{"hawk", name, "srpt"},
		Schedulers: map[string]*result.EagleScheduler{},
		Options: result.EagleOptions{Workers: 4000, ShortOnly: 80, CutoffS: 90.5811, GeneralPercent: 98, Seed: 1,
			Runs: 3, Compat: "none"},
		Workload: result.EagleWorkload{Jobs: 2400, LongJobs: 240, Tasks: 98_000, LongTasks: 50_000, WorkS: 8e7,
			LongWorkS: 7.9e7, SpanS: 22_000, Load: 0.91}}
	for i, n := range e.Order {
		scale := []float64{12, 1.5, 1}[i]
		s := &result.EagleScheduler{About: "scheduler " + n, Short: spread(2160, 20*scale), Long: spread(240, 1200),
			Utilization: 0.84, MakespanS: 30_000, Tasks: 98_000, Events: 400_000,
			Counts: result.EagleCounts{Probes: 120_000, Rejected: int64(9000 * i), Stolen: 4000, Stuck: 700},
			ShortWait: &result.EagleWait{MeanS: 40 * scale, MeanBehindLongS: []float64{430, 0.5, 0}[i],
				JobsBehindLong: []int{1900, 12, 0}[i]}}
		s.ShortCurve, s.LongCurve = curveOf(20*scale), curveOf(1200)
		e.Schedulers[n] = s
		for k := range 5 {
			e.Jobs = append(e.Jobs, result.EagleJob{JobID: job, Scheduler: n, Seq: k, Tasks: 15, Long: k == 4,
				EstimateS: 20, JCTS: 20 * scale, Kept: true})
		}
	}
	for _, x := range []struct {
		name, axis, base string
		at               []float64
	}{{"sweep", "workers", "hawk", []float64{4000, 5000, 6000, 7000, 8000}}, {"ablation", "workers", "hawk",
		[]float64{4000}}, {"bypass", "limit", "", []float64{0, 1, 5, 100}}} {
		of := result.EagleExperiment{Name: x.name, About: "what " + name + " does", Axis: x.axis, Base: x.base}
		for k, at := range x.at {
			for i, n := range e.Order {
				p := result.EaglePoint{X: at, Scheduler: n, Runs: 3, S: map[string]result.EagleValue{},
					Utilization: value(0.84 / (1 + 0.25*float64(k)))}
				for m, measure := range result.EagleMeasures {
					ratio := []float64{1, 0.2 + 0.15*float64(k) + 0.05*float64(m), 0.1 + 0.1*float64(k)}[i]
					if m > 2 {
						ratio = []float64{1, 0.99, 0.5}[i]
					}
					p.S[measure] = value(ratio * 400 * math.Pow(3, float64(m%3)) / (1 + float64(k)))
					if x.base != "" {
						if p.Over == nil {
							p.Over = map[string]result.EagleValue{}
						}
						p.Over[measure] = value(ratio)
					}
				}
				of.Points = append(of.Points, p)
			}
		}
		e.Experiments = append(e.Experiments, of)
	}
	for i, n := range e.Order[:2] {
		slow := result.EagleSlow{Scheduler: n, JobID: job, JCTS: []float64{2600, 800}[i], EstimateS: 40, All: 60,
			EagleMet: result.EagleMet{QueuedS: []float64{6e4, 1e4}[i], BehindLongS: []float64{5e4, 0}[i],
				Rejected: 90 * i, Stuck: 45 * i, Passed: 3, Stolen: 7 - 7*i}}
		for k := range 15 {
			start := []float64{170, 50}[i] * float64(k)
			t := result.EagleSlowTask{Worker: 97 * k, QueuedS: 0.001, StartS: start, EndS: start + 40, Stolen: k == 3}
			if k > 0 {
				t.Before = []result.EagleOn{{FromS: 0.001, ToS: start / 2, JobID: "long", Long: i == 0},
					{FromS: start / 2, ToS: start, JobID: "short"}}
			}
			slow.Tasks = append(slow.Tasks, t)
		}
		e.Slow = append(e.Slow, slow)
	}
	return e
}

// EagleTraces returns the cluster sizes of three traces, two of them generated.
func EagleTraces() *result.Bundle {
	var all []*result.Bundle
	for i, store := range []string{"cloudera.store", "google.store", "yahoo.store"} {
		b := Eagle()
		b.Provenance.Store, b.Provenance.Synthetic = store, i < 2
		e := b.Documents["eagle"].(*result.Eagle)
		for k := range e.Experiments[0].Points {
			p := &e.Experiments[0].Points[k]
			p.X *= []float64{3.75, 3.75, 1}[i]
			if x := p.Over["short_p90"]; i == 1 && p.Scheduler == "eagle" {
				x.Median, x.Low, x.High = 4*x.Median, 4*x.Low, 4*x.High // in overload
				p.Over["short_p90"] = x
			}
		}
		all = append(all, b)
	}
	b, err := result.JoinSweeps(all)
	if err != nil {
		panic("figuretest: " + err.Error())
	}
	return b
}

// value is a number over seeds, a twentieth to either side.
func value(x float64) result.EagleValue {
	return result.EagleValue{Median: result.Number(x), Low: result.Number(0.95 * x), High: result.Number(1.05 * x)}
}

// curveOf is the quantiles of an exponential distribution by its mean.
func curveOf(mean float64) []float64 {
	return lists.Indexed(101, func(i int) float64 { return -mean * math.Log(1-0.999*float64(i)/100) })
}

// spread is the summary of the same.
func spread(n int, mean float64) result.Summary {
	q := curveOf(mean)
	return result.Summary{N: n, Mean: mean, Min: q[0], P10: q[10], P25: q[25], P50: q[50], P75: q[75], P90: q[90],
		P95: q[95], P99: q[99], Max: q[100]}
}

package figuretest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"racecard/datasets/result"
)

// Leftover returns the results of [Typical] and the leftover of its runs in CPU, memory and disk; the network is
// unknown.
func Leftover() *result.Bundle { return withLeftover(Typical()) }

// LargeLeftover is [Leftover] of [Large].
func LargeLeftover() *result.Bundle { return withLeftover(Large()) }

func withLeftover(b *result.Bundle) *result.Bundle {
	doc := leftover(b.Documents["dag"].(*result.DAG))
	b.Documents["leftover"], b.Tables["leftover"] = doc, doc.Table()
	b.Provenance.Units = map[string]string{"cpu": "cores", "mem": "bytes", "disk_read": "bytes/s",
		"disk_write": "share of a disk"}
	return b
}

func leftover(d *result.DAG) *result.Leftover {
	r := source(21)
	n := d.Runs.Len()
	l := &result.Leftover{Header: result.Header{Available: true,
		Needs:   []string{"tasks.start", "tasks.end", "tasks.cpu|stages.cpu"},
		LeftOut: map[string]int64{"had not ended": 2}}, Runs: n, ByStatus: map[string]int{"succeeded": n},
		BinS:      result.Number(math.NaN()),
		Resources: map[string]*result.LeftoverResource{}, Correlation: map[string]result.LeftoverCorrelation{},
		Check: result.LeftoverCheck{Runs: n}}
	for _, s := range d.Runs.All() {
		share := min(0.95, max(0.01, 0.12+0.035*float64(s.Barriers)+0.08*r.NormFloat64()))
		l.PerRun.Add(&result.LeftoverRun{JobID: s.JobID, Name: s.Name,
			Stages: s.Stages, Barriers: s.Barriers, PathStages: s.PathStages, Disjoint: s.Disjoint,
			Width: s.Width, Attempts: s.Attempts, Leftover: share,
			Of: []result.LeftoverAmount{{Most: 6, Leftover: share, Allocated: s.TaskSeconds,
				Spare: share * s.TaskSeconds}}})
		l.Attempts += int64(s.Attempts)
	}
	l.Events = 2*l.Attempts + 2*int64(n)
	l.Instants = l.Events - 40
	for i, name := range resources() {
		if i >= 4 {
			l.Resources[name] = &result.LeftoverResource{Missing: []string{"tasks." + name, "stages." + name}}
			continue
		}
		l.Resources[name] = held(r, l, 0.24-0.04*float64(i))
	}
	l.Timeline = overTime(r)
	for name, x := range map[string]float64{"stages": 0.58, "barriers": 0.71, "critical_path_stages": 0.49,
		"disjoint_paths": 0.62, "width": 0.6} {
		c := result.Correlation{N: n, Pearson: result.Number(x), Spearman: result.Number(x - 0.04)}
		l.Correlation[name] = result.LeftoverCorrelation{Correlation: c,
			Resources: map[string]result.Correlation{"cpu": c}, OverTime: map[string]result.Correlation{"cpu": c}}
	}
	return l
}

// resources are Carbyne's six, by the names of their columns.
func resources() []string {
	return []string{"cpu", "mem", "disk_read", "disk_write", "net_in", "net_out"}
}

// held makes up the held amount and the leftover of runs in one resource.
func held(r *rand.Rand, l *result.Leftover, middle float64) *result.LeftoverResource {
	of := &result.LeftoverResource{Available: true, Runs: l.Runs, Attempts: l.Attempts - 30, Unknown: 30,
		Share:     result.Number(middle + 0.05),
		Allocated: 51_840, Spare: result.Number(51_840 * (middle + 0.05)), Extremes: []result.LeftoverExtreme{}}
	shares := func(middle float64) []float64 {
		xs := make([]float64, 4000)
		for i := range xs {
			xs[i] = min(1, max(0, middle+0.22*r.NormFloat64()))
		}
		sort.Float64s(xs)
		return xs
	}
	byTime, byEvent := shares(middle), shares(middle+0.06)
	of.TimeWeighted, of.EventWeighted = summarise(byTime), summarise(byEvent)
	for i := range 101 {
		of.TimeCurve, of.EventCurve = append(of.TimeCurve, quantile(byTime, float64(i)/100)),
			append(of.EventCurve, quantile(byEvent, float64(i)/100))
	}
	for k, x := range l.PerRun.All() {
		i := l.PerRun.Len() - 1 - k
		if i >= 10 {
			continue
		}
		of.Extremes = slices.Insert(of.Extremes, 0, result.LeftoverExtreme{JobID: x.JobID, Name: x.Name,
			Leftover: result.Number(x.Leftover), Allocated: 900 - 50*float64(i), Spare: 400 - 30*float64(i)})
	}
	return of
}

// overTime makes up the held amount over a day and a half: more by day than by night.
func overTime(r *rand.Rand) result.LeftoverTimeline {
	t := result.LeftoverTimeline{FromS: 1773324120, StepS: 67.108864, Resources: map[string]result.LeftoverTimeValue{}}
	const steps = 1931
	for range steps {
		t.Running = append(t.Running, 2+r.Float64())
	}
	for i, scale := range []float64{120, 480e9, 2.5e9, 3.2} {
		var v result.LeftoverTimeValue
		walk := 0.0
		for k := range steps {
			walk = 0.95*walk + 0.06*r.NormFloat64()
			day := 0.55 + 0.35*math.Sin(2*math.Pi*float64(k)/1287)
			x := scale * max(0, day+walk)
			v.Allocated = append(v.Allocated, x)
			v.Spare = append(v.Spare, x*min(1, max(0, 0.3-0.04*float64(i)+0.1*r.NormFloat64())))
		}
		t.Resources[resources()[i]] = v
	}
	return t
}

// LeftoverOf returns a leftover in which the n-th run is called name, for names that try to leave their place.
func LeftoverOf(name string) *result.Leftover {
	l := Leftover().Documents["leftover"].(*result.Leftover)
	for _, of := range l.Resources {
		for i := range of.Extremes {
			of.Extremes[i].Name, of.Extremes[i].JobID = name, fmt.Sprint(name, i)
		}
	}
	l.Warnings = append(l.Warnings, name)
	return l
}

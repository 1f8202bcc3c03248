package figure

import (
	"math"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/reports/internal/figuretest"
)

// eagles draws everything of a comparison of schedulers.
func eagles(t *testing.T, e *result.Eagle) {
	t.Helper()
	s := Source{Store: "yahoo.store"}
	all := []*Figure{EagleCompletion(e, s), EagleWaits(e, s)}
	for i := range e.Experiments {
		x := &e.Experiments[i]
		all = append(all, EagleSweep(x, s), EagleAblation(x, s), EagleExperiment(x, s))
	}
	traces := &result.EagleTraces{}
	for i := range e.Experiments {
		traces.Traces = append(traces.Traces, result.EagleTrace{Store: e.Experiments[i].Name, Options: e.Options,
			Workload: e.Workload, Sweep: &e.Experiments[i]})
	}
	all = append(all, EagleTraces(traces, s), EagleTraces(&result.EagleTraces{}, s))
	all = append(all, EagleSlow("eagle-slow", e.Slow, s), EagleSlow("eagle-slow", nil, s))
	for _, f := range all {
		everyForm(t, f, true)
	}
}

func TestEagleFiguresOfAnything(t *testing.T) {
	eagles(t, figuretest.EagleOf("eagle", "1"))
	eagles(t, figuretest.EagleOf(`"><script>alert(1)</script>`, "<b>"))
	eagles(t, &result.Eagle{Experiments: []result.EagleExperiment{{}}, Slow: []result.EagleSlow{{}}})

	broken := figuretest.EagleOf("eagle", "1")
	nan := result.EagleValue{Median: result.Number(math.NaN()), Low: result.Number(math.NaN()),
		High: result.Number(math.NaN())}
	for _, s := range broken.Schedulers {
		s.ShortCurve, s.Long, s.LongCurve = []float64{math.NaN(), math.Inf(1)}, result.Summary{}, nil
		s.ShortWait = &result.EagleWait{MeanS: math.NaN()}
	}
	for i := range broken.Experiments {
		for k := range broken.Experiments[i].Points {
			p := &broken.Experiments[i].Points[k]
			p.Utilization, p.X = nan, math.NaN()
			p.S["short_p50"], p.S["long_p99"] = nan, result.EagleValue{Median: -1, Low: 0, High: 1e300}
			if p.Over != nil {
				p.Over["short_p90"] = nan
			}
		}
	}
	for i := range broken.Slow {
		broken.Slow[i].JCTS = math.Inf(1)
		broken.Slow[i].Tasks[3].StartS = math.NaN()
		broken.Slow[i].Tasks[4].Before = []result.EagleOn{{FromS: math.NaN(), ToS: 1}, {FromS: 5, ToS: 1}, {Slot: -1,
			FromS: 0, ToS: 1}, {Slot: 1 << 60, FromS: 0, ToS: 1}}
		broken.Slow[i].Tasks[5].Slot, broken.Slow[i].Tasks[6].Slot = -1, 1<<60
	}
	eagles(t, broken)

	slots := figuretest.EagleOf("eagle", "1")
	for i := range slots.Slow {
		for k := range slots.Slow[i].Tasks {
			x := &slots.Slow[i].Tasks[k]
			x.Slot = k % 4
			x.Before = append(x.Before, result.EagleOn{Slot: 3, FromS: x.QueuedS, ToS: x.StartS + 1})
		}
	}
	eagles(t, slots)
	if f := EagleSlow("eagle-slow", slots.Slow, Source{}); !strings.Contains(f.Caption,
		"a line for each of its slots") {
		t.Errorf("the caption does not tell of slots: %s", f.Caption)
	}

	one := figuretest.EagleOf("eagle", "1")
	for i := range one.Experiments {
		one.Experiments[i].Points = one.Experiments[i].Points[:2]
	}
	eagles(t, one)
}

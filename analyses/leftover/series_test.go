package leftover

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
)

// crowd returns runs that overlap: of n runs one begins every gap microseconds or so.
func crowd(seed uint64, n int, gap, length int64) []*trace.Run {
	rng := rand.New(rand.NewPCG(seed, 1))
	var runs []*trace.Run
	for i := range n {
		r := trace.NewRun(fmt.Sprintf("run-%06d", i))
		r.Submit, r.Status = trace.Instant(int64(i)*gap+rng.Int64N(gap)), trace.Succeeded
		at := r.Submit
		for s := range int32(1 + rng.IntN(4)) {
			stage := trace.NewStage()
			stage.Demand[trace.CPU], stage.Demand[trace.Mem] = 0.1*float64(1+rng.IntN(20)), 1e9*rng.Float64()
			r.Stages = append(r.Stages, stage)
			if s > 0 && rng.IntN(3) > 0 {
				r.Edges = append(r.Edges, edge(s-1, s))
			}
			end := at
			for task := range int32(1 + rng.IntN(12)) {
				a := trace.NewAttempt(s, task, 0)
				a.Start = at + trace.Instant(rng.Int64N(1+length/8))
				a.End = a.Start + trace.Instant(rng.Int64N(length))
				a.Duration, a.Status = a.End.Since(a.Start), trace.Succeeded
				r.Attempts = append(r.Attempts, a)
				end = max(end, a.End)
			}
			at = end
		}
		r.End = at
		runs = append(runs, r)
	}
	return runs
}

func analyse(t testing.TB, runs []*trace.Run, memory int64, parts int) *result.Leftover {
	t.Helper()
	return analyseWith(t, runs, parts, func() *Partial { return New(Options{Memory: memory}) })
}

func analyseWith(t testing.TB, runs []*trace.Run, parts int, fresh func() *Partial) *result.Leftover {
	t.Helper()
	into := fresh()
	for from := 0; from < parts; from++ {
		p := fresh()
		for _, r := range runs[from*len(runs)/parts : (from+1)*len(runs)/parts] {
			p.Add(r)
		}
		into.Merge(p)
	}
	return finish(t, into)
}

// The result does not depend on how runs are split, whether the steps fit in memory or not.
func TestPartitionsDoNotMatter(t *testing.T) {
	runs := crowd(3, 800, 50_000, 4_000_000)
	for _, memory := range []int64{1 << 30, 1 << 22, 1 << 16} {
		var want []byte
		for _, parts := range []int{1, 2, 7, 100} {
			for _, doc := range []*result.Leftover{
				analyse(t, runs, memory, parts), analyseWith(t, runs, parts, Parts(Options{Memory: memory})),
			} {
				if doc.Estimated != (memory < 1<<30) {
					t.Fatalf("memory %d: estimated is %v", memory, doc.Estimated)
				}
				got, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				} else if !bytes.Equal(got, want) {
					t.Errorf("memory %d: %d parts give another result", memory, parts)
				}
			}
		}
	}
}

// Bins estimate what the exact steps say: sums are the same, quantiles are near.
func TestBinsAgainstExact(t *testing.T) {
	runs := crowd(5, 6000, 30_000, 20_000_000)
	exact, binned := analyse(t, runs, 1<<30, 3), analyse(t, runs, 1<<22, 3)
	if exact.Estimated || !binned.Estimated || !(binned.BinS > 0) {
		t.Fatalf("estimated: %v and %v, bins of %v s", exact.Estimated, binned.Estimated, binned.BinS)
	}
	if exact.Events != binned.Events || exact.Check != binned.Check || exact.Moved != binned.Moved {
		t.Errorf("events %d and %d", exact.Events, binned.Events)
	}
	for _, name := range []string{"cpu", "mem"} {
		a, b := exact.Resources[name], binned.Resources[name]
		if a.Allocated != b.Allocated || a.Spare != b.Spare || a.Share != b.Share {
			t.Errorf("%s: %v of %v, in bins %v of %v", name, a.Spare, a.Allocated, b.Spare, b.Allocated)
		}
		for _, c := range []struct {
			what string
			a, b float64
		}{
			{"time-weighted mean", a.TimeWeighted.Mean, b.TimeWeighted.Mean},
			{"time-weighted median", a.TimeWeighted.P50, b.TimeWeighted.P50},
			{"time-weighted p90", a.TimeWeighted.P90, b.TimeWeighted.P90}, {"event-weighted mean", a.EventWeighted.Mean,
				b.EventWeighted.Mean},
			{"event-weighted median", a.EventWeighted.P50, b.EventWeighted.P50},
			{"correlation over time", float64(exact.Correlation["stages"].OverTime[name].Pearson),
				float64(binned.Correlation["stages"].OverTime[name].Pearson)},
		} {
			if !(math.Abs(c.a-c.b) < 0.005) {
				t.Errorf("%s: %s is %v, in bins %v", name, c.what, c.a, c.b)
			}
		}
	}
	for i := range exact.Timeline.Running {
		if !same(exact.Timeline.Running[i], binned.Timeline.Running[i]) {
			t.Fatalf("step %d of the timeline: %v and %v runs", i, exact.Timeline.Running[i],
				binned.Timeline.Running[i])
		}
	}
}

// The document survives its JSON form, and its table has a row per run.
func TestDocumentForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := New(DefaultOptions())
		for i := range 3 {
			p.Add(tracetest.Run(t, fmt.Sprint("r", i)))
		}
		doc := finish(t, p)
		data, err := json.Marshal(result.Form(doc))
		if err != nil {
			t.Fatal(err)
		}
		var back result.Leftover
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(result.Form(&back))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, again) {
			t.Errorf("%s\nbecomes\n%s", data, again)
		}
		if n := doc.Table().Len(); n != doc.Runs {
			t.Errorf("the table has %d rows, want %d", n, doc.Runs)
		}
	})
}

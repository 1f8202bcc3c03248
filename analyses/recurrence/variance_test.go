package recurrence

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
)

// at gives a run a time of submission in seconds; it takes as long as before.
func at(r *trace.Run, seconds int64) *trace.Run {
	d := r.Completion()
	r.Submit = trace.Instant(seconds * 1e6)
	r.End = r.Submit + trace.Instant(d)
	return r
}

// Sixteen runs, an hour apart: input 1000 or 2000, tokens 1 or 2 in all combinations, completion 16 s, four times as
// long with the larger input, twice as long with more tokens. In logarithms that is 2a + b with a and b of +1 and -1
// that do not go together:
//
//	input alone explains 4/5, adjusted for one parameter 1 - 1/5 x 15/14 = 11/14; tokens 1/5, adjusted 1 - 4/5 x 15/14 = 2/14
//	both explain all: input has (11/14 + 1 - 2/14) / 2 = 23/28, tokens (2/14 + 1 - 11/14) / 2 = 5/28
//
// Nothing is known of queueing (no start), spare tokens or failures (no attempts), and the runs cover less than two
// days.
func TestCausesByHand(t *testing.T) {
	var runs []*trace.Run
	for i := range int64(16) {
		larger, more := i%2, i/2%2
		r := at(run(fmt.Sprint("r", i), "a", float64(16*(1+3*larger)*(1+more)), 1000*(1+larger)), i*3600)
		r.Guaranteed = 1 + more
		runs = append(runs, r)
	}
	j := analyze(t, runs, 0).Jobs[0]
	want := map[string]result.Number{"input": 23.0 / 28, "tokens": 5.0 / 28, "drift": 0}
	for cause, share := range want {
		if got, ok := j.Causes.Of[cause]; !ok || math.Abs(float64(got-share)) > 1e-12 {
			t.Errorf("%s explains %v, want %v", cause, got, share)
		}
	}
	if len(j.Causes.Of) != len(want) || j.Causes.Runs != 16 || math.Abs(float64(j.Causes.Rest)) > 1e-12 {
		t.Errorf("causes %+v", j.Causes)
	}
	for cause, why := range map[string]string{"queueing": reasonUnknown, "spare": reasonUnknown,
		"failures": reasonUnknown, "hour": reasonShort, "weekday": reasonShort} {
		if j.Causes.NotExamined[cause] != why {
			t.Errorf("%s: %q, want %q", cause, j.Causes.NotExamined[cause], why)
		}
	}
}

// Jobs whose variance has one known cause.
func TestCausesAreFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	noise := func() float64 { return math.Exp(0.02 * rng.NormFloat64()) }
	for _, test := range []struct {
		cause string
		make  func(r *trace.Run, i int) float64 // completion time
	}{
		{"input", func(r *trace.Run, _ int) float64 {
			r.InputBytes = int64(1e9 * math.Exp(rng.NormFloat64()))
			return 10 * float64(r.InputBytes) / 1e9
		}},
		{"tokens", func(r *trace.Run, _ int) float64 {
			r.Guaranteed = 1 + rng.Int64N(9)
			return 100 / float64(r.Guaranteed)
		}},
		{"queueing", func(r *trace.Run, _ int) float64 {
			wait := 100 * rng.Float64()
			r.Start = r.Submit + trace.Instant(wait*1e6)
			return 50 + wait
		}},
		{"spare", func(r *trace.Run, _ int) float64 {
			spare := rng.IntN(11)
			for k := range r.Attempts {
				r.Attempts[k].Spare = trace.TriOf(k < spare)
			}
			return 10 * math.Exp(float64(spare)/10)
		}},
		{"failures", func(r *trace.Run, _ int) float64 {
			failed := rng.IntN(5)
			for k := range failed {
				r.Attempts[k].Status = trace.Failed
			}
			return 10 * math.Exp(float64(failed)/10)
		}},
		{"hour", func(r *trace.Run, _ int) float64 {
			return 10 * math.Exp(0.3*math.Cos(2*math.Pi*(r.Submit.Since(0).Seconds()/86400-0.3)))
		}},
		{"weekday", func(r *trace.Run, _ int) float64 {
			return 10 * math.Exp(0.3*math.Sin(2*math.Pi*r.Submit.Since(0).Seconds()/86400/7))
		}},
		{"drift", func(_ *trace.Run, i int) float64 { return 10 * float64(1+i/30) }},
	} {
		var runs []*trace.Run
		for i := range 90 {
			r := run(fmt.Sprint("r", i), "a", 1, 1e9)
			r.Submit = trace.Instant(int64(i)*5*3600*1e6 + rng.Int64N(3600e6)) // over eighteen days
			r.Start, r.Guaranteed = r.Submit+5e6, 4
			for k := range int32(10) {
				a := trace.NewAttempt(0, k, 0)
				a.Duration, a.Status, a.Spare = 1e6, trace.Succeeded, trace.No
				r.Attempts = append(r.Attempts, a)
			}
			r.End = r.Submit + trace.Instant(test.make(r, i)*noise()*1e6)
			runs = append(runs, r)
		}
		j := analyze(t, runs, 0).Jobs[0]
		sum := float64(j.Causes.Rest)
		for _, c := range causes {
			share := float64(j.Causes.Of[c.name])
			sum += share
			if c.name == test.cause && share < 0.9 || c.name != test.cause && share > 0.06 {
				t.Errorf("%s: %s explains %.3f", test.cause, c.name, share)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("%s: shares add up to %v", test.cause, sum)
		}
		if j.Drift.Drifting != (test.cause == "drift") && test.cause != "weekday" { // a week is a spell
			t.Errorf("%s: drifting is %v, changes %+v", test.cause, j.Drift.Drifting, j.Drift.Changes)
		}
	}
}

// Twenty runs, an hour apart: ten of 9 and 11 s in turn, then ten of 18 and 22 s in turn.
//
//	CoV of each half: sqrt(10/9)/10 and sqrt(40/9)/20, both 0.105409; so within segments sqrt((9 c² + 9 c²)/18) = 0.105409
//	over all: mean 15, squared deviations 5 x (36 + 16 + 9 + 49) = 550, CoV sqrt(550/19)/15 = 0.358689
//	cost: a task of 3 s in each of ten runs, none recorded in the others: 3 s on average, 60 task-seconds
//	impact: 0.105409² x 60 = (1/90) x 60 = 2/3
func TestDriftByHand(t *testing.T) {
	var runs []*trace.Run
	for i := range int64(20) {
		seconds := []float64{9, 11, 18, 22}[i/10*2+i%2]
		r := at(run(fmt.Sprintf("r%02d", i), "a", seconds, trace.None), 1000+i*3600)
		if i%2 == 0 {
			a := trace.NewAttempt(0, 0, 0)
			a.Duration, a.Status = 3e6, trace.Succeeded
			r.Attempts = append(r.Attempts, a)
		}
		runs = append(runs, r)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rng.Shuffle(len(runs), func(i, k int) { runs[i], runs[k] = runs[k], runs[i] })
	r := analyze(t, runs, 7)
	j := r.Jobs[0]
	d := j.Drift
	within := math.Sqrt(10.0/9) / 10
	if !d.Drifting || r.Drifting != 1 || len(d.Changes) != 1 || math.Abs(float64(d.CoVWithin)-within) > 1e-12 ||
		math.Abs(j.CoV-math.Sqrt(550.0/19)/15) > 1e-12 {
		t.Errorf("CoV %v, drift %+v", j.CoV, d)
	}
	if c := d.Changes[0]; c.JobID != "r10" || c.AtS != 37000 || c.Before != 10 || c.After != 20 {
		t.Errorf("change %+v", c)
	}
	if j.Cost != 60 || math.Abs(float64(j.Impact)-2.0/3) > 1e-12 || r.CostBasis != "task_seconds" {
		t.Errorf("cost %v in %s, impact %v", j.Cost, r.CostBasis, j.Impact)
	}
	if s := r.Shown; len(s) != 1 || !s[0].Drifting || len(s[0].Points) != 20 ||
		s[0].Points[1] != (result.RunPoint{AtS: 4600, Seconds: 11}) {
		t.Errorf("shown %+v", s)
	}
}

// Runs of 10, 12, 14, ..., 36 s, a second apart: the line is exact, and along it they do not vary at all. A line that
// leads below nothing is none.
func TestTrendByHand(t *testing.T) {
	var times []int64
	var seconds []float64
	for i := range int64(14) {
		times, seconds = append(times, i*1e6), append(seconds, 10+2*float64(i))
	}
	d := detrend(times, seconds, 2/1e6)
	if !d.known || math.Abs(float64(d.CoVWithin)) > 1e-12 || d.freely != 1 || len(d.level) != 14 ||
		math.Abs(float64(d.TrendFromS)-10) > 1e-9 || math.Abs(float64(d.TrendToS)-36) > 1e-9 {
		t.Errorf("drift %+v", d)
	}
	if d := detrend(times, seconds, 9/1e6); d.known {
		t.Errorf("a line through nothing: %+v", d)
	}
}

// A job that becomes steadily slower has a trend and no changes of level, however steep: the line leaves less.
func TestTrendOrChanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	var runs []*trace.Run
	for i := range int64(30) {
		runs = append(runs, at(run(fmt.Sprint("r", i), "a", 10+float64(i)+0.5*rng.Float64(), trace.None), i*3600))
	}
	j := analyze(t, runs, 0).Jobs[0]
	if d := j.Drift; !d.Drifting || len(d.Changes) != 0 || math.Abs(float64(d.TrendFromS)-10.25) > 0.3 ||
		math.Abs(float64(d.TrendToS)-39.25) > 0.3 || d.CoVWithin > 0.03 || d.TrendP > 1e-9 {
		t.Errorf("CoV %v, drift %+v", j.CoV, d)
	}
}

// Stage 0: attempts of 1, 1, 2 and 4 s: the median is 1.5, and 4 > 2.25 is a straggler with an excess of 2.5; 2 is
// none. Stage 1: succeeded attempts of 2, 2 and 3 s, a killed one of 10 s: the median is 2; 3 is not more than 3, the
// killed one is a straggler with an excess of 8. Stage 2: failed attempts alone, 1, 1 and 5 s: one straggler, excess 4.
// Stage 3: no durations. In all 3 stragglers of 11 attempts, 14.5 of 32 task-seconds.
func TestStragglersByHand(t *testing.T) {
	r := run("r", "a", 40, trace.None)
	for stage, durations := range [][]float64{{1, 1, 2, 4}, {2, 2, 3, 10}, {1, 1, 5}} {
		for k, d := range durations {
			a := trace.NewAttempt(int32(stage), int32(k), 0)
			a.Duration, a.Status = trace.Duration(d*1e6), trace.Succeeded
			if d == 10 {
				a.Status = trace.Killed
			}
			if stage == 2 {
				a.Status = trace.Failed
			}
			r.Attempts = append(r.Attempts, a)
		}
	}
	r.Attempts = append(r.Attempts, trace.NewAttempt(3, 0, 0))
	var runs []*trace.Run
	for i := range 10 {
		c := r.Clone()
		c.ID = fmt.Sprint("r", i)
		runs = append(runs, c)
	}
	all := analyze(t, runs, 3)
	for name, s := range map[string]result.Stragglers{"all": all.Stragglers, "job": all.Jobs[0].Stragglers} {
		if s.Attempts != 110 || s.Stragglers != 30 || math.Abs(float64(s.ExcessS)-145) > 1e-9 ||
			math.Abs(float64(s.ExcessShare)-14.5/32) > 1e-12 || s.WorstRun != "r0" {
			t.Errorf("%s: %+v", name, s)
		}
	}
	// Of the 32 task-seconds 10 + 7 were lost.
	if o := observe(r, 40, new([]float64)); math.Abs(o.lost-17.0/32) > 1e-12 || o.work != 32 {
		t.Errorf("lost %v of %v", o.lost, o.work)
	}
}

func TestCostBasis(t *testing.T) {
	for _, test := range []struct {
		name      string
		change    func(r *trace.Run, i int)
		want      string
		wantsCost float64
	}{
		{"nothing known", func(*trace.Run, int) {}, "run_seconds", 100},
		{"tokens", func(r *trace.Run, _ int) { r.Guaranteed = 3 }, "token_seconds", 300},
		{"tokens held from the start", func(r *trace.Run, _ int) { r.Guaranteed, r.Start = 3, r.Submit+4e6 },
			"token_seconds", 180},
		{"tokens of half the runs", func(r *trace.Run, i int) { r.Guaranteed = []int64{trace.None, 3}[i%2] },
			"token_seconds", 300},
	} {
		var runs []*trace.Run
		for i := range 10 {
			r := run(fmt.Sprint("r", i), "a", 10, trace.None)
			test.change(r, i)
			runs = append(runs, r)
		}
		r := analyze(t, runs, 0)
		if r.CostBasis != test.want || math.Abs(float64(r.Jobs[0].Cost)-test.wantsCost) > 1e-9 {
			t.Errorf("%s: %v %s, want %v %s", test.name, r.Jobs[0].Cost, r.CostBasis, test.wantsCost, test.want)
		}
	}
}

// Whatever the runs are and however they are split, the result is the same, can be written, and shares add up to 1.
func TestPartitionsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var runs []*trace.Run
		for i := range rapid.IntRange(0, 40).Draw(rt, "runs") {
			var r *trace.Run
			if rapid.IntRange(0, 3).Draw(rt, "any") == 0 {
				r = tracetest.Run(rt, fmt.Sprint("r", i))
			} else {
				r = at(run(fmt.Sprint("r", i), "", rapid.Float64Range(0, 100).Draw(rt, "seconds"),
					rapid.Int64Range(0, 1e6).Draw(rt, "input")),
					rapid.Int64Range(0, 3e6).Draw(rt, "submit"))
				r.Guaranteed = rapid.Int64Range(0, 9).Draw(rt, "tokens")
				r.Start = r.Submit + trace.Instant(rapid.Int64Range(0, 9e6).Draw(rt, "queued"))
				r.End = max(r.End, r.Start)
			}
			r.Name = rapid.SampledFrom([]string{"", "a-20261103", "a-20261104", "b"}).Draw(rt, "name")
			runs = append(runs, r)
		}
		o := DefaultOptions()
		o.MinRuns = 2
		finish := func(splits ...int) string {
			p, from := New(o), 0
			for _, to := range append(splits, len(runs)) {
				q := New(o)
				for _, r := range runs[from:to] {
					q.Add(r)
				}
				p.Merge(q)
				from = to
			}
			r, err := p.Finish(t.Context())
			if err != nil {
				rt.Fatal(err)
			}
			for _, j := range r.Jobs {
				sum := float64(j.Causes.Rest)
				for _, share := range j.Causes.Of {
					sum += float64(share)
				}
				if len(j.Causes.Of) > 0 && !(math.Abs(sum-1) < 1e-9) {
					rt.Errorf("%s: shares add up to %v", j.Name, sum)
				}
			}
			r.Table()
			data, err := json.Marshal(r)
			if err != nil {
				rt.Fatal(err)
			}
			return string(data)
		}
		k := rapid.IntRange(0, len(runs)).Draw(rt, "split")
		want := finish()
		if got := finish(k/2, k); got != want {
			rt.Fatalf("split at %d: got %s\nwant %s", k, got, want)
		}
		slices.Reverse(runs) // nor does the order of runs
		if got := finish(); got != want {
			rt.Fatalf("in reverse: got %s\nwant %s", got, want)
		}
	})
}

package backtest

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/sim"
)

const second = 1_000_000

// twoStages is a run submitted at some second that holds 2 tokens: two tasks of a s each from 1 s on, then one of b s;
// it ends 1 s later, 2 + a + b s after its submission.
func twoStages(id string, at, a, b float64) *trace.Run {
	us := func(s float64) trace.Instant { return trace.Instant(math.Round((at + s) * second)) }
	r := trace.NewRun(id)
	r.Name, r.Status, r.Submit, r.Start, r.End, r.Guaranteed = "n", trace.Succeeded, us(0), us(0), us(2+a+b), 2
	for i, s := range [][2]float64{{1, 1 + a}, {1 + a, 1 + a + b}} {
		st := trace.NewStage()
		st.Name, st.Tasks, st.Submit, st.Start, st.End = string(rune('a'+i)), int64(2-i), us(s[0]), us(s[0]), us(s[1])
		r.Stages = append(r.Stages, st)
		for k := range 2 - i {
			x := trace.NewAttempt(int32(i), int32(k), 0)
			x.Status, x.Queued, x.Start, x.End = trace.Succeeded, us(s[0]), us(s[0]), us(s[1])
			x.Duration = x.End.Since(x.Start)
			r.Attempts = append(r.Attempts, x)
		}
	}
	r.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}
	return r
}

func run(t testing.TB, o Options, runs ...*trace.Run) *result.Backtest {
	t.Helper()
	b, err := NewBuilder(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		b.Add(r)
	}
	out, err := b.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func small() Options {
	o := DefaultOptions()
	o.MinRuns, o.After, o.Replicates = 4, 3, 100
	return o
}

// noisy are runs an hour apart, each of them slower or faster as a whole by a lognormal factor.
func noisy(n int, sigma float64, rng *rand.Rand) []*trace.Run {
	var out []*trace.Run
	for i := range n {
		f := math.Exp(sigma * rng.NormFloat64())
		out = append(out, twoStages(fmt.Sprint("r", i), 3600*float64(i), 20*f, 10*f))
	}
	return out
}

// predictions returns what every baseline predicts of a run, by name; NaN for one that predicts nothing.
func predictions(t *testing.T, past []past, to next) map[string]float64 {
	t.Helper()
	o := small()
	out := map[string]float64{}
	for _, b := range baselines() {
		times, err := b.predict(&question{job: "n", next: to, past: past, o: &o})
		if err != nil {
			t.Fatal(err)
		}
		if out[b.name()] = math.NaN(); times.Len() > 0 {
			out[b.name()] = quantile.Quantile(times, 0.5)
		}
	}
	return out
}

// The run before took 2 + 4 + 3 = 9 s, those before it 8 and 7. Driver time is 2 s each; longest paths 7, 6 and 5 s;
// work 11, 10 and 8 s. Amdahl: 2 + 6 + (4 + 4 + 3)/3 / 2 = 9.83. Stages, from the last: 2 + max(8/2, 4) + max(3/2, 3) =
// 9; with one token 2 + 8 + 3.
func TestBaselines(t *testing.T) {
	var before []past
	for i, x := range [][2]float64{{3, 2}, {4, 2}, {4, 3}} {
		before = append(before, observe(twoStages(fmt.Sprint(i), 0, x[0], x[1]), i))
	}
	got, unknown := predictions(t, before, next{tokens: 2, inputBytes: math.NaN()}),
		predictions(t, before, next{tokens: math.NaN(), inputBytes: math.NaN()})
	for name, want := range map[string]float64{"last": 9, "mean5": 8, "amdahl": 2 + 6 + 11./6, "stages": 9, "replay": 9,
		"nearest":   9,
		"lognormal": math.Cbrt(7 * 8 * 9), "ols": 8, "ols_log": math.Cbrt(7 * 8 * 9), "ernest": 8} {
		if math.Abs(got[name]-want) > 1e-5 { // the lognormal is a table
			t.Errorf("%s: %v s, want %v", name, got[name], want)
		}
		needs := name == "amdahl" || name == "stages" || name == "replay" || name == "ols" || name == "ols_log" ||
			name == "ernest"
		if math.IsNaN(unknown[name]) != needs {
			t.Errorf("%s without tokens: %v s", name, unknown[name])
		}
	}
	if one := predictions(t, before, next{tokens: 1, inputBytes: math.NaN()}); math.Abs(one["stages"]-13) > 1e-9 ||
		math.Abs(one["replay"]-13) > 1e-9 {
		t.Errorf("stage by stage and replayed on one token: %v and %v s, want 13", one["stages"], one["replay"])
	}
	stages := twoStages("s", 0, 3, 2)
	stages.Attempts = nil
	p := observe(stages, 0)
	if x := predictions(t, []past{p}, next{tokens: 2}); p.driverS != 2 || !math.IsNaN(p.pathS) ||
		!math.IsNaN(p.work()) || !math.IsNaN(x["stages"]) ||
		!math.IsNaN(x["replay"]) || !math.IsNaN(x["lognormal"]) {
		t.Errorf("of stages alone: %+v, predictions %v", p, x)
	}
}

// Times that follow a law exactly are extrapolated exactly by the regression that has the law's form.
func TestRegressions(t *testing.T) {
	type law func(input, tokens float64) float64
	for name, time := range map[string]law{
		"ols":     func(input, tokens float64) float64 { return 5 + 2*input - 0.1*tokens },
		"ols_log": func(input, tokens float64) float64 { return 3 * math.Pow(input, 0.8) / math.Sqrt(tokens) },
		"ernest":  func(input, tokens float64) float64 { return 4 + 20*input/tokens + 0.3*tokens },
	} {
		var runs []past
		for _, x := range [][2]float64{{1, 2}, {2, 2}, {4, 4}, {3, 8}, {8, 16}, {2, 6}} {
			runs = append(runs, past{inputBytes: 1e9 * x[0], tokens: x[1], completionS: time(x[0], x[1])})
		}
		if got, want := predictions(t, runs, next{inputBytes: 16e9, tokens: 12})[name],
			time(16, 12); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s: %v s, want %v", name, got, want)
		}
	}
	runs := []past{{inputBytes: 1, tokens: 1, completionS: 4}, {inputBytes: 2, tokens: 1, completionS: 8},
		{inputBytes: 4, tokens: 8, completionS: 3}}
	// 8 s at 2 bytes
	if got := predictions(t, runs, next{inputBytes: 3, tokens: 1})["nearest"]; math.Abs(got-12) > 1e-9 {
		t.Errorf("nearest: %v s, want 12", got)
	}
	if got := nonNegative([][]float64{{1, 1}, {1, 2}, {1, 3}}, []float64{3, 2, 1}); got[1] != 0 ||
		math.Abs(got[0]-2) > 1e-12 {
		t.Errorf("a falling line without negative coefficients: %v, want the mean", got)
	}
}

// A run is predicted from those that had ended when it was submitted: not from one that was still running then.
func TestBefore(t *testing.T) {
	ids := func(runs []past) (out []string) {
		for _, r := range runs {
			out = append(out, r.id)
		}
		return out
	}
	o, j := small(), &job{}
	o.After = 1
	before := func() []string {
		runs, leftOut := o.split(j, 3)
		if leftOut != "" {
			t.Fatalf("left out: %s", leftOut)
		}
		return ids(runs)
	}
	for i, r := range []*trace.Run{twoStages("late", 100, 1, 1), twoStages("long", 0, 200, 1),
		twoStages("first", 1, 1, 1), twoStages("next", 50, 49, 1)} {
		j.runs = append(j.runs, observe(r, i))
	}
	j.sort()
	if got, want := ids(j.runs), []string{"long", "first", "next", "late"}; !slices.Equal(got, want) {
		t.Fatalf("order %v, want %v", got, want)
	}
	if got, want := before(), []string{"first"}; !slices.Equal(got, want) { // next ends at 102
		t.Errorf("before the last: %v, want %v", got, want)
	}
	if o.After = 2; o.leftOut(j, 3) != "too few of its job had ended before" {
		t.Errorf("one run had ended, and it is predicted from two")
	}
	j.runs[1].to = trace.None // without times, the order in which they were added
	j.sort()
	if got, want := before(), []string{"long", "first", "next"}; !slices.Equal(got, want) {
		t.Errorf("before the last: %v, want %v", got, want)
	}
}

// 10 s observed and p5 to p95 of 6 to 12 s: below p75 but not p50; 20 s lies above p95. Errors of the median are -10%
// and -55%.
func TestScore(t *testing.T) {
	q := result.Quantiles{6, 7, 8, 9, 10, 11, 12}
	d := map[string]result.Quantiles{Racecard: q}
	runs := []result.BacktestRun{
		{ObservedS: 10, Quantiles: q, PIT: 0.75, Predictions: map[string]float64{Racecard: 9, "last": 12},
			Distributions: d},
		{ObservedS: 20, Quantiles: q, PIT: 1, Predictions: map[string]float64{Racecard: 9, "last": math.NaN()},
			Distributions: d},
	}
	s := score(runs, []string{Racecard, "last"})
	for i, want := range []float64{0, 0.5, 0.5, 0.5} {
		if s.Coverage[i].Share != want {
			t.Errorf("below %v: %v, want %v", s.Coverage[i].Level, s.Coverage[i].Share, want)
		}
	}
	if i := s.Coverage[0].Interval; i[0] != 0 || math.Abs(i[1]-3.8414588/5.8414588) > 1e-6 { // z²/(2 + z²)
		t.Errorf("interval %v", i)
	}
	if want := []int{0, 0, 0, 0, 0, 0, 0, 1, 0, 1}; !slices.Equal(s.PIT, want) {
		t.Errorf("PIT %v, want %v", s.PIT, want)
	}
	if math.Abs(float64(s.Sharpness)-4./9) > 1e-12 {
		t.Errorf("sharpness %v, want 4/9", s.Sharpness)
	}
	e := s.Errors[Racecard]
	if e.N != 2 || math.Abs(float64(e.MedianAbsolute)-0.325) > 1e-12 || math.Abs(float64(e.MedianSigned)+
		0.325) > 1e-12 {
		t.Errorf("errors %+v, want 32.5%% of 2 runs", e)
	}
	if e := s.Errors["last"]; e.N != 1 || math.Abs(float64(e.MeanSigned)-0.2) > 1e-12 {
		t.Errorf("errors %+v, want 20%% of one run", e)
	}
	// Pinball losses of 10 s: 0.2, 0.3, 0.5, 0.5, 0, 0.1, 0.1; of 20 s: 0.7, 1.3, 3, 5.5, 7.5, 8.1, 7.6.
	if want := 2. / 7 * (1.7/10 + 33.7/20) / 2; math.Abs(float64(e.RelativeCRPS)-want) > 1e-12 || len(e.Coverage) != 4 {
		t.Errorf("relative CRPS %v and %d levels, want %v and 4", e.RelativeCRPS, len(e.Coverage), want)
	}
	if e := s.Errors["last"]; math.Abs(float64(e.RelativeCRPS)-0.2) > 1e-12 || len(e.Coverage) != 0 {
		t.Errorf("a point forecast: relative CRPS %v and %d levels, want its absolute error and none", e.RelativeCRPS,
			len(e.Coverage))
	}
	// on the first, 10% and 20%; the second job has none in common
	v := versus([][]result.BacktestRun{runs, runs[1:]}, "last")
	if v.Jobs != 1 || v.Better != 1 {
		t.Errorf("%+v, want better on one of one", v)
	}
}

// Runs of a lognormal factor are covered as promised, with errors like the noise, whatever the number of workers; 60
// runs are predicted, so that 90% are 90% give or take twice 4%.
func TestCalibrated(t *testing.T) {
	o := small()
	runs := noisy(63, 0.2, rand.New(rand.NewPCG(1, 2)))
	out := run(t, o, runs...)
	if !out.Available || out.Predicted != 60 || out.LeftOut["too few of its job had ended before"] != 3 {
		t.Fatalf("%d predicted, left out %v", out.Predicted, out.LeftOut)
	}
	for i, within := range []float64{0.15, 0.12, 0.09, 0.07} {
		if c := out.Coverage[i]; math.Abs(c.Share-c.Level) > within {
			t.Errorf("%v of runs are below p%v", c.Share, 100*c.Level)
		}
	}
	if e := out.Errors[Racecard]; e.MedianAbsolute > 0.2 || e.MedianAbsolute > out.Errors["last"].MedianAbsolute {
		t.Errorf("errors %+v, of the last run %+v", e, out.Errors["last"])
	}
	one, _ := json.Marshal(out)
	o.Workers = 3
	again := run(t, o, runs...)
	if many, _ := json.Marshal(again); string(one) != string(many) ||
		fmt.Sprint(out.PerRun) != fmt.Sprint(again.PerRun) {
		t.Error("three workers find something else than one")
	}
}

// Later events do not change the prediction of a run.
func TestNoRunKnowsTheFuture(t *testing.T) {
	for k := range uint64(10) {
		rng := rand.New(rand.NewPCG(7, k))
		runs, at := noisy(6, 0.3, rng), 3+int(k%3)
		changed := slices.Clone(runs)
		changed[at] = twoStages(runs[at].ID, 3600*float64(at), 1+98*rng.Float64(), 1)
		was, is := run(t, small(), runs...), run(t, small(), changed...)
		for i := range at - 2 { // runs 3 to at
			w, n := was.PerRun[i], is.PerRun[i]
			if w.Quantiles != n.Quantiles || fmt.Sprint(w.Predictions) != fmt.Sprint(n.Predictions) {
				t.Errorf("run %d: %v, and with another run %d %v", 3+i, w.Quantiles, at, n.Quantiles)
			}
		}
	}
}

// Runs that cannot take part are counted, and missing columns are named.
func TestLeftOut(t *testing.T) {
	runs := noisy(5, 0.1, rand.New(rand.NewPCG(3, 4)))
	runs[0].Status = trace.Failed
	bare, other, nameless := trace.NewRun("bare"), twoStages("x", 0, 1, 1), twoStages("y", 0, 1, 1)
	bare.Name, other.Name, nameless.Name = "n", "m", ""
	out := run(t, small(), append(runs, bare, other, nameless)...)
	for reason, n := range map[string]int64{"did not succeed": 1, "neither stages nor a time": 1, "no name": 1,
		"job does not recur": 1, "too few of its job had ended before": 3} {
		if out.LeftOut[reason] != n {
			t.Errorf("%s: %d, want %d", reason, out.LeftOut[reason], n)
		}
	}
	if out.Predicted != 1 || out.Jobs != 1 || len(out.Warnings) == 0 {
		t.Errorf("%d runs of %d jobs, warnings %v", out.Predicted, out.Jobs, out.Warnings)
	}
	if out := run(t, small(), runs[1:3]...); out.Available || len(out.Missing) != 1 {
		t.Errorf("of two runs: %+v", out.Header)
	}
	o := small()
	o.Last = 1
	if out := run(t, o, noisy(6, 0.1, rand.New(rand.NewPCG(3, 4)))...); out.Predicted != 1 ||
		out.LeftOut["older than the last runs of its job"] != 5 {
		t.Errorf("%d predicted, left out %v", out.Predicted, out.LeftOut)
	}
	for _, change := range []func(*Options){func(o *Options) { o.After = 0 }, func(o *Options) {
		o.MinRuns = 3
	}, func(o *Options) { o.Last = 0 },
		func(o *Options) { o.Replicates = 1 }, func(o *Options) { o.Workers = 0 }, func(o *Options) {
			o.Profile.MaxValues = 0
		}} {
		o := small()
		change(&o)
		if _, err := NewBuilder(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// Where no run has times, each is predicted from those with other tokens. Tasks take 8, 4, 2 and 1 s at 1, 2, 4 and 8
// tokens: for 2, pooled has a median of 2 s, half of 4, and nearest (1 or 4 tokens, the first of both) 8 s.
func TestHeldOut(t *testing.T) {
	var runs []*trace.Run
	for i, tokens := range []int64{1, 2, 4, 8} {
		r := trace.NewRun(fmt.Sprint("r", i))
		r.Name, r.Status, r.Guaranteed = "n", trace.StatusUnknown, tokens
		st := trace.NewStage()
		st.Tasks = 2
		r.Stages = []trace.Stage{st}
		for k := range 2 {
			a := trace.NewAttempt(0, int32(k), 0)
			a.Duration = trace.Duration(8 * second / tokens)
			r.Attempts = append(r.Attempts, a)
		}
		runs = append(runs, r)
	}
	out := run(t, small(), runs...)
	if out.Held == nil || out.Held.Runs != 4 || out.Held.Stages != 4 || out.Predicted != 0 {
		t.Fatalf("%+v", out)
	}
	b, _ := NewBuilder(small())
	for _, r := range runs {
		b.Add(r)
	}
	h, err := b.hold(b.recurring()[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	for method, want := range map[string]float64{"pooled": 2./4 - 1, "nearest": 8./4 - 1} {
		if got := h.errors[durationP50][method]; len(got) != 1 || math.Abs(got[0]-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", method, got, want)
		}
	}
	if got := h.errors[work]["pooled"]; math.Abs(got[0]-(11./3/4-1)) > 1e-9 { // a mean of (8 + 2 + 1)/3 s
		t.Errorf("work %v", got)
	}
	if r, p := out.Held.Errors[work][Racecard], out.Held.Errors[work]["pooled"]; r.MedianAbsolute >= p.MedianAbsolute {
		t.Errorf("racecard %+v, no better than all runs together %+v", r, p)
	}
}

// Six tasks on two tokens are two first ones, of 3 s, and four later ones of 1 s; runs take twice as long as typical.
func TestHeldOutTasksAreFirstAndLater(t *testing.T) {
	values := func(s ...int64) modelfile.Dist { return modelfile.Dist{N: int64(len(s)), Values: s} }
	twice := []func(float64) float64{func(s float64) float64 { return 2 * s }}
	m := &jobmodel.Model{Plan: sim.Plan{Stages: []sim.Stage{{Tasks: 6}}}, Slowed: twice, SlowedFirst: twice}
	first, later, none := values(3e6), values(1e6), values()
	for _, tc := range []struct {
		what    string
		typical modelfile.Typical
		want    []float64
	}{
		{"both", modelfile.Typical{First: &first, Later: later}, []float64{6, 6, 2, 2, 2, 2}},
		{"all first", modelfile.Typical{First: &first, Later: none}, []float64{6, 6, 6, 6, 6, 6}},
		{"not told apart", modelfile.Typical{Later: later}, []float64{2, 2, 2, 2, 2, 2}},
	} {
		if got := tasksOf(m, 0, &tc.typical, 2); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v s, want %v", tc.what, got, tc.want)
		}
	}
}

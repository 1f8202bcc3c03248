package forecast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// Ten runs of one stage of eight tasks of ten seconds on four cores: two waves, 20 s. On four cores the forecast is
// that; a deadline of 30 s is met, and the fewest cores meet it; one of a second is met by none. Five runs count, of
// which the input is known.
func TestForecastOfWaves(t *testing.T) {
	past := NewPast(DefaultOptions().Newest)
	for i := range 10 {
		past.Add(waves(i))
	}
	o := DefaultOptions()
	o.Newest = 5
	d := answer(t, past, o, nil, 30)
	if past.Runs() != 10 || d.Runs != 5 || d.UsualS != 20 || len(d.Tokens) != 3 || d.Tokens[0].Tokens != 2 ||
		d.TokensSeen[0] != 4 || d.TokensSeen[1] != 4 {
		t.Fatalf("%d runs, %+v", past.Runs(), d)
	}
	c := d.Tokens[1]
	if math.Abs(c.P50S-20) > 2 || c.Extrapolated || !(c.Chance > 0.9) || math.Abs(c.CoreH-4*20/3600.0) > 0.01 {
		t.Errorf("%+v", c)
	}
	if f := d.Fewest; f == nil || f.Tokens > 4 || float64(f.Chance) < o.Sure {
		t.Errorf("fewest: %+v", f)
	}
	if d = answer(t, past, o, nil, 1); d.Fewest != nil || d.Tokens[1].Chance > 0.05 {
		t.Errorf("%+v", d)
	}
	o.InputX = 2
	if d = answer(t, past, o, nil, math.NaN()); d.Input != 2000 || !d.Tokens[1].Extrapolated ||
		!math.IsNaN(float64(d.Tokens[1].Chance)) || d.Fewest != nil {
		t.Errorf("%+v", d)
	}
	o.InputX = 0
	if d = answer(t, past, o, []int{64, 4, 5, 8, 16, 23}, 21); len(d.Tokens) != 6 {
		t.Fatalf("%+v", d)
	}
	for i, c := range d.Tokens[1:] { // cores beyond past runs may stay unused
		if few := d.Tokens[i]; c.Tokens < few.Tokens || c.P50S > few.P50S || c.P90S > few.P90S || c.P95S > few.P95S ||
			c.Chance < few.Chance {
			t.Errorf("%+v on %d cores, %+v on %d", few, few.Tokens, c, c.Tokens)
		}
	}
}

// The usual tokens are those of the runs that were submitted last, whatever the order in which they end and are added:
// eight runs on four tokens, submitted before seven on eight, end after these.
func TestUsualTokensAreThoseOfTheNewestSubmissions(t *testing.T) {
	past := NewPast(DefaultOptions().Newest)
	for i := range 15 {
		run := waves(i)
		if run.End += trace.Instant(8-min(i, 8)) * 1e10; i >= 8 {
			run.Guaranteed = 8
		}
		past.Add(run)
	}
	fit, err := past.Fit("a", DefaultOptions())
	if err != nil || fit.Usual != 8 {
		t.Errorf("%v tokens; %v", fit.Usual, err)
	}
}

// Twice the input is twice that of the newest runs: 20 runs read 1,000 bytes, and the seven after them 5,000. Of the runs
// that are submitted at one time of the day, it is theirs.
func TestMultipleOfTheInputIsOfTheNewestRuns(t *testing.T) {
	past := NewPast(DefaultOptions().Newest)
	for i := range 27 {
		run := waves(26 - i)
		if run.InputBytes = 1000; 26-i >= 20 {
			run.InputBytes = 5000
		}
		past.Add(run)
	}
	all, err := past.Fit("a", DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	early := map[string]bool{}
	for i := range 10 {
		early[waves(i).ID] = true
	}
	o := DefaultOptions()
	o.InputX = 2
	for want, fit := range map[result.Number]*Fitted{10000: all,
		2000: all.Only(func(id string) bool { return early[id] })} {
		f, err := New(fit, o)
		if err != nil || f.doc.Input != want {
			t.Errorf("twice the input is %v bytes, want %v; %v", f.doc.Input, want, err)
		}
	}
}

// Of many runs the newest are kept, whatever the order in which they are added: forecasts are those of these alone.
func TestNewestAreKept(t *testing.T) {
	const newest = 7
	order := rand.New(rand.NewPCG(1, 2)).Perm(40)
	all, few := NewPast(newest), NewPast(newest)
	for _, i := range order {
		all.Add(waves(i))
		if i >= 40-newest {
			few.Add(waves(i))
		}
		if len(all.seen) >= 2*newest || all.builder.Runs() != len(all.seen) {
			t.Fatalf("%d runs are kept", len(all.seen))
		}
	}
	o := DefaultOptions()
	o.Newest = newest
	a, b := fit(t, all, o), fit(t, few, o)
	if all.Runs() != 40 || !bytes.Equal(a, b) {
		t.Errorf("%d runs: %s, of the newest alone %s", all.Runs(), a, b)
	}
}

// fit returns fitted runs as JSON, without the names of all runs.
func fit(t *testing.T, past *Past, o Options) []byte {
	t.Helper()
	f, err := past.Fit("job", o)
	if err != nil {
		t.Fatal(err)
	}
	f.Profile.RawNames = nil
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Where the jobs of a store surprise by a standard deviation of 0.2, p90 is wider than without by what 1.28 standard
// deviations differ, and the median stays.
func TestForecastIsSurprised(t *testing.T) {
	past := NewPast(DefaultOptions().Newest)
	for i := range 20 {
		past.Add(waves(i))
	}
	o := DefaultOptions()
	before := answer(t, past, o, []int{4}, math.NaN())
	o.Surprise = &modelfile.Surprise{SD: 0.2, Runs: 100}
	after := answer(t, past, o, []int{4}, math.NaN())
	b, a := before.Tokens[0], after.Tokens[0]
	was := math.Log(b.P90S/b.P50S) / 1.28
	if is := math.Log(a.P90S/a.P50S) / 1.28; math.Abs(is-math.Hypot(was, 0.2)) > 0.01 ||
		math.Abs(a.P50S/b.P50S-1) > 0.01 {
		t.Errorf("p50 %v and p90 %v become %v and %v", b.P50S, b.P90S, a.P50S, a.P90S)
	}
}

// Where all jobs of a store take 10% longer now than when the runs ended, so does the forecast, and it says so.
func TestForecastAtTheLevelOfToday(t *testing.T) {
	past := NewPast(DefaultOptions().Newest)
	for i := range 20 {
		past.Add(waves(i))
	}
	o := DefaultOptions()
	before := answer(t, past, o, []int{4}, math.NaN())
	o.Surprise = &modelfile.Surprise{Levels: modelfile.Levels{{AtS: 1e9, Log: math.Log(1.1)}}}
	after := answer(t, past, o, []int{4}, math.NaN())
	if by := after.Tokens[0].P90S / before.Tokens[0].P90S; math.Abs(by-1.1) > 0.01 ||
		math.Abs(float64(after.Grown)-1.1) > 1e-9 || !math.IsNaN(float64(before.Grown)) {
		t.Errorf("p90 grows by %v, and the document says by %v, %v before", by, after.Grown, before.Grown)
	}
}

// pastTimes are 20 runs with nothing but times and inputs: 20 s and 40 s at twice the input.
func pastTimes() *Past {
	past := NewPast(DefaultOptions().Newest)
	for i := range 20 {
		run := trace.NewRun(fmt.Sprint(i))
		run.Name, run.Status, run.InputBytes = "waves", trace.Succeeded, int64(1000*(1+i%2))
		run.Submit = trace.Instant(i * 3600e6)
		run.Start, run.End = run.Submit, run.Submit+trace.Instant(20e6*(1+i%2))
		past.Add(run)
	}
	return past
}

// Where past times alone forecast the jobs of a store better, an input that runs had is forecast as any: half of the
// runs took 20 s and half 40 s, at twice the input. An input that none had is forecast as before.
func TestForecastByPastTimesAlone(t *testing.T) {
	past := pastTimes()
	o := DefaultOptions()
	for _, x := range []struct {
		plain, input, p50, p90 float64
	}{{0, 2000, 40, 40}, {1, 2000, 28.3, 45.7}, {1, 1000, 28.3, 45.7}, {0.5, 2000, 40, 40.5}, {1, 4000, 80, 80}} {
		if o.Surprise = nil; x.plain > 0 {
			o.Surprise = &modelfile.Surprise{Plain: x.plain, Runs: 17}
		}
		o.Input = x.input
		got := answer(t, past, o, nil, math.NaN()).Tokens[0]
		if math.Abs(got.P50S/x.p50-1) > 0.05 || math.Abs(got.P90S/x.p90-1) > 0.05 {
			t.Errorf("%v by past times alone: %v bytes take %v s, p90 %v s, want %v and %v", x.plain, x.input, got.P50S,
				got.P90S, x.p50, x.p90)
		}
	}
}

// Runs with nothing but times and inputs are forecast, too: 20 s and 40 s at twice the input. Their cores are
// unknown, and a warning says so.
func TestForecastOfTimesAlone(t *testing.T) {
	past := pastTimes()
	if err := past.Check(); err != nil {
		t.Fatal(err)
	}
	for input, want := range map[float64]float64{1000: 20, 2000: 40} {
		o := DefaultOptions()
		o.Input = input
		d := answer(t, past, o, nil, 1.5*want)
		if c := d.Tokens[0]; d.Runs != 20 || d.UsualS != 30 || math.Abs(c.P50S/want-1) > 0.03 || !(c.Chance > 0.99) ||
			d.Fewest != nil {
			t.Errorf("input %v: %+v, not %v s", input, c, want)
		}
		if !slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, "is not known: core-hours") }) {
			t.Errorf("warnings: %q", d.Warnings)
		}
	}
}

// Where a trace tells only how many tokens runs used at once, their number tells nothing about times: no number of
// tokens is said to suffice, and a warning says why. Too few for the work take as long as that.
func TestForecastOfUse(t *testing.T) {
	past := NewPast(DefaultOptions().Newest)
	for i := range 20 {
		run := waves(i)
		run.Guaranteed, run.Allocations = trace.None, nil
		for k := range run.Attempts {
			a := &run.Attempts[k]
			a.Start, a.End = run.Submit, run.Submit+trace.Instant(a.Duration)
		}
		past.Add(run)
	}
	d := answer(t, past, DefaultOptions(), []int{1, 4, 16}, 1e6)
	if one, four, many := d.Tokens[0].P50S, d.Tokens[1].P50S, d.Tokens[2].P50S; one < 79 || four > 21 || four != many {
		t.Errorf("%v, %v and %v s on 1, 4 and 16 cores, want 80 s of work, 20 and 20 s", one, four, many)
	}
	if !(d.TokensSeen[1] > 1) || d.KnowsTokens() || d.Fewest != nil ||
		!strings.Contains(strings.Join(d.Warnings, "\n"), "not how many they held") {
		t.Errorf("%+v", d)
	}
}

// waves returns the i-th of the runs of TestForecastOfWaves.
func waves(i int) *trace.Run {
	run := trace.NewRun(fmt.Sprint(i))
	run.Name, run.Status, run.Guaranteed, run.InputBytes = "waves", trace.Succeeded, 4, 1000
	run.Submit = trace.Instant(i * 3600e6)
	run.Start, run.End = run.Submit, run.Submit+20e6
	st := trace.NewStage()
	st.Tasks = 8
	run.Stages = []trace.Stage{st}
	for k := range 8 {
		a := trace.NewAttempt(0, int32(k), 0)
		a.Status, a.Start = trace.Succeeded, run.Start+trace.Instant(k/4*10e6)
		a.End, a.Duration = a.Start+10e6, 10e6
		run.Attempts = append(run.Attempts, a)
	}
	return run
}

// A task of 30 s, then eight of 10 s: 70 s on the two cores that runs held. The critical path takes 40 s, so that no
// forecast for more cores is shorter, whatever little the law knows of these. One that waited for 20 s before its first
// stage, which a plan takes out, has a path of 40 s as well.
func TestNoForecastIsShorterThanTheCriticalPath(t *testing.T) {
	past, by := NewPast(DefaultOptions().Newest), map[string]float64{}
	for i := range 6 {
		run := waves(i)
		run.Guaranteed = 2
		run.Submit -= 20e6
		by[run.ID] = 20
		run.End = run.Start + 70e6
		run.Stages = append([]trace.Stage{trace.NewStage()}, run.Stages...)
		run.Stages[0].Tasks = 1
		run.Edges = []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}
		first := trace.NewAttempt(0, 0, 0)
		first.Status, first.Start, first.End, first.Duration = trace.Succeeded, run.Start, run.Start+30e6, 30e6
		for k := range run.Attempts {
			a := &run.Attempts[k]
			a.Stage, a.Start = 1, first.End+trace.Instant(k/2*10e6)
			a.End = a.Start + 10e6
		}
		run.Attempts = append([]trace.Attempt{first}, run.Attempts...)
		past.Add(run)
	}
	fit, err := past.Fit("waves", DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	for wait, fit := range map[float64]*Fitted{20: fit, 0: fit.Later(by)} {
		f, err := New(fit, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		for _, tokens := range []int{4, 8, 32} {
			times, _, err := f.Next(tokens)
			if p5 := at(times, 0.05); err != nil || p5 < 39.5+wait || p5 > 52+wait {
				t.Errorf("%d cores, after a wait of %v s: p5 %v s, want about %v s; %v", tokens, wait, p5, 40+wait, err)
			}
		}
		// A hundred times the input may be a hundred times as many tasks: the path need not grow, and does not raise half of
		// the times to a hundred paths.
		o := DefaultOptions()
		o.InputX = 100
		if f, err = New(fit, o); err != nil {
			t.Fatal(err)
		}
		times, _, err := f.Next(1000)
		if p50 := at(times, 0.5); err != nil || p50 > 3000 {
			t.Errorf("100 x the input, after a wait of %v s: p50 %v s; %v", wait, p50, err)
		}
	}
}

// Ten runs of one input and of 20 s: nothing tells what twice the input does. No effect, 20 s, and one in proportion,
// 40 s, are in the band, and more than that is possible. So is less for half the input, but no run is shorter because
// its input is larger.
func TestForecastOfAnInputThatPastRunsDoNotShow(t *testing.T) {
	past := NewPast(DefaultOptions().Newest)
	for i := range 10 {
		past.Add(waves(i))
	}
	o := DefaultOptions()
	for _, x := range []struct {
		input                     float64
		least, low, high, longest [2]float64 // bounds of p1, p25, p75 and p99
	}{{2, [2]float64{19, 20}, [2]float64{19, 30}, [2]float64{40, 60}, [2]float64{45, 70}},
		{0.5, [2]float64{5, 9}, [2]float64{7, 10}, [2]float64{15, 21}, [2]float64{20, 21}}} {
		o.InputX = x.input
		times, _, err := forecaster(t, past, o).Next(4)
		if err != nil {
			t.Fatal(err)
		}
		for i, bounds := range [][2]float64{x.least, x.low, x.high, x.longest} {
			p := []float64{0.01, 0.25, 0.75, 0.99}[i]
			if got := at(times, p); got < bounds[0] || got > bounds[1] {
				t.Errorf("%v x the input: %v s at %v, want %v to %v", x.input, got, p, bounds[0], bounds[1])
			}
		}
	}
}

// Twelve runs of 8 to 32 tasks of ten seconds on two cores, in proportion to the input; the median has 20. Where the input
// is larger there are more tasks, which use more cores: ten times the input is 200 tasks, two waves on 128 cores, 20 s,
// where the median run has no more than one on 32. Half the input is ten tasks, two waves on eight cores.
func TestTokensDoAsMuchAsTheInputLetsThem(t *testing.T) {
	past := NewPast(DefaultOptions().Newest)
	for i := range 12 {
		run, task := waves(i), waves(i).Attempts[0]
		n := 8 * (1 + i%4)
		run.Guaranteed, run.InputBytes, run.Stages[0].Tasks, run.Attempts = 2, int64(125*n), int64(n), nil
		for k := range n {
			task.Task, task.Start = int32(k), run.Start+trace.Instant(k/2*10e6)
			task.End = task.Start + 10e6
			run.Attempts = append(run.Attempts, task)
		}
		run.End = task.End
		past.Add(run)
	}
	for _, x := range []struct {
		input  float64
		tokens int
		want   float64
	}{{10, 128, 20}, {10, 32, 70}, {4, 32, 30}, {1, 32, 10}, {0.5, 8, 20}} {
		o := DefaultOptions()
		o.Input = x.input * 2500
		times, _, err := forecaster(t, past, o).Next(x.tokens)
		if p50 := at(times, 0.5); err != nil || math.Abs(p50/x.want-1) > 0.12 {
			t.Errorf("%v x the input on %d cores: p50 %v s, want %v; %v", x.input, x.tokens, p50, x.want, err)
		}
	}
}

// forecaster fits past runs and keeps them as JSON before it forecasts.
func forecaster(t *testing.T, past *Past, o Options) *Forecaster {
	t.Helper()
	fit, err := past.Fit("waves", o)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := json.Marshal(fit)
	if err != nil {
		t.Fatal(err)
	}
	var again Fitted
	if err := json.Unmarshal(kept, &again); err != nil {
		t.Fatal(err)
	}
	if err := again.Validate(); err != nil {
		t.Fatal(err)
	}
	f, err := New(&again, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// answer asks a forecaster of its own.
func answer(t *testing.T, past *Past, o Options, cores []int, deadlineS float64) *result.Forecast {
	t.Helper()
	d, err := forecaster(t, past, o).Answer(t.Context(), cores, deadlineS)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Runs that were simulated for one question are used for the next, and change no answer.
func TestQuestionsDoNotMatter(t *testing.T) {
	past := NewPast(DefaultOptions().Newest)
	for i := range 12 {
		past.Add(waves(i))
	}
	o := DefaultOptions()
	f := forecaster(t, past, o)
	cores := []int{2, 4, 8, 16}
	for _, deadline := range []float64{math.NaN(), 15, 30, 60, 1} {
		got, err := f.Answer(t.Context(), cores, deadline)
		if err != nil {
			t.Fatal(err)
		}
		want := answer(t, past, o, cores, deadline)
		a, errA := json.Marshal(got)
		b, errB := json.Marshal(want)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("deadline of %v s:\n%s, want\n%s", deadline, a, b)
		}
	}
}

// The fewest cores are those that trying one number after the other finds.
func TestFewest(t *testing.T) {
	past := NewPast(DefaultOptions().Newest)
	for i := range 12 {
		past.Add(waves(i))
	}
	f := forecaster(t, past, DefaultOptions())
	for _, deadline := range []float64{9, 11, 15, 25, 33, 45, 90, 200} {
		got, err := f.fewest(t.Context(), deadline, 40)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for n := 1; n <= 40 && want == 0; n++ {
			times, err := f.predicted(n)
			if err != nil {
				t.Fatal(err)
			}
			if float64(f.summarize(n, times, deadline).Chance) >= f.o.Sure {
				want = n
			}
		}
		switch {
		case got == nil && want > 0, got != nil && got.Tokens != want:
			t.Errorf("a deadline of %v s: %+v, want %d cores", deadline, got, want)
		}
	}
}

// The fewest cores for a deadline are never more than those of a row that is enough, and a row does not depend on the
// others that are asked for: of noisy runs on 3 cores, whose forecasts on ever more are ever less certain.
func TestFewestAgreesWithRows(t *testing.T) {
	past := NewPast(DefaultOptions().Newest)
	for i := range 15 {
		run := trace.NewRun(fmt.Sprint(i))
		run.Name, run.Status, run.Guaranteed = "waves", trace.Succeeded, 3
		run.Submit = trace.Instant(i * 3600e6)
		run.Start, run.End = run.Submit, run.Submit+trace.Instant(100e6*math.Exp(0.2*math.Sin(float64(7*i))))
		st := trace.NewStage()
		st.Start, st.End = run.Start, run.End
		run.Stages = []trace.Stage{st}
		past.Add(run)
	}
	cores := []int{3, 4, 5, 6, 8, 16, 32}
	all := answer(t, past, DefaultOptions(), cores, math.NaN())
	for _, c := range all.Tokens {
		for _, deadline := range []float64{c.P95S * 0.99, c.P95S * 1.01, c.P95S * 1.05} {
			d := answer(t, past, DefaultOptions(), cores, deadline)
			for _, row := range d.Tokens {
				if float64(row.Chance) >= d.Sure && (d.Fewest == nil || d.Fewest.Tokens > row.Tokens) {
					t.Errorf("a deadline of %v s: %+v are enough, fewest %+v", deadline, row, d.Fewest)
				}
			}
		}
		if alone := answer(t, past, DefaultOptions(), []int{c.Tokens}, math.NaN()).Tokens[0]; alone.P95S != c.P95S {
			t.Errorf("on %d cores p95 is %v s alone and %v s with others", c.Tokens, alone.P95S, c.P95S)
		}
	}
}

package forecast

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"racecard/datasets/modelfile"
	"racecard/datasets/trace"
)

// Ten runs of one stage of eight tasks of ten seconds on four cores: two waves, 20 s. On four cores the forecast is
// that; a deadline of 30 s is met, and the fewest cores meet it; one of a second is met by none. Five runs count, of
// which the input is known.
func TestForecastOfWaves(t *testing.T) {
	var past Past
	for i := range 10 {
		past.Add(waves(i))
	}
	o := DefaultOptions()
	o.DeadlineS, o.Newest = 30, 5
	d, err := Of(context.Background(), "waves", &past, o)
	if err != nil {
		t.Fatal(err)
	}
	if past.Runs() != 10 || d.Runs != 5 || d.UsualS != 20 || len(d.Cores) != 3 || d.Cores[0].Cores != 2 ||
		d.CoresSeen[0] != 4 || d.CoresSeen[1] != 4 {
		t.Fatalf("%d runs, %+v", past.Runs(), d)
	}
	c := d.Cores[1]
	if math.Abs(c.P50S-20) > 2 || c.Extrapolated || !(c.Chance > 0.9) || math.Abs(c.CoreH-4*20/3600.0) > 0.01 {
		t.Errorf("%+v", c)
	}
	if f := d.Fewest; f == nil || f.Cores > 4 || float64(f.Chance) < o.Sure {
		t.Errorf("fewest: %+v", f)
	}
	o.DeadlineS = 1
	if d, err = Of(context.Background(), "waves", &past, o); err != nil || d.Fewest != nil || d.Cores[1].Chance > 0.05 {
		t.Errorf("%+v, %v", d, err)
	}
	o.DeadlineS, o.InputX = math.NaN(), 2
	if d, err = Of(context.Background(), "waves", &past, o); err != nil || d.Input != 2000 ||
		!d.Cores[1].Extrapolated ||
		!math.IsNaN(float64(d.Cores[1].Chance)) || d.Fewest != nil {
		t.Errorf("%+v, %v", d, err)
	}
	o.Cores, o.DeadlineS, o.InputX = []int{64, 4, 5, 8, 16, 23}, 21, 0
	if d, err = Of(context.Background(), "waves", &past, o); err != nil || len(d.Cores) != 6 {
		t.Fatalf("%+v, %v", d, err)
	}
	for i, c := range d.Cores[1:] { // cores beyond past runs may stay unused
		if few := d.Cores[i]; c.Cores < few.Cores || c.P50S > few.P50S || c.P90S > few.P90S || c.P95S > few.P95S ||
			c.Chance < few.Chance {
			t.Errorf("%+v on %d cores, %+v on %d", few, few.Cores, c, c.Cores)
		}
	}
}

// Where the jobs of a store surprise by a standard deviation of 0.2, p90 is wider than without by what 1.28 standard
// deviations differ, and the median stays.
func TestForecastIsSurprised(t *testing.T) {
	var past Past
	for i := range 20 {
		past.Add(waves(i))
	}
	o := DefaultOptions()
	o.Cores = []int{4}
	before, err := Of(t.Context(), "waves", &past, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Surprise = &modelfile.Surprise{SD: 0.2, Runs: 100}
	after, err := Of(t.Context(), "waves", &past, o)
	if err != nil {
		t.Fatal(err)
	}
	b, a := before.Cores[0], after.Cores[0]
	was := math.Log(b.P90S/b.P50S) / 1.28
	if is := math.Log(a.P90S/a.P50S) / 1.28; math.Abs(is-math.Hypot(was, 0.2)) > 0.01 ||
		math.Abs(a.P50S/b.P50S-1) > 0.01 {
		t.Errorf("p50 %v and p90 %v become %v and %v", b.P50S, b.P90S, a.P50S, a.P90S)
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

// A grid of deadlines holds the forecasts that are made for each alone.
func TestGridIsForecasts(t *testing.T) {
	var past Past
	for i := range 12 {
		past.Add(waves(i))
	}
	o := DefaultOptions()
	o.Cores = []int{2, 4, 8, 16}
	due := []float64{15, 30, 60}
	grid, err := Grid(t.Context(), "waves", &past, o, due)
	if err != nil || len(grid) != 1+len(due) {
		t.Fatalf("%d forecasts, want %d: %v", len(grid), 1+len(due), err)
	}
	for i := range grid {
		if i > 0 {
			o.DeadlineS = due[i-1]
		}
		want, err := Of(t.Context(), "waves", &past, o)
		if err != nil {
			t.Fatal(err)
		}
		a, errA := json.Marshal(grid[i])
		b, errB := json.Marshal(want)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("deadline of %v s:\n%s, want\n%s", o.DeadlineS, a, b)
		}
	}
}

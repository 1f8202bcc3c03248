package backtest

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// Runs of a job before and after a change.
const (
	changeAfter = 16
	changedRuns = 6
)

// shape is what differs between runs of a job.
type shape struct {
	slow       float64 // factor on all run times
	input      float64 // times as many tasks in the first stage, and bytes
	tokens     int
	moreStages int
	lost       bool // half of the tokens, halfway through the first stage
}

// changes are what befalls a job: the shape of its k-th run after the change, from 0.
var changes = []struct {
	name string
	of   func(k int, s shape) shape
}{
	{"nothing", func(_ int, s shape) shape { return s }},
	{"input x2", func(_ int, s shape) shape { s.input *= 2; return s }},
	{"half the tokens", func(_ int, s shape) shape { s.tokens /= 2; return s }},
	{"new level x1.5", func(_ int, s shape) shape { s.slow *= 1.5; return s }},
	{"new plan", func(_ int, s shape) shape { s.moreStages = 2; return s }},
	{"trend of 4%", func(k int, s shape) shape { s.slow *= math.Pow(1.04, float64(k+1)); return s }},
	{"an outlier x4", func(k int, s shape) shape {
		if k == 0 {
			s.slow *= 4
		}
		return s
	}},
	{"executors lost", func(k int, s shape) shape { s.lost = k == 0; return s }},
}

// execute runs the stages of a shape one after the other, each task as soon as there is a token, and returns what a
// trace of it holds. Tasks take a lognormal time; whole runs differ by 5%.
func execute(id string, at float64, s shape, rng *rand.Rand) *trace.Run {
	us := func(x float64) trace.Instant { return trace.Instant(math.Round((at + x) * second)) }
	r := trace.NewRun(id)
	r.Name, r.Status, r.Submit, r.Start = "n", trace.Succeeded, us(0), us(0)
	r.InputBytes = int64(1e9 * s.input)
	free := make([]float64, s.tokens) // when each token is
	s.slow *= math.Exp(0.05 * rng.NormFloat64())
	now := 3.0
	hold := func(at float64, tokens int) {
		r.Allocations = append(r.Allocations, trace.Allocation{At: us(at), Tokens: int64(tokens), Spare: trace.None,
			Machines: trace.None})
	}
	hold(0, s.tokens)
	for i := range 3 + s.moreStages {
		tasks, mean := []int{40, 16, 4, 16, 16}[i], []float64{4, 6, 5, 5, 5}[i]
		if i == 0 {
			tasks = int(math.Round(float64(tasks) * s.input))
		}
		st := trace.NewStage()
		st.Name, st.Tasks, st.Submit, st.Start = fmt.Sprint("s", i), int64(tasks), us(now), us(now)
		for k := range free {
			free[k] = now
		}
		end := now
		for task := range tasks {
			if s.lost && i == 0 && task == tasks/2 {
				hold(slices.Min(free), len(free)/2)
				free = free[len(free)/2:]
			}
			k := slices.Index(free, slices.Min(free))
			took := mean * s.slow * math.Exp(0.3*rng.NormFloat64()-0.045)
			a := trace.NewAttempt(int32(i), int32(task), 0)
			a.Status, a.Queued, a.Start, a.End = trace.Succeeded, us(now), us(free[k]), us(free[k]+took)
			a.Duration = a.End.Since(a.Start)
			r.Attempts = append(r.Attempts, a)
			free[k] += took
			end = max(end, free[k])
		}
		now = end + 0.5
		st.End = us(end)
		r.Stages = append(r.Stages, st)
		if i > 0 {
			r.Edges = append(r.Edges, trace.Edge{Parent: int32(i - 1), Child: int32(i), Kind: trace.AllToAll})
		}
	}
	r.End = us(now + 0.5)
	return r
}

// changed predicts the runs of some jobs after a change: errors[method][k] holds those of the k-th run, below[k] how
// many took at most p90.
func changed(t *testing.T, of func(int, shape) shape, jobs int) (errors map[string][][]float64,
	below [changedRuns]int) {
	o := small()
	o.Last, o.Workers = changedRuns, 2
	b, err := NewBuilder(o)
	if err != nil {
		t.Fatal(err)
	}
	for job := range jobs {
		rng := rand.New(rand.NewPCG(uint64(job), 16))
		for k := range changeAfter + changedRuns {
			s := shape{slow: 1, input: math.Exp(0.1 * rng.NormFloat64()), tokens: 8}
			if k >= changeAfter {
				s = of(k-changeAfter, s)
			}
			r := execute(fmt.Sprintf("%d-%02d", job, k), 3600*float64(k), s, rng)
			r.Name = fmt.Sprint("job-", string(rune('a'+job/26)), string(rune('a'+job%26)))
			if err := r.Validate(); err != nil {
				t.Fatal(err)
			}
			b.Add(r)
		}
	}
	out, err := b.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	errors = map[string][][]float64{}
	per := map[string]int{}
	runs := slices.SortedFunc(slices.Values(out.PerRun), func(a, b result.BacktestRun) int {
		return cmp.Compare(a.JobID, b.JobID)
	})
	for i := range runs {
		r := &runs[i]
		k := per[r.Job]
		per[r.Job]++
		for _, method := range []string{Racecard, "last", "mean5"} {
			if errors[method] == nil {
				errors[method] = make([][]float64, changedRuns)
			}
			e := errors[method]
			e[k] = append(e[k], math.Abs(r.Predictions[method]/r.ObservedS-1))
		}
		if r.ObservedS <= r.Quantiles[5] {
			below[k]++
		}
	}
	return errors, below
}

// After a change of all jobs, racecard is as good as the time of the last run once two runs show it. Where the change
// is one of the input or the tokens it is foretold from the first run on. With -v it prints a table: median errors of
// the next 1, 3 and 6 runs and of the last 4 of these, and how many of them take at most p90. RACECARD_LONG=1 takes 40
// jobs per change, and narrower bounds; -run 'TestChanges/new_plan' one change.
func TestChanges(t *testing.T) {
	long := os.Getenv("RACECARD_LONG") != ""
	jobs := 2
	if long {
		jobs = 40
	}
	t.Logf("%-16s %26s %26s %26s %16s", "change", "racecard 1, 3, 6, 3 to 6", "last", "mean of 5", "at most p90")
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			errors, below := changed(t, c.of, jobs)
			median := func(method string, from, to int) float64 {
				var all []float64
				for _, e := range errors[method][from:to] {
					all = append(all, e...)
				}
				return quantile.Quantile(quantile.Sort(all), 0.5)
			}
			share := func(from, to int) float64 {
				sum := 0
				for _, n := range below[from:to] {
					sum += n
				}
				return float64(sum) / float64((to-from)*jobs)
			}
			row := ""
			for _, method := range []string{Racecard, "last", "mean5"} {
				row += fmt.Sprintf("  %5.1f %5.1f %5.1f %5.1f%%", 100*median(method, 0, 1), 100*median(method, 0, 3),
					100*median(method, 0, 6), 100*median(method, 2, 6))
			}
			t.Logf("%-16s %s  %3.0f %3.0f %3.0f%%", c.name, row, 100*share(0, 1), 100*share(0, 3), 100*share(2, 6))
			want := reached[c.name]
			if mine, last := median(Racecard, 2, 6), median("last", 2, 6); mine > last*want.ofLast && long ||
				mine > 2*last {
				t.Errorf("after two runs the median error is %.3f, of the last run's time %.3f: want at most %.2f "+
					"times that", mine, last, want.ofLast)
			}
			if mine, mean := median(Racecard, 2, 6), median("mean5", 2, 6); mine > want.ofMean*mean && long {
				t.Errorf("after two runs the median error is %.3f, of the mean of five %.3f: want at most %.2f "+
					"times that", mine, mean, want.ofMean)
			}
			if first := median(Racecard, 0, 1); want.first > 0 && (first > want.first && long || first > 0.15) {
				t.Errorf("the first run is foretold with a median error of %.3f, want at most %.3f", first, want.first)
			}
			if later := share(2, 6); later < want.p90 && long || later < 0.3 {
				t.Errorf("%.2f of the third to the sixth run take at most p90, want at least %.2f", later, want.p90)
			}
		})
	}
}

// reached is what was measured over 40 jobs per change, with a margin of a tenth.
var reached = map[string]struct {
	ofLast float64 // median error of the third to the sixth run, times that of the last run's time
	ofMean float64 // the same of the mean of five
	first  float64 // median error of the first run; 0 where nobody could foretell it
	p90    float64 // share of the third to the sixth run that take at most p90
}{
	"nothing":         {0.95, 1.05, 0.07, 0.8},
	"input x2":        {0.95, 1.05, 0.13, 0.8},
	"half the tokens": {0.95, 1.05, 0.07, 0.8},
	"new level x1.5":  {1, 0.6, 0, 0.85},
	"new plan":        {1, 0.6, 0, 0.85},
	"trend of 4%":     {1.1, 0.85, 0, 0.65},
	"an outlier x4":   {0.95, 1.05, 0, 0.75},
	"executors lost":  {1.07, 1.05, 0, 0.75},
}

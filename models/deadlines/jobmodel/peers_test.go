package jobmodel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/datasets/trace"
)

// peers returns jobs whose runs follow each other every hour. The first four take 100 s, later ones longer, by late.
func peers(jobs, runs int, late float64) *Peers {
	rng := rand.New(rand.NewPCG(21, 22))
	p := &Peers{}
	for j := range jobs {
		for k := range runs {
			seconds := 100 * math.Exp(0.03*rng.NormFloat64())
			if k >= 4 {
				seconds *= math.Exp(late * math.Abs(rng.NormFloat64()))
			}
			r := trace.NewRun(fmt.Sprint(j, "-", k))
			r.Status, r.Submit = trace.Succeeded, trace.Instant(3600e6*k)
			r.End = r.Submit + trace.Instant(1e6*seconds)
			p.Add(fmt.Sprint("job-", j), r)
		}
	}
	return p
}

// Jobs that are late, which their few past runs do not tell, make forecasts wider and later; those that vary as they
// did do not, and few jobs tell nothing.
func TestPeers(t *testing.T) {
	always := trace.NewRun("").End
	steady := peers(24, 10, 0).Learn()
	if got := steady.At(always); got != nil {
		t.Errorf("runs that vary as before: %+v", *got)
	}
	s := peers(24, 10, 0.2).Learn()
	got := s.At(always)
	if got == nil || got.SD < 0.02 || got.Late == 0 || got.Runs != 24*7 {
		t.Fatalf("runs become late: %+v", got)
	}
	if got := peers(4, 40, 0.2).Learn().At(always); got != nil {
		t.Errorf("four jobs: %+v", *got)
	}
	// By seven hours seven runs of each job have ended, and 24 times 4 of them were foretold.
	if got := s.At(trace.Instant(7 * 3600e6)); got != nil && (got.SD != 0 || got.Runs != 0) {
		t.Errorf("after seven hours: %+v, want no surprise of %d runs", *got, 24*4)
	}
	if got, n := s.At(trace.Instant(9*3600e6)), 24*6; got == nil || got.Runs != n {
		t.Errorf("after nine hours: %+v, want it to be learned from %d runs", got, n)
	}
}

// The times of one job are in proportion to its input in the first six runs, 1, 10 or 100 s. Six more are submitted
// together, with the inputs of 1 s and 100 s, and take about 30 s. Once five have ended, forecasts come from past times
// alone; never before, nor where these runs follow the input, nor where a single one does not. Later runs that follow
// the input again make forecasts follow it, too.
func TestPlain(t *testing.T) {
	learn := func(astray, runs int) *Surprises {
		p := &Peers{}
		for k := range runs {
			input, at := []float64{100, 10, 1}[k%3], 3600*float64(k)
			seconds := input * (1 + 0.05*float64(k%4))
			if k >= 6 && k < 12 {
				input, at = []float64{100, 1}[k%2], 3600*6
				if seconds = input; k < 6+astray {
					seconds = 22 + float64(k)
				}
			}
			r := trace.NewRun(fmt.Sprint(k))
			r.Status, r.Submit, r.InputBytes = trace.Succeeded, trace.Instant(1e6*at), int64(1e8*input)
			r.End = r.Submit + trace.Instant(1e6*seconds)
			p.Add("job", r)
		}
		return p.Learn()
	}
	always := trace.NewRun("").End
	s := learn(6, 12)
	for n, end := range s.ends {
		got := s.At(end)
		if n < 7 && got != nil {
			t.Errorf("after %d runs: %+v", n+1, *got)
		}
		if n >= 7 && (got == nil || !(got.Plain > 0.5 && got.Plain < 1) || got.SD != 0 || got.Runs != n+1) {
			t.Errorf("after %d runs, six of them astray: %+v", n+1, got)
		}
	}
	if len(s.ends) != 9 || s.At(s.ends[7]-1) != nil {
		t.Errorf("%d runs were foretold; before the fifth astray ended: %+v", len(s.ends), s.At(s.ends[7]-1))
	}
	for _, x := range [][2]int{{0, 12}, {1, 12}, {6, 40}} {
		if got := learn(x[0], x[1]).At(always); got != nil {
			t.Errorf("%d runs, %d of them astray: %+v", x[1], x[0], *got)
		}
	}
}

// Runs with an input take longer to foretell: half as many are.
func TestFewerPeersWithInputs(t *testing.T) {
	p := peers(40, 43, 0.2)
	for _, runs := range p.jobs {
		for i := range runs {
			runs[i].input = 1e9
		}
	}
	if n := len(p.Learn().ends); n != foretold/withEffects {
		t.Errorf("%d of %d runs were foretold, want %d", n, 40*40, foretold/withEffects)
	}
}

// A store of more runs than are held gives the same peers in any order, and at most so many runs.
func TestPeersAreBounded(t *testing.T) {
	const jobs, runs = 120, MostPeers/100 + 1
	r := trace.NewRun("run")
	r.Status, r.Submit, r.End = trace.Succeeded, 1e6, 2e6
	var byJob, byRun Peers
	for i := range jobs * runs {
		byJob.Add(fmt.Sprint("job-", i/runs), r)
		byRun.Add(fmt.Sprint("job-", jobs-1-i%jobs), r)
	}
	if n := byJob.runs; n > MostPeers || n != len(byJob.jobs)*runs || byJob.halved != 1 || n != byRun.runs {
		t.Fatalf("%d runs of %d jobs after %d halvings; in another order %d", n, len(byJob.jobs), byJob.halved, byRun.runs)
	}
	for name := range byJob.jobs {
		if len(byRun.jobs[name]) != runs {
			t.Errorf("%s: %d runs in another order, want %d", name, len(byRun.jobs[name]), runs)
		}
	}
}

// Peers need no columns but theirs: tasks that ran beyond a guarantee change nothing.
func TestPeersReadNoTasks(t *testing.T) {
	r := trace.NewRun("run")
	r.Status, r.Submit, r.End, r.Guaranteed, r.InputBytes = trace.Succeeded, 1e6, 9e6, 2, 100
	var with, without Peers
	without.Add("job", r)
	for task := range int32(3) {
		a := trace.NewAttempt(0, task, 0)
		a.Start, a.End, a.Duration = 2e6, 8e6, 6e6
		r.Attempts = append(r.Attempts, a)
	}
	with.Add("job", r)
	want := peer{from: 1e6, to: 9e6, seconds: 8, input: 100, tokens: 2}
	if with.jobs["job"][0] != want || without.jobs["job"][0] != want || len(r.Attempts) != 3 {
		t.Errorf("%+v with tasks, %+v without, want %+v", with.jobs["job"], without.jobs["job"], want)
	}
}

// Narrow forecasts become wider and later than wide ones, and stay in order.
func TestSurprised(t *testing.T) {
	of := func(sd float64) []float64 {
		out := make([]float64, 200)
		for i := range out {
			out[i] = 100 * math.Exp(sd*(float64(i)-99.5)/100)
		}
		return out
	}
	s := &modelfile.Surprise{SD: 0.1, Late: 0.5, Runs: 1}
	median := math.Inf(1)
	for _, sd := range []float64{0.001, 0.1, 1} {
		before := of(sd)
		after := surprised(before, s)
		was, is := width(quantile.Sort(before)), width(quantile.Sort(after))
		if want := math.Hypot(was, s.SD); !slices.IsSorted(after) || math.Abs(is/want-1) > 0.01 {
			t.Errorf("a width of %.3f becomes %.3f, want %.3f", was, is, want)
		}
		middle := (after[99] + after[100]) / 2
		if !(middle > 100 && middle < median) {
			t.Errorf("a forecast of 100 s with a width of %.3f becomes %.1f s", was, middle)
		}
		median = middle
	}
	// A tail makes late runs later, and changes nothing below the median.
	plain, tailed := surprised(of(0.1), s), surprised(of(0.1), &modelfile.Surprise{SD: 0.1, Late: 0.5, Tail: 2, Runs: 1})
	if !slices.Equal(tailed[:100], plain[:100]) || !slices.IsSorted(tailed) || tailed[180] < 1.05*plain[180] {
		t.Errorf("with a tail p90 is %.1f s, without it %.1f", tailed[180], plain[180])
	}
	if got := surprised(of(1), nil); !slices.Equal(got, of(1)) {
		t.Errorf("without a surprise: %v", got)
	}
}

// One job with many runs takes no longer per run than one with few.
func BenchmarkLearn(b *testing.B) {
	sizes := []int{2_000, 20_000, 200_000}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, runs := range sizes {
		p := peers(1, runs, 0.2)
		b.Run(fmt.Sprint("runs=", runs), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Learn()
			}
			b.ReportMetric(float64(b.N*runs)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}

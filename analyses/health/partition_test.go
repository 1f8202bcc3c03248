package health

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
)

// finish returns the result of runs that are cut into parts before each of the given indices, as JSON.
func finish(tb testing.TB, o Options, runs []*trace.Run, cuts ...int) string {
	into := New(o)
	from := 0
	for _, to := range append(cuts, len(runs)) {
		p := New(o)
		for _, r := range runs[from:to] {
			p.Add(r)
		}
		into.Merge(p)
		from = to
	}
	h, err := into.Finish(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return mustJSON(tb, h)
}

func mustJSON(tb testing.TB, v any) string {
	tb.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// The result is the same, to the byte, however the runs are partitioned.
func TestPartitionsDoNotMatter(t *testing.T) {
	machines := []trace.Machine{trace.NewMachine("a"), trace.NewMachine("x\ty")}
	machines[0].From, machines[0].To = 1e8, 5e8
	rapid.Check(t, func(rt *rapid.T) {
		o := Options{TimeBase: rapid.SampledFrom([]string{"", "relative", "unix"}).Draw(rt, "base"),
			Machines: NewMachines(machines)}
		var runs []*trace.Run
		for i := range rapid.IntRange(0, 12).Draw(rt, "runs") {
			r := tracetest.Run(rt, fmt.Sprintf("r%02d", i))
			if rapid.IntRange(0, 5).Draw(rt, "far") == 0 {
				far := rapid.SampledFrom([]trace.Instant{math.MaxInt64, -1 << 60, 1<<60 - 1, -1, 0, 1 << 50}).Draw(rt,
					"instant")
				r.Allocations = append(r.Allocations, trace.Allocation{At: far, Tokens: trace.None, Spare: trace.None,
					Machines: trace.None})
			}
			runs = append(runs, r)
		}
		one := finish(t, o, runs)
		a := rapid.IntRange(0, len(runs)).Draw(rt, "cut")
		b := rapid.IntRange(a, len(runs)).Draw(rt, "second cut")
		if got := finish(t, o, runs, a, b); got != one {
			rt.Fatalf("cut at %d and %d:\n%s\nwhole:\n%s", a, b, got, one)
		}
	})
}

// crowd returns n runs of random lengths over a day, whose instants need far more bins than there are.
func crowd(n int) []*trace.Run {
	random := rand.New(rand.NewPCG(1, 2))
	var runs []*trace.Run
	for i := range n {
		r := trace.NewRun(fmt.Sprint("r", i))
		r.Name = fmt.Sprintf("%x", random.Uint64())
		r.Submit = trace.Instant(random.Int64N(86400 * sec))
		r.End = r.Submit + trace.Instant(random.ExpFloat64()*30*sec)
		if i%3 == 0 {
			a := trace.NewAttempt(0, 0, 0)
			a.Start, a.End = r.Submit+(r.End-r.Submit)/4, r.End
			a.Duration = a.End.Since(a.Start)
			r.Stages, r.Attempts = []trace.Stage{trace.NewStage()}, []trace.Attempt{a}
		}
		runs = append(runs, r)
	}
	return runs
}

// So it is where bins coarsen and the names outgrow their sketch, at different times in different parts.
func TestPartitionsDoNotMatterWhenBinsCoarsen(t *testing.T) {
	runs := crowd(6000)
	one := finish(t, Options{}, runs)
	for _, cuts := range [][]int{{1}, {3000}, {5999}, {10, 20, 4500}, {1000, 2000, 3000, 4000, 5000}} {
		if got := finish(t, Options{}, runs, cuts...); got != one {
			t.Errorf("cut at %v, the result is another", cuts)
		}
	}
}

// Finishing does not change what was counted.
func TestFinishTwice(t *testing.T) {
	p := New(Options{TimeBase: "relative", Records: Records{Read: 9, Rejected: map[string]int64{"duplicate id": 1}}})
	for _, r := range crowd(200) {
		r.Name = "x"
		p.Add(r)
	}
	first, err := p.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a, b := mustJSON(t, first), mustJSON(t, second); a != b {
		t.Errorf("first\n%s\nthen\n%s", a, b)
	}
}

// Bins hold what integrating every interval over every bin gives, and gaps are those between the sorted intervals, but
// for those shorter than a bin.
func TestCoverageAgainstDefinition(t *testing.T) {
	for _, n := range []int{1, 2, 50, 1500, 5000} {
		runs := crowd(n)
		p := New(Options{})
		for _, r := range runs {
			p.Add(r)
		}
		h, err := p.Finish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c := &h.Coverage
		if len(c.Bins) > shownBins {
			t.Errorf("%d runs: %d bins", n, len(c.Bins))
		}
		arrivals := int64(0)
		for _, b := range c.Bins {
			var inProgress, running float64
			for _, r := range runs {
				inProgress += covered(r.Submit, r.End, b.AtS, float64(c.WidthS))
				for _, a := range r.Attempts {
					running += covered(a.Start, a.End, b.AtS, float64(c.WidthS))
				}
			}
			if math.Abs(b.Runs-inProgress) > 1e-6 || math.Abs(b.Attempts-running) > 1e-6 {
				t.Fatalf("%d runs: bin at %v holds %v runs and %v attempts, want %v and %v", n, b.AtS, b.Runs,
					b.Attempts, inProgress, running)
			}
			arrivals += b.Arrivals
		}
		if arrivals != int64(n) {
			t.Errorf("%d runs: %d arrivals", n, arrivals)
		}
		gaps, idle := gapsOf(runs, float64(c.ShortestS))
		if c.GapCount < int64(len(gaps)) {
			t.Errorf("%d runs: %d gaps, want at least the %d that are longer than two bins of %v s", n, c.GapCount,
				len(gaps), c.ShortestS)
		}
		if n > 1 && float64(c.IdleShare) > idle+1e-9 {
			t.Errorf("%d runs: idle %v, more than there is: %v", n, c.IdleShare, idle)
		}
		for i, g := range c.Gaps {
			if i < len(gaps) && math.Abs(g.Seconds-gaps[i]) > 1e-6 {
				t.Errorf("%d runs: gap %d is %v s, want %v", n, i, g.Seconds, gaps[i])
			}
		}
	}
}

// covered returns the share of a bin that lies between two instants.
func covered(from, to trace.Instant, at, width float64) float64 {
	a, b := max(seconds(from), at), min(seconds(to), at+width)
	return max(0, b-a) / width
}

// gapsOf returns the lengths of the gaps between runs that are longer than two bins, longest first, and the share of
// the span that lies in gaps of any length.
func gapsOf(runs []*trace.Run, bin float64) (long []float64, idle float64) {
	sorted := slices.SortedFunc(slices.Values(runs), func(a, b *trace.Run) int {
		return cmp.Compare(a.Submit, b.Submit)
	})
	end, first := sorted[0].End, sorted[0].Submit
	for _, r := range sorted {
		if gap := seconds(r.Submit) - seconds(end); gap > 0 {
			idle += gap
			if gap > 2*bin {
				long = append(long, gap)
			}
		}
		end = max(end, r.End)
	}
	slices.Sort(long)
	slices.Reverse(long)
	return long, idle / (seconds(end) - seconds(first))
}

// The names that are examined are those with the smallest hashes, each with all of its runs, though others came and
// went.
func TestExaminedNamesKeepTheirRuns(t *testing.T) {
	const jobs, rounds = 3 * mostShapes, 3
	run := trace.NewRun("r")
	run.Stages = []trace.Stage{trace.NewStage()}
	var whole shapes
	parts := [2]shapes{}
	var all []uint64
	for round := range rounds {
		for k := range jobs {
			job := fmt.Sprint("job-", k)
			whole.see(job, run)
			parts[round%2].see(job, run)
			if round == 0 {
				all = append(all, hash(job))
			}
		}
	}
	parts[0].merge(&parts[1])
	slices.Sort(all)
	for name, s := range map[string]*shapes{"whole": &whole, "merged": &parts[0]} {
		if _, _, of := s.generic(); of != rounds*mostShapes || len(s.of) != mostShapes {
			t.Errorf("%s: %d runs of %d names, want %d of %d", name, of, len(s.of), rounds*mostShapes, mostShapes)
		}
		for job, x := range s.of {
			if x.hash > all[mostShapes-1] {
				t.Errorf("%s: %s is examined, whose hash is not among the smallest", name, job)
			}
		}
	}
}

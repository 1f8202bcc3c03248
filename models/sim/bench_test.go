package sim

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"racecard/datasets/trace"
)

// benchPlan is 20 stages of 5,000 tasks behind barriers, as cbench/loop.c.
func benchPlan(b *testing.B, full bool) Plan {
	b.Helper()
	ms := make([]int64, 1000)
	for i := range ms {
		ms[i] = int64(i+1) * 1000
	}
	d, err := Empirical(ms)
	if err != nil {
		b.Fatal(err)
	}
	var p Plan
	for i := range int32(20) {
		s := Stage{Tasks: 5000, Duration: d}
		if full {
			s.Latency, s.Failure = d, Failure{0.05, []float64{0.1, 0.5, 0.9}}
		}
		p.Stages = append(p.Stages, s)
		if i > 0 {
			kind := trace.AllToAll
			if full && i%2 == 0 {
				kind = trace.OneToOne
			}
			p.Edges = append(p.Edges, Edge{i - 1, i, kind})
		}
	}
	return p
}

// BenchmarkRun reports task completions per second on one core. "full" has failures, latencies, one_to_one edges,
// machine loss (more often where a run is shorter), a control period and input scale.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int32{10, 100, 1000} {
		for _, full := range []bool{false, true} {
			name := map[bool]string{false: "lean", true: "full"}[full]
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				r, o, src := runner(b, benchPlan(b, full)), tokens(n), rand.NewPCG(1, 1)
				if full {
					o.Scale, o.Period = 1.1, 10*second
					o.Control = func(int64, Progress) int32 { return n }
					o.Loss = &Loss{constant(b, 40_000*second/int64(n)), 4}
				}
				for b.Loop() {
					if _, err := r.Run(o, src); err != nil {
						b.Fatal(err)
					}
				}
				rate := float64(r.c.Tasks()) * float64(b.N) / b.Elapsed().Seconds()
				b.ReportMetric(rate, "tasks/s")
				if !full {
					if c, ok := loopInC(b, n); ok {
						b.ReportMetric(c, "C-tasks/s")
						b.ReportMetric(rate/c, "of-C")
					}
				}
			})
		}
	}
}

// loopInC compiles and runs cbench/loop.c, and says so where there is no compiler.
func loopInC(b *testing.B, n int32) (float64, bool) {
	b.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		b.Log("no C compiler (cc): no ratio to C")
		return 0, false
	}
	bin := filepath.Join(b.TempDir(), "loop")
	if out, err := exec.Command(cc, "-O2", "-o", bin, "cbench/loop.c").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(bin, strconv.Itoa(int(n)), "100").Output()
	if err != nil {
		b.Fatal(err)
	}
	rate, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return rate, true
}

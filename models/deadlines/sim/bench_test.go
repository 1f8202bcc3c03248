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

// benchPlan is 20 stages of 5,000 tasks behind barriers, as cbench/loop.c. Usual are also latencies and failures, and
// every other edge one_to_one; full is all a plan can have.
func benchPlan(b testing.TB, usual, full bool) Plan {
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
		kind := trace.AllToAll
		if usual {
			s.Latency, s.Failure = d, Failure{0.05, []float64{0.1, 0.5, 0.9}}
			if i%2 == 0 {
				kind = trace.OneToOne
			}
		}
		if full {
			s.First, s.Delay, s.Lost = d, d, GroupLoss{0.5, []int32{2, 4, 8}}
			p.StartUp, p.WindDown = d, d
		}
		p.Stages = append(p.Stages, s)
		if i > 0 {
			p.Edges = append(p.Edges, Edge{i - 1, i, kind})
		}
	}
	return p
}

// everything is all that options can have, on about n tokens: one attempt in some 50 is evicted, and one machine is
// lost for some 40,000 s of tokens.
func everything(b testing.TB, n int32) *Options {
	o := tokens(n)
	for i := range int64(100) {
		o.Allocation = append(o.Allocation, Step{(i + 1) * 10 * second, n + int32(i%2)*n/10})
	}
	o.Evict, o.Scale, o.Period = true, 1.1, 10*second
	o.Control = func(int64, Progress) int32 { return n }
	o.Loss = &Loss{constant(b, 40_000*second/int64(n)), 4}
	o.Spare = &Spare{Steps: []Step{{0, 0}}, Between: constant(b, 5*second), Tokens: []int32{0, n / 10, n / 2},
		Slowdown: []float64{1, 1.2, 1.5}}
	o.Speculate = &Speculation{1.5}
	o.Observe = func(Event, Progress) {}
	return o
}

// BenchmarkRun reports task completions per second on one core; "general" is a lean plan in the loop that all others
// take, with an observer. Lean runs are compared with C: the same loop over the same tree, and over a 4-ary heap.
func BenchmarkRun(b *testing.B) {
	for _, name := range []string{"lean", "general", "usual", "full"} {
		for _, n := range []int32{10, 100, 1000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				r := runner(b, benchPlan(b, name == "usual" || name == "full", name == "full"))
				o, src := tokens(n), rand.NewPCG(1, 1)
				switch name {
				case "general":
					o.Observe = func(Event, Progress) {}
				case "full":
					o = everything(b, n)
				}
				for b.Loop() {
					if _, err := r.Run(o, src); err != nil {
						b.Fatal(err)
					}
				}
				rate := float64(r.c.Tasks()) * float64(b.N) / b.Elapsed().Seconds()
				b.ReportMetric(rate, "tasks/s")
				b.ReportMetric(0, "ns/op")
				if name == "lean" {
					for _, queue := range []string{"tree", "heap"} {
						if c, ok := loopInC(b, queue, n); ok {
							b.ReportMetric(c, queue+"-in-C/s")
							b.ReportMetric(rate/c, "of-"+queue+"-in-C")
						}
					}
				}
			})
		}
	}
}

// loopInC compiles and runs cbench/loop.c, and says so where there is no compiler.
func loopInC(b *testing.B, queue string, n int32) (float64, bool) {
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
	out, err := exec.Command(bin, queue, strconv.Itoa(int(n)), "100").Output()
	if err != nil {
		b.Fatal(err)
	}
	rate, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return rate, true
}

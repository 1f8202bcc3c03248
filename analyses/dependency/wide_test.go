package dependency

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// layered makes a trace of n runs, one a minute, each of which reads the output of about two of the runs before it
// within reach, and belongs to one of some groups. One run in twelve reads nothing.
func layered(n, reach, groups int, seed uint64) []*trace.Run {
	rng := rand.New(rand.NewPCG(seed, 0))
	runs := make([]*trace.Run, n)
	for i := range runs {
		r := job(fmt.Sprintf("r%07d", i), fmt.Sprint("g", rng.IntN(groups)), float64(i), float64(i)+0.5+
			rng.ExpFloat64(), "")
		if rng.IntN(12) > 0 {
			for range 1 + rng.IntN(3) {
				if k := i - 1 - rng.IntN(reach); k >= 0 {
					r.IO = append(r.IO, trace.Access{Dataset: fmt.Sprint("d", k), At: trace.None})
				}
			}
		}
		r.IO = append(r.IO, trace.Access{Dataset: fmt.Sprint("d", i), Write: true, At: trace.None})
		runs[i] = r
	}
	return runs
}

// closure counts what is downstream of each run by walking from it.
func closure(g *graph, group []int32) (jobs, groups []int32) {
	n := len(g.chain)
	jobs, groups = make([]int32, n), make([]int32, n)
	seen := make([]int, n)
	for i := range n {
		ofGroups := map[int32]bool{}
		stack := []int32{int32(i)}
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, c := range g.of(at) {
				if seen[c] != i+1 {
					seen[c] = i + 1
					jobs[i]++
					ofGroups[group[c]] = true
					stack = append(stack, c)
				}
			}
		}
		groups[i] = int32(len(ofGroups))
	}
	return jobs, groups
}

// graphOf returns the graph of runs, and the number of the group of each of its nodes.
func graphOf(t testing.TB, runs []*trace.Run) (*finisher, []int32) {
	t.Helper()
	p := New(DefaultOptions())
	for _, r := range runs {
		p.Add(r)
	}
	f := &finisher{Partial: p, result: &result.Dependency{}}
	var place []int32
	f.order, place = p.order()
	var err error
	if f.pairs, _, err = p.pairs(t.Context(), f.order, place); err != nil {
		t.Fatal(err)
	}
	f.graph = newGraph(len(f.order), f.pairs)
	group := make([]int32, len(f.order))
	for i := range group {
		group[i] = f.at(int32(i)).group
	}
	return f, group
}

// Components that are wide enough for shards, with sets that are short lists and with sets that are bits, and many
// groups.
func TestWideComponents(t *testing.T) {
	for _, tc := range []struct {
		name             string
		n, reach, groups int
	}{
		{"long and narrow", 3 * narrow, 30, 5},
		{"wide", 2 * narrow, narrow, 3000},
		{"one shard", narrow / 2, 300, 100},
	} {
		f, group := graphOf(t, layered(tc.n, tc.reach, tc.groups, 3))
		jobs, groups, err := f.downstream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if f.result.Estimated {
			t.Errorf("%s: estimated", tc.name)
		}
		wantJobs, wantGroups := closure(f.graph, group)
		if !slices.Equal(jobs, wantJobs) || !slices.Equal(groups, wantGroups) {
			t.Errorf("%s: counts differ from those of a walk", tc.name)
		}
		if largest := slices.Max(f.graph.components()[0]); tc.n > narrow && int(largest) < narrow {
			t.Errorf("%s: the first component ends at run %d, so no shard was tried", tc.name, largest)
		}
	}
}

// The same trace with and without enough memory: what is small stays exact, estimates are off by about the standard
// error that is stated, and what must not change does not.
func TestExactAndEstimated(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector; TestProcessorsDoNotMatter shares work, too")
	}
	runs := layered(100_000, 1000, 6000, 5)
	exact := finish(t, DefaultOptions(), runs)
	if exact.Estimated {
		t.Fatal("a graph of 100,000 runs does not fit 1 GiB")
	}
	for _, tc := range []struct {
		memory        int64
		standardError float64
	}{
		{3 << 20, 0.01625}, // 1.04 / sqrt(4096)
		{128 << 10, 0.13},  // 1.04 / sqrt(64)
	} {
		o := DefaultOptions()
		o.Memory = tc.memory
		got := finish(t, o, runs)
		e := got.StandardError["indirect_dependents"]
		if !got.Estimated || math.Abs(e-tc.standardError) > 1e-9 {
			t.Errorf("%d bytes: estimated %v, standard errors %v, want %v", tc.memory, got.Estimated, got.StandardError,
				tc.standardError)
			continue
		}
		if got.ChainLength != exact.ChainLength || got.GapMin != exact.GapMin ||
			got.ShareWithDependency != exact.ShareWithDependency {
			t.Errorf("%d bytes: chains, gaps or shares changed", tc.memory)
		}
		var squares float64
		far, n := 0, 0
		for i, r := range got.Runs {
			want := exact.Runs[i].IndirectDependents
			off := float64(r.IndirectDependents)/float64(want) - 1
			if want <= 4 && off != 0 {
				t.Fatalf("%d bytes: %s has %d dependents, estimated as %d", tc.memory, r.JobID, want,
					r.IndirectDependents)
			}
			if want > 5000 {
				n++
				squares += off * off
				if math.Abs(off) > 4.5*e {
					far++
				}
			}
		}
		// Errors of runs whose sets are nearly the same are nearly the same, so that the mean is not over independent
		// draws.
		if rms := math.Sqrt(squares / float64(n)); rms > 2*e || n < 10_000 || far > 0 {
			t.Errorf("%d bytes: the root mean square of %d errors is %.4f, want about %.4f; %d far off", tc.memory, n,
				rms, e, far)
		}
	}
}

// As many processors as there are, or one: the same bytes, exact or estimated.
func TestProcessorsDoNotMatter(t *testing.T) {
	runs := layered(12_000, 500, 300, 9)
	for _, memory := range []int64{1 << 30, 1 << 18} {
		o := DefaultOptions()
		o.Memory = memory
		var want []byte
		for _, n := range []int{1, 2, 7} {
			previous := runtime.GOMAXPROCS(n)
			d := finish(t, o, runs, 5000)
			runtime.GOMAXPROCS(previous)
			if d.Estimated != (memory < 1<<20) {
				t.Fatalf("%d bytes: estimated %v", memory, d.Estimated)
			}
			data, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			if data = append(data, fmt.Sprint(d.Runs)...); want == nil {
				want = data
			}
			if !bytes.Equal(data, want) {
				t.Errorf("%d processors, %d bytes of memory: another result", n, memory)
			}
		}
	}
}

func TestCancel(t *testing.T) {
	p := New(DefaultOptions())
	for _, r := range layered(5000, 50, 5, 1) {
		p.Add(r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Finish(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

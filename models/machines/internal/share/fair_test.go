package share

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"racecard/models/machines/internal/cluster"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

func TestPublishedExample(t *testing.T) {
	// Ghodsi et al., NSDI 2011, §4.1: 9 CPUs and 18 GB; a task of A takes (1, 4), one of B (3, 1). Dominant shares
	// 4/18 and 3/9 a task; 3 tasks of A and 2 of B equalise them at 2/3.
	var f Fair
	f.Set(0, &Shares{1. / 9, 4. / 18}, 1, true)
	f.Set(1, &Shares{3. / 9, 1. / 18}, 1, true)
	f.Solve()
	total := cluster.Vector{9e9, 18e9}
	for id, want := range []cluster.Vector{{3e9, 12e9}, {6e9, 2e9}} {
		if got := f.Of(int32(id), &total); got != want || !near(f.Level(int32(id)), 2./3) {
			t.Errorf("job %d: %v at level %v, want %v at 2/3", id, got, f.Level(int32(id)), want)
		}
	}
}

func TestSolveTellsWhetherJobsChanged(t *testing.T) {
	var f Fair
	for _, step := range []struct {
		name   string
		change func()
		want   bool
	}{
		{"no job yet", func() {}, false},
		{"a job comes", func() { f.Set(0, &Shares{0.5}, 1, true) }, true},
		{"nothing happens", func() {}, false},
		{"an unknown job goes", func() { f.Remove(7) }, false},
		{"another comes", func() { f.Set(1, &Shares{1}, 1, true) }, true},
		{"it wants nothing any more", func() { f.Set(1, &Shares{}, 1, true) }, true},
		{"the first goes", func() { f.Remove(0) }, true},
		{"it goes again", func() { f.Remove(0) }, false},
	} {
		if step.change(); f.Solve() != step.want {
			t.Errorf("%s: the shares changed: %v, want %v", step.name, !step.want, step.want)
		}
	}
}

func TestLevels(t *testing.T) {
	type job struct {
		want   Shares
		weight float64
		greedy bool
	}
	for _, test := range []struct {
		name string
		jobs []job
		want []float64
	}{
		{"one wants less than its share, the other takes the rest", []job{{Shares{0.2}, 1, false},
			{Shares{0.9}, 1, false}}, []float64{0.2, 0.8}},
		{"all have what they want", []job{{Shares{0.2, 0.1}, 1, false}, {Shares{0.3}, 1, false}}, []float64{0.2, 0.3}},
		{"weights 1 and 3", []job{{Shares{1}, 1, true}, {Shares{1}, 3, true}}, []float64{0.25, 0.25}},
		// Both fill CPU at 1/2 each. The third wants memory alone, of which the first holds 0.5·0.2 = 0.1: it goes on
		// to 0.9.
		{"a zero demand goes on", []job{{Shares{1, 0.2}, 1, true}, {Shares{1}, 1, true}, {Shares{0, 1}, 1, true}},
			[]float64{0.5, 0.5, 0.9}},
		{"wants nothing", []job{{Shares{}, 1, false}, {Shares{1}, 1, true}}, []float64{0, 1}},
		{"nobody", nil, nil},
	} {
		var f Fair
		for id, j := range test.jobs {
			f.Set(int32(id), &j.want, j.weight, j.greedy)
		}
		f.Solve()
		for id, want := range test.want {
			if got := f.Level(int32(id)); !near(got, want) {
				t.Errorf("%s: job %d at level %v, want %v", test.name, id, got, want)
			}
		}
	}
}

// slow is the definition: raise the level to the next at which a job has what it wants or a resource is full.
func slow(want []Shares, weight []float64) []float64 {
	level, fixed := make([]float64, len(want)), make([]bool, len(want))
	var used Shares
	dominant := func(i int) (d float64) {
		for _, x := range want[i] {
			d = max(d, x)
		}
		return d
	}
	for i := range want {
		fixed[i] = dominant(i) == 0
	}
	for x := 0.0; ; {
		next := math.Inf(1)
		var slope Shares
		for i := range want {
			if !fixed[i] {
				next = min(next, dominant(i)/weight[i])
				for r, w := range want[i] {
					slope[r] += w / dominant(i) * weight[i]
				}
			}
		}
		if math.IsInf(next, 1) {
			return level
		}
		for r := range slope {
			if slope[r] > 0 {
				next = min(next, x+(1-used[r])/slope[r])
			}
		}
		for r := range used {
			used[r] += slope[r] * (next - x)
		}
		x = next
		for i := range want {
			if fixed[i] {
				continue
			}
			level[i] = x
			fixed[i] = x >= dominant(i)/weight[i]-1e-12
			for r, w := range want[i] {
				fixed[i] = fixed[i] || w > 0 && used[r] >= 1-1e-9
			}
		}
	}
}

func TestFairAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f Fair
		n := rapid.IntRange(1, 12).Draw(t, "jobs")
		want, weight := make([]Shares, n), make([]float64, n)
		for range rapid.IntRange(n, 3*n).Draw(t, "changes") {
			i := rapid.IntRange(0, n-1).Draw(t, "job")
			want[i] = Shares{}
			for r := range 3 {
				if rapid.Bool().Draw(t, "wants") {
					want[i][r] = float64(rapid.IntRange(1, 20).Draw(t, "share")) / 16
				}
			}
			weight[i] = float64(rapid.IntRange(1, 4).Draw(t, "weight"))
			f.Set(int32(i), &want[i], weight[i], false)
		}
		for i := range weight {
			weight[i] = max(weight[i], 1)
		}
		f.Solve()
		var used Shares
		for i, level := range slow(want, weight) {
			if !near(f.Level(int32(i)), level) {
				t.Fatalf("job %d of %v, weights %v: level %v, want %v", i, want, weight, f.Level(int32(i)), level)
			}
			v := f.Of(int32(i), &cluster.Vector{1e10, 1e10, 1e10})
			for r := range used {
				used[r] += float64(v[r])
			}
		}
		for r, u := range used {
			if u > 1e10+float64(n) {
				t.Fatalf("resource %d: %v of 1e10 given away", r, u)
			}
		}
	})
}

func BenchmarkFair(b *testing.B) {
	var f Fair
	const n = 1000
	x := func(i, r int) float64 { return float64((i*7919+r*104729)%1000+1) / 1e6 }
	set := func(i int) {
		var s Shares
		for r := range 6 {
			s[r] = x(i, r)
		}
		f.Set(int32(i%n), &s, 1, false)
	}
	for i := range n {
		set(i)
	}
	i := 0
	for b.Loop() {
		i++
		set(i)
		f.Solve()
	}
}

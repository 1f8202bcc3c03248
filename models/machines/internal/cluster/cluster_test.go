package cluster_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
)

func demand(cpu, mem float64) trace.Demand {
	d := trace.NoDemand()
	d[trace.CPU], d[trace.Mem] = cpu, mem
	return d
}

// TestMachinesAgainstSlice takes and gives at random, and compares every search with a look at all machines.
func TestMachinesAgainstSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var capacities []trace.Demand
		for range rapid.IntRange(1, 9).Draw(t, "machines") {
			capacities = append(capacities, demand(float64(rapid.IntRange(0, 4).Draw(t, "cpu")),
				float64(rapid.IntRange(1, 4).Draw(t, "mem"))))
		}
		m, err := cluster.New(capacities)
		if err != nil {
			t.Fatal(err)
		}
		free := make([]cluster.Vector, m.Len())
		for i := range free {
			free[i] = m.Space().Quanta(&capacities[i])
		}
		type held struct {
			machine int32
			v       cluster.Vector
		}
		var taken []held
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			d := demand(float64(rapid.IntRange(0, 4).Draw(t, "task cpu")),
				float64(rapid.IntRange(0, 4).Draw(t, "task mem")))
			v, from := m.Space().Quanta(&d), rapid.Int32Range(0, 9).Draw(t, "from")
			want := int32(-1)
			for i := from; int(i) < len(free) && want < 0; i++ {
				if v.Fits(&free[i]) {
					want = i
				}
			}
			if got := m.First(&v, from); got != want {
				t.Fatalf("First(%v, %d) = %d, want %d of %v", v, from, got, want, free)
			}
			if want >= 0 {
				m.Take(want, &v)
				free[want].Add(&v, -1)
				taken = append(taken, held{want, v})
			}
			if len(taken) > 0 && rapid.Bool().Draw(t, "give") {
				k := rapid.IntRange(0, len(taken)-1).Draw(t, "which")
				m.Give(taken[k].machine, &taken[k].v)
				free[taken[k].machine].Add(&taken[k].v, 1)
				taken = append(taken[:k], taken[k+1:]...)
			}
			var most cluster.Vector
			for i := range free {
				most.Raise(&free[i])
				if *m.Free(int32(i)) != free[i] {
					t.Fatalf("machine %d: %v is free, want %v", i, *m.Free(int32(i)), free[i])
				}
			}
			if *m.MostFree() != most {
				t.Fatalf("at most %v is free, want %v", *m.MostFree(), most)
			}
		}
	})
}

func TestQuanta(t *testing.T) {
	m, err := cluster.New(slices.Repeat([]trace.Demand{demand(20, 128e9)}, 2))
	if err != nil {
		t.Fatal(err)
	}
	// Of 20 cores a quantum is 1e-9 cores (2e10 of them), of 128 GB 10 bytes (1.28e10).
	a, b, c := demand(0.29, 10), demand(0.21, 20), demand(1e-30, math.NaN())
	v, w, tiny := m.Space().Quanta(&a), m.Space().Quanta(&b), m.Space().Quanta(&c)
	v.Add(&w, 1)
	if v[trace.CPU] != 500_000_000 || v[trace.Mem] != 3 {
		t.Errorf("0.29 and 0.21 cores, 10 and 20 bytes are %v quanta, want 5e8 and 3", v)
	}
	if tiny[trace.CPU] != 1 || tiny[trace.Mem] != 0 {
		t.Errorf("next to nothing and unknown are %v, want 1 and 0", tiny)
	}
	if got := m.Space().Amounts(&v); got[trace.CPU] != 0.5 || got[trace.Mem] != 30 || !math.IsNaN(got[trace.NetIn]) {
		t.Errorf("%v, want 0.5 cores, 30 bytes and no network", got)
	}
}

func TestShares(t *testing.T) {
	m, err := cluster.New([]trace.Demand{demand(4, 8), demand(4, 8)})
	if err != nil {
		t.Fatal(err)
	}
	d := demand(2, 12)
	v := m.Space().Quanta(&d)
	// 2 of 8 cores, 12 of 16 bytes.
	if got := m.Shares(&v); got[trace.CPU] != 0.25 || got[trace.Mem] != 0.75 || m.Dominant(&v) != 0.75 {
		t.Errorf("shares %v, dominant %v; want 1/4, 3/4 and 3/4", got, m.Dominant(&v))
	}
	if !m.Clamp(&v) || v != m.Space().Quanta(&[]trace.Demand{demand(2, 8)}[0]) || m.Clamp(&v) {
		t.Errorf("12 bytes on machines of 8 become %v, want 8, once", v)
	}
	// (1/4)·(4/4) + (4/8)·(8/8) on an empty machine, (1/4)·(3/4) + (4/8)·(4/8) after it is taken once.
	d = demand(1, 4)
	v = m.Space().Quanta(&d)
	if got := m.Alignment(0, &v); got != 0.75 {
		t.Errorf("alignment %v, want 0.75", got)
	}
	m.Take(0, &v)
	if got := m.Alignment(0, &v); math.Abs(got-0.4375) > 1e-15 {
		t.Errorf("alignment %v, want 0.4375", got)
	}
	m.Reset()
	if *m.Free(0) != *m.Capacity(0) {
		t.Error("what was taken is not free again")
	}
}

func TestOneMachine(t *testing.T) {
	m, err := cluster.New([]trace.Demand{demand(3, 6)})
	if err != nil {
		t.Fatal(err)
	}
	d := demand(3, 6)
	if v := m.Space().Quanta(&d); m.Len() != 1 || *m.Total() != v || *m.Largest() != v {
		t.Errorf("%d machines with %v, want one with 3 cores and 6 bytes", m.Len(), *m.Total())
	}
}

func TestRefused(t *testing.T) {
	for _, bad := range [][]trace.Demand{nil, {demand(0, 0)}, {demand(-1, 1)}, {demand(math.Inf(1), 1)},
		{trace.NoDemand()}} {
		if _, err := cluster.New(bad); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}

func TestTimes(t *testing.T) {
	for _, test := range []struct {
		v, room cluster.Vector
		n, want int64
	}{
		{cluster.Vector{3}, cluster.Vector{10}, 5, 3},
		{cluster.Vector{3, 4}, cluster.Vector{10, 9}, 5, 2},
		{cluster.Vector{3}, cluster.Vector{2}, 5, 0},
		{cluster.Vector{}, cluster.Vector{}, 5, 5},
		{cluster.Vector{1}, cluster.Vector{-1}, 5, 0},
	} {
		if got := test.v.Times(&test.room, test.n); got != test.want {
			t.Errorf("%v fits %d times into %v, want %d of %d", test.v, got, test.room, test.want, test.n)
		}
	}
}

func BenchmarkMachines(b *testing.B) {
	m, err := cluster.New(slices.Repeat([]trace.Demand{demand(20, 128e9)}, 10_000))
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var tasks []cluster.Vector
	for range 64 {
		d := demand(1+3*rng.Float64(), (1+15*rng.Float64())*1e9)
		tasks = append(tasks, m.Space().Quanta(&d))
	}
	type held struct{ machine, task int32 }
	var taken []held
	for i := 0; ; i++ { // fill
		k := int32(i % len(tasks))
		at := m.First(&tasks[k], 0)
		if at < 0 {
			break
		}
		m.Take(at, &tasks[k])
		taken = append(taken, held{at, k})
	}
	for b.Loop() {
		k := rng.IntN(len(taken))
		m.Give(taken[k].machine, &tasks[taken[k].task])
		at := m.First(&tasks[taken[k].task], 0)
		m.Take(at, &tasks[taken[k].task])
		taken[k].machine = at
	}
}

package cluster_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
)

// TestRefusedAgainstSearch takes and gives at random, and compares every refusal with a search. Where nothing was
// given, what was refused has to be remembered.
func TestRefusedAgainstSearch(t *testing.T) {
	for _, machines := range []int{1, 7, 300} {
		rng := rand.New(rand.NewPCG(1, uint64(machines)))
		m, err := cluster.New(slices.Repeat([]trace.Demand{{20, 20, 20, 20}}, machines))
		if err != nil {
			t.Fatal(err)
		}
		type held struct {
			machine int32
			v       cluster.Vector
		}
		var taken []held
		var r cluster.Refused
		refused, known := 0, 0
		for range 50_000 {
			// Now and then many end at once: so machines have room for a while.
			for many := rng.IntN(500) == 0; len(taken) > 0 && rng.IntN(100) < 30 || many && len(taken) > 2*machines; {
				k := rng.IntN(len(taken))
				m.Give(taken[k].machine, &taken[k].v)
				r.Gave(m, taken[k].machine)
				taken[k], taken = taken[len(taken)-1], taken[:len(taken)-1]
			}
			v := m.Space().Quanta(&trace.Demand{1 + 6*rng.Float64(), 1 + 6*rng.Float64(), 1 + 6*rng.Float64(), 1 +
				6*rng.Float64()})
			at, has := m.First(&v, 0), r.Has(m, &v)
			switch {
			case has && at >= 0:
				t.Fatalf("%d machines: %v is refused, but fits on machine %d", machines, v, at)
			case at >= 0 && rng.IntN(4) > 0:
				m.Take(at, &v)
				taken = append(taken, held{at, v})
			case has:
				known++
			case at < 0:
				r.Add(m, v)
				more := v
				more[trace.Mem], more[trace.CPU] = more[trace.Mem]+1, cluster.Most
				if !r.Has(m, &v) || !r.Has(m, &more) {
					t.Fatalf("%d machines: %v was refused, and is forgotten", machines, v)
				}
				refused++
			}
		}
		if refused == 0 || known < refused {
			t.Errorf("%d machines: %d refusals, of which %d others were known; want more", machines, refused, known)
		}
		t.Logf("%d machines: %d refusals, %d known", machines, refused, known)
	}
}

// TestRefusedForgets adds demands each of which is refused by itself, more than are remembered: the last one is, at
// least.
func TestRefusedForgets(t *testing.T) {
	const n = 200
	var capacities []trace.Demand
	for i := range n {
		capacities = append(capacities, demand(float64(1+i), float64(n-i)))
	}
	m, err := cluster.New(capacities)
	if err != nil {
		t.Fatal(err)
	}
	var r cluster.Refused
	for i := range n - 1 {
		d := demand(float64(2+i), float64(n-i)) // machine i has too little cpu, the next too little mem
		v := m.Space().Quanta(&d)
		if r.Has(m, &v) {
			t.Fatalf("%v is known", d)
		}
		if r.Add(m, v); !r.Has(m, &v) {
			t.Fatalf("%v is not known", d)
		}
	}
	for i := range n {
		if v := m.Space().Quanta(&capacities[i]); r.Has(m, &v) {
			t.Errorf("%v is refused, but fits", capacities[i])
		}
	}
}

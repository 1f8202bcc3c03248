package order

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/models/machines/internal/cluster"
)

// TestQueueAgainstSlice compares every answer with that of a sorted slice.
func TestQueueAgainstSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type entry struct {
			id   int32
			key  float64
			need cluster.Vector
		}
		var q Queue
		var all []entry
		vector := func(name string) (v cluster.Vector) {
			v[0], v[1] = rapid.Int64Range(0, 4).Draw(t, name), rapid.Int64Range(0, 4).Draw(t, name)
			return v
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			id := rapid.Int32Range(0, 15).Draw(t, "id")
			all = slices.DeleteFunc(all, func(e entry) bool { return e.id == id })
			if rapid.IntRange(0, 3).Draw(t, "what") == 0 {
				q.Remove(id)
			} else {
				e := entry{id, float64(rapid.IntRange(0, 5).Draw(t, "key")), vector("need")}
				q.Set(e.id, e.key, &e.need)
				all = append(all, e)
			}
			slices.SortFunc(all, func(a, b entry) int {
				return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id))
			})
			bound, key, from := vector("bound"), float64(rapid.IntRange(-1, 6).Draw(t, "from")),
				rapid.Int32Range(0, 15).Draw(t, "from id")
			k := slices.IndexFunc(all, func(e entry) bool {
				return (e.key > key || e.key == key && e.id >= from) && e.need.Fits(&bound)
			})
			got, _, ok := q.First(key, from, &bound)
			if ok != (k >= 0) || ok && got != all[k].id {
				t.Fatalf("First(%v, %d, %v) = %d, %v of %v", key, from, bound, got, ok, all)
			}
			first, least, some := q.Min()
			if q.Len() != len(all) || some != (len(all) > 0) || some && (first != all[0].id || least != all[0].key) {
				t.Fatalf("%d, first %d (%v) of %v", q.Len(), first, least, all)
			}
		}
	})
}

func BenchmarkQueue(b *testing.B) {
	for _, n := range []int32{1000, 100_000} {
		b.Run(map[int32]string{1000: "1k", 100_000: "100k"}[n], func(b *testing.B) {
			var q Queue
			rng := rand.New(rand.NewPCG(1, 1))
			for id := range n {
				q.Set(id, rng.Float64(), &cluster.Vector{int64(id % 997)})
			}
			bound := cluster.Vector{5}
			for b.Loop() {
				q.Set(rng.Int32N(n), rng.Float64(), &cluster.Vector{rng.Int64N(997)})
				q.First(0, 0, &bound)
			}
		})
	}
}

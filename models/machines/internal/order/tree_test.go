package order

import (
	"math/rand/v2"
	"testing"
)

// A tree in which ids moved is the tree of the same ids put in at once: its shape, and so the rounding of its sums, does
// not depend on how they came to their places.
func TestMovesLeaveTheSameTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var moved Tree[count, *count]
	keys := map[int32]float64{}
	values := map[int32]count{}
	const ids, spread = 60, 40 // some keys are equal
	for step := range 6000 {
		id, key, value := rng.Int32N(ids), float64(rng.IntN(spread)), count(rng.IntN(3))
		switch old, ok := keys[id]; {
		case rng.IntN(10) == 0:
			moved.Remove(id)
			delete(keys, id)
			continue
		case ok && rng.IntN(2) == 0:
			key = old + float64(rng.IntN(5)-2)/2 // near by
		}
		moved.Set(id, key, &value)
		keys[id], values[id] = key, value

		var fresh Tree[count, *count]
		for _, i := range rng.Perm(ids) {
			if key, ok := keys[int32(i)]; ok {
				value := values[int32(i)]
				fresh.Set(int32(i), key, &value)
			}
		}
		if moved.len != fresh.len || moved.root != fresh.root {
			t.Fatalf("step %d: %d ids below %d, want %d below %d", step, moved.len, moved.root, fresh.len, fresh.root)
		}
		for i := range fresh.nodes {
			if got, want := moved.nodes[i], fresh.nodes[i]; want.in && got != want {
				t.Fatalf("step %d: id %d: %+v, want %+v", step, i-1, got, want)
			}
		}
	}
}

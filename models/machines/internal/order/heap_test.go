package order

import (
	"testing"

	"pgregory.net/rapid"
)

// TestHeapAgainstRanking compares a heap with the tree that finds the first as well.
func TestHeapAgainstRanking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h Heap
		var r Ranking
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			id := rapid.Int32Range(0, 40).Draw(t, "id")
			if rapid.IntRange(0, 3).Draw(t, "what") == 0 {
				h.Remove(id)
				r.Remove(id)
			} else {
				key := rapid.Int64Range(-9, 9).Draw(t, "key")
				h.Set(id, key)
				r.Set(id, float64(key))
			}
			id, key, ok := h.Min()
			wantID, wantKey, want := r.Min()
			if id != wantID || float64(key) != wantKey || ok != want {
				t.Fatalf("Min() = %d, %d, %v, want %d, %v, %v", id, key, ok, wantID, wantKey, want)
			}
		}
	})
}

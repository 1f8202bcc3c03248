package lists_test

import (
	"slices"
	"testing"

	"racecard/datasets/lists"

	"pgregory.net/rapid"
)

// A heap takes items in the order in which sorting has them, whatever is pushed, taken and changed in between.
func TestHeap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := lists.Heap[int]{Less: func(a, b int) bool { return a < b }}
		var all []int
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				if len(all) > 0 {
					if got := h.Pop(); got != all[0] {
						t.Fatalf("took %d, want %d", got, all[0])
					}
					all = all[1:]
				}
			case 1:
				for i := range h.Items {
					h.Items[i] *= -1
				}
				h.Fix()
				for i := range all {
					all[i] *= -1
				}
			default:
				x := rapid.IntRange(-9, 9).Draw(t, "item")
				h.Push(x)
				all = append(all, x)
			}
			slices.Sort(all)
			if h.Len() != len(all) {
				t.Fatalf("%d items, want %d", h.Len(), len(all))
			}
		}
	})
}

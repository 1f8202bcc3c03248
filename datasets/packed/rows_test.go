package packed_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/packed"
)

// TestRowsKeepTheirOrder adds texts as rows, small ones and ones larger than a block, in several lists that become one.
func TestRowsKeepTheirOrder(t *testing.T) {
	large := string(make([]byte, 1<<20))
	rapid.Check(t, func(t *rapid.T) {
		var all packed.Rows
		var want []string
		for range rapid.IntRange(0, 3).Draw(t, "lists") {
			var list packed.Rows
			for _, text := range rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "bcd", large}), 0, 3).Draw(t, "texts") {
				list.Add(func(to []byte) []byte { return packed.AppendText(to, text) })
				want = append(want, text)
			}
			all.Append(&list)
		}
		stop := rapid.IntRange(1, len(want)+1).Draw(t, "stop")
		var got []string
		all.Each(func(rows []byte) ([]byte, bool) {
			text, rest := packed.Text(rows)
			got = append(got, text)
			return rest, len(got) < stop
		})
		if all.Len() != len(want) || !slices.Equal(got, want[:min(stop, len(want))]) {
			t.Errorf("%d rows of %d, the first %d differ", all.Len(), len(want), stop)
		}
	})
}

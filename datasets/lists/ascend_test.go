package lists

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestAscend(t *testing.T) {
	for _, test := range []struct{ values, weights, want []float64 }{
		{nil, nil, nil},
		{[]float64{1, 2, 2, 3}, nil, []float64{1, 2, 2, 3}},
		{[]float64{3, 1}, nil, []float64{2, 2}},
		{[]float64{3, 1}, []float64{3, 1}, []float64{2.5, 2.5}},
		{[]float64{1, 5, 4, 0, 9}, nil, []float64{1, 3, 3, 3, 9}},
	} {
		got := slices.Clone(test.values)
		if Ascend(got, test.weights); !slices.Equal(got, test.want) {
			t.Errorf("%v weighted by %v: %v, want %v", test.values, test.weights, got, test.want)
		}
	}
}

// Values ascend and keep their sum; ones that ascend stay as they are.
func TestAscendHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Float64Range(-100, 100)).Draw(t, "values")
		got, sum := slices.Clone(values), 0.0
		Ascend(got, nil)
		for i := range got {
			sum += got[i] - values[i]
		}
		if !slices.IsSorted(got) || sum > 1e-9 || sum < -1e-9 {
			t.Fatalf("%v becomes %v", values, got)
		}
		again := slices.Clone(got)
		if Ascend(again, nil); !slices.Equal(again, got) {
			t.Fatalf("%v becomes %v", got, again)
		}
	})
}

package ranks

import (
	"slices"
	"testing"
)

// Of 5 values, 1 is below 4 others, the equal ones lie between two and one, 9 is above all.
func TestCentred(t *testing.T) {
	if got, want := Centred([]float64{9, 1, 3, 3, 2}), []float64{4, -4, 1, 1, -2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Centred(nil); len(got) != 0 {
		t.Errorf("of no values: %v", got)
	}
}

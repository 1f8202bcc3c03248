package figure

import (
	"strings"
	"testing"

	"racecard/datasets/result"
)

func ratioCurve(name string, xs ...float64) *curve {
	return newCurve(name, xs, result.Summary{}, lookAt(0))
}

func TestHidden(t *testing.T) {
	a, b, c := ratioCurve("a", 1, 2), ratioCurve("b", 2, 1), ratioCurve("c", 1, 2, 3)
	for _, tc := range []struct {
		name   string
		curves []*curve
		want   string
	}{
		{"none", nil, ""},
		{"all differ", []*curve{a, c}, ""},
		{"one under one", []*curve{a, c, b}, "b under a."},
		{"two under one", []*curve{a, b, ratioCurve("d", 1, 2), c}, "b and d under a."},
		{"two pairs", []*curve{a, c, b, ratioCurve("e", 3, 2, 1)}, "b under a and e under c."},
	} {
		if got := hidden(tc.curves); !strings.HasSuffix(got, tc.want) || (got == "") != (tc.want == "") {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// All but the outermost hundredth of a curve lies on the axis, on either side.
func TestFactors(t *testing.T) {
	xs := []float64{0.01, 20}
	for k := range 198 {
		xs = append(xs, 0.3+float64(k)*0.05)
	}
	a := factors([]*curve{ratioCurve("a", xs...)})
	if a.min != 0.35 || a.max != xs[2+196] { // the third of 200 from either end
		t.Errorf("from %v to %v", a.min, a.max)
	}
	if a := factors([]*curve{ratioCurve("a", 1, 1.1)}); a.min != 0.5 || a.max != 4 {
		t.Errorf("from %v to %v where all are near 1", a.min, a.max)
	}
	if a := factors([]*curve{ratioCurve("a", 1e-6, 1e9)}); a.min != 0.05 || a.max != 50 {
		t.Errorf("from %v to %v", a.min, a.max)
	}
}

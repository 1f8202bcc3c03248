package figure

import (
	"strings"
	"testing"

	"racecard/datasets/result"
)

// The key names the distributions that have values, and no others.
func TestKeyOfCoV(t *testing.T) {
	r := &result.Recurrence{MinRuns: 10, CoV: result.Summary{N: 6, P10: 0.1, P50: 0.2, P90: 0.4}}
	for _, cov := range []float64{0.1, 0.15, 0.2, 0.25, 0.3, 0.4} {
		r.Jobs = append(r.Jobs, result.RecurringJob{CoV: cov})
	}
	for groups, want := range map[int]bool{0: false, 6: true} {
		r.Groups, r.CoVSimilarInput = nil, result.Summary{}
		for i := range groups {
			r.Groups = append(r.Groups, result.SimilarInputSet{CoV: 0.05 + 0.01*float64(i)})
			r.CoVSimilarInput = result.Summary{N: groups, P10: 0.05, P50: 0.07, P90: 0.1}
		}
		svg := string(CoV(r, Source{}).SVG())
		if got := strings.Contains(svg, "inputs within 10% ("); got != want || !strings.Contains(svg, "(6 jobs)") {
			t.Errorf("%d groups: the key names groups: %v, want %v", groups, got, want)
		}
	}
}

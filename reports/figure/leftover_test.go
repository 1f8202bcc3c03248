package figure

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/reports/internal/figuretest"
)

func leftoverForms(t interface {
	Helper()
	Fatalf(string, ...any)
}, l *result.Leftover, units map[string]string, pixels bool) {
	t.Helper()
	everyForm(t, Leftover(l, units, Source{}), pixels)
	everyForm(t, LeftoverShares(l, Source{}), pixels)
	everyForm(t, LeftoverShape(l, l.Table(), Source{}), pixels)
	everyForm(t, LeftoverShape(l, nil, Source{}), false)
}

func TestLeftoverForms(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]*result.Bundle{"typical": figuretest.Leftover(),
		"large": figuretest.LargeLeftover()} {
		l := b.Documents["leftover"].(*result.Leftover)
		leftoverForms(t, l, b.Provenance.Units, true)
		for _, f := range []*Figure{Leftover(l, nil, Source{}), LeftoverShares(l, Source{}), LeftoverShape(l,
			b.Tables["leftover"], Source{})} {
			if n := len(f.InlineSVG(Wide)); n > 300_000 {
				t.Errorf("%s: %s has %d bytes of SVG, want at most 300,000", name, f.Name, n)
			}
		}
	}
	leftoverForms(t, &result.Leftover{}, nil, true)
}

// Runs whose leftover is not known are no points.
func TestLeftoverShapePoints(t *testing.T) {
	l := &result.Leftover{}
	for _, r := range []result.LeftoverRun{{JobID: "a", Stages: 3, Leftover: 0.5}, {JobID: "b", Stages: 9,
		Leftover: math.NaN()}, {JobID: "c", Stages: 1, Leftover: 0}} {
		l.PerRun.Add(&r)
	}
	n := scatterPanel("stages", "stages", l, l.Table())
	if got := n.layers[0].(*crowdLayer).points; !slices.Equal(got, []point{{3, 0.5}, {1, 0}}) {
		t.Errorf("points %v", got)
	}
}

// What a damaged result holds is drawn or left out, never a failure.
func TestLeftoverAnyNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		numbers := func(what string) []float64 {
			var xs []float64
			for range rapid.IntRange(0, 5).Draw(t, what) {
				xs = append(xs, anyNumber(t, what))
			}
			return xs
		}
		l := &result.Leftover{Resources: map[string]*result.LeftoverResource{},
			Correlation: map[string]result.LeftoverCorrelation{},
			Timeline: result.LeftoverTimeline{StepS: result.Number(anyNumber(t, "step")), Running: numbers("running"),
				Resources: map[string]result.LeftoverTimeValue{}}}
		for _, name := range []string{"cpu", "gpu"} {
			l.Resources[name] = &result.LeftoverResource{Available: true, TimeWeighted: anySummary(t),
				EventWeighted: anySummary(t),
				Share:         result.Number(anyNumber(t, "share")), TimeCurve: numbers("curve"),
				EventCurve: numbers("curve")}
			l.Timeline.Resources[name] = result.LeftoverTimeValue{Allocated: numbers("held"), Spare: numbers("spare")}
		}
		for _, m := range []string{"stages", "barriers"} {
			l.Correlation[m] = result.LeftoverCorrelation{Correlation: result.Correlation{N: 3,
				Pearson: result.Number(anyNumber(t, "r"))}}
		}
		for range rapid.IntRange(0, 5).Draw(t, "runs") {
			l.PerRun.Add(&result.LeftoverRun{JobID: "r", Stages: rapid.Int32().Draw(t, "stages"),
				Leftover: anyNumber(t, "leftover")})
		}
		leftoverForms(t, l, map[string]string{"cpu": rapid.String().Draw(t, "unit")}, false)
	})
}

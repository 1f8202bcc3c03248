package jobmodel

import (
	"math"
	"testing"

	"racecard/datasets/modelfile"
)

// twoEffects is a plan of two stages of which tasks took 1 s in eight runs at 1 to 8 tokens, but that at 2, 4 and 8 tokens the second took
// some times as long as the run did.
func twoEffects(times ...float64) *modelfile.Plan {
	p := &modelfile.Plan{}
	var same, slower []*float64
	var values []int64
	one := 1.0
	for i := range 8 {
		tokens, ratio := int64(1)<<(i%4), times[i%4]
		p.RunFactors = append(p.RunFactors, modelfile.RunFactor{Factor: 1, Weight: 1, Tokens: &tokens})
		same, slower = append(same, &one), append(slower, &ratio)
		values = append(values, int64(ratio*second))
	}
	typical := func(ratios []*float64, values []int64) modelfile.Stage {
		return modelfile.Stage{Typical: modelfile.Typical{Runs: ratios, Later: modelfile.Dist{N: 8, Family: modelfile.Empirical, Values: values}}}
	}
	p.Stages = []modelfile.Stage{typical(same, []int64{second, second}), typical(slower, values)}
	return p
}

func at(p *modelfile.Plan, tokens float64, stage int, seconds float64) float64 {
	o := DefaultOptions()
	o.Tokens = tokens
	return newStageFactors(p, o).of(stage).at(seconds)
}

// A stage that is slower with more tokens is expected to be so again: nearly as slow as it was, with less spread; one that is
// not stays as it was, and so does one of which no ratios are known, or no tokens.
func TestStageFactor(t *testing.T) {
	p := twoEffects(0.5, 0.8, 1.2, 1.6)
	for tokens, want := range map[float64]float64{1: 0.5, 2: 0.8, 4: 1.2, 8: 1.6} {
		for _, typical := range []float64{0.5, 0.9, 1.6} {
			if got := at(p, tokens, 1, typical); math.Abs(math.Log(got/want)) > 0.2 {
				t.Errorf("%v s on %v tokens: %v s, want about %v", typical, tokens, got, want)
			}
			if got := at(p, tokens, 0, typical); math.Abs(got-typical) > 1e-9 {
				t.Errorf("%v s on %v tokens became %v s in a stage that tokens do not matter to", typical, tokens, got)
			}
		}
	}
	if got := at(p, 0, 1, 0.9); got != 0.9 {
		t.Errorf("on unknown tokens 0.9 s became %v", got)
	}
	if got := at(p, 4, 1, 0); got != 0 {
		t.Errorf("0 s became %v", got)
	}
	p.Stages[1].Typical.Runs = nil
	if got := at(p, 8, 1, 0.7); got != 0.7 {
		t.Errorf("0.7 s became %v", got)
	}
}

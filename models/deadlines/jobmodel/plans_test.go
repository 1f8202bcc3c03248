package jobmodel

import (
	"math"
	"testing"

	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
)

// history returns a profile whose runs had plans a, b, ... and inputs in bytes, oldest first.
func history(plans string, inputs ...int64) *modelfile.Profile {
	p := &modelfile.Profile{}
	for i, letter := range plans {
		plan := int(letter - 'a')
		for len(p.Plans) <= plan {
			p.Plans = append(p.Plans, modelfile.Plan{Plan: string('a' + rune(len(p.Plans)))})
		}
		end, f := float64(i), modelfile.RunFactor{Weight: 1}
		f.EndS = &end
		if i < len(inputs) {
			f.InputBytes = &inputs[i]
		}
		p.Plans[plan].RunFactors = append(p.Plans[plan].RunFactors, f)
	}
	return p
}

// Where every run has another plan, the next has none of them, and takes about as long as half of all runs did: 100 s,
// and not 200 as the newest alone.
func TestEveryRunHasAnotherPlan(t *testing.T) {
	p := history("abcdefghijklmnopqrstuvwxyz")
	for i := range p.Plans {
		took := []float64{80, 120, 100, 70, 130, 90, 110}[i%7]
		if i == len(p.Plans)-1 {
			took = 200
		}
		f := &p.Plans[i].RunFactors[0]
		f.CompletionS, *f.EndS = &took, 1000*float64(i)
	}
	o := DefaultOptions()
	if all := nextPlans(p, o); len(all) != 2 || all[1].plan != unseen || all[1].chance < 0.9 || nextPlan(p, o) != 25 {
		t.Errorf("%+v; the likeliest is %d, want the newest", all, nextPlan(p, o))
	}
	of, err := NewJob(p).Complete(o)
	if err != nil {
		t.Fatal(err)
	}
	median, p90 := quantile.Quantile(of.Times, 0.5), quantile.Quantile(of.Times, 0.9)
	if math.Abs(median/100-1) > 0.15 || !(p90 > 120 && p90 < 180) || of.Times.Len() != slownesses {
		t.Errorf("%d times, a median of %.0f s, and p90 of %.0f", of.Times.Len(), median, p90)
	}
}

func TestNextPlan(t *testing.T) {
	batches := []int64{600, 1000, 1600, 610, 990, 1010, 1590, 590, 1005, 995, 1605}
	for _, test := range []struct {
		name   string
		past   *modelfile.Profile
		input  float64
		plan   string
		chance float64 // at least
	}{
		{"one plan", history("aaa"), math.NaN(), "a", 1},
		{"a change", history("aaaaaaaaaab"), math.NaN(), "b", 0.7},
		{"a change, whatever the input", history("aaaaab", 100, 110, 90, 105, 95, 140), 100, "b", 0.6},
		{"a change that lasts", history("aaaaaaaaaabb"), math.NaN(), "b", 0.8},
		{"an exception", history("aaaaabaaaa"), math.NaN(), "a", 0.75},
		{"plans take turns", history("abababab"), math.NaN(), "a", 0.6},
		{"an exception again", history("aaabaabaaaabaab"), math.NaN(), "a", 0.6},
		{"it depends on the input, which is small", history("abcabbcabbc", batches...), 605, "a", 0.8},
		{"it depends on the input, which is large", history("abcabbcabba", append(batches[:10:10], 601)...), 1600, "c", 0.7},
		{"it depends on the input, which is not known", history("abcabbcabbc", batches...), math.NaN(), "b", 0.4},
	} {
		if got := NextPlan(test.past, test.input).Plan; got != test.plan {
			t.Errorf("%s: plan %s, want %s", test.name, got, test.plan)
		}
		sum := 0.0
		for _, c := range nextPlans(test.past, Options{InputBytes: test.input, Submit: math.NaN()}) {
			sum += c.chance
			if test.past.Plans[c.plan].Plan == test.plan && c.chance < test.chance {
				t.Errorf("%s: the chance of plan %s is %.3f, want at least %v", test.name, test.plan, c.chance, test.chance)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%s: the chances add up to %v", test.name, sum)
		}
	}
}

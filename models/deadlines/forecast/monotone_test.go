package forecast

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
)

// Two anchors of which one quantile rises: 10 with one run and 13 with two become (10 + 2 x 13) / 3 = 12; the other
// quantile falls and stays.
func TestPoolByHand(t *testing.T) {
	all := []anchor{{tokens: 4, runs: 1, times: []float64{10, 30}}, {tokens: 8, runs: 2, times: []float64{13, 20}}}
	pool(all)
	if !slices.Equal(all[0].times, []float64{12, 30}) || !slices.Equal(all[1].times, []float64{12, 20}) {
		t.Errorf("%v", all)
	}
}

// Whatever is pooled, times fall with cores and quantiles stay in order.
func TestPoolOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := make([]anchor, rapid.IntRange(1, 8).Draw(t, "anchors"))
		for i := range all {
			all[i].runs = float64(rapid.IntRange(1, 9).Draw(t, "runs"))
			all[i].times = rapid.SliceOfN(rapid.Float64Range(0, 100), 6, 6).Draw(t, "times")
			slices.Sort(all[i].times)
		}
		pool(all)
		for i := range all {
			for q, x := range all[i].times {
				if q > 0 && x < all[i].times[q-1]-1e-9 || i > 0 && x > all[i-1].times[q]+1e-9 {
					t.Fatalf("anchor %d, quantile %d: %v", i, q, all)
				}
			}
		}
	})
}

// Forecasts on 1 to 40 cores of runs on 4 and 8: no quantile and no chance says that more cores are slower. Where runs
// on 8 really took twice as long, forecasts and a warning say that.
func TestMoreCoresAreNotSlower(t *testing.T) {
	for _, slow := range []bool{false, true} {
		past := NewPast(DefaultOptions().Newest)
		for i := range 12 {
			run := waves(i)
			if i%2 == 1 {
				run.Guaranteed = 8
				for k := range run.Attempts {
					a := &run.Attempts[k]
					a.Start = run.Start
					if slow {
						a.Duration = 40e6
					}
					a.End = a.Start + 10e6
					if slow {
						a.End = a.Start + 40e6
					}
				}
				run.End = run.Attempts[0].End
			}
			past.Add(run)
		}
		var cores []int
		for n := range 40 {
			cores = append(cores, 40-n)
		}
		d := answer(t, past, DefaultOptions(), cores, 20.5)
		rose := false
		for i, c := range d.Tokens[1:] {
			few := d.Tokens[i]
			rises := c.P50S > few.P50S || c.P90S > few.P90S || c.P95S > few.P95S || c.Chance < few.Chance
			rose = rose || rises
			if rises && (!slow || c.Tokens <= 4 || few.Tokens >= 8) {
				t.Errorf("slow %v: %+v, %+v", slow, few, c)
			}
		}
		warned := slices.ContainsFunc(d.Warnings, func(w string) bool {
			return strings.Contains(w, "past runs took longer on 8 tokens than on 4")
		})
		if rose != slow || warned != slow {
			t.Errorf("slow %v: rose %v, warnings %q", slow, rose, d.Warnings)
		}
	}
}

// One task of 100, 110 or 120 s takes as long on any number of tokens: past runs on one, which say little of others, do
// not make forecasts for more shorter. Where a task is a program on all tokens of its run, it may be faster on more;
// nor is it bounded by runs of the same program on one token.
func TestOneTaskTakesAsLongOnAnyTokens(t *testing.T) {
	for _, program := range []bool{false, true} {
		past := NewPast(DefaultOptions().Newest)
		for i := range 12 {
			run := waves(i)
			run.Guaranteed = 1
			if program && i >= 6 {
				run.Guaranteed = 2
			}
			run.Attempts = run.Attempts[:1]
			a := &run.Attempts[0]
			a.Duration = trace.Duration(100e6 + 10e6*(i%3))
			a.End = a.Start + trace.Instant(a.Duration)
			a.Demand[trace.CPU] = float64(run.Guaranteed)
			run.Stages[0].Tasks, run.End = 1, a.End
			past.Add(run)
		}
		d := answer(t, past, DefaultOptions(), []int{2, 3, 8, 64}, 110)
		for _, c := range d.Tokens[1:] {
			same := c.P50S == d.Tokens[0].P50S && c.P90S == d.Tokens[0].P90S && c.P95S == d.Tokens[0].P95S
			if same == program {
				t.Errorf("program %v: %+v, on 2 tokens %+v", program, c, d.Tokens[0])
			}
		}
	}
}

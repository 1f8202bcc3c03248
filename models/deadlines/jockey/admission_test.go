package jockey

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// work is a job without a critical path: so many token-seconds, whatever the tokens up to its widest.
type work struct{ s, widest float64 }

func (w work) Remaining(progress, tokens, _ float64) float64 {
	return (1 - progress) * w.s / min(tokens, w.widest)
}

func cluster(tokens int, allocations ...int) Cluster {
	o := PaperOptions()
	o.Slack, o.DeadZoneS = 1, 0
	return Cluster{Tokens: tokens, Options: o, Allocations: allocations}
}

func contract(t testing.TB, s, widest, release, d float64) Contract {
	t.Helper()
	return Contract{Name: fmt.Sprint(s), Estimate: work{s, widest}, Utility: deadline(t, d), ReleaseS: release}
}

func TestCalendar(t *testing.T) {
	c := newCalendar(10)
	c.take(5, 8, 4)
	c.take(8, 9, 10)
	c.take(6, 7, 1)
	if fmt.Sprint(c.at, c.free) != "[0 5 6 7 8 9] [10 6 5 6 0 10]" {
		t.Errorf("%v %v", c.at, c.free)
	}
	for _, test := range []struct {
		release, forS float64
		tokens        int
		want          float64
	}{
		{0, 5, 10, 0}, {0, 5.5, 10, 9}, {1, 5, 6, 1}, {1, 5.5, 6, 9}, {1, 5, 5, 1}, {1, 7, 5, 1}, {1, 7.5, 5, 9},
		{6.5, 1, 5, 6.5}, {7.5, 0.25, 6, 7.5},
		{8, 0, 1, 9}, {20, 100, 10, 20}, {0, 1, 11, math.Inf(1)},
	} {
		if got := c.earliest(test.release, test.forS, test.tokens); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// A cluster of 10. A: 60 token-seconds until 20 s needs 3 tokens, 0-20. B: 80 until 10 s needs 8, which are not free
// beside A's 3: at once it ends at 80/7 with the 7 that are free, and 8 are free from 20 on: 30. Arranged anew: B with
// 8 0-10, A with 6 10-20 or with 2 0-30 too late: fits.
func TestAdmit(t *testing.T) {
	ctx := context.Background()
	c := cluster(10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	a := contract(t, 60, 10, 0, 20)
	first, err := c.Admit(ctx, nil, nil, a)
	if err != nil || !first.Fits || first.Rearranged || first.Grants[0] != (Grant{0, 20, 3, 1, false}) ||
		first.EarliestS != 6 {
		t.Fatalf("%+v, %v", first, err)
	}
	b := contract(t, 80, 10, 0, 10)
	second, err := c.Admit(ctx, []Contract{a}, first.Grants, b)
	if err != nil || !second.Fits || !second.Rearranged || math.Abs(second.EarliestS-80./7) > 1e-12 {
		t.Fatalf("%+v, %v", second, err)
	}
	if b := second.Grants[1]; b.Late || b.ToS > 10 {
		t.Errorf("%+v", second.Grants)
	}
	// A third, of 100 until 10 s, does not fit in any way: 60 + 80 + 100 > 200 until 20, and 180 > 100 until 10.
	third, err := c.Admit(ctx, []Contract{a, b}, second.Grants, contract(t, 100, 10, 0, 10))
	if err != nil || third.Fits || len(third.Grants) != 2 || third.EarliestS <= 10 {
		t.Errorf("%+v, %v", third, err)
	}
	// At 20 s all is free again.
	later, err := c.Admit(ctx, []Contract{a, b}, second.Grants, contract(t, 100, 10, 20, 30))
	if err != nil || !later.Fits || later.Rearranged || later.Grants[2].FromS != 20 || later.Grants[2].Tokens != 10 {
		t.Errorf("%+v, %v", later, err)
	}
}

func TestAdmitErrors(t *testing.T) {
	ctx := context.Background()
	a := contract(t, 60, 10, 0, 20)
	unknown := a
	unknown.Estimate = answer(func(_, _, _ float64) float64 { return math.NaN() })
	endless := a
	endless.Estimate = answer(func(_, _, _ float64) float64 { return math.Inf(1) })
	never := a
	never.ReleaseS = math.Inf(1)
	for name, err := range map[string]error{
		"grants of":      second(cluster(10).Admit(ctx, []Contract{a}, nil, a)),
		"more than 10":   second(cluster(10).Admit(ctx, []Contract{a}, []Grant{{0, 5, 11, 1, false}}, a)),
		"is not known":   second(cluster(10).Admit(ctx, nil, nil, unknown)),
		"none of":        second(cluster(10).Admit(ctx, nil, nil, endless)),
		"released at":    second(cluster(10).Admit(ctx, nil, nil, never)),
		"a cluster of 0": second(cluster(0).Admit(ctx, nil, nil, a)),
		"slack":          second(Cluster{Tokens: 3}.Admit(ctx, nil, nil, a)),
	} {
		if err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(name, "slack")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Two jobs of 100 token-seconds on 10 tokens, both until 10 s: one is given up. That with more to lose is in time.
func TestGiveUp(t *testing.T) {
	a := contract(t, 100, 10, 0, 10)
	b := a
	var err error
	if b.Utility, err = NewUtility(Knot{10, 100}, Knot{20, 0}); err != nil {
		t.Fatal(err)
	}
	got, err := cluster(10).Arrange(context.Background(), []Contract{a, b})
	if err != nil || !got.Exact || !slices.Equal(got.GivenUp, []int{0}) || got.Grants[1].ToS != 10 ||
		got.Grants[0].FromS != 10 {
		t.Errorf("%+v, %v", got, err)
	}
	// a ends at 20 s: 10 s late, worth 1 - 2 · 10/600.
	if want := 100 + 1 - 20./600; math.Abs(got.Utility-want) > 1e-9 || got.Bound != got.Utility {
		t.Errorf("utility %v, want %v; %+v", got.Utility, want, got)
	}
	if got, err := cluster(10).Arrange(context.Background(), nil); err != nil || !got.Exact || got.Utility != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := cluster(10).Arrange(ctx, []Contract{a, b}); err == nil {
		t.Error("no error of a search that was called off")
	}
}

// contracts draws jobs whose times are whole numbers.
func contracts(t *rapid.T, n int) []Contract {
	jobs := make([]Contract, n)
	for i := range jobs {
		times := map[float64]float64{1: float64(rapid.IntRange(2, 6).Draw(t, "with 1"))}
		times[2] = max(1, times[1]-float64(rapid.IntRange(0, 3).Draw(t, "less with 2")))
		times[3] = max(1, times[2]-float64(rapid.IntRange(0, 2).Draw(t, "less with 3")))
		d := float64(rapid.IntRange(1, 9).Draw(t, "deadline"))
		value := float64(rapid.IntRange(1, 5).Draw(t, "value"))
		u, err := NewUtility(Knot{d, value}, Knot{d + 2, 0},
			Knot{d + 10, -float64(rapid.IntRange(0, 5).Draw(t, "loss"))})
		if err != nil {
			t.Fatal(err)
		}
		jobs[i] = Contract{Name: fmt.Sprint(i), Utility: u, ReleaseS: float64(rapid.IntRange(-1, 4).Draw(t, "release")),
			Estimate: answer(func(_, tokens, _ float64) float64 { return times[tokens] })}
	}
	return jobs
}

// bruteForce tries every allocation of every job at every whole second.
func bruteForce(c Cluster, jobs []Contract, until int) float64 {
	var busy [64]int
	best := math.Inf(-1)
	var try func(j int, sum float64)
	try = func(j int, sum float64) {
		if j == len(jobs) {
			best = max(best, sum)
			return
		}
		for _, tokens := range c.Allocations {
			forS := int(jobs[j].Estimate.Remaining(0, float64(tokens), 1))
			for from := int(max(0, jobs[j].ReleaseS)); from+forS <= until; from++ {
				fits := true
				for _, n := range busy[from : from+forS] {
					fits = fits && n+tokens <= c.Tokens
				}
				if !fits {
					continue
				}
				for s := from; s < from+forS; s++ {
					busy[s] += tokens
				}
				try(j+1, sum+jobs[j].Utility.At(float64(from+forS)))
				for s := from; s < from+forS; s++ {
					busy[s] -= tokens
				}
			}
		}
	}
	try(0, 0)
	return best
}

func TestArrangeByBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := cluster(rapid.IntRange(3, 4).Draw(t, "tokens"), 1, 2, 3)
		jobs := contracts(t, rapid.IntRange(1, 3).Draw(t, "jobs"))
		got, err := c.Arrange(context.Background(), jobs)
		if err != nil {
			t.Fatal(err)
		}
		want := bruteForce(c, jobs, 6*len(jobs)+4)
		if !got.Exact || math.Abs(got.Utility-want) > 1e-6 {
			t.Fatalf("utility %v (exact: %v), by brute force %v", got.Utility, got.Exact, want)
		}
		valid(t, c, jobs, got)
	})
}

// valid checks an arrangement: what it says of itself, and that no more is granted than there is.
func valid(t *rapid.T, c Cluster, jobs []Contract, a Arrangement) {
	sum := 0.0
	for i, g := range a.Grants {
		held := 0
		for _, h := range a.Grants {
			if h.FromS <= g.FromS && g.FromS < h.ToS {
				held += h.Tokens
			}
		}
		if held > c.Tokens || g.FromS < jobs[i].ReleaseS || g.ToS != g.FromS+
			jobs[i].Estimate.Remaining(0, float64(g.Tokens), 1) {
			t.Fatalf("grant %d of %+v: %d tokens at once", i, a, held)
		}
		if g.Late != slices.Contains(a.GivenUp, i) || g.Late != (g.ToS > jobs[i].Utility.Target()) ||
			g.Utility != jobs[i].Utility.At(g.ToS) {
			t.Fatalf("grant %d of %+v", i, a)
		}
		sum += g.Utility
	}
	if math.Abs(sum-a.Utility) > 1e-6 || a.Utility > a.Bound+1e-6 {
		t.Fatalf("utility %v of %+v", sum, a)
	}
}

// A search that is cut short still gives an arrangement, no better than the best; twice the same gives the same.
func TestArrangeWithinBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := cluster(3, 1, 2, 3)
		jobs := contracts(t, 5)
		exact, err := c.Arrange(context.Background(), jobs)
		if err != nil {
			t.Fatal(err)
		}
		c.Budget = rapid.IntRange(1, 500).Draw(t, "budget")
		short, err := c.Arrange(context.Background(), jobs)
		if err != nil {
			t.Fatal(err)
		}
		valid(t, c, jobs, short)
		if short.Utility > exact.Utility+1e-6 || !exact.Exact {
			t.Fatalf("%+v is better than %+v", short, exact)
		}
		again, err := c.Arrange(context.Background(), jobs)
		if err != nil || !slices.Equal(again.Grants, short.Grants) {
			t.Fatalf("%+v, then %+v", short, again)
		}
	})
}

// BenchmarkArrange reports how long overloaded clusters take: 40 jobs, of which not all can be in time.
func BenchmarkArrange(b *testing.B) {
	var jobs []Contract
	for i := range 40 {
		jobs = append(jobs, contract(b, 20_000+1000*float64(i*7%13), 60, float64(i*37%100)*10, 1500+
			100*float64(i*11%17)))
	}
	c := cluster(300)
	for b.Loop() {
		a, err := c.Arrange(context.Background(), jobs)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(a.GivenUp)), "given-up")
		b.ReportMetric(a.Bound-a.Utility, "below-bound")
	}
}

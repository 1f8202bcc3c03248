package remaining

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// hand is C(p,a) = (1-p)·100 s/a on 1, 2 and 4 tokens, for the median; the quantile q% is q-50 hundredths of it more.
func hand() *Table {
	t := New(About{Job: "j", Method: Simulated}, []int32{1, 2, 4})
	for k, a := range t.Allocations {
		for i := range Steps {
			c := k*Steps + i
			middle := (1 - Progress(i)) * 100 / float64(a)
			for q := range t.Quantiles {
				t.Quantiles[q][c] = middle * (1 + (float64(q)-50)/100)
			}
			t.Mean[c], t.Samples[c] = middle, int64(10*(k+1))
		}
	}
	return t
}

func TestLookUp(t *testing.T) {
	table := hand()
	if err := table.Verify(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name                 string
		progress, tokens, q  float64
		want                 float64
		wantClamped, wantOff bool
	}{
		{"on the grid", 0, 2, .5, 50, false, false},
		{"progress is rounded down: that of 0.25", .2599, 2, .5, 37.5, false, false},
		{"half-way from 50 to 25", 0, 3, .5, 37.5, false, true},
		{"a quarter of the way from 100 to 50", 0, 1.25, .5, 87.5, false, true},
		{"the least is half of the median", 0, 4, 0, 12.5, false, false},
		{"the largest is half as much again", 0, 4, 1, 37.5, false, false},
		{"25·(1 + .405) between p90 and p91", 0, 4, .905, 35.125, false, false},
		{"p29, though .29·100 < 29 in floating point", 0, 1, .29, 79, false, false},
		{"half of the fewest tokens of the grid: at most twice as long", 0, .5, .5, 200, true, false},
		{"more tokens than the grid has", .5, 9, .5, 12.5, true, false},
		{"done", 1, 3, .9, 0, false, true},
		{"progress beyond 1", 1.1, 1, .9, 0, true, false},
		{"progress below 0", -.1, 1, .5, 100, true, false},
	} {
		p := table.At(test.progress, test.tokens)
		if got := p.Quantile(test.q); math.Abs(got-test.want) > 1e-9 || p.Clamped != test.wantClamped ||
			p.OffGrid != test.wantOff {
			t.Errorf("%s: %v s, clamped %v, off the grid %v; want %v, %v, %v", test.name, got, p.Clamped, p.OffGrid,
				test.want, test.wantClamped, test.wantOff)
		}
		if got := table.Remaining(test.progress, test.tokens, test.q); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: Remaining %v s, want %v", test.name, got, test.want)
		}
	}
	if p := table.At(.5, 3); p.Samples() != 20 || math.Abs(p.Mean()-18.75) > 1e-9 || p.Progress != .5 {
		t.Errorf("%d samples, mean %v at %v; want 20, the fewer of 20 and 30, and 18.75 at .5", p.Samples(), p.Mean(),
			p.Progress)
	}
	for _, x := range []float64{table.Remaining(math.NaN(), 1, .5), table.Remaining(0, math.NaN(), .5),
		table.Remaining(0, 1, 1.01), table.Remaining(1, 0, .5), table.Conditioned(State{}, 0, .5)} {
		if !math.IsNaN(x) {
			t.Errorf("got %v of what makes no sense, want NaN", x)
		}
	}
}

// On 1 token half of a run remains until it ends; on 2 and 4 nothing does from the first progress on.
func TestUnfinished(t *testing.T) {
	table := hand()
	for k := range table.Allocations {
		for i := 1; i < Steps; i++ {
			left := 0.
			if k == 0 && i <= 50 {
				left = 50
			}
			for q := range table.Quantiles {
				table.Quantiles[q][k*Steps+i] = left
			}
		}
	}
	for _, tc := range []struct{ progress, tokens, at, want float64 }{{.7, 1, .5, 50}, {.3, 1, .3, 50}, {.7, 4, 0, 25},
		{.7, 3, 0, 37.5}, {.3, 1.5, .3, 25}, {1, 4, 1, 0}, {0, 4, 0, 25}, {.7, .5, .5, 100}} {
		if p := table.At(tc.progress, tc.tokens).Unfinished(); p.Progress != tc.at || p.Quantile(.5) != tc.want {
			t.Errorf("%+v: %v s at %v", tc, p.Quantile(.5), p.Progress)
		}
	}
}

func TestSteps(t *testing.T) {
	for i := range Steps {
		p := Progress(i)
		if got := Step(p); got != i {
			t.Errorf("step of %v is %d, want %d", p, got, i)
		}
		if got := Step(math.Nextafter(p, 0)); i > 0 && got != i-1 {
			t.Errorf("step just below %v is %d, want %d", p, got, i-1)
		}
	}
}

// drawn is any table that may come of simulations: ascending quantiles, and nothing else.
func drawn(t *rapid.T) *Table {
	var grid []int32
	for range rapid.IntRange(1, 4).Draw(t, "allocations") {
		last := int32(0)
		if len(grid) > 0 {
			last = grid[len(grid)-1]
		}
		grid = append(grid, last+rapid.Int32Range(1, 5).Draw(t, "more tokens"))
	}
	table := New(About{}, grid)
	values := rapid.SliceOfN(rapid.Float64Range(0, 1000), Levels, Levels)
	seen := slices.Sorted(slices.Values(values.Draw(t, "values")))
	for c := range table.Cells() {
		if c%Steps == Steps-1 {
			continue // nothing remains
		}
		scale := rapid.Float64Range(0, 2).Draw(t, "scale")
		for q := range table.Quantiles {
			table.Quantiles[q][c] = scale * seen[q]
		}
		table.Mean[c], table.Samples[c] = scale*seen[50], 1
	}
	return table
}

// TestMonotone: the largest over all (q >= p, b >= a) of the known allocations; of the others likewise, but no more
// than the last known one says. Then the laws hold for look-ups, too.
func TestMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawn(t)
		before := slices.Clone(table.Quantiles[50])
		known := rapid.IntRange(0, len(table.Allocations)).Draw(t, "known")
		table.Monotonize(known)
		if err := table.Verify(); err != nil {
			t.Fatal(err)
		}
		c := rapid.IntRange(0, table.Cells()-1).Draw(t, "cell")
		largest := func(from, to int) (x float64) { // over allocations from one to another, at no less progress
			for k := from; k < to; k++ {
				x = max(x, slices.Max(before[k*Steps+c%Steps:(k+1)*Steps]))
			}
			return x
		}
		k, n := c/Steps, len(table.Allocations)
		var want float64
		switch {
		case k < known:
			want = largest(k, known)
		case known > 0:
			want = min(largest(k, n), largest(known-1, known))
		default:
			want = largest(k, n)
		}
		if got := table.Quantiles[50][c]; got != want {
			t.Fatalf("cell %d: %v, want %v", c, got, want)
		}
		unit := rapid.Float64Range(0, 1)
		p, q, a := unit.Draw(t, "p"), unit.Draw(t, "q"), rapid.Float64Range(0, 25).Draw(t, "a")
		x := table.Remaining(p, a, q)
		for what, y := range map[string]float64{
			"more progress": table.Remaining(p+(1-p)*unit.Draw(t, "more p"), a, q),
			"more tokens":   table.Remaining(p, a+10*unit.Draw(t, "more a"), q),
			"less quantile": table.Remaining(p, a, q*unit.Draw(t, "less q")),
		} {
			if y > x+1e-9 {
				t.Fatalf("%v s with %s, %v without", y, what, x)
			}
		}
	})
}

func TestBrokenLawsAreFound(t *testing.T) {
	for _, test := range []struct {
		want string
		do   func(*Table)
	}{
		{"0 allocations", func(t *Table) { t.Allocations = nil }},
		{"ascending", func(t *Table) { t.Allocations = []int32{1, 4, 2} }},
		{"ascending", func(t *Table) { t.Allocations = []int32{0, 2, 4} }},
		{"samples of", func(t *Table) { t.Samples = t.Samples[1:] }},
		{"times of", func(t *Table) { t.Quantiles[7] = t.Quantiles[7][1:] }},
		{"-1 samples", func(t *Table) { t.Samples[7] = -1 }},
		{"no samples", func(t *Table) { t.Samples[Steps] = 0 }},
		{"mean", func(t *Table) { t.Mean[3] = 1000 }},
		{"mean NaN", func(t *Table) { t.Mean[3] = math.NaN() }},
		{"want 0", func(t *Table) { t.Quantiles[Levels-1][Steps-1] = 1 }},
		{"p3 is NaN", func(t *Table) { t.Quantiles[3][3] = math.NaN() }},
		{"finite", func(t *Table) { t.Quantiles[Levels-1][0] = math.Inf(1) }},
		{"finite", func(t *Table) { t.Quantiles[0][0] = -1 }},
		{"want a finite time of at least", func(t *Table) { t.Quantiles[3][3] = t.Quantiles[2][3] - 1 }},
		{"mean", func(t *Table) { t.Mean[50] = t.Mean[49] + 1 }},
		{"with more tokens or progress", func(t *Table) { t.Quantiles[0][Steps] = t.Quantiles[0][0] + .1 }},
	} {
		table := hand()
		test.do(table)
		if err := table.Verify(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want an error with %q", err, test.want)
		}
	}
}

func BenchmarkRemaining(b *testing.B) {
	t := hand()
	sum, p := 0.0, 0.0
	for b.Loop() {
		p += .37
		if p > 1 {
			p--
		}
		sum += t.Remaining(p, 1+3*p, .9)
	}
	if sum == 0 {
		b.Fatal("nothing remains")
	}
}

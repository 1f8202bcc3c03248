package lmg

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// adjusted regresses y on columns by a QR decomposition and returns the adjusted R².
func adjusted(y []float64, columns [][]float64) float64 {
	n, p := len(y), len(columns)
	x := mat.NewDense(n, p+1, nil)
	for i := range n {
		x.Set(i, 0, 1)
		for j, c := range columns {
			x.Set(i, j+1, c[i])
		}
	}
	var qr mat.QR
	qr.Factorize(x)
	var beta mat.VecDense
	if err := qr.SolveVecTo(&beta, false, mat.NewVecDense(n, y)); err != nil {
		panic(err)
	}
	var fit mat.VecDense
	fit.MulVec(x, &beta)
	var mean, left, all float64
	for _, v := range y {
		mean += v / float64(n)
	}
	for i, v := range y {
		left += (v - fit.AtVec(i)) * (v - fit.AtVec(i))
		all += (v - mean) * (v - mean)
	}
	return 1 - left/all*float64(n-1)/float64(n-1-p)
}

// sharesSlow adds causes in every order, with a regression from scratch after each.
func sharesSlow(y []float64, causes []Cause) []float64 {
	shares, orders := make([]float64, len(causes)), 0.0
	var walk func(order []int)
	walk = func(order []int) {
		if len(order) == len(causes) {
			orders++
			var columns [][]float64
			before := 0.0
			for _, c := range order {
				columns = append(columns, causes[c].Columns...)
				now := adjusted(y, columns)
				shares[c] += now - before
				before = now
			}
			return
		}
	next:
		for c := range causes {
			for _, o := range order {
				if o == c {
					continue next
				}
			}
			walk(append(order[:len(order):len(order)], c))
		}
	}
	walk(nil)
	var all [][]float64
	for i := range shares {
		shares[i] /= orders
		all = append(all, causes[i].Columns...)
	}
	settle(shares, adjusted(y, all))
	return shares
}

func TestAgainstEveryOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(14, 40).Draw(t, "observations")
		common := normal(rng, n) // so that causes go together
		y := normal(rng, n)
		var causes []Cause
		for range rapid.IntRange(1, 4).Draw(t, "causes") {
			var c Cause
			strength := rapid.Float64Range(0, 2).Draw(t, "strength")
			for range rapid.IntRange(1, 2).Draw(t, "columns") {
				column := normal(rng, n)
				for i := range column {
					column[i] = 1000 + 5*(column[i]+common[i])
					y[i] += strength * column[i] / 5
				}
				c.Columns = append(c.Columns, column)
			}
			causes = append(causes, c)
		}
		got, want := Shares(y, causes), sharesSlow(y, causes)
		var sum float64
		var columns [][]float64
		for _, c := range causes {
			columns = append(columns, c.Columns...)
		}
		if got, want := Explained(y, causes), max(0, adjusted(y, columns)); math.Abs(got-want) > 1e-6 {
			t.Errorf("together they explain %v, want %v", got, want)
		}
		for i := range got {
			sum += got[i]
			if math.Abs(got[i]-want[i]) > 1e-6 {
				t.Errorf("shares %v, want %v", got, want)
			}
			if !(got[i] >= 0) {
				t.Errorf("share %v", got[i])
			}
		}
		if sum > 1+1e-12 {
			t.Errorf("shares add up to %v", sum)
		}
	})
}

func normal(rng *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = rng.NormFloat64()
	}
	return out
}

// Eight observations of y = 2a + b, where a and b are +1 or -1 and do not go together: of the variance, 4/5 is a's and
// 1/5 b's.
//
//	alone: R² of a 4/5, adjusted 1 - 1/5 x 7/6 = 23/30; of b 1/5, adjusted 1 - 4/5 x 7/6 = 2/30; of both 1
//	a: (23/30 + 1 - 2/30) / 2 = 51/60 = 0.85; b: (2/30 + 1 - 23/30) / 2 = 9/60 = 0.15
//
// With c, which is neither in y nor goes with the others: adjusted R² of c alone 1 - 7/6 = -1/6, of a and c 1 - 1/5 x
// 7/5 = 18/25, of b and c 1 - 4/5 x 7/5 = -3/25, of all 1.
//
//	c: (-1/6) / 3 + (18/25 - 23/30 + (-3/25 - 2/30)) / 6 + 0 / 3 = -0.0944...: set to 0
//	a: (23/30) / 3 + (1 - 2/30 + 18/25 + 1/6) / 6 + (1 + 3/25) / 3 = 0.9322...; b likewise 0.1622...; divided by their sum
func TestHandWorked(t *testing.T) {
	a := []float64{1, 1, 1, 1, -1, -1, -1, -1}
	b := []float64{1, 1, -1, -1, 1, 1, -1, -1}
	c := []float64{1, -1, 1, -1, 1, -1, 1, -1}
	y := make([]float64, 8)
	for i := range y {
		y[i] = 2*a[i] + b[i]
	}
	three := []float64{
		23.0/90 + (1-2.0/30+18.0/25+1.0/6)/6 + (1+3.0/25)/3,
		2.0/90 + (1-23.0/30-3.0/25+1.0/6)/6 + (1-18.0/25)/3, 0,
	}
	sum := three[0] + three[1]
	for _, test := range []struct {
		name   string
		causes []Cause
		want   []float64
	}{
		{"two", []Cause{{Columns: [][]float64{a}}, {Columns: [][]float64{b}}}, []float64{0.85, 0.15}},
		{"three", []Cause{{Columns: [][]float64{a}}, {Columns: [][]float64{b}}, {Columns: [][]float64{c}}},
			[]float64{three[0] / sum, three[1] / sum, 0}},
		{"together", []Cause{{Columns: [][]float64{a, b}}}, []float64{1}},
		{"one that does not vary", []Cause{{Columns: [][]float64{a}}, {Columns: [][]float64{{3, 3, 3, 3, 3, 3, 3, 3}}}},
			[]float64{23.0 / 30, 0}},
		// The same column twice: each has half of what it explains, and the second is no parameter more.
		{"the same twice", []Cause{{Columns: [][]float64{a}}, {Columns: [][]float64{a}}},
			[]float64{23.0 / 60, 23.0 / 60}},
		// a as the means of three groups, two parameters: 1 - 1/5 x 7/5.
		{"group means", []Cause{{Columns: [][]float64{a}, Parameters: 2}}, []float64{18.0 / 25}},
	} {
		got := Shares(y, test.causes)
		for i, want := range test.want {
			if math.Abs(got[i]-want) > 1e-12 {
				t.Errorf("%s: %v, want %v", test.name, got, test.want)
				break
			}
		}
	}
	if got := Shares(a[:4], []Cause{{Columns: [][]float64{b[:4]}}}); got[0] != 0 {
		t.Errorf("%v of a quantity that does not vary is explained", got[0])
	}
}

// What has no influence gets, on average, next to nothing, however few the observations: that is what the adjustment is
// for. The mean of a share that is never negative is not 0; without the adjustment two columns would get 2/17 of 18
// observations.
func TestNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var sum float64
	const times = 2000
	for range times {
		y := normal(rng, 18)
		for _, s := range Shares(y, []Cause{{Columns: [][]float64{normal(rng, 18)}},
			{Columns: [][]float64{normal(rng, 18)}}}) {
			sum += s / times
		}
	}
	if sum > 0.06 {
		t.Errorf("two causes without influence explain %.3f of the variance", sum)
	}
}

func BenchmarkShares(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	y := normal(rng, 50)
	var causes []Cause
	for i := range 8 {
		c := Cause{Columns: [][]float64{normal(rng, 50)}}
		if i > 5 {
			c.Columns = append(c.Columns, normal(rng, 50))
		}
		causes = append(causes, c)
	}
	n := 0
	for b.Loop() {
		Shares(y, causes)
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "jobs/s")
}

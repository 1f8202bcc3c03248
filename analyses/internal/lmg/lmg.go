// Package lmg divides the variance of a quantity among its causes. The share of a cause is its gain in a linear
// regression, averaged over all orders in which the causes can be added. It is the measure of R. H. Lindeman, P.
// F. Merenda and R. Z. Gold ("Introduction to Bivariate and Multivariate Analysis", 1980), called lmg by U.
// Grömping ("Estimators of Relative Importance in Linear Regression Based on Variance Decomposition", The
// American Statistician 61(2), 2007), and the Shapley value of the game whose players are the causes. Correlated
// causes share their joint explanation, and the shares add up.
//
// The gain of a regression is measured in adjusted R², 1 - (1 - R²)(n-1)/(n-1-p) for n observations and p parameters. A
// cause without influence leaves it at 0 on average, whereas plain R² grows by 1/(n-1) with every parameter. So chance
// can make the gain of a cause negative; such a share is set to 0, and the others are scaled so that they still add up
// to the adjusted R² of all causes, or to 0 where that is negative, too.
package lmg

import (
	"math"
	"math/bits"
)

// MaxCauses bounds the number of causes: the time doubles with each.
const MaxCauses = 16

// tolerance is the share of a column's variance that must be left, given the columns before it, for it to count.
const tolerance = 1e-9

// Cause is something that may explain a quantity: one column of values per observation, or several that belong
// together.
type Cause struct {
	Columns [][]float64
	// Parameters is the number of parameters that the columns stand for, where that is more than their number: a column
	// of group means of k groups stands for k-1.
	Parameters int
}

// Shares returns the share of the variance of y that each cause explains, in [0, 1]; the unexplained share is 1
// - their sum. All columns are as long as y. Values must be finite. There must be at most [MaxCauses] causes,
// and at least two more observations than parameters; anything else is a programming error and panics. A column
// that is constant, or a combination of others in its set, adds nothing and counts as no parameter. If y is
// constant, all shares are 0.
//
// Time O(n p² + 2^causes p²) for n observations and p columns.
func Shares(y []float64, causes []Cause) []float64 {
	g := newGame(y, causes)
	g.value = make([]float64, 1<<len(causes))
	g.play(0, 0, state{})
	shares := make([]float64, len(causes))
	for i := range causes {
		for set := range g.value {
			if set&(1<<i) == 0 {
				shares[i] += g.weight(bits.OnesCount(uint(set))) * (g.value[set|1<<i] - g.value[set])
			}
		}
	}
	settle(shares, g.value[len(g.value)-1])
	return shares
}

// Explained returns the adjusted R² of all causes together, or 0 if that is negative. The requirements of
// [Shares] apply. Time O(n p² + p³).
func Explained(y []float64, causes []Cause) float64 {
	g := newGame(y, causes)
	var s state
	for i := range causes {
		g.take(&s, i)
	}
	return min(1, max(0, g.adjusted(s)))
}

// settle sets negative shares to 0 and scales the others so that they add up to all, or to 0 where that is negative.
func settle(shares []float64, all float64) {
	var sum float64
	for i, s := range shares {
		shares[i] = max(0, s)
		sum += shares[i]
	}
	if sum == 0 {
		return
	}
	for i := range shares {
		shares[i] *= min(1, max(0, all)) / sum
	}
}

// game holds the correlations of the columns with each other and with y, and the adjusted R² of every set of causes.
type game struct {
	n      int
	causes []Cause
	first  []int       // first column of each cause
	among  [][]float64 // correlations of columns
	with   []float64   // of columns with y
	varies []bool
	value  []float64 // by set of causes, as bits

	columns []int       // of the regression at hand
	rows    [][]float64 // of the Cholesky factor of their correlations
	z       []float64   // correlations of y with them, without the part explained by earlier columns
}

func newGame(y []float64, causes []Cause) *game {
	columns, parameters := 0, 0
	for _, c := range causes {
		columns += len(c.Columns)
		parameters += max(len(c.Columns), c.Parameters)
	}
	if len(causes) > MaxCauses || len(y) < parameters+2 {
		panic("lmg: too many causes, or too few observations")
	}
	g := &game{
		n: len(y), causes: causes, with: make([]float64, columns), varies: make([]bool, columns),
		columns: make([]int, columns), z: make([]float64, columns),
	}
	target, yVaries := standardised(y)
	all := make([][]float64, 0, columns)
	for _, c := range causes {
		g.first = append(g.first, len(all))
		for _, column := range c.Columns {
			s, varies := standardised(column)
			g.varies[len(all)] = varies && yVaries
			all = append(all, s)
		}
	}
	g.among, g.rows = make([][]float64, columns), make([][]float64, columns)
	for i := range all {
		g.rows[i] = make([]float64, columns)
		g.with[i] = dot(all[i], target)
		g.among[i] = make([]float64, columns)
		for j := range all {
			g.among[i][j] = dot(all[i], all[j])
		}
	}
	return g
}

// standardised returns values less their mean, of unit length, and whether they vary.
func standardised(values []float64) ([]float64, bool) {
	var mean, squares float64
	for _, v := range values {
		mean += v / float64(len(values))
	}
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v - mean
		squares += out[i] * out[i]
	}
	length := math.Sqrt(squares)
	if !(length > 1e-12*math.Sqrt(float64(len(values)))*(math.Abs(mean)+math.SmallestNonzeroFloat64)) {
		return make([]float64, len(values)), false
	}
	for i := range out {
		out[i] /= length
	}
	return out, true
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// state is a regression on some columns. The columns themselves are a stack in the game: sets are visited depth first.
type state struct {
	depth      int     // columns
	explained  float64 // R²
	parameters int
}

// play fills in the value of every set that holds set and causes from number cause on.
func (g *game) play(cause, set int, s state) {
	if cause == len(g.causes) {
		g.value[set] = g.adjusted(s)
		return
	}
	g.play(cause+1, set, s)
	g.take(&s, cause)
	g.play(cause+1, set|1<<cause, s)
}

// take adds the columns of a cause to a regression.
func (g *game) take(s *state, cause int) {
	c := &g.causes[cause]
	added := 0
	for k := range c.Columns {
		if g.add(s, g.first[cause]+k) {
			added++
		}
	}
	if added > 0 {
		s.parameters += added + max(0, c.Parameters-len(c.Columns))
	}
}

// adjusted returns the adjusted R² of a regression.
func (g *game) adjusted(s state) float64 {
	return 1 - (1-min(1, s.explained))*float64(g.n-1)/float64(g.n-1-s.parameters)
}

// add adds a column to a regression, as a row of the Cholesky factor of the correlations, unless it is a combination of
// the others.
func (g *game) add(s *state, column int) bool {
	if !g.varies[column] {
		return false
	}
	row := g.rows[s.depth]
	left, z := 1.0, g.with[column]
	for i, other := range g.columns[:s.depth] {
		row[i] = (g.among[column][other] - dot(row[:i], g.rows[i])) / g.rows[i][i]
		left -= row[i] * row[i]
		z -= row[i] * g.z[i]
	}
	if left < tolerance {
		return false
	}
	row[s.depth] = math.Sqrt(left)
	g.z[s.depth], g.columns[s.depth] = z/row[s.depth], column
	s.explained += g.z[s.depth] * g.z[s.depth]
	s.depth++
	return true
}

// weight is the share of the orders of all causes in which a given set of a given size comes first, followed by
// a given cause.
func (g *game) weight(size int) float64 {
	w := 1 / float64(len(g.causes))
	for i := 1; i <= size; i++ { // 1 / (causes x (causes-1 over size))
		w *= float64(i) / float64(len(g.causes)-i)
	}
	return w
}

package law

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// workspace is memory that the hypotheses of a fit use one after the other, as there are thousands.
type workspace struct {
	covariance     []float64
	z, older, rest []float64
	standardised
}

func newWorkspace(runs, levels int) workspace {
	w := workspace{covariance: make([]float64, runs*runs)}
	w.factor = factor{make([]float64, runs*(runs+1)/2), runs}
	for _, of := range []*[]float64{&w.y, &w.base, &w.input, &w.tokens, &w.bends, &w.z, &w.older, &w.rest} {
		*of = make([]float64, runs)
	}
	w.marks = make([]marked, levels)
	for i := range w.marks {
		w.marks[i].mark = make([]float64, runs)
	}
	return w
}

// standardised is a series standardised by a covariance: by its factor, one run after the other.
type standardised struct {
	shared
	factor
	y, base, input, tokens, bends []float64 // zeros where a series has none
	marks                         []marked  // by level
}

// standardise standardises the series by a covariance, in memory of the workspace. ok is false if that is none.
func (f *fit) standardise(c shared, w *workspace) (x standardised, ok bool) {
	s, n := f.s, len(f.s.y)
	k := s.covariance(f.terms, c, w.covariance)
	for i := range n {
		k.Data[i*k.Stride+i] += c.noise(s.noise[i], s.scatter[i])
	}
	root, ok := lapack64.Potrf(k)
	if !ok {
		return x, false
	}
	x = w.standardised
	x.shared = c
	for i := range n {
		copy(x.row(i), root.Data[i*root.Stride+i:i*root.Stride+n])
	}
	x.solve(s.y, x.y)
	for _, of := range []struct {
		feature *feature
		into    []float64
	}{{&s.base, x.base}, {&s.input, x.input}, {&s.tokens, x.tokens}, {&s.bends, x.bends}} {
		if of.feature.known() {
			x.solve(of.feature.values, of.into)
		}
	}
	return x, true
}

// noise returns the variance of a run's noise; scatter is its factor where the noise is the luck of tasks.
func (c *shared) noise(variance, scatter float64) float64 {
	if byScatter[c.scatter] {
		return variance * scatter
	}
	return variance
}

// clone copies the used levels, and all else, out of the workspace.
func (x *standardised) clone() standardised {
	out := *x
	out.upper = slices.Clone(x.upper)
	for _, of := range []*[]float64{&out.y, &out.base, &out.input, &out.tokens, &out.bends} {
		*of = slices.Clone(*of)
	}
	out.marks = slices.Clone(x.marks)
	for i := range out.marks {
		if m := &out.marks[i]; m.used {
			m.mark = slices.Clone(m.mark)
		} else {
			m.mark = nil
		}
	}
	return out
}

// residuals returns the standardised distances of past runs from slopes, in z, and the degrees of freedom that expected
// times lose.
func (f *fit) residuals(of *standardised, input, tokens slope, z []float64) (out []float64, lost float64) {
	s := f.s
	copy(z, of.y)
	if tokens.expected {
		for i := range z {
			z[i] -= of.base[i]
		}
		lost = s.lost
	}
	if s.input.known() {
		for i := range z {
			z[i] -= input.mean * of.input[i]
		}
	}
	if s.tokens.known() {
		for i := range z {
			z[i] -= tokens.mean*of.tokens[i] + tokens.bend*of.bends[i]
		}
	}
	return z, lost
}

// factor is the upper Cholesky factor of a covariance of n past runs: its rows from the diagonal on.
type factor struct {
	upper []float64
	n     int
}

// row returns row i from the diagonal on.
func (r *factor) row(i int) []float64 {
	from := i*r.n - i*(i-1)/2
	return r.upper[from : from+r.n-i]
}

// solve standardises the values of past runs, one after the other, into z.
func (r *factor) solve(y, z []float64) {
	copy(z, y)
	r.eliminate(z, 0)
}

// eliminate standardises the values of the runs from from on, after those before.
func (r *factor) eliminate(z []float64, from int) {
	for j := from; j < r.n; j++ {
		row := r.row(j)
		z[j] /= row[0]
		floats.AddScaled(z[j+1:], -z[j], row[1:])
	}
}

// marked is a level under one covariance.
type marked struct {
	*level
	mark   []float64 // standardised coefficients of the level in past runs
	shrink float64   // size over 1 + size times the sum of squares of mark
	first  float64   // by how much the variance of the first run grows
	log    float64   // added to the logarithm of the determinant
	used   bool      // by a likely hypothesis
}

// mark fills in the marks of all levels under a covariance. The levels of the older runs follow each other by their
// number of runs, and share the elimination of these.
func (f *fit) mark(of *standardised, w *workspace) {
	r, older, rest, at := &of.factor, w.older, w.rest, 0 // runs before at are done; later ones are 1, or 0
	for i := range older {
		older[i], rest[i] = 1, 0
	}
	for i := range f.levels {
		x, m := &f.levels[i], &of.marks[i]
		m.level, m.used = x, false
		if x.older() {
			for ; at < x.to; at++ {
				row := r.row(at)
				older[at] /= row[0]
				floats.AddScaled(older[at+1:], -older[at], row[1:])
				floats.AddScaled(rest[at+1:], -older[at], row[1:])
			}
			copy(m.mark, older[:at])
			copy(m.mark[at:], rest[at:])
			r.eliminate(m.mark, at)
		} else {
			for k := range m.mark {
				m.mark[k] = x.mark(k)
			}
			r.eliminate(m.mark, x.from)
		}
		size, squares := x.size(), dot(m.mark, m.mark)
		m.first = 1 + size*m.mark[0]*m.mark[0]
		m.shrink = size / (1 + size*squares)
		m.log = (math.Log(m.first) - math.Log(1+size*squares)) / 2
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

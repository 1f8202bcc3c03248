package law

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// workspace is memory that the hypotheses of a fit use one after the other, as there are thousands.
type workspace struct {
	covariance                       []float64
	y, base, input, tokens, bends, z []float64
	next, older, rest                []float64
	marks                            []marked
}

func newWorkspace(runs, levels int) workspace {
	w := workspace{covariance: make([]float64, (runs+1)*(runs+1)), marks: make([]marked, levels)}
	for _, of := range []*[]float64{&w.y, &w.base, &w.input, &w.tokens, &w.bends, &w.z, &w.next, &w.older, &w.rest} {
		*of = make([]float64, runs)
	}
	for i := range w.marks {
		w.marks[i].mark = make([]float64, runs)
	}
	return w
}

// standardised is a series standardised by a covariance: by its factor, one run after the other. It is valid until the
// next one is made in the same workspace.
type standardised struct {
	factor
	y, base, input, tokens, bends []float64 // nil where a series has none
	next                          []float64 // standardised covariances of the next run with past runs
	spread                        float64   // of the next run given past ones, in units of the noise
}

// standardise standardises the series by a covariance. ok is false if that is none.
func (f *fit) standardise(c shared) (x standardised, ok bool) {
	s, n, w := f.s, len(f.s.y), &f.work
	k := s.covariance(f.terms, c, w.covariance)
	for i := range n {
		noise := s.noise[i]
		if byScatter[c.scatter] {
			noise *= s.scatter[i]
		}
		k.Data[i*k.Stride+i] += noise
	}
	k.Data[len(k.Data)-1]++
	root, ok := lapack64.Potrf(k)
	if !ok {
		return x, false
	}
	x.factor = factor{root, n}
	x.y = x.solve(s.y, w.y)
	if s.base != nil {
		x.base = x.solve(s.base, w.base)
	}
	if s.input != nil {
		x.input = x.solve(s.input, w.input)
	}
	if s.tokens != nil {
		x.tokens, x.bends = x.solve(s.tokens, w.tokens), x.solve(s.bends, w.bends)
	}
	x.next = w.next
	for i := range x.next {
		x.next[i] = root.Data[i*root.Stride+n]
	}
	x.spread = root.Data[len(root.Data)-1]
	return x, true
}

// residuals returns the standardised distances of past runs from slopes, in memory of the workspace. It also returns
// the logarithm of the next run's time by these slopes, and the degrees of freedom that expected times lose.
func (f *fit) residuals(of *standardised, input, tokens slope) (z []float64, middle, lost float64) {
	s, n := f.s, of.n
	z, middle = f.work.z, s.mean
	copy(z, of.y)
	if tokens.expected {
		middle += s.base[n]
		for i := range z {
			z[i] -= of.base[i]
		}
		lost = s.lost
	}
	if s.input != nil {
		middle += input.mean * s.input[n]
		for i := range z {
			z[i] -= input.mean * of.input[i]
		}
	}
	if s.tokens != nil {
		middle += tokens.mean*s.tokens[n] + tokens.bend*s.bends[n]
		for i := range z {
			z[i] -= tokens.mean*of.tokens[i] + tokens.bend*of.bends[i]
		}
	}
	return z, middle, lost
}

// factor is the upper Cholesky factor of the covariance of n past runs and the next one.
type factor struct {
	root blas64.Triangular
	n    int
}

// row returns row i, without the column of the next run.
func (r *factor) row(i int) []float64 { return r.root.Data[i*r.root.Stride : i*r.root.Stride+r.n] }

// solve standardises the values of past runs, one after the other, into z.
func (r *factor) solve(y, z []float64) []float64 {
	copy(z, y)
	r.eliminate(z, 0)
	return z
}

// eliminate standardises the values of the runs from from on, after those before.
func (r *factor) eliminate(z []float64, from int) {
	for j := from; j < r.n; j++ {
		row := r.row(j)
		z[j] /= row[j]
		floats.AddScaled(z[j+1:], -z[j], row[j+1:])
	}
}

// marked is a level under one covariance.
type marked struct {
	*level
	mark   []float64 // standardised coefficients of the level in past runs
	next   float64   // its standardised coefficient in the next run
	shrink float64   // size over 1 + size times the sum of squares of mark
	first  float64   // by how much the variance of the first run grows
	spread float64   // of the next run
	log    float64   // added to the logarithm of the determinant
}

// mark fills in the marks of all levels under a covariance. The levels of the older runs follow each other by their
// number of runs, and share the elimination of these.
func (f *fit) mark(of *standardised) {
	r, older, rest, at := &of.factor, f.work.older, f.work.rest, 0 // runs before at are done; later ones are 1, or 0
	for i := range older {
		older[i], rest[i] = 1, 0
	}
	for i := range f.levels {
		x, m := &f.levels[i], &f.work.marks[i]
		m.level = x
		if x.from == 0 && x.trend == 0 {
			for ; at < x.to; at++ {
				row := r.row(at)
				older[at] /= row[at]
				floats.AddScaled(older[at+1:], -older[at], row[at+1:])
				floats.AddScaled(rest[at+1:], -older[at], row[at+1:])
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
		m.next, m.first = x.mark(r.n)-dot(m.mark, of.next), 1+size*m.mark[0]*m.mark[0]
		m.shrink = size / (1 + size*squares)
		m.spread = math.Sqrt(of.spread*of.spread + m.shrink*m.next*m.next)
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

package health

import (
	"strings"

	"racecard/datasets/trace"
)

// extremes keeps the runs with the first (sign -1) or last (+1) instants.
type extremes struct {
	sign int64
	runs []extreme
}

type extreme struct {
	run string
	at  trace.Instant
}

func (x *extremes) see(run string, at trace.Instant) { x.insert(extreme{run, at}) }

func (x *extremes) insert(e extreme) {
	n := len(x.runs)
	if n == maxExamples && !x.beyond(e.at, x.runs[n-1].at) {
		return
	}
	if n == maxExamples {
		x.runs = x.runs[:n-1]
	}
	i := len(x.runs)
	x.runs = append(x.runs, extreme{})
	for i > 0 && x.beyond(e.at, x.runs[i-1].at) {
		x.runs[i] = x.runs[i-1]
		i--
	}
	x.runs[i] = extreme{strings.Clone(e.run), e.at}
}

func (x *extremes) beyond(a, b trace.Instant) bool { return x.sign*int64(a) > x.sign*int64(b) }

func (x *extremes) merge(y *extremes) {
	for _, e := range y.runs {
		x.insert(e)
	}
}

// pile counts the runs at the first (sign -1) or last (+1) of some instants.
type pile struct {
	sign int64
	of   int64
	at   trace.Instant
	n    int64
	runs []string // the first few
}

func (x *pile) see(run string, at trace.Instant) {
	if !inRange(at) {
		return
	}
	x.of++
	switch d := x.sign * int64(at-x.at); {
	case x.n == 0 || d > 0:
		x.at, x.n, x.runs = at, 1, append(x.runs[:0], strings.Clone(run))
	case d == 0:
		x.n++
		if len(x.runs) < maxExamples {
			x.runs = append(x.runs, strings.Clone(run))
		}
	}
}

func (x *pile) merge(y *pile) {
	of := x.of + y.of
	switch d := x.sign * int64(y.at-x.at); {
	case y.n == 0:
	case x.n == 0 || d > 0:
		*x = *y
	case d == 0:
		x.n += y.n
		x.runs = append(x.runs, y.runs...)
		x.runs = x.runs[:min(len(x.runs), maxExamples)]
	}
	x.of = of
}

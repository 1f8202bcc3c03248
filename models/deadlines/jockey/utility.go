package jockey

import (
	"fmt"
	"math"
	"slices"
)

// Knot is a point of a [Utility].
type Knot struct{ AtS, Value float64 }

// Utility is the worth of a job's end some seconds after its start: linear between knots, constant before the
// first knot, and continuing along the last piece. It never rises: a later end is never worth more. The zero
// Utility is 0 for any end. A Utility is never modified.
type Utility struct {
	knots  []Knot
	target float64
}

// NewUtility makes a utility of at least one knot, at ascending times and with values that do not rise.
func NewUtility(knots ...Knot) (Utility, error) {
	if len(knots) == 0 {
		return Utility{}, fmt.Errorf("utility: no knots")
	}
	u := Utility{knots: slices.Clone(knots), target: math.Inf(1)}
	for i, k := range knots {
		if math.IsNaN(k.AtS) || math.IsInf(k.AtS, 0) || math.IsNaN(k.Value) || math.IsInf(k.Value, 0) {
			return Utility{}, fmt.Errorf("utility: knot %d: %v at %v s; want finite numbers", i, k.Value, k.AtS)
		}
		if i == 0 {
			continue
		}
		switch last := knots[i-1]; {
		case k.AtS <= last.AtS:
			return Utility{}, fmt.Errorf("utility: knot %d at %v s is not after the one at %v s", i, k.AtS, last.AtS)
		case k.Value > last.Value:
			return Utility{}, fmt.Errorf("utility: knot %d: %v after %v; to end later must not be worth more", i,
				k.Value, last.Value)
		case k.Value < last.Value && math.IsInf(u.target, 1):
			u.target = last.AtS
		}
	}
	return u, nil
}

// Deadline is the utility of the paper's experiments for a deadline, in seconds since the job's start: 1 up to
// it, -1 ten minutes later, -1000 a thousand minutes later, and falling on, so that the earlier of two late ends
// is always worth more. A deadline in the past is not positive.
func Deadline(s float64) (Utility, error) {
	u, err := NewUtility(Knot{s, 1}, Knot{s + 600, -1}, Knot{s + 60_000, -1000})
	if err != nil {
		return Utility{}, fmt.Errorf("deadline of %v s: %w", s, err)
	}
	return u, nil
}

// Target is the latest end that is worth as much as the earliest: the deadline of [Deadline]; infinite for a constant.
func (u Utility) Target() float64 {
	if len(u.knots) == 0 {
		return math.Inf(1)
	}
	return u.target
}

// At is the worth of an end at s seconds; NaN for NaN.
func (u Utility) At(s float64) float64 {
	last := len(u.knots) - 1
	switch {
	case math.IsNaN(s):
		return s
	case last < 0:
		return 0
	case last == 0 || s <= u.knots[0].AtS:
		return u.knots[0].Value
	}
	i := 1
	for i < last && s > u.knots[i].AtS {
		i++
	}
	a, b := u.knots[i-1], u.knots[i]
	if a.Value == b.Value { // also for ever
		return a.Value
	}
	return a.Value + (b.Value-a.Value)*((s-a.AtS)/(b.AtS-a.AtS))
}

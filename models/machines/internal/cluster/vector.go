package cluster

import (
	"math"

	"racecard/datasets/trace"
)

// Vector is an amount of every resource, in quanta; 0 of a resource that is not modelled. Amounts lie between minus
// [Most] and Most.
type Vector [trace.NumResources]int64

// Most is the largest amount: the difference of two amounts is a number, too.
const Most = math.MaxInt64 / 2

// Fits reports whether v is at most room, in every resource. Replays spend much of their time here. Processors cannot
// predict whether a demand fits. So there is no branch per resource, but one test of the signs of all differences.
func (v *Vector) Fits(room *Vector) bool {
	return (room[0]-v[0])|(room[1]-v[1])|(room[2]-v[2])|(room[3]-v[3])|(room[4]-v[4])|(room[5]-v[5])|(room[6]-v[6]) >= 0
}

var _ = [1]struct{}{}[trace.NumResources-7] // Fits compares each

// Add adds n times w.
func (v *Vector) Add(w *Vector, n int64) {
	for r, x := range w {
		v[r] += n * x
	}
}

// Lower lowers v to w where w is less.
func (v *Vector) Lower(w *Vector) {
	for r, x := range w {
		v[r] = min(v[r], x)
	}
}

// Raise raises v to w where w is more.
func (v *Vector) Raise(w *Vector) {
	for r, x := range w {
		v[r] = max(v[r], x)
	}
}

// Times returns how many times v fits into room, at most n.
func (v *Vector) Times(room *Vector, n int64) int64 {
	for r, x := range v {
		if x > 0 && n*x > room[r] {
			if room[r] < x {
				return 0
			}
			n = room[r] / x
		}
	}
	return n
}

// Zero reports whether v is nothing.
func (v *Vector) Zero() bool { return *v == Vector{} }

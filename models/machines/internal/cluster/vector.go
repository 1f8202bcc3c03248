package cluster

import "racecard/datasets/trace"

// Vector is an amount of every resource, in quanta; 0 of a resource that is not modelled.
type Vector [trace.NumResources]int64

// Fits reports whether v is at most room, in every resource.
func (v *Vector) Fits(room *Vector) bool {
	for r, x := range v {
		if x > room[r] {
			return false
		}
	}
	return true
}

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

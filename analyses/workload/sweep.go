package workload

import (
	"slices"

	"racecard/datasets/fault"
	"racecard/datasets/lists"
	"racecard/datasets/radix"
)

// events are the starts and ends of intervals, in microseconds, kept up to a limit. Beyond the limit all of them are
// dropped, so that the result depends on their number alone.
type events struct {
	limit  int64
	n      int64
	starts [][]int64 `partial:"multiset"`
	ends   [][]int64 `partial:"multiset"`
}

func (e *events) add(from, to int64) {
	if from >= to {
		return
	}
	e.n++
	if e.n > e.limit {
		e.starts, e.ends = nil, nil
		return
	}
	e.starts, e.ends = lists.Push(e.starts, from), lists.Push(e.ends, to)
}

func (e *events) merge(q *events) {
	e.n += q.n
	if e.n > e.limit {
		e.starts, e.ends = nil, nil
		return
	}
	e.starts, e.ends = append(e.starts, q.starts...), append(e.ends, q.ends...)
}

func (e *events) exact() bool { return e.n <= e.limit }

// swept is the concurrency over time when every event is known.
type swept struct {
	peak   int64
	peakAt int64
	// at[k] is the time during which exactly k were under way, between the first start and the last end, in
	// microseconds
	at []int64
}

// sweep counts how many intervals are under way at once. An interval that ends when another begins does not overlap it.
// The events are sorted and dropped. Time O(n log n).
func (e *events) sweep() swept {
	starts, ends := slices.Concat(e.starts...), slices.Concat(e.ends...)
	e.starts, e.ends = nil, nil
	done := make(chan struct{})
	go func() {
		defer fault.Trap()
		radix.Ints(starts)
		close(done)
	}()
	radix.Ints(ends)
	<-done
	var out swept
	if len(starts) == 0 {
		return out
	}
	now, since := int64(0), starts[0]
	for i, k := 0, 0; k < len(ends); {
		t := ends[k]
		if i < len(starts) && starts[i] < t {
			t = starts[i]
		}
		for int64(len(out.at)) <= now {
			out.at = append(out.at, 0)
		}
		out.at[now] += t - since
		since = t
		for k < len(ends) && ends[k] == t {
			now--
			k++
		}
		for i < len(starts) && starts[i] == t {
			now++
			i++
		}
		if now > out.peak {
			out.peak, out.peakAt = now, t
		}
	}
	return out
}

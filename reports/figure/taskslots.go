package figure

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"racecard/datasets/result"
)

// attempt is a task attempt to be drawn. Times are finite, in seconds since the run's first event, and end >= start.
type attempt struct {
	stage       int
	start, end  float64
	failed      bool // failed, killed, evicted or lost
	open        bool // had not ended when the trace did
	speculative bool
	machine     string
	slot        int // set by pack
}

// attemptsOf returns the attempts of a run with a known start, ordered by start, and the number of the others. An
// attempt that has not ended runs until the last known instant of the run.
func attemptsOf(l *result.Timeline, table *result.Table) (out []attempt, without int) {
	bars := l.Attempts
	if len(bars) == 0 {
		bars = barsOf(table)
	}
	last := 0.0
	if end := float64(l.EndS); finite(end) {
		last = end
	}
	for i := range bars {
		for _, t := range []float64{bars[i].StartS, bars[i].EndS} {
			if finite(t) {
				last = max(last, t)
			}
		}
	}
	for i := range bars {
		b := &bars[i]
		if !finite(b.StartS) {
			without++
			continue
		}
		a := attempt{stage: max(b.Stage, 0), start: b.StartS, end: b.EndS, speculative: b.Speculative,
			machine: b.Machine}
		switch b.Status {
		case "failed", "killed", "evicted", "lost":
			a.failed = true
		}
		if !finite(a.end) {
			a.end, a.open = last, true
		}
		a.end = max(a.end, a.start)
		out = append(out, a)
	}
	slices.SortStableFunc(out, func(a, b attempt) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.stage, b.stage))
	})
	return out, without
}

// finite reports whether x can be drawn: it is a number of a plausible size.
func finite(x float64) bool { return math.Abs(x) <= 1e18 }

// barsOf reads the rows of the timeline's table; columns that are missing stay empty.
func barsOf(t *result.Table) []result.TimelineBar {
	if t == nil {
		return nil
	}
	out := make([]result.TimelineBar, t.Len())
	for i := range out {
		out[i].StartS, out[i].EndS, out[i].QueuedS = math.NaN(), math.NaN(), math.NaN()
	}
	for k := range t.Columns {
		c := &t.Columns[k]
		for i := range out {
			if i >= c.Len || c.IsNull(i) {
				continue
			}
			b := &out[i]
			switch {
			case c.Name == "stage" && c.Int64s != nil:
				b.Stage = int(c.Int64s[i])
			case c.Name == "task" && c.Int64s != nil:
				b.Task = int(c.Int64s[i])
			case c.Name == "attempt" && c.Int64s != nil:
				b.Attempt = int(c.Int64s[i])
			case c.Name == "start_s" && c.Float64s != nil:
				b.StartS = c.Float64s[i]
			case c.Name == "end_s" && c.Float64s != nil:
				b.EndS = c.Float64s[i]
			case c.Name == "status" && c.Index != nil:
				b.Status = c.Text(i)
			case c.Name == "machine" && c.Index != nil:
				b.Machine = c.Text(i)
			case c.Name == "speculative" && c.Bits != nil:
				b.Speculative = c.Bool(i)
			}
		}
	}
	return out
}

// group is the slots of one machine: [from, to).
type group struct {
	machine  string
	from, to int
}

// pack gives every attempt a slot, such that attempts in one slot overlap by no more than slack seconds and every slot
// belongs to one machine: each attempt, by start, takes the lowest free slot of its machine. The number of slots is at
// most the largest number of attempts at once. Slack is for clocks that differ a little: in logs, a task often starts
// just before the previous one in its slot has ended. Attempts are ordered by start. Time O(n log n).
func pack(attempts []attempt, slack float64) []group {
	machines := map[string][]int{}
	for i := range attempts {
		machines[attempts[i].machine] = append(machines[attempts[i].machine], i)
	}
	names := make([]string, 0, len(machines))
	for name := range machines {
		names = append(names, name)
	}
	slices.SortFunc(names, natural)
	var groups []group
	next := 0
	for _, name := range names {
		g := group{machine: name, from: next}
		var busy ends
		var free slots
		for _, i := range machines[name] {
			a := &attempts[i]
			for len(busy) > 0 && busy[0].end <= a.start+slack {
				heap.Push(&free, heap.Pop(&busy).(slotEnd).slot)
			}
			if len(free) > 0 {
				a.slot = heap.Pop(&free).(int)
			} else {
				a.slot = next
				next++
			}
			heap.Push(&busy, slotEnd{a.end, a.slot})
		}
		g.to = next
		groups = append(groups, g)
	}
	return groups
}

// slots is a heap of free slots, lowest first.
type slots []int

func (h slots) Len() int           { return len(h) }
func (h slots) Less(i, j int) bool { return h[i] < h[j] }
func (h slots) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements [heap.Interface].
func (h *slots) Push(x any) { *h = append(*h, x.(int)) }

// Pop implements [heap.Interface].
func (h *slots) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// slotEnd is a busy slot with the time at which it becomes free.
type slotEnd struct {
	end  float64
	slot int
}

// ends is a heap of busy slots, first to become free first; the lowest slot among equals.
type ends []slotEnd

func (h ends) Len() int { return len(h) }
func (h ends) Less(i, j int) bool {
	return h[i].end < h[j].end || h[i].end == h[j].end && h[i].slot < h[j].slot
}
func (h ends) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements [heap.Interface].
func (h *ends) Push(x any) { *h = append(*h, x.(slotEnd)) }

// Pop implements [heap.Interface].
func (h *ends) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// natural compares names with the numbers in them as numbers: host-2 comes before host-10.
func natural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		n, m := digits(x), digits(y)
		if n > 0 && m > 0 {
			p, q := trimZeros(x[:n]), trimZeros(y[:m])
			if c := cmp.Or(cmp.Compare(len(p), len(q)), cmp.Compare(p, q)); c != 0 {
				return c
			}
			x, y = x[n:], y[m:]
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func trimZeros(s string) string {
	for len(s) > 1 && s[0] == '0' {
		s = s[1:]
	}
	return s
}

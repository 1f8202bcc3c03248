package figure

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"racecard/datasets/lists"
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
		bars = result.TimelineBars(table)
	}
	last := largest(float64(l.EndS))
	for _, b := range bars {
		last = max(last, largest(b.StartS, b.EndS))
	}
	for _, b := range bars {
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

// finite reports whether all numbers can be drawn: they are of a plausible size.
func finite[T ~float64](all ...T) bool {
	return !slices.ContainsFunc(all, func(x T) bool { return !(math.Abs(float64(x)) <= 1e18) })
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
	var groups []group
	next := 0
	for _, name := range slices.SortedFunc(maps.Keys(machines), natural) {
		g := group{machine: name, from: next}
		busy := lists.Heap[slotEnd]{Less: sooner}
		free := lists.Heap[int]{Less: func(a, b int) bool { return a < b }}
		for _, i := range machines[name] {
			a := &attempts[i]
			for busy.Len() > 0 && busy.Items[0].end <= a.start+slack {
				free.Push(busy.Pop().slot)
			}
			if free.Len() > 0 {
				a.slot = free.Pop()
			} else {
				a.slot = next
				next++
			}
			busy.Push(slotEnd{a.end, a.slot})
		}
		g.to = next
		groups = append(groups, g)
	}
	return groups
}

// slotEnd is a slot with the time at which it becomes free.
type slotEnd struct {
	end  float64
	slot int
}

// sooner reports whether a slot becomes free before another, the lowest first among equals.
func sooner(a, b slotEnd) bool { return a.end < b.end || a.end == b.end && a.slot < b.slot }

// natural compares names with the numbers in them as numbers: host-2 comes before host-10.
func natural(a, b string) int { return cmp.Or(cmp.Compare(padded(a), padded(b)), cmp.Compare(a, b)) }

// padded writes the numbers in a name with leading zeros.
func padded(name string) string {
	return number.ReplaceAllStringFunc(name, func(digits string) string {
		digits = strings.TrimLeft(digits, "0")
		return strings.Repeat("0", max(0, 20-len(digits))) + digits
	})
}

var number = regexp.MustCompile(`[0-9]+`)

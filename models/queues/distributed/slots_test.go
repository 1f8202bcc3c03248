package distributed

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// literalSlots is lwl that looks at all workers for every task, as the ruling on slots says, and compares.
type literalSlots struct {
	lwl
	t     *rapid.T
	sum   []int64
	tasks []int
	runs  [][]run // by worker, as far as is known
	late  []int   // by worker, ends that were known by others having begun
}

func (l *literalSlots) Begin(c *Cluster) {
	l.lwl.Begin(c)
	n := len(c.workers)
	l.sum, l.tasks, l.runs, l.late = make([]int64, n), make([]int, n), make([][]run, n), make([]int, n)
}

// work is the wait of a worker, times the scale.
func (l *literalSlots) work(c *Cluster, w int32) int64 {
	if l.tasks[w] < c.Slots(w) {
		return 0
	}
	work := l.sum[w]
	for _, r := range l.runs[w] {
		work -= min(r.estimate, c.now-r.since)
	}
	return max(0, work) * int64(c.o.scale()/c.Slots(w))
}

func (l *literalSlots) Submit(c *Cluster, n int32) {
	j := &c.jobs[n]
	from := int32(0)
	if j.reported {
		from = c.shortOnly
	}
	sum, tasks := slices.Clone(l.sum), slices.Clone(l.tasks)
	var want []int32
	give := func(w int32) {
		want = append(want, w)
		l.sum[w] += j.estimate
		l.tasks[w]++
	}
	for found := true; found; { // one task to each worker with a slot that has nothing to do, again and again
		found = false
		for w := from; w < int32(len(c.workers)) && len(want) < int(j.tasks); w++ {
			if l.tasks[w] < c.Slots(w) {
				give(w)
				found = true
			}
		}
	}
	for len(want) < int(j.tasks) {
		best := from
		for w := from; w < int32(len(c.workers)); w++ {
			if l.work(c, w) < l.work(c, best) {
				best = w
			}
		}
		give(best)
	}
	l.sum, l.tasks = sum, tasks
	for _, w := range want {
		l.sum[w] += j.estimate
		l.tasks[w]++
	}
	l.lwl.Submit(c, n)
	if j.estimate > 0 && !slices.Equal(l.to, want) {
		l.t.Fatalf("at %d, tasks of %d go to workers %v, want %v", c.now, j.estimate, l.to, want)
	}
	if j.estimate == 0 { // they change nothing, and are not compared
		for i, w := range want {
			l.tasks[w]--
			l.tasks[l.to[i]]++
		}
	}
}

func (l *literalSlots) forget(w int32) {
	first := 0
	for k, r := range l.runs[w] {
		if r.end < l.runs[w][first].end {
			first = k
		}
	}
	l.runs[w] = slices.Delete(l.runs[w], first, first+1)
}

func (l *literalSlots) Started(c *Cluster, w, j int32, end int64) {
	l.lwl.Started(c, w, j, end)
	if len(l.runs[w]) == c.Slots(w) {
		l.forget(w)
		l.late[w]++
	}
	l.runs[w] = append(l.runs[w], run{c.now, c.jobs[j].estimate, end})
}

func (l *literalSlots) Ended(c *Cluster, w, j int32) {
	l.lwl.Ended(c, w, j)
	if l.late[w] > 0 {
		l.late[w]--
	} else {
		l.forget(w)
	}
	l.sum[w] -= c.jobs[j].estimate
	l.tasks[w]--
}

func TestLeastWaitingTimeOfSlotsIsWhatLookingAtAllWorkersFinds(t *testing.T) {
	OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		w, o := drawWorkload(t), drawOptions(t)
		o.EPFL, o.Slots = false, rapid.IntRange(2, 5).Draw(t, "slots of each")
		o.Capacity = rapid.SampledFrom([][]int{nil, {1, 4}, {2, 3}, {6, 4, 1}, {3}}).Draw(t, "capacity")
		if _, err := Run(context.Background(), w, &literalSlots{t: t}, o); err != nil {
			t.Fatal(err)
		}
	})
}

func TestSlotsAreRefusedWhereTheyMakeNoSense(t *testing.T) {
	for _, test := range []struct {
		workers, slots int
		capacity       []int
		epfl           bool
	}{{10, 0, nil, false}, {10, 65, nil, false}, {1 << 19, 4, nil, false}, {10, 2, nil, true},
		{10, 1, []int{1, 2}, true}, {10, 1, []int{1, 0}, false}, {10, 1, []int{65}, false},
		{1 << 19, 1, []int{2, 4}, false}, {10, 1, []int{7, 11, 13}, false}} {
		o := DefaultOptions(test.workers)
		o.Slots, o.Capacity, o.EPFL = test.slots, test.capacity, test.epfl
		if o.Validate() == nil {
			t.Errorf("%+v is accepted", test)
		}
	}
}

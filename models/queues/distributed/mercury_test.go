package distributed

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// shedding returns a cluster of three workers under mercury; the first has tasks of 10 s in its queue, the others have
// other work.
func shedding(t *testing.T, tasks int, second, third int64) (*Cluster, *mercury) {
	t.Helper()
	w := &Workload{}
	w.Add("short", 0, 10*Second, make([]int64, tasks)...)
	o, s := DefaultOptions(3), &mercury{}
	o.General = 100
	c, err := newCluster(w, s, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tasks {
		*c.extend(0) = entry{job: 0, task: int32(i)}
		s.waiting[0]++
		s.add(c, 0, 10*Second, 1)
	}
	s.add(c, 1, second, 1)
	s.add(c, 2, third, 1)
	s.view.Beat(c)
	return c, s
}

func TestMercuryShedsToWorkersThatHaveLess(t *testing.T) {
	for _, test := range []struct {
		name          string
		second, third int64
		want          [3]int64 // what workers have to do, afterwards; the limit is 90 s, the first one had 110
	}{
		{"down to the limit", 0, 200 * Second, [3]int64{90 * Second, 20 * Second, 200 * Second}},
		{"not beyond the limit elsewhere", 80 * Second, 200 * Second, [3]int64{100 * Second, 90 * Second,
			200 * Second}},
		{"not where all are full", 100 * Second, 95 * Second, [3]int64{110 * Second, 100 * Second, 95 * Second}},
		{"not above the limit by the task", 81 * Second, 85 * Second, [3]int64{110 * Second, 81 * Second, 85 * Second}},
	} {
		c, s := shedding(t, 11, test.second, test.third)
		s.shed(c, 0, 90*Second)
		if got := [3]int64(s.view.live); got != test.want {
			t.Errorf("%s: workers have %v to do, want %v", test.name, got, test.want)
		}
		if n := int(c.out.Counts.Shed); len(c.live(0)) != 11-n || int64(n) != (110*Second-test.want[0])/(10*Second) {
			t.Errorf("%s: %d tasks were sent on, %d are left", test.name, n, len(c.live(0)))
		}
	}
}

func TestMercuryKeepsTasksThatWereSentOnOften(t *testing.T) {
	c, s := shedding(t, 3, 0, 0)
	s.sheds[2] = maxSheds // the last one, which would be first
	s.shed(c, 0, 25*Second)
	var left []int32
	for _, x := range c.live(0) {
		left = append(left, x.task)
	}
	if !slices.Equal(left, []int32{0, 2}) {
		t.Errorf("tasks %v are left, want 0 and 2", left)
	}
}

func TestMercuryInOverload(t *testing.T) {
	OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		w, o, s := drawWorkload(t), drawOptions(t), &mercury{}
		o.EPFL = false
		out, err := Run(context.Background(), w, s, o)
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for task, n := range s.sheds {
			if n > maxSheds {
				t.Fatalf("task %d was sent on %d times", task, n)
			}
			sum += int64(n)
		}
		if sum != out.Counts.Shed {
			t.Fatalf("%d tasks were sent on, %d are counted", sum, out.Counts.Shed)
		}
	})
}

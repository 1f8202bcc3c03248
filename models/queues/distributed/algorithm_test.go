package distributed

import (
	"slices"
	"testing"
)

// worker0 returns a cluster of one worker whose queue holds the given entries, jobs in the order of the workload.
func worker0(t *testing.T, epfl bool, jobs []Job, cutoff int64, queue []entry) *Cluster {
	t.Helper()
	w := &Workload{}
	for _, j := range jobs {
		w.Add(j.ID, 0, j.Estimate, make([]int64, j.Tasks)...)
	}
	o := DefaultOptions(1)
	o.EPFL, o.Cutoff = epfl, cutoff
	c, err := newCluster(w, &orderedEagle{eagle: eagle{sticky: true}}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range queue {
		x.task = -1
		*c.extend(0) = x
	}
	return c
}

func TestAlgorithm1StepByStep(t *testing.T) {
	// Estimates in seconds: a 10 x 4 tasks, b 20 x 1, c 5 x 2, long 1000 x 1, d 1 x 1, done has none left.
	jobs := []Job{{ID: "a", Estimate: 10 * Second, Tasks: 4}, {ID: "b", Estimate: 20 * Second, Tasks: 1},
		{ID: "c", Estimate: 5 * Second, Tasks: 2},
		{ID: "long", Estimate: 1000 * Second, Tasks: 1}, {ID: "d", Estimate: 1 * Second, Tasks: 1},
		{ID: "done", Estimate: 1, Tasks: 1}}
	const a, b, cc, long, d, done = 0, 1, 2, 3, 4, 5
	for _, test := range []struct {
		name  string
		queue []entry
		epfl  bool
		want  int     // place chosen, after removals
		left  []int32 // jobs in the queue afterwards
	}{
		{name: "one probe", queue: []entry{{job: a}}, want: 0, left: []int32{a}},
		{name: "the least remaining work: 40, 20, 10", queue: []entry{{job: a}, {job: b}, {job: cc}}, want: 2,
			left: []int32{a, b, cc}},
		{name: "of equal work the first", queue: []entry{{job: b}, {job: b}}, want: 0, left: []int32{b, b}},
		{name: "a may be passed by 50: 40 and then 10 more", queue: []entry{{job: a, passed: 45 * Second}, {job: cc}},
			want: 1, left: []int32{a, cc}},
		{name: "46 and 5 are more than 50", queue: []entry{{job: a, passed: 46 * Second}, {job: cc}}, want: 0,
			left: []int32{a, cc}},
		{name: "b cannot pass a, but d can", queue: []entry{{job: a, passed: 40 * Second}, {job: b}, {job: d}}, want: 2,
			left: []int32{a, b, d}},
		{name: "one in the middle may not be passed", queue: []entry{{job: a}, {job: b, passed: 100 * Second},
			{job: cc}}, want: 1, left: []int32{a, b, cc}},
		{name: "a long task at the head runs", queue: []entry{{job: long}, {job: d}}, want: 0, left: []int32{long, d}},
		{name: "the search ends at a long task", queue: []entry{{job: a}, {job: long}, {job: d}}, want: 0,
			left: []int32{a, long, d}},
		{name: "following EPFL it goes on", queue: []entry{{job: a}, {job: long}, {job: d}}, epfl: true, want: 2,
			left: []int32{a, long, d}},
		{name: "probes of jobs that have no task left go", queue: []entry{{job: done}, {job: a}, {job: done}, {job: cc},
			{job: done}}, want: 1, left: []int32{a, cc}},
		{name: "those behind a long task are not reached", queue: []entry{{job: done}, {job: a}, {job: long},
			{job: done}}, want: 0, left: []int32{a, long, done}},
		{name: "then a long task is at the head", queue: []entry{{job: done}, {job: long}}, want: 0,
			left: []int32{long}},
		{name: "nothing is left", queue: []entry{{job: done}, {job: done}}, want: -1, left: nil},
	} {
		c := worker0(t, test.epfl, jobs, 500*Second, test.queue)
		c.jobs[done].visible = 0
		if got := (shortestFirst{}).Choose(c, 0); got != test.want {
			t.Errorf("%s: chose %d, want %d", test.name, got, test.want)
		}
		var left []int32
		for _, x := range c.live(0) {
			left = append(left, x.job)
		}
		if !slices.Equal(left, test.left) {
			t.Errorf("%s: left is %v, want %v", test.name, left, test.left)
		}
	}
}

func TestBypassingIsCharged(t *testing.T) {
	// The head may be passed by 5 x 10 s: by two tasks of 20 s, not by a third one.
	jobs := []Job{{ID: "head", Estimate: 10 * Second, Tasks: 9}, {ID: "short", Estimate: 20 * Second, Tasks: 3}}
	c := worker0(t, false, jobs, 500*Second, []entry{{job: 0}, {job: 1}})
	for step, want := range []int{1, 1, 0} {
		if got := (shortestFirst{}).Choose(c, 0); got != want {
			t.Fatalf("step %d: chose %d, want %d", step, got, want)
		}
		if want == 1 {
			c.charge(0, 1)
		}
	}
	if got := c.live(0)[0].passed; got != 40*Second {
		t.Errorf("the head was passed by %d", got)
	}
}

func TestStealing(t *testing.T) {
	// The two cases of the Hawk paper's figure: s is short, l is long.
	jobs := []Job{{ID: "s", Estimate: 1, Tasks: 20}, {ID: "l", Estimate: 1000 * Second, Tasks: 20}}
	const s, l = 0, 1
	for _, test := range []struct {
		running int32
		queue   []int32
		stolen  int
		left    []int32
	}{
		{running: s, queue: []int32{s, s, l, l, s, s, l, s}, stolen: 2, left: []int32{s, s, l, l, l, s}},
		{running: l, queue: []int32{s, s, l, s}, stolen: 2, left: []int32{l, s}},
		{running: l, queue: []int32{l, s, s}, stolen: 2, left: []int32{l}},
		{running: s, queue: []int32{s, s, l}, stolen: 0, left: []int32{s, s, l}},
	} {
		w := &Workload{}
		for _, j := range jobs {
			w.Add(j.ID, 0, j.Estimate, make([]int64, j.Tasks)...)
		}
		o := DefaultOptions(2)
		o.General, o.Cutoff = 50, 500*Second
		c, err := newCluster(w, &hawk{}, o)
		if err != nil {
			t.Fatal(err)
		}
		if c.workers[1].free, c.workers[1].runs = 0, 1; test.running == l {
			c.workers[1].runsLong = 1
			c.addLong(1)
		}
		for _, n := range test.queue {
			c.append(1, n, -1)
		}
		r := random(1)
		if got := c.rob(0, &r); got != (test.stolen > 0) || len(c.live(0)) != test.stolen {
			t.Errorf("%v: stole %d, want %d", test.queue, len(c.live(0)), test.stolen)
		}
		var left []int32
		for _, x := range c.live(1) {
			left = append(left, x.job)
		}
		if !slices.Equal(left, test.left) {
			t.Errorf("%v: left is %v, want %v", test.queue, left, test.left)
		}
	}
}

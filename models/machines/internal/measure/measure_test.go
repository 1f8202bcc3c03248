package measure_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/models/machines/internal/measure"
	"racecard/models/machines/jobs"
	"racecard/models/machines/policy"
	"racecard/models/machines/replay"
	"racecard/models/machines/replaytest"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

func TestJain(t *testing.T) {
	for _, test := range []struct {
		xs   []float64
		want float64
	}{
		{[]float64{1, 1, 1}, 1},
		{[]float64{1, 0}, 0.5},
		{[]float64{1, 2, 3}, 36. / (3 * 14)},
		{[]float64{7}, 1},
	} {
		if got := measure.Jain(test.xs); !near(got, test.want) {
			t.Errorf("Jain's index of %v is %v, want %v", test.xs, got, test.want)
		}
	}
	if got := measure.Jain([]float64{0, 0}); !math.IsNaN(got) {
		t.Errorf("Jain's index of nothing is %v", got)
	}
}

// TestBooks: two jobs of one task of one core on two cores, for 90 and 30 s. In the first minute a holds 1/2 for 60 s
// of the 1/2 for 30 and 1 for 30 s it should have: x = 30/45; b 1/2 for 30 s of as much: 1. J = (5/3)² / (2 (4/9 + 1))
// = 25/26. In the second minute there is one job alone.
func TestBooks(t *testing.T) {
	all := []*jobs.Job{
		replaytest.Job("a", 5, replaytest.Stage(1, 90, replaytest.CPU(1))),
		replaytest.Job("b", 5, replaytest.Stage(1, 30, replaytest.CPU(1))),
	}
	books := measure.Books{Follow: "a"}
	got := replaytest.Run(t, []trace.Demand{replaytest.CPU(2)}, all, policy.FIFO(), &books)
	if got.Makespan != 90e6 {
		t.Fatalf("makespan %d, want 90 s", got.Makespan)
	}
	if jain := books.Jain(); len(jain) != 1 || !near(jain[0].Index, 25./26) || !near(jain[0].Capped, 25./26) {
		t.Errorf("Jain's index %v, want one window, 25/26", jain)
	}
	// 120 core-seconds of 180; 1 task for 90 s and 1 for 30.
	m := []float64{books.Utilization(trace.CPU), books.Tasks()}
	if !near(m[0], 120./180) || !near(m[1], 120./90) {
		t.Errorf("%v of the cores, %v tasks; want 2/3, 4/3", m[0], m[1])
	}
	if want := []measure.Step{{At: 0, Own: 0, All: 1}, {At: 90e6, Own: 0, All: 0}}; !slices.Equal(books.Running(),
		want) {
		t.Errorf("a runs %v, want %v", books.Running(), want)
	}
	used, tasks := books.Series().Used(trace.CPU), books.Series().Tasks()
	if books.Series().Width() != 1 || len(used) != 90 || used[29] != 1 || used[30] != 0.5 || tasks[0] != 2 ||
		tasks[89] != 1 {
		t.Errorf("%d bins of %v s: cores %v, tasks %v", len(used), books.Series().Width(), used, tasks)
	}
}

// TestWindowsApart: jobs that come hours after the last have windows of their own, and idle ones between are left out.
func TestWindowsApart(t *testing.T) {
	var all []*jobs.Job
	for _, at := range []float64{0, 0, 7230, 7230} {
		all = append(all, replaytest.Job(string(rune('a'+len(all))), at, replaytest.Stage(1, 10, replaytest.CPU(1))))
	}
	var books measure.Books
	replaytest.Run(t, []trace.Demand{replaytest.CPU(2)}, all, policy.FIFO(), &books)
	if jain := books.Jain(); !slices.Equal(jain, []measure.Fairness{{Index: 1, Capped: 1, Windows: 1},
		{Index: 1, Capped: 1, Windows: 1}}) {
		t.Errorf("Jain's index %v, want 1 and 1", jain)
	}
	if width := books.Series().Width(); width != 16 { // 7,240 s in at most 512 bins, doubling from 1 s
		t.Errorf("bins of %v s, want 16", width)
	}
}

// slow looks at the cluster second by second: all times of these jobs are whole seconds.
type slow struct {
	now     int64
	held    []float64 // by job: dominant share now
	alive   []bool
	x, fair []float64 // of the window
	jain    []measure.Fairness
	started bool
}

func (o *slow) to(now int64) {
	if !o.started {
		o.started, o.now = true, now
	}
	for ; o.now < now; o.now += 1e6 {
		n := 0
		for _, a := range o.alive {
			if a {
				n++
			}
		}
		for i, a := range o.alive {
			if a {
				o.x[i] += o.held[i]
				o.fair[i] += 1 / float64(n)
			}
		}
		if (o.now+1e6)%measure.Window == 0 {
			o.close()
		}
	}
}

func (o *slow) close() {
	var xs, capped []float64
	for i := range o.x {
		if o.fair[i] > 0 {
			xs, capped = append(xs, o.x[i]/o.fair[i]), append(capped, min(o.x[i]/o.fair[i], 1))
		}
		o.x[i], o.fair[i] = 0, 0
	}
	if j := measure.Jain(xs); len(xs) > 1 && !math.IsNaN(j) {
		o.jain = append(o.jain, measure.Fairness{Index: j, Capped: measure.Jain(capped)})
	}
}

func (o *slow) Arrive(s *replay.State, j *replay.Job) {
	o.to(s.Now)
	o.held, o.alive, o.x, o.fair = append(o.held, 0), append(o.alive, true), append(o.x, 0), append(o.fair, 0)
}
func (o *slow) Start(s *replay.State, t *replay.Task) {
	o.to(s.Now)
	o.held[t.Job.Index] = s.Machines.Dominant(&t.Job.Held)
}
func (o *slow) End(s *replay.State, t *replay.Task) { o.Start(s, t) }
func (o *slow) Finish(s *replay.State, j *replay.Job) {
	o.to(s.Now)
	o.alive[j.Index] = false
}
func (o *slow) Scheduled(*replay.State) {}

func TestBooksAgainstSlow(t *testing.T) {
	windows := 0
	rapid.Check(t, func(r *rapid.T) {
		all, machines := replaytest.Jobs(r, 6, false), replaytest.Machines(r)
		for _, j := range all {
			j.Arrival -= all[0].Arrival
		}
		for _, j := range all {
			j.Arrival *= 3
		}
		var books measure.Books
		want := &slow{}
		replaytest.Run(t, machines, all, policy.FIFO(), &books)
		got := books.Jain()
		replaytest.Run(t, machines, all, policy.FIFO(), want)
		want.close()
		if !slices.EqualFunc(got, want.jain, func(a, b measure.Fairness) bool {
			return near(a.Index, b.Index) && near(a.Capped, b.Capped)
		}) {
			r.Fatalf("%v, want %v", got, want.jain)
		}
		windows += len(got)
	})
	t.Logf("%d windows", windows)
}

// TestWindowsInWhichNothingHappensAreOne: two jobs of ten tasks, one after the other, of 2 cores and of 1, each of
// which takes 92 days: 1.3 million windows. The memory may not grow with them.
func TestWindowsInWhichNothingHappensAreOne(t *testing.T) {
	const stages, seconds = 10, 8_000_000
	var of [2][]jobs.Stage
	for i := range of {
		for k := range stages {
			s := replaytest.Stage(1, seconds, replaytest.CPU(float64(2-i)))
			if k > 0 {
				s.Parents = []jobs.Parent{{Stage: int32(k - 1)}}
			}
			of[i] = append(of[i], s)
		}
	}
	all := []*jobs.Job{replaytest.Job("a", 0, of[0]...), replaytest.Job("b", 0, of[1]...)}
	var books measure.Books
	replaytest.Run(t, []trace.Demand{replaytest.CPU(4)}, all, policy.FIFO(), &books)
	jain, windows := books.Jain(), int64(0)
	for _, w := range jain {
		if windows += w.Windows; !near(w.Index, 0.9) || !near(w.Capped, 0.9) {
			t.Errorf("Jain's index is %v and %v capped, want (1 + 1/2)² / (2 (1 + 1/4))", w.Index, w.Capped)
			break
		}
	}
	if want := int64(math.Ceil(stages * seconds / 60.)); windows != want || len(jain) > 11_000 {
		t.Errorf("%d windows are kept, as %d, want %d", len(jain), windows, want)
	}
}

package carbyne_test

import (
	"flag"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/models/machines/carbyne"
	"racecard/models/machines/jobs"
	"racecard/models/machines/policy"
	"racecard/models/machines/replay"
	"racecard/models/machines/replaytest"
)

// scheduler makes Carbyne with changes to the default options.
func scheduler(t testing.TB, change func(o *carbyne.Options)) *carbyne.Scheduler {
	t.Helper()
	o := carbyne.DefaultOptions()
	if change != nil {
		change(&o)
	}
	c, err := carbyne.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// figure2 is the workload of Carbyne's Figure 2, as PAPERS section 8 reconstructs it: one resource of 1.
func figure2() []*jobs.Job {
	cpu := replaytest.CPU
	return []*jobs.Job{
		replaytest.Job("J1", 0, replaytest.Stage(2, 1, cpu(0.04)), replaytest.Stage(3, 1, cpu(0.21)),
			replaytest.Stage(1, 0.1, cpu(0.1), 0, 1)),
		replaytest.Job("J2", 0, replaytest.Stage(2, 1, cpu(0.29))),
	}
}

func TestFigure2(t *testing.T) {
	one := []trace.Demand{replaytest.CPU(1)}
	for _, test := range []struct {
		name string
		s    replay.Scheduler
		ends []int64
	}{
		// Halves: J1 fits two of 0.21 and two of 0.04 (0.5), then the third, then the last: 2.1. J2 one of 0.29 at a
		// time: 2.
		{"drf-static", &policy.Static{Order: policy.BreadthFirst}, []int64{2_100_000, 2_000_000}},
		// J1 must start one of 0.21 at 0, J2 one of 0.29: 0.5 is left. J2 has less work (0.58 against 0.72) and takes
		// 0.29, J1 the other 0.21; at 1 J1 starts the third of 0.21 and both of 0.04, at 2 the last.
		{"carbyne", scheduler(t, nil), []int64{2_100_000, 1_000_000}},
		{"carbyne, equal parts", scheduler(t, func(o *carbyne.Options) { o.Static = true }),
			[]int64{2_100_000, 1_000_000}},
		{"carbyne-dagps", scheduler(t, func(o *carbyne.Options) { o.DAGPS = true }), []int64{2_100_000, 1_000_000}},
	} {
		var c replaytest.Checker
		c.T = t
		if got := replaytest.Run(t, one, figure2(), test.s, &c); !slices.Equal(got.Finished, test.ends) {
			t.Errorf("%s: jobs end at %v µs, want %v\n%v", test.name, got.Finished, test.ends, c.Starts)
		}
		if s, ok := test.s.(*carbyne.Scheduler); ok && s.AtStart[trace.CPU] != 5e9 {
			t.Errorf("%s: %v of 1e10 is left at 0, want half", test.name, s.AtStart[trace.CPU])
		}
	}
}

func TestFixtures(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(o *carbyne.Options)
	}{
		{"default", nil},
		{"half altruistic", func(o *carbyne.Options) { o.Altruism = 0.5 }},
		{"dagps", func(o *carbyne.Options) { o.DAGPS = true }},
		{"packing", func(o *carbyne.Options) { o.Leftover = carbyne.Packed() }},
		{"by time", func(o *carbyne.Options) { o.ByTime = true }},
		{"shares of the work left", func(o *carbyne.Options) { o.Remaining = true }},
		{"yarn", func(o *carbyne.Options) { o.YARN = true }},
		{"reserving", func(o *carbyne.Options) { o.Reserve = true }},
	} {
		t.Run(test.name, func(t *testing.T) {
			replaytest.Check(t, func() replay.Scheduler {
				return scheduler(t, func(o *carbyne.Options) {
					if test.change != nil {
						test.change(o)
					}
				})
			}, test.name != "reserving")
		})
	}
}

func TestRules(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(o *carbyne.Options)
	}{
		{"default", func(*carbyne.Options) {}},
		{"every change counts", func(o *carbyne.Options) { o.Tolerance, o.ShareTolerance = 0, 0 }},
		{"half altruistic", func(o *carbyne.Options) { o.Altruism = 0.5 }},
		{"dagps", func(o *carbyne.Options) { o.DAGPS = true }},
		{"packing", func(o *carbyne.Options) { o.Leftover = carbyne.Packed() }},
		{"equal parts", func(o *carbyne.Options) { o.Static = true }},
		{"weights", func(o *carbyne.Options) { o.Weights = policy.Weights{"x": 3} }},
		{"by time", func(o *carbyne.Options) { o.ByTime = true }},
		{"shares of the work left", func(o *carbyne.Options) { o.Remaining = true }},
		{"yarn", func(o *carbyne.Options) { o.YARN = true }},
		{"yarn, half altruistic", func(o *carbyne.Options) { o.YARN, o.Altruism = true, 0.5 }},
		{"leftover is left", func(o *carbyne.Options) { o.Leftover = nil }},
		{"reserving", func(o *carbyne.Options) { o.Reserve = true }},
		{"reserving, half altruistic", func(o *carbyne.Options) { o.Reserve, o.Altruism = true, 0.5 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				work, machines := replaytest.Jobs(r, 6, false), replaytest.Machines(r)
				s := scheduler(t, test.change)
				c := replaytest.Checker{T: t, Conserving: test.name != "leftover is left" &&
					!strings.HasPrefix(test.name, "reserving")}
				replaytest.Run(t, machines, work, s, &c)
				if t.Failed() {
					r.FailNow()
				}
			})
		})
	}
}

// startable is an observer that compares the startable stages that a scheduler keeps with those that there are.
type startable struct {
	t    *rapid.T
	s    *carbyne.Scheduler
	kept int
}

func (*startable) Arrive(*replay.State, *replay.Job) {}
func (*startable) Start(*replay.State, *replay.Task) {}
func (*startable) End(*replay.State, *replay.Task)   {}
func (*startable) Finish(*replay.State, *replay.Job) {}
func (o *startable) Scheduled(s *replay.State) {
	for i := range s.Arrived() {
		j := s.Job(int32(i))
		if j == nil {
			continue
		}
		kept, want, current := o.s.Startable(s, j)
		if kept != want {
			o.t.Fatalf("at %d µs, job %s: %d startable stages are kept, want %d", s.Now, j.Spec.ID, kept, want)
		}
		if current && kept > 0 {
			o.kept++
		}
	}
}

// TestStartable checks at every instant that stages which are kept as startable are.
func TestStartable(t *testing.T) {
	kept := 0
	for _, change := range []func(o *carbyne.Options){
		func(o *carbyne.Options) { o.Reserve = true },
		func(o *carbyne.Options) { o.Leftover = nil },
		func(o *carbyne.Options) { o.Reserve, o.Tolerance, o.ShareTolerance = true, 0, 0 },
		func(o *carbyne.Options) { o.Static = true },
	} {
		rapid.Check(t, func(r *rapid.T) {
			work, machines := replaytest.Jobs(r, 6, false), replaytest.Machines(r)
			s := scheduler(t, change)
			o := &startable{t: r, s: s}
			replaytest.Run(t, machines, work, s, o)
			kept += o.kept
		})
	}
	if kept == 0 {
		t.Error("no startable stage is kept from one instant to the next")
	}
}

// TestAllowance: job a wants 1.1 of 4.4 at 0, for its first task of 1 and a slow one of 0.1, and has two tasks of 1 to
// come. It may count on half of the cluster, which b wants all of, so it can end at 2, and the slow task, of 2 s, must
// start at 0. A plan within the 1.1 would end at 3, and put it off until 1.
func TestAllowance(t *testing.T) {
	cpu := replaytest.CPU
	work := []*jobs.Job{
		replaytest.Job("a", 0, replaytest.Stage(1, 1, cpu(1)), replaytest.Stage(1, 2, cpu(0.1)),
			replaytest.Stage(2, 1, cpu(1), 0)),
		replaytest.Job("b", 0, replaytest.Stage(10, 1, cpu(1))),
	}
	s := scheduler(t, func(o *carbyne.Options) { o.Leftover = nil })
	if got := replaytest.Run(t, []trace.Demand{cpu(4.4)}, work, s, nil); got.Finished[0] != 2_000_000 {
		t.Errorf("a ends at %d µs, want 2 s", got.Finished[0])
	}
}

// TestSooner: on two cores, packing puts both tasks of 1.1 before the one of 1 that does not fit beside them and that
// the last of 3 s waits for: 6 s. In reverse one of 1.1 fits beside the last of 0.5: 4 s, so the first task must start
// at 0.
func TestSooner(t *testing.T) {
	cpu := replaytest.CPU
	work := []*jobs.Job{replaytest.Job("a", 0, replaytest.Stage(1, 1, cpu(1)), replaytest.Stage(2, 1, cpu(1.1)),
		replaytest.Stage(1, 3, cpu(0.5), 0))}
	s := scheduler(t, func(o *carbyne.Options) { o.Leftover = nil })
	if got := replaytest.Run(t, []trace.Demand{cpu(2)}, work, s, nil); got.Finished[0] != 4_000_000 {
		t.Errorf("a ends at %d µs, want 4 s", got.Finished[0])
	}
}

// TestParts are schedules worked by hand that tell parts of the scheduler apart; cores are the only resource.
func TestParts(t *testing.T) {
	cpu := replaytest.CPU
	slow := replaytest.Stage(8, 3.25, cpu(1))
	slow.Durations = []int64{1e6, 2e6, 3e6, 4e6, 4e6, 4e6, 4e6, 4e6}
	for _, test := range []struct {
		name    string
		cores   float64
		work    []*jobs.Job
		plain   []int64
		change  func(o *carbyne.Options)
		changed []int64
	}{
		// Four of a's tasks start at 0; they end one a second, and as each is followed by one of 4 s, so does the next
		// round: b, which needs two cores from 0.5 on, gets them when the first two of that round ended, at 6. If the
		// core of 1 is kept, at 2.
		{"reserving", 4, []*jobs.Job{replaytest.Job("a", 0, slow),
			replaytest.Job("b", 0.5, replaytest.Stage(1, 1, cpu(2)))},
			[]int64{8e6, 7e6}, func(o *carbyne.Options) { o.Reserve = true }, []int64{8e6, 3e6}},
		// Either must start now, one of them fits: a, of equal parts of their shares the first, or packed b, which
		// aligns better.
		{"yarn packs what must start", 4, []*jobs.Job{replaytest.Job("a", 0, replaytest.Stage(1, 1, cpu(2.5))),
			replaytest.Job("b", 0, replaytest.Stage(1, 1, cpu(3)))},
			[]int64{1e6, 2e6}, func(o *carbyne.Options) { o.YARN = true }, []int64{2e6, 1e6}},
		// Shares are 2.05. Two of a's tasks must start, and the slow one of b, which has more work left: a takes the
		// other 2. Asking for their shares first, b starts one task with the 1.95 it may still hold, and a three.
		{"yarn fills shares before it gives", 4.1, []*jobs.Job{replaytest.Job("a", 0, replaytest.Stage(4, 1, cpu(1))),
			replaytest.Job("b", 0, replaytest.Stage(1, 50, cpu(0.1)), replaytest.Stage(2, 1, cpu(1)))},
			[]int64{1e6, 50e6}, func(o *carbyne.Options) { o.YARN = true }, []int64{2e6, 50e6}},
		// The same with tasks of 2 s in b: it ends after two rounds, at 4, and a, with 7 core-seconds against 8, at 60.
		// By work a's task of 1 goes first, and b's fourth starts after it; by time all of b's start.
		{"by time", 4.1, []*jobs.Job{replaytest.Job("a", 0, replaytest.Stage(1, 60, cpu(0.1)),
			replaytest.Stage(1, 1, cpu(1))),
			replaytest.Job("b", 0, replaytest.Stage(4, 2, cpu(1)))},
			[]int64{60e6, 3e6}, func(o *carbyne.Options) { o.ByTime = true }, []int64{60e6, 2e6}},
	} {
		machine := []trace.Demand{cpu(test.cores)}
		if got := replaytest.Run(t, machine, test.work, scheduler(t, nil), nil); !slices.Equal(got.Finished,
			test.plain) {
			t.Errorf("%s, without it: jobs end at %v µs, want %v", test.name, got.Finished, test.plain)
		}
		if got := replaytest.Run(t, machine, test.work, scheduler(t, test.change), nil); !slices.Equal(got.Finished,
			test.changed) {
			t.Errorf("%s: jobs end at %v µs, want %v", test.name, got.Finished, test.changed)
		}
	}
}

// TestWithoutAltruism is C11: at P(Altruism) = 0, Carbyne is DRF.
func TestWithoutAltruism(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		work, machines := replaytest.Jobs(r, 6, false), replaytest.Machines(r)
		got, want := replaytest.Checker{T: t}, replaytest.Checker{T: t}
		replaytest.Run(t, machines, work, scheduler(t, func(o *carbyne.Options) { o.Altruism = 0 }), &got)
		replaytest.Run(t, machines, work, &policy.DRF{Order: policy.BreadthFirst}, &want)
		if !slices.Equal(got.Starts, want.Starts) {
			r.Fatalf("got\n%v\nwant\n%v", got.Starts, want.Starts)
		}
	})
}

// TestTheorem31 is the property that makes jobs yield: with fixed shares, one pool, exact estimates, and all jobs there
// at 0 (C13), no job ends later for yielding than if it used its share greedily, packed the same way.
func TestTheorem31(t *testing.T) {
	checks := "10000"
	if testing.Short() {
		checks = "1000"
		t.Log("1,000 sets of jobs instead of 10,000: -short")
	}
	number := flag.Lookup("rapid.checks")
	old := number.Value.String()
	if err := number.Value.Set(checks); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := number.Value.Set(old); err != nil {
			t.Error(err)
		}
	}()
	sets, back, jobsSeen, later := 0, 0, 0, 0
	var plans, fallbacks int64
	rapid.Check(t, func(r *rapid.T) {
		work := replaytest.Jobs(r, 6, true)
		for _, j := range work {
			for i := range j.Stages { // exact estimates
				s := &j.Stages[i]
				s.Durations, s.Retries = []int64{s.Estimate}, nil
			}
		}
		size := float64(rapid.IntRange(len(work), 3*len(work)).Draw(r, "pool"))
		pool := []trace.Demand{replaytest.Both(size, size)}
		greedy := replaytest.Run(t, pool, work, &policy.Static{Order: policy.Packing}, nil)
		yields := scheduler(t, func(o *carbyne.Options) { o.Static, o.Leftover = true, nil })
		got := replaytest.Run(t, pool, work, yields, nil)
		for i := range work {
			if got.Finished[i] > greedy.Finished[i] {
				r.Errorf("job %s ends at %d, greedily at %d", work[i].ID, got.Finished[i], greedy.Finished[i])
			}
		}
		whole := replaytest.Run(t, pool, work, scheduler(t, func(o *carbyne.Options) { o.Static = true }), nil)
		for i := range work {
			if whole.Finished[i] > greedy.Finished[i] {
				later++
			}
		}
		sets, jobsSeen = sets+1, jobsSeen+len(work)
		if yields.Fallbacks > 0 {
			back++
		}
		plans, fallbacks = plans+yields.Plans, fallbacks+yields.Fallbacks
	})
	t.Logf("%d sets of %d jobs: in %d sets some plan, %d of %d in all, fell back to the forward one; where leftover "+
		"is given away, as it never is\n"+
		"preempted, %d jobs end later than with fixed shares", sets, jobsSeen, back, fallbacks, plans, later)
}

// A stage that waits one to one for two others needs the same task of both. Stages start their tasks in the order of
// their numbers, also where several become runnable at one instant: started in the order in which events of that instant
// come, tasks of one parent ran ahead of the other's, and the job ended at 12 s, not at 11 s as greedily.
func TestTasksStartInTheirOrder(t *testing.T) {
	mem := func(share float64) trace.Demand { return replaytest.Both(0, share) }
	j := replaytest.Job("a", 0, replaytest.Stage(6, 1, mem(0.125)), replaytest.Stage(1, 1, mem(0.125)),
		replaytest.Stage(6, 1, mem(0.5), 1), replaytest.Stage(6, 1, mem(0.125), 1, 2),
		replaytest.Stage(6, 1, mem(0.625), 0, 1, 3))
	j.Stages[3].Parents[1].OneToOne = true // of 2
	j.Stages[4].Parents[0].OneToOne, j.Stages[4].Parents[2].OneToOne = true, true
	yields := scheduler(t, func(o *carbyne.Options) { o.Static, o.Leftover = true, nil })
	for _, s := range []replay.Scheduler{&policy.Static{Order: policy.Packing}, yields} {
		if got := replaytest.Run(t, []trace.Demand{replaytest.Both(1, 1)}, []*jobs.Job{j}, s, nil).Finished[0]; got != 11e6 {
			t.Errorf("%T: ends at %d, want 11 s", s, got)
		}
	}
}

// TestWorkers replays jobs that come faster than they go, so that the shares of many change at once.
func TestWorkers(t *testing.T) {
	var all []*jobs.Job
	for i := range 40 {
		demand := replaytest.CPU(0.2 + 0.1*float64(i%3))
		all = append(all, replaytest.Job(strconv.Itoa(i), float64(i)/4, replaytest.Stage(5, 1+float64(i%4), demand),
			replaytest.Stage(3, 2, demand, 0)))
	}
	replayed := func(workers int) (*carbyne.Scheduler, *replay.Result) {
		c := scheduler(t, func(o *carbyne.Options) { o.Reserve = true })
		c.Workers = workers
		return c, replaytest.Run(t, []trace.Demand{replaytest.CPU(1), replaytest.CPU(1)}, all, c, nil)
	}
	one, want := replayed(0)
	three, got := replayed(3)
	if one.AtOnce() != 1 || three.AtOnce() != 3 {
		t.Errorf("%d and %d plans were made at once, want 1 and 3", one.AtOnce(), three.AtOnce())
	}
	if !reflect.DeepEqual(got, want) || one.Plans != three.Plans || one.Fallbacks != three.Fallbacks {
		t.Errorf("3 workers: %+v, %d plans, %d fallbacks; want %+v, %d, %d", got, three.Plans, three.Fallbacks, want,
			one.Plans, one.Fallbacks)
	}
}

func TestValidate(t *testing.T) {
	for _, o := range []carbyne.Options{{Altruism: -0.1}, {Altruism: 1.1}, {Altruism: math.NaN()},
		{Altruism: 1, Tolerance: 1}, {Altruism: 1, ShareTolerance: -1}, {Altruism: 1, Reserve: true}} {
		if _, err := carbyne.New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

package distributed_test

import (
	"context"
	"fmt"
	"testing"

	"racecard/models/queues/distributed"
)

// schedule is one computed by hand: of a workload so small, or so symmetric, that its outcome does not depend on random
// numbers.
type schedule struct {
	name     string
	why      string // the arithmetic
	workload *distributed.Workload
	options  distributed.Options
	// want holds, by scheduler, the completion times of the jobs, in microseconds; the times of other schedulers depend
	// on random numbers.
	want map[string][]int64
}

// check runs a scheduler on the workload and reports differences.
func (f *schedule) check(name string, s distributed.Scheduler) error {
	want, ok := f.want[name]
	if !ok {
		return fmt.Errorf("%s: nothing is known of %s", f.name, name)
	}
	out, err := distributed.Run(context.Background(), f.workload, s, f.options)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", f.name, name, err)
	}
	for i := range want {
		if out.Completion[i] != want[i] {
			return fmt.Errorf("%s: %s: job %s takes %d us, want %d\n%s", f.name, name, f.workload.Jobs[i].ID,
				out.Completion[i], want[i], f.why)
		}
	}
	return nil
}

func TestSchedulersReproduceSchedulesWorkedOutByHand(t *testing.T) {
	met := map[string]bool{}
	for _, f := range schedules() {
		for name := range f.want {
			met[name] = true
			t.Run(f.name+"/"+name, func(t *testing.T) {
				s, err := distributed.New(name, f.options)
				if err != nil {
					t.Fatal(err)
				}
				if err := f.check(name, s); err != nil {
					t.Error(err)
				}
			})
		}
	}
	for _, k := range distributed.Kinds() {
		if !met[k.Name] {
			t.Errorf("no schedule for %s was worked out by hand", k.Name)
		}
	}
}

// same gives several schedulers the same completion times.
func same(want map[string][]int64, times []int64, names ...string) map[string][]int64 {
	for _, n := range names {
		want[n] = times
	}
	return want
}

func options(workers int, general float64, epfl bool) distributed.Options {
	o := distributed.DefaultOptions(workers)
	o.General, o.EPFL, o.Cutoff = general, epfl, 50*second
	return o
}

// seconds returns the same number of seconds n times.
func seconds(n int, x int64) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = x * second
	}
	return all
}

// schedules returns them all.
func schedules() []schedule {
	var all []schedule
	for _, epfl := range []bool{false, true} {
		all = append(all, oneTask(epfl), twoJobs(epfl), shortestFirst(epfl), longAndShort(epfl))
	}
	return append(all, stick(), misled(), steal(), slots(), unequalSlots(), stealingSlots(), threeWorkers(),
		stealAtOnce(), exhausted(), knownClasses())
}

var probing = []string{"sparrow", "hawk", "eagle", "eagle-fifo", "eagle-nosbp", "eagle-nosss", "ideal-eagle"}

func named(name string, epfl bool) string {
	if epfl {
		return name + ", following EPFL"
	}
	return name
}

func oneTask(epfl bool) schedule {
	w := &distributed.Workload{}
	w.Add("a", 0, -1, 10*second)
	f := schedule{name: named("one task on one worker", epfl), workload: w, options: options(1, 100, epfl),
		why: "A probe takes 0.5 ms, asking for the task 1 ms. A task bound early is not asked for, except following " +
			"EPFL.",
		want: same(map[string][]int64{}, []int64{10_001_500}, probing...)}
	if epfl {
		same(f.want, []int64{10_001_500}, "lwl", "dlwl")
	} else {
		same(f.want, []int64{10_000_500}, "lwl", "dlwl", "yaq-c", "yaq-d", "mercury")
		same(f.want, []int64{10_000_000}, "srpt")
	}
	return f
}

func twoJobs(epfl bool) schedule {
	w := &distributed.Workload{}
	w.Add("a", 0, -1, 10*second)
	w.Add("b", 1*second, -1, 5*second)
	f := schedule{name: named("two jobs on one worker", epfl), workload: w, options: options(1, 100, epfl),
		why: "a runs from 0.0005 (asking included) to 10.0015. Sparrow and Hawk: its second probe costs 1 ms, b runs " +
			"from 10.0025 to 15.0035.\n" +
			"Eagle drops probes of a for nothing: b ends at 15.0025. Without SRPT all probes of a cost 1 ms each: 20 " +
			"following EPFL, else one,\n" +
			"since a worker needs one only; where probes do not stick, the 19 others.",
		want: map[string][]int64{}}
	same(f.want, []int64{10_001_500, 14_003_500}, "sparrow", "hawk")
	same(f.want, []int64{10_001_500, 14_002_500}, "eagle", "eagle-nosss")
	same(f.want, []int64{10_001_500, 14_021_500}, "eagle-nosbp")
	if epfl {
		same(f.want, []int64{10_001_500, 14_002_500}, "lwl", "dlwl")
		same(f.want, []int64{10_001_500, 14_022_500}, "eagle-fifo", "ideal-eagle")
	} else {
		same(f.want, []int64{10_000_500, 14_000_500}, "lwl", "dlwl", "yaq-c", "yaq-d", "mercury")
		same(f.want, []int64{10_001_500, 14_003_500}, "eagle-fifo")
		same(f.want, []int64{10_001_500, 14_002_500}, "ideal-eagle")
		same(f.want, []int64{10_000_000, 14_000_000}, "srpt")
	}
	return f
}

func shortestFirst(epfl bool) schedule {
	w := &distributed.Workload{}
	w.Add("a", 0, -1, 10*second)
	w.Add("b", 1*second, -1, seconds(3, 4)...)
	w.Add("c", 2*second, -1, 5*second)
	f := schedule{name: named("three jobs on one worker", epfl), workload: w, options: options(1, 100, epfl),
		why: "At 10.0015, b has 12 s to do and c 5 s; c passes b, of whose limit of 5 x 4 s it takes 5: c ends at " +
			"15.0025, then b's tasks\n" +
			"at 19.0035, 23.0045 and 27.0055. Central: c passes all three tasks of b.",
		want: map[string][]int64{}}
	same(f.want, []int64{10_001_500, 26_005_500, 13_002_500}, "eagle", "eagle-nosss")
	if epfl {
		same(f.want, []int64{10_001_500, 26_005_500, 13_002_500}, "dlwl")
	} else {
		same(f.want, []int64{10_001_500, 26_005_500, 13_002_500}, "ideal-eagle")
		same(f.want, []int64{10_000_500, 26_000_500, 13_000_500}, "dlwl", "yaq-c", "yaq-d")
		same(f.want, []int64{10_000_000, 26_000_000, 13_000_000}, "srpt")
	}
	return f
}

func longAndShort(epfl bool) schedule {
	w := &distributed.Workload{}
	w.Add("long", 0, -1, seconds(3, 100)...)
	w.Add("short", 1*second, -1, seconds(2, 10)...)
	f := schedule{name: named("a long and a short job on three workers", epfl), workload: w,
		options: options(3, 60, epfl),
		why: "Worker 0 is for short jobs. The long job goes to workers 1, 2 and, waiting the same, 1 again. Of the " +
			"short job, one probe or more\n" +
			"reach worker 0 at once, and none is left elsewhere: its tasks run there from 1.0005 to 11.0015 and on " +
			"to 21.0025. Bound early,\n" +
			"no task is asked for.",
		want: map[string][]int64{}}
	if epfl {
		same(f.want, []int64{200_002_500, 20_002_500}, "eagle", "eagle-fifo", "eagle-nosbp", "ideal-eagle", "lwl")
	} else {
		same(f.want, []int64{200_000_500, 20_002_500}, "eagle", "eagle-fifo", "ideal-eagle")
		same(f.want, []int64{200_000_500, 20_000_500}, "lwl")
	}
	return f
}

// queues is the cluster of the thesis: four workers with 100, 100, 10 and 10 s to do, then a job of four tasks of 10 s.
func queues(estimate int64) *distributed.Workload {
	w := &distributed.Workload{}
	w.Add("queues", 0, estimate, 100*second, 100*second, 10*second, 10*second)
	w.Add("job", 0, -1, seconds(4, 10)...)
	return w
}

func stick() schedule {
	o := options(4, 100, false)
	o.Delay, o.ProbeRatio, o.MinProbes = 0, 1, 4
	return schedule{name: "sticky batch probing", workload: queues(10 * second), options: o,
		why: "One probe and one task per worker: the last tasks run from 100 to 110. With probes that stick, the two " +
			"workers that are free\n" +
			"at 10 run two tasks each, until 30.",
		want: map[string][]int64{"eagle-nosbp": {100 * second, 110 * second}, "eagle-fifo": {100 * second, 30 * second},
			"eagle": {100 * second, 30 * second}, "sparrow": {100 * second, 110 * second}}}
}

func misled() schedule {
	o := options(4, 100, false)
	o.Delay, o.ProbeRatio, o.MinProbes, o.Heartbeat = 0, 1, 4, 0
	return schedule{name: "queues that seem the same", workload: queues(10 * second), options: o,
		why: "All four queues are said to be 10 s long. Bound early, one task goes to each and the last ones run " +
			"from 100 to 110; with probes\n" +
			"that stick, the job ends at 30.",
		want: map[string][]int64{"lwl": {100 * second, 110 * second}, "dlwl": {100 * second, 110 * second}, "yaq-d": {100 * second, 110 * second},
			"yaq-c": {100 * second, 110 * second}, "eagle": {100 * second, 30 * second}}}
}

func steal() schedule {
	w := &distributed.Workload{}
	w.Add("long", 0, -1, 100*second)
	w.Add("short", 1*second, -1, seconds(4, 10)...)
	o := options(2, 50, false)
	o.ProbeRatio = 1
	return schedule{name: "stealing", workload: w, options: o,
		why: "The long task runs on worker 1. Two probes of the short job are at each worker. Worker 0 runs two " +
			"tasks, until 11.0015 and 21.0025,\n" +
			"asks worker 1, has the two probes behind the long task at 21.0035, and runs the others until 31.0045 " +
			"and 41.0055.",
		want: map[string][]int64{"hawk": {100_000_500, 40_005_500}}}
}

func slots() schedule {
	w := &distributed.Workload{}
	w.Add("a", 0, -1, 10*second)
	w.Add("b", 1*second, -1, 5*second)
	w.Add("c", 2*second, -1, 4*second)
	o := options(1, 100, false)
	o.Slots = 2
	f := schedule{name: "two slots", workload: w, options: o,
		why: "a runs in one slot until 10.0015, b in the other from 1.0005 to 6.0015, then c. Sparrow and Hawk: the " +
			"second probe of b costs 1 ms\n" +
			"first, c runs from 6.0025 to 10.0035. Eagle, too, sends one probe only, but it stays, and without SRPT " +
			"costs the same; with it, it\n" +
			"is dropped for nothing. Where probes do not stick, 19 of b cost 1 ms each. Bound early, b ends at " +
			"6.0005 and c at 10.0005.",
		want: map[string][]int64{}}
	same(f.want, []int64{10_001_500, 5_001_500, 8_003_500}, "sparrow", "hawk", "eagle-fifo")
	same(f.want, []int64{10_001_500, 5_001_500, 8_002_500}, "eagle", "eagle-nosss", "ideal-eagle")
	same(f.want, []int64{10_001_500, 5_001_500, 8_021_500}, "eagle-nosbp")
	same(f.want, []int64{10_000_500, 5_000_500, 8_000_500}, "lwl", "dlwl", "yaq-c", "yaq-d", "mercury")
	same(f.want, []int64{10_000_000, 5_000_000, 8_000_000}, "srpt")
	return f
}

func unequalSlots() schedule {
	w := &distributed.Workload{}
	w.Add("a", 0, -1, seconds(3, 10)...)
	w.Add("b", 1*second, -1, 8*second)
	w.Add("c", 2*second, -1, 4*second)
	o := options(2, 100, false)
	o.Capacity = []int{1, 2}
	f := schedule{name: "one slot and two", workload: w, options: o,
		why: "Each slot has a task of a from 0.0005 to 10.0005. b: worker 0 waits for the 9 s that are left of one " +
			"task, worker 1 for half the 18 s\n" +
			"of two: equal, so b goes to the first, from 10.0005 to 18.0005. c: worker 0 waits for 8 + 8 s, worker 1 " +
			"for half of 8 + 8: c runs\n" +
			"there from 10.0005 to 14.0005. In one queue it is the shorter one that is first, too, in another slot.",
		want: map[string][]int64{}}
	same(f.want, []int64{10_000_500, 17_000_500, 12_000_500}, "lwl")
	same(f.want, []int64{10_000_000, 17_000_000, 12_000_000}, "srpt")
	return f
}

func stealingSlots() schedule {
	w := &distributed.Workload{}
	w.Add("long", 0, -1, 100*second, 100*second)
	w.Add("short", 1*second, -1, seconds(8, 10)...)
	o := options(2, 50, false)
	o.ProbeRatio, o.Slots = 1, 2
	return schedule{name: "stealing with two slots", workload: w, options: o,
		why: "Both slots of worker 1 run a long task. Four probes of the short job are at each worker. Those of " +
			"worker 0 run two tasks at a time,\n" +
			"until 11.0015 and 21.0025; it asks worker 1, has its four probes at 21.0035, and runs them until " +
			"31.0045 and 41.0055.",
		want: map[string][]int64{"hawk": {100_000_500, 40_005_500}}}
}

func threeWorkers() schedule {
	w := &distributed.Workload{}
	w.Add("a", 0, -1, seconds(6, 10)...)
	o := options(3, 60, true)
	o.ProbeRatio = 200
	f := schedule{name: named("six tasks on three workers", true), workload: w, options: o,
		why: "All of three workers have a probe (1200 are sent), or two tasks: delays of up to 8 s that dlwl adds " +
			"are less than a task\n" +
			"takes. Each runs two, from 0.0005 to 10.0015 and on to 20.0025.",
		want: same(map[string][]int64{}, []int64{20_002_500}, probing...)}
	same(f.want, []int64{20_002_500}, "lwl", "dlwl")
	return f
}

func stealAtOnce() schedule {
	w := &distributed.Workload{}
	w.Add("long", 0, -1, seconds(2, 100)...)
	w.Add("short", 1*second, -1, seconds(20, 4)...)
	o := options(3, 60, true)
	o.ProbeRatio = 1
	return schedule{name: named("stealing", true), workload: w, options: o,
		why: "The long tasks run on workers 1 and 2 until 100.0015. Of 20 probes of the short job some are at worker " +
			"0, which steals the others,\n" +
			"in no time, when it has run out of its own. It runs one task after the other, 4.001 s each, from 1.0005 " +
			"to 81.0205.",
		want: map[string][]int64{"hawk": {100_001_500, 80_020_500}}}
}

func exhausted() schedule {
	w := &distributed.Workload{}
	w.Add("a", 0, -1, seconds(2, 10)...)
	w.Add("b", 1*second, -1, 0, 0)
	f := schedule{name: named("tasks that take nothing", true), workload: w, options: options(1, 100, true),
		why: "b has nothing to do and goes first, at 10.0015 and 10.0025; its tasks end at 10.0025 and 10.0035. " +
			"Workers hear of the first one at\n" +
			"10.0025, when no task is left, and drop its probes for nothing: a goes on at 10.0035, until 20.0045.",
		want: map[string][]int64{}}
	same(f.want, []int64{20_004_500, 9_003_500}, "eagle", "eagle-nosss")
	return f
}

func knownClasses() schedule {
	f := longAndShort(true)
	f.name = named("estimates that are a tenth of the truth", true)
	f.options.Estimates = distributed.Misestimation{Low: 0.1, High: 0.1}
	f.why = "The long job is said to have tasks of 10 s, less than the cutoff of 50 s, and is taken for long all the " +
		"same. " + f.why
	return f
}

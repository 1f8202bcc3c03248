// Package disttest holds schedules computed by hand, to test the schedulers of package distributed and new ones.
package disttest

import (
	"context"
	"fmt"

	"racecard/models/queues/distributed"
)

// Fixture is a workload so small, or so symmetric, that its outcome does not depend on random numbers.
type Fixture struct {
	Name     string
	Why      string // the arithmetic
	Workload *distributed.Workload
	Options  distributed.Options
	// Want holds, by scheduler, the completion times of the jobs, in microseconds; the times of other schedulers depend
	// on random numbers.
	Want map[string][]int64
}

// Check runs a scheduler on the fixture and reports differences.
func (f *Fixture) Check(name string, s distributed.Scheduler) error {
	want, ok := f.Want[name]
	if !ok {
		return fmt.Errorf("%s: nothing is known of %s", f.Name, name)
	}
	out, err := distributed.Run(context.Background(), f.Workload, s, f.Options)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", f.Name, name, err)
	}
	for i := range want {
		if out.Completion[i] != want[i] {
			return fmt.Errorf("%s: %s: job %s takes %d us, want %d\n%s", f.Name, name, f.Workload.Jobs[i].ID,
				out.Completion[i], want[i], f.Why)
		}
	}
	return nil
}

const s = distributed.Second

// same gives several schedulers the same completion times.
func same(want map[string][]int64, times []int64, names ...string) map[string][]int64 {
	for _, n := range names {
		want[n] = times
	}
	return want
}

func options(workers int, general float64, epfl bool) distributed.Options {
	o := distributed.DefaultOptions(workers)
	o.General, o.EPFL, o.Cutoff = general, epfl, 50*s
	return o
}

// seconds returns the same number of seconds n times.
func seconds(n int, x int64) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = x * s
	}
	return all
}

// Fixtures returns them all.
func Fixtures() []Fixture {
	var all []Fixture
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

func oneTask(epfl bool) Fixture {
	w := &distributed.Workload{}
	w.Add("a", 0, -1, 10*s)
	f := Fixture{Name: named("one task on one worker", epfl), Workload: w, Options: options(1, 100, epfl),
		Why: "A probe takes 0.5 ms, asking for the task 1 ms. A task bound early is not asked for, except following " +
			"EPFL.",
		Want: same(map[string][]int64{}, []int64{10_001_500}, probing...)}
	if epfl {
		same(f.Want, []int64{10_001_500}, "lwl", "dlwl")
	} else {
		same(f.Want, []int64{10_000_500}, "lwl", "dlwl", "yaq-c", "yaq-d", "mercury")
		same(f.Want, []int64{10_000_000}, "srpt")
	}
	return f
}

func twoJobs(epfl bool) Fixture {
	w := &distributed.Workload{}
	w.Add("a", 0, -1, 10*s)
	w.Add("b", 1*s, -1, 5*s)
	f := Fixture{Name: named("two jobs on one worker", epfl), Workload: w, Options: options(1, 100, epfl),
		Why: "a runs from 0.0005 (asking included) to 10.0015. Sparrow and Hawk: its second probe costs 1 ms, b runs " +
			"from 10.0025 to 15.0035.\n" +
			"Eagle drops probes of a for nothing: b ends at 15.0025. Without SRPT all probes of a cost 1 ms each: 20 " +
			"following EPFL, else one,\n" +
			"since a worker needs one only; where probes do not stick, the 19 others.",
		Want: map[string][]int64{}}
	same(f.Want, []int64{10_001_500, 14_003_500}, "sparrow", "hawk")
	same(f.Want, []int64{10_001_500, 14_002_500}, "eagle", "eagle-nosss")
	same(f.Want, []int64{10_001_500, 14_021_500}, "eagle-nosbp")
	if epfl {
		same(f.Want, []int64{10_001_500, 14_002_500}, "lwl", "dlwl")
		same(f.Want, []int64{10_001_500, 14_022_500}, "eagle-fifo", "ideal-eagle")
	} else {
		same(f.Want, []int64{10_000_500, 14_000_500}, "lwl", "dlwl", "yaq-c", "yaq-d", "mercury")
		same(f.Want, []int64{10_001_500, 14_003_500}, "eagle-fifo")
		same(f.Want, []int64{10_001_500, 14_002_500}, "ideal-eagle")
		same(f.Want, []int64{10_000_000, 14_000_000}, "srpt")
	}
	return f
}

func shortestFirst(epfl bool) Fixture {
	w := &distributed.Workload{}
	w.Add("a", 0, -1, 10*s)
	w.Add("b", 1*s, -1, seconds(3, 4)...)
	w.Add("c", 2*s, -1, 5*s)
	f := Fixture{Name: named("three jobs on one worker", epfl), Workload: w, Options: options(1, 100, epfl),
		Why: "At 10.0015, b has 12 s to do and c 5 s; c passes b, of whose limit of 5 x 4 s it takes 5: c ends at " +
			"15.0025, then b's tasks\n" +
			"at 19.0035, 23.0045 and 27.0055. Central: c passes all three tasks of b.",
		Want: map[string][]int64{}}
	same(f.Want, []int64{10_001_500, 26_005_500, 13_002_500}, "eagle", "eagle-nosss")
	if epfl {
		same(f.Want, []int64{10_001_500, 26_005_500, 13_002_500}, "dlwl")
	} else {
		same(f.Want, []int64{10_001_500, 26_005_500, 13_002_500}, "ideal-eagle")
		same(f.Want, []int64{10_000_500, 26_000_500, 13_000_500}, "dlwl", "yaq-c", "yaq-d")
		same(f.Want, []int64{10_000_000, 26_000_000, 13_000_000}, "srpt")
	}
	return f
}

func longAndShort(epfl bool) Fixture {
	w := &distributed.Workload{}
	w.Add("long", 0, -1, seconds(3, 100)...)
	w.Add("short", 1*s, -1, seconds(2, 10)...)
	f := Fixture{Name: named("a long and a short job on three workers", epfl), Workload: w,
		Options: options(3, 60, epfl),
		Why: "Worker 0 is for short jobs. The long job goes to workers 1, 2 and, waiting the same, 1 again. Of the " +
			"short job, one probe or more\n" +
			"reach worker 0 at once, and none is left elsewhere: its tasks run there from 1.0005 to 11.0015 and on " +
			"to 21.0025. Bound early,\n" +
			"no task is asked for.",
		Want: map[string][]int64{}}
	if epfl {
		same(f.Want, []int64{200_002_500, 20_002_500}, "eagle", "eagle-fifo", "eagle-nosbp", "ideal-eagle", "lwl")
	} else {
		same(f.Want, []int64{200_000_500, 20_002_500}, "eagle", "eagle-fifo", "ideal-eagle")
		same(f.Want, []int64{200_000_500, 20_000_500}, "lwl")
	}
	return f
}

// queues is the cluster of the thesis: four workers with 100, 100, 10 and 10 s to do, then a job of four tasks of 10 s.
func queues(estimate int64) *distributed.Workload {
	w := &distributed.Workload{}
	w.Add("queues", 0, estimate, 100*s, 100*s, 10*s, 10*s)
	w.Add("job", 0, -1, seconds(4, 10)...)
	return w
}

func stick() Fixture {
	o := options(4, 100, false)
	o.Delay, o.ProbeRatio, o.MinProbes = 0, 1, 4
	return Fixture{Name: "sticky batch probing", Workload: queues(10 * s), Options: o,
		Why: "One probe and one task per worker: the last tasks run from 100 to 110. With probes that stick, the two " +
			"workers that are free\n" +
			"at 10 run two tasks each, until 30.",
		Want: map[string][]int64{"eagle-nosbp": {100 * s, 110 * s}, "eagle-fifo": {100 * s, 30 * s},
			"eagle": {100 * s, 30 * s}, "sparrow": {100 * s, 110 * s}}}
}

func misled() Fixture {
	o := options(4, 100, false)
	o.Delay, o.ProbeRatio, o.MinProbes, o.Heartbeat = 0, 1, 4, 0
	return Fixture{Name: "queues that seem the same", Workload: queues(10 * s), Options: o,
		Why: "All four queues are said to be 10 s long. Bound early, one task goes to each and the last ones run " +
			"from 100 to 110; with probes\n" +
			"that stick, the job ends at 30.",
		Want: map[string][]int64{"lwl": {100 * s, 110 * s}, "dlwl": {100 * s, 110 * s}, "yaq-d": {100 * s, 110 * s},
			"yaq-c": {100 * s, 110 * s}, "eagle": {100 * s, 30 * s}}}
}

func steal() Fixture {
	w := &distributed.Workload{}
	w.Add("long", 0, -1, 100*s)
	w.Add("short", 1*s, -1, seconds(4, 10)...)
	o := options(2, 50, false)
	o.ProbeRatio = 1
	return Fixture{Name: "stealing", Workload: w, Options: o,
		Why: "The long task runs on worker 1. Two probes of the short job are at each worker. Worker 0 runs two " +
			"tasks, until 11.0015 and 21.0025,\n" +
			"asks worker 1, has the two probes behind the long task at 21.0035, and runs the others until 31.0045 " +
			"and 41.0055.",
		Want: map[string][]int64{"hawk": {100_000_500, 40_005_500}}}
}

func slots() Fixture {
	w := &distributed.Workload{}
	w.Add("a", 0, -1, 10*s)
	w.Add("b", 1*s, -1, 5*s)
	w.Add("c", 2*s, -1, 4*s)
	o := options(1, 100, false)
	o.Slots = 2
	f := Fixture{Name: "two slots", Workload: w, Options: o,
		Why: "a runs in one slot until 10.0015, b in the other from 1.0005 to 6.0015, then c. Sparrow and Hawk: the " +
			"second probe of b costs 1 ms\n" +
			"first, c runs from 6.0025 to 10.0035. Eagle, too, sends one probe only, but it stays, and without SRPT " +
			"costs the same; with it, it\n" +
			"is dropped for nothing. Where probes do not stick, 19 of b cost 1 ms each. Bound early, b ends at " +
			"6.0005 and c at 10.0005.",
		Want: map[string][]int64{}}
	same(f.Want, []int64{10_001_500, 5_001_500, 8_003_500}, "sparrow", "hawk", "eagle-fifo")
	same(f.Want, []int64{10_001_500, 5_001_500, 8_002_500}, "eagle", "eagle-nosss", "ideal-eagle")
	same(f.Want, []int64{10_001_500, 5_001_500, 8_021_500}, "eagle-nosbp")
	same(f.Want, []int64{10_000_500, 5_000_500, 8_000_500}, "lwl", "dlwl", "yaq-c", "yaq-d", "mercury")
	same(f.Want, []int64{10_000_000, 5_000_000, 8_000_000}, "srpt")
	return f
}

func unequalSlots() Fixture {
	w := &distributed.Workload{}
	w.Add("a", 0, -1, seconds(3, 10)...)
	w.Add("b", 1*s, -1, 8*s)
	w.Add("c", 2*s, -1, 4*s)
	o := options(2, 100, false)
	o.Capacity = []int{1, 2}
	f := Fixture{Name: "one slot and two", Workload: w, Options: o,
		Why: "Each slot has a task of a from 0.0005 to 10.0005. b: worker 0 waits for the 9 s that are left of one " +
			"task, worker 1 for half the 18 s\n" +
			"of two: equal, so b goes to the first, from 10.0005 to 18.0005. c: worker 0 waits for 8 + 8 s, worker 1 " +
			"for half of 8 + 8: c runs\n" +
			"there from 10.0005 to 14.0005. In one queue it is the shorter one that is first, too, in another slot.",
		Want: map[string][]int64{}}
	same(f.Want, []int64{10_000_500, 17_000_500, 12_000_500}, "lwl")
	same(f.Want, []int64{10_000_000, 17_000_000, 12_000_000}, "srpt")
	return f
}

func stealingSlots() Fixture {
	w := &distributed.Workload{}
	w.Add("long", 0, -1, 100*s, 100*s)
	w.Add("short", 1*s, -1, seconds(8, 10)...)
	o := options(2, 50, false)
	o.ProbeRatio, o.Slots = 1, 2
	return Fixture{Name: "stealing with two slots", Workload: w, Options: o,
		Why: "Both slots of worker 1 run a long task. Four probes of the short job are at each worker. Those of " +
			"worker 0 run two tasks at a time,\n" +
			"until 11.0015 and 21.0025; it asks worker 1, has its four probes at 21.0035, and runs them until " +
			"31.0045 and 41.0055.",
		Want: map[string][]int64{"hawk": {100_000_500, 40_005_500}}}
}

func threeWorkers() Fixture {
	w := &distributed.Workload{}
	w.Add("a", 0, -1, seconds(6, 10)...)
	o := options(3, 60, true)
	o.ProbeRatio = 200
	f := Fixture{Name: named("six tasks on three workers", true), Workload: w, Options: o,
		Why: "All of three workers have a probe (1200 are sent), or two tasks: delays of up to 8 s that dlwl adds " +
			"are less than a task\n" +
			"takes. Each runs two, from 0.0005 to 10.0015 and on to 20.0025.",
		Want: same(map[string][]int64{}, []int64{20_002_500}, probing...)}
	same(f.Want, []int64{20_002_500}, "lwl", "dlwl")
	return f
}

func stealAtOnce() Fixture {
	w := &distributed.Workload{}
	w.Add("long", 0, -1, seconds(2, 100)...)
	w.Add("short", 1*s, -1, seconds(20, 4)...)
	o := options(3, 60, true)
	o.ProbeRatio = 1
	return Fixture{Name: named("stealing", true), Workload: w, Options: o,
		Why: "The long tasks run on workers 1 and 2 until 100.0015. Of 20 probes of the short job some are at worker " +
			"0, which steals the others,\n" +
			"in no time, when it has run out of its own. It runs one task after the other, 4.001 s each, from 1.0005 " +
			"to 81.0205.",
		Want: map[string][]int64{"hawk": {100_001_500, 80_020_500}}}
}

func exhausted() Fixture {
	w := &distributed.Workload{}
	w.Add("a", 0, -1, seconds(2, 10)...)
	w.Add("b", 1*s, -1, 0, 0)
	f := Fixture{Name: named("tasks that take nothing", true), Workload: w, Options: options(1, 100, true),
		Why: "b has nothing to do and goes first, at 10.0015 and 10.0025; its tasks end at 10.0025 and 10.0035. " +
			"Workers hear of the first one at\n" +
			"10.0025, when no task is left, and drop its probes for nothing: a goes on at 10.0035, until 20.0045.",
		Want: map[string][]int64{}}
	same(f.Want, []int64{20_004_500, 9_003_500}, "eagle", "eagle-nosss")
	return f
}

func knownClasses() Fixture {
	f := longAndShort(true)
	f.Name = named("estimates that are a tenth of the truth", true)
	f.Options.Estimates = distributed.Misestimation{Low: 0.1, High: 0.1}
	f.Why = "The long job is said to have tasks of 10 s, less than the cutoff of 50 s, and is taken for long all the " +
		"same. " + f.Why
	return f
}

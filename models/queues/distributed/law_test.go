package distributed

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"
)

// drawWorkload draws some jobs, with tasks of round and of odd durations, many of them at the same instant.
func drawWorkload(t *rapid.T) *Workload {
	w := &Workload{}
	at := rapid.Int64Range(0, 1e12).Draw(t, "first")
	for i := range rapid.IntRange(1, 30).Draw(t, "jobs") {
		at += rapid.SampledFrom([]int64{0, 0, 300, 100_000, 1 * Second, 20*Second + 7}).Draw(t, "gap")
		var d []int64
		typical := rapid.SampledFrom([]int64{0, 700_000, 3 * Second, 40 * Second, 400 * Second}).Draw(t, "typical")
		for range rapid.IntRange(1, 12).Draw(t, "tasks") {
			d = append(d, typical+rapid.Int64Range(0, typical+1).Draw(t, "more"))
		}
		w.Add(fmt.Sprint(i), at, -1, d...)
	}
	return w
}

func drawOptions(t *rapid.T) Options {
	o := DefaultOptions(rapid.IntRange(1, 12).Draw(t, "workers"))
	o.General = rapid.SampledFrom([]float64{100, 98, 70, 30}).Draw(t, "general")
	o.Cutoff = rapid.SampledFrom([]int64{0, 30 * Second, 500 * Second}).Draw(t, "cutoff")
	o.Seed = rapid.Uint64().Draw(t, "seed")
	o.EPFL = rapid.Bool().Draw(t, "epfl")
	o.Heartbeat = rapid.SampledFrom([]int64{0, 1 * Second, 8 * Second}).Draw(t, "heartbeat")
	if rapid.Bool().Draw(t, "misestimated") {
		o.Estimates = Misestimation{0.1, 1.9}
	}
	if !o.EPFL {
		o.Delay = rapid.SampledFrom([]int64{0, 1, 500, Second}).Draw(t, "delay")
		o.Rounds = rapid.IntRange(1, 4).Draw(t, "rounds")
		o.Bypass = rapid.SampledFrom([]float64{0, 1, 5}).Draw(t, "bypass")
	}
	if o.Detail = rapid.Bool().Draw(t, "detail"); !o.EPFL {
		o.Slots = rapid.SampledFrom([]int{1, 1, 2, 3, 7}).Draw(t, "slots")
		o.Capacity = rapid.SampledFrom([][]int{nil, nil, nil, {2, 1}, {3, 4, 1}}).Draw(t, "capacity")
	}
	return o
}

func reserves(name string) bool {
	return name != "sparrow" && name != "srpt" && name != "yaq-c" && name != "yaq-d"
}

func TestEverySchedulerRunsEveryTaskOnceOnItsWorkers(t *testing.T) {
	OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		w, o := drawWorkload(t), drawOptions(t)
		if o.EPFL {
			w = w.EPFL()
		}
		for _, k := range Kinds() {
			if o.EPFL && !k.EPFL {
				continue
			}
			checker := NewChecker(w, o, reserves(k.Name) && o.Estimates == Misestimation{1, 1})
			o.Observe = checker
			out, err := Run(context.Background(), w, k.New(o), o)
			if err != nil {
				t.Fatalf("%s: %v", k.Name, err)
			}
			if err := checker.Err(); err != nil {
				t.Fatalf("%s: %v", k.Name, err)
			}
			for i := range w.Jobs {
				if out.Completion[i] < slices.Max(w.Of(i)) {
					t.Fatalf("%s: job %d takes %d, less than a task of it", k.Name, i, out.Completion[i])
				}
			}
			if u := out.Utilization; u < 0 || u > 1 {
				t.Fatalf("%s: %g of the workers are busy", k.Name, u)
			}
			o.Observe = nil
			again, err := Run(context.Background(), w, k.New(o), o)
			if err != nil || !reflect.DeepEqual(nanless(out), nanless(again)) {
				t.Fatalf("%s: the same seed gives another outcome, %v", k.Name, err)
			}
			if o.Detail {
				checkDetail(t, k.Name, w, out)
			}
		}
	})
}

// nanless makes outcomes comparable.
func nanless(o *Outcome) Outcome {
	c := *o
	for _, x := range []*float64{&c.Utilization, &c.SampledMean, &c.SampledMedian, &c.SampledAll} {
		if *x != *x {
			*x = -1
		}
	}
	return c
}

// checkDetail compares what jobs met with, added up, with what was counted on the way.
func checkDetail(t *rapid.T, name string, w *Workload, out *Outcome) {
	var rejected, stuck, bypassed, passed, stolen int64
	for i, j := range out.Jobs {
		rejected += int64(j.Rejected)
		stuck += int64(j.Stuck)
		bypassed += int64(j.Bypassed)
		passed += int64(j.Passed)
		stolen += int64(j.Stolen)
		if j.BehindLong > j.Queued || j.Longest > j.Queued || j.LongestBehind > j.Longest || j.Queued < 0 ||
			j.BehindLong < 0 {
			t.Fatalf("%s: job %d waits %+v", name, i, j)
		}
		if limit := out.Completion[i] * int64(w.Jobs[i].Tasks); j.Queued > limit {
			t.Fatalf("%s: job %d waits %d, longer than it takes", name, i, j.Queued)
		}
	}
	c := out.Counts
	if rejected != c.Rejected || stuck != c.Stuck || bypassed != c.Bypasses || passed != c.Bypasses ||
		stolen != c.Stolen {
		t.Fatalf("%s: jobs add up to %d rejected, %d stuck, %d bypassed, %d passed, %d stolen; counted are %+v", name,
			rejected, stuck, bypassed, passed, stolen, c)
	}
}

// limited is eagle that checks that no entry is passed by more than it may be.
type limited struct {
	orderedEagle
	t *rapid.T
}

func (l *limited) Choose(c *Cluster, w int32) int {
	i := l.orderedEagle.Choose(c, w)
	for _, x := range c.live(w) {
		if j := &c.jobs[x.job]; x.passed > j.limit {
			l.t.Fatalf("%d us of work passed an entry that may be passed by %d", x.passed, j.limit)
		}
	}
	return i
}

func TestNoTaskIsPassedByMoreThanItMayBe(t *testing.T) {
	OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		w, o := drawWorkload(t), drawOptions(t)
		if o.EPFL {
			w = w.EPFL()
		}
		if _, err := Run(context.Background(), w, &limited{orderedEagle{eagle: eagle{sticky: true}}, t},
			o); err != nil {
			t.Fatal(err)
		}
	})
}

// literal places jobs as EAGLE's published simulator is described to, looking at all workers for every task, by waits
// in seconds as floating-point numbers, and compares.
type literal struct {
	lwl
	t     *rapid.T
	sum   []int64
	since []int64 // start of the task that runs; -1 for none
	est   []int64
}

func (l *literal) Begin(c *Cluster) {
	l.lwl.Begin(c)
	l.sum, l.since, l.est = make([]int64, len(c.workers)), make([]int64, len(c.workers)), make([]int64, len(c.workers))
	for i := range l.since {
		l.since[i] = -1
	}
}

func (l *literal) Submit(c *Cluster, n int32) {
	j := &c.jobs[n]
	type candidate struct {
		wait float64
		w    int32
	}
	var want []int32
	var queue []candidate
	seconds := func(us int64) float64 { return float64(us) / Second }
	from := 0
	if j.reported {
		from = int(c.shortOnly)
	}
	for w := from; w < len(c.workers) && len(want) < int(j.tasks); w++ {
		if l.sum[w] == 0 {
			want = append(want, int32(w))
		}
	}
	if len(want) < int(j.tasks) {
		for w := from; w < len(c.workers); w++ {
			switch {
			case l.sum[w] == 0:
				queue = append(queue, candidate{seconds(j.estimate), int32(w)})
			case l.since[w] >= 0:
				queue = append(queue, candidate{seconds(2*c.o.Delay) +
					seconds(l.sum[w]) - min(seconds(c.base+c.now)-seconds(c.base+l.since[w]), seconds(l.est[w])),
					int32(w)})
			default:
				queue = append(queue, candidate{seconds(l.sum[w]), int32(w)})
			}
		}
		for len(want) < int(j.tasks) {
			sort.Slice(queue, func(a, b int) bool {
				return queue[a].wait < queue[b].wait || queue[a].wait == queue[b].wait && queue[a].w < queue[b].w
			})
			for first := &queue[0]; len(want) < int(j.tasks) && (len(queue) == 1 || first.wait <= queue[1].wait); {
				want = append(want, first.w)
				first.wait += seconds(j.estimate)
			}
		}
	}
	l.lwl.Submit(c, n)
	if !slices.Equal(l.to, want) {
		l.t.Fatalf("at %d, tasks of %d go to workers %v, want %v", c.now, j.estimate, l.to, want)
	}
	for _, w := range want {
		l.sum[w] += j.estimate
	}
}

func (l *literal) Started(c *Cluster, w, j int32, end int64) {
	l.lwl.Started(c, w, j, end)
	l.since[w], l.est[w] = c.now, c.jobs[j].estimate
}

func (l *literal) Ended(c *Cluster, w, j int32) {
	l.lwl.Ended(c, w, j)
	l.since[w] = -1
	l.sum[w] -= c.jobs[j].estimate
}

func TestLeastWaitingTimeIsWhatLookingAtAllWorkersFinds(t *testing.T) {
	OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		w, o := drawWorkload(t).EPFL(), drawOptions(t)
		o.EPFL, o.Delay, o.Rounds, o.Bypass, o.Slots, o.Capacity = true, 500, 2, 5, 1, nil
		if _, err := Run(context.Background(), w, &literal{t: t}, o); err != nil {
			t.Fatal(err)
		}
	})
}

func TestOneWorkerIsTextbookSRPT(t *testing.T) {
	OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorkload(t)
		o := DefaultOptions(1)
		out, err := Run(context.Background(), w, &srpt{}, o)
		if err != nil {
			t.Fatal(err)
		}
		n := len(w.Jobs)
		left, want := make([]int, n), make([]int64, n)
		for i := range w.Jobs {
			left[i] = w.Jobs[i].Tasks
		}
		for now := w.Jobs[0].Submit; ; {
			best, next := -1, int64(-1)
			for i, j := range w.Jobs {
				switch {
				case left[i] == 0:
				case j.Submit > now:
					if next < 0 {
						next = j.Submit
					}
				case best < 0 || int64(left[i])*j.Estimate < int64(left[best])*w.Jobs[best].Estimate:
					best = i
				}
			}
			if best < 0 && next < 0 {
				break
			}
			if best < 0 {
				now = next
				continue
			}
			now += w.Of(best)[w.Jobs[best].Tasks-left[best]]
			left[best]--
			want[best] = now - w.Jobs[best].Submit
		}
		if !slices.Equal(out.Completion, want) {
			t.Errorf("got %v, want %v", out.Completion, want)
		}
	})
}

// drawStages draws a workload of runs whose stages depend on each other.
func drawStages(t *rapid.T) *Workload {
	w := &Workload{}
	at := int64(0)
	for run := range rapid.IntRange(1, 8).Draw(t, "runs") {
		at += rapid.SampledFrom([]int64{0, 1 * Second, 20 * Second}).Draw(t, "gap")
		for stage := range rapid.IntRange(1, 4).Draw(t, "stages") {
			var d []int64
			for range rapid.IntRange(1, 6).Draw(t, "tasks") {
				d = append(d, rapid.Int64Range(0, 100*Second).Draw(t, "takes"))
			}
			w.Add(fmt.Sprint("run ", run), at, -1, d...)
			for back := 1; back <= stage; back++ {
				if rapid.Bool().Draw(t, "depends") {
					j := &w.Jobs[len(w.Jobs)-1]
					j.After = append(j.After, back)
				}
			}
		}
	}
	return w
}

func TestStagesBeginWhenThoseBeforeHaveEnded(t *testing.T) {
	OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		w, o := drawStages(t), drawOptions(t)
		if o.EPFL {
			o.EPFL, o.Delay = false, 500
		}
		runs := w.Runs()
		if len(runs.Durations) != len(w.Durations) || runs.Staged() {
			t.Fatal("runs are not the same work")
		}
		for _, k := range Kinds() {
			checker := NewChecker(w, o, reserves(k.Name) && o.Estimates == Misestimation{1, 1})
			o.Observe = checker
			out, err := Run(context.Background(), w, k.New(o), o)
			if err == nil {
				err = checker.Err()
			}
			if err != nil {
				t.Fatalf("%s: %v", k.Name, err)
			}
			// A run ends no sooner than its longest chain of stages, each as long as its longest task.
			chain, i := make([]int64, len(w.Jobs)), 0
			merged := out.Merged(w, runs, o.Reported())
			for r := range runs.Jobs {
				var longest int64
				for left := runs.Jobs[r].Tasks; left > 0; i++ {
					left -= w.Jobs[i].Tasks
					for _, b := range w.Jobs[i].After {
						chain[i] = max(chain[i], chain[i-b])
					}
					chain[i] += slices.Max(w.Of(i))
					longest = max(longest, chain[i])
				}
				if merged.Completion[r] < longest {
					t.Fatalf("%s: run %d takes %d, its stages one after the other %d", k.Name, r, merged.Completion[r],
						longest)
				}
			}
		}
	})
}

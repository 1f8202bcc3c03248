package study

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"racecard/models/queues/distributed"
)

// small is a workload of short and long jobs on a few workers.
func small() Setup {
	w := &distributed.Workload{}
	for i := range int64(200) {
		d := []int64{(5 + i%7) * distributed.Second, 3 * distributed.Second, (8 - i%3) * distributed.Second}
		if i%10 == 3 {
			d = []int64{300 * distributed.Second, 200 * distributed.Second}
		}
		w.Add(fmt.Sprint("job ", i), i*3*distributed.Second, -1, d...)
	}
	s := Default()
	s.Workload, s.Runs, s.PerJob = w, 2, true
	s.Options = distributed.DefaultOptions(w.WorkersFor(0.8, false))
	s.Options.Cutoff, s.Options.General, s.Options.Detail = 90*distributed.Second, 80, true
	return s
}

func TestCompareAddsUp(t *testing.T) {
	s := small()
	doc, err := Compare(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if doc.Workload.Jobs != 200 || doc.Workload.LongJobs != 20 || doc.Workload.LongTasks != 40 ||
		doc.Workload.LongWorkS != 20*500 {
		t.Errorf("got %+v", doc.Workload)
	}
	if len(doc.Jobs) != 200*len(s.Schedulers) {
		t.Errorf("%d rows", len(doc.Jobs))
	}
	for name, r := range doc.Schedulers {
		if r.Short.N != 180 || r.Long.N != 20 || len(r.JCTByJob) != 200 || r.ShortWait == nil {
			t.Errorf("%s: got %+v", name, r)
		}
		var sum float64
		for _, x := range r.JCTByJob {
			sum += x
		}
		if want := r.Short.Mean*180 + r.Long.Mean*20; math.Abs(sum-want) > 1e-6*want {
			t.Errorf("%s: jobs take %g s in all, the means say %g", name, sum, want)
		}
		if r.Efficiency <= 0 || r.Efficiency > 1 || r.Utilization <= 0 || r.Utilization > 1 {
			t.Errorf("%s: %g of the workers' time is work, %g is busy", name, r.Efficiency, r.Utilization)
		}
	}
	if doc.Table().Len() != len(doc.Jobs) {
		t.Error("the table lacks rows")
	}
}

func TestEveryExperimentIsTheSameOnAnyNumberOfCores(t *testing.T) {
	for _, x := range Experiments() {
		var got [2]string
		for i, cores := range []int{1, 3} {
			s := small()
			s.Workers = cores
			doc, err := x.Run(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			got[i] = string(b)
			for _, p := range doc.Points {
				for m, v := range p.S {
					if !(v.Low <= v.Median && v.Median <= v.High) {
						t.Errorf("%s: %s of %s at %g is %+v", x.Name, m, p.Scheduler, p.X, v)
					}
				}
				if p.Scheduler == x.Base && p.Over["short_p50"].High != 1 {
					t.Errorf("%s: the base over itself is %+v", x.Name, p.Over["short_p50"])
				}
			}
		}
		if got[0] != got[1] {
			t.Errorf("%s differs", x.Name)
		}
	}
}

func TestUnevenSubmissionsAreSaid(t *testing.T) {
	s := small()
	s.Workload.Jobs[0].Submit -= 2000 * distributed.Second // alone, before all others
	doc, err := Compare(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	// Jobs 10 to 189 come in 3 x 179 s: 18 long ones of 500 s, and 162 short ones of 8 + 3 + 7 s on average.
	if got, want := float64(doc.Workload.MiddleLoad),
		(18*500+162*18)/(3*179.0)/float64(s.Options.Workers); math.Abs(got-want) > 0.01*want {
		t.Errorf("the middle jobs offer a load of %g, want about %g", got, want)
	}
	if len(doc.Warnings) != 2 || doc.Warnings[0] != "20 jobs are long: too few for their 90th and 99th percentiles "+
		"to say much" || !strings.Contains(doc.Warnings[1], "unevenly") {
		t.Errorf("got %q", doc.Warnings)
	}
	if doc, err = Compare(context.Background(), small()); err != nil || len(doc.Warnings) != 1 {
		t.Errorf("got %v, %q", err, doc.Warnings)
	}
}

func TestKnownClassesKeepLongJobsApart(t *testing.T) {
	s := small()
	// 25 s for tasks of long jobs: below the cutoff
	s.Options.Estimates = distributed.Misestimation{Low: 0.1, High: 0.1}
	s.Schedulers = []string{"hawk"}
	for _, test := range []struct {
		known bool
		tasks int64
	}{{false, 0}, {true, 40}} {
		s.Options.KnownClasses = test.known
		doc, err := Compare(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if got := doc.Schedulers["hawk"].Counts.Placed; got != test.tasks || doc.Schedulers["hawk"].Long.N != 20 ||
			doc.Options.KnownClasses != test.known {
			t.Errorf("known classes %v: %d tasks are placed centrally, want %d; %d long jobs", test.known, got,
				test.tasks, doc.Schedulers["hawk"].Long.N)
		}
	}
}

// A sweep around one machine has two sizes, since five round to them; given sizes come once each, in order.
func TestSweepHasEverySizeOnce(t *testing.T) {
	for _, test := range []struct {
		workers     int
		given, want []float64
	}{{1, nil, []float64{1, 2}}, {4, nil, []float64{4, 5, 6, 7, 8}}, {4, []float64{20, 10, 20}, []float64{10, 20}}} {
		s := Setup{}
		s.Options.Workers = test.workers
		for _, n := range test.given {
			s.Sizes = append(s.Sizes, int(n))
		}
		if got := sizes(&s); !slices.Equal(got, test.want) {
			t.Errorf("%d workers, sizes %v: %v", test.workers, test.given, got)
		}
	}
}

func TestNamedExperiments(t *testing.T) {
	if all, err := Named([]string{"all"}); err != nil || len(all) != len(Experiments()) {
		t.Errorf("got %d, %v", len(all), err)
	}
	if _, err := Named([]string{"flight"}); err == nil {
		t.Error("an experiment that is not there is named")
	}
}

func TestDefaultsFollowTheTrace(t *testing.T) {
	s := small()
	if got := Cutoff(s.Workload); got < 8*distributed.Second || got > 250*distributed.Second {
		t.Errorf("a tenth of the jobs exceed %d us", got)
	}
	// Long jobs have 10,000 task-seconds, short ones 180 x about 18: 76%.
	if got := General(s.Workload, 90*distributed.Second); got < 74 || got > 78 {
		t.Errorf("long jobs have %g%% of the work", got)
	}
}

func TestTheSlowJobIsExplained(t *testing.T) {
	// Worker 1 runs the long task, 100 s from 0; of the short job's two probes per worker, those behind it wait until
	// worker 0, which runs two of four tasks until 21.0025, steals them.
	w := &distributed.Workload{}
	w.Add("long", 0, -1, 100*distributed.Second)
	w.Add("short", 1*distributed.Second, -1, 10*distributed.Second, 10*distributed.Second, 10*distributed.Second,
		10*distributed.Second)
	s := Default()
	s.Workload, s.Schedulers, s.Options = w, []string{"hawk"}, distributed.DefaultOptions(2)
	s.Options.General, s.Options.Cutoff, s.Options.ProbeRatio, s.Options.Detail = 50, 50*distributed.Second, 1, true
	doc, err := Compare(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if x := doc.Schedulers["hawk"].Slowest; len(x) != 1 || x[0].JobID != "short" || x[0].JCTS != 40.0055 ||
		x[0].LongestTaskS != 10 || x[0].Stolen != 2 || math.Abs(x[0].BehindLongS-2*20.003) > 1e-9 {
		t.Errorf("the slowest jobs are %+v", x)
	}
	if len(doc.Slow) != 1 || doc.Slow[0].JobID != "short" || doc.Slow[0].JCTS != 40.0055 ||
		len(doc.Slow[0].Tasks) != 4 {
		t.Fatalf("got %+v", doc.Slow)
	}
	third := doc.Slow[0].Tasks[2]
	if third.Worker != 0 || third.StartS != 20.0035 || third.EndS != 30.0045 || !third.Stolen ||
		len(third.Before) != 1 {
		t.Fatalf("the third task is %+v", third)
	}
	if b := third.Before[0]; !b.Long || b.JobID != "long" || b.FromS != 0.0005 || b.ToS != 20.0035 {
		t.Errorf("it waited behind %+v", b)
	}
	s.Explain, s.Schedulers, s.Options.Detail = []string{"long"}, []string{"hawk", "srpt"}, false
	if doc, err := Compare(context.Background(), s); err != nil || len(doc.Slow) != 2 || doc.Slow[1].JobID != "long" ||
		!doc.Slow[1].Long || doc.Slow[1].Scheduler != "srpt" || doc.Slow[1].JCTS != 100 {
		t.Errorf("of the job asked for: %+v, %v", doc.Slow, err)
	}
	s.Explain = []string{"nobody's"}
	if _, err := Compare(context.Background(), s); err == nil || !strings.Contains(err.Error(), `no job "nobody's"`) {
		t.Errorf("a job that is not there is explained: %v", err)
	}
	// Two tasks wait from 1.0005 to 21.0035 behind the long one; the first one waits for nothing, the second for the
	// first.
	if got := doc.Schedulers["hawk"].ShortWait; got.JobsBehindLong != 1 ||
		math.Abs(got.MeanBehindLongS-2*20.003/4) > 1e-9 {
		t.Errorf("got %+v", got)
	}
}

func TestRunsAreExplainedStageByStage(t *testing.T) {
	// The first stage is placed at 0 and runs from 0.0005 to 10.0005, the second from 10.001, one delay after it may
	// begin, to 15.001.
	w := &distributed.Workload{}
	w.Add("run", 0, -1, 10*distributed.Second)
	w.Add("run", 0, -1, 5*distributed.Second)
	w.Jobs[1].After = []int{1}
	s := Default()
	s.Workload, s.Schedulers, s.Options, s.Explain = w, []string{"lwl", "hawk"}, distributed.DefaultOptions(1),
		[]string{"run"}
	s.Options.General = 100
	doc, err := Compare(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Slow) != 4 || doc.Slow[1].Scheduler != "hawk" || doc.Slow[1].Stage != 1 {
		t.Fatalf("got %+v, want two stages, each under two schedulers", doc.Slow)
	}
	first, second := doc.Slow[0], doc.Slow[2]
	if first.Name() != "run, stage 1 of 2" || first.JCTS != 10.0005 || second.Name() != "run, stage 2 of 2" ||
		second.JCTS != 15.001 || second.EstimateS != 5 {
		t.Errorf("got %+v, %+v", first, second)
	}
	if x := second.Tasks; len(x) != 1 || x[0].QueuedS != 10.001 || x[0].StartS != 10.001 || x[0].EndS != 15.001 ||
		len(x[0].Before) != 0 {
		t.Errorf("the second stage ran %+v", x)
	}
}

func TestJobsAreExplainedOnWorkersOfTwoSlots(t *testing.T) {
	// The long task runs in slot 0 from 0.0015 on, the other one in slot 1 until 21.0015, and asks in
	// vain for a second one until 21.0025; then both of the job's do, one after the other.
	w := &distributed.Workload{}
	w.Add("long", 0, -1, 100*distributed.Second)
	w.Add("other", 1*distributed.Second, -1, 20*distributed.Second)
	w.Add("short", 2*distributed.Second, -1, 10*distributed.Second, 10*distributed.Second)
	s := Default()
	s.Workload, s.Schedulers, s.Options, s.Explain = w, []string{"sparrow"}, distributed.DefaultOptions(1),
		[]string{"short"}
	s.Options.Slots, s.Options.Cutoff, s.Options.ProbeRatio = 2, 50*distributed.Second, 1
	doc, err := Compare(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(doc.Slow[0].Tasks)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"worker":0,"slot":1,"queued_s":0.0005,"start_s":19.0025,"end_s":29.0035,"stolen":false,"before":[` +
		`{"slot":1,"from_s":0.0005,"to_s":19.0015,"job_id":"other","long":false},{"from_s":0.0005,"to_s":19.0025,"job_id":"long","long":true}]},` +
		`{"worker":0,"slot":1,"queued_s":0.0005,"start_s":29.0035,"end_s":39.0045,"stolen":false,"before":[` +
		`{"slot":1,"from_s":0.0005,"to_s":19.0015,"job_id":"other","long":false},{"from_s":0.0005,"to_s":29.0035,"job_id":"long","long":true}]}]`
	if strings.ReplaceAll(string(got), "null", "[]") != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestExplanationsAddUp compares what the tasks of a job waited for, slot by slot, with what is counted of it: they are
// found apart.
func TestExplanationsAddUp(t *testing.T) {
	behind := 0
	for _, slots := range []int{1, 2, 4} {
		s := small()
		s.Options.Workers, s.Options.Slots, s.Schedulers = (s.Options.Workers+slots-1)/slots, slots,
			[]string{"sparrow", "hawk", "eagle", "eagle-nosbp", "lwl", "dlwl", "mercury", "yaq-c", "yaq-d", "srpt"}
		for i := 100; i < 120; i++ {
			s.Explain = append(s.Explain, fmt.Sprint("job ", i))
		}
		doc, err := Compare(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		for i := range doc.Slow {
			x := &doc.Slow[i]
			queued, long := 0.0, 0.0
			for _, task := range x.Tasks {
				if task.Slot >= slots {
					t.Fatalf("%s, %s: a task runs in slot %d", x.Scheduler, x.JobID, task.Slot)
				}
				queued += task.StartS - task.QueuedS
				var at []float64 // where any slot changes; in between all may run long tasks
				for _, b := range task.Before {
					at = append(at, b.FromS, b.ToS)
				}
				slices.Sort(at)
				for k := 1; k < len(at); k++ {
					run := map[int]bool{}
					for _, b := range task.Before {
						if b.FromS <= at[k-1] && at[k] <= b.ToS && at[k-1] < at[k] {
							if _, twice := run[b.Slot]; twice {
								t.Fatalf("%s, %s: slot %d runs two tasks at once", x.Scheduler, x.JobID, b.Slot)
							}
							run[b.Slot] = b.Long
						}
					}
					all := len(run) == slots
					for _, l := range run {
						all = all && l
					}
					if all {
						long += at[k] - at[k-1]
					}
				}
			}
			if math.Abs(queued-x.QueuedS) > 1e-6 || math.Abs(long-x.BehindLongS) > 1e-6 {
				t.Errorf("%s, %s, %d slots: its tasks wait %g s, %g s of it behind long ones; counted are %g and %g",
					x.Scheduler, x.JobID, slots, queued, long, x.QueuedS, x.BehindLongS)
			}
			if long > 0 && slots > 1 {
				behind++
			}
		}
	}
	if behind == 0 {
		t.Error("no job waits behind long tasks in all slots")
	}
}

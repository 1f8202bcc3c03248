package compare_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/models/machines/compare"
	"racecard/models/machines/jobs"
	"racecard/models/machines/replay"
	"racecard/models/machines/replaytest"
	"racecard/models/workload"
)

// setup is two machines of one core and two bytes.
func setup() compare.Setup {
	s := compare.DefaultSetup()
	s.Capacities = []trace.Demand{replaytest.Both(1, 2), replaytest.Both(1, 2)}
	return s
}

// TestEveryScheduler runs all that have a name on the schedules computed by hand.
func TestEveryScheduler(t *testing.T) {
	for _, s := range compare.Schedulers() {
		t.Run(s.Name, func(t *testing.T) {
			p := compare.DefaultParameters()
			replaytest.Check(t, func() replay.Scheduler {
				made, err := s.Make(&p)
				if err != nil {
					t.Fatal(err)
				}
				return made
			}, s.Name != "drf-static" && s.Name != "carbyne" && s.Name != "carbyne-dagps")
		})
	}
}

// TestWithoutAltruism is C11: at P(Altruism) = 0 the document about Carbyne has the bytes of that about DRF.
func TestWithoutAltruism(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := setup()
		s.Parameters.Altruism = 0
		w, err := s.Prepare(&jobs.Builder{Jobs: replaytest.Jobs(r, 6, false)})
		if err != nil {
			r.Fatal(err)
		}
		outcomes, err := compare.All(t.Context(), s.Cases(w, []string{"drf", "carbyne"}, w.Jobs[0].ID), 2, nil)
		if err != nil {
			r.Fatal(err)
		}
		doc := compare.Document(&s, w, &jobs.Count{}, outcomes, true)
		drf, err := json.Marshal(doc.Schedulers["drf"])
		if err != nil {
			r.Fatal(err)
		}
		carbyne, err := json.Marshal(doc.Schedulers["carbyne"])
		if err != nil || string(drf) != string(carbyne) {
			r.Fatalf("%v\n%s\nwant\n%s", err, carbyne, drf)
		}
		if got := doc.Improvement["drf"]; got.Min != 1 || got.Max != 1 || doc.Slowed["drf"].Below1 != 0 {
			r.Fatalf("improvement %+v, want 1 for each job", got)
		}
	})
}

// TestDocument: one machine of one core; a takes it for 4 s from 0, b and c, of 1 s, come at 1. FIFO ends at 4, 5, 6:
// 4, 4 and 5 s; nothing can be yielded, so Carbyne does the same but for the order.
// outcomesOf replays jobs under some schedulers, and follows one of them.
func outcomesOf(t *testing.T, s *compare.Setup, schedulers []string, follow string,
	all ...*jobs.Job) (*compare.Workload, []*compare.Outcome) {
	t.Helper()
	w, err := s.Prepare(&jobs.Builder{Jobs: all})
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := compare.All(t.Context(), s.Cases(w, schedulers, follow), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w, outcomes
}

func TestDocument(t *testing.T) {
	s := setup()
	s.Capacities = s.Capacities[:1]
	cpu := replaytest.Both(1, 1)
	w, outcomes := outcomesOf(t, &s, []string{"fifo", "carbyne"}, "a", replaytest.Job("a", 7, replaytest.Stage(1, 4, cpu)),
		replaytest.Job("b", 8, replaytest.Stage(1, 1, cpu)), replaytest.Job("c", 8, replaytest.Stage(1, 1, cpu)))
	doc := compare.Document(&s, w, &jobs.Count{Count: workload.Count{LeftOut: map[string]int64{"no stages": 2}}},
		outcomes, true)
	fifo := doc.Schedulers["fifo"]
	if fifo.JCTByJob["a"] != 4 || fifo.JCTByJob["b"] != 4 || fifo.JCTByJob["c"] != 5 || fifo.MakespanS != 6 ||
		fifo.Utilization["cpu"] != 1 || fifo.Utilization["mem"] != 0.5 {
		t.Errorf("fifo: %+v", fifo)
	}
	if fifo.Events != 6 || fifo.TasksMean != 1 || fifo.LeftoverAtStart != nil ||
		doc.Schedulers["carbyne"].LeftoverAtStart["mem"] != 1 {
		t.Errorf("%d events, %v tasks, leftover %v and %v", fifo.Events, fifo.TasksMean, fifo.LeftoverAtStart,
			doc.Schedulers["carbyne"].LeftoverAtStart)
	}
	if len(doc.Runs) != 6 || doc.Runs[1].JobID != "b" || doc.Runs[1].ArrivalS != 1 || doc.Runs[1].JCTS != 4 ||
		doc.Runs[1].Improvement != 1 || doc.Table().Len() != 6 {
		t.Errorf("%+v", doc.Runs)
	}
	sizes := fifo.JCTBySize // 3 jobs in quarters: of 0, 1, 1 and 1
	if len(sizes) != 3 || sizes[2].UpTo != 4 || sizes[2].JCT.Mean != 4 || sizes[0].UpTo != 1 {
		t.Errorf("by size %+v", sizes)
	}
	if doc.LeftOut["no stages"] != 2 || doc.Workload.Tasks != 3 || doc.Workload.TaskSeconds != 6 ||
		doc.Workload.Arrivals != "trace" || doc.Cluster.Total["mem"] != 2 {
		t.Errorf("%+v, %+v", doc.Workload, doc.Cluster)
	}
	if got := fifo.Followed; got.Job != "a" || !slices.Equal(got.AtS, []float64{0, 4}) ||
		!slices.Equal(got.All, []int{1, 0}) {
		t.Errorf("a runs %+v", got)
	}
}

// TestSeedsAndWorkers: the same seed gives the same document, whatever the number of workers; another seed another.
// A job that takes no time under Carbyne, and 3 s under FIFO, counts in no ratio, and a warning says so.
func TestJobsOfNoTimeHaveNoRatio(t *testing.T) {
	s := setup()
	s.Capacities = s.Capacities[:1]
	cpu := replaytest.Both(1, 1)
	w, outcomes := outcomesOf(t, &s, []string{"fifo", "carbyne"}, "", replaytest.Job("a", 7, replaytest.Stage(1, 4, cpu)),
		replaytest.Job("b", 8, replaytest.Stage(1, 0, cpu)))
	outcomes[0].JCT, outcomes[1].JCT = []float64{8, 3}, []float64{8, 0}
	doc := compare.Document(&s, w, &jobs.Count{}, outcomes, false)
	if x := doc.Improvement["fifo"]; x.N != 1 || x.Mean != 1 ||
		!slices.Contains(doc.Warnings, "1 job takes no time under carbyne, and some under others: no ratio of times counts "+
			"them") {
		t.Errorf("%+v, %q", x, doc.Warnings)
	}
	if _, err := json.Marshal(doc); err != nil {
		t.Error(err)
	}
}

func TestSeedsAndWorkers(t *testing.T) {
	write := func(seed uint64, workers int) string {
		s := setup()
		s.Parameters.Seed, s.Parameters.Altruism, s.Jobs, s.InterarrivalS, s.Load = seed, 0.5, 12, 3, 2
		b := &jobs.Builder{}
		r := trace.NewRun("r")
		stage := trace.NewStage()
		stage.Tasks = 3
		r.Stages = []trace.Stage{stage}
		b.Add(r)
		var out []any
		experiments, err := compare.Find([]string{"all"})
		if err != nil {
			t.Fatal(err)
		}
		for k := range experiments {
			last := 0
			got, err := experiments[k].Run(t.Context(), s, []uint64{seed, seed + 1}, nil, b.Redraw, workers,
				func(n, of int) {
					if n != last+1 || n > of {
						t.Errorf("%d of %d after %d", n, of, last)
					}
					last = n
				})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, got)
		}
		text, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	one, two, other := write(1, 1), write(1, 2), write(5, 2)
	if one != two {
		t.Errorf("one worker\n%s\ntwo\n%s", one, two)
	}
	if one == other {
		t.Error("another seed gives the same")
	}
	for _, e := range compare.Experiments() {
		if !strings.Contains(one, `"name":"`+e.Name+`"`) {
			t.Errorf("no %s", e.Name)
		}
	}
}

// TestExperimentPoints: two seeds of one job; the medians of two numbers are their mean.
func TestExperimentPoints(t *testing.T) {
	s := setup()
	load := func(d workload.Draw) *jobs.Builder {
		return &jobs.Builder{Jobs: []*jobs.Job{replaytest.Job("a", 0, replaytest.Stage(1, float64(d.Seed),
			replaytest.Both(1, 1)))}}
	}
	e := compare.Experiment{Name: "x", Settings: []compare.Setting{{X: 2, Change: func(s *compare.Setup) {
		s.Remove = 2
	}}}}
	got, err := e.Run(t.Context(), s, []uint64{2, 6}, []string{"drf", "carbyne"}, load, 1, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	if p := got.Points[0]; p.X != 2 || p.Scheduler != "drf" || p.JCT.Low != 2 || p.JCT.Median != 4 || p.JCT.High != 6 ||
		p.Improvement != nil || !math.IsNaN(float64(p.Jain.Median)) {
		t.Errorf("%+v", p)
	}
	if f := got.Points[1].Improvement["drf"]; f.Mean.Low != 1 || f.OfMeans.High != 1 || f.Below1.High != 0 {
		t.Errorf("%+v", f)
	}
}

func TestPrepare(t *testing.T) {
	job := replaytest.Job("a", 3, replaytest.Stage(4, 1, replaytest.Both(1, 1)))
	for _, test := range []struct {
		name   string
		change func(s *compare.Setup)
		ok     func(w *compare.Workload) bool
	}{
		{"as it is", func(*compare.Setup) {}, func(w *compare.Workload) bool {
			return len(w.Jobs) == 1 && w.Jobs[0].Arrival == 0 && !w.Undated
		}},
		{"a sample", func(s *compare.Setup) { s.Jobs = 5 }, func(w *compare.Workload) bool { return len(w.Jobs) == 5 }},
		// 4 core-seconds of 2 cores in 1 job x 10 s at half the load: 10, so 2.5 times as long, though half the
		// machines go.
		{"load", func(s *compare.Setup) { s.InterarrivalS, s.Load, s.Remove = 10, 0.5, 2 },
			func(w *compare.Workload) bool {
				return w.Stretch == 2.5 && w.Jobs[0].TaskSeconds() == 10
			}},
		{"wrong estimates", func(s *compare.Setup) { s.Error.Share = 1 }, func(w *compare.Workload) bool {
			return w.Jobs[0].Stages[0].Seen[trace.CPU] == 2
		}},
		{"offline", func(s *compare.Setup) { s.Offline, s.Jobs = true, 3 }, func(w *compare.Workload) bool {
			return w.Jobs[2].Arrival == 0
		}},
	} {
		s := setup()
		test.change(&s)
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		w, err := s.Prepare(&jobs.Builder{Jobs: []*jobs.Job{job}})
		if err != nil || !test.ok(w) {
			t.Errorf("%s: %+v, %v", test.name, w, err)
		}
	}
	s := setup()
	if w, err := s.Prepare(&jobs.Builder{}); err != nil || len(w.Jobs) != 0 {
		t.Errorf("no jobs: %+v, %v", w, err)
	}
	for name, change := range map[string]func(s *compare.Setup){
		"interarrival": func(s *compare.Setup) { s.InterarrivalS = math.NaN() }, "jobs": func(s *compare.Setup) {
			s.Jobs = -1
		},
		"load": func(s *compare.Setup) { s.Load = 1 }, "p-altruism": func(s *compare.Setup) {
			s.Parameters.Altruism = 2
		},
		"demand-scale": func(s *compare.Setup) { s.DemandScale = 0 }, "machines": func(s *compare.Setup) {
			s.Capacities = nil
		},
		"weights":  func(s *compare.Setup) { s.Parameters.Weights = map[string]float64{"x": 0} },
		"wrong by": func(s *compare.Setup) { s.Error.Share = -1 },
		"fairness": func(s *compare.Setup) { s.Parameters.Fairness = 2 }, "leftover": func(s *compare.Setup) {
			s.Parameters.Leftover = "most"
		},
		"demands": func(s *compare.Setup) { s.Parameters.Demands = "" },
	} {
		s := setup()
		change(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMachines(t *testing.T) {
	s := setup()
	s.Remove = 2
	if m, err := s.Machines(); err != nil || m.Len() != 1 {
		t.Errorf("half of two: %v, %v", m, err)
	}
	s.Remove, s.Pooled = 1, true
	want := replaytest.Both(2, 4)
	if m, err := s.Machines(); err != nil || m.Len() != 1 || *m.Total() != m.Space().Quanta(&want) {
		t.Errorf("pooled: %v, %v", m, err)
	}
}

func TestRefused(t *testing.T) {
	if _, err := compare.Named("lifo"); err == nil || !strings.Contains(err.Error(), "carbyne-dagps") {
		t.Errorf("lifo: %v", err)
	}
	if _, err := compare.Find([]string{"online", "nosuch"}); err == nil ||
		!strings.Contains(err.Error(), "misestimation") {
		t.Errorf("nosuch: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := setup()
	w := &compare.Workload{Jobs: []*jobs.Job{replaytest.Job("a", 0, replaytest.Stage(1, 1, replaytest.Both(1, 1)))}}
	if _, err := compare.All(ctx, s.Cases(w, []string{"drf", "tetris"}, ""), 2, nil); !errors.Is(err,
		context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}

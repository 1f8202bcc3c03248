package health

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

func TestNothingIsOddAboutACleanTrace(t *testing.T) {
	checks, h := clean().examine(t)
	if got := fired(checks); got != nil {
		t.Errorf("%v fired", got)
	}
	if c := checks["zone-unknown"]; c.Severity != result.HealthInfo {
		t.Errorf("zone-unknown is %s, want info", c.Severity)
	}
	var unchecked []string
	for _, c := range h.Checks {
		if c.Severity == result.HealthUnchecked {
			unchecked = append(unchecked, c.ID)
		}
	}
	want := []string{"before-zero", "beyond-relative", "stage-overlaps-parent", "attempts-overlap",
		"outside-machine-lifetime",
		"io-without-stages", "unknown-machine"}
	if !slices.Equal(unchecked, want) {
		t.Errorf("unchecked %v, want %v: the trace holds what the others need", unchecked, want)
	}
	if h.Runs != 40 || h.Stages != 80 || h.Attempts != 120 || h.Status["runs"]["succeeded"] != 40 {
		t.Errorf("%d runs, %d stages, %d attempts, %v", h.Runs, h.Stages, h.Attempts, h.Status)
	}
}

// In a trace of nothing, nothing is found, and nothing is said to be in order.
func TestNothingIsSaidOfNothing(t *testing.T) {
	checks, h := (&trial{}).examine(t)
	for id, c := range checks {
		if c.Severity != result.HealthUnchecked || c.Count != 0 || !math.IsNaN(float64(c.Share)) {
			t.Errorf("%s: %+v", id, c)
		}
	}
	if len(h.Coverage.Bins) != 0 || !math.IsNaN(float64(h.Coverage.FromS)) {
		t.Errorf("coverage %+v", h.Coverage)
	}
}

// oddity is a mutation of the clean trace and what is then found.
type oddity struct {
	name    string
	mutate  func(*trial)
	id      string // "" for nothing
	count   int64
	of      int64   // 0 for not looked at
	largest float64 // 0 for none
	example string  // of the first
	level   string
	also    []string // other checks that fire for the same reason
}

func TestTimes(t *testing.T) {
	find(t, []oddity{
		// 40 x (3 of the run + 4 of stages + 9 of attempts) + 1 instants
		{"a year later", func(t *trial) { t.runs[3].Allocations = at(t0 + 400*86400*sec) }, "far-instants", 1, 641, 0,
			"r03", bad, nil},
		{"20 hours later", func(t *trial) { t.runs[3].Allocations = at(t0 + 20*3600*sec) }, "", 0, 0, 0, "", "", nil},
		{"epoch 0", func(t *trial) { t.runs[3].Allocations = at(0) }, "implausible-year", 1, 641, 0, "r03", bad,
			[]string{"far-instants"}},
		{"1990", func(t *trial) { t.runs[3].Allocations = at(631_152_000 * sec) }, "far-instants", 1, 641, 0, "r03",
			bad, nil},
		{"before 1990", func(t *trial) { t.runs[3].Allocations = at(631_152_000*sec - 1) }, "implausible-year", 1, 641,
			0, "r03", bad, []string{"far-instants"}},
		{"2100", func(t *trial) { t.runs[3].Allocations = at(4_102_444_800 * sec) }, "implausible-year", 1, 641, 0,
			"r03", bad, []string{"far-instants"}},
		{"largest number", func(t *trial) { t.runs[3].Allocations = at(math.MaxInt64) }, "out-of-range", 1, 641, 0,
			"r03", bad, nil},
		{"relative", func(t *trial) { t.relative(0) }, "", 0, 0, 0, "", "", nil},
		{"before the start", func(t *trial) { t.relative(0); t.runs[0].Submit = -5 * sec }, "before-zero", 1, 640, 0,
			"r00", info, nil},
		{"many before the start", func(t *trial) { t.relative(10 * 60 * sec) }, "before-zero", 160, 640, 0, "r00", warn,
			nil},
		{"Unix times called relative", func(t *trial) { t.opts.TimeBase = "relative" }, "beyond-relative", 640, 640, 0,
			"r39", bad, nil},
		// Gap: run 19 ends at t0 + 19 x 60.137 + 31 s, run 20 comes 45 min late, at 20 x 60.137 + 2700: 2729.137 s
		// between.
		{"a gap", func(t *trial) {
			t.each(func(i int, r *trace.Run) {
				if i >= 20 {
					move(r, later(45*60*sec))
				}
			})
		}, "coverage-gap", 1, 39, 2729.137, "", warn, []string{"not-continuous"}},
		{"runs far apart", func(t *trial) {
			t.each(func(i int, r *trace.Run) { move(r, later(trace.Duration(i)*600*sec)) })
		},
			"not-continuous", 1, 1, 0, "", warn, nil},
		{"three at the start", func(t *trial) {
			for i := range 3 {
				move(t.runs[i], later(-trace.Duration(i)*60_137*ms))
			}
		}, "begins-at-first-instant", 3, 40, 0, "r00", warn, []string{"not-continuous"}},
		{"two at the start", func(t *trial) { move(t.runs[1], later(-60_137*ms)) }, "", 0, 0, 0, "", "", nil},
		{"three at the end", func(t *trial) { t.runs[37].End, t.runs[38].End = t.runs[39].End, t.runs[39].End },
			"ends-at-last-instant", 3, 40, 0, "r37", warn, nil},
		{"no begin", func(t *trial) { t.runs[5].Submit, t.runs[5].Start = trace.None, trace.None }, "without-begin", 1,
			40, 0, "r05", info, nil},
		{"a start alone", func(t *trial) { t.runs[5].Submit = trace.None }, "", 0, 0, 0, "", "", nil},
		{"no end", func(t *trial) { t.runs[5].End, t.runs[6].End = trace.None, trace.None }, "without-end", 2, 40, 0,
			"r05", warn, nil},
		{"whole seconds", func(t *trial) { t.each(func(_ int, r *trace.Run) { move(r, wholeSecond) }) }, "coarse-clock",
			640, 640, 0, "", info, nil},
		// Half of the runs, 320 instants, and of run 0 the seven that are not at .25, .5 or .75 s
		{"two clocks", func(t *trial) {
			t.each(func(i int, r *trace.Run) {
				if i%2 == 1 {
					move(r, wholeSecond)
				}
			})
		}, "mixed-clock", 327, 640, 0, "", info, nil},
	})
}

// relative makes the times of a trace relative to its start, and that later.
func (t *trial) relative(start trace.Duration) {
	t.opts.TimeBase = "relative"
	t.each(func(_ int, r *trace.Run) { move(r, later(-trace.Duration(t0)-start)) })
}

func TestOrder(t *testing.T) {
	find(t, []oddity{
		{"run before its submission", func(t *trial) { t.runs[2].Start = t.runs[2].Submit - 2*sec },
			"run-before-submit", 1, 40, 2, "r02", warn, nil},
		{"child before its parent ended", func(t *trial) { t.runs[2].Stages[1].Start -= 3 * sec },
			"stage-before-parent", 1, 40, 3, "r02/1", warn, nil},
		{"child by its attempts", func(t *trial) {
			r := t.runs[2]
			r.Stages[0].End, r.Stages[1].Start = trace.None, trace.None
			r.Attempts[1].End += 2 * sec
			r.Attempts[1].Duration += 2 * sec
		}, "stage-before-parent", 1, 40, 2, "r02/1", warn, nil},
		{"one to one", func(t *trial) {
			t.runs[2].Stages[1].Start -= 3 * sec
			t.runs[2].Edges[0].Kind = trace.OneToOne
		}, "", 0, 0, 0, "", "", nil},
		{"edge of unknown kind", func(t *trial) {
			t.runs[2].Stages[1].Start -= 3 * sec
			t.runs[2].Edges[0].Kind = trace.EdgeUnknown
		},
			"stage-overlaps-parent", 1, 1, 3, "r02/1", info, nil},
		{"stage after its run", func(t *trial) { t.runs[2].Stages[1].End = t.runs[2].End + 4*sec }, "stage-outside-run",
			1, 80, 4, "r02/1", warn, nil},
		{"stage before its run", func(t *trial) { t.runs[2].Stages[0].Start = t.runs[2].Submit - 4*sec },
			"stage-outside-run", 1, 80, 4, "r02/0", warn, nil},
		{"attempt before its run", func(t *trial) {
			r := t.runs[2]
			r.Stages[0].Start = trace.None
			r.Attempts[0] = attempt(0, 0, r.Submit-6*sec, r.Submit+11*sec)
		}, "attempt-before-submit", 1, 120, 6, "r02/0/0/0", warn, nil},
		{"attempt before its stage", func(t *trial) { t.runs[2].Stages[0].Start += 250 * ms }, "attempt-before-stage",
			1, 120, 0.25, "r02/0/0/0", warn, nil},
		{"attempt after its run", func(t *trial) {
			r := t.runs[2]
			r.Stages[1].End, r.End = trace.None, r.Attempts[2].End-2*sec
		}, "attempt-after-run", 1, 120, 2, "r02/1/0/0", warn, nil},
		{"queued after the start", func(t *trial) { t.runs[2].Attempts[1].Queued = t.runs[2].Attempts[1].Start + sec },
			"queued-after-start", 1, 120, 1, "r02/0/1/0", warn, nil},
		{"stated duration", func(t *trial) { t.runs[2].Attempts[1].Duration -= 3 * sec }, "duration-differs", 1, 120, 3,
			"r02/0/1/0", bad, nil},
		{"attempts at once", func(t *trial) { t.again(trace.TriNull, trace.TriNull) }, "attempts-overlap", 1, 1, 4,
			"r02/0/0/1", info, nil},
		{"attempts at once, and not speculative", func(t *trial) { t.again(trace.No, trace.No) }, "attempts-overlap", 1,
			1, 4, "r02/0/0/1", warn, nil},
		{"a speculative copy", func(t *trial) { t.again(trace.No, trace.Yes) }, "", 0, 0, 0, "", "", nil},
		{"after a speculative copy", func(t *trial) { t.again(trace.Yes, trace.No) }, "", 0, 0, 0, "", "", nil},
		{"machine that has left", func(t *trial) { t.machines(t0, t.runs[39].Attempts[0].End-1500*ms) },
			"outside-machine-lifetime", 2, 80, 20.75, "r39/1/0/0", warn, nil},
		{"machine that has not come", func(t *trial) { t.machines(t0+1250*ms, trace.None) }, "outside-machine-lifetime",
			1, 80, 0.25, "r00/0/0/0", warn, nil},
		{"machine that was always there", func(t *trial) { t.machines(trace.None, trace.None) }, "", 0, 0, 0, "", "",
			nil},
		{"a year and a day", func(t *trial) { t.runs[4].End = t.runs[4].Submit + 367*86400*sec }, "long-runs", 1, 40,
			367 * 86400, "r04", bad, []string{"far-instants"}},
		{"attempt of a year and a day", func(t *trial) {
			a := &t.runs[4].Attempts[2]
			a.Start, a.End, a.Duration = trace.None, trace.None, 367*86400*sec
		}, "long-attempts", 1, 120, 367 * 86400, "r04/1/0/0", warn, nil},
		{"stage of no length", func(t *trial) { t.runs[4].Stages[0].End = t.runs[4].Stages[0].Start }, "zero-stages", 1,
			80, 0, "r04/0", info, nil},
		{"attempt of no length", func(t *trial) {
			a := &t.runs[4].Attempts[1]
			a.End, a.Duration = a.Start, 0
		}, "zero-attempts", 1, 120, 0, "r04/0/1/0", info, nil},
		{"run of no length", func(t *trial) {
			r := trace.NewRun("z")
			r.Name, r.User, r.Group, r.Submit, r.End, r.Status = "job-a", "user-a", "group-a", t0+5*sec, t0+
				5*sec, trace.Succeeded
			t.runs = append(t.runs, r)
		}, "zero-runs", 1, 41, 0, "z", info, []string{"runs-without-stages"}},
	})
}

// again adds a second attempt of task 0 of stage 0 of run 2, which starts 4 s before the first ends, and marks both.
func (t *trial) again(first, second trace.Tri) {
	r := t.runs[2]
	a := attempt(0, 0, r.Attempts[0].End-4*sec, r.Attempts[0].End)
	a.Attempt, a.Speculative = 1, second
	r.Attempts[0].Speculative = first
	r.Attempts = slices.Insert(r.Attempts, 1, a)
}

// machines makes a table in which m1 is there for some time and m2 always.
func (t *trial) machines(from, to trace.Instant) {
	a, b := trace.NewMachine("m1"), trace.NewMachine("m2")
	a.From, a.To = from, to
	t.opts.Machines = NewMachines([]trace.Machine{a, b})
}

func TestIDs(t *testing.T) {
	find(t, []oddity{
		// 40 runs + 80 stages + 120 attempts + 2 rejects
		{"duplicates", func(t *trial) {
			t.opts.Records.Rejected = map[string]int64{"duplicate id": 2}
			t.opts.Records.Repairs = map[string]int64{"event that occurs twice": 1, "unknown status": 7}
		}, "duplicate-ids", 3, 242, 0, "", bad, []string{"rejected-records"}},
		{"cycles", func(t *trial) { t.opts.Records.Repairs = map[string]int64{"edge of a cycle dropped": 4} }, "cycles",
			4, 240, 0, "", warn, nil},
		{"cyclic parents", func(t *trial) { t.opts.Records.Rejected = map[string]int64{"cyclic parents": 1} }, "cycles",
			1, 241, 0, "", warn, []string{"rejected-records"}},
		{"unknown parents", func(t *trial) { t.opts.Records.Repairs = map[string]int64{"unknown parent dropped": 4} },
			"unknown-parents", 4, 240, 0, "", warn, nil},
		{"ends before starts", func(t *trial) {
			t.opts.Records.Repairs = map[string]int64{"end before start": 1, "time of 0: not yet": 1,
				"job end before its start": 1}
		}, "reversed-times", 3, 240, 0, "", warn, nil},
		{"a reject in 10,000", func(t *trial) { t.rejects(1, 10_000) }, "rejected-records", 1, 10_000, 0, "", info,
			nil},
		{"a reject in 1,000", func(t *trial) { t.rejects(1, 1_000) }, "rejected-records", 1, 1_000, 0, "", warn, nil},
		{"a reject in 100", func(t *trial) { t.rejects(1, 100) }, "rejected-records", 1, 100, 0, "", bad, nil},
		{"no stages", func(t *trial) { t.runs[7].Stages, t.runs[7].Edges, t.runs[7].Attempts = nil, nil, nil },
			"runs-without-stages", 1, 40, 0, "r07", info, nil},
		{"datasets but no stages", func(t *trial) {
			r := t.runs[7]
			r.Stages, r.Edges, r.Attempts = nil, nil, nil
			r.IO = []trace.Access{{Dataset: "d", At: trace.None, Bytes: trace.None}}
		}, "io-without-stages", 1, 1, 0, "r07", info, []string{"runs-without-stages"}},
		{"no attempts", func(t *trial) { t.runs[7].Attempts = t.runs[7].Attempts[:2] }, "stages-without-attempts", 1,
			80, 0, "r07/1", info, nil},
		{"no attempts at all", func(t *trial) { t.each(func(_ int, r *trace.Run) { r.Attempts = nil }) }, "", 0, 0, 0,
			"", "", nil},
		{"no count", func(t *trial) { t.runs[7].Stages[1].Tasks = trace.None }, "attempts-without-count", 1, 80, 0,
			"r07/1", info, nil},
		{"another count", func(t *trial) { t.runs[7].Stages[0].Tasks = 3 }, "task-count-differs", 1, 80, 0, "r07/0",
			warn, nil},
		{"a retry is no task", func(t *trial) { t.again(trace.No, trace.Yes) }, "", 0, 0, 0, "", "", nil},
		{"unknown machine", func(t *trial) { t.opts.Machines = NewMachines([]trace.Machine{trace.NewMachine("m1")}) },
			"unknown-machine", 40, 120, 0, "r00/0/1/0", warn, nil},
		{"no name", func(t *trial) { t.runs[7].Name = "" }, "without-name", 1, 40, 0, "r07", info, nil},
		{"no names", func(t *trial) { t.each(func(i int, r *trace.Run) { r.Name = r.Name[:5*(i%2)] }) }, "without-name",
			20, 40, 0, "r00", warn, nil},
		{"no user", func(t *trial) { t.runs[7].User = "" }, "without-user", 1, 40, 0, "r07", info, nil},
		{"no group", func(t *trial) { t.runs[7].Group = "" }, "without-group", 1, 40, 0, "r07", info, nil},
		{"a name each", func(t *trial) { t.each(func(i int, r *trace.Run) { r.Name = fmt.Sprint("query ", i) }) },
			"unique-names", 40, 40, 0, "", warn, nil},
		{"a name for unrelated work", func(t *trial) { // twenty chains of 3 to 22 stages, two runs each
			t.each(func(i int, r *trace.Run) {
				r.Name, r.Attempts = "Spark shell", nil
				for len(r.Stages) < 3+i/2 {
					r.Stages = append(r.Stages, r.Stages[1])
					n := int32(len(r.Stages))
					r.Edges = append(r.Edges, trace.Edge{Parent: n - 2, Child: n - 1, Kind: trace.EdgeUnknown})
				}
			})
		}, "generic-names", 40, 40, 0, "", warn, []string{"stage-overlaps-parent", "constant-columns"}},
		{"a date each", func(t *trial) {
			t.each(func(i int, r *trace.Run) { r.Name = fmt.Sprintf("%c 2024-01-%02d", 'a'+i%2, 1+i%28) })
		}, "", 0, 0, 0, "", "", nil},
	})
}

func (t *trial) rejects(n, of int64) {
	t.opts.Records = Records{Read: of, Rejected: map[string]int64{"bad number": n}}
}

func TestValues(t *testing.T) {
	scale := func(t *trial, by float64) {
		t.each(func(_ int, r *trace.Run) {
			for i := range r.Stages {
				r.Stages[i].Demand[trace.Mem] *= by
			}
		})
	}
	find(t, []oddity{
		{"10,001 cores", func(t *trial) { t.runs[9].Stages[0].Demand[trace.CPU] = 10_001 }, "implausible-cpu", 1, 80,
			10_001, "r09/0", bad, nil},
		{"10,000 cores", func(t *trial) { t.runs[9].Stages[0].Demand[trace.CPU] = 10_000 }, "", 0, 0, 0, "", "", nil},
		{"10,001 of something", func(t *trial) {
			t.opts.Units = map[string]string{"cpu": "hundredths of a core"}
			t.runs[9].Stages[0].Demand[trace.CPU] = 10_001
		}, "", 0, 0, 0, "", "", nil},
		{"two petabytes", func(t *trial) { t.runs[9].Attempts[1].Demand[trace.Mem] = 2e15 }, "implausible-mem", 1, 81,
			2e15, "r09/0/1/0", bad, nil},
		{"memory in shares", func(t *trial) { scale(t, 1e-10) }, "normalised", 1, 2, 0, "", bad, nil},
		{"memory in percent", func(t *trial) { scale(t, 1e-8) }, "normalised", 1, 2, 0, "", bad, nil},
		{"memory said to be in shares", func(t *trial) {
			scale(t, 1e-10)
			t.opts.Units = map[string]string{"mem": "shares"}
		}, "", 0, 0, 0, "", "", nil},
		{"one user", func(t *trial) { t.each(func(_ int, r *trace.Run) { r.User = "ann" }) }, "constant-columns", 1, 9,
			0, "", info, nil},
		{"nine guarantees", func(t *trial) {
			for i := range 9 {
				t.runs[i].Guaranteed = 5
			}
		}, "", 0, 0, 0, "", "", nil},
		{"ten guarantees", func(t *trial) {
			for i := range 10 {
				t.runs[i].Guaranteed = 5
			}
		}, "constant-columns", 1, 10, 0, "", info, nil},
		{"no input", func(t *trial) { t.each(func(_ int, r *trace.Run) { r.InputBytes = 0 }) }, "input-zero", 40, 40, 0,
			"", warn, []string{"constant-columns"}},
	})
	checks, _ := (&trial{runs: clean().runs}).examine(t)
	if c := checks["constant-columns"]; c.Of != 9 {
		t.Errorf("%d columns are judged, want 9: input, tasks, duration, cpu, mem, name, user, group, machine", c.Of)
	}
}

func TestStatuses(t *testing.T) {
	set := func(s trace.Status, n int) func(*trial) {
		return func(t *trial) {
			for i := range n {
				t.runs[i].Status = s
			}
		}
	}
	find(t, []oddity{
		{"unknown", set(trace.StatusUnknown, 1), "status-unknown", 1, 40, 0, "r00", info, nil},
		{"half unknown", set(trace.StatusUnknown, 20), "status-unknown", 20, 40, 0, "r00", warn, nil},
		{"running", set(trace.Running, 1), "still-running", 1, 40, 0, "r00", info, nil},
		{"two running", set(trace.Running, 2), "still-running", 2, 40, 0, "r00", warn, nil},
		{"failed", set(trace.Failed, 1), "failed-runs", 1, 40, 0, "r00", info, nil},
		{"eight evicted", set(trace.Evicted, 8), "failed-runs", 8, 40, 0, "r00", warn, nil},
		{"a lost attempt", func(t *trial) { t.runs[3].Attempts[2].Status = trace.Lost }, "failed-attempts", 1, 120, 0,
			"r03/1/0/0", info, nil},
	})
}

// find wants each mutation found, and nothing beside.
func find(t *testing.T, oddities []oddity) {
	t.Helper()
	for _, o := range oddities {
		t.Run(o.name, func(t *testing.T) {
			trial := clean()
			o.mutate(trial)
			checks, _ := trial.examine(t)
			want := slices.Clone(o.also)
			if o.id != "" {
				want = append(want, o.id)
			}
			got := fired(checks)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%v fired, want %v", got, want)
			}
			if o.id == "" {
				return
			}
			c := checks[o.id]
			if c.Count != o.count || o.of > 0 && c.Of != o.of || c.Severity != o.level {
				t.Errorf("%s: %d of %d, %s; want %d of %d, %s", o.id, c.Count, c.Of, c.Severity, o.count, o.of, o.level)
			}
			if x := float64(c.Largest); math.IsNaN(x) != (o.largest == 0) || o.largest != 0 && x != o.largest {
				t.Errorf("%s: largest is %v, want %v", o.id, x, o.largest)
			}
			if got := firstExample(&c); got != o.example {
				t.Errorf("%s: example %q, want %q", o.id, got, o.example)
			}
		})
	}
}

// firstExample writes the place of the first example.
func firstExample(c *result.HealthCheck) string {
	if len(c.Examples) == 0 {
		return ""
	}
	e := c.Examples[0]
	text := e.JobID
	for _, n := range []*int32{e.Stage, e.Task, e.Attempt} {
		if n != nil {
			text += fmt.Sprintf("/%d", *n)
		}
	}
	return text
}

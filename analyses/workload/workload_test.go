package workload

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
)

// run makes a run with one stage, its times in seconds; -1 is unknown.
func run(id string, submit, start, end float64, status trace.Status, attempts ...trace.Attempt) *trace.Run {
	r := trace.NewRun(id)
	r.Name, r.Status = "job", status
	r.Submit, r.Start, r.End = at(submit), at(start), at(end)
	r.Stages = []trace.Stage{trace.NewStage()}
	r.Attempts = attempts
	return r
}

func at(s float64) trace.Instant {
	if s < 0 {
		return trace.None
	}
	return trace.Instant(s * 1e6)
}

// try makes an attempt; without an end its duration is unknown.
func try(task, number int32, start, end float64, status trace.Status, machine, reason string) trace.Attempt {
	a := trace.NewAttempt(0, task, number)
	a.Start, a.End, a.Status, a.Machine, a.Reason = at(start), at(end), status, machine, reason
	a.Duration = a.End.Since(a.Start)
	return a
}

// hand is a trace worked by hand.
//
//	run a: submitted at 0, runs 2-10, tasks 2-6 on m1, 2-10 on m2                  mean 6, 12 task-seconds
//	run b: submitted at 4, runs 4-24, tasks 4-5 failed on m1, again 6-24 on m2     mean 18, 19 task-seconds
//	run c: submitted at 4, failed 5-9, task 5-9 lost on m1                         no task ended well
//	run d: submitted at 20, runs 20-, one task that has not ended
func hand() []*trace.Run {
	b := run("b", 4, 4, 24, trace.Succeeded,
		try(0, 0, 4, 5, trace.Failed, "m1", "disk 1234567 full\nat line 3"), try(0, 1, 6, 24, trace.Succeeded, "m2",
			""))
	b.Allocations = []trace.Allocation{{At: at(4), Tokens: 2}, {At: at(14), Tokens: trace.None},
		{At: at(19), Tokens: 1}}
	return []*trace.Run{
		run("a", 0, 2, 10, trace.Succeeded, try(0, 0, 2, 6, trace.Succeeded, "m1", ""),
			try(1, 0, 2, 10, trace.Succeeded, "m2", "")),
		b,
		run("c", 4, 5, 9, trace.Failed, try(0, 0, 5, 9, trace.Lost, "m1", "")),
		run("d", 20, 20, -1, trace.Running, try(0, 0, 20, -1, trace.Running, "m2", "")),
	}
}

func analyze(t testing.TB, o Options, runs ...*trace.Run) *result.Workload {
	t.Helper()
	p := New(o)
	for _, r := range runs {
		p.Add(r)
	}
	w, err := p.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func equal(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestByHand(t *testing.T) {
	w := analyze(t, DefaultOptions(), hand()...)

	// arrivals 0, 4, 4, 20: gaps 4, 0, 16, mean 20/3, deviations -8/3, -20/3, 28/3, squares (64 + 400 + 784) / 9,
	// variance 1248 / 9 / 2 = 208/3
	a := &w.Arrivals
	equal(t, "arrivals", float64(a.N), 4)
	equal(t, "arrivals per hour", float64(a.PerHour), 3/(20.0/3600))
	equal(t, "mean gap", a.Gap.Mean, 20.0/3)
	equal(t, "CoV of gaps", float64(a.GapCoV), math.Sqrt(208.0/3)/(20.0/3))
	equal(t, "simultaneous", float64(a.AtOnce), 1.0/3)
	if want := (result.Gap{FromS: 4, ToS: 20, Seconds: 16}); a.Longest != want {
		t.Errorf("longest gap %+v, want %+v", a.Longest, want)
	}
	if s := a.Counts; s.BinS != 5 || len(s.Values) != 5 || s.Values[0] != 3 || s.Values[1] != 0 || s.Values[4] != 1 {
		t.Errorf("counts %+v", s)
	}

	// completion times from submission: a 10, b 20; c failed after 5; waits 2, 0, 1, 0
	d := &w.Durations
	equal(t, "completion times", float64(d.Completion.N), 2)
	equal(t, "median completion time", d.Completion.P50, 15)
	equal(t, "unsuccessful", d.Unsuccessful.Max, 5)
	equal(t, "mean wait", d.Wait.Mean, 0.75)
	equal(t, "runs that had not ended", float64(d.Censored), 1)
	if e := d.Extremes[0]; e.JobID != "b" || e.Value != 20 {
		t.Errorf("the longest run is %+v, want b", e)
	}

	// tasks: a 2, b 1 (two attempts), c 1, d 1
	equal(t, "tasks", w.TasksPerJob.Total, 5)
	equal(t, "largest run", w.TasksPerJob.Tasks.Max, 2)

	// durations: 4, 8, 18 ended well, 1 and 4 did not, one had not ended
	equal(t, "task durations", float64(w.TaskDurations.Duration.N), 3)
	equal(t, "median task duration", w.TaskDurations.Duration.P50, 8)
	equal(t, "unsuccessful task durations", w.TaskDurations.Unsuccessful.Mean, 2.5)
	equal(t, "tasks that had not ended", float64(w.TaskDurations.Censored), 1)
	if e := w.TaskDurations.Extremes[0]; e.JobID != "b" || e.What != "longest attempt, s: stage 0, task 0, attempt 1" {
		t.Errorf("the longest attempt is %+v", e)
	}

	// attempts under way: 2-4 two; 4-5 three (one of b); 5-6 three (c in place of b's); 6-9 three (b's second for a's
	// first); 9-10 two; 10-24 one. Integral 2x2 + 1x3 + 1x3 + 3x3 + 1x2 + 14x1 = 35 over 22 s.
	c := w.Concurrency.Tasks
	equal(t, "most attempts at once", c.Peak, 3)
	equal(t, "when", c.PeakAtS, 4)
	equal(t, "mean attempts at once", c.Mean, 35.0/22)
	equal(t, "time-weighted mean", c.Weighted.Mean, 35.0/22)
	equal(t, "time-weighted median", c.Weighted.P50, 1) // one for 14 of 22 s
	equal(t, "time-weighted p75", c.Weighted.P75, 2)    // at most two for 17 of 22 s: 77%
	equal(t, "time-weighted p90", c.Weighted.P90, 3)    // the other 5 s
	equal(t, "attempts without an end", float64(c.Without), 1)
	// runs from submission to end: a 0-10, b 4-24, c 4-9
	equal(t, "most runs at once", w.Concurrency.Runs.Peak, 3)
	equal(t, "mean runs at once", w.Concurrency.Runs.Mean, 35.0/24)
	// b held 2 tokens from 4 to 19 and 1 from 19 to 24: 35 token-seconds, of which its attempts used 19
	u := w.Concurrency.Utilization
	if len(u) != 1 || u[0].Resource != "tokens" {
		t.Fatalf("utilization %+v", u)
	}
	equal(t, "use of tokens", u[0].Share, 19.0/35)

	// of 5 attempts that ended 2 did not succeed: 1 + 4 of 35 task-seconds
	f := &w.Failures
	equal(t, "ended", float64(f.Ended), 5)
	equal(t, "unsuccessful", float64(f.Bad), 2)
	equal(t, "wasted", f.WastedS, 5)
	equal(t, "share wasted", float64(f.WastedShare), 5.0/35)
	want := []result.Reason{
		{Reason: "", Status: "lost", Spent: result.Spent{Attempts: 1, TaskSeconds: 4},
			Example: "c, stage 0, task 0, attempt 0"},
		{Reason: "disk # full", Status: "failed", Spent: result.Spent{Attempts: 1, TaskSeconds: 1},
			Example: "b, stage 0, task 0, attempt 0"},
	}
	if len(f.Reasons) != 2 || f.Reasons[0] != want[0] || f.Reasons[1] != want[1] {
		t.Errorf("reasons %+v, want %+v", f.Reasons, want)
	}
	if r := f.Retries; r.Tasks != 5 || r.Retried != 1 || len(r.Attempts) != 2 || r.Attempts[0] != 4 ||
		r.Attempts[1] != 1 {
		t.Errorf("retries %+v, want 4 tasks with one attempt and 1 with two", r)
	}
	// m1: three attempts, two bad; m2: two, none. P(X >= 2 of 3 at 2/5) = 3 x .16 x .6 + .064 = .352
	if len(w.Machines) != 2 || w.Machines[0].Machine != "m1" || w.Machines[0].Failed != 2 ||
		w.Machines[0].Attempts != 3 || w.Machines[0].TaskSeconds != 9 {
		t.Errorf("machines %+v", w.Machines)
	}
	equal(t, "p of m1", float64(w.Machines[0].P), 0.352)
	equal(t, "q of m1", float64(w.Machines[0].Q), 0.704)

	// jobs b (mean 18, 19 task-seconds) and a (mean 6, 12): with b long 1/2 of the jobs hold 19/31
	if s := w.Cutoff.Suggested; s == nil || s.CutoffS != 6 || s.Long != 1 || s.ShareOfJobs != 0.5 ||
		math.Abs(s.ShareOfTime-19.0/31) > 1e-12 || s.ShareTasks != 1.0/3 {
		t.Errorf("cutoff %+v", w.Cutoff.Suggested)
	}
	if w.Cutoff.Clear || w.Cutoff.LeftOut["runs without an attempt that ended well in a known time"] != 2 {
		t.Errorf("cutoff clear: %v, left out %v", w.Cutoff.Clear, w.Cutoff.LeftOut)
	}
	if len(w.Fits) != 4 || len(w.Fits[0].Families) != 0 || !strings.Contains(w.Fits[0].Warnings[0],
		"nothing is fitted") {
		t.Errorf("fits %+v", w.Fits)
	}
}

// text is all that a result says.
func text(t interface{ Fatal(...any) }, w *result.Workload) string {
	doc, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := json.Marshal(w.Machines)
	if err != nil {
		t.Fatal(err)
	}
	return string(doc) + string(rows)
}

// Whatever the runs, their order and how they are divided, the result is the same, and JSON can hold it; on both sides
// of the limit of memory.
func TestPartitionsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var runs []*trace.Run
		for i := range rapid.IntRange(0, 8).Draw(t, "runs") {
			runs = append(runs, tracetest.Run(t, string(rune('a'+i))))
		}
		o := Options{
			Memory: rapid.Int64Range(0, 20).Draw(t, "attempts kept") * perValue, Resamples: 3, Seed: 1,
			Unix:     rapid.Bool().Draw(t, "unix"),
			Machines: []trace.Machine{{Name: "m", CPU: 4, GPU: math.NaN(), From: trace.None, To: 5e8}},
		}
		finish := func(parts int, runs []*trace.Run) string {
			p := New(o)
			for k := range parts {
				q := New(o)
				for i, r := range runs {
					if i%parts == k {
						q.Add(r)
					}
				}
				p.Merge(q)
			}
			w, err := p.Finish(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return text(t, w)
		}
		want := finish(1, runs)
		for _, parts := range []int{2, 3} {
			if got := finish(parts, rapid.Permutation(runs).Draw(t, "order")); got != want {
				t.Fatalf("in %d parts\n%s\nin one\n%s", parts, got, want)
			}
		}
	})
}

// A part that lacks columns names them and gives no numbers.
func TestPartsThatAreNotAvailable(t *testing.T) {
	arrivals := trace.NewRun("r")
	arrivals.Submit = at(3)
	durations := run("r", -1, -1, -1, trace.StatusUnknown, try(0, 0, -1, -1, trace.StatusUnknown, "", ""))
	durations.Attempts[0].Duration = 5e6
	for name, test := range map[string]struct {
		run  *trace.Run
		want map[string]string // part -> missing; "" when available
	}{
		"submissions alone": {arrivals, map[string]string{"arrivals": "", "durations": "jobs.end",
			"tasks_per_job":  "stages.tasks|tasks.task",
			"task_durations": "tasks.duration", "concurrency": "tasks.start|jobs.submit|jobs.start,tasks.end|jobs.end",
			"failures": "tasks.status", "cutoff": "tasks.duration"}},
		"durations alone": {durations, map[string]string{"arrivals": "jobs.submit|jobs.start",
			"durations":     "jobs.submit|jobs.start,jobs.end",
			"tasks_per_job": "", "task_durations": "", "failures": "tasks.status", "cutoff": ""}},
	} {
		var doc map[string]json.RawMessage
		data, err := json.Marshal(analyze(t, DefaultOptions(), test.run))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		for part, missing := range test.want {
			var head map[string]any
			if err := json.Unmarshal(doc[part], &head); err != nil {
				t.Fatal(err)
			}
			var got []string
			if m, ok := head["missing"].([]any); ok {
				for _, c := range m {
					got = append(got, c.(string))
				}
			}
			if strings.Join(got, ",") != missing || head["available"] != (missing == "") {
				t.Errorf("%s: %s: available %v, missing %v, want %q", name, part, head["available"], got, missing)
			}
			if missing != "" && len(head) != 3 {
				t.Errorf("%s: %s is not available and says %v", name, part, head)
			}
		}
	}
}

// Of a run's tasks, those that stages state count, then those with attempts; a run with neither is left out.
func TestTasksOfARun(t *testing.T) {
	r := run("r", 0, 0, 9, trace.Succeeded, try(0, 0, 0, 1, trace.Failed, "", ""), try(0, 1, 1, 2, trace.Succeeded, "",
		""), try(1, 0, 0, 1, trace.Succeeded, "", ""))
	stated := trace.NewStage()
	stated.Tasks = 7
	r.Stages = append(r.Stages, stated)
	unknownStage := run("u", 0, 0, 9, trace.Succeeded)
	w := analyze(t, DefaultOptions(), r, unknownStage, trace.NewRun("none"))
	equal(t, "tasks", w.TasksPerJob.Total, 9)
	if l := w.TasksPerJob.LeftOut; l["runs without stages"] != 1 ||
		l["runs with a stage of an unknown number of tasks"] != 1 {
		t.Errorf("left out %v", l)
	}
}

// Beyond the memory, concurrency and durations are estimates that say so, and near what they are.
func TestBeyondTheMemory(t *testing.T) {
	var runs []*trace.Run
	for i := range 200 {
		s := float64(i)
		runs = append(runs, run(string(rune('a'+i)), s, s, s+10, trace.Succeeded, try(0, 0, s, s+10, trace.Succeeded,
			"m", "")))
	}
	o := DefaultOptions()
	exact := analyze(t, o, runs...)
	o.Memory = 100 * perValue
	rough := analyze(t, o, runs...)
	a, b := exact.Concurrency.Tasks, rough.Concurrency.Tasks
	if a.PeakError != "" || a.Peak != 10 || b.PeakError == "" || math.Abs(b.Peak-10) > 0.5 || a.Mean != b.Mean {
		t.Errorf("exact %+v, estimated %+v", a, b)
	}
	if exact.TaskDurations.Error != 0 || rough.TaskDurations.Error == 0 ||
		math.Abs(rough.TaskDurations.Duration.P50-10) > 10*rough.TaskDurations.Error {
		t.Errorf("exact %+v, estimated %+v", exact.TaskDurations.Duration, rough.TaskDurations.Duration)
	}
	if len(rough.Warnings) != 2 {
		t.Errorf("warnings %v", rough.Warnings)
	}
}

func BenchmarkAdd(b *testing.B) {
	var runs []*trace.Run
	for i := range 100 {
		r := run(string(rune('a'+i)), float64(i), float64(i), float64(i)+9, trace.Succeeded)
		for k := range int32(20) {
			r.Attempts = append(r.Attempts, try(k, 0, float64(i)+float64(k)/7, float64(i)+9, trace.Succeeded,
				string('a'+k), ""))
		}
		runs = append(runs, r)
	}
	o := DefaultOptions()
	p := New(o)
	for i := range b.N {
		if i%100_000 == 0 {
			p = New(o)
		}
		p.Add(runs[i%len(runs)])
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	b.ReportMetric(20*float64(b.N)/b.Elapsed().Seconds(), "attempts/s")
}

// Whatever times and counts a trace may hold, at the ends of what [trace.MaxSeconds] allows and all alike, there is a
// result that JSON can hold, in little time and memory.
func TestAnyTimes(t *testing.T) {
	const end = trace.MaxSeconds * second
	rapid.Check(t, func(t *rapid.T) {
		instant := rapid.OneOf(rapid.SampledFrom([]int64{-end, -1, 0, 1, second, hour, 40 * day, 20_000 * day, end}),
			rapid.Int64Range(-end, end))
		p := New(Options{Memory: 1 << 20, Resamples: 1, Seed: 1, Unix: rapid.Bool().Draw(t, "unix")})
		for i := range rapid.IntRange(1, 30).Draw(t, "runs") {
			times := rapid.SliceOfN(instant, 3, 3).Draw(t, "times")
			slices.Sort(times)
			r := trace.NewRun(string(rune('a' + i)))
			r.Submit, r.Start, r.End, r.Status = trace.Instant(times[0]), trace.Instant(times[1]),
				trace.Instant(times[2]), trace.Succeeded
			s := trace.NewStage()
			s.Tasks = rapid.SampledFrom([]int64{1, 7, math.MaxInt32}).Draw(t, "tasks")
			s.Demand[trace.CPU] = rapid.SampledFrom([]float64{0, 1e-9, 2, 1e300}).Draw(t, "cpu")
			r.Stages = []trace.Stage{s}
			a := trace.NewAttempt(0, 0, 0)
			a.Start, a.Status = r.Start, trace.Running
			if d := r.End.Since(r.Start); d <= trace.Duration(end) {
				a.End, a.Duration, a.Status = r.End, d, trace.Succeeded
			}
			r.Attempts = []trace.Attempt{a}
			r.Allocations = []trace.Allocation{{At: r.Start,
				Tokens: rapid.SampledFrom([]int64{0, 1, 3, trace.MaxTokens}).Draw(t, "tokens")}}
			if err := r.Validate(); err != nil {
				t.Fatal(err)
			}
			p.Add(r)
		}
		w, err := p.Finish(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		text(t, w)
	})
}

// What had not ended is fitted as longer than it was seen to last: until the trace ends, or, where every run has a log
// of its own, until the last that is known of the run. With 30 runs of about 1 s that ended and 10 that were seen for
// 97 s, the exponential mean is (30 + 10·97) / 30 = 33.33 s; where they were last seen at 4 s, (30 + 10·1) / 30; an
// eleventh, of which nothing is known, is left out.
func TestCensoredRunsAreFitted(t *testing.T) {
	for _, test := range []struct {
		until trace.Instant
		mean  float64
	}{{at(100), 1000. / 30}, {trace.None, 40. / 30}} {
		o := DefaultOptions()
		o.Until, o.Resamples = test.until, 10
		p := New(o)
		for i := range 41 {
			r := trace.NewRun(fmt.Sprint(i))
			r.Submit, r.End, r.Status = at(3), at(4+0.001*(float64(i)-14.5)), trace.Succeeded // 30 s in all
			if i >= 30 {
				r.End, r.Status = trace.None, trace.Running
				a := trace.NewAttempt(0, 0, 0)
				a.Status, a.Start = trace.Running, at(4)
				r.Stages, r.Attempts = []trace.Stage{trace.NewStage()}, []trace.Attempt{a}
			}
			if i == 40 {
				r.Submit, r.Attempts[0].Start = trace.None, trace.None
			}
			p.Add(r)
		}
		w, err := p.Finish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(w.Fits, func(f result.Fitted) bool { return f.Of == "completion_s" })
		f := &w.Fits[i]
		if f.N != 30 || f.Open != 10 || f.Lost != 1 || f.Tested != 0 || len(f.Warnings) < 2 {
			t.Errorf("%d ended, %d had not, %d are left out, %d tested; %v", f.N, f.Open, f.Lost, f.Tested, f.Warnings)
		}
		k := slices.IndexFunc(f.Families, func(f result.FamilyFit) bool { return f.Family == "exponential" })
		if got := f.Families[k].Params["mean"]; math.Abs(got-test.mean) > 1e-6*test.mean {
			t.Errorf("until %v: mean %v, want %v", test.until, got, test.mean)
		}
	}
}

// A program on 8 processors uses all 8 tokens that it held, not one of them.
func TestTokensOfPrograms(t *testing.T) {
	p := New(DefaultOptions())
	for _, processors := range []int64{4, 8} {
		r := trace.NewRun(fmt.Sprint(processors))
		r.Submit, r.Start, r.End, r.Status = 0, 0, at(100), trace.Succeeded
		s := trace.NewStage()
		s.Tasks, s.Demand[trace.CPU] = 1, float64(processors)
		r.Stages = []trace.Stage{s}
		a := trace.NewAttempt(0, 0, 0)
		a.Start, a.End, a.Duration, a.Status = 0, at(100), 100e6, trace.Succeeded
		r.Attempts = []trace.Attempt{a}
		r.Allocations = []trace.Allocation{{At: 0, Tokens: processors}, {At: at(100), Tokens: 0}}
		p.Add(r)
	}
	w, err := p.Finish(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if u := w.Concurrency.Utilization; len(u) != 1 || u[0].Share != 1 {
		t.Errorf("%+v, want all tokens in use", u)
	}
}

// A run holds the tokens that it was guaranteed from its start to its end, and more while more attempts run: of 2 tokens
// over 100 s, and a third for 20 s, three attempts use 20 s, 30 s and 20 s.
func TestGuaranteedTokensAreHeld(t *testing.T) {
	p := New(DefaultOptions())
	r := trace.NewRun("a")
	r.Submit, r.Start, r.End, r.Status, r.Guaranteed = 0, at(10), at(110), trace.Succeeded, 2
	s := trace.NewStage()
	s.Tasks = 3
	r.Stages = []trace.Stage{s}
	for i, length := range []float64{20, 30, 20} {
		a := trace.NewAttempt(0, int32(i), 0)
		a.Start, a.End, a.Status = at(50), at(50+length), trace.Succeeded
		a.Duration = trace.Duration(length * 1e6)
		r.Attempts = append(r.Attempts, a)
	}
	p.Add(r)
	w, err := p.Finish(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if u := w.Concurrency.Utilization; len(u) != 1 || u[0].Resource != "tokens" ||
		math.Abs(float64(u[0].Share)-70./220) > 1e-9 {
		t.Errorf("%+v, want 70 of 220 token-seconds in use", u)
	}
}

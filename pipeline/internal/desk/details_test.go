package desk

import (
	"context"
	"fmt"
	"math"
	"testing"

	"racecard/datasets/trace"
	"racecard/models/deadlines/forecast"
	"racecard/reports/desk"
)

// The fan of a job with more runs than fanRuns says from how many it is made; that of a job with fewer does not. The
// runs of other jobs are not kept, and progress counts the wanted ones.
func TestFansOfManyRuns(t *testing.T) {
	wanted := map[string]bool{"often": true, "seldom": true}
	c := New(Options{Last: 3 * fanRuns * 60e6, Wanted: wanted, Fans: wanted, Kept: 40, Due: noDeadline, Next: nextRun})
	for i := range fanRuns + 500 {
		for _, job := range []string{"often", "seldom", "other"} {
			if i < 20 || job != "seldom" {
				c.Add(oneStage(job, i))
			}
		}
	}
	d := &desk.Data{}
	d.Jobs.Job = []string{"other", "often", "seldom"}
	d.Jobs.Risk = make(desk.Column, 3)
	seen := 0
	if err := c.Details(context.Background(), d, nil, 1, func(done, of int) {
		if seen++; done != seen || of != 2 {
			t.Errorf("%d of %d jobs are done, want %d of 2", done, of, seen)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if d.Details[0] != nil || seen != 2 {
		t.Fatalf("%d jobs have details, also one that was not wanted", seen)
	}
	for k, want := range map[int]int{1: fanRuns, 2: 0} {
		if fan := d.Details[k].Fan; fan == nil || fan.Newest != want || len(fan.P50) != len(fan.Tokens) {
			t.Errorf("%s: %+v, want the newest %d runs", d.Jobs.Job[k], fan, want)
		}
	}
	if j := c.jobs["often"]; j.kept != nil || j.past != nil {
		t.Error("runs of a job that is done are kept")
	}
}

func noDeadline(string) string { return "" }

// nextRun chooses the next run of a job with one run a day.
func nextRun(_ string, _ []trace.Instant, past *forecast.Fitted) (Next, error) {
	return Next{Past: past, Submit: math.NaN(), Due: math.NaN()}, nil
}

// oneStage is run i of a job: four tasks of ten seconds on two tokens.
func oneStage(job string, i int) *trace.Run {
	run := trace.NewRun(fmt.Sprint(job, i))
	run.Name, run.Status, run.Guaranteed = job, trace.Succeeded, 2
	run.Submit = trace.Instant(i * 60e6)
	run.Start, run.End = run.Submit, run.Submit+20e6
	st := trace.NewStage()
	st.Tasks = 4
	run.Stages = []trace.Stage{st}
	for k := range 4 {
		a := trace.NewAttempt(0, int32(k), 0)
		a.Status, a.Start = trace.Succeeded, run.Start+trace.Instant(k/2*10e6)
		a.End, a.Duration = a.Start+10e6, 10e6
		run.Attempts = append(run.Attempts, a)
	}
	return run
}

// A run that failed counts, also where the trace does not say when it was submitted.
func TestFailedRunsWithoutATimeCount(t *testing.T) {
	c := New(Options{Last: 60e6, Due: noDeadline})
	timed, untimed := oneStage("a", 0), trace.NewRun("b")
	timed.Status, untimed.Status = trace.Failed, trace.Killed
	c.Add(timed)
	c.Add(untimed)
	d := &desk.Data{}
	if c.Overview(d, Changes{}, nil, 10); d.Runs != 2 || d.Bad != 2 {
		t.Errorf("%d of %d runs did not succeed, want 2 of 2", d.Bad, d.Runs)
	}
}

// The usual number of tokens of a job that always held one is one.
func TestUsualTokensOfAForecast(t *testing.T) {
	wanted := map[string]bool{"a": true}
	c := New(Options{Last: 3600e6, Wanted: wanted, Fans: map[string]bool{}, Kept: 40,
		Due: noDeadline, Next: nextRun})
	for i := range 12 {
		run := oneStage("a", i)
		run.Guaranteed, run.End = 1, run.Start+40e6
		for k := range run.Attempts {
			a := &run.Attempts[k]
			a.Start = run.Start + trace.Instant(k*10e6)
			a.End = a.Start + 10e6
		}
		c.Add(run)
	}
	d := &desk.Data{}
	d.Jobs.Job, d.Jobs.Risk = []string{"a"}, make(desk.Column, 1)
	if err := c.Details(t.Context(), d, nil, 1, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if f := d.Details[0].Forecast; f == nil || f.Tokens[f.Usual] != 1 || math.Abs(f.P50[f.Usual]-40) > 1 {
		t.Errorf("%+v", f)
	}
}

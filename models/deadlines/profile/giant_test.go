package profile

import (
	"runtime"
	"strings"
	"testing"

	"racecard/datasets/trace"
	"racecard/models/limit"
)

// giant is a succeeded run of many stages, of one task each.
func giant(stages int) *trace.Run {
	r := trace.NewRun("giant")
	r.Name, r.Status = "n", trace.Succeeded
	for i := range stages {
		s, a := trace.NewStage(), trace.NewAttempt(int32(i), 0, 0)
		s.Tasks, a.Duration, a.Status = 1, second, trace.Succeeded
		r.Stages, r.Attempts = append(r.Stages, s), append(r.Attempts, a)
	}
	return r
}

// TestGiantRunsAreLeftOutBeforeTheyTakeMemory counts what is allocated for a run that is one stage too large.
func TestGiantRunsAreLeftOutBeforeTheyTakeMemory(t *testing.T) {
	run := giant(limit.Profile + 1)
	var b Builder
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.Add(run)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<14 || b.Runs() != 0 || b.TooLarge() != 1 {
		t.Errorf("%d bytes are allocated, %d runs are kept, %d are too large", n, b.Runs(), b.TooLarge())
	}
	if _, err := b.Fit("n", DefaultOptions()); err == nil || !strings.Contains(err.Error(), "20,000 stages") {
		t.Errorf("fitting to none but a giant: %v", err)
	}
	b.Add(handRun("r", 1, 1))
	p, err := b.Fit("n", DefaultOptions())
	if err != nil || p.Runs.Used != 1 || !strings.Contains(strings.Join(p.Warnings, "\n"),
		"left out: 1 of the runs with more than 20,000 stages") {
		t.Errorf("fitting beside a giant: %+v, %v", p, err)
	}
}

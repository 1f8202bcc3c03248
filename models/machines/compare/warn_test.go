package compare_test

import (
	"strings"
	"testing"

	"racecard/models/machines/compare"
	"racecard/models/machines/jobs"
	"racecard/models/machines/replaytest"
)

// A job of 4 s and one of 1 s: where the second comes after the first ended, they never wait; on one machine, at once,
// one does. A task that wants two cores holds all of a machine of one.
func TestWarnings(t *testing.T) {
	warned := func(machines int, cores float64, arrival float64) string {
		s := setup()
		s.Capacities = s.Capacities[:machines]
		cpu := replaytest.Both(cores, 1)
		w, outcomes := outcomesOf(t, &s, []string{"fifo", "sjf"}, "", replaytest.Job("a", 0, replaytest.Stage(1, 4, cpu)),
			replaytest.Job("b", arrival, replaytest.Stage(1, 1, cpu)))
		return strings.Join(compare.Document(&s, w, &jobs.Count{}, outcomes, false).Warnings, "; ")
	}
	// 5 of 20 core-seconds
	if got := warned(2, 1, 9); !strings.Contains(got, "jobs hardly compete: no resource is used by more than 25%") {
		t.Errorf("%q", got)
	}
	if got := warned(1, 1, 0); got != "" {
		t.Errorf("of jobs that wait for each other: %q", got)
	}
	if got := warned(1, 2, 0); !strings.Contains(got, "in 2 of 2 stages a task wants more") ||
		strings.Contains(got, "compete") {
		t.Errorf("%q", got)
	}
}

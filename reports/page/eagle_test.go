package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/reports/figure"
)

// TestSlowStages: of a run of six stages under two schedulers those four are drawn of which a task waits longest under
// either, in the order of stages; of six jobs all are.
func TestSlowStages(t *testing.T) {
	waits := [][2]float64{{1, 9}, {2, 2}, {8, 0}, {7, 7}, {0, 1}, {3, 4}}
	for _, test := range []struct {
		stages int
		want   []string
		notes  int
	}{
		{6, []string{"stage 1", "stage 3", "stage 4", "stage 6"}, 1},
		{0, []string{"job 1", "job 2", "job 3", "job 4", "job 5", "job 6"}, 0},
	} {
		var e result.Eagle
		for k, of := range waits {
			for i, scheduler := range []string{"hawk", "eagle"} {
				slow := result.EagleSlow{Scheduler: scheduler, JobID: "7", Stage: k + 1, Stages: 6, JCTS: 10, All: 5,
					EagleMet: result.EagleMet{QueuedS: 5 * of[i]}}
				if test.stages == 0 {
					slow.JobID, slow.Stage, slow.Stages = fmt.Sprint(k+1), 0, 0
				}
				e.Slow = append(e.Slow, slow)
			}
		}
		s := newSection("eagle", "", e.Head())
		s.slow(&e, figure.Source{})
		if len(s.Figures) != len(test.want) || len(s.Notes) != test.notes {
			t.Fatalf("%d figures and notes %q, want %d and %d", len(s.Figures), s.Notes, len(test.want), test.notes)
		}
		if !slices.EqualFunc(s.Figures, test.want, func(f *figure.Figure, want string) bool {
			return strings.Contains(f.Title, want)
		}) {
			t.Errorf("figures are not of %q", test.want)
		}
	}
}

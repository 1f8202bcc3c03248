package sim

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// A run that is too long is refused with the stage that has most work: tasks times durations, over attempts that do not
// fail.
func TestTooLongNamesTheStage(t *testing.T) {
	short, long := constant(t, second), constant(t, 1_000_000*second)
	for _, test := range []struct {
		name string
		plan Plan
		want string
	}{
		{"long tasks", Plan{Stages: []Stage{{Name: "map", Tasks: 20, Duration: short},
			{Name: "join", Tasks: 9, Duration: long}}},
			`most of its work is in stage 1 ("join"): 9 tasks that take 11 d 14 h each (median; at most 11 d 14 h), on 1 token`},
		{"tasks that fail", Plan{Stages: []Stage{{Tasks: 20, Duration: short,
			Failure: Failure{Probability: 1 - 1e-9}}}},
			`stage 0: 20 tasks that take 1 s each (median; at most 1 s), on 1 token; 100% of its attempts fail`},
	} {
		_, err := runner(t, test.plan).Run(tokens(1), rand.NewPCG(1, 1))
		if !errors.Is(err, ErrTooLong) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

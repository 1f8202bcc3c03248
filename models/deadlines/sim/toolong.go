package sim

import (
	"errors"
	"fmt"

	"racecard/datasets/words"
)

// ErrTooLong says that a run takes 2^43 microseconds (101 days) or more. What is returned also says which stage makes
// it so.
var ErrTooLong = errors.New("the run would take more than 101 days (2^43 µs), at which a simulation ends")

// ErrTooManyTasks says that a run has more tasks than are simulated.
var ErrTooManyTasks = errors.New("too many tasks to simulate")

// tooLongError is an [ErrTooLong] with the stage that has most work.
type tooLongError struct {
	stage           int
	name            string
	tasks, tokens   int32
	median, longest int64   // durations of a task
	failing         float64 // share of attempts
}

// Error names the stage, its tasks and their durations, and how often attempts fail where that is why.
func (e *tooLongError) Error() string {
	name := ""
	if e.name != "" {
		name = fmt.Sprintf(" (%.100q)", e.name)
	}
	tasks := words.Of(e.tasks, "task that takes", "tasks that take")
	text := fmt.Sprintf("%v: most of its work is in stage %d%s: %s %s each (median; at most %s), on %s",
		ErrTooLong, e.stage, name, tasks, lasts(e.median), lasts(e.longest), words.Of(e.tokens, "token", "tokens"))
	if e.failing > 0.5 {
		text += fmt.Sprintf("; %.3g%% of its attempts fail", 100*e.failing)
	}
	return text
}

// PassTooLong returns nil for [ErrTooLong], and other errors as they are.
func PassTooLong(err error) error {
	if errors.Is(err, ErrTooLong) {
		return nil
	}
	return err
}

// Unwrap returns [ErrTooLong].
func (e *tooLongError) Unwrap() error { return ErrTooLong }

// lasts writes a duration in microseconds.
func lasts(us int64) string { return words.Seconds(float64(us) / 1e6) }

// tooLong says which stage of a run that took too long has most work: tasks times their mean duration, over the share
// of attempts that do not fail.
func (r *Runner) tooLong() error {
	worst, most := &tooLongError{tokens: max(r.tokens, r.spare)}, -1.0
	for i := range r.c.stages {
		s := &r.c.stages[i]
		sum := 0.0
		for _, d := range s.duration.table {
			sum += float64(d)
		}
		failing := float64(s.fail) / (1 << 63) / 2
		work := sum / float64(len(s.duration.table)) * float64(s.tasks) / max(1-failing, 1e-18)
		if work > most {
			most = work
			worst.stage, worst.name, worst.tasks, worst.failing = i, s.name, s.tasks, failing
			worst.median, worst.longest = s.duration.median, s.duration.table[0]
			for _, d := range s.duration.table {
				worst.longest = max(worst.longest, d)
			}
		}
	}
	return worst
}

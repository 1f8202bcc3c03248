package jockey

import (
	"fmt"
	"math"

	"racecard/datasets/words"
)

// Feasibility says whether a deadline can be met. Times are seconds since the job's start.
type Feasibility struct {
	DeadlineS float64
	CriticalS float64 // end along the critical path: no number of tokens ends the job earlier
	EarliestS float64 // the earliest deadline that can be promised, never before CriticalS; NaN where it is not known
	Tokens    int     // with that many, Options.Max
}

// Feasible reports whether a job can meet a deadline from an instant on, in seconds since its start, at a given
// progress. criticalS is the time of the remaining critical path; 0 if unknown.
func (o Options) Feasible(e Estimator, nowS, progress, criticalS, deadlineS float64) Feasibility {
	f := Feasibility{DeadlineS: deadlineS, CriticalS: nowS + criticalS, Tokens: o.Max}
	f.EarliestS = max(f.CriticalS, o.earliest(nowS+o.remaining(e, progress, o.Max)))
	return f
}

// Possible reports whether some number of tokens may meet the deadline.
func (f Feasibility) Possible() bool { return f.CriticalS <= f.DeadlineS }

// Promised reports whether the loop can promise to meet the deadline.
func (f Feasibility) Promised() bool { return f.EarliestS <= f.DeadlineS }

// Err returns nil for a deadline that can be promised, and else an error that says why not and which could be.
func (f Feasibility) Err() error {
	instead := ""
	if !math.IsNaN(f.EarliestS) && !math.IsInf(f.EarliestS, 0) {
		instead = fmt.Sprintf("; the earliest that %d tokens can promise is %s", f.Tokens, words.Deadline(f.EarliestS))
	}
	switch {
	case !f.Possible():
		return fmt.Errorf("no number of tokens meets a deadline of %s: the critical path alone ends after %s%s",
			words.FineSeconds(f.DeadlineS), words.FineSeconds(f.CriticalS), instead)
	case !f.Promised():
		return fmt.Errorf("a deadline of %s cannot be promised%s", words.FineSeconds(f.DeadlineS), instead)
	}
	return nil
}

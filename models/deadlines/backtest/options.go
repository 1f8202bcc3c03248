package backtest

import (
	"fmt"
	"slices"

	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/profile"
)

// Options of a backtest.
type Options struct {
	MinRuns    int // succeeded runs that make a name a recurring job
	After      int // past runs that a prediction is made from, at least
	Last       int // runs of a job that are predicted, at most: the newest
	Replicates int // simulated runs per prediction
	Seed       uint64
	Workers    int
	Profile    profile.Options

	Without []string // parts of the law that are left out: [jobmodel.Options].Without

	Within bool // remaining times while runs ran are predicted, too

	// LeaveOut is [Newest] or [Tokens].
	LeaveOut string
	// FromTokens, unless empty, are the only numbers of tokens whose runs are learned from, and AtTokens the only ones
	// whose runs are predicted, when allocations are left out.
	FromTokens, AtTokens []float64
}

// Runs that are left out of the past of a prediction.
const (
	Newest = ""       // the run itself and all that had not ended when it was submitted
	Tokens = "tokens" // all runs of the job with as many tokens
)

// DefaultOptions returns the options that commands use when nothing else is asked for.
func DefaultOptions() Options {
	o := Options{MinRuns: 10, After: 3, Last: 100, Replicates: 500, Seed: 1, Workers: 1,
		Profile: profile.DefaultOptions()}
	o.Profile.NoFit = true
	return o
}

// Validate reports an option that makes no sense.
func (o Options) Validate() error {
	switch {
	case o.After < 1:
		return fmt.Errorf("predictions after %d runs: want at least 1", o.After)
	case o.MinRuns <= o.After:
		return fmt.Errorf("jobs of at least %d runs, predicted after %d: want more runs than that", o.MinRuns, o.After)
	case o.Last < 1:
		return fmt.Errorf("the last %d runs are predicted: want at least 1", o.Last)
	case o.Replicates < 20:
		return fmt.Errorf("%d simulated runs per prediction: want at least 20", o.Replicates)
	case o.Workers < 1:
		return fmt.Errorf("%d workers: want at least 1", o.Workers)
	}
	switch o.LeaveOut {
	case Newest:
		if len(o.FromTokens)+len(o.AtTokens) > 0 {
			return fmt.Errorf("numbers of tokens to learn from or to predict: want tokens to be left out, too")
		}
	case Tokens:
	default:
		return fmt.Errorf("leaving out %q: want %s", o.LeaveOut, Tokens)
	}
	for _, tokens := range slices.Concat(o.FromTokens, o.AtTokens) {
		if !(tokens >= 1) {
			return fmt.Errorf("%v tokens: want at least 1", tokens)
		}
	}
	if err := jobmodel.ValidParts(o.Without); err != nil {
		return err
	}
	return o.Profile.Validate()
}

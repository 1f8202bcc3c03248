// Package profile fits profiles of recurring jobs to their past runs: what a simulator must know to run the job again.
//
// It follows A. D. Ferguson et al., "Jockey: Guaranteed Job Latency in Data Parallel Clusters" (EuroSys 2012, section
// 4.1), who take from one past run, per stage, the distributions of run times and initialisation latencies and the
// probability of failures. Beyond the paper it uses many runs, tells plans apart, weighs newer runs more when asked to,
// says how tasks grow with the input, and keeps the time in which a driver computes between stages.
//
//  1. [Builder.Add] reduces a run to its observations, per stage in the canonical position of its plan.
//  2. [Builder.Fit] groups runs by plan and pools the observations of each stage.
//
// Stages are matched by their place in the graph, never by number: numbers differ from run to run.
package profile

import (
	"fmt"
	"math"
)

// Options of a fit.
type Options struct {
	HalfLifeS    float64 // a run that ended this much before the newest one weighs half as much; 0: all weigh the same
	MinEmpirical int     // observations from which a distribution is the observations themselves
	MaxValues    int     // of a distribution that are kept
	RawNames     bool    // names are used as read
	NoFit        bool    // how well runs predict each other is not computed, which takes most of the time
}

// DefaultOptions returns the options that commands use when nothing else is asked for.
func DefaultOptions() Options { return Options{MinEmpirical: 30, MaxValues: 4096} }

// Validate reports an option that makes no sense.
func (o Options) Validate() error {
	switch {
	case !(o.HalfLifeS >= 0) || math.IsInf(o.HalfLifeS, 1):
		return fmt.Errorf("half-life of %v s: want a positive duration, or 0 for none", o.HalfLifeS)
	case o.MinEmpirical < 1:
		return fmt.Errorf("empirical from %d observations: want at least 1", o.MinEmpirical)
	case o.MaxValues < 2:
		return fmt.Errorf("at most %d values: want at least 2, the smallest and the largest", o.MaxValues)
	}
	return nil
}

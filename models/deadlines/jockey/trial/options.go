// Package trial tries Jockey's loop against other policies: controlled runs of recurring jobs with deadlines, simulated
// on a cluster on which things go wrong, as in A. D. Ferguson et al., "Jockey: Guaranteed Job Latency in Data Parallel
// Clusters" (EuroSys 2012, section 5).
//
//  1. A [Job] holds the plan that really runs, and a model of it learned from past runs. [W7] makes up the
//     seven jobs of the paper, and [Train] learns a model from simulated runs of one.
//  2. [Compare] gives every job deadlines and a table of remaining times.
//  3. It draws the disturbances for every job, deadline, scenario and replicate. Every policy runs the job through them
//     with the same random numbers: a task takes as long under every policy.
//  4. It does the same with the loop alone and one parameter changed at a time.
//
// A run depends on the seed and on its own setting alone: results are the same for any number of workers.
package trial

import (
	"fmt"

	"racecard/models/deadlines/jockey"
	"racecard/models/deadlines/progress"
)

// Options of a comparison.
type Options struct {
	Seed       uint64
	Workers    int  // runs at once; results do not depend on it
	Replicates int  // controlled runs of every job, deadline and scenario, under every policy
	Bound      int  // of these, so many also with the true remaining time, which takes as long as a hundred others
	Sensitive  int  // of these, so many for every parameter that is changed; 0: none is
	Simulated  int  // runs per allocation behind a table of remaining times
	Generated  bool // the jobs were made up, as [W7]'s: results say so

	Deadlines []float64 // as multiples of the critical path
	// of the most tokens, with which, or with fewer, 95% of undisturbed runs meet every such deadline: others are
	// raised to that
	Share      float64
	DeadlinesS []float64 // more deadlines, in seconds, that are kept as they are

	Loop      jockey.Options
	Blend     float64 // weight of Amdahl's law beside the table, in [0, 1]
	Dwell     bool    // count how long a run stands where it is
	Limit     bool    // ask for no more tokens than tasks can run at once, nor than are left
	Indicator progress.Indicator

	Progress func(done, of int) // called now and then, from one goroutine at a time; may be nil
}

// DefaultOptions returns a comparison of more than a thousand runs per policy for seven jobs.
func DefaultOptions() Options {
	return Options{Seed: 1, Workers: 1, Replicates: 8, Bound: 8, Sensitive: 8, Simulated: 200,
		Deadlines: []float64{2, 3}, Share: 0.6,
		Loop: jockey.DefaultOptions(), Blend: jockey.DefaultBlend, Dwell: true, Limit: true,
		Indicator: progress.TotalWorkWithQ}
}

// Validate reports an option that makes no sense.
func (o Options) Validate() error {
	switch {
	case o.Workers < 1:
		return fmt.Errorf("%d workers: want at least 1", o.Workers)
	case o.Replicates < 1 || o.Replicates > maxReplicates:
		return fmt.Errorf("%d replicates: want 1 to %d", o.Replicates, maxReplicates)
	case o.Bound < 0 || o.Sensitive < 0:
		return fmt.Errorf("replicates of the bound %d, of each parameter %d: want at least 0", o.Bound, o.Sensitive)
	case o.Simulated < 2:
		return fmt.Errorf("%d simulations per allocation: want at least 2", o.Simulated)
	case len(o.Deadlines)+len(o.DeadlinesS) == 0:
		return fmt.Errorf("no deadlines: want multiples of the critical path, or times")
	case !(o.Share > 0 && o.Share <= 1):
		return fmt.Errorf("a share of %v of the most tokens: want above 0, at most 1", o.Share)
	case !(o.Blend >= 0 && o.Blend <= 1):
		return fmt.Errorf("a weight of %v of Amdahl's law: want 0 to 1", o.Blend)
	case o.Indicator >= progress.Count:
		return fmt.Errorf("progress indicator %d: want 0 to %d", o.Indicator, progress.Count-1)
	}
	for _, x := range o.Deadlines {
		if !(x > 0 && x < 1e6) {
			return fmt.Errorf("a deadline of %v critical paths: want a positive number", x)
		}
	}
	for _, s := range o.DeadlinesS {
		if !(s > 0 && s < 1e9) {
			return fmt.Errorf("a deadline of %v s: want a positive number", s)
		}
	}
	return o.Loop.Validate()
}

// deadlines is how many every job has.
func (o Options) deadlines() int { return len(o.Deadlines) + len(o.DeadlinesS) }

// PerReplicate is how many controlled runs of a number of jobs one replicate holds.
func (o Options) PerReplicate(jobs int) int { return jobs * o.deadlines() * len(scenarios()) }

const maxReplicates = 1 << 20

// Package cpa builds tables of C(p,a), the time that a run which has made progress p and holds a tokens still takes,
// for package remaining to look up: by simulation, as in A. D. Ferguson et al., "Jockey: Guaranteed Job Latency in Data
// Parallel Clusters" (EuroSys 2012, section 4.1), or by the extension of Amdahl's law that the paper compares it with.
//
// # By simulation
//
//  1. [Build] chooses a grid of allocations, unless it is given: powers of two up to the most tasks that ever run at
//     once, then the (geometric) middle of every two neighbours between which the table is not close to linear.
//  2. It simulates the job on every allocation again and again, until the quantiles that are wanted are known closely
//     enough.
//  3. Every run gives one sample for each progress i/100: its end minus the first instant at which it reached that
//     progress. So C(0,a) is how long runs take, and C(1,a) is 0. Alternatively, as in the paper, it gives one sample
//     for every instant.
//  4. On numbers of tokens up to those that past runs held, whole runs get the times that are predicted for them, and
//     remaining times change alike.
//  5. The share of a run's time that remains at each progress is adapted to past runs, where their progress over time
//     is known: simulated runs wait less than real ones, or at other stages.
//  6. It makes quantiles monotone: never less with fewer tokens, nor at less progress. Quantiles that are too low are
//     raised, but cells for more tokens than past runs held never raise cells for fewer.
//
// The k-th run on every allocation has the same random numbers, so that differences between allocations are not
// noise. For a chain of 4 stages of 100 tasks this cuts the variance of the difference between 20 and 24 tokens
// by 80%. Antithetic pairs cut the variance of a median by another 35% (BenchmarkNoise). The same options give
// the same table, whatever the number of workers.
//
// Memory does not grow with the number of runs: a cell keeps up to [Kept] samples one by one, which makes its quantiles
// exact, and counts more of them in bins of at most 0.1% width (package digest).
package cpa

import (
	"fmt"
	"math"

	"racecard/datasets/remaining"
	"racecard/models/deadlines/progress"
	"racecard/models/deadlines/sim"
)

// Job is the simulated job.
type Job struct {
	Progress *progress.Plan
	// With returns the job as it runs on the given number of tokens: tasks that share a machine slow each other down.
	// Stages and their tasks must be the same for any number. It is called by several goroutines at once.
	With func(tokens int32) (Setting, error)
	// Tokens is the mean number of tokens that past runs held; 0 if it is not known.
	Tokens int32
	// Most is the most tokens that past runs held, where their number tells on how long a run takes; else 0. A chosen
	// grid goes as far, even if fewer tasks run at once: a task may hold several tokens, and runs on more may be faster
	// than their tasks say.
	Most int32
	// Past holds the progress of past runs over time, oldest first: the remaining time at a progress follows it. If
	// empty, simulated runs alone determine it, as in the paper.
	Past       []Course
	InputBytes float64 // of the run asked for; NaN: as past runs
}

// Setting is a job on some number of tokens.
type Setting struct {
	Plan sim.Plan
	// Slowness holds factors on the run times of whole runs, drawn alike: runs differ from each other by more than
	// their attempts do. Empty is none.
	Slowness []float64
	// Times are equally likely times of a run in seconds, which the table has at progress 0 ([remaining.ByProgress]). If
	// empty, simulated runs alone determine them.
	Times []float64
	// Tokens, unless 0, is the number of tokens that runs hold whatever was asked for: the plan does not determine the
	// effect of fewer.
	Tokens int32
	// Options are the disturbances of a run. Build sets Allocation, Done and Antithetic.
	Options sim.Options
}

// Options of a table.
type Options struct {
	Indicator progress.Indicator
	Sampling  string  // remaining.ByProgress or remaining.ByTime
	StepS     float64 // between the instants that are sampled, by time; at most 100,000 of a run

	Allocations []int32 // ascending; empty: chosen
	// of a chosen grid: the largest deviation from linear between allocations, as a share of a run's median time
	GridError float64

	Replicates    int       // runs per allocation; 0: as many as Tolerance wants
	Tolerance     float64   // half the width of the 95% intervals of Quantiles, as a share of a run's median time
	Quantiles     []float64 // that are wanted, in (0, 1)
	MaxReplicates int

	Antithetic bool   // runs are pairs: what is long in the one is short in the other
	Seed       uint64 //

	// Crew bounds how many goroutines simulate at once; several builds may share one.
	Crew Crew
	// Report, unless nil, is called after every step with the number of runs done and the number wanted so far. It is
	// called by one goroutine at a time.
	Report func(done, of int64)
}

// DefaultOptions returns the options that commands use when nothing else is asked for.
func DefaultOptions() Options {
	return Options{
		Indicator: progress.TotalWorkWithQ, Sampling: remaining.ByProgress, StepS: 1, GridError: 0.05,
		Tolerance: 0.02, Quantiles: []float64{0.5, 0.9, 0.95}, MaxReplicates: 2000, Antithetic: true, Seed: 1,
		Crew: NewCrew(1),
	}
}

// Validate reports an option that makes no sense.
func (o Options) Validate() error {
	switch {
	case o.Indicator >= progress.Count:
		return fmt.Errorf("progress indicator %d: want one of six", o.Indicator)
	case o.Sampling != remaining.ByProgress && o.Sampling != remaining.ByTime:
		return fmt.Errorf("sampling %q: want %s or %s", o.Sampling, remaining.ByProgress, remaining.ByTime)
	case !(o.StepS >= 1e-6) || math.IsInf(o.StepS, 1):
		return fmt.Errorf("sampled every %v s: want a time of at least a microsecond", o.StepS)
	case !(o.GridError > 0):
		return fmt.Errorf("grid error %v: want it above 0", o.GridError)
	case o.Replicates < 0:
		return fmt.Errorf("%d replicates: want at least 1, or 0 for as many as the tolerance wants", o.Replicates)
	case !(o.Tolerance > 0):
		return fmt.Errorf("tolerance %v: want it above 0", o.Tolerance)
	case o.MaxReplicates < 1:
		return fmt.Errorf("at most %d replicates: want at least 1", o.MaxReplicates)
	case o.Replicates == 0 && len(o.Quantiles) == 0:
		return fmt.Errorf("no quantiles to know within the tolerance")
	case o.Crew == nil:
		return fmt.Errorf("no crew to simulate")
	}
	for _, q := range o.Quantiles {
		if !(q > 0 && q < 1) {
			return fmt.Errorf("quantile %v: want it above 0 and below 1", q)
		}
	}
	for k, a := range o.Allocations {
		if a < 1 || k > 0 && a <= o.Allocations[k-1] {
			return fmt.Errorf("allocations %v: want them ascending, from at least 1", o.Allocations)
		}
	}
	return nil
}

// Crew is a number of workers.
type Crew chan struct{}

// NewCrew returns a crew of n workers, at least one.
func NewCrew(n int) Crew { return make(Crew, max(1, n)) }

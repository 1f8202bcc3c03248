// Package jockey guarantees a job the fewest tokens with which it meets its deadline, and says at once when there are
// none: the control loop of A. D. Ferguson et al., "Jockey: Guaranteed Job Latency in Data Parallel Clusters" (EuroSys
// 2012, section 4.3), and the admission of several such jobs to one cluster, with the arbiter that the paper leaves to
// the future.
//
// What a run is worth is a [Utility] of the time at which it ends; how long it still takes is asked of an [Estimator]:
// a table of C(p,a), Amdahl's law, or an oracle. A [Controller] then does, in every control period, at a time t since
// the job's start and with progress p:
//
//  1. For every allocation a, the job ends at t + S·C(p,a): a quantile of the remaining time, stretched by the slack S.
//  2. That is worth U(t + S·C(p,a) + D): the dead zone D plans for an end that much before the deadline.
//  3. The raw allocation is the smallest a of greatest worth.
//  4. The request moves a share α (hysteresis) of the way from the last one to the raw one; the first is the raw one.
//
// A decision allocates no memory and takes some ten look-ups. [Options.Feasible] and [Cluster] answer before a job
// starts.
//
// # Beyond the paper
//
// The paper names the limits of its loop: it "does not detect" that input or code changed, and a stalled
// progress indicator misleads it. Also, remaining times at progress p and on a tokens come from runs that held a
// tokens from the start. A run with more tokens at first and fewer later is in another state at the same p. So,
// each an option:
//
//   - [Staged] takes the mean of a table and of Amdahl's law for the stages as they are now ([Amdahl]).
//   - [Aged] counts how long a run has stood where it is: at its start while the driver is busy, or waiting for
//     stragglers.
//   - Options.Learn compares the time that passed with the remaining time that it took off, and multiplies predictions
//     by that.
//   - Options.Rise and Options.Hysteresis follow a larger raw allocation at once, and a smaller one slowly.
//   - Options.Gain keeps a run that is late anyway from asking for tokens that hardly shorten it.
//   - [Controller.SetLimit] bounds requests by the tasks that are left: of a few stragglers, each has its token
//     already.
//   - Period and dead zone are at most a share of the time to the deadline.
package jockey

import (
	"fmt"
	"math"

	"racecard/datasets/remaining"
)

// Estimator tells how long a job still runs.
type Estimator interface {
	// Remaining returns, in seconds, the given quantile (0 the least, 1 the most that is known) of the remaining time
	// of a job that has made progress in [0, 1] and holds a number of tokens, which may be fractional, from now on. It
	// never rises with tokens. NaN is: not known.
	Remaining(progress, tokens, quantile float64) float64
}

// Statistic selects a statistic of the distribution of remaining times.
type Statistic uint8

// The statistics.
const (
	AtQuantile Statistic = iota // the worth of one quantile, Options.Quantile
	Expected                    // the mean worth over 101 quantiles: least, 1%, ... 99%, most
)

// String is the name of the statistic, as flags give it.
func (s Statistic) String() string { return [...]string{"quantile", "expected", "?"}[min(s, 2)] }

// Options of the loop. With Expected, Quantile is for the ends that decisions predict, and for nothing else.
type Options struct {
	remaining.Loop
	Statistic Statistic // of the remaining time
	Min, Max  int       // tokens that may be requested, at least 1
}

// PaperOptions returns the values of the paper: slack 1.2, hysteresis 0.2, dead zone 3 min, a period of 1 min, the
// largest remaining time that was seen, up to 100 tokens. It plans against the dead zone and does not hold.
func PaperOptions() Options {
	return Options{Loop: remaining.Loop{PeriodS: 60, Slack: 1.2, Hysteresis: 0.2, DeadZoneS: 180, Quantile: 1}, Min: 1,
		Max: 100}
}

// DefaultOptions returns the values that, in package trial, missed fewer deadlines with a smaller allocation
// above the oracle than the paper's values. They rise at once and release slowly, learn the slowness of the run,
// and so need little slack; period and dead zone adapt to short jobs.
func DefaultOptions() Options {
	return Options{Loop: remaining.Loop{PeriodS: 60, PeriodShare: 1. / 30, Slack: 1.05, Hysteresis: 0.2, Rise: 1,
		DeadZoneS: 180, DeadZoneShare: 0.05, Jump: true, Learn: 0.1, Gain: 0.03, Quantile: 0.9}, Min: 1, Max: 100}
}

// Period is the time between two decisions for a job with so many seconds to its deadline.
func (o Options) Period(deadlineS float64) float64 { return limit(o.PeriodS, o.PeriodShare, deadlineS) }

// DeadZone is the dead zone of a job with so many seconds to its deadline.
func (o Options) DeadZone(deadlineS float64) float64 {
	return limit(o.DeadZoneS, o.DeadZoneShare, deadlineS)
}

func limit(s, share, deadlineS float64) float64 {
	if share == 0 {
		return s
	}
	return min(s, max(0, share*deadlineS))
}

// Validate reports an option that makes no sense.
func (o Options) Validate() error {
	switch {
	case !(o.PeriodS > 0) || math.IsInf(o.PeriodS, 1):
		return fmt.Errorf("control period of %v s: want a positive time", o.PeriodS)
	case !(o.PeriodShare >= 0 && o.PeriodShare <= 1):
		return fmt.Errorf("control period of %v of the time to the deadline: want 0 to 1", o.PeriodShare)
	case !(o.Slack >= 1) || math.IsInf(o.Slack, 1):
		return fmt.Errorf("slack %v: want at least 1, which is none", o.Slack)
	case !(o.Hysteresis > 0 && o.Hysteresis <= 1):
		return fmt.Errorf("hysteresis %v: want above 0 and at most 1, which is none", o.Hysteresis)
	case !(o.Rise >= 0 && o.Rise <= 1):
		return fmt.Errorf("hysteresis %v of rising: want above 0 and at most 1, or 0 for the same as of falling",
			o.Rise)
	case !(o.DeadZoneS >= 0) || math.IsInf(o.DeadZoneS, 1):
		return fmt.Errorf("dead zone of %v s: want at least 0", o.DeadZoneS)
	case !(o.DeadZoneShare >= 0 && o.DeadZoneShare < 1):
		return fmt.Errorf("dead zone of %v of the time to the deadline: want at least 0, below 1", o.DeadZoneShare)
	case !(o.Learn >= 0) || math.IsInf(o.Learn, 1):
		return fmt.Errorf("learning with a weight of %v: want it above 0, or 0 for not at all", o.Learn)
	case !(o.Gain >= 0 && o.Gain < 1):
		return fmt.Errorf("a gain of %v of the remaining time: want at least 0, which any gain is worth, below 1",
			o.Gain)
	case !(o.Quantile >= 0 && o.Quantile <= 1):
		return fmt.Errorf("quantile %v: want 0 to 1", o.Quantile)
	case o.Statistic > Expected:
		return fmt.Errorf("statistic %d: want quantile or expected", o.Statistic)
	case o.Min < 1 || o.Max < o.Min:
		return fmt.Errorf("allocations from %d to %d tokens: want at least 1, and no more at least than at most", o.Min,
			o.Max)
	}
	return nil
}

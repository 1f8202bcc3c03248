// Package modelfile holds profiles of recurring jobs as documents, and the folder of JSON files in which they are kept.
// Package models/deadlines/profile fits profiles, and simulators draw from them.
//
// A folder of models holds one file per job, named after it, and [IndexFile], which lists them with their checksums.
// Files are read strictly: unknown fields, other versions, wrong checksums and values that make no sense are errors.
//
// Names of fields end in their unit: _s are seconds, _us microseconds, _bytes bytes. A field that is null, or an
// optional object that is left out, is not known.
package modelfile

import (
	"cmp"
	"math"
	"slices"
)

// The format of profiles.
const (
	Format  = "racecard-profile"
	Version = 4
)

// Bounds of [Stage].Ends.
const (
	MostEnds    = 20
	MostCourses = 40
)

// Resolutions of a profile.
const (
	ByAttempt = "attempt" // run times of single attempts are known
	ByStage   = "stage"   // only stages' are: how long a task takes is not known
)

// Families of a [Dist].
const (
	None        = "none"        // nothing was observed
	Constant    = "constant"    // all observations are equal
	Empirical   = "empirical"   // the observations themselves
	Exponential = "exponential" // mean_s
	Gamma       = "gamma"       // shape, scale_s
	Lognormal   = "lognormal"   // mu, sigma of the logarithm of seconds
	Pareto      = "pareto"      // min_s, alpha
	Weibull     = "weibull"     // shape, scale_s
)

// Profile describes the next run of a recurring job, as learned from its past runs.
type Profile struct {
	Format     string   `json:"format"`
	Version    int      `json:"version"`
	Job        string   `json:"job"`        // normalised
	RawNames   []string `json:"raw_names"`  // as read, sorted, at most 100
	Resolution string   `json:"resolution"` // of the main plan
	Runs       Runs     `json:"runs"`
	Options    Options  `json:"options"`
	Plans      []Plan   `json:"plans"` // the one with most weight first: the main one
	// Surprise is left out where forecasts of the jobs of the store were wide enough, or too few to tell.
	Surprise *Surprise `json:"surprise,omitempty"`
	Warnings []string  `json:"warnings"`
}

// Main returns the plan with most weight. The next run may have another one, which package jobmodel chooses.
func (p *Profile) Main() *Plan { return &p.Plans[0] }

// SeveralTokens reports whether runs of the plan held different numbers of tokens.
func (p *Plan) SeveralTokens() bool {
	var first *int64
	for i := range p.RunFactors {
		switch t := p.RunFactors[i].Tokens; {
		case t == nil:
		case first == nil:
			first = t
		case *t != *first:
			return true
		}
	}
	return false
}

// Surprise says how much next runs of the jobs of a store differ beyond what past runs of their job say.
type Surprise struct {
	SD   float64 `json:"sd"`   // standard deviation of the logarithm of the time that is added to forecasts
	Late float64 `json:"late"` // by how many of what that widens a forecast by it moves up
	// by how many of it, times the square of its standard normal quantile, a quantile above p50 moves up as well
	Tail float64 `json:"tail"`
	Runs int     `json:"runs"` // that were foretold to learn this
	// Plain is the share of forecasts that comes from past times alone, as if nothing explained them. It is left out where
	// past forecasts were better than that.
	Plain float64 `json:"plain,omitempty"`
	// Levels are how the times of all jobs changed together, oldest first: "drift" in files. They are left out where
	// that is not apparent.
	Levels Levels `json:"drift,omitempty"`
}

// Levels are levels of the times of all jobs of a store, by ascending times.
type Levels []Level

// Level holds from a time until the next one. Runs take longer by the exponential of its change.
type Level struct {
	AtS float64 `json:"at_s"` // in the time of the trace
	Log float64 `json:"log"`  // logarithm, from 0 at first
}

// At returns the level at a time of the trace, in seconds. Before the first it is 0.
func (d Levels) At(s float64) float64 {
	k, found := slices.BinarySearchFunc(d, s, func(l Level, s float64) int { return cmp.Compare(l.AtS, s) })
	switch {
	case found:
		return d[k].Log
	case k == 0:
		return 0
	}
	return d[k-1].Log
}

// Since returns the factor by which a run that ended at a time would take longer at the last one.
func (d Levels) Since(s float64) float64 {
	if len(d) == 0 {
		return 1
	}
	return math.Exp(d[len(d)-1].Log - d.At(s))
}

// Grown returns the factor by which the times of all jobs of the store grew since the runs of the profile, the median;
// NaN where it holds no levels.
func (p *Profile) Grown() float64 {
	if p.Surprise == nil || len(p.Surprise.Levels) == 0 {
		return math.NaN()
	}
	var by []float64
	for i := range p.Plans {
		for _, f := range p.Plans[i].RunFactors {
			if f.EndS != nil {
				by = append(by, p.Surprise.Levels.Since(*f.EndS))
			}
		}
	}
	if len(by) == 0 {
		return math.NaN()
	}
	slices.Sort(by)
	return by[len(by)/2]
}

// Tell adds what the jobs of a store tell of next runs: the levels at the ends of the profile's runs, and the last.
func (p *Profile) Tell(s *Surprise) {
	if p.Surprise = s; s == nil || len(s.Levels) == 0 {
		return
	}
	last := s.Levels[len(s.Levels)-1]
	own := Levels{last}
	for i := range p.Plans {
		for _, f := range p.Plans[i].RunFactors {
			if f.EndS != nil && *f.EndS < last.AtS {
				own = append(own, Level{*f.EndS, s.Levels.At(*f.EndS)})
			}
		}
	}
	slices.SortFunc(own, func(a, b Level) int { return cmp.Compare(a.AtS, b.AtS) })
	told := *s
	told.Levels = slices.Compact(own)
	p.Surprise = &told
}

// Runs counts the runs behind a profile and holds their ages.
type Runs struct {
	Used          int      `json:"used"`
	NotSucceeded  int      `json:"not_succeeded"` // left out
	WithoutStages int      `json:"without_stages"`
	OldestS       *float64 `json:"oldest_s"` // end of the oldest run that was used, in the time of the trace
	NewestS       *float64 `json:"newest_s"`
	// (sum of weights)^2 / sum of squared weights: Kish's effective sample size
	Effective float64 `json:"effective"`
}

// Options say how a profile was fitted.
type Options struct {
	HalfLifeS    *float64 `json:"half_life_s"` // null: all runs weigh the same
	MinEmpirical int      `json:"min_empirical"`
	MaxValues    int      `json:"max_values"`
}

// Plan is a graph of stages that runs of the job have.
type Plan struct {
	Plan        string      `json:"plan"` // its hash
	Resolution  string      `json:"resolution"`
	Runs        int         `json:"runs"`
	ShareOfRuns float64     `json:"share_of_runs"` // weighted
	RunIDs      []string    `json:"run_ids"`       // oldest first
	RunFactors  []RunFactor `json:"run_factors"`   // of the runs with durations, oldest first
	Stages      []Stage     `json:"stages"`        // in topological order
	Edges       []Edge      `json:"edges"`
	Driver      Driver      `json:"driver"`
	InputBytes  *Counts     `json:"input_bytes"`
	WorkS       Dist        `json:"work"`          // task-seconds of a run, every attempt included
	CompletionS Dist        `json:"completion"`    // of a run
	WorkByInput *Line       `json:"work_by_input"` // task-seconds by input bytes
	Losses      Losses      `json:"machine_losses"`
	// Canonical is, per stage, its position in the canonical order of the graph, by which stages of other runs with the
	// plan are found. A fit sets it; files do not hold it.
	Canonical []int32 `json:"-"`
}

// RunFactor is the slowness of a run. Attempts of a run are not independent, as they share machines, an input and the
// load of the cluster: draws from the pool of all runs alone would vary too little from run to run.
type RunFactor struct {
	RunID string `json:"run_id"`
	// durations of its succeeded attempts / the same number of mean durations of its stages over all runs
	Factor float64 `json:"factor"`
	Weight float64 `json:"weight"` // of the run, 1 for the newest
	// Most tokens that it held, else its guaranteed tokens. This field and those below are null if the trace does not
	// state them.
	Tokens      *int64   `json:"tokens"`
	InputBytes  *int64   `json:"input_bytes"`
	EndS        *float64 `json:"end_s"` // of the run, in the time of the trace
	StartUpS    *float64 `json:"start_up_s"`
	CompletionS *float64 `json:"completion_s"`
	// ReplayS is the time of a replay of its recorded tasks on its tokens. It stands for the run's time where that
	// is unknown.
	ReplayS *float64 `json:"replay_s"`
	// CriticalPathS is the time that the run takes on any number of tokens, if its tasks take no less than they did: the
	// longest path of longest tasks, with the driver's time on it. It is left out where times of tasks are not known.
	CriticalPathS *float64 `json:"critical_path_s,omitempty"`
	// WorkS is the sum of the times of its tasks, each by the shortest of its attempts that succeeded. It is left out
	// where the critical path is.
	WorkS *float64 `json:"work_s,omitempty"`
}

// Edge is a dependency between stages of a plan, by their positions.
type Edge struct {
	Parent      int     `json:"parent"`
	Child       int     `json:"child"`
	Kind        string  `json:"kind"`
	ShareOfRuns float64 `json:"share_of_runs"` // that have it; below 1 for driver edges only
}

// Stage describes a stage of a plan.
type Stage struct {
	Name  string `json:"name"` // in the newest run
	Tasks Counts `json:"tasks"`

	Duration Dist    `json:"duration"` // of attempts that succeeded
	Typical  Typical `json:"typical"`
	Latency  Dist    `json:"latency"` // of attempts: from queued to start while a token was free
	// from the end of all parents, data and driver, to the stage's submission; without parents from the first stage's
	Delay    Dist   `json:"delay"`
	Elapsed  Dist   `json:"elapsed"`  // of the stage, from start to end
	Estimate Dist   `json:"estimate"` // mean task duration stated before the run
	Totals   Totals `json:"totals"`

	// Ends holds, for each of the plan's run factors, when equal parts of the stage's tasks were done: shares of the
	// time from the run's submission to its end, ascending, at most [MostEnds]; one where only the stage's end is
	// known. Null where that is not known either, and of runs older than the newest [MostCourses].
	Ends [][]float64 `json:"ends,omitempty"`

	Failure Failure `json:"failure"`
	Lost    Lost    `json:"lost"`

	TasksByInput    *Line `json:"tasks_by_input"`    // number of tasks by input bytes of the run
	DurationByInput *Line `json:"duration_by_input"` // mean duration of its succeeded attempts, in seconds
	ElapsedByInput  *Line `json:"elapsed_by_input"`  // the stage, from start to end, in seconds
	Fit             Fit   `json:"fit"`
}

// Typical describes a stage in a run of average speed: observed values divided by the factor of their run. Draw
// from it, and draw the speed of the whole run separately; otherwise runs vary too little and tasks too much.
type Typical struct {
	// run times of attempts that were the first of the stage on their machine, or on their token where machines are not
	// known; null where neither is
	First   *Dist `json:"first_on_machine"`
	Later   Dist  `json:"later_on_machine"` // of all others
	Elapsed Dist  `json:"elapsed"`          // of the stage, where run times of attempts are not known
	// FirstS and LaterS are, for each of the plan's run factors, the means of those attempts in the run, in seconds:
	// how they grow with tokens. Null where the run has none.
	FirstS []*float64 `json:"first_means_s"`
	LaterS []*float64 `json:"later_means_s"`
}

// Totals are weighted means, over the runs that recorded them, of a run's spending on a stage. Progress
// indicators weigh stages by them.
type Totals struct {
	QueuedS  *float64 `json:"queued_s"`  // from queued to start, summed over attempts
	WorkS    *float64 `json:"work_s"`    // of all attempts
	LongestS *float64 `json:"longest_s"` // the longest attempt that succeeded
	Begin    *float64 `json:"begin"`     // of the stage, as a share of the time from submission to end of the run
	End      *float64 `json:"end"`
}

// Failure is the rate of independent failures of attempts, and the shares of their run times at which they failed.
type Failure struct {
	Attempts    int64       `json:"attempts"` // that succeeded or failed
	Failed      int64       `json:"failed"`
	Probability *float64    `json:"probability"`          // weighted
	Interval    *[2]float64 `json:"probability_interval"` // Wilson, 95%
	After       Dist        `json:"after"`                // time until the failure
	// mean of that time / median duration of the stage in the same run, at most 1
	ShareDone *float64 `json:"share_done"`
}

// Lost is the rate at which attempts of a stage are lost together, with their machine.
type Lost struct {
	Events      int      `json:"events"`
	Attempts    int64    `json:"attempts"`    // that were lost
	Probability *float64 `json:"probability"` // that a run of this stage sees a loss, weighted
	Together    Counts   `json:"together"`    // attempts of the stage lost at once
	Redone      int64    `json:"redone"`      // tasks that ran again though they had succeeded: their output was lost
}

// Losses is the rate at which runs lose machines.
type Losses struct {
	Events         int      `json:"events"`
	MachineSeconds float64  `json:"machine_s"`  // sum over runs and machines, from first to last attempt
	RatePerS       *float64 `json:"rate_per_s"` // events / machine_s
	Together       Counts   `json:"together"`   // attempts lost at once, over all stages
	Machines       Counts   `json:"machines"`   // per run
}

// Driver is time in which no stage can run.
type Driver struct {
	// from the run's submission (its start where that is not known) to its first stage's
	StartUp  Dist `json:"start_up"`
	FirstRun Dist `json:"first_token"` // from the run's submission to its first token
	WindDown Dist `json:"wind_down"`   // from the end of the last stage to that of the run
	// sum, per run, of the time between the first stage's start and the last one's end in which no attempt ran
	Idle Dist `json:"idle"`
}

// Dist is a distribution of durations. Draw from Values with Weights when Family is [Empirical], else from the family;
// Values are kept also then.
type Dist struct {
	N      int64    `json:"n"` // observations
	Family string   `json:"family"`
	Params []Param  `json:"params,omitempty"`
	MeanS  *float64 `json:"mean_s"` // weighted mean of the observations
	// ascending; at most max_values of them: evenly spaced quantiles with the smallest and largest
	Values  []int64   `json:"values_us"`
	Weights []float64 `json:"weights,omitempty"` // of Values, with a sum of 1; left out when all are equal
}

// Param is a parameter of a family.
type Param struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Counts is a distribution of whole numbers, one per run or event, ascending.
type Counts struct {
	N       int64     `json:"n"`
	Mean    *float64  `json:"mean"`
	Values  []int64   `json:"values"`
	Weights []float64 `json:"weights,omitempty"`
}

// Line is a regression y = intercept + slope x by weighted least squares, one point per run.
type Line struct {
	N          int     `json:"n"`
	Intercept  float64 `json:"intercept"`
	Slope      float64 `json:"slope"`
	R2         float64 `json:"r2"`
	ResidualSD float64 `json:"residual_sd"` // with n - 2 degrees of freedom
	XMean      float64 `json:"x_mean"`
	XSquares   float64 `json:"x_squares"` // sum of squared deviations of x
	XMin       float64 `json:"x_min"`
	XMax       float64 `json:"x_max"`
}

// Fit scores the prediction of the durations of left-out runs by the others. Runs are left out one at a time, or in 20
// groups if there are more. Null for fewer than two runs with attempts.
type Fit struct {
	Held     int64    `json:"held_out"`  // attempts
	Below50  *float64 `json:"below_p50"` // share of them at or below the median of the other runs
	Below90  *float64 `json:"below_p90"`
	Below95  *float64 `json:"below_p95"`
	Distance *float64 `json:"ks"` // mean Kolmogorov-Smirnov distance between those left out and the others
}

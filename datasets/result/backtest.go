package result

import "racecard/datasets/trace"

// Backtest scores predictions of runs of recurring jobs from past runs.
type Backtest struct {
	Header
	Jobs       int      `json:"jobs"`       // recurring ones of which runs were predicted
	MinRuns    int      `json:"min_runs"`   // that make a job recur
	After      int      `json:"after_runs"` // past runs that a prediction is made from, at least
	Last       int      `json:"last_runs"`  // of a job that are predicted, at most
	Replicates int      `json:"replicates"` // simulated runs per prediction
	Seed       uint64   `json:"seed"`
	Methods    []string `json:"methods"` // racecard, then simple predictions
	// LeaveOut is "tokens" if every run is predicted from runs of its job with other numbers of tokens; it is empty
	// if every run is predicted from runs that had ended before.
	LeaveOut   string    `json:"leave_out,omitempty"`
	Without    []string  `json:"without,omitempty"`     // parts of the law that are left out
	FromTokens []float64 `json:"from_tokens,omitempty"` // the only numbers that are learned from
	AtTokens   []float64 `json:"at_tokens,omitempty"`   // the only numbers that are predicted

	BacktestScore                  // over all runs
	Versus        []BacktestVersus `json:"versus"`
	PerJob        []BacktestJob    `json:"per_job"` // by name
	// Within is how well the remaining time of runs was predicted while they ran, at shares of their time; only if
	// asked for.
	Within []BacktestWithin `json:"within,omitempty"`
	// WithinUnknown is the number of those runs with a plan that no run before them had: only their age was known.
	WithinUnknown int `json:"within_unknown_plans,omitempty"`
	// Held is set if no run has a completion time: then stages are predicted, and none of the above.
	Held *BacktestHeld `json:"held_out,omitempty"`
	// PerRun has one row per predicted run, by job and time; in the table only.
	PerRun []BacktestRun `json:"-"`
}

// BacktestScore sums up predictions of some runs.
type BacktestScore struct {
	Predicted int                `json:"predicted"` // runs
	Coverage  []BacktestCoverage `json:"coverage"`
	// PIT counts runs by the share of simulated times below the observed one, in ten classes of a tenth: all alike, if
	// predictions are right.
	PIT []int `json:"pit"`
	// PITRange is the range of runs in a class of PIT, with a probability of 95%, if predictions are right.
	PITRange [2]int `json:"pit_range"`
	// Sharpness is the median, over runs, of the width of the interval from p10 to p90 as a share of p50.
	Sharpness Number `json:"sharpness"`
	// Errors are of the median, per method, relative to the observed time.
	Errors map[string]BacktestErrors `json:"errors"`
}

// BacktestCoverage counts runs that took at most a quantile of their prediction.
type BacktestCoverage struct {
	Level float64 `json:"level"` // of the quantile
	Share float64 `json:"share"` // of runs at or below it
	// Interval is Wilson's, 95%, of as many independent runs as would show the share as surely: runs that were submitted
	// in the same hour may be late together.
	Interval Interval `json:"interval"`
}

// BacktestErrors are relative errors, (predicted - observed) / observed.
type BacktestErrors struct {
	N              int    `json:"n"`
	MedianAbsolute Number `json:"median_absolute"`
	MeanAbsolute   Number `json:"mean_absolute"`
	P90Absolute    Number `json:"p90_absolute"`
	MedianSigned   Number `json:"median_signed"`
	MeanSigned     Number `json:"mean_signed"`
	// RelativeCRPS is the mean, over runs, of twice the mean pinball loss over the quantiles of [BacktestLevels],
	// divided by the observed time. For a method that forecasts one time it is the mean absolute error.
	RelativeCRPS Number `json:"relative_crps"`
	// Coverage is empty for a method that forecasts one time.
	Coverage []BacktestCoverage `json:"coverage,omitempty"`
}

// BacktestWithin scores predictions of remaining times after a share of the time of runs.
type BacktestWithin struct {
	Elapsed      float64 `json:"elapsed"` // share of the time of each run
	WithinErrors         // of racecard
	// Methods are simple ones: published, C(p,a) of a table by progress alone; c0, C(0,a) minus the elapsed time;
	// simulations, the remaining times of simulated runs, weighted by their nearness in progress and time.
	Methods map[string]WithinErrors `json:"methods"`
}

// WithinErrors are errors of the median remaining time, relative to the observed one, and the shares of runs
// that took no longer than its p50 and p90.
type WithinErrors struct {
	N              int    `json:"n"`
	MedianAbsolute Number `json:"median_absolute"`
	P50Share       Number `json:"p50_share"`
	P90Share       Number `json:"p90_share"`
}

// BacktestVersus compares racecard with a simple prediction, over the runs of a job that both predict.
type BacktestVersus struct {
	Method string `json:"method"`
	Jobs   int    `json:"jobs"`   // of which both predict a run
	Better int    `json:"better"` // on which racecard's median absolute error is the smaller
}

// BacktestJob is the score of one job.
type BacktestJob struct {
	Job  string `json:"job"`
	Runs int    `json:"runs"`
	// Resolution is attempt, or stage where durations of single attempts are not known.
	Resolution string `json:"resolution"`
	BacktestScore
}

// BacktestRun is one predicted run. Null is NaN.
type BacktestRun struct {
	Job, JobID  string
	Submit      trace.Instant
	Before      int // runs that it was predicted from
	Tokens      float64
	InputBytes  float64
	ObservedS   float64
	Replayed    bool               // ObservedS is the time that the tasks of the run take on its tokens
	Quantiles   Quantiles          // of racecard's prediction
	PIT         float64            // share of simulated times below the observed one, half of those equal to it
	Predictions map[string]float64 // per method, seconds: the median of a distribution
	// Distributions holds the methods that predict more than one time.
	Distributions map[string]Quantiles
}

// Quantiles are the quantiles of a predicted time at [BacktestLevels], in seconds.
type Quantiles [7]float64

// BacktestLevels are the levels of [BacktestRun].Quantiles.
var BacktestLevels = [7]float64{0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95}

// BacktestHeld is how well the runs of a job at other numbers of tokens foretell those at one, where runs have no
// times: their stages' task durations, and their work.
type BacktestHeld struct {
	Runs   int `json:"runs"`   // held out, each at a number of tokens that no other of its job has
	Stages int `json:"stages"` // of those
	// Errors are, per quantity (duration_p50, duration_p90 of stages, work of runs) and method: racecard; pooled, all
	// other runs together; nearest, the run at the nearest number of tokens.
	Errors map[string]map[string]BacktestErrors `json:"errors"`
}

// Quantities are the predicted quantities of Errors, the median first.
func (*BacktestHeld) Quantities() []string { return []string{"duration_p50", "duration_p90", "work"} }

// Analysis implements [Document].
func (*Backtest) Analysis() string { return "backtest" }

// Table implements [Document]: one row per predicted run.
func (b *Backtest) Table() *Table {
	return tableOf("backtest", b.PerRun, func(row *Row, r *BacktestRun) {
		row.Text("job", r.Job).ID("job_id", r.JobID).Float("submit_s", seconds(r.Submit)).Int("before", r.Before).
			Float("tokens", r.Tokens).Float("input_bytes", r.InputBytes).Float("observed_s", r.ObservedS)
		for k, name := range [7]string{"p5_s", "p10_s", "p25_s", "p50_s", "p75_s", "p90_s", "p95_s"} {
			row.Float(name, r.Quantiles[k])
		}
		row.Float("pit", r.PIT)
		for _, method := range b.Methods[1:] { // racecard's is the median
			row.Float(method+"_s", r.Predictions[method])
		}
	})
}

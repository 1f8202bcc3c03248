package result

import "math"

// Recurrence is the variation of the completion times of recurring jobs (Jockey, Table 1) and its causes.
type Recurrence struct {
	Header
	// Recurring is the number of names with at least MinRuns runs that succeeded, or are Unstated.
	Recurring int `json:"recurring"`
	// Runs counts all runs, whatever became of them.
	Runs int `json:"runs"`
	// ShareOfRuns is the share of recurring jobs in the runs that succeeded or are Unstated; null when there are none.
	ShareOfRuns Number `json:"share_of_runs"`
	// CoV summarises, over recurring jobs, standard deviation / mean of the completion time.
	CoV Summary `json:"cov"`
	// CoVSimilarInput is the same over groups of runs of one job with inputs within 10% of each other.
	CoVSimilarInput Summary `json:"cov_similar_input"`

	// CoVWithin is CoV without drift: within the segments between changes of level, or along a trend.
	CoVWithin Summary `json:"cov_within"`
	Drifting  int     `json:"drifting"` // recurring jobs that drift
	// Causes are the shares of causes in the variance of the logarithm of the completion time, the rest last.
	Causes     []Cause    `json:"causes"`
	Stragglers Stragglers `json:"stragglers"` // in the succeeded runs of recurring jobs
	// CostBasis is the unit of the jobs' cost: task_seconds, token_seconds or run_seconds.
	CostBasis string       `json:"cost_basis"`
	Extremes  []ExtremeRun `json:"extremes"`
	Shown     []ShownJob   `json:"shown"`

	Succeeded int `json:"succeeded"`
	// Unstated counts runs with a known completion time whose outcome the trace does not state. They count as runs that
	// succeeded.
	Unstated  int            `json:"unstated,omitempty"`
	ByStatus  map[string]int `json:"by_status"` // runs per status
	MinRuns   int            `json:"min_runs"`
	Intervals Intervals      `json:"intervals"`
	// normalised name -> number of raw names, where more than one
	Merged map[string]int    `json:"merged_names,omitempty"`
	Jobs   []RecurringJob    `json:"jobs"`       // by descending impact
	Groups []SimilarInputSet `json:"groups"`     // by job, then input
	Rules  []string          `json:"name_rules"` // how names were normalised, for people
}

// Rest is the name of the unexplained part among causes.
const Rest = "rest"

// RecurringJob is one recurring job. Times are completion times in seconds.
type RecurringJob struct {
	Name        string  `json:"name"`
	Runs        int     `json:"runs"` // succeeded, with a known completion time
	Failed      int     `json:"failed"`
	MeanS       float64 `json:"mean_s"`
	SdS         float64 `json:"sd_s"`
	CoV         float64 `json:"cov"`
	MinS        float64 `json:"min_s"`
	P50S        float64 `json:"p50_s"`
	P90S        float64 `json:"p90_s"`
	MaxS        float64 `json:"max_s"`
	MinInput    Number  `json:"min_input_bytes"` // over runs with a known input
	MaxInput    Number  `json:"max_input_bytes"`
	SlowestRun  string  `json:"slowest_run"` // ids, so that a reader can go and look
	FastestRun  string  `json:"fastest_run"`
	SimilarCoV  Number  `json:"cov_similar_input"` // median over the job's groups; null without one
	SimilarSets int     `json:"similar_input_groups"`
	// Cost is the total cost of its runs, in the unit of CostBasis. Impact is the variance of the completion time
	// relative to its mean, without drift, times the cost: CoVWithin² x Cost.
	Cost       Number     `json:"cost"`
	Impact     Number     `json:"impact"`
	Causes     Shares     `json:"causes"`
	Drift      Drift      `json:"drift"`
	Stragglers Stragglers `json:"stragglers"`
}

// SimilarInputSet is a group of runs of one job with inputs within 10% of the smallest.
type SimilarInputSet struct {
	Name     string  `json:"name"`
	Runs     int     `json:"runs"`
	MinInput float64 `json:"min_input_bytes"`
	MaxInput float64 `json:"max_input_bytes"`
	MeanS    float64 `json:"mean_s"`
	CoV      float64 `json:"cov"`
}

// Analysis implements [Document].
func (*Recurrence) Analysis() string { return "recurrence" }

// Table implements [Document]: one row per recurring job.
func (r *Recurrence) Table() *Table {
	return tableOf("recurrence", r.Jobs, func(row *Row, j *RecurringJob) {
		row.Text("name", j.Name).Int("runs", j.Runs).Int("failed", j.Failed).Float("mean_s", j.MeanS).
			Float("sd_s", j.SdS).Float("cov", j.CoV).Float("min_s", j.MinS).Float("p50_s", j.P50S).
			Float("p90_s", j.P90S).Float("max_s", j.MaxS).Float("min_input_bytes", float64(j.MinInput)).
			Float("max_input_bytes", float64(j.MaxInput)).Text("slowest_run", j.SlowestRun).
			Text("fastest_run", j.FastestRun).Float("cov_similar_input", float64(j.SimilarCoV)).
			Int("similar_input_groups", j.SimilarSets).Float("cost", float64(j.Cost)).
			Float("impact", float64(j.Impact)).Bool("drifting", j.Drift.Drifting).
			Float("cov_within", float64(j.Drift.CoVWithin)).Int("changes", len(j.Drift.Changes)).
			Float("trend_over_span", float64(j.Drift.TrendOverSpan)).Float("trend_p", float64(j.Drift.TrendP)).
			Float("straggler_share", float64(j.Stragglers.Share)).
			Float("straggler_excess_share", float64(j.Stragglers.ExcessShare)).
			Text("straggler_run", j.Stragglers.WorstRun).Int("causes_runs", j.Causes.Runs)
		for _, c := range r.Causes {
			share, ok := j.Causes.Of[c.Cause]
			if c.Cause == Rest {
				share, ok = j.Causes.Rest, true
			}
			if !ok {
				share = Number(math.NaN())
			}
			row.Float("share_"+c.Cause, float64(share))
		}
	})
}

package result

// Shares divides the variance of the logarithm of a job's completion time among its causes.
type Shares struct {
	// Runs is the number of runs that it rests on: those for which every cause that is examined is known.
	Runs int `json:"runs"`
	// Of is the share of each cause that is examined, in [0, 1]; none when the variance was not divided.
	Of          map[string]Number `json:"of"`
	Rest        Number            `json:"rest"` // 1 less the shares; null when the variance was not divided
	NotExamined map[string]string `json:"-"`    // cause -> why
}

// Cause is a cause of variance over recurring jobs.
type Cause struct {
	Cause string `json:"cause"` // "rest" for what no cause explains
	Jobs  int    `json:"jobs"`  // for which it was examined
	// Share summarises the share of the variance that it explains, over these jobs.
	Share Summary `json:"share"`
	// Mean is the mean share over all jobs whose variance was divided, counting 0 for jobs in which the cause was not
	// examined, so that the means of all causes add up to 1. Null if there are no such jobs.
	Mean        Number         `json:"mean"`
	NotExamined map[string]int `json:"not_examined,omitempty"` // why -> jobs
}

// Drift is the change of a job's completion time over time. Times are in seconds.
type Drift struct {
	Runs     int  `json:"runs"`     // with a known time
	Drifting bool `json:"drifting"` // its level changes, or it has a trend
	// TrendP is the probability of a trend as strong if there were none (Mann and Kendall); null for too few runs, or
	// all at one time.
	TrendP Number `json:"trend_p"`
	// TrendOverSpan is the change from the first run to the last by the trend (Theil and Sen), as a share of the median
	// run: 0.5 is an increase by half of it. Null if it is not known.
	TrendOverSpan Number `json:"trend_over_span"`
	// TrendFromS and TrendToS are the trend's values at the first and the last run; null unless the drift is a
	// trend.
	TrendFromS Number `json:"trend_from_s"`
	TrendToS   Number `json:"trend_to_s"`
	// CoVWithin is the variation without the drift. For a job that does not drift it is the variation of all runs.
	CoVWithin Number   `json:"cov_within"`
	Changes   []Change `json:"changes"` // of level, in time order; none when a trend describes the runs better
}

// Change is a point in time at which the level of a job's completion times changes for good.
type Change struct {
	AtS    float64 `json:"at_s"`   // when the first run after it came, in seconds of the time base
	JobID  string  `json:"job_id"` // that run
	Before Number  `json:"median_before_s"`
	After  Number  `json:"median_after_s"`
}

// Stragglers counts the attempts that lasted much longer than the median of their stage.
type Stragglers struct {
	Attempts   int64 `json:"attempts"` // with a known duration
	Stragglers int64 `json:"stragglers"`
	// Share is Stragglers / Attempts; null without attempts.
	Share Number `json:"share"`
	// ExcessS is the task-seconds by which stragglers outlast the medians of their stages, ExcessShare its share of all
	// task-seconds; null without attempts.
	ExcessS     Number `json:"excess_task_s"`
	ExcessShare Number `json:"excess_share"`
	WorstRun    string `json:"worst_run,omitempty"` // with the greatest excess
}

// ShownJob is a recurring job whose completion times are kept for a figure: one that drifts, or one of the greatest
// impact.
type ShownJob struct {
	Name     string     `json:"name"`
	Points   []RunPoint `json:"points"` // in time order; of many runs at most MostPoints, evenly chosen
	Drifting bool       `json:"drifting"`
}

// RunPoint is a run as a point: its submission, in seconds of the time base, and its completion time.
type RunPoint struct {
	AtS     float64 `json:"at_s"`
	Seconds float64 `json:"seconds"`
}

// The number of jobs, and of runs of each, that are kept for a figure.
const (
	MostShown  = 6
	MostPoints = 400
)

package result

// CoV is the variation of the completion times of recurring jobs (Jockey, Table 1). See [Recurrence] for its causes.
type CoV struct {
	Header
	Variation
	Intervals Intervals      `json:"intervals"`
	Jobs      []JobVariation `json:"jobs"` // by descending CoV
}

// Variation is the variation of the completion times of recurring jobs.
type Variation struct {
	// Recurring is the number of names with at least MinRuns runs that succeeded, or are Unstated.
	Recurring int `json:"recurring"`
	// Runs counts all runs, whatever became of them.
	Runs int `json:"runs"`
	// ShareOfRuns is the share of recurring jobs in the runs that succeeded or are Unstated; null when there are none.
	ShareOfRuns Number `json:"share_of_runs"`
	// CoV summarises, over recurring jobs, standard deviation / mean of the completion time.
	CoV Summary `json:"cov"`

	Succeeded int `json:"succeeded"`
	// Unstated counts runs with a known completion time whose outcome the trace does not state. They count as runs that
	// succeeded.
	Unstated int            `json:"unstated,omitempty"`
	ByStatus map[string]int `json:"by_status"` // runs per status
	MinRuns  int            `json:"min_runs"`
	// normalised name -> number of raw names, where more than one
	Merged map[string]int `json:"merged_names,omitempty"`
	Rules  []string       `json:"name_rules"` // how names were normalised, for people
}

// Ended is a clause for runs that count for the variation of their job: some succeeded, and the outcome of others is
// not stated.
func Ended(succeeded, unstated int) string {
	switch {
	case unstated == 0:
		return "that succeeded"
	case succeeded == 0:
		return "that ended"
	default:
		return "that succeeded, or ended without a stated outcome"
	}
}

// JobVariation is the variation of one recurring job. Times are completion times in seconds.
type JobVariation struct {
	Name       string  `json:"name"`
	Runs       int     `json:"runs"` // succeeded, with a known completion time
	Failed     int     `json:"failed"`
	MeanS      float64 `json:"mean_s"`
	SdS        float64 `json:"sd_s"`
	CoV        float64 `json:"cov"`
	MinS       float64 `json:"min_s"`
	P10S       float64 `json:"p10_s"`
	P25S       float64 `json:"p25_s"`
	P50S       float64 `json:"p50_s"`
	P75S       float64 `json:"p75_s"`
	P90S       float64 `json:"p90_s"`
	P95S       float64 `json:"p95_s"`
	P99S       float64 `json:"p99_s"`
	MaxS       float64 `json:"max_s"`
	SlowestRun string  `json:"slowest_run"` // ids, so that a reader can go and look
	FastestRun string  `json:"fastest_run"`
}

// Varies reports whether the job has a CoV: it takes two runs and some time.
func (j *JobVariation) Varies() bool { return j.Runs > 1 && j.MeanS > 0 }

// Analysis implements [Document].
func (*CoV) Analysis() string { return "cov" }

// Table implements [Document]: one row per recurring job.
func (r *CoV) Table() *Table {
	return tableOf("cov", r.Jobs, func(row *Row, j *JobVariation) {
		row.Text("name", j.Name).Int("runs", j.Runs).Int("failed", j.Failed).Float("mean_s", j.MeanS).
			Float("sd_s", j.SdS).Float("cov", j.CoV).Float("min_s", j.MinS).Float("p10_s", j.P10S).
			Float("p25_s", j.P25S).Float("p50_s", j.P50S).Float("p75_s", j.P75S).Float("p90_s", j.P90S).
			Float("p95_s", j.P95S).Float("p99_s", j.P99S).Float("max_s", j.MaxS).Text("slowest_run", j.SlowestRun).
			Text("fastest_run", j.FastestRun)
	})
}

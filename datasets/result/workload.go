package result

// Workload describes the load of a trace on a cluster: arrivals, durations of runs and tasks, concurrency,
// failures, fitted distributions, and the cutoff between short and long jobs.
//
// Each part has its own header: a trace that lacks the columns of one part still gives the others.
type Workload struct {
	Header
	Runs     int64            `json:"runs"`
	ByStatus map[string]int64 `json:"by_status"` // runs per status
	TimeBase string           `json:"time_base"` // unix: hours are UTC; relative: they count from the trace's zero

	Arrivals      Arrivals      `json:"arrivals"`
	Durations     Durations     `json:"durations"`
	TasksPerJob   TasksPerJob   `json:"tasks_per_job"`
	TaskDurations TaskDurations `json:"task_durations"`
	Concurrency   Concurrency   `json:"concurrency"`
	Failures      Failures      `json:"failures"`
	Fits          []Fitted      `json:"fits"` // of the sets of numbers above that the trace holds
	Cutoff        Cutoff        `json:"cutoff"`

	Intervals Intervals     `json:"intervals"`
	Machines  []MachineLoad `json:"-"` // by name; in the table only
}

// Analysis implements [Document].
func (*Workload) Analysis() string { return "workload" }

// Table implements [Document]: one row per machine that attempts name.
func (w *Workload) Table() *Table {
	return tableOf("workload", w.Machines, func(row *Row, m *MachineLoad) {
		row.Text("machine", m.Machine).Int("attempts", int(m.Attempts)).Int("failed", int(m.Failed)).
			Float("task_seconds", m.TaskSeconds).Float("p", float64(m.P)).Float("q", float64(m.Q)).
			Bool("suspect", m.Suspect)
	})
}

// Arrivals describes the submissions of runs, or their starts if no submission is recorded.
type Arrivals struct {
	Header
	N       int64   `json:"n"`
	ByStart int64   `json:"by_start"` // runs that have a start but no submission
	FirstS  float64 `json:"first_s"`  // in the time base
	LastS   float64 `json:"last_s"`
	PerHour Number  `json:"per_hour"`       // (n - 1) / (last - first)
	Gap     Summary `json:"interarrival_s"` // between one arrival and the next
	GapCoV  Number  `json:"interarrival_cov"`
	AtOnce  Number  `json:"share_simultaneous"` // share of gaps that are 0
	Longest Gap     `json:"longest_gap"`
	Counts  Series  `json:"counts"`     // arrivals per bin
	Index   []Index `json:"dispersion"` // by window, ascending
	// 24 hours of the day; 168 hours of the week from Monday 00:00 where times are Unix
	HourOf   []Cell  `json:"hours"`
	HourZone string  `json:"hours_zone,omitempty"` // time zone of the hours where times are Unix; none is UTC
	Rhythm   *Rhythm `json:"rhythm"`               // null for traces of less than three days or more than 4,000
	AtRhythm string  `json:"hours_are"`            // what HourOf counts, in words
}

// Gap is a time in which nothing arrived.
type Gap struct {
	FromS   float64 `json:"from_s"`
	ToS     float64 `json:"to_s"`
	Seconds float64 `json:"seconds"`
}

// Series is a function of time in bins of equal width; Values[i] is about the time from FromS + i x BinS on.
type Series struct {
	FromS  float64   `json:"from_s"`
	BinS   float64   `json:"bin_s"`
	Values []float64 `json:"values"`
}

// Index is the index of dispersion for counts: the variance of the number of arrivals in a window, divided by its mean.
// It is 1 for a Poisson process at any window.
type Index struct {
	WindowS    float64 `json:"window_s"`
	Windows    int64   `json:"windows"` // whole windows from the first arrival on
	Mean       float64 `json:"mean"`
	Variance   float64 `json:"variance"` // with n - 1
	Index      float64 `json:"index"`
	Low        float64 `json:"poisson_low"` // in 95% of Poisson processes the index lies between these
	High       float64 `json:"poisson_high"`
	Peak       int64   `json:"peak"` // most arrivals in a window
	PeakToMean float64 `json:"peak_to_mean"`
	PeakAtS    float64 `json:"peak_at_s"` // where the first such window begins
}

// Cell is an hour of the day or of the week.
type Cell struct {
	Arrivals int64   `json:"arrivals"`
	Hours    float64 `json:"hours"` // how much of the trace lies in it
}

// PerHour is the rate of arrivals; NaN when the trace has no part in the hour.
func (c Cell) PerHour() float64 { return float64(c.Arrivals) / c.Hours }

// Rhythm tests whether arrivals follow the hours of the day, over whole days from the first full hour on.
type Rhythm struct {
	Days int `json:"days"`
	// ShareOfVariance is the share of the variance of hourly counts that the mean day explains.
	ShareOfVariance Number `json:"share_of_variance"`
	// P is the p-value: the share of random shifts of the days against each other for which the mean day explains as
	// much.
	P Number `json:"p"`
	// Autocorrelation of hourly counts at lags of 1, 2, ... hours; white noise stays within Bound in 95% of lags.
	Autocorrelation []float64 `json:"autocorrelation"`
	Bound           float64   `json:"white_noise_bound"`
	Lag24           Number    `json:"autocorrelation_24h"`
	PeakHour        int       `json:"peak_hour"`
	QuietHour       int       `json:"quiet_hour"`
	PeakToMean      Number    `json:"peak_to_mean"` // of the mean day
}

// Durations describes completion times of runs, from submission to end (from the start if no submission is recorded).
type Durations struct {
	Header
	Completion   Summary      `json:"completion_s"`   // of runs that succeeded or of whose end the trace says no more
	Unknown      int64        `json:"status_unknown"` // of those, runs whose status is not known
	Unsuccessful Summary      `json:"unsuccessful_s"` // of runs that failed, were killed, evicted or lost
	Wait         Summary      `json:"wait_s"`         // from submission to start, of all runs
	Censored     int64        `json:"censored"`       // runs that had not ended when the trace did
	Top1         Number       `json:"share_of_longest_1_percent"`
	Extremes     []ExtremeRun `json:"extremes"`
}

// TasksPerJob describes the numbers of tasks of runs.
type TasksPerJob struct {
	Header
	Tasks    Summary      `json:"tasks"`
	Total    float64      `json:"total"`
	Top1     Number       `json:"share_of_largest_1_percent"`
	Extremes []ExtremeRun `json:"extremes"`
}

// TaskDurations describes the durations of attempts.
type TaskDurations struct {
	Header
	// Of attempts that succeeded or have no recorded outcome.
	Duration     Summary      `json:"duration_s"`
	Unsuccessful Summary      `json:"unsuccessful_s"` // of attempts that failed, were killed, evicted or lost
	Censored     int64        `json:"censored"`       // attempts that had not ended when the trace did
	Missing      int64        `json:"without_duration"`
	Error        float64      `json:"relative_error"` // of quantiles; 0 when every value was kept
	Top1         Number       `json:"share_of_longest_1_percent"`
	Extremes     []ExtremeRun `json:"extremes"`
}

// Concurrency describes the attempts and runs under way at once.
type Concurrency struct {
	Header
	Tasks       *Concurrent   `json:"tasks"`       // attempts from start to end; null when none is timed
	Runs        *Concurrent   `json:"runs"`        // runs from submission (start) to end; null when none is timed
	Utilization []Utilization `json:"utilization"` // of what could be used, where the trace says how much there was
}

// Concurrent is a number of things that are under way at once, over time.
type Concurrent struct {
	N         int64   `json:"n"`       // intervals
	Without   int64   `json:"without"` // left out: no known start or no known end
	FromS     float64 `json:"from_s"`  // first start
	ToS       float64 `json:"to_s"`    // last end
	Mean      float64 `json:"mean"`    // over that time
	Peak      float64 `json:"peak"`
	PeakAtS   float64 `json:"peak_at_s"`
	PeakError string  `json:"peak_estimated,omitempty"` // why the peak is an estimate; "" when it is exact
	// Weighted summarises the number at once, weighted with time.
	Weighted Summary `json:"time_weighted"`
	Idle     float64 `json:"share_idle"` // share of the time with none under way
	Series   Series  `json:"series"`     // mean per bin
}

// Utilization compares usage with capacity.
type Utilization struct {
	Resource string  `json:"resource"` // tokens, cpu, gpu
	What     string  `json:"what"`     // what is compared with what, in words
	Share    float64 `json:"share"`    // used / available, both integrated over time
	ByBin    Summary `json:"by_bin"`   // of the share, over bins in which something was available
	Used     Series  `json:"used"`
	There    Series  `json:"available"`
}

// Failures lists runs and attempts that did not succeed, and their cost.
type Failures struct {
	Header
	Attempts    int64            `json:"attempts"`
	ByStatus    map[string]Spent `json:"by_status"`
	Ended       int64            `json:"ended"` // attempts that succeeded, failed, were killed, evicted or lost
	Bad         int64            `json:"unsuccessful"`
	WastedS     float64          `json:"wasted_task_seconds"` // of unsuccessful attempts
	WastedShare Number           `json:"wasted_share"`        // of the task-seconds of attempts that ended
	Reasons     []Reason         `json:"reasons"`             // by descending attempts
	ReasonNote  string           `json:"reason_note,omitempty"`
	Retries     Retries          `json:"retries"`
	Machines    MachineTest      `json:"machines"`
	Extremes    []ExtremeRun     `json:"extremes"`
}

// Spent is a number of attempts and their time.
type Spent struct {
	Attempts    int64   `json:"attempts"`
	TaskSeconds float64 `json:"task_seconds"`
}

// Reason is a reason why attempts did not succeed.
type Reason struct {
	Reason string `json:"reason"` // as the trace puts it, with its changing parts as #
	Status string `json:"status"`
	Spent
	Example string `json:"example"` // first attempt with it: run, stage, task and attempt
}

// Retries counts tasks by their number of attempts.
type Retries struct {
	Tasks   int64 `json:"tasks"` // with at least one attempt
	Retried int64 `json:"retried"`
	// tasks with 1, 2, 3, ... attempts, without speculative copies; the last: or more
	Attempts    []int64 `json:"attempts"`
	Speculative int64   `json:"speculative"` // attempts that were speculative copies
}

// MachineTest looks for machines on which more attempts fail than chance allows.
type MachineTest struct {
	Machines  int           `json:"machines"` // that attempts name
	Rate      Number        `json:"rate"`     // share of attempts that failed or were lost, over all of them
	Discovery float64       `json:"false_discovery_rate"`
	Suspects  []MachineLoad `json:"suspects"` // by q, then by failures; at most a hundred
}

// MachineLoad is the load of one machine. Failed counts attempts that failed or were lost. Attempts that were
// killed or evicted were ended on purpose and do not count.
type MachineLoad struct {
	Machine     string  `json:"machine"`
	Attempts    int64   `json:"attempts"` // that ended
	Failed      int64   `json:"failed"`
	TaskSeconds float64 `json:"task_seconds"`
	P           Number  `json:"p"`       // of as many failures or more at the rate of all machines, binomial
	Q           Number  `json:"q"`       // P after Benjamini and Hochberg, over all machines
	Suspect     bool    `json:"suspect"` // Q at most the rate of false discoveries
}

// Cutoff divides jobs into short and long ones by their mean task duration (Hawk, ATC 2015).
type Cutoff struct {
	Header
	Jobs      int64       `json:"jobs"` // runs whose mean task duration is known
	Rows      []CutoffRow `json:"rows"` // by descending cutoff
	Suggested *CutoffRow  `json:"suggested"`
	Clear     bool        `json:"clear"`  // whether the division is a clear one
	Reason    string      `json:"reason"` // why this cutoff, in words
	Curve     []CutoffRow `json:"curve"`  // for a figure
}

// CutoffRow is a cutoff and the work above it. A job is long when its mean task duration exceeds the cutoff.
type CutoffRow struct {
	CutoffS     float64 `json:"cutoff_s"`
	Long        int64   `json:"long_jobs"`
	ShareOfJobs float64 `json:"share_of_jobs"`
	ShareOfTime float64 `json:"share_of_task_seconds"`
	ShareTasks  float64 `json:"share_of_tasks"`
}

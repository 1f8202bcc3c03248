package result

import "slices"

// Comparison lists the changes between two periods, job by job.
type Comparison struct {
	Header
	Before     Period  `json:"before"`
	After      Period  `json:"after"`
	Synthetic  bool    `json:"synthetic"`  // runs were generated, not measured
	Correction string  `json:"correction"` // of the p-values for the number of jobs
	Level      float64 `json:"level"`      // corrected p-value below which a job changed,
	MinChange  float64 `json:"min_change"` // and the least change of its median, as a share
	Compared   int     `json:"compared"`   // jobs with enough runs in both periods
	// Beyond is the share of the time of the earlier period's runs in which the later period had begun.
	Beyond Number `json:"beyond"`
	// The largest changes first, by the total change in time of the later period's runs.
	Jobs []ComparedJob `json:"jobs"`
	// jobs with runs in the later period only, those with most runs first; without jobs that changed
	Appeared    []ComparedNames `json:"appeared"`
	Disappeared []ComparedNames `json:"disappeared"`
}

// MostBeyond is the share of [Comparison].Beyond above which amounts a day, which count all that runs held, tell
// nothing.
const MostBeyond = 0.05

// Analysis implements [Document].
func (*Comparison) Analysis() string { return "changes" }

// Changed counts the jobs that changed.
func (c *Comparison) Changed() (n int) {
	for i := range c.Jobs {
		if c.Jobs[i].Changed {
			n++
		}
	}
	return n
}

// Table implements [Document]: one row per job.
func (c *Comparison) Table() *Table {
	return tableOf("changes", c.Jobs, func(row *Row, j *ComparedJob) {
		row.Text("job", j.Job).Int("runs_before", j.Before.N).Int("runs_after", j.After.N).
			Float("p50_before_s", j.Before.P50).Float("p50_after_s", j.After.P50).Float("change", float64(j.Change)).
			Float("p_value", float64(j.PValue)).Bool("changed", j.Changed).Text("cause", j.Cause.Kind).
			Text("stage", j.Cause.Stage).Text("since", j.Cause.Since).Float("share", float64(j.Cause.Share))
	})
}

// Period is one of the two periods.
type Period struct {
	Store string `json:"store"`
	// of the first submission: Unix time, or since the start of the trace; null where no time is known
	FromS Number `json:"from_s"`
	ToS   Number `json:"to_s"` // of the last end, or where the later period begins
	// LengthS is the time that the runs stand for, to which amounts a day refer: n runs at regular intervals span n-1 of
	// them, and stand for n. Null where the period has no length, and for one run.
	LengthS    Number `json:"length_s"`
	Runs       int    `json:"runs"`
	Failed     int    `json:"failed"` // runs that failed, were killed, evicted or lost
	RunsPerDay Number `json:"runs_per_day"`
	AtOnce     Number `json:"mean_runs_at_once"` // from their submission to their end
	PeakAtOnce int    `json:"peak_runs_at_once"`
	// Use is the resources held by the runs of the period; null if the trace has no times of attempts.
	Use *PeriodUse `json:"use"`
}

// PeriodUse is the resources that the runs of a period held, and the part that did no useful work.
type PeriodUse struct {
	WasteAmount
	Classes WasteClasses `json:"classes"`
	Fleet   *Fleet       `json:"fleet"`
	// Stated tells that some run states the cores that it held. Otherwise held_core_h counts the cores that were used.
	Stated bool `json:"held_stated"`
	// Unpriced is as in [Waste].
	Unpriced string `json:"unpriced,omitempty"`
}

// ComparedJob is the change of a job. Summaries are of completion times in seconds, of runs that succeeded.
type ComparedJob struct {
	Job    string  `json:"job"`
	Before Summary `json:"before"`
	After  Summary `json:"after"`
	// where the later runs of the job begin, as from_s; null where no change of the job divides its runs
	DividedS Number `json:"divided_s"`
	// of the median, as a share of it; null where a period has too few runs
	Change   Number    `json:"change"`
	Interval [2]Number `json:"interval"` // of the change, at 95%
	// of a permutation test, or one of ranks, corrected for the number of jobs; null where a period has too few runs
	PValue       Number `json:"p_value"`
	Changed      bool   `json:"changed"`       // p_value < level, and the median changed by min_change or more
	FailedBefore Number `json:"failed_before"` // share of runs that did not succeed
	FailedAfter  Number `json:"failed_after"`
	// median of a run, of recorded attempts; null for jobs that did not change
	CoreHBefore Number      `json:"core_h_before"`
	CoreHAfter  Number      `json:"core_h_after"`
	Cause       ChangeCause `json:"cause"`
}

// ChangeCause is why a job changed.
type ChangeCause struct {
	Kind  string `json:"kind"`  // stage, input, cores, queueing, failures, skew or none
	Stage string `json:"stage"` // of a stage or skew, else ""
	// when the run with the new level was submitted, such as 2026-10-01T01:00:28Z; "" where unknown
	Since  string `json:"since"`
	SinceS Number `json:"since_s"` // the same in seconds, as from_s; null where unknown
	// the part grew or shrank along a line rather than in a step; then since is the middle of the way
	Gradual bool   `json:"gradual"`
	Run     string `json:"run"`   // that run
	Share   Number `json:"share"` // of all that changed in the direction of the job: the confidence in the cause
	// Median of the cause's measure before that run: core-seconds of a stage, bytes, cores, seconds, a share, or
	// seconds of the longest task.
	From  Number      `json:"from"`
	To    Number      `json:"to"`    // and from it on
	Parts []CausePart `json:"parts"` // changes of the mean run in seconds, largest first
	Also  []AlsoCause `json:"also"`  // further causes of the change, largest first
}

// AlsoCause is a further cause of a change, with the fields of [ChangeCause].
type AlsoCause struct {
	Kind   string `json:"kind"`
	Stage  string `json:"stage"`
	Since  string `json:"since"`
	SinceS Number `json:"since_s"`
	Share  Number `json:"share"`
	From   Number `json:"from"`
	To     Number `json:"to"`
}

// CausePart is a part of a difference in time.
type CausePart struct {
	// queueing, cores, input, driver, stage, skew, failures, contention (all stages alike) or unexplained
	What    string  `json:"what"`
	Stage   string  `json:"stage"` // of a stage or skew, else ""
	Seconds float64 `json:"seconds"`
	// the stages of one line of the program, where stage names them all
	Stages []string `json:"stages,omitempty"`
	// in an explanation of a run, the cores of the usual run and of this one, their bytes of input, the share of their
	// core-seconds that failed, or the tasks of the stage; absent for other parts
	Usual *float64 `json:"usual,omitempty"`
	Here  *float64 `json:"here,omitempty"`
}

// Names returns the stages of a part, none if it is not of a stage.
func (p *CausePart) Names() []string {
	if p.Stages == nil && p.Stage != "" {
		return []string{p.Stage}
	}
	return p.Stages
}

// Of reports whether the part is of the stage.
func (p *CausePart) Of(stage string) bool { return slices.Contains(p.Names(), stage) }

// ComparedNames is a job that only one of the periods has.
type ComparedNames struct {
	Job  string `json:"job"`
	Runs int    `json:"runs"`
}

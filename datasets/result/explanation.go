package result

// Explanation is why a run took longer, or less long, than its job's runs usually do. Times are in seconds.
type Explanation struct {
	Header
	Run       string      `json:"run"`
	Job       string      `json:"job"`
	Synthetic bool        `json:"synthetic"`   // the trace was generated, not measured
	Submitted Number      `json:"submitted_s"` // Unix time, or since the start of the trace
	TookS     float64     `json:"took_s"`
	UsualS    float64     `json:"usual_s"`    // median of the other runs
	UsualRuns int         `json:"usual_runs"` // their number
	UsualFrom float64     `json:"usual_p10_s"`
	UsualTo   float64     `json:"usual_p90_s"`
	Parts     []CausePart `json:"parts"` // they sum to took_s - usual_s; largest first
	Slowest   []SlowTask  `json:"slowest"`
	// racecard whatif can simulate the run: its stages and their times are known
	Replayable bool        `json:"-"`
	Signs      []Sign      `json:"signs"`  // of the stages that took longer, in the order of the parts
	Stages     []SlowStage `json:"stages"` // that took longer and whose query is known, in the order of the parts
	Link       string      `json:"link"`   // to the history server, "" without one
}

// SlowStage is a stage of a query with its operators.
type SlowStage struct {
	Stage       string `json:"stage"`
	Description string `json:"description"` // of the query, "" where the trace does not say
	// nodes of the query's plan that it executes, the last first, separated by commas
	Plan string `json:"plan"`
}

// Analysis implements [Document].
func (*Explanation) Analysis() string { return "explain" }

// Table implements [Document]: one row per part of the difference.
func (e *Explanation) Table() *Table {
	return tableOf("explain", e.Parts, func(row *Row, p *CausePart) {
		row.Text("part", p.What).Text("stage", p.Stage).Float("seconds", p.Seconds)
	})
}

// Sign is something about the tasks of a stage that was worse than usual, and may be why it took longer.
type Sign struct {
	Stage string `json:"stage"`
	// gc (share of the time of attempts), spill (bytes) or input_skew (largest / median input of a task)
	What  string  `json:"what"`
	Value float64 `json:"value"` // in the run
	Usual float64 `json:"usual"` // median of the other runs
}

// SlowTask is an attempt that lasted long for its stage.
type SlowTask struct {
	Stage   string  `json:"stage"`
	Task    int32   `json:"task"`
	Attempt int32   `json:"attempt"`
	Status  string  `json:"status"`
	Machine string  `json:"machine"` // "" where the trace does not say
	Seconds float64 `json:"seconds"`
	MedianS float64 `json:"median_s"` // of the attempts of its stage in this run
}

package result

// Steered is one run under a control loop of `racecard serve`, from its journal. Times are seconds since the start of
// the run.
type Steered struct {
	App       string        `json:"app"`
	Job       string        `json:"job"`
	Journal   string        `json:"journal"` // base name of the file
	DeadlineS float64       `json:"deadline_s"`
	LastS     float64       `json:"last_s"` // of the last decision
	Cut       bool          `json:"cut"`    // decisions before the first are no longer in the journal
	Ended     bool          `json:"ended"`  // the end of the run was told
	Watch     bool          `json:"watch"`  // answers were not followed
	Lost      int           `json:"lost_executors"`
	Steps     []SteeredStep `json:"steps"` // in the order of time
}

// Outlook is the prediction of a run that a decision rests on.
type Outlook struct {
	EarlyS    Number `json:"early_s"` // a tenth of runs end earlier, with the executors held
	EndS      Number `json:"end_s"`
	LateS     Number `json:"late_s"`
	Risk      Number `json:"risk"`                // of missing the deadline
	EarliestS Number `json:"earliest_deadline_s"` // that could be promised
}

// SteeredStep is a decision.
type SteeredStep struct {
	AtS       float64 `json:"at_s"`
	DeadlineS float64 `json:"deadline_s"`
	Progress  Number  `json:"progress"`
	Outlook
	Slower Number `json:"slower"`
	Held   int    `json:"held_executors"`
	Wanted int    `json:"wanted_executors"`
	Lost   int    `json:"lost_executors"` // since the start
	Hold   bool   `json:"hold"`
	Why    string `json:"why"`
}

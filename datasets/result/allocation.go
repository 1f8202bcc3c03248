package result

// Allocation compares the tokens that runs were guaranteed with the tasks that they ran at once (Jockey, §3.2).
type Allocation struct {
	Header
	Jobs int `json:"jobs"` // runs with a guarantee whose use is known
	// Ratio summarises max_parallelism / guaranteed per run.
	Ratio Summary `json:"ratio"`
	// ShareBelowGuarantee is the share of runs with a ratio below 1, which never used all they were guaranteed; null
	// without runs.
	ShareBelowGuarantee Number `json:"share_below_guarantee"`
	// ShareAbove10x is the share of runs with a ratio above 10.
	ShareAbove10x Number `json:"share_above_10x"`
	// MaxParallelism summarises the largest number of tasks of a run at once.
	MaxParallelism Summary `json:"max_parallelism"`
	// SpareShare is the share of attempts on spare tokens, among attempts that recorded it; null if none did.
	SpareShare Number `json:"spare_share"`

	// SustainedRatio is Ratio with the largest number of concurrent tasks outside the busiest 5% of the time: in many
	// logs, successive attempts in a slot overlap by milliseconds.
	SustainedRatio  Summary `json:"sustained_ratio"`
	SpareShareByRun Summary `json:"spare_share_by_run"` // the same within each run
	// Unused summarises, per run, the share of the guaranteed token-time from its start to its end that it did not use.
	Unused Summary `json:"unused_guarantee"`
	// Beyond summarises, per run, the share of its task-time that lay beyond the guarantee, on tokens that were spare.
	Beyond Summary `json:"beyond_guarantee"`

	ByBasis   map[string]int `json:"by_basis"` // runs per what their use was read from: attempts, allocations
	Intervals Intervals      `json:"intervals"`
	Users     []Asking       `json:"users"`  // by descending unused token-seconds; none when the trace names none
	Groups    []Asking       `json:"groups"` // likewise
	Extremes  []ExtremeRun   `json:"extremes"`
	Runs      RunUses        `json:"-"` // in the store's order; in the table only
}

// Asking compares the guarantees of a user's or a group's runs with their use.
type Asking struct {
	Who     string  `json:"who"`
	Runs    int     `json:"runs"`
	Over    int     `json:"over_asked"`  // ratio below 1: they asked for more than they used
	Under   int     `json:"under_asked"` // sustained ratio above 1: they used more than they asked for
	Above10 int     `json:"above_10x"`
	P50     float64 `json:"ratio_p50"`
	// GuaranteedTokenS is the guarantee times the length, summed over runs, in token-seconds. UnusedTokenS is its
	// unused part.
	GuaranteedTokenS float64 `json:"guaranteed_token_s"`
	UnusedTokenS     float64 `json:"unused_token_s"`
}

// RunUse is the guarantee and the use of one run. Null is NaN.
type RunUse struct {
	JobID, Name, User, Group string
	Guaranteed               int64
	MaxParallelism           int64
	Sustained                int64   // but for the busiest twentieth of its time
	Basis                    string  // [UseOfAttempts] or [UseOfAllocations]
	Seconds                  float64 // over which it held its guarantee
	Unused, Beyond           float64 // shares, as in Allocation
	SpareShare               float64
}

// Ratio is the run's max_parallelism / guaranteed.
func (r *RunUse) Ratio() float64 { return float64(r.MaxParallelism) / float64(r.Guaranteed) }

// SustainedRatio is the run's sustained parallelism / guaranteed.
func (r *RunUse) SustainedRatio() float64 { return float64(r.Sustained) / float64(r.Guaranteed) }

// Analysis implements [Document].
func (*Allocation) Analysis() string { return "allocation" }

// DropRows forgets the rows of the table, and gives their memory back.
func (a *Allocation) DropRows() { a.Runs = RunUses{} }

// Table implements [Document]: one row per run.
func (a *Allocation) Table() *Table {
	t := NewTable("allocation").sized(a.Runs.Len())
	for _, r := range a.Runs.All() {
		t.Row().ID("job_id", r.JobID).Text("name", r.Name).Text("user", r.User).Text("group", r.Group).
			Int("guaranteed", int(r.Guaranteed)).Int("max_parallelism",
			int(r.MaxParallelism)).Int("sustained_parallelism", int(r.Sustained)).
			Float("ratio", r.Ratio()).Float("sustained_ratio", r.SustainedRatio()).
			Text("basis", r.Basis).Float("seconds", r.Seconds).Float("unused_guarantee", r.Unused).
			Float("beyond_guarantee", r.Beyond).Float("spare_share", r.SpareShare)
	}
	return t
}

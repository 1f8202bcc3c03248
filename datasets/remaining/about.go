package remaining

// Methods by which tables are made.
const (
	Simulated = "simulation"
	Amdahl    = "amdahl"
)

// How a simulated run is sampled.
const (
	ByProgress = "progress" // one sample per progress: from the first instant at which it is reached
	ByTime     = "time"     // one sample per instant, as the paper does
)

// About describes a table: its job and how it was made. A nil field is unknown.
type About struct {
	Job string `json:"job"`
	// that the past runs came from, its base name; "" where that is not known
	Store      string   `json:"store"`
	Synthetic  bool     `json:"synthetic"`        // past runs were generated, not measured
	Method     string   `json:"method"`           // Simulated or Amdahl
	Model      string   `json:"model"`            // the profile: SHA-256 of its file
	Plan       string   `json:"plan"`             // hash of the graph of stages
	Resolution string   `json:"resolution"`       // "attempt", or "stage" where durations of single tasks are not known
	Stages     int      `json:"stages"`           //
	Tasks      int      `json:"tasks"`            // of a run
	Runs       int      `json:"runs"`             // that the profile was fitted to
	OldestS    *float64 `json:"fit_from_s"`       // end of the oldest of them, in the time of the trace
	NewestS    *float64 `json:"fit_to_s"`         // and of the newest
	MostTokens *int64   `json:"runs_most_tokens"` // that one of them held; beyond, run times are extrapolated
	InputBytes *float64 `json:"input_bytes"`      // that the table is for; nil: as past runs
	Indicator  string   `json:"indicator"`        // of progress, as package progress names it
	Sampling   string   `json:"sampling"`         // ByProgress or ByTime
	StepS      *float64 `json:"time_step_s"`      // between two instants, by time
	Replicates []int64  `json:"replicates"`       // simulated runs of each allocation
	Simulated  int64    `json:"simulations"`      // of all allocations
	Antithetic bool     `json:"antithetic"`       // runs are pairs of which one is long where the other is short
	Seed       uint64   `json:"seed"`             //
	// Relative error bound of quantiles due to limited memory; 0: they are exact.
	Error    float64  `json:"quantile_error"`
	Monotone Monotone `json:"monotone"`
	// Number of past runs that the remaining time at a progress follows; 0: it comes from simulated runs alone.
	Courses  int      `json:"courses"`
	Graph    Graph    `json:"graph"`    // of the plan
	Control  Control  `json:"control"`  // of the loop that looks the table up
	Warnings []string `json:"warnings"` //
	Version  string   `json:"racecard"` // that made the table
}

// Monotone counts the changes that made a table monotone: see [Table.Monotonize].
type Monotone struct {
	Known int `json:"allocations_known"` // allocations of which one can say more than that they are no slower
	// of quantiles in cells with samples, by more than a thousandth of the run's mean time
	Changed   float64 `json:"share_changed"`
	LargestS  float64 `json:"largest_s"` // by how much, at most
	LargestOf float64 `json:"largest"`   // the same as a share of the run's mean time with so many tokens
}

package result

// Health lists oddities of a trace, to be known before any statistic of it is read. Instants are seconds of the
// trace's time base; spans and durations are seconds.
type Health struct {
	Header
	Runs     int64 `json:"runs"`
	Stages   int64 `json:"stages"`
	Attempts int64 `json:"attempts"`

	// all that was looked for, in a fixed order, whether or not anything was found
	Checks   []HealthCheck  `json:"checks"`
	Coverage HealthCoverage `json:"coverage"`
	Clock    HealthClock    `json:"clock"`
	Names    HealthNames    `json:"names"`
	Values   []HealthValues `json:"values"` // of columns that hold numbers
	// Status counts "runs" and "attempts" per status.
	Status map[string]map[string]int64 `json:"status"`
}

// The severities of a [HealthCheck].
const (
	HealthUnchecked = "unchecked" // the trace holds nothing that could be checked
	HealthOK        = "ok"        // looked for, not found
	HealthInfo      = "info"      // good to know
	HealthWarn      = "warn"      // some analysis is affected
	HealthBad       = "bad"       // numbers computed from this would be wrong
)

// HealthCheck is one kind of oddity.
type HealthCheck struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Count    int64  `json:"count"` // what is odd
	Of       int64  `json:"of"`    // what could be judged
	Share    Number `json:"share"` // Count / Of; null when Of is 0
	Runs     int64  `json:"runs"`  // that these belong to; 0 where that makes no sense
	// Largest is the largest of the values of all that is odd; null when they have none.
	Largest Number `json:"largest"`
	// of Largest and of the values of Examples: s, instant, cores, bytes
	Unit     string          `json:"unit,omitempty"`
	Examples []HealthExample `json:"examples,omitempty"`
	Names    []string        `json:"names,omitempty"` // of what is odd, where it is not rows: columns, reasons
}

// HealthExample is a row of the tables.
type HealthExample struct {
	JobID   string `json:"job_id"`
	Stage   *int32 `json:"stage,omitempty"`
	Task    *int32 `json:"task,omitempty"`
	Attempt *int32 `json:"attempt,omitempty"`
	Name    string `json:"name,omitempty"` // of what the row refers to, such as a machine
	Value   Number `json:"value"`
}

// HealthCoverage is the activity of the trace over time. Its span leaves out the few instants that lie far outside the
// others.
type HealthCoverage struct {
	Base   string `json:"time_base"` // relative or unix; empty when it is not known
	FirstS Number `json:"first_s"`   // of all instants
	LastS  Number `json:"last_s"`
	FromS  Number `json:"from_s"` // without those far outside
	ToS    Number `json:"to_s"`

	WidthS Number      `json:"bin_width_s"` // of Bins
	Bins   []HealthBin `json:"bins"`        // adjacent, ascending; at most a few hundred

	Begins HealthPile `json:"begins"` // runs at the very first instant at which one begins
	Ends   HealthPile `json:"ends"`   // runs at the very last instant at which one ends

	// the longest stretches with no arrival and no run in progress, longest first
	Gaps      []HealthGap `json:"gaps"`
	GapCount  int64       `json:"gap_count"`  // all that were seen
	LongGaps  int64       `json:"long_gaps"`  // those too long to be chance
	LongShare Number      `json:"long_share"` // of the span that lies in long gaps
	// of the span that lies in gaps, at least; null when runs have no duration
	IdleShare  Number `json:"idle_share"`
	ShortestS  Number `json:"gap_at_least_s"` // gaps shorter than this may have been missed
	MeanEveryS Number `json:"mean_arrival_gap_s"`
}

// HealthBin is a stretch of time of [HealthCoverage.WidthS].
type HealthBin struct {
	AtS      float64 `json:"at_s"`     // its start
	Arrivals int64   `json:"arrivals"` // runs submitted; runs begun where no submission is known
	Runs     float64 `json:"runs"`     // mean number in progress, from the first known instant of a run to its last
	Attempts float64 `json:"attempts"` // mean number running, of those with a known start and end
}

// HealthGap is a period without any recorded activity.
type HealthGap struct {
	FromS   float64 `json:"from_s"`
	ToS     float64 `json:"to_s"`
	Seconds float64 `json:"seconds"`
	Long    bool    `json:"long"` // too long to be chance
}

// HealthPile counts runs at one instant.
type HealthPile struct {
	AtS  Number `json:"at_s"`
	Runs int64  `json:"runs"`
	Of   int64  `json:"of"` // runs for which such an instant is known
}

// HealthClock is the resolution of recorded times.
type HealthClock struct {
	Instants int64 `json:"instants"` // that are known
	// ResolutionS is the greatest length that divides all distances between instants; null for fewer than two
	// different instants. DurationResolutionS is the same for durations that are stated without a start and an end.
	ResolutionS         Number `json:"resolution_s"`
	DurationResolutionS Number `json:"duration_resolution_s"`
	WholeSeconds        Number `json:"whole_seconds"` // share of instants
	WholeMillis         Number `json:"whole_milliseconds"`
}

// HealthNames counts names. Names are normalised as for recurring jobs.
type HealthNames struct {
	Named    int64 `json:"named"`    // runs with a name
	Distinct int64 `json:"distinct"` // names; an estimate within a few percent unless Exact
	Exact    bool  `json:"exact"`
	// Generic are names under which unrelated work runs, those with most runs first, at most five.
	Generic []string `json:"generic,omitempty"`
}

// HealthValues is the range of the numbers in a column.
type HealthValues struct {
	Column string `json:"column"` // table.column
	Unit   string `json:"unit"`
	N      int64  `json:"n"` // known values
	Zeros  int64  `json:"zeros"`
	Min    Number `json:"min"`
	Max    Number `json:"max"`
}

// Analysis implements [Document].
func (*Health) Analysis() string { return "health" }

// Table implements [Document]: one row per check.
func (h *Health) Table() *Table {
	return tableOf("health", h.Checks, func(row *Row, c *HealthCheck) {
		row.Text("id", c.ID).Text("severity", c.Severity).Int("count", int(c.Count)).Int("of", int(c.Of)).
			Float("share", float64(c.Share)).Int("runs", int(c.Runs)).Float("largest", float64(c.Largest)).
			Text("unit", c.Unit)
	})
}

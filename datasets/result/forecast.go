package result

import "math"

// Forecast is the predicted time of the next run of a job on some numbers of cores. Times are in seconds, from
// submission to end.
type Forecast struct {
	Header
	Job       string `json:"job"`
	Synthetic bool   `json:"synthetic"` // past runs were generated, not measured
	Runs      int    `json:"runs"`      // past runs that it was learned from
	UsualS    Number `json:"usual_s"`   // their median
	// PerToken is the cores of a token of past runs, the median; null where the trace does not state them. "Cores" of this
	// document are tokens: task slots.
	PerToken Number `json:"cores_per_token"`
	Stated   bool   `json:"tokens_stated"` // the trace states the tokens of past runs
	// Grown is by which factor the times of all jobs of the store grew since these runs, the median: forecasts are longer
	// by it. It is null where no common change is apparent.
	Grown Number `json:"grown"`
	// the fewest and the most cores of past runs; null where these are not known
	CoresSeen [2]Number `json:"cores_seen"`
	InputSeen [2]Number `json:"input_seen"`  // bytes
	Input     Number    `json:"input_bytes"` // of the run; null: as past runs
	DeadlineS Number    `json:"deadline_s"`  // after submission; null without one
	// clock time of the submission, such as 05:10; "" where the deadline is a duration
	Start    string  `json:"start"`
	On       string  `json:"on"`       // date of the submission, such as 2026-12-06; "" where none is given
	Deadline string  `json:"deadline"` // clock time
	Sure     float64 `json:"sure"`     // chance that is enough
	// the fewest cores with that chance; null without a deadline, where none suffice, and where cores of past runs are
	// not known
	Fewest *ForecastCores  `json:"fewest"`
	Cores  []ForecastCores `json:"cores"`
}

// KnowsCores reports whether the cores of past runs are known. Otherwise their number tells nothing about times.
func (f *Forecast) KnowsCores() bool { return !math.IsNaN(float64(f.CoresSeen[0])) }

// TokenCores returns the cores that a token counts as: 1 where that is not known.
func (f *Forecast) TokenCores() float64 {
	if x := float64(f.PerToken); x > 0 {
		return x
	}
	return 1
}

// Unit returns the name of a token: core where it is one, or where tokens are the tasks that ran at once; else token.
func (f *Forecast) Unit() string {
	if x := float64(f.PerToken); x != 1 && (x > 0 || f.Stated) {
		return "token"
	}
	return "core"
}

// Analysis implements [Document].
func (*Forecast) Analysis() string { return "forecast" }

// Table implements [Document]: one row per number of cores.
func (f *Forecast) Table() *Table {
	t := NewTable("forecast")
	for _, c := range f.Cores {
		t.Row().Int("cores", c.Cores).Float("p50_s", c.P50S).Float("p90_s", c.P90S).Float("p95_s", c.P95S).
			Float("core_h", c.CoreH).Float("chance_of_deadline", float64(c.Chance)).Bool("extrapolated", c.Extrapolated)
	}
	return t
}

// ForecastCores is the forecast on some cores.
type ForecastCores struct {
	Cores  int     `json:"cores"`
	P50S   float64 `json:"p50_s"`
	P90S   float64 `json:"p90_s"`
	P95S   float64 `json:"p95_s"`
	CoreH  float64 `json:"core_h"`             // held, on average: tokens x cores of a token x mean time
	Chance Number  `json:"chance_of_deadline"` // null without a deadline
	// no past run had as few cores, or as many, or as small or large an input
	Extrapolated bool `json:"extrapolated"`
}

package result

import "math"

// Forecast is the predicted time of the next run of a job on some numbers of tokens: task slots. Times are in seconds,
// from submission to end.
type Forecast struct {
	Header
	Job       string `json:"job"`
	Synthetic bool   `json:"synthetic"` // past runs were generated, not measured
	Runs      int    `json:"runs"`      // past runs that it was learned from
	UsualS    Number `json:"usual_s"`   // their median
	// PerToken is the cores of a token of past runs, the median; null where the trace does not state them.
	PerToken Number `json:"cores_per_token"`
	Stated   bool   `json:"tokens_stated"` // the trace states the tokens of past runs
	// Grown is by which factor the times of all jobs of the store grew since these runs, the median: forecasts are longer
	// by it. It is null where no common change is apparent.
	Grown Number `json:"grown"`
	// the fewest and the most tokens of past runs; null where these are not known
	TokensSeen [2]Number `json:"tokens_seen"`
	InputSeen  [2]Number `json:"input_seen"`  // bytes
	Input      Number    `json:"input_bytes"` // of the run; null: as past runs
	DeadlineS  Number    `json:"deadline_s"`  // after submission; null without one
	// clock time of the submission, such as 05:10; "" where neither a deadline by the clock nor several runs a day ask
	// for one
	Start    string  `json:"start"`
	On       string  `json:"on"`       // date of the submission, such as 2026-12-06; "" where none is given
	Deadline string  `json:"deadline"` // clock time
	Sure     float64 `json:"sure"`     // chance that is enough
	// the fewest tokens with that chance; null without a deadline, where none suffice, and where tokens of past runs are
	// not known
	Fewest *ForecastTokens  `json:"fewest"`
	Tokens []ForecastTokens `json:"tokens"`
}

// KnowsTokens reports whether the trace states the tokens that past runs held. Otherwise the number of tokens tells
// nothing about times, though it may be known how many the runs used at once.
func (f *Forecast) KnowsTokens() bool { return f.Stated && !math.IsNaN(float64(f.TokensSeen[0])) }

// TokenCores returns the cores that a token counts as: 1 where that is not known.
func (f *Forecast) TokenCores() float64 {
	if x := float64(f.PerToken); x > 0 {
		return x
	}
	return 1
}

// Unit returns the name of a token: core where it is one, or where tokens are the tasks that ran at once; else token.
func (f *Forecast) Unit() string { return tokenUnit(f.PerToken, f.Stated) }

func tokenUnit(perToken Number, stated bool) string {
	if x := float64(perToken); x != 1 && (x > 0 || stated) {
		return "token"
	}
	return "core"
}

// Analysis implements [Document].
func (*Forecast) Analysis() string { return "forecast" }

// Table implements [Document]: one row per number of tokens.
func (f *Forecast) Table() *Table {
	return tableOf("forecast", f.Tokens, func(row *Row, c *ForecastTokens) {
		row.Int("tokens", c.Tokens).Float("p50_s", c.P50S).Float("p90_s", c.P90S).Float("p95_s", c.P95S).
			Float("core_h", c.CoreH).Float("chance_of_deadline", float64(c.Chance)).Bool("extrapolated", c.Extrapolated)
	})
}

// ForecastTokens is the forecast on some tokens.
type ForecastTokens struct {
	Tokens int     `json:"tokens"`
	P50S   float64 `json:"p50_s"`
	P90S   float64 `json:"p90_s"`
	P95S   float64 `json:"p95_s"`
	CoreH  float64 `json:"core_h"`             // held, on average: tokens x cores of a token x mean time
	Chance Number  `json:"chance_of_deadline"` // null without a deadline
	// no past run had as few tokens, or as many, or as small or large an input
	Extrapolated bool `json:"extrapolated"`
}

package result

// Remaining is a table of C(p,a), the remaining time of a job's runs, in a form for readers: DIR/remaining.json. Times
// are in seconds.
type Remaining struct {
	Header
	Job       string `json:"job"`
	Method    string `json:"method"` // simulation or amdahl
	Indicator string `json:"indicator"`
	Runs      int    `json:"runs"`        // past ones that the model is fitted to
	Simulated int64  `json:"simulations"` // of all allocations
	// that a past run held; beyond, times are extrapolated
	MostTokens Number `json:"runs_most_tokens"`
	// of quantiles that were not monotone and were made so
	Changed    float64        `json:"share_changed"`
	Quantiles  []string       `json:"quantiles"`                         // names of RemainingAt.S
	At         []RemainingAt  `json:"allocations"`                       // ascending
	Indicators []IndicatorUse `json:"indicators,omitempty"`              // how well each indicator tells the end
	Tokens     int32          `json:"indicators_tokens,omitempty"`       // on which they were tried
	Tried      int            `json:"indicators_runs,omitempty"`         // simulated runs that they were tried on
	TracedS    float64        `json:"indicators_traced_run_s,omitempty"` // how long the run takes that is traced
	// the quantile of C that a predicted end is made of
	Predicted string `json:"indicators_predicted_end_is,omitempty"`
	// the traced run by the table's indicator, ends predicted by its age, too
	Aged []IndicatorTell `json:"traced_run_with_its_age,omitempty"`
}

// RemainingAt is the remaining time with some tokens, by progress 0, 0.01, ... 1.
type RemainingAt struct {
	Tokens int32       `json:"tokens"`
	S      [][]float64 `json:"remaining_s"` // by quantile, then by progress
}

// IndicatorUse scores a progress indicator by its predictions of the ends of runs; shares are of a run's duration,
// means over runs.
type IndicatorUse struct {
	Name  string          `json:"name"`
	Jumps float64         `json:"delta_t"`                   // mean |T_t - T_t+1| of the predicted end: Jockey, §5.4
	Still float64         `json:"longest_constant_interval"` // in which the indicator does not move
	Off   float64         `json:"error"`                     // mean |T_t - end|
	Trace []IndicatorTell `json:"trace"`                     // of one run
}

// IndicatorTell is an instant of a run.
type IndicatorTell struct {
	AtS      float64 `json:"at_s"`
	Progress float64 `json:"progress"`
	EndS     float64 `json:"predicted_end_s"` // T_t
}

// RemainingQuantiles are the names of the quantiles of a [Remaining].
func RemainingQuantiles() []string { return []string{"p5", "p25", "p50", "p75", "p95"} }

// Analysis implements [Document].
func (*Remaining) Analysis() string { return "remaining" }

// Table implements [Document]: one row per allocation and progress.
func (r *Remaining) Table() *Table {
	t := NewTable("remaining")
	for _, a := range r.At {
		for i := range a.S[0] {
			row := t.Row().Int("tokens", int(a.Tokens)).Float("progress", float64(i)/100)
			for q, name := range r.Quantiles {
				row.Float("remaining_"+name+"_s", a.S[q][i])
			}
		}
	}
	return t
}

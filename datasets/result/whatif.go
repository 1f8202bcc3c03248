package result

// WhatIf is the simulated time and cost of one finished run on other numbers of tokens: DIR/whatif.json. Times are in
// seconds.
type WhatIf struct {
	Header
	Store       string        `json:"store"`
	Synthetic   bool          `json:"synthetic"` // the trace was generated, not measured
	Run         string        `json:"run"`
	Job         string        `json:"job"` // its name, "" where the trace has none
	ObservedS   Number        `json:"observed_s"`
	Tokens      int32         `json:"observed_tokens"` // the most it held; 0 where the trace does not tell
	ReplayS     Number        `json:"replay_s"`        // simulated at the tokens it held; null where they are not known
	Points      []WhatIfPoint `json:"points"`          // by ascending tokens; the recommended one is among them
	Unlimited   WhatIfPoint   `json:"unlimited"`       // with as many tokens as tasks
	Recommended WhatIfPoint   `json:"recommended"`     // the cheapest within that share of the shortest time
	Within      float64       `json:"within"`
	Widest      int32         `json:"widest_stage"` // tasks of the stage with most
}

// WhatIfPoint is the run at one allocation. Work, barriers, skew and driver add up to the time.
type WhatIfPoint struct {
	Tokens      int32   `json:"tokens"`
	TimeS       float64 `json:"time_s"`
	CostS       float64 `json:"cost_token_s"` // tokens x time
	Utilisation float64 `json:"utilization"`  // share of the cost in which attempts ran
	WorkS       float64 `json:"work_s"`       // token-seconds of attempts / tokens
	BarriersS   float64 `json:"barriers_s"`
	SkewS       float64 `json:"skew_s"`
	DriverS     float64 `json:"driver_s"`
}

// Cheapest returns the point with the fewest token-seconds, of equal ones the fastest; nil where there are no points.
func (w *WhatIf) Cheapest() *WhatIfPoint {
	var best *WhatIfPoint
	for i := range w.Points {
		if p := &w.Points[i]; best == nil || p.CostS < best.CostS || p.CostS == best.CostS && p.TimeS < best.TimeS {
			best = p
		}
	}
	return best
}

// Analysis implements [Document].
func (*WhatIf) Analysis() string { return "whatif" }

// Table implements [Document]: one row per allocation.
func (w *WhatIf) Table() *Table {
	return tableOf("whatif", w.Points, func(row *Row, p *WhatIfPoint) {
		row.Int("tokens", int(p.Tokens)).Float("time_s", p.TimeS).Float("cost_token_s", p.CostS).
			Float("utilization", p.Utilisation).Float("work_s", p.WorkS).Float("barriers_s", p.BarriersS).
			Float("skew_s", p.SkewS).Float("driver_s", p.DriverS)
	})
}

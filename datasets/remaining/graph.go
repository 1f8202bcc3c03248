package remaining

import (
	"fmt"
	"math"
)

// Graph is the plan of a run: the totals and dependencies by which a scheduler recognises stages and computes progress.
// It is empty in tables of jobs without a plan.
type Graph struct {
	Stages []Stage `json:"stages"` // in topological order
	Edges  []Edge  `json:"edges"`
}

// Stage holds the totals of a stage, as means over past runs. Names of fields follow package models/deadlines/progress.
type Stage struct {
	Name     string  `json:"name"`      // in the newest run
	Tasks    float64 `json:"tasks"`     // at least 1
	QueuedS  float64 `json:"queued_s"`  // of all tasks
	WorkS    float64 `json:"work_s"`    // of all tasks
	LongestS float64 `json:"longest_s"` // task
	Begin    float64 `json:"begin"`     // as a share of a run's time
	End      float64 `json:"end"`
	InfBegin float64 `json:"inf_begin"` // the same of a run without limit on tokens
	InfEnd   float64 `json:"inf_end"`
}

// Edge is a dependency between two stages, by their positions.
type Edge struct {
	Parent int32  `json:"parent"`
	Child  int32  `json:"child"`
	Kind   string `json:"kind"` // as in the edges table of a store
}

// Control holds the parameters of the control loop that requests tokens for a run: see package models/deadlines/jockey.
type Control struct {
	PeriodS       float64 `json:"period_s"`
	PeriodShare   float64 `json:"period_share"`
	Slack         float64 `json:"slack"`
	Hysteresis    float64 `json:"hysteresis"`
	Rise          float64 `json:"rise"`
	DeadZoneS     float64 `json:"dead_zone_s"`
	DeadZoneShare float64 `json:"dead_zone_share"`
	Hold          bool    `json:"hold"`
	Jump          bool    `json:"jump"`
	Learn         float64 `json:"learn"`
	Gain          float64 `json:"gain"`
	Quantile      float64 `json:"quantile"`
	// Weight of Amdahl's law for the state of the stages, against the table; 0 in tables of older versions.
	Blend float64 `json:"blend"`
}

// verify reports the first invalid number of the graph. Cycles are detected when progress is computed.
func (g *Graph) verify(stages int) error {
	if len(g.Stages) != 0 && len(g.Stages) != stages {
		return fmt.Errorf("graph of %d stages, want %d", len(g.Stages), stages)
	}
	for i := range g.Stages {
		s := &g.Stages[i]
		if !(s.Tasks >= 1) {
			return fmt.Errorf("graph: stage %d: %v tasks, want at least 1", i, s.Tasks)
		}
		for _, x := range []float64{s.Tasks, s.QueuedS, s.WorkS, s.LongestS, s.Begin, s.End - s.Begin, 1 - s.End,
			s.InfBegin, s.InfEnd - s.InfBegin, 1 - s.InfEnd} {
			if !(x >= 0) || math.IsInf(x, 1) {
				return fmt.Errorf(
					"graph: stage %d: %+v: want finite times, at least 0, and 0 <= begin <= end <= 1",
					i,
					*s,
				)
			}
		}
	}
	for _, e := range g.Edges {
		if e.Parent < 0 || e.Child < 0 || int(max(e.Parent, e.Child)) >= len(g.Stages) {
			return fmt.Errorf("graph: edge %d -> %d: want stages below %d", e.Parent, e.Child, len(g.Stages))
		}
	}
	return nil
}

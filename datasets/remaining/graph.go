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

// Loop holds the parameters of the control loop that requests tokens for a run, which package models/deadlines/jockey
// explains. Times are seconds.
type Loop struct {
	// between two decisions, to which Hysteresis and Rise refer; more frequent ones follow less each
	PeriodS       float64 `json:"period_s"`
	PeriodShare   float64 `json:"period_share"`    // but at most this share of the time to the deadline; 0: no such limit
	Slack         float64 `json:"slack"`           // S: remaining times are multiplied by it, at least 1
	Hysteresis    float64 `json:"hysteresis"`      // α above 0, at most 1, which follows the raw allocation at once
	Rise          float64 `json:"rise"`            // α where the raw allocation is the larger; 0: the same
	DeadZoneS     float64 `json:"dead_zone_s"`     // D
	DeadZoneShare float64 `json:"dead_zone_share"` // but at most this share of the time to the deadline, < 1; 0: no limit
	Hold          bool    `json:"hold"`            // keep the allocation, too, while it ends the run within D of the plan
	// Jump follows the raw allocation at once when the utility has changed, as in the first decision.
	Jump bool `json:"jump"`
	// Learn is the weight of the prediction, as a share of the run, in the estimate of the run's slowness; 0: the loop
	// does not learn.
	Learn float64 `json:"learn"`
	// where a deadline is out of reach, tokens are not asked for that shorten the remaining time by a smaller share
	Gain     float64 `json:"gain"`
	Quantile float64 `json:"quantile"` // of the remaining time, from 0 to 1
}

// Control holds the parameters of the control loop as a table has them.
type Control struct {
	Loop
	// Weight of Amdahl's law for the state of the stages, against the table; 0 in tables of older versions.
	Blend float64 `json:"blend"`
}

// Verify reports the first invalid number of the stage.
func (s *Stage) Verify() error {
	if !(s.Tasks >= 1) {
		return fmt.Errorf("%v tasks, want at least 1", s.Tasks)
	}
	for _, x := range []float64{s.Tasks, s.QueuedS, s.WorkS, s.LongestS, s.Begin, s.End - s.Begin, 1 - s.End,
		s.InfBegin, s.InfEnd - s.InfBegin, 1 - s.InfEnd} {
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("%+v: want finite times, at least 0, and 0 <= begin <= end <= 1", *s)
		}
	}
	return nil
}

// verify reports the first invalid number of the graph. Cycles are detected when progress is computed.
func (g *Graph) verify(stages int) error {
	if len(g.Stages) != 0 && len(g.Stages) != stages {
		return fmt.Errorf("graph of %d stages, want %d", len(g.Stages), stages)
	}
	for i := range g.Stages {
		if err := g.Stages[i].Verify(); err != nil {
			return fmt.Errorf("graph: stage %d: %w", i, err)
		}
	}
	for _, e := range g.Edges {
		if e.Parent < 0 || e.Child < 0 || int(max(e.Parent, e.Child)) >= len(g.Stages) {
			return fmt.Errorf("graph: edge %d -> %d: want stages below %d", e.Parent, e.Child, len(g.Stages))
		}
	}
	return nil
}

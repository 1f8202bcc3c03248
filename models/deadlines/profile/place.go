package profile

import (
	"racecard/analyses/dag"
	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/models/workload"
)

// Placed is a run whose stages can be found in the plan of a profile.
type Placed struct {
	Plan     string  // hash of its graph, as [modelfile.Plan] holds it
	Position []int32 // of each stage in the canonical order
}

// Place finds the canonical positions of the stages of a run.
func Place(run *trace.Run) Placed {
	hash, order := dag.Canonical(len(run.Stages), run.Edges, tiebreak(run, workload.ByStage(workload.AfterBarriers(run))))
	p := Placed{Plan: result.PlanHash(hash), Position: make([]int32, len(run.Stages))}
	for i, v := range order {
		p.Position[v] = int32(i)
	}
	return p
}

// In returns, per stage of the run, the stage of a fitted plan that it corresponds to; nil where the run has another
// plan, or the plan was read from a file.
func (p *Placed) In(plan *modelfile.Plan) []int32 {
	if p.Plan != plan.Plan || len(p.Position) != len(plan.Canonical) {
		return nil
	}
	at := make([]int32, len(plan.Canonical))
	for i, position := range plan.Canonical {
		at[position] = int32(i)
	}
	return lists.Map(p.Position, func(position int32) int32 { return at[position] })
}

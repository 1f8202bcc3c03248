package profile

import (
	"racecard/datasets/seed"
	"racecard/datasets/trace"
	"racecard/models/deadlines/sim"
)

// mostReplayed bounds the tokens of a run that is replayed: as many as a simulation can use.
const mostReplayed = 1 << 20

// replay returns how long the tasks of a run take on its tokens, each started in the order of the trace as soon as
// there is a token: in microseconds, [trace.None] where the tokens, or the run time of a task of some stage, are not
// known.
func replay(run *trace.Run, byStage [][]trace.Attempt, tokens int64) int64 {
	if tokens < 1 {
		return trace.None
	}
	var p sim.Plan
	for v := range run.Stages {
		var durations []int64
		for i := range byStage[v] {
			if a := &byStage[v][i]; counts(a) {
				durations = append(durations, int64(a.Duration))
			}
		}
		d, err := sim.InOrder(durations)
		if err != nil {
			return trace.None
		}
		p.Stages = append(p.Stages, sim.Stage{Tasks: int32(len(durations)), Duration: d})
	}
	joined := map[[2]int32]bool{}
	for _, e := range run.Edges {
		if pair := [2]int32{e.Parent, e.Child}; !joined[pair] {
			joined[pair] = true
			p.Edges = append(p.Edges, sim.Edge{Parent: e.Parent, Child: e.Child, Kind: trace.AllToAll})
		}
	}
	c, err := sim.Compile(p)
	if err != nil {
		return trace.None
	}
	o := sim.Options{Allocation: []sim.Step{{Tokens: int32(min(tokens, mostReplayed))}}}
	res, err := sim.NewRunner(c).Run(&o, seed.Stream(0, "replay", 0)) // nothing is drawn
	if err != nil {
		return trace.None
	}
	return res.End
}

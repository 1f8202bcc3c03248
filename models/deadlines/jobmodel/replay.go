package jobmodel

import (
	"math"

	"racecard/datasets/seed"
	"racecard/models/deadlines/sim"
)

// Replay is a recorded run, simulated at its own tokens and durations.
type Replay struct {
	StageOrder bool      // for [sim.Options].StageOrder: stages start in their order, not as they became ready
	End        float64   // seconds from submission
	Start      []float64 // per stage
}

// Replay repeats the run. Traces do not say in which order the scheduler took tasks that were ready: of the two orders
// that simulations support, Replay uses the one with stage starts nearer to the recorded ones.
func (r *Recorded) Replay() (Replay, error) {
	var best Replay
	least := math.Inf(1)
	for _, order := range []bool{false, true} {
		now, err := r.replay(order)
		if err != nil {
			return best, err
		}
		off := 0.0
		for v, start := range now.Start {
			if d := math.Abs(start - r.Start[v]); !math.IsNaN(d) {
				off += d
			}
		}
		if off < least {
			least, best = off, now
		}
	}
	return best, nil
}

func (r *Recorded) replay(order bool) (Replay, error) {
	c, err := sim.Compile(r.Plan)
	if err != nil {
		return Replay{}, err
	}
	out := Replay{StageOrder: order, Start: make([]float64, len(r.Plan.Stages))}
	for v := range out.Start {
		out.Start[v] = math.NaN()
	}
	res, err := sim.NewRunner(c).Run(&sim.Options{
		Allocation: r.Tokens, Machine: r.Machine, StageOrder: order,
		Observe: func(e sim.Event, _ sim.Progress) {
			if e.Kind == sim.Started && math.IsNaN(out.Start[e.Stage]) {
				out.Start[e.Stage] = float64(e.Now) / 1e6
			}
		},
	}, seed.Stream(0, "replay", 0)) // nothing is drawn
	out.End = float64(res.End) / 1e6
	return out, err
}

package workload

import (
	"fmt"
	"math"
	"math/rand/v2"

	"racecard/datasets/seed"
	"racecard/datasets/trace"
)

// Draw controls the values that are drawn if a trace lacks them.
type Draw struct {
	Seed uint64
	// Scale multiplies drawn demands, at least 0.
	Scale float64
}

// DefaultDraw returns the draws that comparisons with published numbers use.
func DefaultDraw(root uint64) Draw { return Draw{Seed: root, Scale: 1} }

// Validate reports the first option that makes no sense.
func (d Draw) Validate() error {
	if !(d.Scale > 0 && d.Scale <= 1e6) {
		return fmt.Errorf("demand-scale %v: want more than 0, at most 1e6", d.Scale)
	}
	return nil
}

// Distributions of drawn values, for people.
const (
	DemandDistribution   = "log-uniform per stage: cpu 1 to 4 cores, mem 1 to 16 GB, disk and network 10 to 200 MB/s each"
	DurationDistribution = "log-normal per stage: median 10 s, σ 1"
)

// ranges are the bounds of log-uniform draws.
var ranges = [trace.NumResources][2]float64{
	trace.CPU: {1, 4}, trace.Mem: {1e9, 16e9}, trace.DiskRead: {10e6, 200e6}, trace.DiskWrite: {10e6, 200e6},
	trace.NetIn: {10e6, 200e6}, trace.NetOut: {10e6, 200e6},
}

// Draws are all draws of one stage, needed or not, so that the needed ones do not depend on the values that the trace
// has.
type Draws struct {
	Demand  trace.Demand // of a task
	Seconds float64      // that each task takes
}

// Stages draws for n stages of the run with the given number: see [Run].
func (d Draw) Stages(seq int64, n int) []Draws {
	rng := rand.New(seed.Stream(d.Seed, "demands and durations of stages", uint64(seq)))
	out := make([]Draws, n)
	for i := range out {
		out[i].Demand = trace.NoDemand()
		for r, b := range ranges {
			if b[1] > 0 {
				out[i].Demand[r] = d.Scale * b[0] * math.Exp(rng.Float64()*math.Log(b[1]/b[0]))
			}
		}
		out[i].Seconds = 10 * math.Exp(rng.NormFloat64())
	}
	return out
}

// Duration returns the drawn time of a task, in microseconds.
func (d *Draws) Duration() int64 { return int64(math.Round(d.Seconds * 1e6)) }

package generate

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
)

// runsPerJob is how often a generated recurring job runs.
const runsPerJob = 50

// plan is the graph of a recurring job.
type plan struct {
	tasks   []int
	seconds []float64 // mean duration of a task
	parents [][]int
	input   float64
}

// planOf draws the plan of a recurring job: it depends on the seed and the number of the job alone.
func planOf(root uint64, job int64) plan {
	rng := source(root, fmt.Sprint("jsonl job ", job))
	var p plan
	for s := range 2 + rng.IntN(7) {
		p.tasks = append(p.tasks, 1+int(lognormal(rng, 4, 0.7)))
		p.seconds = append(p.seconds, lognormal(rng, 5, 1))
		var of []int
		for k := max(0, s-3); k < s; k++ {
			if rng.IntN(2) == 0 {
				of = append(of, k)
			}
		}
		p.parents = append(p.parents, of)
	}
	p.input = lognormal(rng, 1e10, 2)
	return p
}

// recurring writes runs of recurring jobs, each with all its attempts: stages run one after the other on a handful of
// machines, inputs vary by about 30% and durations with them.
func recurring(ctx context.Context, w io.Writer, rows int64, root uint64, progress func(int64)) (int64, error) {
	rng := source(root, "jsonl")
	o := newOutput(ctx, w, progress)
	jobs := max(1, rows/runsPerJob)
	for o.rows < rows {
		job := o.rows % jobs
		p := planOf(root, job)
		o.run(rng, &p, job, float64(o.rows)*3)
		if err := o.end(); err != nil {
			return o.rows, err
		}
	}
	return o.rows, o.w.Flush()
}

func (o *output) run(rng *rand.Rand, p *plan, job int64, submit float64) {
	scale := 0.7 + 0.6*rng.Float64()
	o.text(fmt.Sprintf(`{"id":"run-%09d","name":"job-%d-2026-%02d-%02d","submit_s":`, o.rows, job%10_000, 1+o.rows%12, 1+o.rows%28))
	o.round(submit, 3)
	o.text(fmt.Sprintf(`,"guaranteed":%d,"input_bytes":%d,"stages":[`, 8, int64(p.input*scale)))
	for s, tasks := range p.tasks {
		if s > 0 {
			o.text(",")
		}
		o.text(fmt.Sprintf(`{"name":"s%d","tasks":%d,"cpu":1`, s, tasks))
		for k, parent := range p.parents[s] {
			if k == 0 {
				o.text(`,"parents":[`)
			} else {
				o.text(",")
			}
			o.int(int64(parent))
		}
		if len(p.parents[s]) > 0 {
			o.text("]")
		}
		o.text("}")
	}
	o.text(`],"tasks":[`)
	at := submit + rng.ExpFloat64()
	first := true
	for s, tasks := range p.tasks {
		end := at
		for t := range tasks {
			seconds := lognormal(rng, p.seconds[s]*scale, 0.4)
			if !first {
				o.text(",")
			}
			first = false
			o.text(fmt.Sprintf(`{"stage":%d,"task":%d,"start_s":%.3f,"end_s":%.3f,"machine":"m%d"}`, s, t, at, at+seconds, (int(job)+t)%200))
			end = max(end, at+seconds)
		}
		at = end + 0.1
	}
	o.text(`],"end_s":`)
	o.round(at, 3)
	o.text("}")
}

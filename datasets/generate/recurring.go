package generate

import (
	"fmt"
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
func recurring(t *traceWriter) {
	rng := source(t.seed, "jsonl")
	o := t.file("")
	jobs := max(1, t.want/runsPerJob)
	for t.more() {
		job := t.rows % jobs
		p := planOf(t.seed, job)
		o.run(rng, &p, job, float64(t.rows)*3)
		o.endRow()
	}
}

func (o *output) run(rng *rand.Rand, p *plan, job int64, submit float64) {
	scale := 0.7 + 0.6*rng.Float64()
	n := o.trace.rows
	o.text(`{"id":"run-`)
	o.pad(n, 9)
	o.field(`","name":"job-`, job%10_000)
	o.text("-2026-")
	o.pad(1+n%12, 2)
	o.text("-")
	o.pad(1+n%28, 2)
	o.text(`","submit_s":`)
	o.round(submit, 3)
	o.field(`,"guaranteed":8,"input_bytes":`, int64(p.input*scale))
	o.text(`,"stages":[`)
	for s, tasks := range p.tasks {
		if s > 0 {
			o.text(",")
		}
		o.field(`{"name":"s`, int64(s))
		o.field(`","tasks":`, int64(tasks))
		o.text(`,"cpu":1`)
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
		for task := range tasks {
			seconds := lognormal(rng, p.seconds[s]*scale, 0.4)
			if !first {
				o.text(",")
			}
			first = false
			o.field(`{"stage":`, int64(s))
			o.field(`,"task":`, int64(task))
			o.text(`,"start_s":`)
			o.round(at, 3)
			o.text(`,"end_s":`)
			o.round(at+seconds, 3)
			o.field(`,"machine":"m`, (job+int64(task))%200)
			o.text(`"}`)
			end = max(end, at+seconds)
		}
		at = end + 0.1
	}
	o.text(`],"end_s":`)
	o.round(at, 3)
	o.text("}")
}

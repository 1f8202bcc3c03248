package generate

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
)

// openJobs is how many jobs of the Alibaba kind write rows at the same time, so that rows of one job lie that far apart.
const openJobs = 5000

// alibabaJob is a job that has rows to write.
type alibabaJob struct {
	id, start int64
	tasks     int // still to write: their numbers count down
	of        int
}

// alibaba2018 writes batch_task: jobs of one to thirty tasks, mostly few, whose tasks have up to three parents.
func alibaba2018(ctx context.Context, w io.Writer, rows int64, root uint64, progress func(int64)) (int64, error) {
	rng := source(root, "alibaba2018")
	o := newOutput(ctx, w, progress)
	var jobs []alibabaJob
	var opened, pending int64 // jobs so far, and rows that the open ones still have to write
	for o.rows < rows {
		for len(jobs) < openJobs && o.rows+pending < rows {
			n := 1 + min(29, int(lognormal(rng, 1.6, 0.9)))
			opened++
			pending += int64(n)
			jobs = append(jobs, alibabaJob{id: opened * 2654435761 % 9_000_000_007, start: 86400 + opened/10, tasks: n, of: n})
		}
		i := rng.IntN(len(jobs))
		if err := o.alibabaTask(rng, &jobs[i]); err != nil {
			return o.rows, err
		}
		pending--
		if jobs[i].tasks--; jobs[i].tasks == 0 {
			jobs[i] = jobs[len(jobs)-1]
			jobs = jobs[:len(jobs)-1]
		}
		if o.rows == rows && pending > 0 { // the last job writes its rows, too
			rows = o.rows + pending
		}
	}
	return o.rows, o.w.Flush()
}

func (o *output) alibabaTask(rng *rand.Rand, j *alibabaJob) error {
	number := j.tasks
	letter := "M"
	parents := 0
	if number > 1 && rng.IntN(5) > 0 {
		letter = "R"
		if parents = 1 + rng.IntN(min(3, number-1)); parents > 1 {
			letter = "J"
		}
	}
	o.text(letter)
	o.int(int64(number))
	last := number
	for range parents {
		if last <= 1 {
			break
		}
		last -= 1 + rng.IntN(min(3, last-1))
		o.text("_")
		o.int(int64(last))
	}
	status, wait := "Terminated", rng.IntN(1000)
	switch {
	case wait < 5:
		status = "Failed"
	case wait < 10:
		status = "Running"
	}
	start := j.start + int64(j.of-number)*7
	seconds := int64(lognormal(rng, 12, 1.3))
	o.text(",")
	o.round(math.Ceil(lognormal(rng, 4, 1.6)), 1)
	o.text(",j_")
	o.int(j.id)
	o.text(",")
	o.int(int64(1 + rng.IntN(12)))
	o.text("," + status + ",")
	o.int(start)
	o.text(",")
	if status == "Running" {
		o.int(0)
	} else {
		o.int(start + seconds)
	}
	o.text(",")
	o.round(float64(50*(1+rng.IntN(4))), 1)
	o.text(",")
	o.round(lognormal(rng, 0.4, 0.5), 2)
	return o.end()
}

// yahoo writes jobs whose number of tasks and mean duration are exponential, of two kinds: 90% short, 10% long. Within a
// job durations vary with a variance of twice the mean, as in the trace that the authors of Hawk and Eagle used.
func yahoo(ctx context.Context, w io.Writer, rows int64, root uint64, progress func(int64)) (int64, error) {
	rng := source(root, "tr")
	o := newOutput(ctx, w, progress)
	var durations []float64
	for at := 0.0; o.rows < rows; at += 7.48 * (1 + 0.01*rng.NormFloat64()) {
		tasks, mean := 20.6, 20.0
		if rng.IntN(10) == 0 {
			tasks, mean = 200, 1200
		}
		n, m := 1+int(rng.ExpFloat64()*tasks), rng.ExpFloat64()*mean
		durations = durations[:0]
		var sum float64
		for len(durations) < n {
			if d := m + math.Sqrt(2*m)*rng.NormFloat64(); d > 0 {
				durations = append(durations, d)
				sum += d
			}
		}
		o.float(at)
		o.text(" ")
		o.int(int64(n))
		o.text(" ")
		o.float(sum / float64(n))
		for _, d := range durations {
			o.text(" ")
			o.float(d)
		}
		if err := o.end(); err != nil {
			return o.rows, err
		}
	}
	return o.rows, o.w.Flush()
}

// swim writes jobs of which three quarters only map.
func swim(ctx context.Context, w io.Writer, rows int64, root uint64, progress func(int64)) (int64, error) {
	rng := source(root, "swim")
	o := newOutput(ctx, w, progress)
	for at := int64(0); o.rows < rows; {
		gap := int64(rng.ExpFloat64() * 14)
		at += gap
		o.text("job")
		o.int(o.rows)
		shuffle := 0.0
		if rng.IntN(4) == 0 {
			shuffle = lognormal(rng, 1e8, 3)
		}
		for _, n := range []float64{float64(at), float64(gap), lognormal(rng, 2e4, 4), shuffle, lognormal(rng, 1e5, 4)} {
			o.text("\t")
			o.int(int64(min(n, 1e15)))
		}
		if err := o.end(); err != nil {
			return o.rows, err
		}
	}
	return o.rows, o.w.Flush()
}

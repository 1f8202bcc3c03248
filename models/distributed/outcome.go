package distributed

import (
	"slices"
)

// Outcome is what became of a workload.
type Outcome struct {
	// Completion holds, by job in the order of the workload, the time from its submission to the end of its last task.
	Completion []int64
	Long       []bool // by job, whether the truth makes it long
	Makespan   int64  // from the first submission to the last end
	Tasks      int64
	Events     int64 // that were simulated: arrivals, messages to a worker, ends of tasks, empty answers
	// Utilization is the share of the slots that were busy, over time from the first to the last submission; a slot is
	// busy, too, while it asks for a task. NaN when all were submitted at once.
	Utilization float64
	// SampledMedian and SampledMean are of samples up to the last submission, SampledAll the mean over all.
	SampledMedian, SampledMean, SampledAll float64
	Counts                                 Counts
	// Jobs says, by job, where it hurt; nil unless Options.Detail.
	Jobs []JobDetail
}

// Merged returns the outcome by run, of a workload of stages of which runs is what [Workload.Runs] returns: a run takes until
// its last stage ends.
func (o *Outcome) Merged(w, runs *Workload, cutoff int64) *Outcome {
	m := *o
	m.Completion, m.Long, m.Jobs = make([]int64, len(runs.Jobs)), make([]bool, len(runs.Jobs)), nil
	if o.Jobs != nil {
		m.Jobs = make([]JobDetail, len(runs.Jobs))
	}
	i := 0
	for r := range runs.Jobs {
		m.Long[r] = runs.Jobs[r].Estimate > cutoff
		for left := runs.Jobs[r].Tasks; left > 0; i++ {
			left -= w.Jobs[i].Tasks
			m.Completion[r] = max(m.Completion[r], o.Completion[i])
			if o.Jobs != nil {
				m.Jobs[r].add(&o.Jobs[i])
			}
		}
	}
	return &m
}

// Counts are of what happened.
type Counts struct {
	Probes   int64 // sent
	Placed   int64 // tasks sent to workers by a central scheduler
	Rejected int64 // probes, for long tasks at the worker
	Empty    int64 // answers that no task is left
	Stuck    int64 // tasks that a worker got from a probe that already had got one
	Bypasses int64 // probes that were passed by a task, once for each
	Stolen   int64 // probes
	Shed     int64 // probes that a worker with too many sent elsewhere
}

// usage is how many workers were busy over time.
type usage struct {
	last    int64 // submission
	sum     int64 // of busy worker time up to then
	next    int64 // sample
	every   int64
	samples []int32
	before  int // samples up to the last submission
}

func newUsage(last, every int64) usage { return usage{last: last, every: every} }

// ran counts a worker as busy from an instant to another.
func (u *usage) ran(from, to int64) {
	if to > u.last {
		to = u.last
	}
	if to > from {
		u.sum += to - from
	}
}

func (u *usage) sample(busy int32) {
	u.samples = append(u.samples, busy)
	if u.next <= u.last {
		u.before++
	}
	u.next += u.every
}

func (c *Cluster) finish() *Outcome {
	out := c.out
	for i := range c.jobs {
		out.Long[i] = c.jobs[i].reported
	}
	u, n := &c.usage, float64(c.o.SlotsInAll())
	out.Utilization = float64(u.sum) / (n * float64(u.last))
	share := func(s []int32) float64 {
		var sum int64
		for _, b := range s {
			sum += int64(b)
		}
		return float64(sum) / (float64(len(s)) * n)
	}
	out.SampledMean, out.SampledAll = share(u.samples[:u.before]), share(u.samples)
	sorted := slices.Clone(u.samples[:u.before])
	slices.Sort(sorted)
	if k := len(sorted); k > 0 {
		out.SampledMedian = float64(sorted[(k-1)/2]+sorted[k/2]) / 2 / n
	}
	if c.detail != nil {
		out.Jobs = c.detail.jobs
	}
	return out
}

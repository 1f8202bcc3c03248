package distributed

// Outcome is the result of a workload.
type Outcome struct {
	// Completion holds, by job in the order of the workload, the time from its submission to the end of its last task.
	Completion []int64
	Long       []bool // by job, whether the truth makes it long
	Makespan   int64  // from the first submission to the last end
	Tasks      int64
	Events     int64 // simulated events: arrivals, messages to a worker, ends of tasks, empty answers
	// Utilization is the share of the slots that were busy, over time from the first to the last submission; a slot is
	// busy, too, while it asks for a task. NaN when all were submitted at once.
	Utilization float64
	// SampledMedian and SampledMean are of samples up to the last submission, SampledAll the mean over all.
	SampledMedian, SampledMean, SampledAll float64
	Counts                                 Counts
	// Jobs lists the causes of each job's delay; nil unless Options.Detail.
	Jobs []JobDetail
}

// Merged returns the outcome by run, for a workload of stages with runs from [Workload.Runs]: a run ends with
// its last stage.
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

// Counts are numbers of events.
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

// usage is the number of busy workers over time. Its memory grows with the largest number, not with time: a trace may
// have idle years.
type usage struct {
	last  int64 // submission
	sum   int64 // of busy worker time up to then
	next  int64 // sample
	every int64

	before []int64 // samples up to the last submission, by how many workers were busy
	after  level   // samples later than that
}

// level is samples of a number.
type level struct{ samples, sum int64 }

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

// sample takes all samples up to an instant, during which the same number of workers is busy.
func (u *usage) sample(busy int32, until int64) {
	if n := u.due(min(until, u.last)); n > 0 {
		for len(u.before) <= int(busy) {
			u.before = append(u.before, 0)
		}
		u.before[busy] += n
		u.next += n * u.every
	}
	if n := u.due(until); n > 0 {
		u.after.samples += n
		u.after.sum += n * int64(busy)
		u.next += n * u.every
	}
}

// due returns how many samples are to be taken up to an instant.
func (u *usage) due(until int64) int64 {
	if u.next > until {
		return 0
	}
	return (until-u.next)/u.every + 1
}

// at returns the sample of a rank, from 0, among those up to the last submission.
func (u *usage) at(rank int64) int64 {
	for busy, n := range u.before {
		if rank -= n; rank < 0 {
			return int64(busy)
		}
	}
	return 0
}

func (c *Cluster) finish() *Outcome {
	out := c.out
	for i := range c.jobs {
		out.Long[i] = c.jobs[i].reported
	}
	u, n := &c.usage, float64(c.o.SlotsInAll())
	out.Utilization = float64(u.sum) / (n * float64(u.last))
	var before level
	for busy, samples := range u.before {
		before.samples += samples
		before.sum += samples * int64(busy)
	}
	share := func(l level) float64 { return float64(l.sum) / (float64(l.samples) * n) }
	out.SampledMean, out.SampledAll = share(before),
		share(level{before.samples + u.after.samples, before.sum + u.after.sum})
	if k := before.samples; k > 0 {
		out.SampledMedian = float64(u.at((k-1)/2)+u.at(k/2)) / 2 / n
	}
	if c.detail != nil {
		out.Jobs = c.detail.jobs
	}
	return out
}

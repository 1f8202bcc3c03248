// Package anatomy divides the completion time of a run into seconds of queueing, of its driver, of task attempts and of
// idle cores, by stage, and the difference between a run and its usual into the causes of that difference.
//
// # Measure
//
// A run holds as many cores as it has attempts at once, disregarding the busiest 2% of the time in which any runs.
// While k of C cores run, k/C of the time is work and the rest is idle time; both are divided among the running stages.
// While no core runs, the time is the driver's. So
//
//	completion = queueing + driver + sum over stages of (work + failed) / cores + idle
//
// holds for every run. Stages of the same name are one. If only durations of attempts are known, a list schedule gives
// their times: stages begin when their parents have ended, on the guaranteed cores of the run, or on the fewest on
// which it ends in time. A run without attempts is measured by the times of its stages, at its guaranteed cores; a run
// without these is a single stage without a name.
package anatomy

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"racecard/datasets/trace"
)

// spikes is the share of its busy time in which a run may have more attempts at once than it counts as holding cores.
const spikes = 0.02

// Run is the measure of a run. Times are in seconds.
type Run struct {
	ID      string
	At      trace.Instant // submitted, or started where that is not known
	Seconds float64       // completion time
	Queued  float64       // from submit to start
	Driver  float64       // from start to end, without a running attempt
	Cores   float64       // held; at least 1
	Input   float64       // bytes; 0 where not known
	Stages  []Stage       // by name
}

// Stage is the contribution of the stages of one name to a run.
type Stage struct {
	Name    string
	Tasks   int     // succeeded attempts; 0 where attempts have no times
	Work    float64 // core-seconds of attempts that succeeded
	Failed  float64 // core-seconds of all others
	Idle    float64 // seconds of run time in which cores were idle while the stage ran
	Longest float64 // seconds of the longest attempt that succeeded
}

// Seconds returns the run time that a stage takes on so many cores.
func (s *Stage) Seconds(cores float64) float64 { return (s.Work+s.Failed)/cores + s.Idle }

// piece is a stretch of run time in which a stage runs: an attempt, or a whole stage.
type piece struct {
	stage     int // index into Run.Stages, before they are sorted
	from, to  trace.Instant
	succeeded bool
}

// Measure measures a run; false when its completion time is not known, or ctx has ended.
func Measure(ctx context.Context, run *trace.Run) (Run, bool) {
	took := run.Completion()
	begin := run.Start
	if !begin.Known() {
		begin = run.Submit
	}
	if !took.Known() || !begin.Known() {
		return Run{}, false
	}
	r := Run{ID: run.ID, At: run.Submit, Seconds: took.Seconds(), Cores: 1}
	if !r.At.Known() {
		r.At = begin
	}
	begin = min(max(begin, r.At), run.End)
	r.Queued = begin.Since(r.At).Seconds()
	if run.InputBytes > 0 {
		r.Input = float64(run.InputBytes)
	}
	index := map[string]int{}
	stageOf := func(i int32) int {
		name := run.Stages[i].Name
		if name == "" {
			name = strconv.Itoa(int(i)) // as in "stage 0 takes longer"
		}
		return r.stage(index, name)
	}
	var pieces []piece
	add := func(stage func() int, from, to trace.Instant, succeeded bool) {
		if from.Known() && to.Known() && max(from, begin) < min(to, run.End) {
			pieces = append(pieces, piece{stage(), max(from, begin), min(to, run.End), succeeded})
		}
	}
	of := func(i int32) func() int { return func() int { return stageOf(i) } }
	attempt := func(a *trace.Attempt, from, to trace.Instant) {
		add(of(a.Stage), from, to, a.Status.Well())
	}
	for i := range run.Attempts {
		a := &run.Attempts[i]
		attempt(a, a.Start, a.End)
	}
	if len(pieces) == 0 {
		if l := newLayout(run, begin); l != nil {
			l.each(ctx, attempt)
		}
		if ctx.Err() != nil {
			return Run{}, false
		}
	}
	attempts := len(pieces) > 0
	for _, p := range pieces {
		if s := &r.Stages[p.stage]; p.succeeded {
			s.Tasks++
			s.Longest = max(s.Longest, p.to.Since(p.from).Seconds())
		}
	}
	if !attempts {
		for i := range run.Stages {
			add(of(int32(i)), run.Stages[i].Start, run.Stages[i].End, true)
		}
	}
	if len(pieces) == 0 {
		add(func() int { return r.stage(index, "") }, begin, run.End, true)
	}
	r.sweep(ctx, pieces, run.End.Since(begin))
	if ctx.Err() != nil {
		return Run{}, false
	}
	if !attempts {
		r.share(float64(max(1, run.Guaranteed)))
	}
	slices.SortFunc(r.Stages, func(a, b Stage) int { return cmp.Compare(a.Name, b.Name) })
	return r, true
}

// stage returns the index of the stage of that name, which it adds where there is none.
func (r *Run) stage(index map[string]int, name string) int {
	i, known := index[name]
	if !known {
		i = len(r.Stages)
		index[name] = i
		r.Stages = append(r.Stages, Stage{Name: name})
	}
	return i
}

// sweep finds cores, work, idle and driver time of the pieces of a run.
func (r *Run) sweep(ctx context.Context, pieces []piece, ran trace.Duration) {
	type event struct {
		at    trace.Instant
		stage int
		step  int
	}
	events := make([]event, 0, 2*len(pieces))
	for _, p := range pieces {
		s := &r.Stages[p.stage]
		if d := p.to.Since(p.from).Seconds(); p.succeeded {
			s.Work += d
		} else {
			s.Failed += d
		}
		events = append(events, event{p.from, p.stage, 1}, event{p.to, p.stage, -1})
	}
	slices.SortFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.step, b.step), cmp.Compare(a.stage, b.stage))
	})
	// gaps visits the times between events in which something runs, and then the event that ends each.
	gaps := func(visit func(seconds float64, running int), then func(event)) {
		running := 0
		for i, e := range events {
			if i%4096 == 0 && ctx.Err() != nil {
				return
			}
			if i > 0 && e.at > events[i-1].at && running > 0 {
				visit(e.at.Since(events[i-1].at).Seconds(), running)
			}
			then(e)
			running += e.step
		}
	}
	during := make([]float64, len(pieces)+1) // seconds with so many pieces at once
	busy := 0.0
	gaps(func(seconds float64, running int) { during[running] += seconds; busy += seconds }, func(event) {})
	above, cores := 0.0, len(during)-1
	for cores > 1 && above+during[cores] <= spikes*busy {
		above += during[cores]
		cores--
	}
	r.Cores = float64(max(1, cores))
	// Idle cores are shared by the pieces that run. What one piece has been given so far is one number for all;
	// a stage takes its part when the number of its pieces changes.
	given := 0.0
	of, since := make([]int, len(r.Stages)), make([]float64, len(r.Stages))
	gaps(func(seconds float64, running int) {
		given += seconds * (1 - float64(running)/r.Cores) / float64(running)
	}, func(e event) {
		r.Stages[e.stage].Idle += float64(of[e.stage]) * (given - since[e.stage])
		since[e.stage] = given
		of[e.stage] += e.step
	})
	r.Driver = max(0, ran.Seconds()-busy)
}

// share converts a measure of concurrent stages into a measure of cores that all running stages share.
func (r *Run) share(cores float64) {
	for i := range r.Stages {
		s := &r.Stages[i]
		s.Work, s.Idle = s.Seconds(r.Cores)*cores, 0
	}
	r.Cores = cores
}

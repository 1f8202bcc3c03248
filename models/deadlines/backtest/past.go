package backtest

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/profile"
	"racecard/models/limit"
)

// Builder gathers runs by job. Make one with [NewBuilder].
type Builder struct {
	o    Options
	jobs map[string]*job
	// LeftOut counts runs that take no part, per reason.
	LeftOut   map[string]int64
	peers     jobmodel.Peers
	surprises *jobmodel.Surprises // nil where allocations are left out, as those runs have no past
	endless   error               // why the first run whose simulation would not end was left out
}

// endless is the reason of runs whose simulation would not end.
const endless = "no simulation of it ends"

// job is the runs of a recurring job.
type job struct {
	name    string
	builder profile.Builder
	runs    []past // in the order in which they were added, and submitted once they are sorted
	timed   bool   // it is known of all runs when they were submitted and ended, and they are sorted
}

// past is a run that has ended. Unknown numbers are NaN.
type past struct {
	index       int // in the order in which runs were added
	id          string
	from, to    trace.Instant // submission and end
	completionS float64
	replayed    bool // completionS is the time that the tasks of the run take on its tokens
	tokens      float64
	inputBytes  float64
	driverS     float64 // in which no attempt of it, or no stage, ran
	pathS       float64 // longest path, a stage weighing its longest attempt
	levels      []level // stages by their level in the graph
	// course is the progress of the run over time; nil if it is not known or not needed.
	course *course
	// recorded is the run with the durations of its tasks, nil where they are not known.
	recorded *jobmodel.Recorded
}

// level holds the stages at the same distance from the first ones.
type level struct{ workS, longestS float64 }

// NewBuilder returns an empty Builder.
func NewBuilder(o Options) (*Builder, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Builder{o: o, jobs: map[string]*job{}, LeftOut: map[string]int64{}}, nil
}

// Add adds a run, which it neither keeps nor changes.
func (b *Builder) Add(run *trace.Run) {
	name := run.JobName(b.o.Profile.RawNames)
	switch {
	case name == "":
		b.LeftOut["no name"]++
		return
	case !run.Status.Well():
		b.LeftOut["did not succeed"]++
		return
	case len(run.Stages) == 0 && !run.Completion().Known():
		b.LeftOut["neither stages nor a time"]++
		return
	case len(run.Stages) > limit.Profile:
		b.LeftOut["more than "+words.Count(limit.Profile)+" stages"]++
		return
	}
	b.peers.Add(name, run)
	run = profile.AsOneStage(run)
	j := b.jobs[name]
	if j == nil {
		j = &job{name: name}
		b.jobs[name] = j
	}
	j.builder.Add(run)
	p := observe(run, len(j.runs))
	if b.o.Within {
		p.course = courseOf(run)
	}
	j.runs = append(j.runs, p)
}

// AddPeer adds a run of a job that is not predicted. It tells how much runs of the store surprise.
func (b *Builder) AddPeer(run *trace.Run) { b.peers.Add(run.JobName(b.o.Profile.RawNames), run) }

// recurring returns the jobs with enough runs, by name, and counts the runs of the others.
func (b *Builder) recurring() []*job {
	var out []*job
	for _, name := range slices.Sorted(maps.Keys(b.jobs)) {
		j := b.jobs[name]
		if len(j.runs) < b.o.MinRuns {
			b.LeftOut["job does not recur"] += int64(len(j.runs))
			continue
		}
		out = append(out, j)
	}
	return out
}

// observe reduces a run to the numbers that simple predictors need.
func observe(run *trace.Run, index int) past {
	p := past{index: index, id: run.ID, from: run.Submit, to: run.End, completionS: run.Completion().Seconds(),
		tokens: math.NaN(), inputBytes: math.NaN(), driverS: math.NaN(), pathS: math.NaN()}
	if !p.from.Known() {
		p.from = run.Start
	}
	if held := run.Held(); held.Stated() {
		p.tokens = float64(held.Most)
	}
	if run.InputBytes != trace.None {
		p.inputBytes = float64(run.InputBytes)
	}
	p.path(run)
	p.driver(run)
	if len(p.levels) > 0 {
		if r, err := jobmodel.Record(run); err == nil {
			p.recorded = r
		}
	}
	return p
}

// path fills in the longest path and the levels, if every stage has an attempt with a known run time.
func (p *past) path(run *trace.Run) {
	n := len(run.Stages)
	work, longest, measured := make([]float64, n), make([]float64, n), make([]bool, n)
	for i := range run.Attempts {
		if a := &run.Attempts[i]; a.Duration.Known() {
			measured[a.Stage] = true
			work[a.Stage] += a.Duration.Seconds()
			if a.Status.Well() {
				longest[a.Stage] = max(longest[a.Stage], a.Duration.Seconds())
			}
		}
	}
	depth, to := make([]int, n), slices.Clone(longest)
	for i, e := 0, 0; i < n; i++ { // stages are in topological order, edges by child
		if !measured[i] {
			return
		}
		for ; e < len(run.Edges) && int(run.Edges[e].Child) == i; e++ {
			parent := run.Edges[e].Parent
			depth[i] = max(depth[i], depth[parent]+1)
			to[i] = max(to[i], to[parent]+longest[i])
		}
	}
	p.levels = make([]level, slices.Max(depth)+1)
	for i, d := range depth {
		p.levels[d].workS += work[i]
		p.levels[d].longestS = max(p.levels[d].longestS, longest[i])
	}
	p.pathS = slices.Max(to)
}

// driver fills in the time of the run in which no attempt ran, or no stage if attempts have no times.
func (p *past) driver(run *trace.Run) {
	type span struct{ from, to trace.Instant }
	var spans []span
	for i := range run.Attempts {
		if a := &run.Attempts[i]; a.Start.Known() && a.End.Known() {
			spans = append(spans, span{a.Start, a.End})
		}
	}
	for i := range run.Stages {
		if s := &run.Stages[i]; len(run.Attempts) == 0 && s.Start.Known() && s.End.Known() {
			spans = append(spans, span{s.Start, s.End})
		}
	}
	if len(spans) == 0 || math.IsNaN(p.completionS) {
		return
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	busy, end := 0.0, spans[0].from
	for _, s := range spans {
		if s.to > end {
			busy += s.to.Since(max(end, s.from)).Seconds()
			end = s.to
		}
	}
	p.driverS = max(0, p.completionS-busy)
}

// Package jobmodel turns the profile of a recurring job, or one recorded run, into the input of simulators: a
// [sim.Plan], and the totals by which progress indicators weigh stages.
//
// It follows the offline simulator of A. D. Ferguson et al., "Jockey: Guaranteed Job Latency in Data Parallel
// Clusters" (EuroSys 2012, section 4.1 and 4.2). The paper "does not model input-size change". Here durations
// and numbers of tasks follow the input if past runs show that they do, and durations follow the number of
// tokens, as tasks that share a machine slow each other down.
package jobmodel

import (
	"fmt"
	"math"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/trace"
	"racecard/models/deadlines/progress"
	"racecard/models/deadlines/sim"
	"racecard/models/workload"
)

// Options describe the run of a job that a model is for.
type Options struct {
	InputBytes float64 // of the run; NaN: as past runs
	// Submit is when the run is submitted, in seconds of the time of the trace. NaN: as long after the newest run as
	// runs usually are, where their intervals are regular.
	Submit float64
	Tokens float64 // guaranteed to the run, by which attempts are slower or faster; 0: as past runs
	// Simulated is how many runs are simulated to see when stages begin and end, and how long tasks are queued. 0: the
	// model has no Totals.
	Simulated int
	Seed      uint64
	// Without lists parts of the law that are left out, to see what each brings: some of [Parts].
	Without []string

	after float64 // seconds after the newest run, of a Submit that follows from past runs; else 0 or NaN
	apart bool    // runs on these tokens tell nothing of how run times depend on tokens
}

// DefaultOptions returns the options of a run like those before.
func DefaultOptions() Options {
	return Options{InputBytes: math.NaN(), Submit: math.NaN(), Simulated: 20, Seed: 1}
}

// Validate reports an option that makes no sense.
func (o Options) Validate() error {
	switch {
	case o.InputBytes < 0 || math.IsInf(o.InputBytes, 1):
		return fmt.Errorf("input of %v bytes: want a number that is not negative, or NaN for unknown", o.InputBytes)
	case !(o.Tokens >= 0 && o.Tokens <= sim.MaxTokens):
		return fmt.Errorf("%v tokens: want 0 to %d", o.Tokens, sim.MaxTokens)
	case o.Simulated < 0:
		return fmt.Errorf("%d simulated runs: want at least 1, or 0 for no totals", o.Simulated)
	}
	return ValidParts(o.Without)
}

// Model is a job ready to be simulated. It is never modified.
type Model struct {
	Job   string
	Names []string // of the stages
	Plan  sim.Plan
	// Slowed converts, per stage, a typical run time (in seconds, see [modelfile.Typical]) into the run time in
	// Plan. SlowedFirst does so for the first task on a token.
	Slowed, SlowedFirst []func(seconds float64) float64
	Edges               []trace.Edge     // of Plan
	Totals              []progress.Stage // per stage, of past runs, or of simulated ones if past runs lack them
	// Slowdown is the factor on run times that Plan holds for the input of the run, and because runs slow down or speed
	// up over time.
	Slowdown float64
	// Completion holds equally likely times of a run, in seconds from submission to end, ascending: the predictive
	// distribution, from which all others are derived. It is empty if no past run has a known time.
	Completion []float64
	// Slowness holds equally likely factors by which a whole run may be slower or faster than Plan, ascending, so that
	// simulated runs on the tokens asked for take as long as Completion says. Draw one per simulated run, for
	// [sim.Options].Scale.
	Slowness []float64
	// Machine is how many tokens of past runs were on one machine, for [sim.Options].Machine.
	Machine int32
	// ByStage is set if run times of attempts are not known: every stage is one task that takes as long as the stage
	// did.
	ByStage  bool
	Warnings []string

	waits bool // Plan.StartUp is the wait that [waiting] forecasts
}

// Progress returns the indicators of the model.
func (m *Model) Progress() (*progress.Plan, error) { return progress.NewPlan(m.Totals, m.Edges) }

// New returns the model of the next run of a job, which has the plan that [NextPlan] returns.
func New(p *modelfile.Profile, o Options) (*Model, error) { return NewJob(p).Model(o) }

// Model returns the model of the next run of the job, which has the plan that [NextPlan] returns.
func (j *Job) Model(o Options) (*Model, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = j.submitted(o)
	p, plan := j.p, nextPlan(j.p, o)
	of := &p.Plans[plan]
	m, err := j.bare(of, o, slowdown(of, o))
	if err != nil {
		return nil, err
	}
	if w := j.waits(); w != nil {
		m.waits = true
		if m.Plan.StartUp, err = w.startUp(j, o); err != nil {
			return nil, fmt.Errorf("job %q: start-up: %w", p.Job, err)
		}
	}
	for _, w := range j.doubts(plan, o) {
		if !slices.Contains(m.Warnings, w) {
			m.Warnings = append(m.Warnings, w)
		}
	}
	if o.Simulated > 0 {
		if err := m.totals(of, o); err != nil {
			return nil, fmt.Errorf("job %q: %w", p.Job, err)
		}
	}
	completion, after, warning, err := j.complete(plan, o)
	if err != nil {
		return nil, err
	}
	if m.Completion = completion; warning != "" {
		m.Warnings = append(m.Warnings, warning)
	}
	if err := m.spread(of, o, after); err != nil {
		return nil, fmt.Errorf("job %q: %w", p.Job, err)
	}
	return m, nil
}

// bare returns a model without totals, Completion and Slowness.
func (j *Job) bare(p *modelfile.Plan, o Options, slowdown float64) (*Model, error) {
	m := &Model{Job: j.p.Job, ByStage: p.Resolution == modelfile.ByStage, Slowdown: slowdown}
	if p.InputBytes == nil && !math.IsNaN(o.InputBytes) {
		m.Warnings = append(m.Warnings, "the inputs of past runs are not known: the input asked for changes nothing")
	}
	m.Machine = machine(p)
	growth := newGrowth(p, j.times(p, o.Tokens, o.apart), o.Tokens, o.without("contention"))
	for i := range p.Stages {
		first, later := growth.of(i)
		slowed := func(seconds float64) float64 { return m.Slowdown * later.at(seconds) }
		slowedFirst := func(seconds float64) float64 { return m.Slowdown * first.at(seconds) }
		m.Slowed, m.SlowedFirst = append(m.Slowed, slowed), append(m.SlowedFirst, slowedFirst)
		stage, err := m.stage(&p.Stages[i], j, slowedFirst, slowed, o)
		if err != nil {
			return nil, fmt.Errorf("job %q: stage %d (%s): %w", j.p.Job, i, p.Stages[i].Name, err)
		}
		stage.Name = p.Stages[i].Name
		m.Plan.Stages = append(m.Plan.Stages, stage)
		m.Names = append(m.Names, p.Stages[i].Name)
	}
	m.Edges = workload.Edges(edges(p), func(stage int32) int64 { return int64(m.Plan.Stages[stage].Tasks) })
	m.Plan.Edges = simulated(m.Edges)
	if err := m.driver(p, j); err != nil {
		return nil, fmt.Errorf("job %q: %w", j.p.Job, err)
	}
	return m, nil
}

// machine returns the tokens of a machine: 1 where past runs do not tell.
func machine(p *modelfile.Plan) int32 {
	tokens, n := 0.0, 0.0
	for i := range p.RunFactors {
		if t := p.RunFactors[i].Tokens; t != nil {
			tokens, n = tokens+float64(*t), n+1
		}
	}
	if per := p.Losses.Machines.Mean; per != nil && n > 0 {
		return int32(min(sim.MaxTokens, max(1, math.Round(tokens/n / *per))))
	}
	return 1
}

// edges returns the edges of a profile's plan.
func edges(p *modelfile.Plan) []trace.Edge {
	var out []trace.Edge
	for _, e := range p.Edges {
		kind, _ := trace.ParseEdgeKind(e.Kind) // a profile that was read or fitted holds none but these
		out = append(out, trace.Edge{Parent: int32(e.Parent), Child: int32(e.Child), Kind: kind})
	}
	return out
}

// simulated converts edges to the simulator's form.
func simulated(edges []trace.Edge) []sim.Edge {
	return lists.Map(edges, func(e trace.Edge) sim.Edge { return sim.Edge(e) })
}

// stage returns the simulated form of a stage; slowedFirst and slowed convert the typical times of its first
// tasks and of others into the times of the requested run.
func (m *Model) stage(s *modelfile.Stage, j *Job, slowedFirst, slowed func(seconds float64) float64, o Options) (
	sim.Stage, error) {
	if s.Duration.N == 0 {
		if s.Typical.Elapsed.N == 0 {
			return sim.Stage{}, fmt.Errorf("neither run times of its attempts nor its own are known")
		}
		d, err := j.dist(&s.Typical.Elapsed, slowed)
		return sim.Stage{Tasks: 1, Duration: d}, err
	}
	tasks := 1.0
	if s.Tasks.Mean != nil {
		tasks = max(1, math.Round(*s.Tasks.Mean*m.byInput(s.TasksByInput, s.Tasks.Mean, o)))
	}
	if tasks > sim.MaxTokens {
		return sim.Stage{}, fmt.Errorf("%w: %v, of %d at most", sim.ErrTooManyTasks, tasks, sim.MaxTokens)
	}
	out := sim.Stage{Tasks: int32(tasks), Failure: failure(s)}
	durations, first := &s.Typical.Later, &modelfile.Dist{}
	if s.Typical.First != nil {
		if first = s.Typical.First; durations.N == 0 {
			durations = first
		}
	}
	if durations.N > 0 { // tasks that take no time, too
		var err error
		if out.Duration, err = j.dist(durations, slowed); err != nil {
			return out, fmt.Errorf("durations: %w", err)
		}
	}
	for _, x := range []struct {
		name   string
		to     *sim.Dist
		from   *modelfile.Dist
		change func(seconds float64) float64
	}{
		{"first durations", &out.First, first, slowedFirst},
		{"latencies", &out.Latency, &s.Latency, unchanged}, {"delays", &out.Delay, &s.Delay, unchanged},
	} {
		var err error
		if *x.to, err = j.optional(x.from, x.change); err != nil {
			return out, fmt.Errorf("%s: %w", x.name, err)
		}
	}
	if p := s.Lost.Probability; p != nil && *p > 0 {
		out.Lost.Probability = *p
		for _, n := range s.Lost.Together.Values {
			out.Lost.Together = append(out.Lost.Together, int32(min(n, sim.MaxTokens)))
		}
	}
	return out, nil
}

// byInput returns the factor on a mean that a line predicts for the input asked for. The slope is shrunk towards 0,
// more so the smaller it is compared with its error (W. James and C. Stein, "Estimation with Quadratic Loss", 1961):
// few runs with similar inputs say little about another input. The factor is at least a tenth.
func (m *Model) byInput(l *modelfile.Line, mean *float64, o Options) float64 {
	if l == nil || mean == nil || !(*mean > 0) || math.IsNaN(o.InputBytes) {
		return 1
	}
	if o.InputBytes < l.XMin || o.InputBytes > l.XMax {
		w := extrapolatedInput(o.InputBytes, l.XMin, l.XMax)
		if len(m.Warnings) == 0 || m.Warnings[len(m.Warnings)-1] != w {
			m.Warnings = append(m.Warnings, w)
		}
	}
	slope := l.Slope
	if slope == 0 {
		return 1
	}
	variance := l.ResidualSD * l.ResidualSD / l.XSquares
	slope *= max(0, 1-variance/(slope*slope))
	return max(0.1, 1+slope*(o.InputBytes-l.XMean)/(l.Intercept+l.Slope*l.XMean))
}

// failure returns the failure model of a stage: attempts fail after the shares of their run time after which past ones
// failed.
func failure(s *modelfile.Stage) sim.Failure {
	f := &s.Failure
	if f.Probability == nil || *f.Probability == 0 {
		return sim.Failure{}
	}
	out := sim.Failure{Probability: min(*f.Probability, maxFailure)}
	median := float64(s.Duration.Values[len(s.Duration.Values)/2])
	switch {
	case len(f.After.Values) > 0 && median > 0:
		for _, x := range f.After.Values {
			out.Share = append(out.Share, min(1, float64(x)/median))
		}
	case f.ShareDone != nil:
		out.Share = []float64{*f.ShareDone}
	}
	return out
}

// maxFailure bounds the probability that an attempt fails, so that every task ends some time.
const maxFailure = 0.9

// driver adds what the driver takes before and after the stages.
func (m *Model) driver(p *modelfile.Plan, j *Job) error {
	var err error
	if m.Plan.WindDown, err = j.optional(&p.Driver.WindDown, unchanged); err != nil {
		return fmt.Errorf("wind-down: %w", err)
	}
	m.Plan.StartUp, err = j.startUps.get(p, math.MaxInt, func() (sim.Dist, error) { return j.startUp(p) })
	if err != nil {
		return fmt.Errorf("start-up: %w", err)
	}
	return nil
}

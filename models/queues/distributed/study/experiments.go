package study

import (
	"context"
	"fmt"
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/models/internal/experiment"
	"racecard/models/queues/distributed"
)

// Experiment varies one thing, for some schedulers, with several seeds.
type Experiment struct {
	Name  string
	Title string // of its figure
	About string // for people
	Axis  string
	// Schedulers are the schedulers of the experiment; if All is set, the schedulers of Setup.Schedulers are added.
	Schedulers []string
	All        bool
	Base       string // baseline of the other schedulers, at the same value and seed; "" is none
	values     func(s *Setup) []float64
	set        func(o *distributed.Options, x float64)
}

func misestimate(o *distributed.Options, x float64) {
	o.Estimates = distributed.Misestimation{Low: 1 - x, High: 1 + x}
}

func fixed(x ...float64) func(*Setup) []float64 { return func(*Setup) []float64 { return x } }

// same varies nothing: the value is the size of the cluster.
func same(s *Setup) []float64 { return []float64{float64(s.Options.Workers)} }

// Experiments returns all.
func Experiments() []Experiment {
	estimated := []string{"hawk", "eagle", "dlwl", "yaq-d"}
	errors := fixed(0, 0.25, 0.5, 0.75, 1)
	return []Experiment{
		{Name: result.EagleSweep, Title: "What the size of the cluster does", About: "cluster size, over Hawk: " +
			"Figure 3.2 of the Eagle thesis", Axis: "workers",
			Schedulers: []string{"hawk", "eagle"}, Base: "hawk", values: sizes, set: func(o *distributed.Options,
				x float64) {
				o.Workers = int(x)
			}},
		{Name: "misestimation", Title: "What wrong estimates do", Axis: "largest relative error",
			About: "estimates off by a factor drawn from 1-x to 1+x for every job, by which it is taken for a " +
				"short or a long one", Schedulers: estimated, values: errors, set: misestimate},
		{Name: "known-classes", Title: "What wrong estimates do where schedulers know which jobs are long",
			Axis:       "largest relative error",
			About:      "the same errors, but a job counts as short or long by its true mean, as in the published simulator",
			Schedulers: estimated, values: errors, set: func(o *distributed.Options, x float64) {
				misestimate(o, x)
				o.KnownClasses = true
			}},
		{Name: "probes", Title: "What more probes do", About: "probes per task of a short job", Axis: "probe ratio",
			Schedulers: []string{"sparrow", "hawk", "eagle"},
			values:     fixed(1, 1.5, 2, 3, 4, 8), set: func(o *distributed.Options, x float64) { o.ProbeRatio = x }},
		{Name: "partition", Title: "What workers for short jobs alone do", About: "share of workers for short jobs " +
			"alone", Axis: "workers for short jobs alone (%)", Schedulers: []string{"hawk", "eagle", "lwl"},
			values: func(s *Setup) []float64 { return scaled(100-s.Options.General, 95) },
			set:    func(o *distributed.Options, x float64) { o.General = 100 - x }},
		{Name: "cutoff", Title: "What the cutoff between short and long jobs does", Axis: "cutoff (s)",
			About:      "mean task duration above which the scheduler takes a job for long; results keep their classes",
			Schedulers: []string{"hawk", "eagle"}, values: func(s *Setup) []float64 {
				return scaled(float64(s.Options.Cutoff)/distributed.Second, math.Inf(1))
			},
			set: func(o *distributed.Options, x float64) {
				o.ReportCutoff = o.Reported()
				o.Cutoff = int64(math.Round(x * distributed.Second))
			}},
		{Name: "heartbeat", Title: "What stale knowledge does", About: "time between two times at which schedulers " +
			"hear of all workers; eagle uses none", Axis: "heartbeat (s)",
			Schedulers: []string{"dlwl", "yaq-c", "yaq-d", "eagle"},
			values:     fixed(0.5, 1, 2, 4, 8, 16, 32), set: func(o *distributed.Options, x float64) {
				o.Heartbeat = int64(x * distributed.Second)
			}},
		{Name: "ablation", Title: "What each part of Eagle does", About: "Eagle without one of its parts, over Hawk",
			Axis: "workers", Base: "hawk",
			Schedulers: []string{"hawk", "eagle-nosbp", "eagle-fifo", "eagle-nosss", "eagle", "ideal-eagle", "srpt"},
			values:     same, set: func(*distributed.Options, float64) {}},
		{Name: "bypass", Title: "How much shorter work may pass", About: "how much work may pass a task that waits",
			Axis:       "limit, in estimates of the task",
			Schedulers: []string{"eagle", "eagle-nosss"}, values: fixed(0, 1, 2, 5, 10, 100),
			set: func(o *distributed.Options, x float64) { o.Bypass = x }},
		{Name: "seeds", Title: "Schedulers over Hawk", About: "the comparison with every seed, over Hawk",
			Axis: "workers", Base: "hawk", Schedulers: []string{"hawk"}, All: true,
			values: same, set: func(*distributed.Options, float64) {}},
	}
}

// sizes are five clusters, as the figures of the papers have.
func sizes(s *Setup) []float64 {
	all := lists.Map(s.Sizes, func(n int) float64 { return float64(n) })
	for k := 4; k <= 8 && len(s.Sizes) == 0; k++ {
		all = append(all, math.Round(float64(s.Options.Workers)*float64(k)/4))
	}
	slices.Sort(all)
	return slices.Compact(all) // small clusters round to the same size
}

// scaled are a quarter of x to four times x, below a limit.
func scaled(x, below float64) []float64 {
	var all []float64
	for _, f := range []float64{0.25, 0.5, 1, 2, 4} {
		if x*f < below {
			all = append(all, x*f)
		}
	}
	return all
}

// Named returns the named experiments; all of them for "all".
func Named(names []string) ([]Experiment, error) {
	return experiment.Choose(Experiments(), func(x *Experiment) string { return x.Name }, names)
}

// schedulers returns the schedulers of the experiment. When it follows EPFL, they are the published simulator's.
func (x *Experiment) schedulers(s *Setup) []string {
	names := slices.Clone(x.Schedulers)
	if x.All {
		names = lists.Union(names, s.Schedulers...)
	}
	return slices.DeleteFunc(names, func(n string) bool {
		_, err := distributed.New(n, s.Options)
		return err != nil
	})
}

// measured is the kept part of a simulation.
type measured struct {
	q    [8]float64 // result.EagleMeasures, then result.EagleP95
	busy float64
}

func measure(out *distributed.Outcome) (m measured) {
	short, long := times(out)
	for k, p := range []float64{0.5, 0.9, 0.99} {
		m.q[k], m.q[3+k] = quantile.Quantile(short, p), quantile.Quantile(long, p)
	}
	m.q[6], m.q[7] = quantile.Quantile(short, 0.95), quantile.Quantile(long, 0.95)
	m.busy = out.Utilization
	return m
}

// Run makes the simulations of an experiment: every scheduler with every value and every seed.
func (x *Experiment) Run(ctx context.Context, s Setup) (*result.EagleExperiment, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	w, runs := s.ready()
	names, values := x.schedulers(&s), x.values(&s)
	options := make([]distributed.Options, len(values))
	for v := range options {
		o := s.Options
		o.Detail = false
		x.set(&o, values[v])
		options[v] = o
		if err := o.Validate(); err != nil {
			return nil, fmt.Errorf("experiment %s at %s %g: %w", x.Name, x.Axis, values[v], err)
		}
	}
	got, err := experiment.Run(ctx, experiment.Grid[none, measured]{
		Settings: len(values), Seeds: s.Runs, Policies: len(names), Workers: s.Workers, Progress: s.Progress,
		Workload: given,
		Run: func(ctx context.Context, _ none, at experiment.Point) (measured, error) {
			o := options[at.Setting]
			o.Seed += uint64(at.Seed)
			out, err := (&simulation{names[at.Policy], w, runs, o}).run(ctx)
			if err != nil {
				return measured{}, err
			}
			return measure(out), nil
		},
	})
	if err != nil {
		return nil, err
	}
	doc := &result.EagleExperiment{Name: x.Name, Title: x.Title, About: x.About, Axis: x.Axis, Base: x.Base}
	base := slices.Index(names, x.Base)
	for v, value := range values {
		for n, name := range names {
			p := result.EaglePoint{X: value, Scheduler: name, Runs: s.Runs, S: map[string]result.EagleValue{}}
			runs := got.Seeds(v, n)
			for k, m := range slices.Concat(result.EagleMeasures, result.EagleP95) {
				p.S[m] = experiment.Over(runs, func(_ int, r *measured) float64 { return r.q[k] })
				if base >= 0 {
					if p.Over == nil {
						p.Over = map[string]result.EagleValue{}
					}
					others := got.Seeds(v, base)
					p.Over[m] = experiment.Over(runs, func(i int, r *measured) float64 {
						return r.q[k] / others[i].q[k]
					})
				}
			}
			p.Utilization = experiment.Over(runs, func(_ int, r *measured) float64 { return r.busy })
			doc.Points = append(doc.Points, p)
		}
	}
	return doc, nil
}

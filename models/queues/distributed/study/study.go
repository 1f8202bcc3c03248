// Package study compares schedulers of package distributed on one workload: it simulates each, summarises the
// completion times of jobs, and repeats that for experiments that vary one setting, with several seeds. Schedulers with
// the same seed see the same draws.
package study

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/models/internal/experiment"
	"racecard/models/queues/distributed"
)

// Setup is the comparison to run. The workload is as read; if Options.EPFL is set, it is cut to seconds here.
type Setup struct {
	Workload   *distributed.Workload
	Options    distributed.Options
	Schedulers []string
	Runs       int   // seeds of experiments, from Options.Seed on
	Sizes      []int // of the cluster, of the sweep; none: 1 to 2 times Options.Workers
	PerJob     bool  // completion times of all jobs in the document
	// Explain names jobs that are followed under every scheduler; if empty, the short job with the longest delay is.
	Explain []string
	Workers int // simulations at once
	// Progress receives the number of finished simulations and their total; it may be nil.
	Progress func(done, of int)
}

// Default returns the schedulers of the papers, one of each, on all cores.
func Default() Setup {
	return Setup{Options: distributed.DefaultOptions(1), Schedulers: []string{"sparrow", "hawk", "eagle", "lwl", "dlwl",
		"srpt"}, Runs: 5, Workers: runtime.GOMAXPROCS(0)}
}

// Validate returns an error that describes the first fault of a setup, or nil.
func (s *Setup) Validate() error {
	if err := s.Options.Validate(); err != nil {
		return err
	}
	if len(s.Schedulers) == 0 {
		return fmt.Errorf("no schedulers to compare")
	}
	for i, name := range s.Schedulers {
		if _, err := distributed.New(name, s.Options); err != nil {
			return err
		}
		if slices.Contains(s.Schedulers[:i], name) {
			return fmt.Errorf("scheduler %s is named twice", name)
		}
	}
	if s.Options.EPFL && s.Workload.Staged() {
		return fmt.Errorf("the published simulator knows no stages")
	}
	for _, id := range s.Explain {
		if s.Workload.Find(id) < 0 {
			return fmt.Errorf("no job %q is simulated that could be explained", id)
		}
	}
	if s.Runs < 1 || s.Workers < 1 {
		return fmt.Errorf("%d seeds on %d cores: want at least 1 of each", s.Runs, s.Workers)
	}
	return nil
}

// ready returns the workload as it is simulated, and by runs where it is stages of them.
func (s *Setup) ready() (w, runs *distributed.Workload) {
	switch {
	case s.Options.EPFL:
		return s.Workload.EPFL(), nil
	case s.Workload.Staged():
		return s.Workload, s.Workload.Runs()
	}
	return s.Workload, nil
}

// none stands for a workload: all simulations of a setup share the trace's workload, and seeds change the
// schedulers' draws alone.
type none struct{}

func given(context.Context, int, int) (none, error) { return none{}, nil }

// simulation is one scheduler with its options on a workload.
type simulation struct {
	scheduler string
	workload  *distributed.Workload
	runs      *distributed.Workload // the runs whose stages are the jobs; nil if jobs are not stages
	options   distributed.Options
}

// run makes one simulation.
func (x *simulation) run(ctx context.Context) (*distributed.Outcome, error) {
	policy, err := distributed.New(x.scheduler, x.options)
	if err != nil {
		return nil, err
	}
	out, err := distributed.Run(ctx, x.workload, policy, x.options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", x.scheduler, err)
	}
	if x.runs != nil {
		out = out.Merged(x.workload, x.runs, x.options.Reported())
	}
	return out, nil
}

// times returns the completion times of short and of long jobs, in seconds.
func times(out *distributed.Outcome) (ofShort, ofLong quantile.Sorted) {
	var short, long []float64
	for i, t := range out.Completion {
		if x := float64(t) / distributed.Second; out.Long[i] {
			long = append(long, x)
		} else {
			short = append(short, x)
		}
	}
	return quantile.Sort(short), quantile.Sort(long)
}

// Compare simulates every scheduler once.
func Compare(ctx context.Context, s Setup) (*result.Eagle, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	w, runs := s.ready()
	got, err := experiment.Run(ctx, experiment.Grid[none, *distributed.Outcome]{
		Settings: 1, Seeds: 1, Policies: len(s.Schedulers), Workers: s.Workers, Progress: s.Progress, Workload: given,
		Run: func(ctx context.Context, _ none, at experiment.Point) (*distributed.Outcome, error) {
			return (&simulation{s.Schedulers[at.Policy], w, runs, s.Options}).run(ctx)
		},
	})
	if err != nil {
		return nil, err
	}
	outcomes := make([]*distributed.Outcome, len(s.Schedulers))
	for i := range outcomes {
		outcomes[i] = *got.At(experiment.Point{Policy: i})
	}
	stages := w
	if runs != nil {
		w = runs
	}
	doc := &result.Eagle{Header: result.Header{Available: true, Needs: needs()}, Options: options(&s),
		Workload: describe(w, &s.Options), Order: s.Schedulers, Schedulers: map[string]*result.EagleScheduler{}}
	for i, name := range s.Schedulers {
		doc.Schedulers[name] = scheduler(name, w, &s, outcomes[i])
		doc.Jobs = append(doc.Jobs, rows(name, w, outcomes[i])...)
	}
	if doc.Slow, err = s.slow(ctx, stages, w, outcomes); err != nil {
		return nil, err
	}
	doc.Warnings = warnings(&s, &doc.Workload)
	return doc, nil
}

// needs are the columns that a comparison reads.
func needs() []string {
	return []string{"jobs.submit", "tasks.duration", "stages.estimate_s"}
}

func options(s *Setup) result.EagleOptions {
	o := &s.Options
	compat := "none"
	if o.EPFL {
		compat = "epfl"
	}
	slots := o.Slots
	if o.LeastSlots() < o.MostSlots() {
		slots = 0
	}
	return result.EagleOptions{Workers: o.Workers, ShortOnly: o.ShortOnly(),
		CutoffS: float64(o.Cutoff) / distributed.Second, GeneralPercent: o.General,
		Slots: slots, SlotsLeast: o.LeastSlots(), SlotsMost: o.MostSlots(), SlotsInAll: o.SlotsInAll(),
		HeartbeatS: float64(o.Heartbeat) / distributed.Second, NetworkDelayS: float64(o.Delay) / distributed.Second,
		ProbeRatio: o.ProbeRatio, MinProbes: o.MinProbes,
		Rounds: o.Rounds, Bypass: o.Bypass, EstimateLow: o.Estimates.Low, EstimateHigh: o.Estimates.High,
		KnownClasses: o.KnownClasses, Seed: o.Seed, Runs: s.Runs, Compat: compat}
}

func describe(w *distributed.Workload, o *distributed.Options) result.EagleWorkload {
	d := result.EagleWorkload{Jobs: len(w.Jobs), Tasks: len(w.Durations), WorkS: w.Work(false),
		SpanS: float64(w.Span()) / distributed.Second}
	for i := range w.Jobs {
		if w.Jobs[i].Estimate > o.Reported() {
			d.LongJobs++
			d.LongTasks += w.Jobs[i].Tasks
			for _, t := range w.Of(i) {
				d.LongWorkS += float64(t) / distributed.Second
			}
		}
	}
	d.Load, d.MiddleLoad = result.Number(math.NaN()), result.Number(math.NaN())
	if d.SpanS > 0 {
		d.Load = result.Number(d.WorkS / d.SpanS / float64(o.SlotsInAll()))
	}
	cut := len(w.Jobs) / 20
	first, last := cut, len(w.Jobs)-1-cut
	if span := float64(w.Jobs[last].Submit-w.Jobs[first].Submit) / distributed.Second; span > 0 {
		work := 0.0
		for i := first; i <= last; i++ {
			for _, t := range w.Of(i) {
				work += float64(t) / distributed.Second
			}
		}
		d.MiddleLoad = result.Number(work / span / float64(o.SlotsInAll()))
	}
	return d
}

// few is the number of jobs of a class below which high percentiles mean little.
const few = 30

// uneven is the ratio of the load of the middle jobs to the load of all above which a comparison warns.
const uneven = 1.5

// warnings returns the warnings about a setup.
func warnings(s *Setup, d *result.EagleWorkload) []string {
	var all []string
	if s.Options.ShortOnly() == 0 {
		all = append(all, fmt.Sprintf("none of %s is for short jobs alone with a general partition of %g%%: Eagle's "+
			"probes that are rejected in every round go to any worker",
			words.Of(s.Options.Workers, "worker", "workers"), s.Options.General))
	}
	for _, of := range []struct {
		n    int
		what string
	}{{d.Jobs - d.LongJobs, "short"}, {d.LongJobs, "long"}} {
		if of.n < few {
			all = append(all, fmt.Sprintf("%s %s: too few for their 90th and 99th percentiles to say much",
				words.Of(of.n, "job is", "jobs are"), of.what))
		}
	}
	if float64(d.MiddleLoad) > uneven*float64(d.Load) {
		all = append(all, fmt.Sprintf("jobs come unevenly: over the whole trace they offer a load of %.2f, from the "+
			"5th to the 95th percentile of submissions one of %.2f", float64(d.Load), float64(d.MiddleLoad)))
	}
	return all
}

func scheduler(name string, w *distributed.Workload, s *Setup, out *distributed.Outcome) *result.EagleScheduler {
	short, long := times(out)
	r := &result.EagleScheduler{Short: quantile.Summarize(short), Long: quantile.Summarize(long),
		Utilization:       result.Number(out.Utilization),
		UtilizationMedian: result.Number(out.SampledMedian), UtilizationMean: result.Number(out.SampledMean),
		UtilizationAll: result.Number(out.SampledAll),
		MakespanS:      float64(out.Makespan) / distributed.Second, Tasks: out.Tasks, Events: out.Events,
		ShortCurve: quantile.Curve(short), LongCurve: quantile.Curve(long), Counts: result.EagleCounts(out.Counts)}
	r.Efficiency = result.Number(w.Work(false) / (float64(s.Options.SlotsInAll()) * r.MakespanS))
	for _, k := range distributed.Kinds() {
		if k.Name == name {
			r.About = k.About
		}
	}
	if s.PerJob {
		r.JCTByJob = map[string]float64{}
		for i := range w.Jobs {
			r.JCTByJob[w.Jobs[i].ID] = float64(out.Completion[i]) / distributed.Second
		}
	}
	if out.Jobs != nil {
		r.ShortWait, r.Slowest = waited(w, out), slowestOf(w, out)
	}
	return r
}

// waited sums up the waits of short jobs' tasks.
func waited(w *distributed.Workload, out *distributed.Outcome) *result.EagleWait {
	r := &result.EagleWait{}
	tasks := 0
	for i, j := range out.Jobs {
		if out.Long[i] {
			continue
		}
		tasks += w.Jobs[i].Tasks
		r.MeanS += float64(j.Queued) / distributed.Second
		r.MeanBehindLongS += float64(j.BehindLong) / distributed.Second
		if j.BehindLong > 0 {
			r.JobsBehindLong++
		}
	}
	r.MeanS /= float64(max(1, tasks))
	r.MeanBehindLongS /= float64(max(1, tasks))
	return r
}

func rows(name string, w *distributed.Workload, out *distributed.Outcome) []result.EagleJob {
	all := make([]result.EagleJob, len(w.Jobs))
	sec := func(t int64) float64 { return float64(t) / distributed.Second }
	for i := range w.Jobs {
		j := &w.Jobs[i]
		r := result.EagleJob{JobID: j.ID, Scheduler: name, Seq: i, Tasks: j.Tasks, Long: out.Long[i],
			SubmitS: sec(j.Submit), EstimateS: sec(j.Estimate),
			JCTS: sec(out.Completion[i]), LongestTaskS: sec(slices.Max(w.Of(i)))}
		if out.Jobs != nil {
			d := &out.Jobs[i]
			r.Kept, r.EagleMet, r.LongestWaitS, r.LongestBehind = true, met(d), sec(d.Longest), sec(d.LongestBehind)
		}
		all[i] = r
	}
	return all
}

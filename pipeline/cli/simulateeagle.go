package cli

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"racecard/datasets/lists"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/models/limit"
	"racecard/models/queues/distributed"
	"racecard/models/queues/distributed/study"
	"racecard/pipeline/internal/quantity"
)

// queued is the part of a store that a simulation of queues reads.
var queued = store.Projection{"jobs.*", "stages.*", "edges.*", "tasks.*"}

// eagleFlags are the flags of simulate eagle that need reading.
type eagleFlags struct {
	cutoff, heartbeat, delay float64
	load                     float64
	slots                    string
	slotCores                float64 // cores of a slot, if slots are taken from machines
	compat, out              string
	misestimate              []float64
	experiments              []string
	stages                   bool
	interarrival             float64
}

func simulateEagleCommand(e *env) *cobra.Command {
	s := study.Default()
	f := eagleFlags{slots: "1", heartbeat: float64(s.Options.Heartbeat) / distributed.Second,
		delay: float64(s.Options.Delay) / distributed.Second, load: 0.9}
	experiments := listed(13, study.Experiments(),
		func(x study.Experiment) (name, about string) { return x.Name, x.About })
	kinds := listed(12, distributed.Kinds(), func(k distributed.Kind) (name, about string) { return k.Name, k.About })
	cmd := &cobra.Command{
		Use: "eagle STORE|FILE...",
		Short: "Distributed schedulers on workers with queues: Eagle against Hawk, Sparrow, least waiting time and " +
			"others",
		Long: longText("simulate-eagle", "{kinds}", kinds, "{experiments}", experiments),
		Args: atLeastOne("a store, or trace files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.simulateEagle(cmd, args, s, f)
		},
	}
	o, flags := &s.Options, cmd.Flags()
	o.Workers = 0
	number(flags, &o.Workers, "machines", whole(1, 1<<20), "machines of the cluster, each a worker with a queue")
	parsedBy(flags, &f.slots, "slots", "slots", func(text string) (float64, error) {
		return readSlots(text, &distributed.Options{})
	}, "tasks that a worker runs at a time, from one queue; several numbers, for workers in turn, as in 4,4,16; or "+
		"machines: a worker for every machine of the trace, a slot for every core of it; machines/16: for every 16 "+
		"cores [1 to 64]")
	number(flags, &f.load, "load", positive(quantity.Load, 1000), "instead of --machines: as many as the work of "+
		"all tasks, spread over the time of submissions, makes this busy")
	number(flags, &f.cutoff, "cutoff", secondsRange(0, maxSeconds), "mean task duration, in seconds where it has no "+
		"unit, above which a job is long")
	number(flags, &o.General, "general", positive(quantity.Percent, 100), "percent of the workers in the general "+
		"partition")
	number(flags, &f.heartbeat, "heartbeat", secondsRange(0.1, 1e6), "time between two times at which distributed "+
		"schedulers hear of all workers")
	number(flags, &f.delay, "network-delay", secondsRange(0, 3600), "time that a message takes")
	choices(flags, &s.Schedulers, "schedulers", eagleSchedulers(), "schedulers to compare, or all")
	number(flags, &o.ProbeRatio, "probe-ratio", plain(1, 1000), "probes per task of a short job")
	number(flags, &o.MinProbes, "min-probes", whole(1, 1e6), "least number of probes of a short job under Eagle")
	number(flags, &o.Rounds, "rounds", whole(1, 100), "rounds of probes before those that are rejected go to workers "+
		"for short jobs alone")
	number(flags, &o.Bypass, "bypass", plain(0, 1e6), "how much work may pass a task that waits, in multiples of its "+
		"estimate")
	numbers(flags, &f.misestimate, "misestimate", plain(0, 1e6), "factor by which estimates are wrong, or the least "+
		"and the largest, as in 0.5,2, of factors drawn for every job")
	flags.BoolVar(&o.KnownClasses, "known-classes", false, "with --misestimate: schedulers know which jobs are long, "+
		"however wrong the estimates")
	flags.BoolVar(&f.stages, "stages", false, "stages are bags of tasks of their own, which begin when those that "+
		"they depend on have ended")
	retired(flags, "stage-times", "tasks of unknown duration take as long as their stage, unless their estimate is "+
		"known: always")
	number(flags, &f.interarrival, "interarrival", gapRange(), "draw submissions, in the order of the trace: Poisson "+
		"with this mean gap, in seconds where it has no unit; the trace's when left out")
	choice(flags, &f.compat, "compat", []string{"epfl"}, "epfl: decide as the simulator that was published with Eagle")
	seeded(flags, &o.Seed, "seed of everything that is drawn")
	choices(flags, &f.experiments, "experiment", eagleExperiments(), "experiments to make after the comparison, or all")
	numbers(flags, &s.Sizes, "sizes", whole(1, 1<<20), "workers of the clusters of the sweep; 1 to 2 times "+
		"--machines when left out")
	number(flags, &s.Runs, "runs", whole(1, 1000), "seeds of experiments")
	flags.BoolVar(&s.PerJob, "per-job", false, "print completion times of all jobs and the waits of the slowest; "+
		"--out keeps the completion time of every job")
	flags.StringSliceVar(&s.Explain, "explain", nil, "ids of jobs for which to show what every task waited for; the "+
		"short job that waited longest when left out")
	flags.StringVarP(&f.out, "out", "o", "", "folder to write eagle.json and eagle.parquet to, from which a report "+
		"is drawn")
	e.filterFlags(flags, true)
	workersFlag(flags, &s.Workers, "simulations at once; no result depends on it")
	hinted(flags, "workers", "the machines of the simulated cluster are --machines")
	renamed(flags, "parallel", "workers")
	return cmd
}

// secondsRange is a duration that may be written without a unit.
func secondsRange(low, high float64) quantity.Range {
	return quantity.Range{Unit: quantity.Seconds, Low: low, High: high}
}

func eagleSchedulers() []string {
	return append([]string{"all"}, lists.Map(distributed.Kinds(), func(k distributed.Kind) string { return k.Name })...)
}

func eagleExperiments() []string {
	return append([]string{"all"}, lists.Map(study.Experiments(), func(x study.Experiment) string { return x.Name })...)
}

// simulateEagle runs the command.
func (e *env) simulateEagle(cmd *cobra.Command, args []string, s study.Setup, f eagleFlags) (err error) {
	if err := f.read(cmd, &s); err != nil {
		return usageError{err}
	}
	experiments, err := study.Named(f.experiments)
	if err != nil {
		return usageError{err}
	}
	if err := e.flagsRead(); err != nil {
		return err
	}
	if err := e.checkOut(f.out, args[0], "eagle"); err != nil {
		return err
	}
	from, path, remove, err := e.storeOf(cmd.Context(), args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	k := &distributed.Collector{Stages: f.stages, Gap: int64(math.Round(f.interarrival * distributed.Second)),
		Seed: s.Options.Seed}
	err = e.collect(cmd.Context(), from, path, k)
	if err != nil {
		return err
	}
	s.Workload = k.Workload()
	if len(s.Workload.Jobs) == 0 {
		return fmt.Errorf("%s: no run can be simulated; left out: %s%s", path, counted(k.Count.LeftOut), remedies(k))
	}
	if err := f.chooseSlots(from, path, cmd.Flags().Changed("machines") || cmd.Flags().Changed("load"),
		&s.Options); err != nil {
		return err
	}
	f.choose(cmd, &s)
	if err := s.Validate(); err != nil {
		return usageError{err}
	}
	p := e.progress("simulate")
	s.Progress = func(done, of int) { p.count(done, of, "schedulers") }
	doc, err := study.Compare(cmd.Context(), s)
	p.done()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	doc.Synthetic = from.Manifest().Synthetic
	assumed(doc, k)
	for i := range experiments {
		x := &experiments[i]
		p := e.progress(x.Name)
		s.Progress = func(done, of int) { p.count(done, of, "simulations") }
		of, err := x.Run(cmd.Context(), s)
		p.done()
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		doc.Experiments = append(doc.Experiments, *of)
	}
	command := "racecard simulate eagle " + publish.Name(path) + changedFlags(cmd, "out", "workers", "quiet", "json")
	if err := e.writeResults(f.out, path, command, from, doc); err != nil {
		return err
	}
	return e.eagle(doc)
}

// assumed records the parts of the trace that were left out, and the assumptions about the rest, in a document.
func assumed(doc *result.Eagle, k *distributed.Collector) {
	doc.LeftOut = k.Count.LeftOut
	doc.Workload.EstimatedTask, doc.Workload.AsStages, doc.Workload.DrawnTasks = k.Count.Estimated[1],
		k.Count.StageTimes[1], k.Count.Drawn[1]
	doc.Workload.GapS = float64(k.Gap) / distributed.Second
	doc.Warnings = append(doc.Warnings, remarks(k)...)
}

// read reads the flags that do not depend on the trace.
func (f *eagleFlags) read(cmd *cobra.Command, s *study.Setup) error {
	given, o := cmd.Flags().Changed, &s.Options
	if len(s.Schedulers) == 1 && s.Schedulers[0] == "all" {
		s.Schedulers = nil
		for _, k := range distributed.Kinds() {
			if f.compat == "" || k.EPFL {
				s.Schedulers = append(s.Schedulers, k.Name)
			}
		}
	}
	if f.compat == "epfl" {
		o.EPFL = true
		if !given("schedulers") {
			s.Schedulers = []string{"sparrow", "hawk", "eagle", "lwl", "dlwl"}
		}
	}
	switch len(f.misestimate) {
	case 0:
	case 1:
		o.Estimates = distributed.Misestimation{Low: f.misestimate[0], High: f.misestimate[0]}
	case 2:
		o.Estimates = distributed.Misestimation{Low: f.misestimate[0], High: f.misestimate[1]}
	default:
		return fmt.Errorf("--misestimate: want one factor or two, got %d", len(f.misestimate))
	}
	if given("machines") && given("load") {
		return errors.New("want --machines or --load, not both")
	}
	cores, err := readSlots(f.slots, o)
	if err != nil {
		return err
	}
	f.slotCores = cores
	micros := func(s float64) int64 { return int64(math.Round(s * distributed.Second)) }
	o.Cutoff, o.Heartbeat, o.Delay = micros(f.cutoff), micros(f.heartbeat), micros(f.delay)
	o.Detail = s.PerJob || f.out != "" || len(s.Explain) > 0
	return nil
}

// choose fills in missing options from the trace.
func (f *eagleFlags) choose(cmd *cobra.Command, s *study.Setup) {
	given, o := cmd.Flags().Changed, &s.Options
	if o.Workers == 0 {
		o.Workers = s.Workload.WorkersFor(f.load*o.MeanSlots(), o.EPFL)
	}
	if !given("cutoff") {
		o.Cutoff = study.Cutoff(s.Workload)
	}
	if !given("general") {
		o.General = study.General(s.Workload, o.Cutoff)
	}
}

// collect reads the runs of a store into a workload.
func (e *env) collect(ctx context.Context, s *store.Store, path string, k *distributed.Collector) error {
	for run, err := range e.eachRun(ctx, "read", s, path, queued) {
		if err != nil {
			return err
		}
		k.Add(run)
		if err := tooManyBags(path, k); err != nil {
			return err
		}
	}
	return nil
}

// tooManyBags refuses a workload that takes too much memory.
func tooManyBags(of string, k *distributed.Collector) error {
	most, instead := limit.Bags, "choose runs with --since and --until, or with --job"
	if k.Stages {
		most, instead = limit.StageBags, instead+"; without --stages, a run is one bag"
	}
	if k.Bags() <= most {
		return nil
	}
	return &limit.Error{Of: of, Has: int64(k.Bags()), Most: int64(most), What: "bags of tasks or more",
		Instead: instead}
}

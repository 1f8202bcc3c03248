package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"racecard/datasets/lists"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/words"
	"racecard/models/limit"
	"racecard/models/machines/compare"
	"racecard/models/machines/jobs"
	"racecard/models/machines/policy"
	"racecard/models/workload"
	"racecard/pipeline/internal/ingest"
	"racecard/pipeline/internal/quantity"
)

// scheduled is the part of a store that a simulation of schedulers reads.
var scheduled = store.Projection{"jobs.*", "stages.*", "edges.*", "tasks.*"}

// carbyneFlags are the flags of simulate carbyne that need reading.
type carbyneFlags struct {
	machines, capacity, follow, out string
	schedulers, experiments         []string
	weights                         string
	runs, workers                   int
	perJob                          bool
	// schedulers of experiments; if empty, the defaults of each experiment
	chosen []string
	ran    func(*compare.Outcome) // called for every replay of the comparison, unless nil
}

func newCarbyneFlags() carbyneFlags {
	return carbyneFlags{
		capacity: "cpu=20,mem=128e9,disk=500e6,net=1.25e9", schedulers: []string{"drf", "tetris", "sjf", "carbyne"},
		runs: 1,
	}
}

func simulateCarbyneCommand(e *env) *cobra.Command {
	s, f := compare.DefaultSetup(), newCarbyneFlags()
	cmd := &cobra.Command{
		Use:   "carbyne STORE|FILE...",
		Short: "Altruistic scheduling (Carbyne) against DRF, Tetris, SJF and others",
		Long: longText("simulate-carbyne", "{demands}", workload.DemandDistribution,
			"{durations}", workload.DurationDistribution, "{schedulers}", listSchedulers(),
			"{experiments}", listExperiments()),
		Args: atLeastOne("a store, or trace files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.simulateCarbyne(cmd, args, s, f)
		},
	}
	flags := cmd.Flags()
	checked(flags, &f.machines, "machines", "machines", checkMachines, "number of machines, or trace for the "+
		"store's machines table (default 100, with --pooled 1) [1 to 200,000]")
	parsedBy(flags, &f.capacity, "capacity", "resources", parseCapacity, "resources of a machine: cpu "+
		"(cores), mem (bytes), disk_read, disk_write, net_in, net_out\n(bytes/s), gpu; "+
		"disk and net stand for both directions; what is left out is not modelled")
	flags.BoolVar(&s.Pooled, "pooled", false, "one machine with the capacity of all")
	choices(flags, &f.schedulers, "schedulers", carbyneSchedulers(), "schedulers to compare; experiments have their "+
		"own unless these are given")
	flags.BoolVar(&s.Offline, "offline", false, "all jobs arrive at 0")
	number(flags, &s.InterarrivalS, "interarrival", gapRange(), "jobs arrive by Poisson with this mean gap, in "+
		"seconds where it has no unit; as in the trace when left out")
	number(flags, &s.Jobs, "jobs", whole(1, limit.Jobs), "draw so many jobs from the trace, with "+
		"replacement; all, once, when left out")
	number(flags, &s.Load, "load", positive(quantity.Load, 1000), "stretch all task durations alike until the work "+
		"is this share of the cluster's capacity in jobs x --interarrival")
	number(flags, &s.DemandScale, "demand-scale", plain(1e-6, 1e6), "factor of demands that are drawn")
	flags.BoolVar(&s.MapReduce, "mapreduce-only", false, "cut jobs to a map and a reduce stage")
	number(flags, &s.Error.Share, "misestimate", shares(-0.99, 100), "estimates of demands are wrong by this share, "+
		"of durations inversely; -0.5 is half")
	number(flags, &s.Error.Some, "misestimate-some", shares(0, 1), "share of the stages whose estimates are wrong")
	flags.BoolVar(&s.Error.Random, "misestimate-random", false, "each stage's estimate is wrong by a share drawn "+
		"evenly up to --misestimate, either way")
	number(flags, &s.Parameters.Altruism, "p-altruism", shares(0, 1),
		"P(Altruism): probability with which a job yields")
	number(flags, &s.Parameters.Tolerance, "tolerance", toleranceRange(), "relative change of its work left at which "+
		"a job plans again")
	number(flags, &s.Parameters.ShareTolerance, "share-tolerance", toleranceRange(), "relative change of its share "+
		"at which a job plans again")
	choice(flags, &s.Parameters.Leftover, "leftover", compare.Leftovers(), "who gets what jobs yield first: the "+
		"least work left (work), the plan that ends soonest (time), what packs best (packing,\nwhich leaves no task "+
		"waiting that fits)")
	choice(flags, &s.Parameters.Demands, "demands", compare.Demands(), "what DRF reckons shares of: tasks that could "+
		"run or do (runnable), or all the work that is left (remaining)")
	number(flags, &s.Parameters.Remaining, "remaining", plain(0, 1e6), "how much the work left weighs in tetris")
	number(flags, &s.Parameters.Fairness, "fairness", shares(0, 1), "fairness f of tetris")
	parsedBy(flags, &f.weights, "weights", "weights", parseWeights, "of groups of jobs, such as ads=3,search=1; 1 where "+
		"left out [each more than 0, at most 1e9]")
	seeded(flags, &s.Parameters.Seed, "seed of everything that is drawn")
	choices(flags, &f.experiments, "experiment", carbyneExperiments(), "experiments to run, or all; the comparison "+
		"itself is run in any case")
	number(flags, &f.runs, "runs", whole(1, 1000), "seeds of experiments; the paper has 3, and shows medians")
	flags.StringVar(&f.follow, "follow", "", "id of a job whose running tasks are recorded over time; the job of "+
		"median size when left out")
	flags.BoolVar(&f.perJob, "per-job", false, "print the completion time of every job")
	flags.StringVarP(&f.out, "out", "o", "", "folder to write carbyne.json and carbyne.parquet to")
	e.filterFlags(flags, true)
	workersFlag(flags, &f.workers, "schedulers to run at once; no result depends on it")
	return cmd
}

// toleranceRange is a relative change.
func toleranceRange() quantity.Range {
	return quantity.Range{Unit: quantity.Share, High: 1, Below: true}
}

func carbyneSchedulers() []string {
	return lists.Map(compare.Schedulers(), func(s compare.Scheduler) string { return s.Name })
}

func carbyneExperiments() []string {
	names := lists.Map(compare.Experiments(), func(x compare.Experiment) string { return x.Name })
	return append([]string{"all"}, names...)
}

func listSchedulers() string {
	return listed(18, compare.Schedulers(),
		func(s compare.Scheduler) (name, about string) { return s.Name, s.Summary })
}

func listExperiments() string {
	return listed(18, compare.Experiments(),
		func(x compare.Experiment) (name, about string) { return x.Name, x.Summary })
}

// simulateCarbyne runs the command.
func (e *env) simulateCarbyne(cmd *cobra.Command, args []string, setup compare.Setup, f carbyneFlags) (err error) {
	experiments, err := f.read(&setup)
	if err != nil {
		return usageError{err}
	}
	if setup.Offline && setup.InterarrivalS > 0 && setup.Load == 0 {
		return usageError{errors.New("--offline and --interarrival: want one of them, unless --load is to say how " +
			"long tasks take")}
	}
	if f.machines == "trace" && cmd.Flags().Changed("capacity") {
		return usageError{errors.New("--machines trace and --capacity: want one of them, as the trace has the " +
			"capacity of its machines")}
	}
	if err := e.flagsRead(); err != nil {
		return err
	}
	if err := e.checkOut(f.out, args[0], "carbyne"); err != nil {
		return err
	}
	e.withinLimits()
	s, path, remove, err := e.storeOf(cmd.Context(), args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if cmd.Flags().Changed("schedulers") {
		f.chosen = f.schedulers
	}
	f.ran = func(o *compare.Outcome) {
		events := float64(o.Result.Ended) + float64(len(o.JCT))
		e.say("%s: %s in %s, %s events/s", o.Scheduler, words.Of(int64(events), "event", "events"),
			words.Seconds(o.Took.Seconds()), words.Number(events/o.Took.Seconds()))
	}
	doc, err := e.replayed(cmd.Context(), s, path, setup, &f, experiments)
	if err != nil {
		return asFlag(cmd.Flags(), err)
	}
	command := "racecard simulate carbyne " + publish.Name(path) + changedFlags(cmd, "out", "workers", "quiet", "json")
	if err := e.writeResults(f.out, path, command, s, doc); err != nil {
		return err
	}
	return e.carbyne(doc)
}

// replayed compares schedulers on the jobs of a store, and runs experiments on them.
func (e *env) replayed(ctx context.Context, s *store.Store, path string, setup compare.Setup, f *carbyneFlags,
	experiments []compare.Experiment) (*result.Carbyne, error) {
	if err := f.cluster(&setup, s); err != nil {
		return nil, err
	}
	if setup.Load > 0 && setup.Arrivals() == "trace" {
		return nil, usageError{errors.New("--load says how busy a cluster is while jobs arrive: say how fast they do " +
			"with --interarrival S")}
	}
	if err := setup.Validate(); err != nil {
		return nil, usageError{err}
	}
	b := &jobs.Builder{Draw: setup.Draw()}
	if setup.Jobs > 0 && s.Manifest().Rows["jobs"] > limit.Jobs {
		b.Keep = limit.Pool
	}
	for run, err := range e.eachRun(ctx, "read", s, path, scheduled) {
		if err != nil {
			return nil, err
		}
		if b.Add(run); len(b.Jobs) > limit.Jobs {
			return nil, fmt.Errorf("%s: at most %s runs can be replayed, of %s: draw some of them with --jobs, or "+
				"choose runs with --since and --until, or with --job", path, words.Count(limit.Jobs),
				words.Count(s.Manifest().Rows["jobs"]))
		}
	}
	doc, err := e.compared(ctx, &setup, f, b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	doc.Synthetic = s.Manifest().Synthetic
	if n := len(b.Jobs); b.Made() > int64(n) {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("the trace has more jobs than can be kept: those here are "+
			"drawn from %s, an even sample of %s", words.Count(n), words.Count(b.Made())))
	}
	for k := range experiments {
		x := &experiments[k]
		p := e.progress(x.Name)
		of, err := x.Run(ctx, setup, f.seeds(setup.Parameters.Seed), f.chosen, b.Redraw, f.workers, func(n, of int) {
			p.count(n, of, "replays")
		})
		p.done()
		if err != nil {
			return nil, err
		}
		doc.Experiments = append(doc.Experiments, *of)
		if !x.Varies(&setup) {
			doc.Warnings = append(doc.Warnings, fmt.Sprintf("%s has one point: there is one machine, and none can be taken "+
				"away; give --machines, also with --pooled, which sums their capacities", x.Name))
		}
	}
	return doc, nil
}

// compared runs the comparison itself.
func (e *env) compared(ctx context.Context, setup *compare.Setup, f *carbyneFlags, b *jobs.Builder) (*result.Carbyne,
	error) {
	w, err := setup.Prepare(b)
	if err != nil {
		return nil, err
	}
	if len(w.Jobs) == 0 {
		instead := ""
		if b.Count.LeftOut[jobs.LeftOutLarge] > 0 {
			instead = "; racecard simulate eagle takes runs of any number of stages"
		}
		return nil, fmt.Errorf("no jobs to schedule; left out: %s%s", counted(b.Count.LeftOut), instead)
	}
	if err := weighed(setup.Parameters.Weights, w.Jobs); err != nil {
		return nil, err
	}
	follow := f.follow
	if follow == "" {
		follow = w.Jobs[compare.BySize(w.Jobs)[len(w.Jobs)/2]].ID
	} else if !slices.ContainsFunc(w.Jobs, func(j *jobs.Job) bool { return j.ID == follow }) {
		return nil, fmt.Errorf("--follow %s: no such job", follow)
	}
	p := e.progress("simulate")
	n := 0
	outcomes, err := compare.All(ctx, setup.Cases(w, f.schedulers, follow), f.workers, func(o *compare.Outcome) {
		n++
		p.count(n, len(f.schedulers), "schedulers")
		if f.ran != nil {
			f.ran(o)
		}
	})
	p.done()
	if err != nil {
		return nil, err
	}
	doc := compare.Document(setup, w, &b.Count, outcomes, f.perJob)
	if w.Undated {
		doc.Warnings = append(doc.Warnings, "no job of the trace has a submit or start time: all arrive at 0")
	}
	return doc, nil
}

// weighed returns an error for a weight of a group that no job has.
func weighed(weights policy.Weights, all []*jobs.Job) error {
	groups := map[string]int{}
	for _, j := range all {
		if j.Group != "" {
			groups[j.Group]++
		}
	}
	if len(weights) > 0 && len(groups) == 0 {
		return usageError{errors.New("--weights: no run of the trace has a group or a user")}
	}
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		if groups[name] == 0 {
			return usageError{fmt.Errorf("--weights: no job is of the group %q%s", name, nearest(name, groups))}
		}
	}
	return nil
}

// storeOf opens the store of the arguments, or imports files into a temporary one, which remove removes.
func (e *env) storeOf(ctx context.Context, args []string) (s *store.Store, path string, remove func() error,
	err error) {
	path, remove = args[0], func() error { return nil }
	if info, err := publish.Stat(path); err == nil && info.IsDir() && len(args) == 1 {
		if _, err := publish.Stat(publish.Join(path, store.ManifestName)); err == nil {
			s, err := e.openStore(path)
			return s, path, remove, err
		}
	}
	in, err := e.inputs(ctx, args, os.TempDir(), false)
	if err != nil {
		return nil, "", nil, err
	}
	dir, remove, err := publish.TemporaryFolder("racecard-simulate-")
	if err != nil {
		return nil, "", nil, err
	}
	o := ingest.DefaultOptions()
	p := e.progress("import")
	o.Progress = p.imported
	_, err = ingest.Import(ctx, in, filepath.Join(dir, "store"), o)
	p.done()
	if err == nil {
		s, err = e.openStore(filepath.Join(dir, "store"))
	}
	if err != nil {
		return nil, "", nil, errors.Join(err, remove())
	}
	return s, path, remove, nil
}

package cli

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"racecard/analyses/periods"
	"racecard/analyses/waste"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/models/deadlines/rightsize"
	"racecard/pipeline/internal/local"
	"racecard/pipeline/internal/stage"
)

// wasteFlags are the flags of racecard waste.
type wasteFlags struct {
	out, price string
	within     float64
	jobs       int // jobs that are shown and simulated
	sample     int // simulated runs of each job
	workers    int
}

func wasteCommand(e *env) *cobra.Command {
	f := wasteFlags{within: 0.1, jobs: 10, sample: 3}
	cmd := &cobra.Command{
		Use:   "waste STORE",
		Short: "Break down held core-hours and cost, and find the cores that suffice",
		Args:  exactly(1, "one store"),
		RunE:  func(cmd *cobra.Command, args []string) error { return e.waste(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "out", "o", "", "directory to write results to")
	priceFlag(flags, &f.price)
	number(flags, &f.within, "within", shares(0, 10), "share of its time by which a job may take longer on the "+
		"recommended cores")
	number(flags, &f.jobs, "jobs", whole(1, 1000), "jobs to show and to simulate, those that waste most")
	number(flags, &f.sample, "sample", whole(1, 50), "last runs of each of these jobs to simulate")
	workersFlag(flags, &f.workers, "parts of the store to read at once")
	e.filterFlags(flags, true)
	return cmd
}

// waste runs the command.
func (e *env) waste(cmd *cobra.Command, path string, f wasteFlags) error {
	ctx := cmd.Context()
	prices, err := parsePrices(f.price)
	if err != nil {
		return usageError{fmt.Errorf("--price: %w", err)}
	}
	s, err := e.openStore(path)
	if err != nil {
		return err
	}
	if err := e.checkOut(f.out, path, "waste"); err != nil {
		return err
	}
	o := wasteOptions(s, prices)
	docs, err := e.analyze(ctx, s, o, []string{"waste"}, local.Options{Workers: f.workers})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	doc := docs[0].(*result.Waste)
	doc.Store, doc.Synthetic, doc.Within = publish.Name(path), s.Manifest().Synthetic, f.within
	if doc.Available {
		if err := e.advise(ctx, s, doc, o.Waste.Cores, f); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	command := "racecard waste " + publish.Name(path) + changedFlags(cmd, "out", "quiet", "json", "workers")
	if err := e.writeResults(f.out, path, command, s, docs...); err != nil {
		return err
	}
	if e.json {
		return e.printJSON(result.Form(doc))
	}
	if !doc.Available {
		return e.findings(docs)
	}
	e.wasted(doc, f.jobs)
	return nil
}

// priceFlag defines the flag for prices of resources.
func priceFlag(flags *pflag.FlagSet, to *string) {
	checked(flags, to, "price", "prices", checkPrices,
		"prices of resources: cpu=0.04/h,mem=0.005/GBh, or a file of prices per type of machine")
}

// wasteOptions returns the options of the analysis of waste for a store.
func wasteOptions(s *store.Store, prices []waste.Price) stage.Options {
	o := stage.DefaultOptions()
	o.Waste.Prices = prices
	o.Waste.Cores = s.Manifest().Units["cpu"] == "cores" || s.Manifest().Units["cpu"] == ""
	return o
}

// month is how many seconds a month has on average.
const month = 365.25 / 12 * day

// advise simulates the last runs of the jobs that waste most, and sets their recommendations.
func (e *env) advise(ctx context.Context, s *store.Store, doc *result.Waste, cores bool, f wasteFlags) error {
	chosen := doc.Jobs[:min(f.jobs, len(doc.Jobs))]
	wanted := map[string]*result.WasteJob{}
	for i := range chosen {
		j := &chosen[i]
		switch {
		case j.WastedCoreH <= 0 || j.Job == waste.Others:
			j.Why = "nothing is known to be wasted"
		default:
			wanted[j.Job] = j
		}
	}
	runs, err := e.latest(ctx, s, wanted, f.sample)
	if err != nil {
		return err
	}
	p := e.progress("simulate")
	defer p.done()
	done := 0
	for i := range chosen {
		if j := &chosen[i]; wanted[j.Job] != nil {
			if err := ctx.Err(); err != nil {
				return err
			}
			j.LengthS = result.Number(periods.Length(runs[j.Job].submitted, float64(doc.PeriodS)))
			if runs[j.Job].well {
				adviseJob(j, runs[j.Job].latest, doc, cores, f.within)
			} else {
				j.Why = "none of its runs succeeded"
			}
			done++
			p.count(done, len(wanted), "jobs")
		}
	}
	return nil
}

// adviseJob sets the recommendation of one job from some of its runs.
func adviseJob(j *result.WasteJob, runs []*trace.Run, doc *result.Waste, cores bool, within float64) {
	months := float64(j.LengthS) / month // NaN where submissions are not known
	adviseMemory(j, months)
	a, err := rightsize.Find(runs, rightsize.Options{Within: within})
	if err != nil {
		j.Why = err.Error()
		return
	}
	perToken := 1.0
	if cores {
		perToken, _ = waste.Slot(runs[0])
	}
	j.Why, j.Simulated, j.Dynamic = "", len(a.Runs), runs[len(runs)-1].Dynamic == trace.Yes
	j.CurrentCores, j.RecommendedCores = result.Number(float64(a.Current)*perToken),
		result.Number(float64(a.Tokens)*perToken)
	changes, saved := &result.Interval{math.Inf(1), math.Inf(-1)}, &result.Interval{math.Inf(1), math.Inf(-1)}
	mean := 0.0
	for _, r := range a.Runs {
		changes[0], changes[1] = min(changes[0], r.TimeChange), max(changes[1], r.TimeChange)
		saved[0], saved[1] = min(saved[0], r.Saved), max(saved[1], r.Saved)
		mean += r.Saved / float64(len(a.Runs))
	}
	j.TimeChange, j.SavedShare = changes, saved
	amount := j.HeldCoreH
	if doc.Priced {
		amount = float64(j.Cost)
	}
	if months > 0 {
		j.SavingPerMonth = result.Number(amount * mean / months)
		j.SavingInterval = &result.Interval{amount * saved[0] / months, amount * saved[1] / months}
	}
}

// Executors are given a fifth more memory than any used, in multiples of 256 MiB.
const (
	memoryRoom  = 1.2
	memoryGrain = 256 << 20
)

// adviseMemory recommends less memory for executors that used much less than they requested.
func adviseMemory(j *result.WasteJob, months float64) {
	if j.ExecutorPeakMem <= 0 || j.ExecutorMem <= 0 {
		return
	}
	want := int64(math.Ceil(float64(j.ExecutorPeakMem)*memoryRoom/memoryGrain)) * memoryGrain
	if want >= j.ExecutorMem {
		return
	}
	j.RecommendedMem = want
	if months > 0 {
		j.MemSavingPerMon = result.Number(float64(j.HeldMemGBh) * (1 - float64(want)/float64(j.ExecutorMem)) / months)
	}
}

// rerun are the columns that a simulation of a run reads.
var rerun = append(slices.Clone(fitted), "jobs.job", "jobs.user", "jobs.group", "jobs.guaranteed", "jobs.dynamic",
	"allocations.*")

// spareRuns is the number of runs read per wanted run, as some have no attempts.
const spareRuns = 4

// runsOfJob is the last succeeded runs of a job with attempts, by ascending submission, and when all its runs were
// submitted.
type runsOfJob struct {
	latest    []*trace.Run
	submitted []trace.Instant
	well      bool // a run succeeded, or the trace does not say how it ended
}

// latest returns the runs of jobs, at most so many of each. It finds the last few of each job in the table of jobs, and
// reads only the parts that hold these.
func (e *env) latest(ctx context.Context, s *store.Store, jobs map[string]*result.WasteJob,
	most int) (map[string]*runsOfJob, error) {
	found := map[string]*runsOfJob{}
	for name := range jobs {
		found[name] = &runsOfJob{}
	}
	if len(jobs) == 0 {
		return found, nil
	}
	f, all := trace.NewFilter(), s.Filter()
	if all != nil {
		f = *all
	}
	f.Jobs = slices.Sorted(maps.Keys(jobs))
	some := s.Where(f)
	p := e.progress("find")
	defer p.done()
	last, parts := map[string][]*trace.Run{}, map[string]int{}
	for part := range some.Parts() {
		for run, err := range some.Runs(ctx, part, dated) {
			if err != nil {
				return nil, err
			}
			name := run.JobName(false)
			if jobs[name] == nil || !all.Match(run) {
				continue
			}
			of := found[name]
			of.submitted = append(of.submitted, run.Submitted())
			if run.Status.Well() {
				of.well = true
				if kept, new := keepLatest(last[name], run, most*spareRuns); new {
					last[name], parts[strings.Clone(run.ID)] = kept, part
				}
			}
		}
		p.count(part+1, 2*some.Parts(), "parts")
	}
	wanted := map[int]bool{}
	for _, runs := range last {
		for _, run := range runs {
			wanted[parts[run.ID]] = true
		}
	}
	done := 0
	for _, part := range slices.Sorted(maps.Keys(wanted)) {
		for run, err := range some.Runs(ctx, part, rerun) {
			if err != nil {
				return nil, err
			}
			name := run.JobName(false)
			if _, ok := parts[run.ID]; !ok || jobs[name] == nil || !run.Status.Well() || len(run.Attempts) == 0 {
				continue
			}
			of := found[name]
			of.latest, _ = keepLatest(of.latest, run, most)
		}
		done++
		p.count(some.Parts()+done, some.Parts()+len(wanted), "parts")
	}
	return found, nil
}

// dated are the columns for finding the last runs of jobs and for filters.
var dated = store.Projection{"jobs.name", "jobs.job", "jobs.user", "jobs.group", "jobs.status", "jobs.submit",
	"jobs.start"}

// keepLatest adds a copy of a run to the last ones, by ascending submission, at most so many; false where it is not
// among them.
func keepLatest(kept []*trace.Run, run *trace.Run, most int) ([]*trace.Run, bool) {
	if len(kept) == most && !later(run, kept[0]) {
		return kept, false
	}
	at, _ := slices.BinarySearchFunc(kept, run, func(a, b *trace.Run) int {
		if later(a, b) {
			return 1
		}
		return -1
	})
	kept = slices.Insert(kept, at, run.Clone())
	return kept[max(0, len(kept)-most):], true
}

// later reports whether a run came after another.
func later(a, b *trace.Run) bool {
	if a.Submit != b.Submit {
		return a.Submit > b.Submit
	}
	return a.ID > b.ID
}

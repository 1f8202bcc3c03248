package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/models/deadlines/jockey"
	"racecard/models/deadlines/jockey/trial"
	indicators "racecard/models/deadlines/progress"
	"racecard/pipeline/internal/quantity"
)

// jockeyPlan selects the jobs to run, and holds the options.
type jockeyPlan struct {
	trial.Options
	job     string // "" for all
	minRuns int
	jobs    int    // of a store or of models, at most
	world   string // trial.ModelledWorld or trial.RecordedWorld
	past    int    // runs that made-up jobs have had
	runs    int    // least number of controlled runs per policy; 0: given by Replicates
}

func newJockeyPlan() jockeyPlan {
	p := jockeyPlan{Options: trial.DefaultOptions(), minRuns: 10, jobs: 50, past: 5, world: trial.ModelledWorld}
	p.Workers = min(runtime.GOMAXPROCS(0), maxWorkers)
	return p
}

func simulateJockeyCommand(e *env) *cobra.Command {
	p := newJockeyPlan()
	var out string
	experiment, indicator, utility := "policies", p.Indicator.String(), p.Loop.Statistic.String()
	cmd := &cobra.Command{
		Use:   "jockey [STORE | MODELS]",
		Short: "Give jobs with deadlines tokens while things go wrong: Jockey's loop against other policies",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s wants one store, one folder of models, or nothing, got %s; see `%s "+
					"--help`", cmd.Name(), words.Of(len(args), "argument", "arguments"), cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.parse(cmd, args, experiment, indicator, utility); err != nil {
				return usageError{err}
			}
			if err := e.flagsRead(); err != nil {
				return err
			}
			if err := e.checkOut(out, traceOf(args), "jockey"); err != nil {
				return err
			}
			e.withinLimits()
			from, doc, err := e.simulateJockey(cmd.Context(), args, p)
			if err != nil {
				return err
			}
			from.Command = strings.Join(append([]string{"racecard simulate jockey"}, args...), " ") +
				changedFlags(cmd, "out", "workers", "quiet", "json")
			if err := writeDocuments(out, from, doc); err != nil {
				return err
			}
			return e.comparison(doc)
		},
	}
	f := cmd.Flags()
	outFlag(f, &out)
	f.StringVar(&p.job, "job", "", "run this job only, named as read or normalised")
	number(f, &p.minRuns, "min-runs", whole(1, maxRuns), "succeeded runs that make a name of a store a recurring "+
		"job; 1 with --job when left out")
	number(f, &p.jobs, "jobs", whole(1, 1000), "jobs of the store or the models to run, drawn with --seed where there "+
		"are more")
	choice(f, &p.world, "world", []string{trial.ModelledWorld, trial.RecordedWorld}, "modelled: jobs do what their "+
		"models say; recorded: they do what newer runs of the store did")
	number(f, &p.past, "past-runs", whole(1, 10_000), "runs that a made-up job has had: its model is fitted to them")
	deadlinesFlag(f, &p.Options)
	number(f, &p.Loop.Max, "max-tokens", tokenRange(), "most tokens a job may have")
	number(f, &p.Loop.Min, "min-tokens", tokenRange(), "fewest tokens a job may have")
	number(f, &p.Replicates, "replicates", whole(1, 10_000), "controlled runs of every job, deadline and scenario, "+
		"under every policy")
	number(f, &p.runs, "runs", whole(1, 1e6), "controlled runs under every policy, at least; instead of --replicates")
	p.Bound = 0
	number(f, &p.Bound, "bound", whole(0, 10_000), "replicates that are also run with the true remaining time, which "+
		"takes most of the time; all when left out")
	number(f, &p.Simulated, "simulations", whole(2, 100_000), "runs behind every allocation of a table of remaining "+
		"times")
	choice(f, &experiment, "experiment", []string{"policies", "sensitivity"}, "policies, or sensitivity: also every "+
		"parameter of the loop with other values, one at a time")
	seeded(f, &p.Seed, "seed of everything that is drawn")
	e.filterFlags(f, false)
	workersFlag(f, &p.Workers, "runs to simulate at once")
	p.loopFlags(f)
	choice(f, &indicator, "indicator", indicatorNames(), "how progress is told: totalworkWithQ, totalwork, "+
		"vertexfrac, cp, minstage or minstage-inf")
	choice(f, &utility, "utility", []string{jockey.AtQuantile.String(), jockey.Expected.String()},
		"objective of the loop: the utility at the quantile, or the expected one")
	return cmd
}

// loopFlags adds the parameters of the loop.
func (p *jockeyPlan) loopFlags(f *pflag.FlagSet) {
	o := &p.Loop
	number(f, &o.PeriodS, "period", quantity.Range{Unit: quantity.Duration, Low: 1e-3, High: 30 * day},
		"time between two decisions")
	number(f, &o.PeriodShare, "period-share", quantity.Range{Unit: quantity.Share, Low: 1e-4, High: 1, Zero: true},
		"but at most this share of the time to the deadline; 0: no such limit")
	number(f, &o.Slack, "slack", slackRange(), "factor on remaining times")
	number(f, &o.Hysteresis, "hysteresis", shares(1e-3, 1), "share of the way to the allocation that is needed, in "+
		"one decision; 1: all of it")
	number(f, &o.Rise, "rise", quantity.Range{Unit: quantity.Share, Low: 1e-3, High: 1, Zero: true},
		"the same where more is needed than is held; 0: as --hysteresis")
	number(f, &o.DeadZoneS, "dead-zone", quantity.Range{Unit: quantity.Duration, High: 30 * day},
		"how much before the deadline the loop plans to end")
	number(f, &o.DeadZoneShare, "dead-zone-share", quantity.Range{Unit: quantity.Share, High: 1, Below: true},
		"but at most this share of the time to the deadline; 0: no such limit")
	f.BoolVar(&o.Hold, "hold", o.Hold, "keep the allocation while the end that it leads to is within the dead zone "+
		"of the planned one")
	f.BoolVar(&o.Jump, "jump", o.Jump, "follow a new deadline at once")
	number(f, &o.Learn, "learn", learnRange(), "weight of the prediction, as a share of the run, against what the "+
		"run shows of how slow it is; 0: it does not learn")
	number(f, &o.Gain, "gain", quantity.Range{Unit: quantity.Share, High: 1, Below: true},
		"a late run asks for no tokens that shorten it by a smaller share of the remaining time")
	number(f, &o.Quantile, "quantile", unitRange(), "of the remaining times that counts; 1: the largest")
	f.BoolVar(&p.Dwell, "dwell", p.Dwell, "count how long a run has stood where it is")
	f.BoolVar(&p.Limit, "limit", p.Limit, "ask for no more tokens than tasks can run at once, nor than are left")
	number(f, &p.Blend, "blend", shares(0, 1), "weight of Amdahl's law; the table has the rest")
}

// learnRange are the weights of predictions in what a control loop learns: beyond ten runs it learns nothing.
func learnRange() quantity.Range { return quantity.Range{Unit: quantity.Load, High: 10} }

// slackRange is a factor on remaining times; 1 is none.
func slackRange() quantity.Range { return plain(1, 1000) }

// multipleRange is a deadline in critical paths.
func multipleRange() quantity.Range {
	return quantity.Range{Unit: quantity.Multiple, Low: 0.001, High: 10_000}
}

// deadlineRange is a deadline as a time.
func deadlineRange() quantity.Range {
	return quantity.Range{Unit: quantity.Duration, Low: 1e-3, High: maxSeconds}
}

// deadlinesFlag declares --deadline. The first one given replaces the defaults.
func deadlinesFlag(f *pflag.FlagSet, to *trial.Options) {
	shown, given, times := "2x,3x", false, deadlineRange()
	read := func(text string) error {
		var multiples, seconds []float64
		for item := range strings.SplitSeq(text, ",") {
			item = strings.TrimSpace(item)
			into, r := &seconds, times
			switch {
			case strings.HasSuffix(item, "x"):
				into, r = &multiples, multipleRange()
			case quantity.IsNumber(item):
				return fmt.Errorf("%q needs a unit: %sx is %s times the critical path, %sm is %s minutes", item, item, item,
					item, item)
			}
			x, err := r.Parse(item)
			if err != nil {
				return fmt.Errorf("%q: want a multiple of the critical path, such as 2x, or a time, such as 45m: %w", item,
					err)
			}
			*into = append(*into, x)
		}
		if !given {
			to.Deadlines, to.DeadlinesS, shown = nil, nil, ""
		} else {
			shown += ","
		}
		to.Deadlines, to.DeadlinesS = append(to.Deadlines, multiples...), append(to.DeadlinesS, seconds...)
		shown, given = shown+text, true
		if len(to.Deadlines)+len(to.DeadlinesS) > 100 {
			return errors.New("want at most 100 deadlines")
		}
		return nil
	}
	f.Var(&option{kind: "deadlines", text: itself(&shown), read: read, of: &times}, "deadline",
		"deadlines, as multiples of the critical path, such as 2x, or times, such as 45m ["+
			multipleRange().String()+"; "+times.String()+"]")
}

// indicatorNames lists the names of all indicators of progress.
func indicatorNames() []string {
	var names []string
	for k := range indicators.Count {
		names = append(names, k.String())
	}
	return names
}

// parse checks the flags.
func (p *jockeyPlan) parse(cmd *cobra.Command, args []string, experiment, indicator, utility string) error {
	given := cmd.Flags().Changed
	var err error
	if p.Indicator, err = indicators.Parse(indicator); err != nil {
		return fmt.Errorf("--indicator: %w", err)
	}
	p.Loop.Statistic = jockey.AtQuantile
	if utility == jockey.Expected.String() {
		p.Loop.Statistic = jockey.Expected
	}
	switch {
	case given("runs") && given("replicates"):
		return errors.New("want --runs or --replicates, not both")
	case p.Loop.Min > p.Loop.Max:
		return fmt.Errorf("--min-tokens %d is more than --max-tokens %d", p.Loop.Min, p.Loop.Max)
	case len(args) == 0 && (p.job != "" || given("min-runs") || given("jobs")):
		return fmt.Errorf("--job, --jobs and --min-runs choose jobs of a store or of models, but none was named")
	case len(args) == 0 && p.world == trial.RecordedWorld:
		return fmt.Errorf("--world recorded executes runs of a store, but none was named")
	case len(args) > 0 && given("past-runs"):
		return fmt.Errorf("--past-runs is for jobs that are made up")
	}
	if p.job != "" && !given("min-runs") {
		p.minRuns = 1
	}
	p.Sensitive = 0
	if experiment == "sensitivity" {
		p.Sensitive = p.Replicates
	}
	if !given("bound") {
		p.Bound = p.Replicates
	}
	return p.Validate()
}

// simulateJockey makes the jobs and the comparison.
func (e *env) simulateJockey(ctx context.Context, args []string, p jockeyPlan) (*result.Provenance, *result.Jockey,
	error) {
	from, jobs, left, err := e.jockeyJobs(ctx, args, p)
	if err != nil {
		return nil, nil, err
	}
	if p.runs > 0 {
		per := p.PerReplicate(len(jobs))
		n := (p.runs + per - 1) / per
		p.Bound, p.Sensitive = min(p.Bound, p.Replicates)*n/p.Replicates, p.Sensitive*n/p.Replicates
		p.Replicates = n
	}
	p.Generated = len(args) == 0
	bar := e.progress("simulate")
	defer bar.done()
	of := words.Of(p.Replicates*p.PerReplicate(len(jobs)), "controlled run", "controlled runs") + " per policy"
	p.Progress = func(done, all int) { bar.show(float64(done), float64(all), of) }
	doc, err := trial.Compare(ctx, jobs, p.Options)
	if err != nil {
		return nil, nil, err
	}
	doc.Warnings = append(left, doc.Warnings...)
	return from, doc, nil
}

// changedFlags writes the flags that were given, with exceptions, in the order of their names.
func changedFlags(cmd *cobra.Command, but ...string) string {
	var b strings.Builder
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(but, f.Name) {
			fmt.Fprintf(&b, " --%s=%s", f.Name, strings.Trim(f.Value.String(), "[]"))
		}
	})
	return b.String()
}

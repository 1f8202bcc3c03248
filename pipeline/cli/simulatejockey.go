package cli

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"racecard/datasets/result"
	"racecard/models/jockey"
	"racecard/models/jockey/trial"
	indicators "racecard/models/progress"
	"racecard/reports/style"
)

// jockeyPlan says which jobs to run, and how.
type jockeyPlan struct {
	trial.Options
	job     string // "" for all
	minRuns int
	past    int // runs that made-up jobs have had
	runs    int // controlled runs of a policy at least; 0: as many as Replicates makes
}

func newJockeyPlan() jockeyPlan {
	p := jockeyPlan{Options: trial.DefaultOptions(), minRuns: 10, past: 5}
	p.Workers = runtime.GOMAXPROCS(0)
	return p
}

func simulateJockeyCommand(e *env) *cobra.Command {
	p := newJockeyPlan()
	var out, experiment, indicator, utility string
	deadlines := []string{"2x", "3x"}
	cmd := &cobra.Command{
		Use:   "jockey [STORE | MODELS]",
		Short: "Give jobs with deadlines tokens while things go wrong: Jockey's loop against other policies",
		Long: "Runs jobs with deadlines, in simulation, on a cluster on which things go wrong: slow machines, spare tokens that come\n" +
			"and go, failures, other inputs, late starts, deadlines that change. Every policy sees the same runs; the table says how\n" +
			"many deadlines it missed, and which share of the token-time it requested was above the oracle, which is the work of the\n" +
			"run over the time to its deadline.\n\n" +
			"  jockey          the loop: tables of simulated remaining times and Amdahl's law, asked again in every period\n" +
			"  jockey-2012     the loop as published\n" +
			"  no-adaptation   what the table says at the start, to the end\n" +
			"  no-simulator    the loop, with Amdahl's law alone\n" +
			"  max-allocation  all tokens, to the end\n" +
			"  oracle          work / deadline, both known beforehand, to the end\n" +
			"  bound           the loop, with the true remaining time: what is left without errors of prediction\n\n" +
			"Without an argument the jobs are the seven of the Jockey paper, made up after its Table 2: synthetic. With a store they are\n" +
			"its recurring jobs, with models those that `racecard fit` wrote; then the simulated cluster runs jobs that are what\n" +
			"their models say, so that results are as good as those.\n\n" +
			"A deadline is a multiple of the critical path (2x), raised where needed to what 95% of undisturbed runs meet with 60% of\n" +
			"the tokens, or a time (45m), kept as it is: one that cannot be met is said at once, with the earliest that can.",
		Example: "  racecard simulate jockey\n" +
			"  racecard simulate jockey web.models --job nightly-index --deadline 45m,1h --max-tokens 200 --out web.jockey\n" +
			"  racecard simulate jockey --experiment sensitivity --runs 2000 --seed 7 --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s wants one store, one folder of models, or nothing, got %s; see `%s --help`", cmd.Name(), style.Of(int64(len(args)), "argument", "arguments"), cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.parse(cmd, args, deadlines, experiment, indicator, utility); err != nil {
				return usageError{err}
			}
			if err := checkOut(out); err != nil {
				return err
			}
			from, doc, err := e.simulateJockey(cmd.Context(), args, p)
			if err != nil {
				return err
			}
			if out != "" {
				from.Command = strings.Join(append([]string{"racecard simulate jockey"}, args...), " ") + changedFlags(cmd, "out", "workers", "quiet", "json")
				if err := writeDocuments(out, from, []result.Document{doc}); err != nil {
					return err
				}
			}
			return e.comparison(doc)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "out", "o", "", "directory to write results to, from which a report is drawn")
	f.StringVar(&p.job, "job", "", "run this job only, named as read or normalised")
	f.IntVar(&p.minRuns, "min-runs", p.minRuns, "succeeded runs that make a name of a store a recurring job; 1 with --job when left out")
	f.IntVar(&p.past, "past-runs", p.past, "runs that a made-up job has had: its model is fitted to them")
	f.StringSliceVar(&deadlines, "deadline", deadlines, "deadlines, as multiples of the critical path, such as 2x, or times, such as 45m")
	f.IntVar(&p.Loop.Max, "max-tokens", p.Loop.Max, "most tokens a job may have")
	f.IntVar(&p.Loop.Min, "min-tokens", p.Loop.Min, "fewest tokens a job may have")
	f.IntVar(&p.Replicates, "replicates", p.Replicates, "controlled runs of every job, deadline and scenario, under every policy")
	f.IntVar(&p.runs, "runs", 0, "controlled runs under every policy, at least; instead of --replicates")
	f.IntVar(&p.Bound, "bound", 0, "replicates that are also run with the true remaining time, which takes most of the time; all when left out")
	f.IntVar(&p.Simulated, "simulations", p.Simulated, "runs behind every allocation of a table of remaining times")
	f.StringVar(&experiment, "experiment", "policies", "policies, or sensitivity: also every parameter of the loop with other values, one at a time")
	f.Uint64Var(&p.Seed, "seed", p.Seed, "seed of everything that is drawn")
	f.IntVar(&p.Workers, "workers", p.Workers, "runs to simulate at once")
	p.loopFlags(f)
	f.StringVar(&indicator, "indicator", p.Indicator.String(), "how progress is told: totalworkWithQ, totalwork, vertexfrac, cp, minstage or minstage-inf")
	f.StringVar(&utility, "utility", p.Loop.Statistic.String(), "what the loop maximises: the utility at the quantile, or the expected one")
	return cmd
}

// loopFlags adds the parameters of the loop.
func (p *jockeyPlan) loopFlags(f *pflag.FlagSet) {
	o := &p.Loop
	f.Var((*seconds)(&o.PeriodS), "period", "time between two decisions")
	f.Float64Var(&o.PeriodShare, "period-share", o.PeriodShare, "but at most this share of the time to the deadline; 0: no such limit")
	f.Float64Var(&o.Slack, "slack", o.Slack, "factor on remaining times, at least 1")
	f.Float64Var(&o.Hysteresis, "hysteresis", o.Hysteresis, "share of the way to the allocation that is needed, in one decision; 1: all of it")
	f.Float64Var(&o.Rise, "rise", o.Rise, "the same where more is needed than is held; 0: as --hysteresis")
	f.Var((*seconds)(&o.DeadZoneS), "dead-zone", "how much before the deadline the loop plans to end")
	f.Float64Var(&o.DeadZoneShare, "dead-zone-share", o.DeadZoneShare, "but at most this share of the time to the deadline; 0: no such limit")
	f.BoolVar(&o.Hold, "hold", o.Hold, "keep the allocation while the end that it leads to is within the dead zone of the planned one")
	f.BoolVar(&o.Jump, "jump", o.Jump, "follow a new deadline at once")
	f.Float64Var(&o.Learn, "learn", o.Learn, "weight of the prediction, as a share of the run, against what the run shows of how slow it is; 0: it does not learn")
	f.Float64Var(&o.Quantile, "quantile", o.Quantile, "of the remaining times that counts; 1: the largest")
	f.BoolVar(&p.Dwell, "dwell", p.Dwell, "count how long a run has stood where it is")
	f.BoolVar(&p.Limit, "limit", p.Limit, "ask for no more tokens than tasks can run at once, nor than are left")
	f.Float64Var(&p.Blend, "blend", p.Blend, "weight of Amdahl's law beside the table")
}

// seconds is a flag for a duration that options hold in seconds: [pflag.Value].
type seconds float64

// String implements [pflag.Value].
func (s *seconds) String() string { return time.Duration(float64(*s) * 1e9).String() }

// Type implements [pflag.Value].
func (*seconds) Type() string { return "duration" }

// Set implements [pflag.Value].
func (s *seconds) Set(text string) error {
	d, err := time.ParseDuration(text)
	*s = seconds(d.Seconds())
	return err
}

// parse checks the flags.
func (p *jockeyPlan) parse(cmd *cobra.Command, args, deadlines []string, experiment, indicator, utility string) error {
	given := cmd.Flags().Changed
	p.Deadlines = nil
	for _, text := range deadlines {
		multiple, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
		if err == nil {
			p.Deadlines = append(p.Deadlines, multiple)
			continue
		}
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("--deadline %s: want a multiple of the critical path, such as 2x, or a time, such as 45m", text)
		}
		p.DeadlinesS = append(p.DeadlinesS, d.Seconds())
	}
	var err error
	if p.Indicator, err = indicators.Parse(indicator); err != nil {
		return fmt.Errorf("--indicator: %w", err)
	}
	switch utility {
	case jockey.AtQuantile.String():
		p.Loop.Statistic = jockey.AtQuantile
	case jockey.Expected.String():
		p.Loop.Statistic = jockey.Expected
	default:
		return fmt.Errorf("--utility %s: want %v or %v", utility, jockey.AtQuantile, jockey.Expected)
	}
	switch {
	case experiment != "policies" && experiment != "sensitivity":
		return fmt.Errorf("--experiment %s: want policies or sensitivity", experiment)
	case p.Loop.Max > maxAllocation:
		return fmt.Errorf("--max-tokens %d: want at most %d", p.Loop.Max, maxAllocation)
	case given("runs") && (given("replicates") || p.runs < 1):
		return fmt.Errorf("--runs %d: want at least 1, and no --replicates beside it", p.runs)
	case p.past < 1:
		return fmt.Errorf("--past-runs %d: want at least 1", p.past)
	case p.minRuns < 1:
		return fmt.Errorf("--min-runs %d: want at least 1", p.minRuns)
	case len(args) == 0 && (p.job != "" || given("min-runs")):
		return fmt.Errorf("--job and --min-runs choose jobs of a store or of models, but none was named")
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
func (e *env) simulateJockey(ctx context.Context, args []string, p jockeyPlan) (*result.Provenance, *result.Jockey, error) {
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
	of := style.Of(int64(p.Replicates*p.PerReplicate(len(jobs))), "controlled run", "controlled runs") + " per policy"
	p.Progress = func(done, all int) { bar.show(float64(done), float64(all), of) }
	doc, err := trial.Compare(ctx, jobs, p.Options)
	if err != nil {
		return nil, nil, err
	}
	doc.Warnings = append(left, doc.Warnings...)
	return from, doc, nil
}

// changedFlags writes the flags that were given, but for some, in the order of their names.
func changedFlags(cmd *cobra.Command, but ...string) string {
	var b strings.Builder
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, name := range but {
			if f.Name == name {
				return
			}
		}
		fmt.Fprintf(&b, " --%s=%s", f.Name, strings.Trim(f.Value.String(), "[]"))
	})
	return b.String()
}

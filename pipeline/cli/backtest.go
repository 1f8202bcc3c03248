package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"racecard/datasets/lists"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/words"
	"racecard/models/deadlines/backtest"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/sim"
	"racecard/models/limit"
	"racecard/pipeline/internal/quantity"
	"racecard/reports/page"
)

func backtestCommand(e *env) *cobra.Command {
	o := backtest.DefaultOptions()
	var out, job string
	cmd := &cobra.Command{
		Use:   "backtest STORE",
		Short: "Measure how well past runs would have predicted the next one",
		Args:  exactly(1, "one store"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("after") {
				o.After = max(1, min(o.After, o.MinRuns-1))
			}
			if !cmd.Flags().Changed("min-runs") {
				o.MinRuns = max(o.MinRuns, o.After+1)
			}
			if err := o.Validate(); err != nil {
				return usageError{err}
			}
			s, err := e.openStore(args[0])
			if err != nil {
				return err
			}
			if err := e.checkOut(out, args[0], "backtest"); err != nil {
				return err
			}
			e.withinLimits()
			doc, err := e.backtest(cmd.Context(), s, job, o)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if err := e.writeResults(out, args[0], "racecard backtest "+publish.Name(args[0]), s, doc); err != nil {
				return err
			}
			return e.backtested(doc)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "out", "o", "",
		"directory to write backtest.json and backtest.parquet, with one row per run, to")
	f.StringVar(&job, "job", "", "name of the only job to predict, as read or normalised")
	number(f, &o.MinRuns, "min-runs", whole(2, maxRuns), "succeeded runs that make a name a recurring job; more when "+
		"--after is not smaller")
	number(f, &o.After, "after", whole(1, maxRuns), "past runs that a prediction is made from, at least; fewer when "+
		"--min-runs is smaller")
	number(f, &o.Last, "last", whole(1, maxRuns), "runs of a job that are predicted, at most: the newest")
	f.BoolVar(&o.Within, "within", false, "also predict the remaining time of every run when 10%, 25%, 50%, 75% and "+
		"90% of its time had passed")
	choice(f, &o.LeaveOut, "leave-out", []string{backtest.Tokens}, "tokens: predict every run from runs of its job "+
		"with other numbers of tokens, whenever they ran")
	numbers(f, &o.FromTokens, "from-tokens", positive(quantity.Plain, sim.MaxTokens), "with --leave-out tokens, "+
		"learn only from runs with these numbers of tokens")
	numbers(f, &o.AtTokens, "at-tokens", positive(quantity.Plain, sim.MaxTokens), "with --leave-out tokens, predict "+
		"only runs with these numbers of tokens")
	choices(f, &o.Without, "without", jobmodel.Parts(), "parts of the model to leave out, to see what each brings: "+
		strings.Join(jobmodel.Parts(), ", "))
	number(f, &o.Replicates, "replicates", whole(20, 100_000), "simulated runs per prediction")
	number(f, &o.Profile.HalfLifeS, "half-life", halfLifeRange(), "a past run that is older than the newest by this "+
		"much weighs half, such as 7d; 0: all weigh the same")
	namesFlag(f, &o.Profile.RawNames)
	seeded(f, &o.Seed, "seed of the simulated runs")
	workersFlag(f, &o.Workers, "runs to predict at once")
	e.filterFlags(f, false)
	return cmd
}

// backtest predicts the runs of a store, of one job unless it is "".
func (e *env) backtest(ctx context.Context, s *store.Store, job string, o backtest.Options) (*result.Backtest, error) {
	raw := o.Profile.RawNames
	b, err := backtest.NewBuilder(o)
	if err != nil {
		return nil, err
	}
	if err := e.refuseTooMany(ctx, s, raw, job, o.MinRuns, limit.Predicted, ", or predict one with --job"); err != nil {
		return nil, err
	}
	seen, added := map[string]int{}, false
	for run, err := range e.eachRun(ctx, "read", s, "", fitted) {
		if err != nil {
			return nil, err
		}
		if name := run.JobName(raw); name != "" {
			seen[name]++
		}
		if job == "" || isJob(run, raw, job) {
			added = true
			b.Add(run)
		} else {
			b.AddPeer(run)
		}
	}
	if job != "" && !added {
		return nil, errors.New("no run of job " + job + nearest(job, seen))
	}
	p := e.progress("predict")
	defer p.done()
	return b.Run(ctx, func(done, of int) { p.count(done, of, "runs") })
}

// backtested prints the results of a backtest.
func (e *env) backtested(d *result.Backtest) error {
	if e.json || !d.Available {
		return e.findings([]result.Document{d})
	}
	if d.Held != nil {
		e.heldOut(d)
		return nil
	}
	from := "before it"
	if d.LeaveOut == backtest.Tokens {
		from = "with other numbers of tokens"
	}
	e.printf("backtest: %s of %s, each from at least %s %s\n", words.Of(d.Predicted, "run", "runs"),
		words.Of(d.Jobs, "recurring job", "recurring jobs"), words.Of(d.After, "run", "runs"), from)
	for _, c := range d.Coverage {
		e.printf("  at most p%s: %s of the runs [%s]\n", words.Number(100*c.Level), words.Percent(c.Share),
			words.Range(c.Interval[0], c.Interval[1], words.Percent))
	}
	e.printf("  p10 to p90 is %s of p50 wide (median)\n\n", words.Percent(d.Sharpness))
	head, rows := backtestMethods(d)
	e.rows(head, rows)
	e.printf("\n")
	e.table(page.BacktestTable(d))
	if len(d.Within) > 0 {
		e.printf("\n")
		head, rows := backtestWithin(d)
		e.rows(head, rows)
		e.printf("\n")
	}
	for _, v := range d.Versus {
		e.printf("better than %s on %s of %s\n", v.Method, words.Count(v.Better), words.Of(v.Jobs, "job", "jobs"))
	}
	e.notes("warning", d.Warnings)
	return nil
}

// backtestMethods returns a table with one row per method.
func backtestMethods(d *result.Backtest) (head []string, rows [][]string) {
	head = []string{"METHOD", "RUNS", "MEDIAN ABSOLUTE ERROR", "RELATIVE CRPS", "AT MOST P50", "P75", "P90", "P95"}
	return head, lists.Map(d.Methods, func(method string) []string {
		s := d.Errors[method]
		row := []string{method, words.Count(s.N), words.Percent(s.MedianAbsolute), words.Percent(s.RelativeCRPS)}
		for i := range 4 {
			if i < len(s.Coverage) {
				row = append(row, words.Percent(s.Coverage[i].Share))
			} else {
				row = append(row, words.None)
			}
		}
		return row
	})
}

// backtestWithin returns a table with one row per share of the time of runs.
func backtestWithin(d *result.Backtest) (head []string, rows [][]string) {
	methods := []string{"published", "c0", "simulations"}
	head = []string{"REMAINING TIME AT", "RUNS", "RACECARD", "AT MOST P50", "P90", "C(P,A)", "C(0,A) - ELAPSED",
		"NEAR SIMULATIONS"}
	return head, lists.Map(d.Within, func(w result.BacktestWithin) []string {
		row := []string{words.Percent(w.Elapsed), words.Count(w.N), words.Percent(w.MedianAbsolute),
			words.Percent(w.P50Share), words.Percent(w.P90Share)}
		for _, m := range methods {
			row = append(row, words.Percent(w.Methods[m].MedianAbsolute))
		}
		return row
	})
}

// heldOut prints the results of a backtest of held-out runs.
func (e *env) heldOut(d *result.Backtest) {
	e.printf("backtest: %s with %s, each predicted from runs of its job at other numbers of tokens\n",
		words.Of(d.Held.Runs, "run", "runs"), words.Of(d.Held.Stages, "stage", "stages"))
	e.table(page.HeldTable(d))
	e.notes("warning", d.Warnings)
}

package cli

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"racecard/datasets/remaining"
	"racecard/datasets/words"
	"racecard/models/deadlines/cpa"
	indicators "racecard/models/deadlines/progress"
	"racecard/pipeline/internal/quantity"
)

func tableCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "table",
		Short: "Tables of how long a run still takes, by progress and allocation",
	}
	return group(cmd, tableBuildCommand(e), tableShowCommand(e), tableLookupCommand(e), tableVerifyCommand(e),
		tableDiffCommand(e), tableExplainCommand(e), tableAdmitCommand(e))
}

// tablePlan selects the tables to build, and holds the options.
type tablePlan struct {
	job        string // "" for all
	simulated  cpa.Options
	amdahl     bool
	apart      bool
	inputBytes float64 // NaN: as past runs
	workers    int
	store      string // that the models came from
	synthetic  bool
}

func newTablePlan() tablePlan {
	return tablePlan{simulated: cpa.DefaultOptions(), inputBytes: unknownInput(), workers: min(runtime.GOMAXPROCS(0),
		maxWorkers)}
}

func tableBuildCommand(e *env) *cobra.Command {
	p := newTablePlan()
	o := &p.simulated
	var out string
	indicator, method := o.Indicator.String(), remaining.Simulated
	cmd := &cobra.Command{
		Use:   "build MODELS --out TABLES",
		Short: "Simulate jobs at several allocations, and tabulate how long they still take",
		Args:  exactly(1, "one folder of models"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.Indicator, err = indicators.Parse(indicator); err != nil {
				return usageError{fmt.Errorf("--indicator: %w", err)}
			}
			p.amdahl = method == remaining.Amdahl
			if p.apart && !p.amdahl {
				return usageError{errors.New("--apart is for --method amdahl")}
			}
			if err := o.Validate(); err != nil {
				return usageError{err}
			}
			if err := e.flagsRead(); err != nil {
				return err
			}
			return e.buildTables(cmd.Context(), args[0], out, p)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "out", "o", "", "folder to write the tables to")
	f.StringVar(&p.job, "job", "", "build the table of this job only, named as read or normalised")
	numbers(f, &o.Allocations, "allocations", tokenRange(), "tokens, ascending, separated by commas; chosen when "+
		"left out")
	number(f, &o.GridError, "grid-error", shares(1e-3, 1), "how far from straight a table may be between two "+
		"allocations that are chosen")
	o.Replicates = 0
	number(f, &o.Replicates, "replicates", whole(1, 1e6), "runs to simulate at every allocation; as many as "+
		"--tolerance wants when left out")
	number(f, &o.Tolerance, "tolerance", shares(1e-4, 1), "half of the widest 95% interval of a quantile")
	numbers(f, &o.Quantiles, "quantiles", quantity.Range{Unit: quantity.Plain, High: 1, Above: true, Below: true},
		"quantiles that --tolerance is about, separated by commas")
	number(f, &o.MaxReplicates, "max-replicates", whole(1, 1e6), "runs at every allocation at most, with --tolerance")
	choice(f, &indicator, "indicator", indicatorNames(), "how progress is told")
	choice(f, &o.Sampling, "sampling", []string{remaining.ByProgress, remaining.ByTime}, "progress: one sample per "+
		"hundredth of progress; time: one per instant")
	number(f, &o.StepS, "step", secondsRange(1e-3, 1e6), "time between two instants, with --sampling time")
	f.BoolVar(&o.Antithetic, "antithetic", o.Antithetic, "pair runs so that what is long in one is short in the "+
		"other: less noise")
	choice(f, &method, "method", []string{remaining.Simulated, remaining.Amdahl}, "simulation, or amdahl: longest "+
		"path left + work left / tokens")
	f.BoolVar(&p.apart, "apart", false, "with --method amdahl: work on the longest path is not divided by tokens")
	number(f, &p.inputBytes, "input", inputRange(), "input of the run, such as 20GiB; as past runs when left out")
	seeded(f, &o.Seed, "seed of the simulations")
	workersFlag(f, &p.workers, "runs to simulate at once")
	_ = cmd.MarkFlagRequired("out") // fails only for a flag that is not there
	return cmd
}

// tokens writes a grid of allocations for people.
func tokens(grid []int32) string {
	if len(grid) == 1 {
		return words.Count(grid[0])
	}
	return words.Count(grid[0]) + " to " + words.Count(grid[len(grid)-1]) + " (" + strconv.Itoa(len(grid)) + ")"
}

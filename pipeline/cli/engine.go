package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"racecard/datasets/fault"
	"racecard/datasets/publish"
	"racecard/pipeline/internal/ingest"
	"racecard/pipeline/internal/work"
)

// sparkSubmit is the variable with the command that submits to Spark, with its options.
const sparkSubmit = "RACECARD_SPARK_SUBMIT"

// engineFlags select where the units of a command run.
type engineFlags struct {
	engine, folder string
	seeds          string   // of a sweep
	vary           []string // settings of a sweep
}

// engineNames are the engines that a command can submit its units to.
func engineNames() []string { return []string{"local", "spark"} }

// flags declares the flags of an engine.
func (o *engineFlags) flags(f *pflag.FlagSet) {
	o.engine = engineNames()[0]
	choice(f, &o.engine, "engine", engineNames(), "where the units of the work run: this machine, or Spark through "+
		"spark-submit ("+sparkSubmit+" names another command)")
	f.StringVar(&o.folder, "work", "", "with --engine: folder for units of work that all machines share")
}

// idleWork returns an error for a command line that states --work, and no engine that would use it, neither itself nor
// by defaults. It returns nil where the folder of units is a default, too. A sweep has units on this machine.
func idleWork(cmd *cobra.Command, workGiven bool) error {
	stated := func(flag string) bool {
		f := cmd.Flags().Lookup(flag)
		return f != nil && f.Changed
	}
	if !workGiven || stated("engine") || stated("seeds") || stated("vary") {
		return nil
	}
	return usageError{fmt.Errorf("--work is the folder for units of an engine: add --engine spark, or leave it out; see "+
		"`%s --help`", cmd.CommandPath())}
}

// divide gives the commands below one that an engine can run in units the flags for that.
func (e *env) divide(parent *cobra.Command) {
	for _, path := range [][]string{
		{"import"}, {"analyze"}, {"table", "build"}, {"simulate", "eagle"}, {"simulate", "carbyne"},
		{"simulate", "jockey"},
	} {
		if cmd, _, err := parent.Find(path); err == nil {
			e.onEngines(cmd, path[0] == "simulate")
		}
	}
}

// onEngines gives a command the flags with which an engine runs its units. A command with sweeps has settings and
// seeds, too.
func (e *env) onEngines(cmd *cobra.Command, sweeps bool) {
	var o engineFlags
	o.flags(cmd.Flags())
	if sweeps {
		parsedBy(cmd.Flags(), &o.seeds, "seeds", "seeds", parseSeeds, "seeds of a sweep, such as 1-20: OUT gets the "+
			"results of every seed and setting, and sweep.json, which lists them")
		cmd.Flags().StringArrayVar(&o.vary, "vary", nil, "`option` of a sweep with its values, such as load=80%,90%; "+
			"may be given several times")
	}
	here := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		sweep := o.seeds != "" || len(o.vary) > 0
		if e.runner != nil || o.engine == "local" && !sweep {
			return here(cmd, args)
		}
		if sweeps && !sweep {
			return usageError{errors.New("--engine wants --seeds or --vary: one simulation is one unit")}
		}
		err := e.onEngine(cmd, args, &o)
		var whole *ingest.IndivisibleError
		if errors.As(err, &whole) {
			e.say("%v", whole)
			return here(cmd, args)
		}
		return err
	}
}

// onEngine divides a command, runs its units and merges their outputs.
func (e *env) onEngine(cmd *cobra.Command, args []string, o *engineFlags) error {
	out, folder := cmd.Flags().Lookup("out").Value.String(), o.folder
	if out == "" || folder == "" && o.engine != "local" {
		return usageError{errors.New("--engine wants --work, a folder that all machines share, and --out; a sweep " +
			"wants --out")}
	}
	if folder == "" {
		top, remove, err := publish.TemporaryFolder("racecard-work-")
		if err != nil {
			return err
		}
		defer func() {
			defer fault.Trap()
			_ = remove() // the next command removes the rest
		}()
		folder = filepath.Join(top, "work")
	}
	words := strings.Fields(strings.TrimPrefix(cmd.CommandPath(), "racecard "))
	p, _, err := e.planWork(cmd.Context(), slices.Concat(words, args, []string{"--out", folder}, givenFlags(cmd)))
	if err != nil {
		return err
	}
	if err := work.Create(folder, p); err != nil {
		return err
	}
	if o.engine == "local" {
		quiet := *e
		quiet.stdout, quiet.json = newScreen(e.stderr), false
		err = quiet.doUnits(cmd.Context(), folder, p, p.Units)
	} else {
		err = e.submit(cmd.Context(), folder)
	}
	if err != nil {
		return err
	}
	s, err := work.Glance(folder, p)
	if err != nil {
		return err
	}
	if left := s.Units - s.Done; left > 0 {
		why := ""
		if len(s.Failed) > 0 {
			why = fmt.Sprintf(", the others are kept: %s: %s", s.Failed[0].Unit.Label, s.Failed[0].Error)
		}
		return fmt.Errorf("%d of %d units are not done%s; `racecard work status %s` says more", left, s.Units, why,
			folder)
	}
	return e.mergeUnits(cmd.Context(), folder, p, out)
}

// givenFlags are the flags of a command that were given, except those for the engine and the output.
func givenFlags(cmd *cobra.Command) []string {
	var all []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "engine", "work", "out", "json", "quiet":
			return
		}
		value := f.Value.String()
		if v, ok := f.Value.(pflag.SliceValue); ok {
			if f.Value.Type() == "stringArray" { // given once per value
				for _, one := range v.GetSlice() {
					all = append(all, "--"+f.Name+"="+one)
				}
				return
			}
			value = strings.TrimSuffix(strings.TrimPrefix(value, "["), "]")
		}
		all = append(all, "--"+f.Name+"="+value)
	})
	return all
}

// submit runs the units of a plan on Spark.
func (e *env) submit(ctx context.Context, folder string) (err error) {
	command := strings.Fields(os.Getenv(sparkSubmit))
	if len(command) == 0 {
		command = []string{"spark-submit"}
		if home := os.Getenv("SPARK_HOME"); home != "" {
			command[0] = filepath.Join(home, "bin", "spark-submit")
		}
	}
	program, _, err := thisProgram()
	if err != nil {
		return err
	}
	driver, err := work.Engine("spark")
	if err != nil {
		return err
	}
	script := filepath.Join(folder, work.SparkDriver)
	if publish.Remote(folder) {
		top, remove, err := publish.TemporaryFolder("racecard-work-")
		if err != nil {
			return err
		}
		defer func() {
			defer fault.Trap()
			_ = remove() // the next command removes the rest
		}()
		script = filepath.Join(top, work.SparkDriver)
	}
	if err := writeFile(script, driver); err != nil {
		return err
	}
	args := slices.Concat(command[1:], []string{"--files", program, script, folder, filepath.Base(program)})
	cmd := exec.CommandContext(ctx, command[0], args...)
	if !e.quiet {
		cmd.Stdout, cmd.Stderr = e.stderr, e.stderr
	}
	err = cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("there is no %s: install Spark, or set %s", command[0], sparkSubmit)
	}
	if errors.As(err, new(*exec.ExitError)) {
		return nil // unfinished units are reported
	}
	return err
}

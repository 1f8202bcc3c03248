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

	"racecard/datasets/publish"
	"racecard/pipeline/internal/work"
)

// sparkSubmit is the variable with the command that submits to Spark, with its options.
const sparkSubmit = "RACECARD_SPARK_SUBMIT"

// onEngines gives a command the flags with which an engine runs its units.
func (e *env) onEngines(cmd *cobra.Command) {
	engine, folder := "local", ""
	choice(cmd.Flags(), &engine, "engine", []string{"local", "spark"}, "what runs the work: this machine, or Spark through spark-submit ("+sparkSubmit+" has another command)")
	cmd.Flags().StringVar(&folder, "work", "", "with --engine: folder for units of work that all machines share")
	local := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if engine == "local" {
			return local(cmd, args)
		}
		out := cmd.Flags().Lookup("out").Value.String()
		if folder == "" || out == "" {
			return usageError{errors.New("--engine wants --work, a folder that all machines share, and --out")}
		}
		words := strings.Fields(strings.TrimPrefix(cmd.CommandPath(), "racecard "))
		p, _, err := e.planWork(cmd.Context(), append(append(words, args[0], "--out", folder), givenFlags(cmd)...))
		if err != nil {
			return err
		}
		if err := work.Create(folder, p); err != nil {
			return err
		}
		if err := e.submit(cmd.Context(), folder); err != nil {
			return err
		}
		s, err := work.Survey(folder, p)
		if err != nil {
			return err
		}
		if left := s.Units - s.Done; left > 0 {
			return fmt.Errorf("%d of %d units are not done; `racecard work status %s` says more", left, s.Units, folder)
		}
		return e.mergeUnits(cmd.Context(), folder, p, out)
	}
}

// givenFlags are the flags of a command that were given, but for those that say where it runs and where its results go.
func givenFlags(cmd *cobra.Command) []string {
	var all []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "engine", "work", "out", "json", "quiet":
			return
		}
		value := f.Value.String()
		if f.Value.Type() == "stringSlice" {
			value = strings.TrimSuffix(strings.TrimPrefix(value, "["), "]")
		}
		all = append(all, "--"+f.Name+"="+value)
	})
	return all
}

// submit has Spark run the units of a plan.
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
	f, err := publish.BeginFile(script)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Abort()) }()
	if err := f.Write("driver", driver); err != nil {
		return err
	}
	if err := f.PublishFile("driver"); err != nil {
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
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil // what is not done is said
	}
	return err
}

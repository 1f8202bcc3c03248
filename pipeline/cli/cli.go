// Package cli is the command line: one file per command, each a thin function from flags to a call of the pipeline.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"racecard/datasets/fault"
	"racecard/datasets/lists"
	"racecard/datasets/publish"
	"racecard/datasets/words"
	"racecard/pipeline/internal/ingest"
)

// Exit statuses, as every command uses them.
const (
	ExitDone     = 0
	ExitFailed   = 1
	ExitUsage    = 2
	ExitRejected = 3
	ExitRefused  = 4
	// ExitSignal plus its number is the status of a command that a signal stopped: 130 for SIGINT, 143 for SIGTERM.
	ExitSignal = 128
)

// env is shared by commands: the outputs and the global flags.
type env struct {
	stdin          io.Reader
	stdout, stderr *screen
	json           bool
	quiet          bool
	logsJSON       bool      // messages are objects of JSON, one per line
	runs           runFilter // the runs of a store that the command reads
	resolved       bool      // flags are given whole: the environment and the configuration state none
	runner         *runner   // of a divided command, in place of this process; nil for none
	alone          bool      // the process runs nothing but this command
}

// usageError marks an error in the use of a command.
type usageError struct{ error }

// asFlag replaces the option name at the start of a model's usage error by the flag of that name.
func asFlag(flags *pflag.FlagSet, err error) error {
	if !errors.As(err, new(usageError)) {
		return err
	}
	name, _, _ := strings.Cut(err.Error(), " ")
	if flags.Lookup(strings.TrimSuffix(name, ":")) == nil {
		return err
	}
	return usageError{fmt.Errorf("--%w", err)}
}

// refusedError marks a refusal: an answer, not a failure.
type refusedError struct{ error }

// stoppedError is the cause of a context that a signal ended.
type stoppedError struct{ signal syscall.Signal }

// Is reports that commands which return the cause of a context were cancelled.
func (s stoppedError) Is(target error) bool { return target == context.Canceled } //nolint:errorlint // the error itself

// Error names the signal.
func (s stoppedError) Error() string {
	return "interrupted by " + map[syscall.Signal]string{syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM"}[s.signal]
}

// sameStop is the time after the first signal in which others are of the same stop: a terminal, systemd and Slurm
// signal all processes of a job, and racecard run passes the signal on to its steps, which then get it twice.
const sameStop = time.Second

// Main runs racecard with arguments and returns its exit status. On SIGINT and SIGTERM it stops, and removes
// unfinished output; downloads are kept to be resumed. Another such signal, a second later or more, ends the process at
// once: unfinished output may stay, as after SIGKILL, and is taken for none.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		defer fault.Trap()
		select {
		case s := <-signals:
			cancel(stoppedError{s.(syscall.Signal)})
			time.Sleep(sameStop)
			signal.Stop(signals)
		case <-ctx.Done():
			signal.Stop(signals)
		}
	}()
	return (&env{alone: true}).command(ctx, args, stdout, stderr)
}

// Run is Main for a process that does other things, too: it stops when ctx is done, takes no signals, and does not
// change what memory the process may take.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) (status int) {
	return (&env{}).command(ctx, args, stdout, stderr)
}

// command runs a command with its own outputs.
func (e *env) command(ctx context.Context, args []string, stdout, stderr io.Writer) (status int) {
	e.stdin, e.stdout, e.stderr = os.Stdin, newScreen(stdout), newScreen(stderr)
	defer func() {
		if p := recover(); p != nil {
			fault.Report(e.stderr, p)
			status = ExitFailed
		}
	}()
	cmd, err := execute(ctx, e, args)
	if lost := e.stdout.close(); lost != nil && (err == nil || errors.As(err, new(refusedError))) {
		err = fmt.Errorf("standard output: %w: the output is not complete", cause(lost))
	}
	if err == nil {
		return ExitDone
	}
	if isUsage(err) && !errors.As(err, new(usageError)) {
		err = usageError{fmt.Errorf("%w; see `%s --help`", err, cmd.CommandPath())}
	}
	var suspended *ingest.SuspendedError
	var stream *ingest.StreamInterruptedError
	var resumable resumableError
	stopped := ctx.Err() != nil && errors.Is(err, context.Canceled)
	switch {
	case errors.As(err, &suspended):
		err = suspended
	case errors.As(err, &stream):
		err = stream
	case errors.As(err, &resumable) && stopped:
		err = fmt.Errorf("interrupted; %sthe same command goes on where it stopped", resumable.kept)
	case stopped:
		err = errors.New("interrupted; unfinished output has been removed")
	}
	if text := strings.TrimSpace(plainWords(err.Error())); e.logsJSON {
		e.log(map[string]any{"error": text})
	} else {
		e.stderr.printf("racecard: ")
		fmt.Fprintln(e.stderr, strings.ReplaceAll(text, "\n", "\n  "))
	}
	var by stoppedError
	switch {
	case stopped && errors.As(context.Cause(ctx), &by):
		return ExitSignal + int(by.signal)
	case errors.As(err, new(usageError)):
		return ExitUsage
	case errors.As(err, new(*ingest.RejectedError)), errors.As(err, new(*ingest.ShrankError)):
		return ExitRejected
	case errors.As(err, new(refusedError)):
		return ExitRefused
	default:
		return ExitFailed
	}
}

// readings bounds how often a command is tried again because the folder that it reads was replaced.
const readings = 10

// execute runs a command, and runs it again when a folder that it reads was replaced meanwhile. Commands print only
// after they have read.
func execute(ctx context.Context, e *env, args []string) (cmd *cobra.Command, err error) {
	for range readings {
		root := newRoot(e)
		root.SetArgs(args)
		root.SetOut(e.stdout)
		root.SetErr(e.stderr)
		cmd, err = root.ExecuteContextC(ctx)
		if !isReplaced(err) || ctx.Err() != nil {
			break
		}
	}
	return cmd, err
}

// isReplaced reports whether a folder was replaced while it was read.
func isReplaced(err error) bool {
	return errors.As(err, new(*publish.ReplacedError))
}

// isUsage recognises cobra's own complaints, which have no type.
func isUsage(err error) bool {
	return slices.ContainsFunc([]string{"unknown command", "required flag(s)"}, func(prefix string) bool {
		return strings.HasPrefix(err.Error(), prefix)
	})
}

// cause returns the reason of a file error without the name of the file.
func cause(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:          "racecard",
		Short:        "Reads the traces of data-parallel clusters and says how jobs behave",
		SilenceUsage: true, SilenceErrors: true,
		Version: version(),
	}
	root.SetVersionTemplate("racecard {{.Version}} (" + platform() + ")\n")
	addTemplateFuncs()
	root.SetUsageTemplate(wrappedUsage(root.UsageTemplate(), e.stdout.width()))
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		return usageError{fmt.Errorf("%w; see `%s --help`", plainFlagError(err, known), cmd.CommandPath())}
	})
	root.PersistentFlags().BoolVar(&e.json, "json", false, "print one JSON document on standard output and nothing "+
		"else there")
	root.PersistentFlags().BoolVarP(&e.quiet, "quiet", "q", false, "show no progress")
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Traces in", []*cobra.Command{demoCommand(e), formatsCommand(e), fetchCommand(e), generateCommand(e),
			importCommand(e), inspectCommand(e)}},
		{"What traces say, and why", []*cobra.Command{analyzeCommand(e), compareCommand(e), explainCommand(e),
			wasteCommand(e), deskCommand(e), reportCommand(e)}},
		{"Predictions and replays", []*cobra.Command{fitCommand(e), backtestCommand(e), forecastCommand(e),
			planCommand(e), whatIfCommand(e), simulateCommand(e)}},
		{"Live schedulers", []*cobra.Command{tableCommand(e), serveCommand(e), steerCommand(e), refreshCommand(e),
			sparkPluginCommand(e)}},
		{"Every night, and beyond one machine", []*cobra.Command{initCommand(e), runCommand(e), checkCommand(e),
			workCommand(e), provenanceCommand(e), gcCommand(e), uniteCommand(e), schemaCommand(e)}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, command := range group.commands {
			command.GroupID = group.title
			root.AddCommand(command)
		}
	}
	group(root, versionCommand(e))
	e.divide(root)
	root.CompletionOptions.HiddenDefaultCmd = false
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if strings.HasPrefix(cmd.Name(), "__complete") {
			completions(root)
			return gate(cmd, args)
		}
		workGiven := cmd.Flags().Changed("work")
		if err := e.defaults(cmd); err != nil {
			return err
		}
		if err := idleWork(cmd, workGiven); err != nil {
			return err
		}
		return gate(cmd, args)
	}
	addHelp(root, e.stdout.width())
	return root
}

// group adds subcommands to a command that shows its help when none is named.
func group(cmd *cobra.Command, of ...*cobra.Command) *cobra.Command {
	cmd.Args, cmd.RunE = commandsOnly, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(of...)
	return cmd
}

// commandsOnly refuses arguments of a command that only has subcommands, and suggests the nearest one.
func commandsOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	known := lists.Map(cmd.Commands(), func(c *cobra.Command) string { return c.Name() })
	return usageError{fmt.Errorf("unknown command %q%s; see `%s --help`", args[0], meant(args[0], known),
		cmd.CommandPath())}
}

// exactly and atLeastOne are cobra's argument checks as usage errors that name the expected arguments.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{fmt.Errorf("%s wants %s, got %s; see `%s --help`", cmd.Name(), what,
				words.Of(len(args), "argument", "arguments"), cmd.CommandPath())}
		}
		return nil
	}
}

func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError{fmt.Errorf("%s wants %s; see `%s --help`", cmd.Name(), what, cmd.CommandPath())}
		}
		return nil
	}
}

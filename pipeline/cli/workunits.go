package cli

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/plainfile"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/tablefile"
	"racecard/datasets/words"
	"racecard/pipeline/internal/ingest"
	"racecard/pipeline/internal/local"
	"racecard/pipeline/internal/stage"
	"racecard/pipeline/internal/work"
)

// runner takes the place of the local steps of a divided command.
type runner struct {
	analyze     func(ctx context.Context, s *store.Store, analyses []stage.Analysis) ([]result.Document, error)
	importFiles func(ctx context.Context, e *env, paths []string, out string, o ingest.Options) error
	flagsOnly   bool // the command ends once it has read its flags
}

// errPlanned ends a command once its runner has the plan.
var errPlanned = errors.New("there are no results yet")

// sub runs a command with the arguments of a plan inside this one, silently, with a given runner.
func (e *env) sub(ctx context.Context, r *runner, command []string, args ...string) error {
	inner := &env{stdin: strings.NewReader(""), stdout: newScreen(io.Discard), stderr: newScreen(io.Discard),
		quiet: true, resolved: true, runner: r}
	root := newRoot(inner)
	root.SetArgs(append(slices.Clone(command), args...))
	root.SetOut(inner.stdout)
	root.SetErr(inner.stderr)
	if err := root.ExecuteContext(ctx); !errors.Is(err, errPlanned) {
		return err
	}
	return nil
}

// flagsRead is called by divided commands that have checked their flags, and not yet read their input. Its error ends a
// command that was to do no more.
func (e *env) flagsRead() error {
	if e.runner != nil && e.runner.flagsOnly {
		return errPlanned
	}
	return nil
}

// checkFlags refuses flags that the command of a plan would refuse in each of its units.
func (e *env) checkFlags(ctx context.Context, p *work.Plan, args []string) error {
	return e.sub(ctx, &runner{flagsOnly: true}, p.Command, slices.Concat([]string{"--out=x"}, p.Args, args)...)
}

// partials returns a runner that adds the partial results of a unit's partitions to an output.
func partials(p *work.Plan, o *work.Output) *runner {
	return &runner{analyze: func(ctx context.Context, s *store.Store, analyses []stage.Analysis) ([]result.Document,
		error) {
		if err := sameStore(p, s); err != nil {
			return nil, err
		}
		plan := local.NewPlan(s, analyses)
		for part := o.Unit.From; part < o.Unit.To; part++ {
			partials, err := plan.Partition(ctx, part)
			if err != nil {
				return nil, err
			}
			files, err := work.Partials(part, lists.Map(partials, stage.State))
			if err != nil {
				return nil, err
			}
			o.Files = append(o.Files, files...)
		}
		return nil, errPlanned
	}}
}

// sameStore returns an error if the store of a plan has changed.
func sameStore(p *work.Plan, s *store.Store) error {
	if s.Manifest().Checksum != p.Input {
		return errors.New("the store changed since the work was planned: plan it again")
	}
	return nil
}

// merged returns a runner that merges the partial results of all units, in the order of partitions.
func merged(p *work.Plan, dir string) *runner {
	return &runner{analyze: func(ctx context.Context, s *store.Store, analyses []stage.Analysis) ([]result.Document,
		error) {
		if err := sameStore(p, s); err != nil {
			return nil, err
		}
		plan := local.NewPlan(s, analyses)
		merged := plan.Fresh()
		for _, u := range p.Units {
			o, err := work.Get(dir, u)
			if err != nil {
				return nil, err
			}
			for part := u.From; part < u.To; part++ {
				partials := plan.Fresh()
				if err := work.ReadPartials(o, part, lists.Map(partials, stage.State)); err != nil {
					return nil, err
				}
				for i := range merged {
					merged[i].Merge(partials[i])
				}
			}
		}
		return plan.Finish(ctx, merged)
	}}
}

// planFlags are the flags of work plan itself.
type planFlags struct {
	out    string
	batch  int // of parts or files in a unit; 0 is the default of the command
	seeds  string
	settle []setting
}

// setting is an option with the values that a sweep gives it.
type setting struct {
	name   string
	values []string
}

func workPlanCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:                "plan COMMAND INPUT... --out WORK",
		Short:              "Divide a command into units",
		DisableFlagParsing: true, // the options are those of COMMAND
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || slices.Contains(args, "--help") || slices.Contains(args, "-h") {
				return cmd.Help()
			}
			args = slices.DeleteFunc(args, func(a string) bool {
				e.json = e.json || a == "--json"
				return a == "--json"
			})
			p, o, err := e.planWork(cmd.Context(), args)
			if err != nil {
				return err
			}
			if err := work.Create(o.out, p); err != nil {
				return err
			}
			e.printf("%s: %s\nnext: racecard work do %s\n", o.out, words.Of(len(p.Units), "unit", "units"), o.out)
			if e.json {
				return e.printPlain(p)
			}
			return nil
		},
	}
}

// maxUnits bounds a plan.
const maxUnits = 1_000_000

// planWork divides a command.
func (e *env) planWork(ctx context.Context, args []string) (*work.Plan, *planFlags, error) {
	n := 1
	if args[0] == "table" || args[0] == "simulate" {
		n = 2
	}
	command := args[:min(n, len(args))]
	inputs, options := leading(args[len(command):])
	fewest, most := 1, 1
	switch strings.Join(command, " ") {
	case "import", "simulate eagle", "simulate carbyne":
		most = maxUnits
	case "simulate jockey":
		fewest = 0
	}
	if len(inputs) < fewest || len(inputs) > most {
		return nil, nil, usageError{errors.New("work plan wants a command and its input, before any options; see " +
			"`racecard work plan --help`")}
	}
	o, rest, err := splitPlanFlags(options)
	if err != nil {
		return nil, nil, usageError{err}
	}
	if rest, err = e.canonicalFlags(command, rest); err != nil {
		return nil, nil, err
	}
	if rest, err = o.takeSweep(rest); err != nil {
		return nil, nil, usageError{err}
	}
	if o.batch > 0 && command[0] != "import" && command[0] != "analyze" {
		return nil, nil, usageError{fmt.Errorf("--batch is for import and analyze: %s has one size of units",
			strings.Join(command, " "))}
	}
	if inputs = slices.Clone(inputs); command[0] != "import" { // whose messages quote paths as they are given
		for i := range inputs {
			if inputs[i], err = publish.Abs(inputs[i]); err != nil {
				return nil, nil, err
			}
		}
	}
	_, build, err := thisProgram()
	if err != nil {
		return nil, nil, err
	}
	p := &work.Plan{Version: 1, Racecard: version(), Build: build, Command: command, Args: slices.Concat(inputs, rest)}
	switch strings.Join(command, " ") {
	case "import":
		err = e.planImport(ctx, p, o)
	case "analyze":
		err = e.planAnalyze(ctx, p, o)
	case "table build":
		err = e.planTables(ctx, p, inputs[0])
	case "simulate eagle", "simulate carbyne", "simulate jockey":
		err = e.planSweep(ctx, p, o)
	default:
		err = usageError{fmt.Errorf("work plan: %s is none of %s", strings.Join(command, " "), divisibleCommands)}
	}
	p.Identify()
	return p, o, err
}

// splitPlanFlags takes the flags of work plan out of arguments.
func splitPlanFlags(args []string) (*planFlags, []string, error) {
	o := &planFlags{}
	var rest []string
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		if !slices.Contains([]string{"--out", "-o", "--batch"}, name) {
			rest = append(rest, args[i])
			continue
		}
		if !joined {
			if i++; i == len(args) {
				return nil, nil, fmt.Errorf("%s wants a value", name)
			}
			value = args[i]
		}
		var err error
		switch name {
		case "--out", "-o":
			o.out = value
		case "--batch":
			var x float64
			x, err = whole(1, maxUnits).Parse(value)
			o.batch = int(x)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s %s: %w", name, value, err)
		}
	}
	if o.out == "" {
		return nil, nil, errors.New("work plan wants --out, a folder for the work")
	}
	return o, rest, nil
}

// takeSweep takes the seeds and settings of a sweep out of the flags of its command.
func (o *planFlags) takeSweep(flags []string) (rest []string, err error) {
	for _, flag := range flags {
		name, value, _ := strings.Cut(flag, "=")
		switch name {
		case "--seeds":
			o.seeds = value
		case "--vary":
			option, values, ok := strings.Cut(value, "=")
			if !ok || values == "" {
				return nil, fmt.Errorf("--vary %s: want OPTION=VALUE,VALUE, such as load=80%%,90%%", value)
			}
			o.settle = append(o.settle, setting{option, strings.Split(values, ",")})
		default:
			rest = append(rest, flag)
		}
	}
	return rest, nil
}

func (e *env) planAnalyze(ctx context.Context, p *work.Plan, o *planFlags) error {
	parts := 0
	count := func(_ context.Context, s *store.Store, _ []stage.Analysis) ([]result.Document, error) {
		parts, p.Input = s.Parts(), s.Manifest().Checksum
		return nil, errPlanned
	}
	if err := e.sub(ctx, &runner{analyze: count}, p.Command, p.Args...); err != nil {
		return err
	}
	batch := max(1, o.batch)
	for from := 0; from < parts; from += batch {
		to := min(from+batch, parts)
		p.Units = append(p.Units, work.Unit{Label: fmt.Sprintf("parts %d to %d", from, to-1), From: from, To: to})
	}
	return nil
}

func (e *env) planTables(ctx context.Context, p *work.Plan, models string) error {
	if err := e.checkFlags(ctx, p, nil); err != nil {
		return err
	}
	_, entries, _, err := modelEntries(models, optionOf(p.Args, "job"))
	if err != nil {
		return err
	}
	for _, m := range entries {
		p.Units = append(p.Units, work.Unit{Label: m.Job, Args: []string{"--job=" + m.Job}})
	}
	p.Input, err = e.identity(p.Args)
	return err
}

// optionOf returns the value of an option in canonical arguments, "" for none.
func optionOf(args []string, option string) string {
	for _, a := range args {
		if value, ok := strings.CutPrefix(a, "--"+option+"="); ok {
			return value
		}
	}
	return ""
}

// identity is a checksum of the inputs of a command: the paths before its options. For a store or a folder of models,
// the index with the checksums of all files suffices; trace files are read.
func (e *env) identity(args []string) (string, error) {
	inputs, _ := leading(args)
	all := sha256.New()
	for _, input := range inputs {
		if _, err := publish.Stat(publish.Join(input, store.ManifestName)); err == nil {
			s, err := e.openStore(input)
			if err != nil {
				return "", err
			}
			fmt.Fprintln(all, s.Manifest().Checksum)
			continue
		}
		if _, err := publish.Stat(publish.Join(input, modelfile.IndexFile)); err == nil {
			index, _, _, err := modelEntries(input, "")
			if err != nil {
				return "", err
			}
			if err := json.NewEncoder(all).Encode(index); err != nil {
				return "", err
			}
			continue
		}
		if publish.Remote(input) {
			return "", usageError{fmt.Errorf("%s is no store and no models: units that read files want them on a "+
				"file system, or imported once", publish.Shown(input))}
		}
		if err := addFiles(all, input); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", all.Sum(nil)), nil
}

// addFiles adds the names and bytes of a file, or of all files of a folder, to a checksum.
func addFiles(to io.Writer, path string) error {
	return plainfile.Walk(path, func(name, below string, info fs.FileInfo) error {
		fmt.Fprintf(to, "%q %d\n", below, info.Size())
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(to, f)
		return errors.Join(err, f.Close())
	})
}

// same returns an error if the inputs of a plan's units have changed.
func (e *env) same(p *work.Plan) error {
	now, err := e.identity(p.Args)
	if err == nil && now != p.Input {
		err = errors.New("the input changed since the work was planned: plan it again")
	}
	return err
}

// canonicalFlags returns flags of a command in one form, in the order of their names, with those that the environment
// and the configuration state: units run elsewhere. A wrong one is an error.
func (e *env) canonicalFlags(command, args []string) ([]string, error) {
	cmd, _, err := newRoot(&env{stdout: newScreen(io.Discard), stderr: newScreen(io.Discard)}).Find(command)
	if err != nil || cmd.HasSubCommands() {
		return nil, usageError{fmt.Errorf("work plan: %s is none of %s", strings.Join(command, " "), divisibleCommands)}
	}
	if err := cmd.ParseFlags(args); err != nil {
		return nil, cmd.FlagErrorFunc()(cmd, err)
	}
	if left := cmd.Flags().Args(); len(left) > 0 {
		return nil, usageError{fmt.Errorf("work plan: %s comes after options: want the input before them", left[0])}
	}
	if err := e.defaults(cmd); err != nil {
		return nil, err
	}
	return givenFlags(cmd), nil
}

// divisibleCommands names the commands that are divided.
const divisibleCommands = "import, analyze, table build, simulate eagle, simulate carbyne, simulate jockey"

// mergeUnits writes the result of a plan whose units are done.
func (e *env) mergeUnits(ctx context.Context, dir string, p *work.Plan, out string) error {
	var err error
	switch p.Command[0] {
	case "import":
		err = e.sub(ctx, united(p, dir, e), p.Command, append([]string{"--out=" + out}, p.Args...)...)
	case "analyze":
		err = e.sub(ctx, merged(p, dir), p.Command, append([]string{"--out=" + out}, p.Args...)...)
	case "table":
		err = e.mergeTables(dir, p, out)
	default:
		err = e.mergeSweep(dir, p, out)
	}
	if err != nil {
		return work.Discard(err)
	}
	e.printf("%s: %s merged\n", out, words.Of(len(p.Units), "unit", "units"))
	return e.printJSON(mergedWork{out, len(p.Units)})
}

// mergeTables unites the tables of all units.
func (e *env) mergeTables(dir string, p *work.Plan, out string) (err error) {
	folder, err := publish.Begin(out, tablefile.FolderKind())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Abort()) }()
	all := tablefile.Index{Racecard: version(), Models: publish.Name(p.Args[0])}
	if optionOf(p.Args, "job") == "" {
		if fsys, err := publish.Open(p.Args[0]); err == nil {
			all.ModelsSHA256 = modelsSum(fsys)
		}
	}
	for _, u := range p.Units {
		o, err := work.Get(dir, u)
		if err != nil {
			return err
		}
		for _, f := range o.Files {
			if f.Name != tablefile.IndexFile {
				if err := folder.Write(f.Name, f.Data); err != nil {
					return err
				}
				continue
			}
			var one tablefile.Index
			if err := json.Unmarshal(f.Data, &one); err != nil {
				return fmt.Errorf("unit %s: %w", u.ID, err)
			}
			all.Tables = append(all.Tables, one.Tables...)
		}
	}
	return e.publishTables(folder, out, all)
}

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"racecard/datasets/lists"
	"racecard/datasets/plainfile"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/pipeline/internal/recipe"
	"racecard/pipeline/internal/run"
	"racecard/pipeline/internal/spans"
)

// runFlags are the flags of run and gc.
type runFlags struct {
	date         string
	force        []string
	dry, explain bool
	schema       bool
	format       string
	jobs         int
	engine       engineFlags
	keep         int
	recipe       *recipe.Recipe
	name         string
}

func runCommand(e *env) *cobra.Command {
	var o runFlags
	cmd := &cobra.Command{
		Use:   "run RECIPE",
		Short: "Run the stale steps of a racecard.yaml",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.schema {
				e.json = true
				return e.printPlain(recipe.Schema(kinds()))
			}
			e.logsJSON = o.format == "json"
			if err := o.read(args); err != nil {
				return err
			}
			if o.jobs > 0 {
				o.recipe.Jobs = o.jobs
			}
			if o.engine.engine != "local" && o.engine.folder == "" {
				return usageError{errors.New("--engine wants --work, a folder that all machines share; OUT must be " +
					"shared, too")}
			}
			for _, name := range o.force {
				if len(o.recipe.Named(name)) == 0 {
					known := lists.Map(o.recipe.Steps, func(s *recipe.Step) string { return s.Name })
					return usageError{fmt.Errorf("--force: there is no step %q%s", name, meant(name, known))}
				}
			}
			options, err := o.options()
			if err != nil {
				return err
			}
			if o.dry {
				all, err := run.Plan(o.recipe, options)
				if err != nil {
					return err
				}
				return e.planned(all, o.explain)
			}
			return e.run(cmd.Context(), &o, options)
		},
	}
	f := cmd.Flags()
	recipeFlags(cmd, &o)
	f.BoolVar(&o.dry, "dry-run", false, "show the steps that would run, and do nothing")
	f.BoolVar(&o.explain, "explain", false, "show why each step runs")
	checked(f, new(string), "force", "steps", func(text string) error {
		o.force = append(o.force, strings.Split(text, ",")...)
		return nil // the recipe lists the words
	}, "steps to take although their results are there, such as report or web/report")
	choice(f, &o.format, "log-format", []string{"text", "json"}, "messages as text, or as one JSON object per line")
	number(f, &o.jobs, "jobs", whole(1, 64), "steps at once; as the recipe says when left out")
	o.engine.flags(f)
	f.BoolVar(&o.schema, "schema", false, "print the JSON Schema of recipes, for editors")
	o.format = "text"
	return cmd
}

// recipeFlags declares the flags that affect the meaning of a recipe.
func recipeFlags(cmd *cobra.Command, o *runFlags) {
	parsedBy(cmd.Flags(), &o.date, "date", "date", parseDate,
		"day that {{ today }} stands for; the local one when left out")
}

// maxRecipe bounds the bytes of a recipe.
const maxRecipe = 16 << 20

// read reads the recipe.
func (o *runFlags) read(args []string) error {
	if len(args) != 1 {
		return usageError{errors.New("run wants one recipe, such as racecard.yaml; `racecard init TRACE` writes one")}
	}
	today := time.Now()
	if o.date != "" {
		today, _ = parseDate(o.date) // the flag is checked
	}
	text, err := plainfile.ReadFile(args[0], maxRecipe)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no %s; `racecard init TRACE` writes one", args[0])
	}
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(filepath.Dir(args[0]))
	if err != nil {
		return err
	}
	o.name = filepath.Base(args[0])
	o.recipe, err = recipe.Parse(text, args[0], dir, recipe.Context{
		Kinds: kinds(), Words: recipe.Words{Today: today, Env: os.LookupEnv}, Nearest: closest, Reach: inRecipe,
	})
	if err != nil {
		return usageError{err}
	}
	return nil
}

// options returns the options of a run of this program.
func (o *runFlags) options() (run.Options, error) {
	program, build, err := thisProgram()
	if err != nil {
		return run.Options{}, err
	}
	units := o.engine.folder
	if units != "" {
		if units, err = publish.Abs(units); err != nil {
			return run.Options{}, err
		}
	}
	return run.Options{Engine: o.engine.engine, Units: units, Program: program, Build: build, Version: version(),
		Recipe: o.name, Holder: holder("racecard run " + o.name), Force: o.force, Now: time.Now()}, nil
}

// holder describes this process for others that wait for the lock.
func holder(command string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	return fmt.Sprintf("process %d on %s, `%s`, since %s", os.Getpid(), host, command,
		time.Now().UTC().Format("2006-01-02 15:04:05 UTC"))
}

// run takes the steps of a recipe and reports their outcomes.
func (e *env) run(ctx context.Context, o *runFlags, options run.Options) error {
	board := e.board(o)
	options.Notify = board.notify
	record, err := run.Run(ctx, o.recipe, options)
	board.erase()
	if ctx.Err() != nil && record != nil {
		done := stepsIn(record, run.Done, run.Cached, run.Refused)
		return resumableError{errors.Join(ctx.Err(), err), fmt.Sprintf("%s of %s are done; ", words.Count(len(done)),
			words.Of(len(record.Steps), "step", "steps"))}
	}
	if err != nil { // such as a full disk
		e.tell(ctx, o.recipe, &run.Record{Racecard: options.Version, Recipe: options.Recipe,
			Started: options.Now.UTC(), Seconds: time.Since(options.Now).Seconds(), Steps: []*run.Result{},
			Error: err.Error()})
		return err
	}
	if err := e.printJSON(record); err != nil {
		return err
	}
	e.summary(o, record)
	if err := spans.Send(ctx, os.Getenv, record, webhookPatience); err != nil {
		e.say("the spans of the run did not reach the collector of OpenTelemetry: %v", err)
	}
	failed, refused := stepsIn(record, run.Failed), stepsIn(record, run.Refused)
	if len(failed)+len(refused) > 0 {
		e.tell(ctx, o.recipe, record)
	}
	switch {
	case len(failed) > 0:
		return fmt.Errorf("%s failed: %s", words.Of(len(failed), "step", "steps"), words.Printable(words.List(failed)))
	case len(refused) > 0:
		return refusedError{fmt.Errorf("%s refused: %s", words.Of(len(refused), "step", "steps"),
			words.Printable(words.List(refused)))}
	}
	return nil
}

// stepsIn names the steps of a run that are in one of some states.
func stepsIn(r *run.Record, states ...run.State) []string {
	var all []string
	for _, s := range r.Steps {
		if slices.Contains(states, s.State) {
			all = append(all, s.Step)
		}
	}
	return all
}

// Timeouts of notifications of a failure. A command may send mail over a slow relay.
const (
	webhookPatience = 10 * time.Second
	commandPatience = time.Minute
)

// tell notifies the addresses in the recipe of a failed run, or says that it could not.
func (e *env) tell(ctx context.Context, r *recipe.Recipe, record *run.Record) {
	if err := tell(ctx, r, record); err != nil {
		for line := range strings.Lines(err.Error()) {
			e.say("the notification about the failure was not sent: %s", strings.TrimSpace(line))
		}
	}
}

func tell(ctx context.Context, r *recipe.Recipe, record *run.Record) error {
	short := *record
	short.Steps = []*run.Result{}
	for _, s := range record.Steps {
		one := *s
		one.Key = nil
		short.Steps = append(short.Steps, &one)
	}
	text, err := json.Marshal(result.Versioned(&short))
	if err != nil {
		return err
	}
	var errs []error
	if address := r.OnFailure.Webhook; address != "" {
		errs = append(errs, within(ctx, webhookPatience, func(ctx context.Context) error {
			return post(ctx, address, text)
		}))
	}
	if command := r.OnFailure.Command; len(command) > 0 {
		errs = append(errs, within(ctx, commandPatience, func(ctx context.Context) error {
			cmd := exec.CommandContext(ctx, command[0], command[1:]...)
			cmd.Dir, cmd.Stdin, cmd.WaitDelay = r.Dir, bytes.NewReader(text), time.Second
			said, err := cmd.CombinedOutput()
			if err == nil {
				return nil
			}
			why := words.Shorten(strings.TrimSpace(string(said)), longName)
			return errors.New(strings.TrimSuffix(fmt.Sprintf("%s: %v: %s", command[0], err, why), ": "))
		}))
	}
	return errors.Join(errs...)
}

// within calls f with a context that ends after some time.
func within(ctx context.Context, patience time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return f(ctx)
}

func post(ctx context.Context, address string, text []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(text))
	if err != nil {
		return errors.New("the webhook is no address") // which may hold a secret
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("the webhook at %s does not answer", request.URL.Host)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return fmt.Errorf("the webhook at %s answers %s", request.URL.Host, response.Status)
	}
	return nil
}

func gcCommand(e *env) *cobra.Command {
	var o runFlags
	dry := false
	cmd := &cobra.Command{
		Use:   "gc RECIPE",
		Short: "Remove the results of old runs",
		Args:  exactly(1, "one recipe"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.read(args); err != nil {
				return err
			}
			if o.keep == 0 {
				o.keep = o.recipe.Keep
			}
			gone, err := run.Collect(outOf(o.recipe), o.keep, holder("racecard gc "+o.name), dry)
			if err != nil {
				return err
			}
			size := words.Bytes(gone.Bytes)
			if dry {
				e.printf("would remove %s and %s, and free %s\n", words.Of(len(gone.Runs), "run", "runs"),
					words.Of(gone.Results, "result", "results"), size)
			} else {
				e.printf("freed %s\n", size)
			}
			return e.printJSON(collected{gone.Bytes, gone.Runs, gone.Results, dry})
		},
	}
	recipeFlags(cmd, &o)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "show what would be removed, and do nothing")
	number(cmd.Flags(), &o.keep, "keep", whole(1, 100_000), "runs to keep; as the recipe says when left out")
	return cmd
}

// outOf returns the folder of a recipe's results.
func outOf(r *recipe.Recipe) string {
	if filepath.IsAbs(r.Out) {
		return r.Out
	}
	return filepath.Join(r.Dir, r.Out)
}

// planned lists the steps that a run would take.
func (e *env) planned(all []*run.Result, explain bool) error {
	head := []string{"STEP", "STATE", "WHY"}
	var rows [][]string
	stale := 0
	for _, r := range all {
		what := "would run"
		switch r.State {
		case run.Cached:
			what = "is up to date"
		case run.Failed:
			what = "would fail"
		case run.Skipped:
			what = "would be skipped"
		default:
			stale++
		}
		if explain || r.State != run.Cached {
			rows = append(rows, []string{r.Step, what,
				strings.TrimSuffix(strings.Join(append(slices.Clone(r.Why), r.Error), "; "), "; ")})
		}
	}
	if len(rows) > 0 {
		e.rows(head, rows)
	}
	e.printf("%s of %s would run\n", words.Count(stale), words.Of(len(all), "step", "steps"))
	return e.printJSON(all)
}

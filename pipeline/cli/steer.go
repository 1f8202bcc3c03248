package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"racecard/datasets/plainfile"
	"racecard/datasets/publish"
	"racecard/datasets/remaining"
	"racecard/datasets/words"
	"racecard/models/deadlines/jockey"
	"racecard/pipeline/internal/serve"
	"racecard/pipeline/live"
	"racecard/reports/page"
)

func steerCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "steer",
		Short: "Runs that `racecard serve` steered: show one, or replay it with another policy",
	}
	return group(cmd, steerShowCommand(e), steerReplayCommand(e))
}

func steerShowCommand(e *env) *cobra.Command {
	var app, out string
	cmd := &cobra.Command{
		Use:   "show LOG",
		Short: "Show one run: deadline, progress, predictions, executors and decisions",
		Args:  exactly(1, "one journal"),
		RunE: func(_ *cobra.Command, args []string) error {
			run, err := e.journaled(args[0], app)
			if err != nil {
				return err
			}
			return e.showSteered(run, filepath.Base(args[0]), out)
		},
	}
	cmd.Flags().StringVar(&app, "app", "", "application; the one seen last when left out")
	cmd.Flags().StringVarP(&out, "out", "o", "", "folder to write a page to")
	return cmd
}

// journaled reads a run of a journal, the last one for no name.
func (e *env) journaled(path, app string) (*serve.Journaled, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s; want a journal, which `racecard serve --journal` writes", path)
	}
	if err == nil {
		err = plainfile.Check(info, path, math.MaxInt64)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	older, err := olderJournal(path, f)
	if err != nil {
		return nil, err
	}
	lines := io.Reader(f)
	if older != nil {
		defer older.Close()
		lines = io.MultiReader(older, strings.NewReader("\n"), f)
	}
	runs, broken, err := serve.ReadRuns(lines)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if broken > 0 {
		fmt.Fprintf(e.stderr, "warning: %s: %s left out\n", path,
			words.Of(broken, "line that is no decision is", "lines that are no decisions are"))
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("%s: no decisions; `racecard serve TABLES --journal FILE` writes them", path)
	}
	seen := map[string]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		if app == "" || runs[i].App == app {
			return runs[i], nil
		}
		seen[runs[i].App] = 1
	}
	return nil, fmt.Errorf("%s: no run %q%s", path, app, nearest(app, seen))
}

// olderJournal opens the journal from before an open one began anew; nil where there is none. The open one may have
// stepped aside meanwhile: then it is the older one.
func olderJournal(path string, open *os.File) (*os.File, error) {
	f, err := os.Open(publish.OlderLog(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // it has never begun anew
	}
	if err != nil {
		return nil, err
	}
	older, err := f.Stat()
	if err == nil {
		err = plainfile.Check(older, f.Name(), math.MaxInt64)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if newer, err := open.Stat(); err != nil || os.SameFile(older, newer) {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (e *env) showSteered(run *serve.Journaled, journal, out string) error {
	s := run.Steered(journal)
	if out != "" {
		dir, err := publish.Begin(out, reportKind())
		if err != nil {
			return err
		}
		if err := errors.Join(page.WriteSteered(dir.Write, s)); err != nil {
			return errors.Join(err, dir.Abort())
		}
		if err := dir.Publish(nil); err != nil {
			return errors.Join(err, dir.Abort())
		}
	}
	e.printf("%s of job %s: %s, deadline %s, last decision after %s", words.Printable(s.App), words.Printable(s.Job),
		words.Of(len(s.Steps), "decision", "decisions"), words.Seconds(s.DeadlineS), words.Seconds(s.LastS))
	e.printf("; %s lost\n", words.Of(s.Lost, "executor", "executors"))
	if s.Cut {
		e.printf("decisions before the first are no longer in the journal\n")
	}
	head := []string{"AFTER", "PROGRESS", "ENDS AFTER", "RISK", "HELD", "WANTED", "LOST", "REASON"}
	var rows [][]string
	for _, row := range page.SteeredRows(s) {
		row[len(row)-1] = words.Printable(row[len(row)-1])
		rows = append(rows, row)
	}
	e.rows(head, rows)
	if out != "" {
		e.printf("%s\n", filepath.Join(out, "index.html"))
	}
	return e.printJSON(s)
}

// replayed is a decision of a replay. Executors are tokens divided by the slots of the run.
type replayed struct {
	AtS     float64 `json:"at_s"`
	Held    int     `json:"held_executors"`
	Decided int     `json:"decided_executors"`
	Would   int     `json:"would_executors"`
	Hold    bool    `json:"would_hold"`
}

func steerReplayCommand(e *env) *cobra.Command {
	var app, tables string
	var deadline float64
	var most int
	control := live.Control(jockey.DefaultOptions(), jockey.DefaultBlend)
	cmd := &cobra.Command{
		Use:   "replay LOG --tables TABLES",
		Short: "Replay a run's decisions with another policy",
		Args:  exactly(1, "one journal"),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := e.journaled(args[0], app)
			if err != nil {
				return err
			}
			if _, err := folder(tables, tablesFolder.name, tablesFolder.how); err != nil {
				return err
			}
			folder, err := live.Open(tables)
			if err != nil {
				return fmt.Errorf("%s: %w", tables, err)
			}
			job := run.Records[0].Job
			t := folder.Current().Table(job)
			if t == nil {
				return fmt.Errorf("%s: no table of job %q", tables, job)
			}
			mixed := t.About().Control
			changed := cmd.Flags().Changed
			for flag, set := range map[string]func(){
				"slack": func() { mixed.Slack = control.Slack }, "quantile": func() {
					mixed.Quantile = control.Quantile
				},
				"hysteresis": func() { mixed.Hysteresis = control.Hysteresis }, "rise": func() {
					mixed.Rise = control.Rise
				},
				"learn": func() { mixed.Learn = control.Learn }, "dead-zone": func() {
					mixed.DeadZoneS, mixed.DeadZoneShare = control.DeadZoneS, 0 // all of it, however near the deadline
				},
				"blend": func() { mixed.Blend = control.Blend },
			} {
				if changed(flag) {
					set()
				}
			}
			return e.replay(run, t, live.Goal{DeadlineS: deadline, MaxTokens: most, Control: &mixed})
		},
	}
	f := cmd.Flags()
	f.StringVar(&app, "app", "", "application; the one seen last when left out")
	f.StringVar(&tables, "tables", "", "folder of tables")
	number(f, &deadline, "deadline", deadlineRange(), "another deadline; as in the run when left out")
	number(f, &most, "max-tokens", tokenRange(), "most tokens to request; as in the run when left out")
	loopFlags(cmd, &control)
	_ = cmd.MarkFlagRequired("tables") // fails only for a flag that is not there
	return cmd
}

// loopFlags declares the parameters of a control loop. The defaults are the parameters in the table.
func loopFlags(cmd *cobra.Command, c *remaining.Control) {
	f := cmd.Flags()
	number(f, &c.Slack, "slack", slackRange(), "factor on the times of the table")
	number(f, &c.Quantile, "quantile", unitRange(), "of the remaining time that counts")
	number(f, &c.Hysteresis, "hysteresis", shares(1e-6, 1), "share of the way to a smaller allocation")
	number(f, &c.Rise, "rise", shares(0, 1), "share of the way to a larger one; 0 for the same")
	number(f, &c.Learn, "learn", learnRange(), "weight of predictions, as a share of the run, when it learns how slow the "+
		"run is; 0 for not at all")
	number(f, &c.Blend, "blend", unitRange(), "weight of Amdahl's law of the stages as they are; the table has the rest")
	number(f, &c.DeadZoneS, "dead-zone", secondsRange(0, maxSeconds), "planned time between end and deadline")
}

func (e *env) replay(run *serve.Journaled, t *live.Table, goal live.Goal) error {
	decisions, err := run.Replay(t, goal)
	if err != nil {
		return err
	}
	all := []replayed{}
	var decided, would, end float64 // executor-seconds
	for i, d := range decisions {
		r := run.Records[i]
		slots := max(1, r.Slots)
		x := replayed{AtS: r.NowS, Held: r.Executors, Decided: r.Wanted, Hold: d.Hold,
			Would: serve.Executors(d, r.Executors, slots, cmp.Or(goal.MaxTokens, r.MaxTokens))}
		if i+1 < len(run.Records) {
			end = run.Records[i+1].NowS
		}
		decided, would = decided+float64(x.Decided)*max(0, end-r.NowS), would+float64(x.Would)*max(0, end-r.NowS)
		all = append(all, x)
	}
	head := []string{"AFTER", "HELD", "WANTED THEN", "WOULD WANT"}
	var rows [][]string
	for i, x := range all {
		if i > 0 && i+1 < len(all) && x.Would == all[i-1].Would && x.Decided == all[i-1].Decided {
			continue
		}
		text := words.Count(x.Would)
		if x.Hold {
			text = "holds"
		}
		rows = append(rows, []string{words.Seconds(x.AtS), words.Count(x.Held), words.Count(x.Decided), text})
	}
	e.rows(head, rows)
	e.printf("%s: %s executor-seconds wanted then, %s by this policy\n", strings.TrimSpace(words.Printable(run.App)),
		words.Number(decided), words.Number(would))
	return e.printJSON(replay{run.App, t.Job(), all, decided, would})
}

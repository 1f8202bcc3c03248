package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"racecard/datasets/result"
	"racecard/datasets/sample"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/models/backtest"
	"racecard/models/cpa"
	"racecard/models/profile"
	"racecard/models/whatif"
	"racecard/pipeline/ingest"
	"racecard/pipeline/stage"
	"racecard/reports/page"
	"racecard/reports/style"
)

// sampleNote goes with the numbers of the demo.
const sampleNote = "The embedded sample: recurring Spark applications recorded for racecard on one small machine. " +
	"The runs are real, their inputs were generated; see datasets/sample/README.md."

func demoCommand(e *env) *cobra.Command {
	out := "racecard-demo"
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Read the embedded sample, analyse it, predict its runs and leave a report in ./racecard-demo",
		Long: "Does with real event logs, which racecard carries along, what one does with one's own: imports them into a store,\n" +
			"analyses it, predicts every run from those before it, says what will happen to a job, gives jobs deadlines and draws a\n" +
			"report. The last line is the path of the page.",
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.demo(cmd.Context(), out)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", out, "directory for store, results and report")
	return cmd
}

func (e *env) demo(ctx context.Context, out string) error {
	files, err := source.FromFS(sample.Logs, ".", "sample")
	if err != nil {
		return err
	}
	storeDir, resultDir, reportDir := filepath.Join(out, "sample.store"), filepath.Join(out, "sample.results"), filepath.Join(out, "report")

	o := ingest.DefaultOptions()
	o.Replace, o.Note = true, sampleNote
	p := e.progress("import")
	o.Progress = p.bytes
	m, err := ingest.Import(ctx, files, storeDir, o)
	p.done()
	if err != nil {
		return err
	}
	e.say("1/6 imported %s: %s, %s", style.Of(int64(len(files)), "event log", "event logs"), style.Of(m.Rows["jobs"], "run", "runs"),
		style.Of(m.Rows["tasks"], "task attempt", "task attempts"))

	s, err := openStore(storeDir)
	if err != nil {
		return err
	}
	docs, err := e.analyze(ctx, s, stage.DefaultOptions(), nil, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	e.say("2/6 analysed %s", storeDir)
	past, err := e.demoBacktest(ctx, s)
	if err != nil {
		return err
	}
	e.say("3/6 predicted %s from those before them: half to within %s", style.Of(int64(past.Predicted), "run", "runs"),
		style.Percent(float64(past.Errors[backtest.Racecard].MedianAbsolute)))
	ahead, run, err := e.demoAhead(ctx, s, storeDir)
	if err != nil {
		return err
	}
	e.say("4/6 asked how long runs of %s still take, in %s, and what the last one would have done with other tokens", ahead.Job,
		style.Of(ahead.Simulated, "simulated run", "simulated runs"))
	jockey, err := e.demoDeadlines(ctx, storeDir)
	if err != nil {
		return err
	}
	if err := writeResults(resultDir, storeDir, "racecard demo", s, append(docs, past, ahead, run, jockey)); err != nil {
		return err
	}
	e.say("5/6 gave its jobs deadlines, in %s; results are in %s", style.Of(int64(len(jockey.Runs)), "simulated run", "simulated runs"), resultDir)
	b, err := load([]string{resultDir})
	if err != nil {
		return err
	}
	if err := writeReport(ctx, reportDir, b, page.Options{Title: "How recurring Spark jobs behave: the embedded sample"}); err != nil {
		return err
	}
	e.say("6/6 drew the report; open it in a browser:")
	return e.wrote(reportDir)
}

// demoBacktest predicts the runs of the store from those before them.
func (e *env) demoBacktest(ctx context.Context, s *store.Store) (*result.Backtest, error) {
	o := backtest.DefaultOptions()
	o.Workers = runtime.GOMAXPROCS(0)
	return e.backtest(ctx, s, "", o)
}

// demoJob is the job of the demo that is asked what will happen.
const demoJob = "page-importance"

// demoAhead tabulates how long runs of a job still take, and asks what its last run would have done with other tokens.
func (e *env) demoAhead(ctx context.Context, s *store.Store, storeDir string) (*result.Remaining, *result.WhatIf, error) {
	profiles, err := e.fit(ctx, storeDir, demoJob, 1, profile.DefaultOptions())
	if err != nil {
		return nil, nil, err
	}
	p := newTablePlan()
	p.simulated.Replicates = 200
	ahead, err := e.explainModel(ctx, profiles[0], "", p, cpa.DefaultTrial(0))
	if err != nil {
		return nil, nil, err
	}
	var last *trace.Run
	for part := range s.Parts() {
		for run, err := range s.Runs(ctx, part, fitted) {
			if err != nil {
				return nil, nil, err
			}
			if run.Name == demoJob && (last == nil || run.Submit > last.Submit) {
				last = run.Clone()
			}
		}
	}
	answer, err := whatif.Ask(last, whatif.DefaultOptions())
	if err != nil {
		return nil, nil, err
	}
	doc := whatIfDocument(answer, last)
	doc.Store = filepath.Base(storeDir)
	return ahead, doc, nil
}

// demoDeadlines compares policies for the recurring jobs of the store, briefly.
func (e *env) demoDeadlines(ctx context.Context, storeDir string) (*result.Jockey, error) {
	p := newJockeyPlan()
	p.Replicates, p.Bound, p.Sensitive, p.Loop.Max = 4, 1, 0, 20
	_, doc, err := e.simulateJockey(ctx, []string{storeDir}, p)
	return doc, err
}

// say tells on standard error what was done.
func (e *env) say(format string, args ...any) {
	if !e.quiet {
		fmt.Fprintf(e.stderr, format+"\n", args...)
	}
}

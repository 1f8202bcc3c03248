package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/sample"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/deadlines/backtest"
	"racecard/models/deadlines/cpa"
	"racecard/models/deadlines/profile"
	"racecard/models/deadlines/whatif"
	"racecard/models/machines/compare"
	"racecard/models/queues/distributed"
	"racecard/models/queues/distributed/study"
	"racecard/pipeline/internal/ingest"
	"racecard/pipeline/internal/local"
	"racecard/pipeline/internal/stage"
	"racecard/reports/page"
)

// sampleNote goes with the numbers of the demo.
const sampleNote = "The embedded sample: recurring Spark applications recorded for racecard on one small machine. " +
	"The runs are real, their inputs were generated; see datasets/sample/README.md."

func demoCommand(e *env) *cobra.Command {
	out := "racecard-demo"
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Read the embedded sample, analyse it, predict its runs and leave a report in ./racecard-demo",
		Args:  exactly(0, "no arguments"),
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
	storeDir, resultDir, reportDir := filepath.Join(out, "sample.store"), filepath.Join(out, "sample.results"),
		filepath.Join(out, "report")

	if s, err := openStore(storeDir); err == nil && s.Manifest().Note != sampleNote {
		return fmt.Errorf("%s holds another trace than the sample: choose another --out", storeDir)
	}
	o := ingest.DefaultOptions()
	o.Replace, o.Note = true, sampleNote
	p := e.progress("import")
	o.Progress = p.imported
	m, err := ingest.Import(ctx, source.Found{Files: files}, storeDir, o)
	p.done()
	if err != nil {
		return err
	}
	e.say("1/8 imported %s: %s, %s", words.Of(len(files), "event log", "event logs"),
		words.Of(m.Rows["jobs"], "run", "runs"), words.Of(m.Rows["tasks"], "task attempt", "task attempts"))

	s, err := openStore(storeDir)
	if err != nil {
		return err
	}
	docs, err := e.analyze(ctx, s, stage.DefaultOptions(), nil, local.Options{})
	if err != nil {
		return err
	}
	e.say("2/8 analysed %s", storeDir)
	past, err := e.demoBacktest(ctx, s)
	if err != nil {
		return err
	}
	e.say("3/8 predicted %s from the runs before them: median prediction error %s",
		words.Of(past.Predicted, "run", "runs"), words.Percent(past.Errors[backtest.Racecard].MedianAbsolute))
	ahead, run, err := e.demoAhead(ctx, s, storeDir)
	if err != nil {
		return err
	}
	e.say("4/8 asked how long runs of %s still take, in %s, and replayed the last one with other tokens", ahead.Job,
		words.Of(ahead.Simulated, "simulated run", "simulated runs"))
	jockey, err := e.demoDeadlines(ctx, storeDir)
	if err != nil {
		return err
	}
	e.say("5/8 gave its jobs deadlines, in %s", words.Of(len(jockey.Runs), "simulated run", "simulated runs"))
	queues, err := e.demoQueues(ctx, s, storeDir)
	if err != nil {
		return err
	}
	e.say("6/8 queued %s, %s apart, at %s: the median short one takes %s under Eagle, %s under Hawk",
		words.Of(queues.Workload.Jobs, "run", "runs"), words.Seconds(queues.Workload.GapS),
		words.Of(queues.Options.Workers, "worker", "workers"),
		words.Seconds(queues.Schedulers["eagle"].Short.P50), words.Seconds(queues.Schedulers["hawk"].Short.P50))
	shared, err := e.demoAltruism(ctx, s, storeDir)
	if err != nil {
		return err
	}
	if err := e.writeResults(resultDir, storeDir, "racecard demo", s, append(docs, past, ahead, run, jockey, queues,
		shared)...); err != nil {
		return err
	}
	fair, altruistic := shared.Seeds().Point("drf"), shared.Seeds().Point("carbyne")
	e.say("7/8 shared %s among %s, %s apart: they take %s on average under Carbyne, %s under DRF (medians of %s); "+
		"results are in %s",
		words.Of(int64(shared.Cluster.Total["cpu"]), "core", "cores"), words.Of(shared.Workload.Jobs, "run", "runs"),
		words.Seconds(shared.Workload.InterarrivalS), words.FineSeconds(altruistic.JCT.Median),
		words.FineSeconds(fair.JCT.Median), words.Of(len(shared.Seeds().Seeds), "seed", "seeds"), resultDir)
	b, err := load([]string{resultDir})
	if err != nil {
		return err
	}
	desk := newDeskPlan()
	desk.deadlines = []string{demoJob + "=" + demoDeadline}
	front, err := e.deskPage(ctx, storeDir, desk)
	if err != nil {
		return err
	}
	if err := writeReport(ctx, reportDir, b,
		page.Options{Title: "How recurring Spark jobs behave: the embedded sample"}, front); err != nil {
		return err
	}
	e.say("8/8 drew the planner's desk, and the report's long form in %s; open the desk in a browser:",
		filepath.Join(reportDir, paperPage))
	return e.wrote(reportDir)
}

// demoBacktest predicts the runs of the store from those before them.
func (e *env) demoBacktest(ctx context.Context, s *store.Store) (*result.Backtest, error) {
	o := backtest.DefaultOptions()
	o.Workers = runtime.GOMAXPROCS(0)
	return e.backtest(ctx, s, "", o)
}

// demoJob is the job of the demo that is predicted, and has a deadline on its desk.
const (
	demoJob      = "page-importance"
	demoDeadline = "35s"
)

// demoAhead tabulates the remaining time of a job's runs, and replays its last run with other tokens.
func (e *env) demoAhead(ctx context.Context, s *store.Store, storeDir string) (*result.Remaining, *result.WhatIf,
	error) {
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
	for run, err := range e.eachRun(ctx, "read", s, storeDir, fitted) {
		if err != nil {
			return nil, nil, err
		}
		if run.Name == demoJob && (last == nil || run.Submit > last.Submit) {
			last = run.Clone()
		}
	}
	answer, err := whatif.Ask(last, whatif.DefaultOptions())
	if err != nil {
		return nil, nil, err
	}
	doc := whatIfDocument(answer, last)
	doc.Store = publish.Name(storeDir)
	return ahead, doc, nil
}

// demoDeadlines compares policies for the recurring jobs of the store, briefly.
func (e *env) demoDeadlines(ctx context.Context, storeDir string) (*result.Jockey, error) {
	p := newJockeyPlan()
	p.Replicates, p.Bound, p.Sensitive, p.Loop.Max = 4, 1, 0, 20
	_, doc, err := e.simulateJockey(ctx, []string{storeDir}, p)
	return doc, err
}

// The demo's cluster of workers with queues: one task each, and runs that arrive so fast that most workers are busy.
const (
	demoWorkers = 20
	demoGap     = 2_500_000 // microseconds between submissions, on average
)

// demoQueues simulates the runs of the store, in quick succession, under distributed schedulers.
func (e *env) demoQueues(ctx context.Context, s *store.Store, storeDir string) (*result.Eagle, error) {
	setup := study.Default()
	k := &distributed.Collector{Gap: demoGap, Seed: setup.Options.Seed}
	if err := e.collect(ctx, s, storeDir, k); err != nil {
		return nil, err
	}
	setup.Workload, setup.Schedulers = k.Workload(), []string{"hawk", "eagle", "srpt"}
	o := &setup.Options
	o.Workers, o.Detail = demoWorkers, true
	o.Cutoff = study.Cutoff(setup.Workload)
	o.General = study.General(setup.Workload, o.Cutoff)
	doc, err := study.Compare(ctx, setup)
	if err != nil {
		return nil, err
	}
	assumed(doc, k)
	return doc, nil
}

// demoAltruism replays runs drawn from the store under multi-resource schedulers. It uses cores only, the one resource
// that the sample records, so that no demand has to be drawn. Runs arrive so fast that their work is 90% of the
// capacity of the cores.
func (e *env) demoAltruism(ctx context.Context, s *store.Store, storeDir string) (*result.Carbyne, error) {
	setup, f := compare.DefaultSetup(), newCarbyneFlags()
	setup.Jobs, setup.InterarrivalS = 250, 2.2
	f.machines, f.capacity, f.runs, f.experiments = "5", "cpu=4", 3, []string{"online"}
	experiments, err := f.read(&setup)
	if err != nil {
		return nil, err
	}
	return e.replayed(ctx, s, storeDir, setup, &f, experiments)
}

// say reports a finished step on standard error.
func (e *env) say(format string, args ...any) {
	switch {
	case e.quiet:
	case e.logsJSON:
		e.log(map[string]any{"message": fmt.Sprintf(format, args...)})
	default:
		e.stderr.printf(format+"\n", args...)
	}
}

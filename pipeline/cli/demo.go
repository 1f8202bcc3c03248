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
		Short: "Read the embedded sample, analyse it and leave a report in ./racecard-demo",
		Long: "Does with real event logs, which racecard carries along, what one does with one's own: imports them into a store,\n" +
			"analyses it and draws a report. The last line is the path of the page.",
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
	e.say("1/4 imported %s: %s, %s", style.Of(int64(len(files)), "event log", "event logs"), style.Of(m.Rows["jobs"], "run", "runs"),
		style.Of(m.Rows["tasks"], "task attempt", "task attempts"))

	s, err := openStore(storeDir)
	if err != nil {
		return err
	}
	docs, err := e.analyze(ctx, s, stage.DefaultOptions(), nil, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	e.say("2/4 analysed %s", storeDir)
	jockey, err := e.demoDeadlines(ctx, storeDir)
	if err != nil {
		return err
	}
	if err := writeResults(resultDir, storeDir, "racecard demo", s, append(docs, jockey)); err != nil {
		return err
	}
	e.say("3/4 gave its jobs deadlines, in %s; results are in %s", style.Of(int64(len(jockey.Runs)), "simulated run", "simulated runs"), resultDir)
	b, err := load([]string{resultDir})
	if err != nil {
		return err
	}
	if err := writeReport(ctx, reportDir, b, page.Options{Title: "How recurring Spark jobs behave: the embedded sample"}); err != nil {
		return err
	}
	e.say("4/4 drew the report; open it in a browser:")
	return e.wrote(reportDir)
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

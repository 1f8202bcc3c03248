package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"racecard/datasets/sample"
	"racecard/datasets/source"
	"racecard/datasets/store"
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
	e.say("1/3 imported %s: %s, %s", style.Of(int64(len(files)), "event log", "event logs"), style.Of(m.Rows["jobs"], "run", "runs"),
		style.Of(m.Rows["tasks"], "task attempt", "task attempts"))

	s, err := openStore(storeDir)
	if err != nil {
		return err
	}
	if err := e.demoResults(ctx, s, storeDir, resultDir); err != nil {
		return err
	}
	e.say("2/3 analysed into %s", resultDir)
	b, err := load([]string{resultDir})
	if err != nil {
		return err
	}
	if err := writeReport(ctx, reportDir, b, page.Options{Title: "How recurring Spark jobs behave: the embedded sample"}); err != nil {
		return err
	}
	e.say("3/3 drew the report; open it in a browser:")
	return e.wrote(reportDir)
}

func (e *env) demoResults(ctx context.Context, s *store.Store, storeDir, resultDir string) error {
	docs, err := e.analyze(ctx, s, stage.DefaultOptions(), nil, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	return writeResults(resultDir, storeDir, "racecard demo", s, docs)
}

// say tells on standard error what was done.
func (e *env) say(format string, args ...any) {
	if !e.quiet {
		fmt.Fprintf(e.stderr, format+"\n", args...)
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"racecard/datasets/lists"
	"racecard/datasets/publish"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/words"
	"racecard/pipeline/internal/ingest"
)

func importCommand(e *env) *cobra.Command {
	o := ingest.DefaultOptions()
	var out string
	o.MaxRejects, o.Memory = 0.01, 1<<30
	cmd := &cobra.Command{
		Use:   "import --out STORE PATH...",
		Short: "Read trace files into a store",
		Args:  atLeastOne("the files or folders to read"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if info, err := publish.Stat(out); err == nil && !info.IsDir() {
				return fmt.Errorf("%s is a file: --out wants a folder for the store, which import makes", out)
			}
			if e.runner != nil {
				return e.runner.importFiles(cmd.Context(), e, args, out, o)
			}
			in, err := e.inputs(cmd.Context(), args, scratch(out), o.Append)
			if err != nil {
				return err
			}
			e.limitMemory(o.Memory) // the collector works harder near the budget
			p := e.progress("import")
			o.Progress = p.imported
			m, err := ingest.Import(cmd.Context(), in, out, o)
			p.done()
			var same *ingest.NothingNewError
			if errors.As(err, &same) { // no new logs
				e.say("%s: %v", out, same)
				for _, w := range same.Warnings {
					e.say("warning: %s", w)
				}
				s, err := openStore(out)
				if err != nil {
					return err
				}
				m = s.Manifest()
			} else if errors.Is(err, store.ErrExists) {
				return fmt.Errorf("%w (--append, --force)", err)
			} else if err != nil {
				return err
			}
			return e.imported(out, m)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "directory of the store")
	choice(cmd.Flags(), &o.Format, "format", formatNames(), "format of the files; racecard formats lists them")
	number(cmd.Flags(), &o.MaxRejects, "max-rejects", shares(0, 1), "share of records that may be rejected, such as "+
		"1% or 0.01")
	number(cmd.Flags(), &o.Memory, "memory", memoryRange(), "memory for bringing together rows of a job that lie "+
		"apart; beyond it, temporary files")
	checked(cmd.Flags(), &o.JobKey, "job-key", "key", ingest.ParseJobKey, "name of the recurring job of a run: a "+
		"regular expression with one group over its name, such as '^(.*)-[0-9]+$'; a Spark property, such as "+
		"spark.airflow.dag_id; or fields of SWF, such as user,requested_time; its normalised name when left out")
	cmd.Flags().BoolVar(&o.Append, "append", false, "add to STORE, which keeps the parts it has; files that it has "+
		"already are passed over, and so are its runs")
	cmd.Flags().BoolVar(&o.Restart, "restart", false, "begin anew, instead of taking up an import of the same files "+
		"that was interrupted")
	cmd.Flags().BoolVar(&o.Strict, "strict", false, "reject runs whose records would need repairs")
	cmd.Flags().BoolVar(&o.Ended, "ended", false, "pass over runs that have not ended, and a last record that is cut "+
		"off: --append reads them when their logs have grown")
	cmd.Flags().BoolVar(&o.Replace, "force", false, "replace STORE if it is a store")
	cmd.Flags().BoolVar(&o.Synthetic, "synthetic", false, "the trace was generated, not measured: say so wherever "+
		"its numbers are shown")
	cmd.Flags().StringVar(&o.Note, "note", "", "text to keep with the store")
	_ = cmd.MarkFlagRequired("out") // fails only for a flag that is not there
	return cmd
}

// scratch returns the folder for temporary copies of streams: the parent of a local store, on whose disk there is room
// for it, otherwise the system's.
func scratch(out string) string {
	if publish.Remote(out) {
		return os.TempDir()
	}
	return filepath.Dir(out)
}

// inputs returns the inputs behind paths. Temporary copies of streams are in dir.
func (e *env) inputs(ctx context.Context, paths []string, dir string, keep bool) (source.Found, error) {
	stdin, ok := e.stdin.(*os.File)
	if !ok {
		stdin = os.Stdin
	}
	finder := ingest.Finder{Stdin: stdin, Keep: keep, Dir: dir, Say: func(text string) { e.say("%s", text) }}
	return finder.Find(ctx, paths)
}

func (e *env) imported(out string, m *store.Manifest) error {
	e.printf("%s: %s, %s\n", out, words.Of(m.Rows["jobs"], "run", "runs"), words.Of(m.Rows["tasks"], "task attempt",
		"task attempts"))
	e.printf("%s read: %s used, %s ignored, %s rejected\n", words.Of(m.Read, "record", "records"), words.Count(m.Used),
		words.Count(lists.Total(m.Ignored)), words.Count(lists.Total(m.Rejected)))
	e.notes("warning", m.Warnings)
	e.printf("next: racecard inspect %s\n", out)
	return e.printJSON(inspection(m))
}

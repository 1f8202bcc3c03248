package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"racecard/datasets/generate"
)

func generateCommand(e *env) *cobra.Command {
	var rows int64
	var seed uint64
	out := "."
	var kinds strings.Builder
	for _, k := range generate.Kinds() {
		fmt.Fprintf(&kinds, "  %-12s %s; a row is one of its %s\n", k.Name, k.Summary, k.Rows)
	}
	cmd := &cobra.Command{
		Use:   "generate KIND",
		Short: "Write a synthetic trace in a raw format",
		Long: "Writes a synthetic trace of any size, for benchmarks and trials, into a file whose name begins with\n" +
			generate.Prefix + ", and prints its path. Whatever is imported from it is labelled synthetic.\n\nKinds:\n" + kinds.String(),
		Example: "  racecard generate alibaba2018 --rows 10000000 --out /tmp",
		Args:    exactly(1, "one kind"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			k, err := generate.Named(args[0])
			if err != nil {
				return usageError{err}
			}
			if rows < 1 {
				return usageError{fmt.Errorf("--rows %d: want at least 1", rows)}
			}
			path := filepath.Join(out, fmt.Sprintf("%s%s-%d-seed%d%s", generate.Prefix, k.Name, rows, seed, k.Ending))
			f, err := os.CreateTemp(out, "."+generate.Prefix)
			if err != nil {
				return err
			}
			defer func() {
				if err != nil {
					err = errors.Join(err, os.Remove(f.Name()))
				}
			}()
			p := e.progress("generate")
			_, err = k.Write(cmd.Context(), f, rows, seed, func(done int64) { p.count(int(done), int(rows), "rows") })
			p.done()
			if err := errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
				return err
			}
			if err := os.Rename(f.Name(), path); err != nil {
				return err
			}
			if e.json {
				return e.printJSON(map[string]string{"path": path})
			}
			e.printf("%s\n", path)
			return nil
		},
	}
	cmd.Flags().Int64Var(&rows, "rows", 100_000, "rows to write")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed: the same one gives the same bytes")
	cmd.Flags().StringVarP(&out, "out", "o", out, "folder for the file")
	return cmd
}

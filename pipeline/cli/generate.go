package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"racecard/datasets/generate"
	"racecard/datasets/lists"
	"racecard/datasets/publish"
)

func generateCommand(e *env) *cobra.Command {
	rows, seed := int64(0), uint64(1)
	out := "."
	var kinds strings.Builder
	for _, k := range generate.Kinds() {
		what := "a file"
		if k.Folder() {
			what = "a folder"
		}
		fmt.Fprintf(&kinds, "  %-22s %s; a row is one of its %s\n%-24s %s\n", k.Name, what, k.Rows, "", k.Summary)
	}
	cmd := &cobra.Command{
		Use:   "generate KIND",
		Short: "Write a synthetic trace in a raw format",
		Long:  longText("generate", "{prefix}", generate.Prefix, "{kinds}", kinds.String()),
		Args:  exactly(1, "one kind"),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := generate.Named(args[0])
			if err != nil {
				return unknownArgument("kind", args[0], kindNames())
			}
			if rows == 0 {
				rows = k.Usual()
			}
			path := filepath.Join(out, fmt.Sprintf("%s%s-%d-seed%d%s", generate.Prefix, k.Name, rows, seed, k.Ending))
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				e.say("%s is there and will be replaced", path)
			}
			p := e.progress("generate")
			err = writeKind(cmd.Context(), k, path, rows, seed, func(done int64) {
				p.count(int(done), int(rows), "rows")
			})
			p.done()
			if err != nil {
				return err
			}
			e.printf("%s\n", path)
			return e.printJSON(generated{path})
		},
	}
	number(cmd.Flags(), &rows, "rows", whole(1, 1e10), "rows to write; 100,000 when left out, and 60 nights of "+
		"nights and nights-random")
	seeded(cmd.Flags(), &seed, "seed: the same one gives the same bytes")
	cmd.Flags().StringVarP(&out, "out", "o", out, "folder for the file")
	return cmd
}

// kindNames lists the names of all kinds.
func kindNames() []string {
	return lists.Map(generate.Kinds(), func(k generate.Kind) string { return k.Name })
}

// writeKind writes a trace to path, atomically: an existing file is replaced, an existing folder is an error.
func writeKind(ctx context.Context, k generate.Kind, path string, rows int64, seed uint64,
	progress func(int64)) (err error) {
	begin := publish.BeginFile
	if k.Folder() {
		begin = func(path string) (*publish.Folder, error) { return publish.Begin(path, publish.Kind{}) }
	}
	made, err := begin(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, made.Abort()) }()
	file := ""
	_, err = k.Write(ctx, func(name string) (io.WriteCloser, error) {
		file = name
		f, err := made.Create(name)
		if err != nil || k.Folder() { // syncing thousands of files takes longer than generating them again
			return f, err
		}
		return synced{f}, nil
	}, rows, seed, progress)
	if err != nil {
		return err
	}
	if k.Folder() {
		return made.Publish(nil)
	}
	return made.PublishFile(file)
}

// synced is a file that is on the disk once it is closed.
type synced struct{ *publish.StagedFile }

// Close syncs and closes the file.
func (f synced) Close() error { return errors.Join(f.Sync(), f.StagedFile.Close()) }

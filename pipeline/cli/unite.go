package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"racecard/datasets/publish"
	"racecard/datasets/store"
	"racecard/datasets/tablefile"
	"racecard/datasets/words"
)

func uniteCommand(e *env) *cobra.Command {
	var out string
	replace := false
	cmd := &cobra.Command{
		Use:   "unite --out OUT STORE|TABLES...",
		Short: "Make one store of several, or one folder of tables",
		Args:  atLeastOne("the stores or folders of tables to unite"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if isTables(args[0]) {
				return e.uniteTables(args, out, replace)
			}
			return e.uniteStores(cmd.Context(), args, out, replace)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "folder of the result")
	cmd.Flags().BoolVar(&replace, "force", false, "replace OUT if it is a store; in a folder of tables, tables of "+
		"other jobs stay")
	_ = cmd.MarkFlagRequired("out") // fails only for a flag that is not there
	return cmd
}

func (e *env) uniteStores(ctx context.Context, args []string, out string, replace bool) error {
	var all []store.Named
	for _, path := range args {
		s, err := openStore(path)
		if err != nil {
			return err
		}
		all = append(all, store.Named{Store: s, Name: path})
	}
	m, err := store.Unite(ctx, out, replace, all)
	if err != nil {
		return err
	}
	return e.imported(out, m)
}

// uniteTables copies the tables of several folders into one.
func (e *env) uniteTables(args []string, out string, replace bool) (err error) {
	if _, err := publish.Stat(publish.Join(out, tablefile.IndexFile)); err == nil && !replace {
		return fmt.Errorf("%s is there already: choose another name, or say --force to add to it", out)
	}
	dir, err := publish.Begin(out, tablefile.FolderKind())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Abort()) }()
	all := tablefile.Index{Racecard: version()}
	of := map[string]string{}
	for _, path := range args {
		fsys, err := folder(path, tablesFolder.name, tablesFolder.how)
		if err != nil {
			return err
		}
		x, err := tablefile.ReadIndex(fsys)
		if err != nil {
			return fmt.Errorf("%s: %w", path, orOther(fsys, path, tablesFolder, err))
		}
		if all.Models == "" {
			all.Models = x.Models
		}
		for _, t := range x.Tables {
			if other, ok := of[t.Job]; ok {
				return fmt.Errorf("%s: job %q has a table in %s, too", path, t.Job, other)
			}
			of[t.Job] = path
			for _, name := range []string{t.File, t.Parquet} {
				data, err := fs.ReadFile(fsys, name)
				if err == nil {
					err = dir.Write(name, data)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", filepath.Join(path, name), err)
				}
			}
		}
		all.Tables = append(all.Tables, x.Tables...)
	}
	if err := e.publishTables(dir, out, all); err != nil {
		return err
	}
	e.printf("%s: %s\n", out, words.Of(len(all.Tables), "table", "tables"))
	return e.printJSON(unitedTables{out, len(all.Tables)})
}

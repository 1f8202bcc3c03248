package cli

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"racecard/docs/schema"
)

// schemaTitle is the head of a published schema.
type schemaTitle struct {
	Name        string `json:"name"`
	Title       string `json:"title"`       // commands and files
	Description string `json:"description"` // of the content
}

func schemaCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print the JSON Schemas of all documents, and the columns of all tables",
		Args:  cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return schemaNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				text, err := fs.ReadFile(schema.Files, args[0]+".json")
				if err != nil {
					return unknownArgument("document", args[0], schemaNames())
				}
				return e.stdout.json(text)
			}
			head := []string{"DOCUMENT", "WRITTEN BY"}
			var rows [][]string
			var all []schemaTitle
			for _, name := range schemaNames() {
				text, err := fs.ReadFile(schema.Files, name+".json")
				if err != nil {
					return err
				}
				t := schemaTitle{Name: name}
				if err := json.Unmarshal(text, &t); err != nil {
					return fmt.Errorf("%s.json: %w", name, err)
				}
				all = append(all, t)
				rows = append(rows, []string{name, t.Title})
			}
			e.rows(head, rows)
			return e.printJSON(schemaList{all})
		},
	}
}

// schemaList is the answer of `racecard schema`.
type schemaList struct {
	Schemas []schemaTitle `json:"schemas"`
}

func schemaNames() []string {
	files, _ := fs.Glob(schema.Files, "*.json") // the pattern is right
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".json")
	}
	return files
}

package cli

import (
	"github.com/spf13/cobra"

	"racecard/datasets/formats"
)

// formatDoc describes a format in the output of `formats --json`.
type formatDoc struct {
	Name          string `json:"name"`
	Summary       string `json:"summary"`
	Holds         string `json:"holds"`
	NotAvailable  string `json:"not_available"`
	Specification string `json:"specification"`
	// Fields lists the fields, one line per kind of record. Only formats that racecard specifies have it.
	Fields []string `json:"fields,omitempty"`
}

func formatsCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "formats [NAME]",
		Short: "List the trace formats that racecard reads, with their contents",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return exactly(1, "one name at most")(cmd, args)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			docs := []formatDoc{}
			for _, f := range formats.All(0) {
				if len(args) == 0 || args[0] == f.Name {
					docs = append(docs, formatDoc{f.Name, f.Summary, f.Holds, f.Lacks, f.Spec, f.Fields})
				}
			}
			if len(docs) == 0 {
				return unknownArgument("format", args[0], formatNames())
			}
			for i, d := range docs {
				if i > 0 {
					e.printf("\n")
				}
				e.printf("%s\n  %s\n  holds: %s\n  not available: %s\n  specification: %s\n", d.Name, d.Summary,
					d.Holds, d.NotAvailable, d.Specification)
				for _, f := range d.Fields {
					e.printf("  %s\n", f)
				}
			}
			return e.printJSON(docs)
		},
	}
}

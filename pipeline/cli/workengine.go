package cli

import (
	"github.com/spf13/cobra"

	"slices"

	"racecard/pipeline/internal/work"
)

func workEngineCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "engine spark|kubernetes|slurm",
		Short: "Write the driver or the manifest with which an engine runs units",
		Args:  exactly(1, "one engine"),
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(work.Engines(), args[0]) {
				return unknownArgument("engine", args[0], work.Engines())
			}
			text, err := work.Engine(args[0])
			if err != nil {
				return err
			}
			if e.json {
				return e.printJSON(engineText{args[0], string(text)})
			}
			_, err = e.stdout.Write(text)
			return err
		},
	}
}

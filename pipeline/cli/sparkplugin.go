package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"racecard/pipeline/internal/sparkplugin"
)

func sparkPluginCommand(e *env) *cobra.Command {
	scala := "2.13"
	cmd := &cobra.Command{
		Use:   "spark-plugin > racecard-spark.jar",
		Short: "Write the Spark plugin that asks `racecard serve`",
		Args:  exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if isTerminal(e.stdout) {
				return usageError{errors.New("a jar is no text: redirect standard output to a file")}
			}
			_, err := e.stdout.to.Write(sparkplugin.Jar)
			return err
		},
	}
	choice(cmd.Flags(), &scala, "scala", []string{"2.12", "2.13"}, "of the Spark; one jar serves both")
	return cmd
}

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
		Long: "Writes a jar to standard output. Configuration alone enables it:\n\n" +
			"  spark.jars                racecard-spark.jar\n" +
			"  spark.plugins             io.racecard.RacecardPlugin\n" +
			"  spark.racecard.url        http://127.0.0.1:7411\n" +
			"  spark.racecard.deadline   45m after the start of the application, or a clock time such as 06:00\n" +
			"  spark.racecard.mode       watch: predict the end, and warn of a deadline at risk (default); steer: " +
			"also request and\n" +
			"                            release executors\n" +
			"  spark.racecard.job        the recurring job, spark.app.name when left out\n" +
			"  spark.racecard.executors.min, spark.racecard.executors.max, spark.racecard.period (5s), " +
			"spark.racecard.alert (0.2),\n" +
			"  spark.racecard.token.file\n\n" +
			"Whatever happens to the server, the application keeps the executors that it holds and goes on. To " +
			"release executors\n" +
			"in the middle of a job without losing work, run the external shuffle service " +
			"(spark.shuffle.service.enabled);\n" +
			"without it only executors that hold no output are released.",
		Example: "  racecard spark-plugin > racecard-spark.jar",
		Args:    exactly(0, "no arguments"),
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

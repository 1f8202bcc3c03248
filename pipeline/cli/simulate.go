package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func simulateCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Simulate what other schedulers would have done",
		Long:  "Simulates jobs under several policies on the same cluster, and compares them.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("unknown command %q; see `racecard simulate --help`", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		simulateCarbyneCommand(e),
		simulateEagleCommand(e),
		simulateJockeyCommand(e),
	)
	return cmd
}

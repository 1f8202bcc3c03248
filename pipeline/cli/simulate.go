package cli

import (
	"github.com/spf13/cobra"
)

func simulateCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Simulate other schedulers on the same jobs",
		Long:  "Simulates jobs under several policies on the same cluster, and compares them.",
		Args:  commandsOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		simulateCarbyneCommand(e),
		simulateEagleCommand(e),
		simulateJockeyCommand(e),
	)
	return cmd
}

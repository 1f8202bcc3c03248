package cli

import (
	"github.com/spf13/cobra"
)

func simulateCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Simulate other schedulers on the same jobs",
	}
	return group(cmd, simulateCarbyneCommand(e), simulateEagleCommand(e), simulateJockeyCommand(e))
}

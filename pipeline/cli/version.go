package cli

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Version is the release.
const Version = "0.1.0"

// version returns the release and, in a build from a checkout, the commit.
func version() string {
	v := Version
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				v += "+" + s.Value[:12]
			}
		}
	}
	return v
}

// platform describes the compiler and the target of the program.
func platform() string { return runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH }

func versionCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			e.printf("racecard %s (%s)\n", version(), platform())
			return e.printJSON(build{version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
		},
	}
}

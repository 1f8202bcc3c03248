package cli

import (
	"strings"
	"testing"
)

// TestHelpSaysLimits reads the help of every command that has limits.
func TestHelpSaysLimits(t *testing.T) {
	for command, text := range limits() {
		help := strings.Join(strings.Fields(must(t, append(strings.Fields(command), "--help")...)), " ")
		if !strings.Contains(help, "Limits: "+text) {
			t.Errorf("%s --help does not say %q", command, text)
		}
	}
}

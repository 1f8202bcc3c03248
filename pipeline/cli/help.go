package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Widths of help, in characters.
const (
	plainWidth = 120 // where nobody sits at a terminal
	leastWidth = 60
)

// width returns the characters of a line of help: COLUMNS, or that of the terminal.
func (s *screen) width() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(leastWidth, n)
	}
	if f, ok := s.to.(*os.File); ok && isTerminal(f) {
		if n := columns(f); n > 0 {
			return max(leastWidth, n)
		}
	}
	return plainWidth
}

// wrappedUsage makes a template of usage wrap the help of flags.
func wrappedUsage(template string, width int) string {
	return strings.ReplaceAll(template, "Flags.FlagUsages ", fmt.Sprintf("Flags.FlagUsagesWrapped %d ", width))
}

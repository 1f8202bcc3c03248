package cli

import (
	"embed"
	"strings"
)

// longTexts are the long helps of commands, as they are printed: long/table-build.txt is that of `racecard table build`.
//
//go:embed long/*.txt
var longTexts embed.FS // constant

// longText returns the long help of a command. values are pairs: a name that the text has in braces, and what replaces
// it. A text that is not there is a programming error and panics.
func longText(command string, values ...string) string {
	text, err := longTexts.ReadFile("long/" + command + ".txt")
	if err != nil {
		panic(err)
	}
	return strings.NewReplacer(values...).Replace(strings.TrimSuffix(string(text), "\n"))
}

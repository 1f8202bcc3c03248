package cli

import (
	"embed"
	"strings"
)

// longTexts are the long helps and the examples of commands, as they are printed: long/table-build.txt is for
// `racecard table build`.
//
//go:embed long/*.txt
var longTexts embed.FS // constant

// longText returns the long help of a command. values are pairs: a name that the text has in braces, and its value. A
// text that is not there is a programming error and panics.
func longText(command string, values ...string) string {
	text, _ := helpText(command)
	return strings.NewReplacer(values...).Replace(text)
}

// exampleText returns the examples of a command that has a long help.
func exampleText(command string) string {
	_, examples := helpText(command)
	return examples
}

func helpText(command string) (long, examples string) {
	text, err := longTexts.ReadFile("long/" + command + ".txt")
	if err != nil {
		panic(err)
	}
	long, examples, _ = strings.Cut(string(text), "\n\nExamples:\n")
	return strings.TrimSuffix(long, "\n"), strings.TrimSuffix(examples, "\n")
}

package cli

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
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

func helpText(command string) (long, examples string) {
	text, err := longTexts.ReadFile("long/" + command + ".txt")
	if err != nil {
		panic(err)
	}
	long, examples, _ = strings.Cut(string(text), "\n\nExamples:\n")
	return strings.TrimSuffix(long, "\n"), strings.TrimSuffix(examples, "\n")
}

// addHelp gives a command and those below it the long help and the examples of their files, with the limits of their
// inputs, in lines of a width. A command whose long help has values keeps it.
func addHelp(cmd *cobra.Command, width int) {
	words := commandWords(cmd)
	name := cmp.Or(strings.ReplaceAll(words, " ", "-"), cmd.Name())
	if _, err := fs.Stat(longTexts, "long/"+name+".txt"); err == nil {
		long, examples := helpText(name)
		cmd.Long, cmd.Example = cmp.Or(cmd.Long, long), examples
	}
	if text := limits()[words]; text != "" {
		cmd.Long += "\n\nLimits: " + text
	}
	cmd.Long = wrapText(cmd.Long, width)
	for _, c := range cmd.Commands() {
		addHelp(c, width)
	}
}

// listed returns a line for each thing that a help lists: its name, in a column so wide, and a description.
func listed[T any](width int, all []T, of func(T) (name, about string)) string {
	var b strings.Builder
	for _, x := range all {
		name, about := of(x)
		fmt.Fprintf(&b, "  %-*s %s\n", width, name, about)
	}
	return b.String()
}

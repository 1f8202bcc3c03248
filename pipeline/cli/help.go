package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// Widths of help, in characters.
const (
	plainWidth = 120 // where nobody sits at a terminal
	leastWidth = 60
)

// width returns the characters of a line of help: COLUMNS, or the terminal's width.
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

// addTemplateFuncs adds the functions of the template of usage to cobra, whose functions are global.
var addTemplateFuncs = sync.OnceFunc(func() { cobra.AddTemplateFunc("localFlags", localFlags) })

// wrappedUsage makes a template of usage wrap the help of flags, and put long lists of flags under headings.
func wrappedUsage(template string, width int) string {
	template = strings.Replace(template, "Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}",
		fmt.Sprintf("{{localFlags . %d}}", width), 1)
	return strings.ReplaceAll(template, "Flags.FlagUsages ", fmt.Sprintf("Flags.FlagUsagesWrapped %d ", width))
}

// wrapText breaks the lines of a text that are longer than width. Lines without indentation are prose and are
// joined before breaking. Other lines are lists, which keep their lines: continuation lines are indented like
// the text of the item, which follows its name after two or more blanks.
func wrapText(text string, width int) string {
	lines := strings.Split(text, "\n")
	if !slices.ContainsFunc(lines, func(line string) bool { return utf8.RuneCountInString(line) > width }) {
		return text
	}
	var out []string
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if line == "" || line[0] == ' ' {
			out = append(out, wrapLine(line, width)...)
			continue
		}
		for i+1 < len(lines) && lines[i+1] != "" && lines[i+1][0] != ' ' && !strings.HasSuffix(line, ":") {
			i++
			line += " " + lines[i]
		}
		out = append(out, wrapLine(line, width)...)
	}
	return strings.Join(out, "\n")
}

// wrapLine breaks a line between words.
func wrapLine(line string, width int) []string {
	body := strings.TrimLeft(line, " ")
	hang := len(line) - len(body)
	if at := strings.LastIndex(body, "  "); hang > 0 && at >= 0 && utf8.RuneCountInString(body[:at+2])+hang < width/2 {
		hang += utf8.RuneCountInString(body[:at+2])
	}
	var out []string
	for utf8.RuneCountInString(line) > width {
		runes := []rune(line)
		at := width
		for at > hang && runes[at] != ' ' {
			at--
		}
		if at <= hang { // a word that is longer than the line
			for at = width; at < len(runes) && runes[at] != ' '; at++ {
			}
			if at == len(runes) {
				break
			}
		}
		out = append(out, strings.TrimRight(string(runes[:at]), " "))
		line = strings.Repeat(" ", hang) + strings.TrimLeft(string(runes[at:]), " ")
	}
	return append(out, line)
}

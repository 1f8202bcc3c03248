// Package jobname finds what recurs in the names of runs: a nightly job is often named after its date, so that every run
// has a name of its own.
package jobname

import (
	"regexp"
	"strings"
)

// A Rule replaces what its expression matches by "#".
type Rule struct {
	Name  string // for people
	expr  *regexp.Regexp
	might func(name string) bool // false for most names that expr does not match: it is a hundred times as fast
}

// boundary stands for a place between two characters of which at most one is a letter or a digit; Go's \b counts the
// underscore as a letter, names of jobs do not.
const (
	before = `(^|[^0-9A-Za-z])`
	after  = `($|[^0-9A-Za-z])`
	hour   = `(?:[01]\d|2[0-3])`
	minute = `(?:[0-5]\d)`
)

// rules are tried in this order.
var rules = []Rule{
	{"UUIDs", regexp.MustCompile(before + `[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}` + after),
		func(name string) bool { return strings.Count(name, "-") >= 4 && len(name) >= 36 }},
	{"dates, with an hour or a clock time behind them", regexp.MustCompile(before +
		`(?:(?:19|20)\d\d([-/._])(?:0?[1-9]|1[0-2])([-/._])(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])[-/.](?:0?[1-9]|[12]\d|3[01])[-/.](?:19|20)\d\d)` +
		`(?:[T :_]` + hour + `(?::` + minute + `){0,2}|T` + hour + minute + `{1,2}|_` + hour + `(?:-` + minute + `-` + minute + `|` + minute + minute + `))?(?:\.\d+)?Z?` + after),
		func(name string) bool { return strings.ContainsAny(name, "-/._") && countDigits(name) >= 6 }},
	{"clock times", regexp.MustCompile(before + `(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?` + after),
		func(name string) bool { return strings.Contains(name, ":") }},
}

func countDigits(name string) int {
	n := 0
	for i := range len(name) {
		if isDigit(name[i]) {
			n++
		}
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func isWord(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' }

// Normalize returns name with dates, clock times, UUIDs, hexadecimal words of 8 or more characters with a digit, and runs
// of 5 or more digits each replaced by "#". Shorter numbers stay: they tell one job from another more often than one run.
// Names that become the same are runs of the same job. Normalizing twice changes nothing more.
func Normalize(name string) string {
	if countDigits(name) == 0 { // there is nothing without one
		return name
	}
	for _, r := range rules {
		for r.might(name) { // a match takes its boundary along, so neighbours need another pass
			next := r.expr.ReplaceAllStringFunc(name, func(m string) string { return keepBounds(r.expr, m) })
			if next == name {
				break
			}
			name = next
		}
	}
	return withoutNumbers(name)
}

// The least number of characters of what withoutNumbers replaces.
const (
	hexWord  = 8
	digitRun = 5
)

// withoutNumbers replaces hexadecimal words, and runs of digits in other words.
func withoutNumbers(name string) string {
	var out []byte // nil while it is the name so far
	for at := 0; at < len(name); {
		end, numbers, hex := at, 0, true
		for end < len(name) && isWord(name[end]) {
			if isDigit(name[end]) {
				numbers++
			}
			hex = hex && isHex(name[end])
			end++
		}
		word := name[at:end]
		switch {
		case word == "":
			end = at + 1
			word = name[at:end]
		case hex && numbers > 0 && len(word) >= hexWord:
			word = "#"
		case numbers >= digitRun:
			word = withoutRuns(word)
		}
		if out == nil && word != name[at:end] {
			out = append(make([]byte, 0, len(name)), name[:at]...)
		}
		if out != nil {
			out = append(out, word...)
		}
		at = end
	}
	if out == nil {
		return name
	}
	return string(out)
}

// withoutRuns replaces runs of digits in a word.
func withoutRuns(word string) string {
	var out []byte
	for at := 0; at < len(word); {
		end := at
		for end < len(word) && isDigit(word[end]) {
			end++
		}
		switch {
		case end-at >= digitRun:
			out = append(out, '#')
		case end == at:
			end++
			fallthrough
		default:
			out = append(out, word[at:end]...)
		}
		at = end
	}
	return string(out)
}

// keepBounds replaces a match by "#" between the boundary characters it took along.
func keepBounds(expr *regexp.Regexp, m string) string {
	groups := expr.FindStringSubmatch(m)
	return groups[1] + "#" + groups[len(groups)-1]
}

// Rules describes, for people, what Normalize replaces.
func Rules() []string {
	out := make([]string, 0, len(rules)+2)
	for _, r := range rules {
		out = append(out, r.Name)
	}
	return append(out, "hexadecimal words of 8 or more characters with a digit", "runs of 5 or more digits")
}

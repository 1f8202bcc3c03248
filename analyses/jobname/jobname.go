// Package jobname finds what recurs in the names of runs: a nightly job is often named after its date, so that every run
// has a name of its own.
package jobname

import "strings"

// A rule finds what it replaces by "#".
type rule struct {
	name  string                                          // for people
	might func(name string, digits int) bool              // false for most names in which there is nothing to find
	find  func(name string, at int) (end int, found bool) // what begins at a letter or digit behind none; end is behind it
}

// rules are tried in this order.
var rules = [...]rule{
	{"UUIDs", func(name string, _ int) bool { return len(name) >= 36 && strings.Count(name, "-") >= 4 }, uuid},
	{"dates, with an hour or a clock time behind them", func(_ string, digits int) bool { return digits >= 6 }, date},
	{"clock times", func(name string, digits int) bool { return digits >= 3 && strings.Contains(name, ":") }, clock},
}

// Rules describes, for people, what Normalize replaces.
func Rules() []string {
	out := make([]string, 0, len(rules)+2)
	for _, r := range rules {
		out = append(out, r.name)
	}
	return append(out, "hexadecimal words of 8 or more characters with a digit", "runs of 5 or more digits")
}

// Normalize returns name with dates, clock times, UUIDs, hexadecimal words of 8 or more characters with a digit, and runs
// of 5 or more digits each replaced by "#". Shorter numbers stay: they tell one job from another more often than one run.
// Names that become the same are runs of the same job. Normalizing twice changes nothing more. A name takes some 100 ns.
func Normalize(name string) string {
	digits := countDigits(name)
	if digits == 0 { // there is nothing without one
		return name
	}
	for i := range rules {
		if rules[i].might(name, digits) {
			name = replace(name, rules[i].find)
		}
	}
	return withoutNumbers(name)
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

// replace replaces what find finds, from left to right, between characters that are neither letters nor digits.
func replace(name string, find func(string, int) (int, bool)) string {
	var out []byte // nil while it is the name so far
	for at := 0; at < len(name); {
		if !isWord(name[at]) {
			if out != nil {
				out = append(out, name[at])
			}
			at++
			continue
		}
		end, found := find(name, at)
		if found {
			if out == nil {
				out = append(make([]byte, 0, len(name)), name[:at]...)
			}
			out = append(out, '#')
			at = end
			continue
		}
		end = at
		for end < len(name) && isWord(name[end]) {
			end++
		}
		if out != nil {
			out = append(out, name[at:end]...)
		}
		at = end
	}
	if out == nil {
		return name
	}
	return string(out)
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
		end := at + run(word, at)
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

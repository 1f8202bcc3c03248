// Package jobname finds what recurs in the names of runs: a nightly job is often named after its date, so that every run
// has a name of its own.
package jobname

import "regexp"

// A Rule replaces what its expression matches by "#".
type Rule struct {
	Name string // for people
	expr *regexp.Regexp
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
	{"UUIDs", regexp.MustCompile(before + `[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}` + after)},
	{"dates, with an hour or a clock time behind them", regexp.MustCompile(before +
		`(?:(?:19|20)\d\d([-/._])(?:0?[1-9]|1[0-2])([-/._])(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])[-/.](?:0?[1-9]|[12]\d|3[01])[-/.](?:19|20)\d\d)` +
		`(?:[T :_]` + hour + `(?::` + minute + `){0,2}|T` + hour + minute + `{1,2}|_` + hour + `(?:-` + minute + `-` + minute + `|` + minute + minute + `))?(?:\.\d+)?Z?` + after)},
	{"clock times", regexp.MustCompile(before + `(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?` + after)},
}

var (
	word   = regexp.MustCompile(`[0-9A-Za-z]+`)
	hexa   = regexp.MustCompile(`^[0-9A-Fa-f]{8,}$`)
	digit  = regexp.MustCompile(`\d`)
	digits = regexp.MustCompile(`\d{5,}`)
)

// Normalize returns name with dates, clock times, UUIDs, hexadecimal words of 8 or more characters with a digit, and runs
// of 5 or more digits each replaced by "#". Shorter numbers stay: they tell one job from another more often than one run.
// Names that become the same are runs of the same job. Normalizing twice changes nothing more.
func Normalize(name string) string {
	for _, r := range rules {
		for { // a match takes its boundary along, so neighbours need another pass
			next := r.expr.ReplaceAllStringFunc(name, func(m string) string { return keepBounds(r.expr, m) })
			if next == name {
				break
			}
			name = next
		}
	}
	name = word.ReplaceAllStringFunc(name, func(w string) string {
		if hexa.MatchString(w) && digit.MatchString(w) {
			return "#"
		}
		return w
	})
	return digits.ReplaceAllString(name, "#")
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

package jobname

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

const (
	after  = `(?:$|[^0-9A-Za-z])` // Go's \b counts the underscore as a letter, names of jobs do not
	hour   = `(?:[01]\d|2[0-3])`
	minute = `(?:[0-5]\d)`
)

// expressions define what the rules find, in their order: group 1, at the beginning of a word.
var expressions = []*regexp.Regexp{
	regexp.MustCompile(`^([0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12})` + after),
	regexp.MustCompile(
		`^((?:(?:19|20)\d\d[-/._](?:0?[1-9]|1[0-2])[-/._](?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])[-/.](?:0?[1-9]|[12]\d|3[01])[-/.](?:19|20)\d\d)` +
			`(?:[T :_]` + hour + `(?::` + minute + `){0,2}|T` + hour + minute + `{1,2}|_` + hour + `(?:-` + minute +
			`-` + minute + `|` + minute + minute + `))?(?:\.\d+)?Z?)` + after),
	regexp.MustCompile(`^((?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?)` + after),
}

var (
	word   = regexp.MustCompile(`[0-9A-Za-z]+`)
	hexa   = regexp.MustCompile(`^[0-9A-Fa-f]{8,}$`)
	digit  = regexp.MustCompile(`\d`)
	digits = regexp.MustCompile(`\d{5,}`)
)

// slowly is Normalize by expressions alone.
func slowly(name string) string {
	for _, e := range expressions {
		out := ""
		for at := 0; at < len(name); {
			if m := e.FindStringSubmatch(name[at:]); m != nil && (at == 0 || !isWord(name[at-1])) {
				out += "#"
				at += len(m[1])
				continue
			}
			out += name[at : at+1]
			at++
		}
		name = out
	}
	name = word.ReplaceAllStringFunc(name, func(w string) string {
		if hexa.MatchString(w) && digit.MatchString(w) {
			return "#"
		}
		return w
	})
	return digits.ReplaceAllString(name, "#")
}

func TestNormalizeIsWhatTheExpressionsSay(t *testing.T) {
	for what, pattern := range map[string]string{
		"anything": `([a-gxz]{0,4}|[0-9]{1,7}|2026|1[0-2]|[-_/.:# é]|([0-9a-f]{4}-?){8}|[0-2]?[0-9]:[0-5][0-9])*`,
		"UUIDs":    `([-# x]?[0-9a-f]{8}(-[0-9A-F]{4}){3}-[0-9a-f]{12}[-x]?){1,2}`,
		"dates":    `([-# xT.]?((19|20|21)[0-9]{2}[-/._][01]?[0-9][-/._][0-3]?[0-9]|[0-3]?[0-9][-/.][0-3]?[0-9][-/.](19|20)[0-9]{2})([T :_Z.][0-2][0-9](:?[0-6][0-9]|-[0-6][0-9]){0,3})?(\.[0-9]*)?[ZxT]?){1,3}`,
		"clocks":   `([-# x]?[0-2]?[0-9](:[0-6][0-9]){0,3}(\.[0-9]*)?x?){1,3}`,
	} {
		t.Run(what, func(t *testing.T) {
			names := rapid.StringMatching(pattern)
			rapid.Check(t, func(t *rapid.T) {
				name := names.Draw(t, "name")
				if got, want := Normalize(name), slowly(name); got != want {
					t.Errorf("%q: got %q, want %q", name, got, want)
				}
			})
		})
	}
}

func FuzzNormalize(f *testing.F) {
	for _, name := range []string{"", "sales-2026-11-03", "load 2016-10-05T21:30:00.123Z end", "x_2026-11-03_213000",
		"03.11.2026 7:05", "\xff2026-1-1"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got, want := Normalize(name), slowly(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	})
}

func BenchmarkNormalize(b *testing.B) {
	names := []string{"nightly-index", "job-1234-2026-11-03", "load 2016-10-05T21:30:00.123Z end",
		"run-550e8400-e29b-41d4-a716-446655440000"}
	var n Normalizer
	for b.Loop() {
		for _, name := range names {
			n.Form(name)
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(names))/b.Elapsed().Seconds(), "names/s")
}

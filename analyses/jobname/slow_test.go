package jobname

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// slowly is Normalize by expressions alone.
func slowly(name string) string {
	var (
		word   = regexp.MustCompile(`[0-9A-Za-z]+`)
		hexa   = regexp.MustCompile(`^[0-9A-Fa-f]{8,}$`)
		digit  = regexp.MustCompile(`\d`)
		digits = regexp.MustCompile(`\d{5,}`)
	)
	for _, r := range rules {
		for {
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

func TestNormalizeIsWhatTheExpressionsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`([a-gxz]{0,4}|[0-9]{1,7}|2026|1[0-2]|[-_/.:# é]|([0-9a-f]{4}-?){8}|[0-2]?[0-9]:[0-5][0-9])*`).Draw(t, "name")
		if got, want := Normalize(name), slowly(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	})
}

package cli

import (
	"regexp"
	"strings"
)

// goWords maps messages of Go's libraries for programmers to plain ones.
func goWords() []struct {
	of   *regexp.Regexp
	says string
} {
	type word = struct {
		of   *regexp.Regexp
		says string
	}
	return []word{
		{regexp.MustCompile(`json: cannot unmarshal (\w+) into Go (?:struct field \S+|value) of type (?:struct \{[^}]*\}|\S+)`), "a JSON $1 where another kind of value is wanted"},
		{regexp.MustCompile(`json: unknown field `), "unknown field "},
		{regexp.MustCompile(`invalid character ('(?:[^']|\\')+'|'\\'') [a-z -]+(?:'.')?[a-z -]*`),
			"not valid JSON at $1"},
		{regexp.MustCompile(`unexpected end of JSON input`), "the JSON ends early"},
		{regexp.MustCompile(`strconv\.\w+: parsing ("(?:[^"\\]|\\.)*"): (?:invalid syntax|value out of range)`),
			"$1 is not such a number"},
		{regexp.MustCompile(`runtime error: [a-z ]+(?:\[[^\]]*\])?(?: with (?:length|capacity) \d+)?`),
			"a fault in racecard"},
	}
}

// plainWords replaces messages of Go's libraries in a text.
func plainWords(text string) string {
	if !strings.Contains(text, "json: ") && !strings.Contains(text, "JSON input") &&
		!strings.Contains(text, "invalid character") &&
		!strings.Contains(text, "strconv.") && !strings.Contains(text, "runtime error") {
		return text
	}
	for _, w := range goWords() {
		text = w.of.ReplaceAllString(text, w.says)
	}
	return text
}

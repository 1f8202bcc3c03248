package cli

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

// What Go's libraries say to programmers is said in plain words.
func TestPlainWords(t *testing.T) {
	var n struct{ A int }
	var errs []error
	for _, text := range []string{`{"A":"x"}`, `[1]`, `{`, `{"A":}`, `}`, `{"A":1}x`, "{\"A\":\x01}", `"`, `{'`} {
		errs = append(errs, json.Unmarshal([]byte(text), &n))
	}
	_, err := strconv.Atoi("few")
	errs = append(errs, err)
	_, err = strconv.ParseFloat("1e999", 64)
	errs = append(errs, err)
	func() {
		defer func() { errs = append(errs, recover().(error)) }()
		_ = []int{}[len(errs)]
	}()
	for _, err := range errs {
		if err == nil {
			t.Error("no error")
			continue
		}
		got := plainWords("s/racecard: " + err.Error())
		for _, leak := range []string{"json: ", "Go ", "strconv", "runtime error", "invalid character", "looking for",
			"invalid syntax", "JSON input", "after top-level"} {
			if strings.Contains(got, leak) {
				t.Errorf("%q is said as %q", err, got)
			}
		}
		if !strings.HasPrefix(got, "s/racecard: ") {
			t.Errorf("%q", got)
		}
	}
	if got := plainWords(`job "strconv.old" has no runs`); got != `job "strconv.old" has no runs` {
		t.Errorf("%q", got)
	}
}

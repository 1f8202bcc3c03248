package recipe

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Words replaces the words in {{ }}:
//
//	{{ today }}                   2026-11-22
//	{{ yesterday }}               2026-11-21
//	{{ yesterday YYYY/MM/DD }}    2026/11/21; YYYY, MM and DD stand for year, month and day
//	{{ env NAME }}                a variable of the environment, which must be set
//	{{ trace }}                   the trace that the step is taken for
type Words struct {
	Today time.Time
	Env   func(name string) (string, bool)
}

var braces = regexp.MustCompile(`\{\{([^{}]*)\}\}`)

// fill returns text with its words filled in. trace is "" outside of steps that are taken for every trace.
func (w Words) fill(text, trace string) (string, error) {
	var failed error
	filled := braces.ReplaceAllStringFunc(text, func(m string) string {
		value, err := w.word(strings.Fields(m[2:len(m)-2]), trace)
		if err != nil && failed == nil {
			failed = err
		}
		return value
	})
	if failed == nil && strings.Contains(braces.ReplaceAllString(text, ""), "{{") {
		failed = fmt.Errorf("{{ without }} in %q", text)
	}
	return filled, failed
}

func (w Words) word(words []string, trace string) (string, error) {
	const known = "there are {{ today }}, {{ yesterday }}, both with a form such as YYYY/MM/DD, {{ env NAME }} and " +
		"{{ trace }}"
	if len(words) == 0 || len(words) > 2 {
		return "", fmt.Errorf("{{ %s }}: %s", strings.Join(words, " "), known)
	}
	argument := ""
	if len(words) == 2 {
		argument = words[1]
	}
	switch words[0] {
	case "today":
		return date(w.Today, argument), nil
	case "yesterday":
		return date(w.Today.AddDate(0, 0, -1), argument), nil
	case "env":
		value, ok := w.Env(argument)
		if !ok {
			return "", fmt.Errorf("{{ env %s }}: this variable of the environment is not set", argument)
		}
		return value, nil
	case "trace":
		if trace == "" || argument != "" {
			return "", fmt.Errorf("{{ trace }} is for steps that are taken for every trace")
		}
		return trace, nil
	}
	return "", fmt.Errorf("{{ %s }}: %s", strings.Join(words, " "), known)
}

// date writes a day in a form of YYYY, MM and DD.
func date(t time.Time, form string) string {
	if form == "" {
		form = "YYYY-MM-DD"
	}
	return strings.NewReplacer("YYYY", t.Format("2006"), "MM", t.Format("01"), "DD", t.Format("02")).Replace(form)
}

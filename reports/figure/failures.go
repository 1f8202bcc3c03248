package figure

import (
	"fmt"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// maxReasonBars bounds the reasons with a separate bar.
const maxReasonBars = 12

// reason is a reason why attempts did not succeed, or several.
type reason struct {
	name              string
	attempts, seconds float64
}

// reasonsOf returns the reasons with a separate bar, and the others as one.
func reasonsOf(f *result.Failures) []reason {
	all := lists.Map(f.Reasons, func(r result.Reason) reason {
		name := words.Shorten(r.Reason, 80)
		switch {
		case r.Reason == "":
			name = "(" + words.Shorten(r.Status, 20) + ", no reason given)"
		case r.Status != "failed":
			name += " (" + words.Shorten(r.Status, 20) + ")"
		}
		return reason{name, float64(r.Attempts), largest(r.TaskSeconds)}
	})
	if len(all) <= maxReasonBars {
		return all
	}
	rest := reason{name: "(" + words.Of(len(all)-maxReasonBars, "other reason", "other reasons") + ")"}
	for _, r := range all[maxReasonBars:] {
		rest.attempts, rest.seconds = rest.attempts+r.attempts, rest.seconds+r.seconds
	}
	return append(all[:maxReasonBars], rest)
}

// Failures draws the reasons of unsuccessful attempts: the attempts and the task-seconds of every reason.
func Failures(f *result.Failures, source Source) *Figure {
	all := reasonsOf(f)
	attempts := newBars("", look{colour: style.Alert(), stripe: stripe{3, false}}, 11)
	seconds := newBars("", plain(style.Muted()), 11)
	left := panel{title: "attempts", x: counts(), rowHeight: 22, layers: []layer{attempts}}
	right := panel{title: "task-seconds that they took", x: durations(), rowHeight: 22, layers: []layer{seconds}}
	for i, r := range all {
		left.rows = append(left.rows, category{name: r.name})
		attempts.written(i, r.attempts, words.Count(int64(r.attempts)))
		seconds.written(i, r.seconds, words.Seconds(r.seconds))
		attempts.values = append(attempts.values, Value{r.name, "attempts", r.attempts},
			Value{r.name, "task-seconds", r.seconds})
	}
	right.rows = left.rows
	c := &chart{about: "Bars of the reasons why attempts did not succeed", nothing: "every attempt succeeded",
		columns: 2, narrow: 2, sharedY: true, panels: withRows(left, right)}
	if len(all) > 0 {
		attempts.says = fmt.Sprintf("%s of %s attempts did not succeed; the most frequent reason, %s, has %s",
			words.Count(f.Bad), words.Count(f.Ended), all[0].name, words.Count(int64(all[0].attempts)))
	}
	text := fmt.Sprintf("%s that ended; %s did not succeed, for %s.", words.Of(f.Ended, "task attempt",
		"task attempts"), words.Count(f.Bad), words.Of(len(f.Reasons), "reason", "reasons"))
	text += words.When(f.ReasonNote != "", " %s.", words.Capital(words.Printable(f.ReasonNote)))
	return c.figure("failures", "Why task attempts did not succeed", text+" Reasons are in the trace's own words, "+
		"with long numbers, dates and the like as #.", source, Value{"attempts", "ended", float64(f.Ended)},
		Value{"attempts", "unsuccessful", float64(f.Bad)})
}

package page

import (
	_ "embed"
	"fmt"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
)

// diagnosisTexts are the wordings of checks, apart by empty lines. The first line of each has the id and, unless [says]
// has the sentence, the nouns of one case and of several; then the sentence is the second line. The rest is the
// meaning of a finding.
//
//go:embed diagnoses.txt
var diagnosisTexts string // constant

// diagnoses returns the wording of each check, by its id.
func diagnoses() map[string]diagnosis {
	out, written := map[string]diagnosis{}, says()
	for text := range strings.SplitSeq(strings.TrimSpace(diagnosisTexts), "\n\n") {
		head, rest, _ := strings.Cut(text, "\n")
		id, nouns, _ := strings.Cut(head, ": ")
		d := diagnosis{say: written[id]}
		if d.say == nil {
			d.one, d.many, _ = strings.Cut(nouns, ", ")
			d.what, rest, _ = strings.Cut(rest, "\n")
		}
		d.means = strings.ReplaceAll(rest, "\n", " ")
		out[id] = d
	}
	return out
}

// sentenceOf writes a finding of a check as a whole sentence.
type sentenceOf func(*result.Health, *result.HealthCheck, calendar) string

// says returns the sentences that are more than a count of cases, by the id of the check.
func says() map[string]sentenceOf {
	return map[string]sentenceOf{
		"coverage-gap": sayGaps,
		"not-continuous": func(h *result.Health, _ *result.HealthCheck, _ calendar) string {
			return fmt.Sprintf("Nothing ran in %s of the time between the first and the last instant.",
				words.Percent(h.Coverage.IdleShare))
		},
		"coarse-clock": func(h *result.Health, _ *result.HealthCheck, _ calendar) string {
			return fmt.Sprintf("All times are whole multiples of %s apart.", words.Seconds(h.Clock.ResolutionS))
		},
		"zone-unknown": func(_ *result.Health, _ *result.HealthCheck, dates calendar) string {
			return fmt.Sprintf("Dates and times are written in %s.", dates.zone)
		},
		"unique-names": func(h *result.Health, _ *result.HealthCheck, _ calendar) string {
			return fmt.Sprintf("Names do not recur: %s%s for %s, dates and long numbers aside.",
				words.When(!h.Names.Exact, "about "), words.Of(h.Names.Distinct, "name", "names"),
				words.Of(h.Names.Named, "run", "runs"))
		},
		"generic-names": func(h *result.Health, c *result.HealthCheck, _ calendar) string {
			names := lists.Map(h.Names.Generic, func(name string) string {
				return words.Printable(words.Shorten(name, 60))
			})
			return fmt.Sprintf("Unrelated work runs under one name: %s, in %s.", words.List(names),
				words.Of(c.Count, "run", "runs"))
		},
	}
}

// sayGaps names the longest significant gap.
func sayGaps(h *result.Health, _ *result.HealthCheck, dates calendar) string {
	c := &h.Coverage
	timed := known(c.IdleShare) // times of runs are known
	text := "Nothing was submitted" + words.When(timed, " and nothing ran") + " in " +
		words.Of(c.LongGaps, "stretch", "stretches") + words.When(c.LongGaps > 1, ", the longest")
	if len(c.Gaps) > 0 {
		text += fmt.Sprintf(" of %s, %s", words.Seconds(c.Gaps[0].Seconds),
			between(dates, c.Gaps[0].FromS, c.Gaps[0].ToS))
	}
	return text + fmt.Sprintf("; %s of the span.", words.Percent(c.LongShare))
}

// between writes two instants.
func between(dates calendar, from, to float64) string {
	if dates.base == "unix" {
		return "from " + words.SpanIn(from, to, dates.zone)
	}
	return "from " + words.Seconds(from) + " to " + words.Seconds(to) + " after the start of the trace"
}

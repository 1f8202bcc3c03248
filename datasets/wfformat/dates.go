package wfformat

import (
	"strings"
	"time"

	"racecard/datasets/trace"
)

// layouts are the styles in which runtime systems write dates. Those without a zone are taken as UTC.
func layouts() []string {
	return []string{
		time.RFC3339, // 2020-12-25T20:10:08+00:00, also with fractions of a second
		"2006-01-02T15:04:05Z0700",
		"20060102T150405Z0700",    // 20200403T154235+0000: Pegasus 4.9
		"01-02-06T15:04:05Z07:00", // 05-10-23T16:23:32Z, month first: Pegasus 5.0
		"2006-01-02T15:04:05",
		"2006-01-02 15:04:05Z07:00",
		"2006-01-02 15:04:05",
		"20060102T150405",
		"01-02-06T15:04:05",
		time.RFC1123Z,
		time.RFC1123,
		time.UnixDate,
		time.ANSIC,
	}
}

// date converts a date. The epoch itself stands for an unknown date: null, like a missing one. ok is false for
// text that is not a date.
func date(text string) (at trace.Instant, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return trace.None, true
	}
	for _, layout := range layouts() {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		switch s := t.Unix(); {
		case s == 0:
			return trace.None, true
		case s < -trace.MaxSeconds || s > trace.MaxSeconds:
			return trace.None, false
		}
		return trace.Instant(t.UnixMicro()), true
	}
	return trace.None, false
}

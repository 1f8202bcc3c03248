package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"racecard/datasets/lists"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/pipeline/internal/quantity"
)

// clock is a time of the day, in seconds.
type clock float64

// parseClock reads 07:00 or 07:00:30.
func parseClock(text string) (clock, error) {
	for _, layout := range []string{"15:04", "15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return clock(t.Hour()*3600 + t.Minute()*60 + t.Second()), nil
		}
	}
	return 0, errors.New("want a clock time, such as 07:00")
}

// parseDate reads a date such as 2026-11-22.
func parseDate(text string) (time.Time, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		err = errors.New("want a date, such as 2026-11-22")
	}
	return t, err
}

// on returns the first instant of a clock time on a date, in seconds since 1970; NaN where date is "".
func (c clock) on(date string, zone *time.Location) (float64, error) {
	if date == "" {
		return math.NaN(), nil
	}
	day, err := time.ParseInLocation(time.DateOnly, date, zone)
	if err != nil {
		return 0, usageError{fmt.Errorf("--on: %w", err)}
	}
	return float64(trace.ClockTimes(day.Year(), day.Month(), day.Day(), int(c), zone)[0].Unix()), nil
}

// next returns the first instant that clocks show a time, in seconds since 1970, more than half a day after another: a
// night may be early.
func (c clock) next(after trace.Instant, zone *time.Location) float64 {
	return float64(trace.NextClock(time.UnixMicro(int64(after)).In(zone).Add(day/2*time.Second), int(c)).Unix())
}

// String writes a clock time to the minute, with the day where it is not the first: 07:00, 00:20 on the next day.
func (c clock) String() string { return c.minute().exact() }

// minute returns the nearest minute.
func (c clock) minute() clock { return clock(60 * math.Round(float64(c)/60)) }

// by writes the minute by which something that happens at a clock time has happened.
func (c clock) by() string { return c.minuteBy().exact() }

// minuteBy returns the first minute that is not before a clock time, by more than half a second.
func (c clock) minuteBy() clock { return clock(60 * math.Ceil((float64(c)-0.5)/60)) }

// exact is String to the second: 07:00, 07:00:30.
func (c clock) exact() string {
	seconds := int(math.Round(float64(c)))
	days, of := seconds/day, seconds%day
	if of < 0 {
		days, of = days-1, of+day
	}
	text := fmt.Sprintf("%02d:%02d", of/3600, of/60%60) + words.When(of%60 != 0, ":%02d", of%60)
	switch {
	case days == 1:
		text += " on the next day"
	case days > 1:
		text += fmt.Sprintf(" %d days later", days)
	case days == -1:
		text += " on the day before"
	case days < -1:
		text += fmt.Sprintf(" %d days before", -days)
	}
	return text
}

// clockOf returns the time of the day of an instant of Unix time.
func clockOf(at trace.Instant, zone *time.Location) clock {
	t := time.UnixMicro(int64(at)).In(zone)
	return clock(t.Hour()*3600+t.Minute()*60+t.Second()) + clock(float64(t.Nanosecond())/1e9)
}

// clocksOf returns the times of the day of instants of Unix time. Clocks may be set between them. Jobs that are
// submitted by a clock of another zone, or by an interval, then move by an hour: if the times are nearer to each other
// with the offset from UTC that the zone has at the newest, they are that. Times before a job moved to another time of
// the day are as if they had been after it: see settled.
func clocksOf(at []trace.Instant, zone *time.Location) []clock {
	if len(at) == 0 {
		return nil
	}
	in := func(zone *time.Location) (all []clock) {
		for _, t := range at {
			all = append(all, clockOf(t, zone))
		}
		return all
	}
	_, offset := time.UnixMicro(int64(slices.Max(at))).In(zone).Zone()
	own, fixed := in(zone), in(time.FixedZone("", offset))
	if scatter(fixed) < scatter(own) {
		own = fixed
	}
	settled(at, own)
	return own
}

// sameTime is the distance in seconds within which times of the day are one.
const sameTime = 1200

// settled moves the times of the day before the newest at which a job settled: of runs on different days, at least
// ownNeeded at one time, after others that were mostly at another. A job that ran at 02:00 and runs at 05:00 for a week
// is due at 05:00, and its earlier runs tell how far it strays from that.
func settled(at []trace.Instant, clocks []clock) {
	order := lists.Order(len(at), func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	if len(order) < 2*ownNeeded {
		return
	}
	apart := func(i int, from clock) float64 { return math.Abs(float64(clocks[i].after(from))) }
	usual := func(of []int) clock { return usualClock(lists.Map(of, func(i int) clock { return clocks[i] })) }
	since := len(order) - ownNeeded
	to := usual(order[since:])
	for since > 0 && apart(order[since-1], to) <= sameTime {
		since--
	}
	before := order[:since]
	for k, i := range order[since:] {
		if apart(i, to) > sameTime || k > 0 && at[i].Since(at[order[since+k-1]]).Seconds() < day/2 {
			return
		}
	}
	from := usual(before)
	like := lists.Kept(before, func(i int) bool { return apart(i, from) <= sameTime })
	by := to.after(from)
	if len(before) == 0 || math.Abs(float64(by)) <= 2*sameTime || 4*len(like) < 3*len(before) {
		return
	}
	for _, i := range before {
		clocks[i] = clock(math.Mod(float64(clocks[i]+by)+day, day))
	}
}

// scatter returns the mean distance of times of the day from the usual one, in seconds.
func scatter(all []clock) float64 {
	usual, sum := usualClock(all), 0.0
	for _, c := range all {
		sum += math.Abs(math.Mod(float64(c-usual)+2.5*day, day) - day/2)
	}
	return sum / float64(len(all))
}

// usualClock returns the circular median of times of the day: 23:50 and 00:10 are 20 minutes apart. NaN for none.
func usualClock(all []clock) clock {
	if len(all) == 0 {
		return clock(math.NaN())
	}
	var x, y float64
	for _, c := range all {
		s, co := math.Sincos(2 * math.Pi * float64(c) / day)
		x, y = x+co, y+s
	}
	centre := math.Atan2(y, x) / (2 * math.Pi) * day
	away := make([]float64, 0, len(all))
	for _, c := range all {
		away = append(away, math.Mod(float64(c)-centre+3.5*day, day)-day/2)
	}
	slices.Sort(away)
	return clock(math.Mod(centre+away[len(away)/2]+2*day, day))
}

// until returns the seconds from one clock time to the next other: from 23:00 to 07:00 they are eight hours.
func (c clock) until(other clock) float64 {
	d := math.Mod(float64(other-c)+day, day)
	if d == 0 {
		d = day
	}
	return d
}

// deadline is a clock time, or a time after the submission.
type deadline struct {
	after float64 // seconds; NaN where at counts
	at    clock
}

// parseDeadline reads 07:00 or 45m.
func parseDeadline(text string) (deadline, error) {
	if strings.Contains(text, ":") {
		at, err := parseClock(text)
		return deadline{math.NaN(), at}, err
	}
	after, err := quantity.Range{Unit: quantity.Duration, High: maxSeconds, Above: true}.Parse(text)
	if err != nil {
		return deadline{}, fmt.Errorf("%w, or a clock time, such as 07:00", err)
	}
	return deadline{after: after}, nil
}

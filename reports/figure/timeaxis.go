package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"racecard/datasets/words"
)

const daySeconds = 86_400.0

// clockAxis returns an axis over a period in seconds with steps at round times: since 1970 with dates in a time zone,
// relative times where zone is nil.
func clockAxis(from, to float64, zone *time.Location) axis {
	if !(to > from) {
		to = from + 1
	}
	if zone != nil && math.Abs(from) < 1e11 && math.Abs(to) < 1e11 {
		return dates(between(from, to), zone)
	}
	return spanAxis(from, to, 6, "since the trace's zero")
}

// spanAxis returns an axis over a period in seconds with about so many steps, labelled with their unit and its origin.
func spanAxis(from, to, ticks float64, since string) axis {
	per, unit := clockUnit(to - from)
	a := between(from, to, every(from, to, per*roundUp((to-from)/ticks/per))...)
	return a.in(func(s float64) string { return words.Number(s / per) }).labelled(strings.TrimSpace(unit + " " + since))
}

// clockUnit returns the unit for times on an axis of a length, both in seconds.
func clockUnit(length float64) (seconds float64, name string) {
	switch {
	case length >= 3*daySeconds:
		return daySeconds, "days"
	case length >= 3*3600:
		return 3600, "hours"
	case length >= 3*60:
		return 60, "minutes"
	}
	return 1, "seconds"
}

// every returns the multiples of a step on an axis.
func every(from, to, step float64) []float64 {
	var out []float64
	for k := math.Ceil(from/step - 1e-9); k*step <= to+1e-9*step && len(out) < 20; k++ {
		out = append(out, min(max(k*step, from), to))
	}
	return out
}

// dates gives an axis of Unix times its steps, in a time zone.
func dates(a axis, zone *time.Location) axis {
	length := a.max - a.min
	step := timeStep(length / 6)
	day := words.InstantIn(a.min, zone)[:len(time.DateOnly)]
	form, label := "2 Jan", fmt.Sprintf("date (%s), %s", zone, day[:4])
	switch {
	case step < 60:
		form, label = "15:04:05", fmt.Sprintf("time (%s), %s", zone, day)
	case length <= daySeconds:
		form, label = "15:04", fmt.Sprintf("time (%s), %s", zone, day)
	case step < daySeconds:
		form = "2 Jan 15:04"
	case step < 28*daySeconds:
	default:
		a.steps, form, label = months(a.min, a.max, step, zone)
	}
	if a.steps == nil {
		a.steps = clockSteps(a.min, a.max, step, zone)
	}
	write := func(s float64) string { return time.Unix(int64(math.Round(s)), 0).In(zone).Format(form) }
	return a.in(write).labelled(label)
}

// clockSteps returns the times on an axis of Unix times at which the clocks of a time zone show multiples of a step: of
// days at midnight, of less by the clocks at the beginning of the axis.
func clockSteps(from, to, step float64, zone *time.Location) (out []float64) {
	_, offset := time.Unix(int64(math.Floor(from)), 0).In(zone).Zone()
	ahead := float64(offset)
	if step < daySeconds {
		for _, s := range every(from+ahead, to+ahead, step) {
			out = append(out, min(max(s-ahead, from), to))
		}
		return out
	}
	for k := math.Floor((from+ahead)/step) - 1; len(out) < 20; k++ {
		at := float64(time.Date(1970, 1, 1+int(k*step/daySeconds), 0, 0, 0, 0, zone).Unix())
		if at > to {
			break
		}
		if at >= from {
			out = append(out, at)
		}
	}
	return out
}

// months returns the beginnings of every so many months in a time zone, about a step apart.
func months(from, to, step float64, zone *time.Location) (steps []float64, form, label string) {
	n := 1
	for _, k := range []int{2, 3, 6, 12, 24, 60, 120, 600, 1200, 6000, 12_000} {
		if float64(n)*30*daySeconds < step {
			n = k
		}
	}
	t := time.Unix(int64(from), 0).In(zone)
	t = time.Date(t.Year(), 1, 1, 0, 0, 0, 0, zone)
	if n > 12 {
		t = t.AddDate(-((t.Year()%(n/12) + n/12) % (n / 12)), 0, 0)
	}
	for ; float64(t.Unix()) <= to && len(steps) < 20; t = t.AddDate(0, n, 0) {
		if at := float64(t.Unix()); at >= from {
			steps = append(steps, at)
		}
	}
	if n >= 12 {
		return steps, "2006", "year"
	}
	return steps, "Jan 2006", "month"
}

// roundUp returns the least of 1, 2 and 5 times a power of ten that is at least x, which is positive; also of the given
// multiples between 2 and 5.
func roundUp(x float64, more ...float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range slices.Concat([]float64{1, 2}, more, []float64{5}) {
		if m*power >= x*0.999 {
			return m * power
		}
	}
	return 10 * power
}

// timeStep returns a round length of time of at least s seconds.
func timeStep(s float64) float64 {
	for _, step := range []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
		600, 1800, 3600, 2 * 3600, 6 * 3600, 12 * 3600, daySeconds, 2 * daySeconds, 7 * daySeconds, 14 * daySeconds} {
		if step >= s {
			return step
		}
	}
	return max(s, 28*daySeconds)
}

package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/deadlines/agenda"
)

// Days on which a job runs: weekdays are judged by its newest weeksCounted weeks, where a weekday occurred at least
// weeksNeeded times; days of the month by runs in at least monthsNeeded months. A run belongs to a time of the day if
// it was submitted at most mostAstray seconds before or after that time.
const (
	weeksCounted = 8
	weeksNeeded  = 4
	monthsNeeded = 4
	mostAstray   = day / 8
)

// offDay says why no run of a job is expected on a date, by the dates of past submissions; "" where one may be. A run
// that is late for a time before midnight, or early for one after it, counts for the date of that time.
func offDay(submitted []trace.Instant, date time.Time, zone *time.Location) string {
	submitted = lists.Kept(submitted, trace.Instant.Known)
	clocks := clocksOf(submitted, zone)
	usual := timesOf(submitted, clocks)
	if len(usual) == 0 {
		usual = []clock{usualClock(clocks)}
	}
	var ran []time.Time // dates, ascending
	for _, at := range submitted {
		t, c := time.UnixMicro(int64(at)).In(zone), clockOf(at, zone)
		if late := c.after(nearestClock(usual, c)); math.Abs(float64(late)) <= mostAstray {
			t = t.Add(-time.Duration(float64(late) * float64(time.Second)))
		}
		ran = append(ran, time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC))
	}
	slices.SortFunc(ran, time.Time.Compare)
	ran = slices.CompactFunc(ran, time.Time.Equal)
	if len(ran) == 0 {
		return ""
	}
	none := ": none is expected on " + date.Format(time.DateOnly)
	if which := dayOfMonth(ran); which != "" {
		if dayOfMonth([]time.Time{date}) == which || which != lastOfMonth && date.Day() == ran[0].Day() {
			return ""
		}
		return fmt.Sprintf("all past runs were submitted on %s%s", which, none)
	}
	if on := weekdays(ran, date.Weekday()); len(on) > 0 {
		return fmt.Sprintf("in the %d weeks before the newest run, all runs were submitted on %s%s, a %s", weeksCounted,
			words.List(lists.Map(on, func(d time.Weekday) string { return d.String() + "s" })), none, date.Weekday())
	}
	return ""
}

const lastOfMonth = "the last day of a month"

// dayOfMonth names the day of the month on which all dates are; "" where they differ, or are too few to tell.
func dayOfMonth(dates []time.Time) string {
	switch {
	case !slices.ContainsFunc(dates, func(d time.Time) bool { return d.AddDate(0, 0, 1).Day() != 1 }):
		if len(dates) == 1 || len(dates) >= monthsNeeded {
			return lastOfMonth
		}
	case len(dates) >= monthsNeeded &&
		!slices.ContainsFunc(dates, func(d time.Time) bool { return d.Day() != dates[0].Day() }):
		return fmt.Sprintf("day %d of a month", dates[0].Day())
	}
	return ""
}

// weekdays returns the weekdays on which a job ran in its newest weeks; dates ascend. It returns nil where the job may
// run on another weekday, too, and where it does not keep to weekdays: it ran on less than half of the dates of one.
func weekdays(ran []time.Time, other time.Weekday) (on []time.Weekday) {
	newest := ran[len(ran)-1]
	first := newest.AddDate(0, 0, 1-7*weeksCounted)
	if ran[0].After(first) {
		first = ran[0]
	}
	var dates, with [7]int
	for d := first; !d.After(newest); d = d.AddDate(0, 0, 1) {
		dates[d.Weekday()]++
	}
	for _, d := range ran {
		if !d.Before(first) {
			with[d.Weekday()]++
		}
	}
	if dates[other] < weeksNeeded || with[other] > 0 {
		return nil
	}
	for k := range 7 {
		d := time.Weekday((k + 1) % 7) // weeks begin on Monday
		if with[d] == 0 {
			continue
		}
		if on = append(on, d); 2*with[d] < dates[d] {
			return nil
		}
	}
	return on
}

// startsOf returns when the jobs of a plan are submitted, in seconds from midnight of the day, which begins with the
// job after the longest time without a start.
func startsOf(planned []plannedJob) []float64 {
	starts := lists.Map(planned, func(p plannedJob) float64 { return float64(p.usual) })
	order := slices.Sorted(slices.Values(starts))
	first, gap := order[0], order[0]+day-order[len(order)-1]
	for i := 1; i < len(order); i++ {
		if g := order[i] - order[i-1]; g > gap {
			first, gap = order[i], g
		}
	}
	for i := range starts {
		if starts[i] < first {
			starts[i] += day
		}
	}
	return starts
}

// onDate returns the jobs of a plan that run on a date, with notes: a job that a pattern names is left out where none
// of its runs is expected on the date, and one that is named itself stays. The day begins with a job, as in startsOf:
// those that start at an earlier time of the day are submitted on the next date. Without a date, "", all stay.
func (e *env) onDate(planned []plannedJob, on string) (left []plannedJob, notes []string, err error) {
	if on == "" {
		return planned, seldom(planned), nil
	}
	date, err := time.Parse(time.DateOnly, on)
	if err != nil {
		return nil, nil, usageError{fmt.Errorf("--on: %w", err)}
	}
	zone, first, dropped := e.runs.location(), clock(0), []string{}
	off := func(p *plannedJob) string {
		if p.usual < first {
			return offDay(p.past.Submitted, date.AddDate(0, 0, 1), zone)
		}
		return offDay(p.past.Submitted, date, zone)
	}
	for range mostBeginnings {
		left = lists.Kept(planned, func(p plannedJob) bool { return !p.matched || off(&p) == "" })
		if len(left) == 0 {
			return nil, nil, fmt.Errorf("no job of the plan runs on %s, by the days of past runs; without --on they are "+
				"planned on one day", on)
		}
		begins := clock(math.Mod(slices.Min(startsOf(left)), day))
		if begins == first {
			break
		}
		first = begins
	}
	for i := range planned {
		p := &planned[i]
		switch why := off(p); {
		case why != "" && p.matched:
			dropped = append(dropped, p.name)
		case why != "":
			notes = append(notes, words.Printable(p.name)+": "+why)
		}
	}
	for i := range left {
		left[i].after = lists.Kept(left[i].after, func(name string) bool { return !slices.Contains(dropped, name) })
	}
	if dropped = slices.Compact(slices.Sorted(slices.Values(dropped))); len(dropped) > 0 {
		notes = append(notes, fmt.Sprintf("the day begins on %s at %s; %s left out, as past runs were on other days: %s", on,
			first, words.Of(len(dropped), "job is", "jobs are"), words.List(lists.Map(dropped, words.Printable))))
	}
	return left, slices.Compact(notes), nil
}

// daysOff returns the days about a date on which no run of a job is expected, from the date of its run: -1 is the day
// before. at is the time of that run after midnight of the date, "" where none is planned.
func (j *plannedJob) daysOff(at clock, on string, zone *time.Location) (off []int) {
	date, err := time.Parse(time.DateOnly, on)
	if err != nil {
		return nil
	}
	for by := -agenda.MostAround; by <= agenda.MostAround; by++ {
		if offDay(j.past.Submitted, date.AddDate(0, 0, int(at/day)+by), zone) != "" {
			off = append(off, by)
		}
	}
	return off
}

// mostBeginnings bounds how often the beginning of a day is sought: it depends on the jobs of the day, and these on it.
const mostBeginnings = 8

// seldom names the jobs of a plan that do not run every day, with the typical time between their runs.
func seldom(planned []plannedJob) []string {
	var all []string
	for i := range planned {
		submitted := lists.Kept(planned[i].past.Submitted, trace.Instant.Known)
		slices.Sort(submitted)
		var apart []float64
		for k := 1; k < len(submitted); k++ {
			apart = append(apart, submitted[k].Since(submitted[k-1]).Seconds())
		}
		if every := quantile.Quantile(quantile.Sort(apart), 0.5); len(apart) >= daysNeeded && every >= agenda.SeldomRun*day {
			all = append(all, words.Printable(planned[i].name)+" every "+words.Seconds(every))
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, cmp.Compare[string])
	return []string{"the plan puts jobs on one day that do not run every day; typically: " +
		strings.Join(slices.Compact(all), ", ") + "; --on plans a date"}
}

package cli

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	forecasts "racecard/models/deadlines/forecast"
)

// Runs of a day: at most mostADay of a job are planned. They are known where at least half of the newest days, without
// the first and the last, which the trace may cut off, have that number of runs. A run of the day repeats past runs of
// about its time, if there are that many; else any.
const (
	mostADay    = 48
	daysCounted = 14
	daysNeeded  = 2
	ownNeeded   = 5
)

// entries returns an entry of the plan for each run that a job has on a usual day, with its newest runs. The last run
// before the deadline has it. A job with a given start has one run, and so has a job whose days differ.
func (j *plannedJob) entries(newest int, clocks bool) (out []plannedJob) {
	var slots []clock
	if clocks && math.IsNaN(float64(j.start)) {
		slots = timesOf(lists.Map(j.runs, func(r plannedRun) trace.Instant { return r.at }),
			lists.Map(j.runs, func(r plannedRun) clock { return r.clock }))
	}
	if len(slots) < 2 {
		j.trim(newest)
		return []plannedJob{*j}
	}
	due := nearestBefore(slots, j.deadline)
	of := map[clock][]plannedRun{}
	for _, r := range j.runs {
		c := nearestClock(slots, r.clock)
		of[c] = append(of[c], r)
	}
	for _, c := range slots {
		run := *j
		run.usual, run.several = c, true
		if c != due {
			run.deadline = clock(math.NaN())
		}
		if run.runs = of[c]; len(run.runs) < ownNeeded {
			run.runs = slices.Clone(j.runs)
			for i, r := range run.runs {
				run.runs[i].clock = c + r.clock.after(nearestClock(slots, r.clock))
			}
		}
		run.runs = run.runs[:min(len(run.runs), newest)]
		out = append(out, run)
	}
	return out
}

// fittedRun is a fitted run whose submission is known.
type fittedRun struct {
	id   string
	at   trace.Instant
	took float64
}

// fittedAt returns the fitted runs whose submission is known.
func fittedAt(past *forecasts.Fitted) (all []fittedRun) {
	for i := range past.Profile.Plans {
		for _, r := range past.Profile.Plans[i].RunFactors {
			if r.EndS != nil && r.CompletionS != nil {
				at := trace.Instant(math.Round((*r.EndS - *r.CompletionS) * 1e6))
				all = append(all, fittedRun{r.RunID, at, *r.CompletionS})
			}
		}
	}
	return all
}

func submittedAt(r fittedRun) trace.Instant { return r.at }

// slots returns the times of the day at which a job is usually submitted, as timesOf does.
func (f *fittedRuns) slots(zone *time.Location) []clock {
	return timesOf(f.Submitted, clocksOf(f.Submitted, zone))
}

// runOfDay returns when the run is submitted that is forecast of a job with several runs a day, and a note about it; ""
// for any other job. It is the last run before a deadline that is a clock time: a plan gives it to the same run. Where
// there is no such deadline, and runs at some of the times take longer than at others, it is the next after the newest,
// or the first of a date.
func (e *env) runOfDay(until, on string, fit *fittedRuns) (start, note string) {
	zone := e.runs.location()
	slots := fit.slots(zone)
	if len(slots) < 2 {
		return "", ""
	}
	at, which := slots[0], "the first of the day"
	switch due, err := parseDeadline(until); {
	case err == nil && math.IsNaN(due.after):
		at, which = nearestBefore(slots, due.at), "the last before the deadline"
	case !differ(slots, fittedAt(fit.Past), zone):
		return "", ""
	case on == "":
		newest := slices.Index(fit.Submitted, slices.Max(fit.Submitted))
		last := nearestClock(slots, clocksOf(fit.Submitted, zone)[newest])
		at, which = slots[(slices.Index(slots, last)+1)%len(slots)], "the next after the newest"
	}
	return clock(math.Floor(float64(at))).exact(), fmt.Sprintf("the job usually has %s a day: this is the one at %s, %s",
		words.Of(len(slots), "run", "runs"), at, which)
}

// differ reports whether three of four runs at one time of the day take a tenth longer, or more, than three of four at
// another. Times with few runs do not count.
func differ(slots []clock, runs []fittedRun, zone *time.Location) bool {
	took := map[clock][]float64{}
	for i, c := range clocksOf(lists.Map(runs, submittedAt), zone) {
		of := nearestClock(slots, c)
		took[of] = append(took[of], runs[i].took)
	}
	longest, shortest := math.Inf(-1), math.Inf(1)
	for _, of := range took {
		if len(of) >= ownNeeded {
			sorted := quantile.Sort(of)
			longest = max(longest, quantile.Quantile(sorted, 0.25))
			shortest = min(shortest, quantile.Quantile(sorted, 0.75))
		}
	}
	return longest > 1.1*shortest
}

// likeAt returns the fitted runs from which one is forecast that is submitted at a time of the day, and the submission
// of the newest. Where a job usually has several runs a day these are the runs at about that time, if they are enough;
// else all.
func likeAt(fit *fittedRuns, at clock, zone *time.Location) (past *forecasts.Fitted, newest trace.Instant) {
	runs := fittedAt(fit.Past)
	submitted := lists.Map(runs, submittedAt)
	clocks := clocksOf(submitted, zone)
	slots := timesOf(submitted, clocks)
	own, newest := map[string]bool{}, trace.Instant(trace.None)
	if isNear(slots, at) {
		of := nearestClock(slots, at)
		for i, c := range clocks {
			if nearestClock(slots, c) == of {
				own[runs[i].id], newest = true, max(newest, submitted[i])
			}
		}
	}
	if len(own) < ownNeeded {
		return fit.Past, slices.Max(fit.Submitted)
	}
	return fit.Past.Only(func(id string) bool { return own[id] }), newest
}

// isNear reports whether a time of the day is about one of several, in order: at most a quarter of the way to the next.
func isNear(slots []clock, at clock) bool {
	if len(slots) < 2 {
		return false
	}
	from, to := clock(0), clock(0)
	for i, c := range slots {
		if next := slots[(i+1)%len(slots)]; at == c || clock(c.until(at)) < clock(c.until(next)) {
			from, to = c, next
		}
	}
	passed := clock(math.Mod(float64(at-from)+day, day))
	return min(passed, clock(from.until(to))-passed) <= clock(from.until(to))/4
}

// timesOf returns the times of the day at which a job is usually submitted, in order; none where that is not known.
// clocks are the times of the day of past submissions.
func timesOf(submitted []trace.Instant, clocks []clock) []clock {
	if slices.ContainsFunc(submitted, func(t trace.Instant) bool { return !t.Known() }) {
		return nil
	}
	cut := longestPause(clocks)
	days := map[int64][]clock{} // in seconds after the beginning of the day, in the pause
	for i, t := range submitted {
		at := t.Seconds()
		local := at + float64(clocks[i].after(clock(math.Mod(at, day))))
		number := math.Floor((local - float64(cut)) / day)
		days[int64(number)] = append(days[int64(number)], clock(local-float64(cut)-number*day))
	}
	counted := inOrderOf(days)
	if len(counted) < daysNeeded+2 {
		return nil
	}
	counted = counted[1 : len(counted)-1]
	counted = counted[max(0, len(counted)-daysCounted):]
	numbers := lists.Map(counted, func(d []clock) float64 { return float64(len(d)) })
	n := int(quantile.Quantile(quantile.Sort(numbers), 0.5))
	whole := slices.DeleteFunc(counted, func(d []clock) bool { return len(d) != n })
	if n > mostADay || len(whole) < daysNeeded || 2*len(whole) < len(numbers) {
		return nil
	}
	var out []clock
	for k := range n {
		of := lists.Map(whole, func(d []clock) clock { return d[k] })
		slices.Sort(of)
		out = append(out, clock(math.Mod(float64(cut+of[len(of)/2]), day)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// inOrderOf returns the times of every day, both ascending.
func inOrderOf(days map[int64][]clock) (out [][]clock) {
	for _, n := range slices.Sorted(maps.Keys(days)) {
		slices.Sort(days[n])
		out = append(out, days[n])
	}
	return out
}

// longestPause returns the middle of the longest part of the day without any of the given times.
func longestPause(all []clock) clock {
	sorted := slices.Sorted(slices.Values(all))
	middle, longest := clock(0), clock(-1)
	for i, c := range sorted {
		before := sorted[(i+len(sorted)-1)%len(sorted)]
		if i == 0 {
			before -= day
		}
		if c-before > longest {
			middle, longest = before+(c-before)/2, c-before
		}
	}
	return clock(math.Mod(float64(middle)+day, day))
}

// nearestBefore returns the time of the day, of several, from which another is soonest; any where that is not known.
func nearestBefore(all []clock, due clock) clock {
	return slices.MinFunc(all, func(a, b clock) int { return cmp.Compare(a.until(due), b.until(due)) })
}

// nearestClock returns the time of the day, of several, that is nearest to another.
func nearestClock(all []clock, to clock) clock {
	return slices.MinFunc(all, func(a, b clock) int {
		return cmp.Compare(math.Abs(float64(to.after(a))), math.Abs(float64(to.after(b))))
	})
}

// after returns the seconds from another time of the day to this one, at most half a day in either direction.
func (c clock) after(other clock) clock {
	return clock(math.Mod(float64(c-other)+2.5*day, day) - day/2)
}

// waitsFor returns the entries of a plan that one entry waits for: those that it is told to come after, and earlier
// ones whose output it reads. Of a job with several runs that is the last run before. starts are in seconds from
// midnight of the first day.
func waitsFor(planned []plannedJob, starts []float64, i int) (after []int) {
	p := &planned[i]
	for k := range planned {
		o := &planned[k]
		named := slices.Contains(p.after, o.name)
		switch {
		case k == i && named: // which is an error
			after = append(after, k)
		case k == i || p.several && o.name == p.name || !named && !reads(p, o):
		case starts[k] < starts[i]:
			if of := slices.IndexFunc(after, func(a int) bool { return o.several && planned[a].name == o.name }); of < 0 {
				after = append(after, k)
			} else if starts[k] > starts[after[of]] {
				after[of] = k
			}
		case named && !p.several && !o.several:
			after = append(after, k)
		}
	}
	return after
}

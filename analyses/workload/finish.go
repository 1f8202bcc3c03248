package workload

import (
	"context"
	"fmt"

	"racecard/analyses/digest"
	"racecard/analyses/distfit"
	"racecard/analyses/internal/uint128"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/words"
)

// minFit is the least number of values to which distributions are fitted.
const minFit = 20

// Finish computes the result.
func (p *Partial) Finish(ctx context.Context) (*result.Workload, error) {
	w := &result.Workload{
		Header: result.Header{Available: true, Needs: Needs()}, Runs: p.runs, ByStatus: map[string]int64{},
		TimeBase: "relative",
		Fits:     []result.Fitted{},
	}
	if p.opts.Unix {
		w.TimeBase = "unix"
	}
	for s, n := range p.byStatus {
		w.ByStatus[s.String()] = n
	}
	arrivals := inOrder(p.arrivals)
	gaps := digest.New(int64(len(p.arrivals)))
	for i := 1; i < len(p.arrivals); i++ {
		gaps.Add(arrivals.at[i] - arrivals.at[i-1])
	}
	for _, step := range []func(){
		func() { w.Arrivals = p.arrivalStats(arrivals, gaps) },
		func() { w.Durations = p.durationStats() },
		func() { w.TasksPerJob = p.taskStats() },
		func() { w.TaskDurations = p.taskDurationStats() },
		func() { w.Concurrency = p.concurrencyStats() },
		func() { w.Failures, w.Machines = p.failureStats() },
		func() { w.Cutoff = p.cutoffStats() },
		func() { w.Intervals = p.intervals() },
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		step()
	}
	w.Warnings = p.warnings(w)
	var err error
	w.Fits, err = p.fits(ctx, gaps)
	return w, err
}

// fits fits distributions to the sets of numbers that the trace holds.
func (p *Partial) fits(ctx context.Context, gaps *digest.Digest) ([]result.Fitted, error) {
	out, none := []result.Fitted{}, digest.New(0)
	for _, set := range []struct {
		key, what, unit string
		of              *digest.Digest
		scale           float64
		reading         distfit.Reading
		open            *digest.Digest // lower bounds of durations that had not ended
		censored        int64          // number of values that had not ended
		called          string
	}{
		{"interarrival_s", "time between one arrival and the next", "s", gaps, microseconds, distfit.Rounded, none, 0,
			""},
		{"completion_s", "completion time of a run", "s", p.completion, microseconds, distfit.Rounded, p.open,
			p.censored, "runs"},
		{"tasks_per_job", "tasks of a run", "", p.tasks, count, distfit.Counted, none, 0, ""},
		{"task_duration_s", "duration of a task attempt", "s", p.duration, microseconds, distfit.Rounded, p.openTasks,
			p.attempts[trace.Running], "attempts"},
	} {
		if set.of.N() == 0 {
			continue
		}
		values, counts := set.of.Table(maxDistinct, set.scale)
		step := float64(set.of.Step()) / set.scale
		s := distfit.NewSample(values, counts, step, set.reading)
		open := s.Censor(set.open.Table(maxOpen, set.scale))
		f := &result.Fitted{N: s.N(), Open: open, LeftOut: s.Dropped, Distinct: s.Distinct(),
			Families: []result.FamilyFit{}, At: []float64{}}
		switch {
		case s.N() < minFit:
			f.Warnings = append(f.Warnings,
				fmt.Sprintf("there are %d positive values: nothing is fitted to less than %d", s.N(), minFit))
		case s.Distinct() < 2:
			f.Warnings = append(f.Warnings, "all values are equal: nothing is fitted")
		default:
			o := distfit.DefaultOptions()
			o.Resamples, o.Seed, o.Purpose = p.opts.Resamples, p.opts.Seed, set.key
			var err error
			if f, err = distfit.Compare(ctx, s, o); err != nil {
				return nil, fmt.Errorf("%s: %w", set.key, err)
			}
		}
		f.Of, f.What, f.Unit, f.Step = set.key, set.what, set.unit, step
		f.Lost = set.censored - open
		f.Curve = curve(values, counts, s)
		f.Warnings = append(f.Warnings, censored(f, set.called)...)
		if many := float64(f.LeftOut); many > 0.02*float64(f.N+f.LeftOut) {
			f.Warnings = append(f.Warnings, fmt.Sprintf("%.0f%% of the values are 0 and left out: the rest is fitted",
				100*many/float64(f.N+f.LeftOut)))
		}
		if f.Coarse {
			f.Warnings = append(f.Warnings, "the values are whole multiples of a step that is coarse against them: "+
				"each stands for all that is read as it")
		}
		out = append(out, *f)
	}
	return out, nil
}

// censored describes the treatment of runs and attempts that had not ended.
func censored(f *result.Fitted, what string) (warnings []string) {
	if f.Open > 0 && len(f.Families) > 0 {
		warnings = append(warnings, fmt.Sprintf("%s %s had not ended: they are fitted as longer than they were seen "+
			"to last (right censoring), D is the distance from the estimate of Kaplan and Meier, and "+
			"the fits are not tested", words.Count(f.Open), what))
	}
	if f.Lost > 0 {
		warnings = append(warnings, fmt.Sprintf("%s %s had not ended, and it is not known how long they lasted: they "+
			"are left out, so long ones are too few", words.Count(f.Lost), what))
	}
	return warnings
}

// ended is the number of attempts with a known outcome.
func (p *Partial) ended() int64 {
	var n int64
	for s, k := range p.attempts {
		if status := trace.Status(s); status == trace.Succeeded || badly(status) {
			n += k
		}
	}
	return n
}

func (p *Partial) failureStats() (result.Failures, []result.MachineLoad) {
	f := result.Failures{
		Header: p.header(partFailures), Ended: p.ended(), ByStatus: map[string]result.Spent{}, WastedShare: unknown(),
		Reasons: p.reasons.list(), ReasonNote: p.reasons.note(),
		Retries: result.Retries{Retried: p.retried, Speculative: p.speculative, Attempts: []int64{}},
		Extremes: append(p.longestWaste.attempts("longest unsuccessful attempt, s", microseconds),
			p.retries.runs("most attempts after a task's first", count)...),
	}
	var wasted, spent uint128.Sum
	for s, n := range p.attempts {
		status := trace.Status(s)
		if f.Attempts += n; n > 0 {
			f.ByStatus[status.String()] = result.Spent{Attempts: n, TaskSeconds: p.time[s].Float64() / microseconds}
		}
		switch {
		case badly(status):
			f.Bad += n
			wasted.AddSum(p.time[s])
			spent.AddSum(p.time[s])
		case status == trace.Succeeded:
			spent.AddSum(p.time[s])
		}
	}
	f.WastedS = wasted.Float64() / microseconds
	if all := spent.Float64(); all > 0 {
		f.WastedShare = result.Number(wasted.Float64() / all)
	}
	last := 0
	for i, n := range p.perTask {
		if f.Retries.Tasks += n; n > 0 {
			last = i + 1
		}
	}
	f.Retries.Attempts = append(f.Retries.Attempts, p.perTask[:last]...)
	var machines []result.MachineLoad
	machines, f.Machines = machineStats(p.machines)
	return f, machines
}

// warnings returns the warnings for readers of the numbers.
func (p *Partial) warnings(w *result.Workload) []string {
	var out []string
	if p.byStart > 0 {
		out = append(out, fmt.Sprintf("%s of %s starts: no submission is recorded for these runs",
			words.Count(p.byStart), words.Of(len(p.arrivals), "arrival is", "arrivals are")))
	}
	if p.unknownEnd > 0 {
		out = append(out, fmt.Sprintf("%s of runs of which the trace does not say whether they succeeded",
			words.Of(p.unknownEnd, "completion time is", "completion times are")))
	}
	if p.censored > 0 {
		out = append(out, fmt.Sprintf("%s had not ended when the trace did: summaries of completion times leave them "+
			"out, so long ones are too few there", words.Of(p.censored, "run", "runs")))
	}
	if e := w.TaskDurations.Error; e > 0 {
		out = append(out, fmt.Sprintf("percentiles of task durations are within %.2f%%: the values did not fit into "+
			"the memory", 100*e))
	}
	if t := w.Concurrency.Tasks; t != nil && t.PeakError != "" {
		out = append(out, "attempts under way at once: "+t.PeakError)
	}
	return out
}

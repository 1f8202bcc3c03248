package page

import (
	"fmt"

	"racecard/datasets/result"
	"racecard/datasets/words"
)

// diagnoses returns the wording of each check, by its id.
func diagnoses() map[string]diagnosis {
	return map[string]diagnosis{
		"far-instants": {"Times lie far outside the rest of the trace", "time", "times", nil,
			"They would stretch the span, and lower every rate over it: coverage here leaves them out. Look at the " +
				"runs named; a time that stands for unknown should be empty."},
		"implausible-year": {"Times lie outside the years 1990 to 2099", "time", "times", nil,
			"In Unix time, a 0 or a largest number stands for unknown, or the unit is another: waiting and " +
				"completion times of these runs are wrong. Mend the source and import again."},
		"before-zero": {"Times lie before the trace's own start", "time", "times", nil, "These rows were there " +
			"before the recording began: leave them out of arrivals. Other work of that time is not recorded."},
		"beyond-relative": {"Times lie more than 20 years after the start of the trace", "time", "times", nil,
			"They look like Unix times or like another unit: spans and rates are wrong. Check the format that the " +
				"trace was imported with."},
		"out-of-range": {"Times lie beyond any calendar", "time", "times", nil,
			"A largest number, such as 2^63 − 1, stands for unknown: it should be empty. These times are left out " +
				"here; other analyses are wrong for these runs."},
		"coverage-gap": {say: sayGaps,
			means: "Arrivals do not pause that long by chance: nights, maintenance, or lost data. Rates and " +
				"utilisation over the whole span are too low by it; compare stretches without gaps."},
		"not-continuous": {say: func(h *result.Health, _ *result.HealthCheck, _ calendar) string {
			return fmt.Sprintf("Nothing ran in %s of the time between the first and the last instant.",
				words.Percent(float64(h.Coverage.IdleShare)))
		}, means: "The runs were collected, not recorded in one stretch, or the cluster was nearly idle: arrival " +
			"rates, concurrency and utilisation over the span say little. Statistics of single runs hold."},
		"begins-at-first-instant": {"Runs begin at the very first instant", "run", "runs", nil,
			"They were there before the recording began, or arrivals are not recorded: leave them out of arrivals " +
				"and completion times (left truncation)."},
		"ends-at-last-instant": {"Runs end at the very last instant", "run", "runs", nil,
			"They were cut off when the recording ended: their completion times are too short (right censoring)."},
		"without-begin": {"Runs have neither a submission nor a start", "run", "runs", nil, "They began before the " +
			"recording did, or the trace does not say: no completion times, and no place among the arrivals."},
		"without-end": {"Runs have no end", "run", "runs", nil, "They outlived the recording, or the trace does not " +
			"say: completion times leave them out, which favours short runs (right censoring)."},
		"coarse-clock": {say: func(h *result.Health, _ *result.HealthCheck, _ calendar) string {
			return fmt.Sprintf("All times are whole multiples of %s apart.",
				words.Seconds(float64(h.Clock.ResolutionS)))
		}, means: "Durations of a few such units are rounded, and many events share an instant: medians and " +
			"variation of short tasks partly reflect the clock."},
		"mixed-clock": {"Some times are whole seconds, others are finer", "time", "times", nil,
			"Columns come from different clocks: the order of events within one second is unknown."},
		"zone-unknown": {say: func(_ *result.Health, _ *result.HealthCheck, dates calendar) string {
			return fmt.Sprintf("Dates and times are written in %s.", dates.zone)
		},
			means: "Where the cluster's users live is not recorded: the hour of the day and the day of the week may " +
				"be shifted."},

		"reversed-times": {"Ends lay before starts, or times were 0", "row", "rows", nil,
			"Such values were set to unknown by the import, or their records rejected: completion times leave these " +
				"rows out. See the repairs."},
		"run-before-submit": {"Runs start before they were submitted", "run", "runs", nil, "Clocks differ, or a time " +
			"means something else: waiting times are negative. Leave them out, or count them as 0."},
		"stage-before-parent": {"Stages start before their parent ended", "edge from all tasks to all",
			"edges from all tasks to all", nil,
			"Either the recorded start is the start of queueing, or parent and child overlap, as in MapReduce: critical " +
				"paths in seconds and replays that wait for the parent take longer than the runs did."},
		"stage-overlaps-parent": {"Stages start before a parent ended, on edges of unknown type", "edge", "edges", nil,
			"These edges are no barriers: critical paths in seconds and replays, which treat them as such, take " +
				"longer than the runs did."},
		"stage-outside-run": {"Stages lie partly outside their run", "stage", "stages", nil,
			"Times of runs and stages come from different clocks or events: completion times are too short where " +
				"stages end later than their run."},
		"attempt-before-submit": {"Attempts start before their run was submitted", "attempt", "attempts", nil,
			"Clocks of machines and scheduler differ, or the run was submitted again: waiting times are " +
				"negative. Leave these attempts out of waiting times."},
		"attempt-before-stage": {"Attempts start before their stage", "attempt", "attempts", nil,
			"The stage does not start with its first task: spans of stages are too short. Use the attempts."},
		"attempt-after-run": {"Attempts end after their run ended", "attempt", "attempts", nil,
			"The run ends before its last attempt: copies killed late, clean-up, or clocks that " +
				"differ. Completion times are right for the user, busy time beyond the end belongs to no run."},
		"queued-after-start": {"Attempts are queued after they started", "attempt", "attempts", nil,
			"Waiting times are negative: clocks differ. Leave these attempts out of waiting times."},
		"duration-differs": {"Stated durations differ from end − start", "attempt", "attempts", nil,
			"The trace contradicts itself: decide which is right before any statistic of durations."},
		"attempts-overlap": {"Attempts of one task overlap, and none is marked as a speculative copy", "retry",
			"retries", nil, "Copies that the trace does not mark, or retries before a failure was noticed: count " +
				"work by attempt, not by task."},
		"outside-machine-lifetime": {"Attempts ran when their machine was not there", "attempt", "attempts", nil,
			"Capacity over time is too small: utilisation may exceed 100%. Clocks differ, or events of machines are " +
				"missing."},
		"zero-runs": {"Runs last 0 s", "run", "runs", nil, "They never ran, or ended within one tick of the clock: " +
			"variation relative to the mean and ratios to the duration are not defined for them."},
		"zero-stages": {"Stages last 0 s", "stage", "stages", nil,
			"They never ran, or ended within one tick of the clock: they weigh nothing on a critical path."},
		"zero-attempts": {"Attempts last 0 s", "attempt", "attempts", nil, "They never ran, or ended within one tick " +
			"of the clock: distributions of task durations begin at the clock's resolution."},
		"long-runs": {"Runs take more than a year", "run", "runs", nil, "A time is wrong or in another unit: these " +
			"runs decide means and totals. Look at them before anything else."},
		"long-attempts": {"Attempts take more than a year", "attempt", "attempts", nil,
			"A time is wrong or in another unit: these attempts decide task-seconds and utilisation."},

		"duplicate-ids": {"Ids or rows occurred more than once", "row", "rows", nil,
			"One of each was kept or they were told apart by their order. Many of them mean that inputs overlap: " +
				"counts and rates depend on which was kept."},
		"cycles": {"Dependencies form cycles", "row", "rows", nil, "Edges were dropped or runs rejected: paths and " +
			"barriers of such runs are too small. Check what a dependency means in this trace."},
		"unknown-parents": {"Stages name parents that do not exist", "row", "rows", nil,
			"These edges were dropped: such stages look like inputs, paths are too short and input work too large."},
		"runs-without-stages": {"Runs have no stage", "run", "runs", nil, "Metrics of graphs leave them out."},
		"stages-without-attempts": {"Stages have no attempt, although the trace holds attempts", "stage", "stages", nil,
			"They never started, or their attempts are not recorded: work and concurrency of their runs are too small."},
		"attempts-without-count": {"Stages do not state how many tasks they have", "stage with attempts",
			"stages with attempts", nil, "The tasks seen are all that is known: those that never started are missing."},
		"task-count-differs": {"Stages state another number of tasks than attempts were seen of", "stage with attempts",
			"stages with attempts", nil,
			"Attempts are missing, or the run was cut off: work is too small. Simulators take the tasks that were seen."},
		"io-without-stages": {"Runs read or write datasets but have no stage", "run with datasets",
			"runs with datasets", nil, "Dependencies between runs are known for them, their work is not."},
		"unknown-machine": {"Attempts ran on machines that the table of machines lacks", "attempt", "attempts", nil,
			"Capacity is too small: utilisation per machine leaves these attempts out or exceeds 100%."},
		"without-name": {"Runs have no name", "run", "runs", nil,
			"They cannot be recognised as runs of a recurring job: recurrence leaves them out."},
		"without-user": {"Runs have no user", "run", "runs", nil, "Shares per user leave them out."},
		"without-group": {"Runs have no group", "run", "runs", nil, "Shares per group leave them out; dependencies " +
			"between groups cannot be counted for them."},
		"unique-names": {say: func(h *result.Health, _ *result.HealthCheck, _ calendar) string {
			return fmt.Sprintf("Names do not recur: %s%s for %s, dates and long numbers aside.",
				words.When(!h.Names.Exact, "about "), words.Of(h.Names.Distinct, "name", "names"),
				words.Of(h.Names.Named, "run", "runs"))
		}, means: "Names look like ids: hardly any job recurs, and nothing can be learned from its past runs."},

		"generic-names": {say: func(h *result.Health, c *result.HealthCheck, _ calendar) string {
			var names []string
			for _, name := range h.Names.Generic {
				names = append(names, words.Printable(words.Shorten(name, 60)))
			}
			return fmt.Sprintf("Unrelated work runs under one name: %s, in %s.", words.List(names),
				words.Of(c.Count, "run", "runs"))
		}, means: "Their graphs of stages differ from run to run: they are no recurring job. `import --job-key` " +
			"tells them apart by a property, such as a DAG id."},

		"implausible-cpu": {"Tasks use more than 10,000 cores", "row", "rows", nil,
			"The unit is not cores, perhaps hundredths or thousandths of one: amounts of cpu are wrong by that factor."},
		"implausible-mem": {"Tasks use more than a petabyte of memory", "row", "rows", nil,
			"The unit is not bytes: amounts of memory are wrong by a factor."},
		"normalised": {"Columns said to be in bytes look normalised", "column in bytes", "columns in bytes", nil,
			"Their values are too small for bytes: use them as shares, and do not add or compare them with bytes."},
		"constant-columns": {"Columns hold one value only", "column of at least ten values",
			"columns of at least ten values", nil,
			"A default, a limit, or a converter's filling: results that depend on them reflect that, not the cluster."},
		"input-zero": {"Inputs are 0 bytes", "run with a stated input", "runs with a stated input", nil,
			"Inputs were not recorded: groups of runs with similar input mean nothing."},

		"status-unknown": {"Runs do not say how they ended", "run", "runs", nil,
			"What is counted over succeeded runs leaves them out; failures among them are not seen."},
		"still-running": {"Runs had not ended when the trace did", "run with a known status",
			"runs with a known status", nil,
			"They are censored: completion times leave them out, which favours short runs."},
		"failed-runs": {"Runs failed, were killed, evicted or lost", "run with a known status",
			"runs with a known status", nil,
			"Completion times and recurrence leave them out; the work they did counts."},
		"failed-attempts": {"Attempts failed, were killed, evicted or lost", "attempt with a known status",
			"attempts with a known status", nil,
			"Their work counts; their durations are not durations of whole tasks."},
		"rejected-records": {"Records could not be used", "record", "records", nil, "They are kept, with file, line " +
			"and reason, in the store's table rejects: if they are not alike by chance, statistics are biased."},
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
	return text + fmt.Sprintf("; %s of the span.", words.Percent(float64(c.LongShare)))
}

// between writes two instants.
func between(dates calendar, from, to float64) string {
	if dates.base == "unix" {
		return "from " + words.SpanIn(from, to, dates.zone)
	}
	return "from " + words.Seconds(from) + " to " + words.Seconds(to) + " after the start of the trace"
}

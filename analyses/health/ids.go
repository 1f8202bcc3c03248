package health

import (
	"maps"
	"slices"
	"strings"

	"racecard/datasets/trace"
)

// addIDs looks for rows that lack the row they belong to.
func (p *Partial) addIDs(run *trace.Run) {
	p.see(runsWithoutStages)
	if len(run.Stages) == 0 {
		p.hit(runsWithoutStages, run, nowhere)
	}
	if len(run.IO) > 0 {
		p.see(ioWithoutStages)
		if len(run.Stages) == 0 {
			p.hit(ioWithoutStages, run, nowhere)
		}
	}
	for i := range run.Stages {
		s, seen, at := &run.Stages[i], &p.spans[i], place{int32(i), -1, -1}
		p.see(stagesWithoutAttempts)
		if seen.attempts == 0 {
			p.hit(stagesWithoutAttempts, run, at)
			continue
		}
		p.see(attemptsWithoutCount)
		if s.Tasks == trace.None {
			p.hit(attemptsWithoutCount, run, at)
			continue
		}
		p.see(taskCountDiffers)
		if seen.tasks != s.Tasks {
			p.hit(taskCountDiffers, run, at)
		}
	}
	p.addNames(run)
}

// finishOrphans drops findings of stages without attempts if the trace has no attempts at all.
func (p *Partial) finishOrphans() {
	if p.attempts == 0 {
		p.tallies[stagesWithoutAttempts] = tally{}
	}
}

// finishRecords judges the rejects and repairs of the import.
func (p *Partial) finishRecords() {
	r := &p.opts.Records
	if r.Read == 0 { // the counts of the import are unknown
		return
	}
	rejected := &p.tallies[rejectedRecords]
	rejected.take(r.Rejected, func(string) bool { return true })
	rejected.of = r.Read
	if rejected.count > 0 && 100*rejected.count >= rejected.of {
		rejected.level = bad
	}
	rows := p.runs + p.stages + p.attempts + rejected.count
	for _, k := range []struct {
		c  check
		of func(kind string) bool
	}{
		{duplicateIDs, func(kind string) bool {
			return strings.Contains(kind, "duplicate") || strings.Contains(kind, "twice")
		}},
		{cycles, isCycle},
		{unknownParents, func(kind string) bool { return strings.Contains(kind, "parent") && !isCycle(kind) }},
		{reversedTimes, func(kind string) bool {
			return strings.Contains(kind, "end before") || strings.Contains(kind, "before its start") ||
				strings.Contains(kind, "time of 0")
		}},
	} {
		t := &p.tallies[k.c]
		t.take(r.Rejected, k.of)
		t.take(r.Repairs, k.of)
		t.of = rows
	}
}

func isCycle(kind string) bool { return strings.Contains(kind, "cycl") }

// take counts rejects or repairs of some kinds.
func (t *tally) take(counts map[string]int64, of func(kind string) bool) {
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		if of(kind) && counts[kind] > 0 {
			t.count += counts[kind]
			t.names = append(t.names, kind)
		}
	}
}

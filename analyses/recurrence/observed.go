package recurrence

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/trace"
)

// StragglerFactor is the multiple of the median of its stage above which an attempt is a straggler.
const StragglerFactor = 1.5

// observed is the kept part of a succeeded run with a known completion time.
type observed struct {
	id      string
	at      trace.Instant // submitted, or started where that is not known
	seconds float64       // completion time
	queued  float64       // seconds from submit to start; NaN when not known
	input   int64         // bytes
	tokens  int64         // guaranteed
	spare   float64       // share of attempts on spare tokens among the marked ones; NaN if none is marked
	// share of its task-seconds in attempts that failed, were killed, evicted or lost; NaN without any, and where no
	// attempt says how it ended
	lost   float64
	work   float64 // task-seconds of all attempts; NaN when the trace states no durations
	excess float64 // task-seconds by which stragglers exceed the medians of their stages

	attempts, stragglers int32 // with a known duration
}

// observe measures a run whose completion time is known. room is scratch memory.
func observe(run *trace.Run, seconds float64, room *[]float64) observed {
	o := observed{
		id: run.ID, at: run.Submit, seconds: seconds, queued: run.Start.Since(run.Submit).Seconds(),
		input:  run.InputBytes,
		tokens: run.Guaranteed, spare: math.NaN(), lost: math.NaN(), work: math.NaN(),
	}
	if !o.at.Known() {
		o.at = run.Start
	}
	if o.queued < 0 {
		o.queued = math.NaN()
	}
	var spare, notSpare, work, lost float64
	stated := false // how attempts ended
	for i := range run.Attempts {
		a := &run.Attempts[i]
		switch a.Spare {
		case trace.Yes:
			spare++
		case trace.No:
			notSpare++
		}
		if !a.Duration.Known() {
			continue
		}
		o.attempts++
		s := a.Duration.Seconds()
		work += s
		stated = stated || a.Status != trace.StatusUnknown
		switch a.Status {
		case trace.Failed, trace.Killed, trace.Evicted, trace.Lost:
			lost += s
		}
	}
	if spare+notSpare > 0 {
		o.spare = spare / (spare + notSpare)
	}
	if o.attempts > 0 {
		o.work = work
	}
	if work > 0 && stated {
		o.lost = lost / work
	}
	for from := 0; from < len(run.Attempts); { // attempts of a stage lie together
		to := from + 1
		for to < len(run.Attempts) && run.Attempts[to].Stage == run.Attempts[from].Stage {
			to++
		}
		o.straggle(run.Attempts[from:to], room)
		from = to
	}
	return o
}

// straggle counts the stragglers of a stage: attempts longer than StragglerFactor times the median of the succeeded
// attempts, or of all if none succeeded.
func (o *observed) straggle(attempts []trace.Attempt, room *[]float64) {
	durations := (*room)[:0]
	for _, succeeded := range []bool{true, false} {
		for i := range attempts {
			if a := &attempts[i]; a.Duration.Known() && (!succeeded || a.Status == trace.Succeeded) {
				durations = append(durations, a.Duration.Seconds())
			}
		}
		if len(durations) > 0 {
			break
		}
	}
	*room = durations
	if len(durations) == 0 {
		return
	}
	slices.Sort(durations)
	median := (durations[(len(durations)-1)/2] + durations[len(durations)/2]) / 2
	for i := range attempts {
		if a := &attempts[i]; a.Duration.Known() && a.Duration.Seconds() > StragglerFactor*median {
			o.stragglers++
			o.excess += a.Duration.Seconds() - median
		}
	}
}

// inTime orders runs by time, then by id; runs with unknown times come first.
func inTime(a, b observed) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) }

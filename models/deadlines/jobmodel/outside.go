package jobmodel

import (
	"math"
	"slices"

	"racecard/datasets/modelfile"
	"racecard/models/deadlines/internal/law"
)

// Beyond the tokens and inputs of past runs the law of whole runs is uncertain. This file bounds its times by what must
// hold of any run, and makes them no surer than past runs allow.

// farther bounds the width of forecasts on more or fewer tokens than past runs held. Past runs may agree with their
// simulation to a percent, but do not show how much more tasks slow each other down on more tokens, or how much less on
// fewer. The logarithm of the run's time has a standard deviation of at least a share of the change of the logarithm of
// tasks' times. Above several numbers of tokens it is also at least perFold for each e-fold, as a run may leave tokens
// unused. From the TPC-H queries of ../shared.
//
// Where nothing can be simulated, the law of whole runs does not show what fewer tokens do, such as too little memory.
// On fewer than were held the standard deviation is at least fewer times the square of the e-folds below them; beyond
// one e-fold, times their number. From the jobs of C3O in ../shared, on two machines.
//
// Past runs whose inputs hardly differ do not show what another input does, however alike their times are: the standard
// deviation is at least perInput for each e-fold of [outsideInputs]. From C3O, TPC-H from one scale to another, and
// recurring Spark jobs in ../shared.
var farther = struct{ share, perFold, fewer, perInput float64 }{0.4, 0.08, 0.5, 0.2}

// outsideInputs returns by how many e-folds an input lies outside the inputs of past runs, less the e-folds that these
// span: over as many, they show the effect of the input. It also returns the nearest input of a past run.
func outsideInputs(past []law.Run, bytes float64) (folds, nearest float64) {
	seen := newSpan()
	for _, r := range past {
		if r.Seconds > 0 && r.InputBytes > 0 {
			seen.add(r.InputBytes)
		}
	}
	if !(bytes > 0 && seen.low <= seen.high) {
		return 0, bytes
	}
	return max(0, math.Log(max(bytes/seen.high, seen.low/bytes))-math.Log(seen.high/seen.low)),
		min(max(bytes, seen.low), seen.high)
}

// widen makes equally likely times of a run as wide as farther.perInput demands where past runs had smaller inputs, or
// larger ones. On one side it goes no further than to the times of the nearest input, as a run of more input takes no
// less time.
func (j *Job) widen(times []float64, past []law.Run, next law.Next, prior law.Prior) {
	folds, nearest := outsideInputs(past, next.InputBytes)
	same := next
	same.InputBytes = nearest
	if next.Least = farther.perInput * folds; next.Least <= same.Least {
		return
	}
	f, _ := j.laws.Predict(past, next, prior)
	unlike := f.Times(len(times), &j.standards)
	f, _ = j.laws.Predict(past, same, prior)
	for q, t := range f.Times(len(times), &j.standards) {
		if next.InputBytes > nearest {
			times[q] = max(unlike[q], min(times[q], t))
		} else {
			times[q] = min(unlike[q], max(times[q], t))
		}
	}
}

// bounded raises equally likely times of a run on more tokens than past runs held, or on any number where that is not
// known, to the least times that past runs tell of it: of the critical path, and of the work over the tokens. No run
// ends before these, so that no quantile of its time is below the same quantile of theirs. Runs on the most tokens must
// tell them: where these are one program on all of their tokens, runs on one token may be as well.
func (j *Job) bounded(times []float64, runs []pastRun, past []law.Run, next law.Next, prior law.Prior, o Options,
	waits *waiting) {
	held, _ := interpolated(past, next.Tokens)
	if !(next.Tokens > 0) || next.Tokens <= held.high || o.without("path") {
		return
	}
	tokens := next.Tokens
	next.Tokens, next.Expected, next.Scatter, next.Least = math.NaN(), math.NaN(), 0, 0
	for _, bound := range []struct {
		of   func(*modelfile.RunFactor) *float64
		wait float64 // how many waits are in it
		by   float64
	}{{func(f *modelfile.RunFactor) *float64 { return f.CriticalPathS }, 1, 1},
		{func(f *modelfile.RunFactor) *float64 { return f.WorkS }, 0, tokens}} {
		least, inputs, on, next := make([]law.Run, len(past)), newSpan(), newSpan(), next
		for i, r := range past {
			r.Seconds = math.NaN()
			if x := bound.of(runs[i].RunFactor); x != nil {
				r.Seconds = (*x - bound.wait*waits.of(runs[i])) * j.level(runs[i].RunFactor, o)
				if r.InputBytes > 0 {
					inputs.add(r.InputBytes)
				}
				if r.Tokens > 0 {
					on.add(r.Tokens)
				}
			}
			r.Tokens, r.Expected, r.Apart, r.Scatter = math.NaN(), math.NaN(), false, 0
			least[i] = r
		}
		if on.high < held.high {
			return
		}
		if next.InputBytes > inputs.high { // its tasks may be more, and take no longer
			next.InputBytes = inputs.high
		}
		if f, ok := j.laws.Predict(least, next, prior); ok {
			for q, t := range f.Times(len(times), &j.standards) {
				times[q] = max(times[q], t/bound.by)
			}
		}
	}
}

// expectInput corrects the expected time of a run on fewer or more tokens than past runs held, where its input changes
// the number of its tasks. Tokens then do as much as for a run of that input: more tasks can use more tokens.
func (j *Job) expectInput(next *law.Next, held span, own setting) error {
	nearest := min(max(next.Tokens, held.low), held.high)
	if !(next.InputBytes > 0) || next.Tokens == nearest || !slices.ContainsFunc(j.p.Plans[next.Plan].Stages,
		func(s modelfile.Stage) bool { return s.TasksByInput != nil && s.TasksByInput.Slope != 0 }) {
		return nil
	}
	var x [3]float64
	for i, s := range []setting{{tokens: nearest}, {tokens: nearest, input: next.InputBytes},
		{tokens: next.Tokens, input: next.InputBytes}} {
		s.plan, s.alone, s.after = own.plan, own.alone, own.after
		var err error
		if x[i], err = j.expect(s); err != nil {
			return err
		}
	}
	if t := x[0] * x[2] / x[1]; t > 0 && !math.IsInf(t, 1) { // not if it takes too long to simulate
		next.Expected = t
	}
	return nil
}

// beyond says how wrong the expected time of a run may be on fewer or more tokens than past runs held, and corrects it
// on more. A run may leave tokens unused: it is not expected to take longer than on the most that were held, whatever
// the simulation makes of its contention. That does not hold where it already takes longer on these than on fewer:
// there tasks do slow each other down. fastest is the least expected time on the numbers of tokens that were held.
func (j *Job) beyond(next *law.Next, held span, fastest float64, o Options, own setting) error {
	nearest := min(max(next.Tokens, held.low), held.high)
	if next.Tokens != nearest && !o.without("farther") {
		next.Least = farther.share * math.Abs(j.shift(next.Plan, next.Tokens, o)-j.shift(next.Plan, nearest, o))
		if next.Tokens > nearest && held.low < held.high {
			next.Least = max(next.Least, farther.perFold*math.Log(next.Tokens/nearest))
		}
	}
	if !(next.Tokens > nearest) || o.without("unused") {
		return nil
	}
	own.tokens = nearest
	most, err := j.expect(own)
	if err != nil {
		return err
	}
	if most < next.Expected && most <= fastest { // not if it takes too long to simulate
		next.Expected = most
	}
	return nil
}

// outermost is the variance, in units of the noise of others, that is added to past runs on the fewest and the most
// tokens where the time of the next run is interpolated: predicting those from runs on other tokens is an
// extrapolation, with a larger error.
const outermost = 30

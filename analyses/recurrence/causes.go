package recurrence

import (
	"math"
	"slices"

	"racecard/analyses/internal/lmg"
	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// causes are the possible causes of the variance of a job's completion times, in the order in which they enter the
// regression.
var causes = [...]struct {
	name   string
	period float64                              // seconds: the cause is the time of day or week
	last   bool                                 // it explains only what the others do not
	of     func(r *observed, m typical) float64 // NaN when not known
}{
	{name: "input", of: func(r *observed, _ typical) float64 { return logOf(r.input) }},
	{name: "tokens", of: func(r *observed, _ typical) float64 { return logOf(r.tokens) }},
	{name: "queueing", of: func(r *observed, m typical) float64 { return math.Log1p(r.queued / m.ran) }},
	{name: "spare", of: func(r *observed, _ typical) float64 { return r.spare }},
	{name: "failures", of: func(r *observed, _ typical) float64 { return r.lost }},
	{name: "hour", period: 86400},
	{name: "weekday", period: 7 * 86400},
	{name: "drift", last: true},
}

// typical holds the median time of a job's runs without queueing, in seconds.
type typical struct{ ran float64 }

// Reasons why a cause is not examined for a job.
const (
	reasonUnknown = "not known for 4 of 5 runs"
	reasonFew     = "too few runs"
	reasonShort   = "the runs cover less than two periods"
)

// MinRunsPerCause is the number of runs that a regression needs beyond its parameters.
const MinRunsPerCause = 10

// knownShare is the share of a job's runs for which a cause must be known.
const knownShare = 0.8

func logOf(n int64) float64 {
	if n <= 0 { // also null
		return math.NaN()
	}
	return math.Log(float64(n))
}

// candidate is a cause that may be examined: its columns, by run.
type candidate struct {
	columns    [][]float64
	parameters int
	reason     string // why it is not examined; "" when it is
}

// explain divides the variance of the log of the completion time among its causes. runs are in time order and have
// positive times.
func explain(runs []observed, d *drift) result.Shares {
	var all [len(causes)]candidate
	m := typical{ran: medianRan(runs)}
	for i := range causes {
		all[i] = candidateOf(i, runs, m, d)
	}
	usable := make([]bool, len(runs)) // all causes so far are known
	for i := range usable {
		usable[i] = true
	}
	n, parameters := len(runs), 0
	for i := range all { // in order, as long as enough runs are left
		c := &all[i]
		if c.reason != "" || c.parameters == 0 {
			continue
		}
		left := 0
		for k, ok := range usable {
			if ok && c.knownFor(k) {
				left++
			}
		}
		if left < MinRunsPerCause+parameters+c.parameters {
			c.reason = reasonFew
			continue
		}
		n, parameters = left, parameters+c.parameters
		for k := range usable {
			usable[k] = usable[k] && c.knownFor(k)
		}
	}
	out := result.Shares{Runs: n, Of: map[string]result.Number{}, NotExamined: map[string]string{},
		Rest: result.Number(math.NaN())}
	var y []float64
	for k, ok := range usable {
		if ok {
			y = append(y, math.Log(runs[k].seconds))
		}
	}
	var players []lmg.Cause
	var who []int
	examined := false
	for i := range all {
		c := &all[i]
		switch {
		case c.reason != "":
			out.NotExamined[causes[i].name] = c.reason
			continue
		case c.parameters > 0:
			players, who = append(players, c.of(usable)), append(who, i)
		}
		examined = true
		out.Of[causes[i].name] = 0
	}
	if _, sd := quantile.MeanSD(y); !examined || n <= MinRunsPerCause || !(sd > 0) {
		return result.Shares{Runs: n, Of: map[string]result.Number{}, NotExamined: out.NotExamined, Rest: out.Rest}
	}
	rest := 1.0
	last := len(players)
	if last > 0 && causes[who[last-1]].last { // it gets the part that the others leave
		last--
		share := max(0, lmg.Explained(y, players)-lmg.Explained(y, players[:last]))
		out.Of[causes[who[last]].name] = result.Number(share)
		rest -= share
	}
	for k, share := range lmg.Shares(y, players[:last]) {
		out.Of[causes[who[k]].name] = result.Number(share)
		rest -= share
	}
	out.Rest = result.Number(max(0, rest))
	return out
}

// medianRan returns the median time of runs without their queueing, at least a microsecond.
func medianRan(runs []observed) float64 {
	ran := make([]float64, 0, len(runs))
	for i := range runs {
		s := runs[i].seconds
		if !math.IsNaN(runs[i].queued) {
			s -= runs[i].queued
		}
		ran = append(ran, s)
	}
	return max(1e-6, median(ran))
}

// candidateOf returns the columns of a cause for a job's runs. A constant cause has no parameter: it explains nothing.
func candidateOf(i int, runs []observed, m typical, d *drift) candidate {
	c := &causes[i]
	switch {
	case c.name == "drift":
		if !d.known {
			return candidate{reason: reasonFew}
		}
		if d.freely == 0 {
			return candidate{}
		}
		early := make([]float64, len(runs)-len(d.level)) // runs at unknown times
		for k := range early {
			early[k] = math.NaN()
		}
		return candidate{columns: [][]float64{append(early, d.level...)}, parameters: d.freely}
	case c.period > 0:
		return seasonal(runs, c.period)
	}
	column := make([]float64, len(runs))
	for k := range runs {
		column[k] = c.of(&runs[k], m)
	}
	return candidate{columns: [][]float64{column}, parameters: 1}.check()
}

// seasonal returns the sine and cosine of the time of runs within a period, so that the origin of the trace does not
// matter.
func seasonal(runs []observed, period float64) candidate {
	sine, cosine := make([]float64, len(runs)), make([]float64, len(runs))
	first, last := math.Inf(1), math.Inf(-1)
	for k := range runs {
		sine[k], cosine[k] = math.NaN(), math.NaN()
		if runs[k].at.Known() {
			at := trace.Duration(runs[k].at).Seconds()
			first, last = min(first, at), max(last, at)
			phase := 2 * math.Pi * math.Mod(at, period) / period
			sine[k], cosine[k] = math.Sin(phase), math.Cos(phase)
		}
	}
	c := candidate{columns: [][]float64{sine, cosine}, parameters: 2}.check()
	if c.reason == "" && last-first < 2*period {
		return candidate{reason: reasonShort}
	}
	return c
}

// check returns a candidate that is known for enough runs, with a parameter only if it varies.
func (c candidate) check() candidate {
	known, varies := 0, false
	first := -1
	for k := range c.columns[0] {
		if !c.knownFor(k) {
			continue
		}
		known++
		if first < 0 {
			first = k
		}
		for _, column := range c.columns {
			varies = varies || math.Abs(column[k]-column[first]) > 1e-9*max(1, math.Abs(column[first]))
		}
	}
	if float64(known) < knownShare*float64(len(c.columns[0])) {
		return candidate{reason: reasonUnknown}
	}
	if !varies {
		return candidate{}
	}
	return c
}

// knownFor reports whether the cause is known for a run.
func (c *candidate) knownFor(run int) bool {
	return !slices.ContainsFunc(c.columns, func(column []float64) bool {
		return math.IsNaN(column[run]) || math.IsInf(column[run], 0)
	})
}

// of returns the cause for the runs that are usable.
func (c *candidate) of(usable []bool) lmg.Cause {
	out := lmg.Cause{Parameters: c.parameters}
	for _, column := range c.columns {
		var kept []float64
		for k, ok := range usable {
			if ok {
				kept = append(kept, column[k])
			}
		}
		out.Columns = append(out.Columns, kept)
	}
	return out
}

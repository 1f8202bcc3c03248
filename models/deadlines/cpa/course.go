package cpa

import (
	"math"
	"slices"

	"racecard/datasets/modelfile"
	"racecard/datasets/remaining"
	"racecard/models/deadlines/progress"
)

// Course is the progress of a past run over time.
type Course struct {
	// per stage: when equal parts of its tasks were done, as shares of the time of the run, ascending
	Ends       [][]float64
	InputBytes float64 // NaN where not known, as Tokens
	Tokens     float64
	Weight     float64 // of the run: 1 for the newest, 0 for none
}

// courses returns the courses of the past runs of a plan, oldest first, for runs in which the course of every
// stage is known.
func courses(p *modelfile.Plan) []Course {
	var out []Course
	for k := range p.RunFactors {
		f := &p.RunFactors[k]
		c := Course{InputBytes: math.NaN(), Tokens: math.NaN(), Weight: f.Weight}
		for v := range p.Stages {
			if k < len(p.Stages[v].Ends) && len(p.Stages[v].Ends[k]) > 0 {
				c.Ends = append(c.Ends, p.Stages[v].Ends[k])
			}
		}
		if len(c.Ends) < len(p.Stages) {
			continue
		}
		if f.InputBytes != nil && *f.InputBytes > 0 {
			c.InputBytes = float64(*f.InputBytes)
		}
		if f.Tokens != nil && *f.Tokens > 0 {
			c.Tokens = float64(*f.Tokens)
		}
		out = append(out, c)
	}
	return out
}

// left returns, per hundredth of progress, the share of the time of the run that remained when it was reached.
func (c *Course) left(of *progress.Plan, k progress.Indicator) [remaining.Steps]float64 {
	type mark struct {
		at, done float64
		stage    int
	}
	var marks []mark
	for v, ends := range c.Ends {
		for i, at := range ends {
			marks = append(marks, mark{at, float64(i+1) / float64(len(ends)), v})
		}
	}
	slices.SortStableFunc(marks, func(a, b mark) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	var out [remaining.Steps]float64
	out[0] = 1
	done, next := make([]float64, len(c.Ends)), 1
	for _, m := range marks {
		done[m.stage] = m.done
		for reached := min(remaining.Step(of.At(k, done)), remaining.Steps-2); next <= reached; next++ {
			out[next] = 1 - m.at
		}
	}
	return out
}

// How past runs determine the remaining time of the next one, tuned on the sample and the recurring Spark runs
// of ../shared.
const (
	nearInput   = 0.3 // e-folds of the input over which a run weighs a third
	nearTokens  = 0.5
	olderRun    = 0.9 // of the weight of the run after it
	simulations = 0.1 // weight of simulated runs, in runs of the weight of the nearest one
	sureInput   = 0.1 // e-folds by which inputs must differ for their effect to be estimated
)

// leftShares estimates from past runs which share of its time remains when a run on some tokens reaches each hundredth
// of progress. The estimate is the mean over past runs, weighted by nearness and age, on a line in the logarithm of the
// input where that is known. simulated is the same of simulated runs.
func leftShares(job *Job, tokens float64, k progress.Indicator,
	simulated [remaining.Steps]float64) [remaining.Steps]float64 {
	past := job.Past
	weights, inputs := make([]float64, len(past)), make([]float64, len(past))
	byInput, most, age := job.InputBytes > 0, 0.0, 1.0
	for i := len(past) - 1; i >= 0; i-- {
		c := &past[i]
		weights[i] = c.Weight * age
		age *= olderRun
		if off := math.Abs(math.Log(c.Tokens / tokens)); !math.IsNaN(off) {
			weights[i] *= math.Exp(-off / nearTokens)
		}
		byInput = byInput && c.InputBytes > 0
	}
	for i := range past {
		if byInput {
			inputs[i] = math.Log(past[i].InputBytes / job.InputBytes)
			weights[i] *= math.Exp(-math.Abs(inputs[i]) / nearInput)
		}
		most = max(most, weights[i])
	}
	if !(most > 0) {
		return simulated
	}
	total, center, squares := simulations, 0.0, 0.0
	for i := range weights {
		weights[i] /= most
		total += weights[i]
		center += weights[i] * inputs[i]
	}
	center /= total
	for i := range weights {
		squares += weights[i] * (inputs[i] - center) * (inputs[i] - center)
	}
	squares += sureInput * sureInput * (total - simulations)
	out := simulated
	var slope [remaining.Steps]float64
	lefts := make([][remaining.Steps]float64, len(past))
	for j := range out {
		out[j] *= simulations / total
	}
	for i := range past {
		lefts[i] = past[i].left(job.Progress, k)
		for j := range out {
			out[j] += weights[i] * lefts[i][j] / total
		}
	}
	for i := range past {
		for j := range out {
			slope[j] += weights[i] * (inputs[i] - center) * (lefts[i][j] - out[j]) / squares
		}
	}
	for j := range out {
		out[j] = min(1, max(leastLeft, out[j]-slope[j]*center))
		if j > 0 {
			out[j] = min(out[j], out[j-1])
		}
	}
	return out
}

// Bounds of the remaining shares whose odds are compared, and of the factor by which odds change on other allocations.
const (
	leastLeft  = 1e-4
	mostChange = 4
)

// follow adapts a table of simulated runs, before it is made monotone, so that the remaining share of a run's
// time at each progress agrees with past runs. It compares simulated runs on the allocation nearest to the
// tokens of past ones with these. On other allocations the odds of remaining to elapsed time change by the same
// factor, except where simulated runs on the nearest allocation end at once: odds of no time do not compare. The
// distribution of whole runs stays as it is.
func follow(t *remaining.Table, job *Job, k progress.Indicator) {
	if len(job.Past) == 0 {
		return
	}
	near := len(t.Allocations) / 2
	if job.Tokens > 0 {
		near, _ = slices.BinarySearch(t.Allocations, job.Tokens)
		near = min(near, len(t.Allocations)-1)
	}
	shares := func(a int) (out [remaining.Steps]float64) {
		median := t.Quantiles[remaining.Levels/2][a*remaining.Steps:]
		for i := range out {
			if out[i] = 1; median[0] > 0 {
				out[i] = min(1, median[i]/median[0])
			}
		}
		return out
	}
	simulated := shares(near)
	seen := leftShares(job, float64(t.Allocations[near]), k, simulated)
	for a := range t.Allocations {
		of := simulated
		if a != near {
			of = shares(a)
		}
		for i := 1; i < remaining.Steps-1; i++ {
			want := seen[i]
			if a != near {
				if simulated[i] < leastLeft {
					continue
				}
				change := odds(seen[i]) / odds(simulated[i])
				odds := odds(of[i]) * min(mostChange, max(1./mostChange, change))
				want = odds / (1 + odds)
			}
			whole := a * remaining.Steps
			change := func(of []float64, had float64) {
				if want < had {
					of[whole+i] *= want / had
				} else {
					of[whole+i] = min(of[whole], of[whole+i]+(want-had)*of[whole])
				}
			}
			change(t.Mean, of[i])
			for q := range t.Quantiles {
				change(t.Quantiles[q], of[i])
			}
		}
	}
}

func odds(share float64) float64 {
	share = min(1-leastLeft, max(leastLeft, share))
	return share / (1 - share)
}

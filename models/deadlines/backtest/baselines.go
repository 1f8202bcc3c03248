package backtest

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/seed"
	"racecard/models/deadlines/sim"
)

// baseline is a simple method.
type baseline struct {
	key string
	of  func(q *question) []float64
}

func (b baseline) name() string { return b.key }

func (b baseline) predict(q *question) (quantile.Sorted, error) { return quantile.Sort(b.of(q)), nil }

// point is a baseline that forecasts one time, NaN if past runs lack its inputs.
func point(key string, of func(q *question) float64) baseline {
	return baseline{key, func(q *question) []float64 {
		if x := of(q); x >= 0 && !math.IsInf(x, 1) {
			return []float64{x}
		}
		return nil
	}}
}

// baselines are, in the order in which they are listed:
//
//   - last, mean5: the time of the run that was submitted last, of those that had ended; the mean of the last five
//   - lognormal: the lognormal distribution with the mean and the standard deviation of the logarithms of all past
//     times
//   - nearest: the time of the run with the nearest input and tokens (newest of ties), times the ratio of the inputs
//   - ols, ols_log: least squares on input and tokens; of the logarithms of all three (regress.go)
//   - ernest: S. Venkataraman et al., "Ernest: Efficient Performance Prediction for Large-Scale Advanced Analytics"
//     (NSDI 2016): non-negative least squares on 1, input/tokens, log tokens and tokens (regress.go)
//   - amdahl: Amdahl's law as in Jockey (section 4.1), S + P/a, where S is the longest path of longest tasks and P the
//     remaining task-seconds; means over past runs. Jockey's jobs have no driver; here S includes the time in which
//     none of a run's attempts ran
//   - stages: the driver time of the last run, and for each level of its graph its task-seconds on the tokens, or its
//     longest task where that takes longer
//   - replay: every task of the nearest run again, scheduled on the tokens, as Sparklens (Qubole, 2018) does with a log
func baselines() []baseline {
	return []baseline{
		point("last", func(q *question) float64 { return q.last().completionS }),
		point("mean5", func(q *question) float64 {
			return mean(q.past[max(0, len(q.past)-5):], func(p *past) float64 { return p.completionS })
		}),
		{"lognormal", func(q *question) []float64 { return lognormal(q.past) }},
		point("nearest", func(q *question) float64 {
			p := nearest(q.past, &q.next)
			if ratio := q.next.inputBytes / p.inputBytes; ratio > 0 && !math.IsInf(ratio, 1) {
				return p.completionS * ratio
			}
			return p.completionS
		}),
		point("ols", func(q *question) float64 { return ols(q.past, &q.next) }),
		point("ols_log", func(q *question) float64 { return olsLog(q.past, &q.next) }),
		point("ernest", func(q *question) float64 { return ernest(q.past, &q.next) }),
		point("amdahl", func(q *question) float64 {
			serial := mean(q.past, func(p *past) float64 { return p.driverS + p.pathS })
			parallel := mean(q.past, func(p *past) float64 { return max(0, p.work()-p.pathS) })
			return serial + parallel/q.next.tokens
		}),
		point("stages", func(q *question) float64 { return stageByStage(q.last(), q.next.tokens) }),
		point("replay", func(q *question) float64 { return nearest(q.past, &q.next).replay(q.next.tokens) }),
	}
}

// stageByStage returns the driver time of a run and the time of its levels, NaN where they are not known.
func stageByStage(p *past, tokens float64) float64 {
	if len(p.levels) == 0 {
		return math.NaN()
	}
	sum := p.driverS
	for _, l := range p.levels {
		sum += max(l.workS/tokens, l.longestS)
	}
	return sum
}

// nearest returns the run with the nearest input and tokens, by the sum of the absolute logarithms of both ratios,
// newest of ties.
func nearest(runs []past, to *next) *past {
	far := func(a, b float64) float64 {
		if d := math.Abs(math.Log(a / b)); !math.IsNaN(d) {
			return d
		}
		return 0
	}
	best, least := 0, math.Inf(1)
	for i := range runs {
		if d := far(runs[i].tokens, to.tokens) + far(runs[i].inputBytes, to.inputBytes); d <= least {
			best, least = i, d
		}
	}
	return &runs[best]
}

// drawn is how many equally likely values stand for the distribution of a baseline.
const drawn = 200

// lognormal returns the lognormal distribution fitted to past times; nothing for fewer than two.
func lognormal(runs []past) []float64 {
	var logs []float64
	for i := range runs {
		if t := runs[i].completionS; t > 0 {
			logs = append(logs, math.Log(t))
		}
	}
	if len(logs) < 2 {
		return nil
	}
	mu, squares := 0.0, 0.0
	for _, x := range logs {
		mu += x / float64(len(logs))
	}
	for _, x := range logs {
		squares += (x - mu) * (x - mu)
	}
	sigma := math.Sqrt(squares / float64(len(logs)-1))
	return lists.Indexed(drawn, func(i int) float64 {
		return math.Exp(mu + sigma*distuv.UnitNormal.Quantile((float64(i)+0.5)/drawn))
	})
}

// replay returns the time of the run with its own task durations on some number of tokens, NaN where they are not
// known.
func (p *past) replay(tokens float64) float64 {
	if p.recorded == nil || !(tokens > 0) {
		return math.NaN()
	}
	c, err := sim.Compile(p.recorded.Elsewhere)
	if err != nil {
		return math.NaN()
	}
	o := sim.Options{Allocation: []sim.Step{{Tokens: int32(min(math.Ceil(tokens), float64(c.Tasks())))}},
		Machine: p.recorded.Machine}
	res, err := sim.NewRunner(c).Run(&o, seed.Stream(0, "replay", 0)) // nothing is drawn
	if err != nil {
		return math.NaN()
	}
	return float64(res.End) / 1e6
}

// work returns the task-seconds of a run, NaN where they are not known.
func (p *past) work() float64 {
	if len(p.levels) == 0 {
		return math.NaN()
	}
	return lists.SumOf(p.levels, func(l level) float64 { return l.workS })
}

// mean averages a quantity over the runs in which it is known.
func mean(runs []past, of func(*past) float64) float64 {
	sum, n := 0.0, 0.0
	for i := range runs {
		if x := of(&runs[i]); !math.IsNaN(x) {
			sum, n = sum+x, n+1
		}
	}
	return sum / n
}

package backtest

import "math"

// baseline is a simple prediction of a run, in seconds, from those before it, oldest first: NaN where they do not tell what it needs.
type baseline struct {
	name    string
	predict func(before []past, tokens float64) float64
}

// Racecard is the name of our own method beside those of the baselines.
const Racecard = "racecard"

// baselines are, in the order in which they are listed:
//
//   - the time of the last run, and the mean of the last five
//   - Amdahl's law as Jockey has it (section 4.1): S + P/a, S the longest path of longest tasks, P all task-seconds but those; means
//     over past runs. Jockey's jobs have no driver; here S has the time in which none of a run's attempts ran, without which it would
//     be far too short.
//   - stage by stage, in the manner of Sparklens (Qubole, 2018), from the last run: that driver time, and for each level of the graph
//     its task-seconds on the tokens, or its longest task where that takes longer.
func baselines() []baseline {
	return []baseline{
		{"last", func(before []past, _ float64) float64 { return before[len(before)-1].completionS }},
		{"mean5", func(before []past, _ float64) float64 {
			return mean(before[max(0, len(before)-5):], func(p *past) float64 { return p.completionS })
		}},
		{"amdahl", func(before []past, tokens float64) float64 {
			serial := mean(before, func(p *past) float64 { return p.driverS + p.pathS })
			parallel := mean(before, func(p *past) float64 { return max(0, p.work()-p.pathS) })
			return serial + parallel/tokens
		}},
		{"stages", func(before []past, tokens float64) float64 {
			last := &before[len(before)-1]
			sum := last.driverS
			for _, l := range last.levels {
				sum += max(l.workS/tokens, l.longestS)
			}
			if len(last.levels) == 0 {
				return math.NaN()
			}
			return sum
		}},
	}
}

// work returns the task-seconds of a run, NaN where they are not known.
func (p *past) work() float64 {
	if len(p.levels) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, l := range p.levels {
		sum += l.workS
	}
	return sum
}

// mean is over the runs that know.
func mean(runs []past, of func(*past) float64) float64 {
	sum, n := 0.0, 0.0
	for i := range runs {
		if x := of(&runs[i]); !math.IsNaN(x) {
			sum, n = sum+x, n+1
		}
	}
	return sum / n
}

package jobmodel

import (
	"math"
	"slices"

	"racecard/datasets/modelfile"
)

// tokenTimes holds the mean times of tasks in past runs of a plan, by the tokens that runs held, and the chances of
// contentions that follow from them. It depends on the tokens asked for only if runs on these are left out.
type tokenTimes struct {
	first, later [][]point // by stage
	warm         float64   // how long later tasks take, as a share of first ones, over all stages; 1 where unknown
	chances      [len(contentions)]float64
}

// mostPoints bounds the numbers of tokens that are told apart, as time grows with its third power. Runs on more are
// averaged over equal spans of the logarithm of tokens.
const mostPoints = 64

// newTokenTimes returns the times in runs of a plan. It leaves out runs on some tokens; NaN leaves out none.
func newTokenTimes(p *modelfile.Plan, without float64) *tokenTimes {
	class, n := classes(p, without)
	return timesOf(p, class, n)
}

// timesOf returns the times of a plan's tasks by n classes of runs.
func timesOf(p *modelfile.Plan, class []int, n int) *tokenTimes {
	t := untold(p)
	var logs [len(contentions)]float64
	for v := range p.Stages {
		typical := &p.Stages[v].Typical
		for _, x := range []struct {
			means []*float64
			to    *[]point
			slope float64
		}{{typical.FirstS, &t.first[v], t.slope()}, {typical.LaterS, &t.later[v], laterSlope}} {
			*x.to = points(p, class, n, x.means)
			if len(*x.to) < 2 {
				continue
			}
			f := newFactors(*x.to)
			for i := range contentions {
				_, _, log := grow(*x.to, f, 0, x.slope, &contentions[i], tasksOf(p, v))
				logs[i] += independent * log
			}
		}
	}
	top, sum := slices.Max(logs[:]), 0.0
	for i, log := range logs {
		t.chances[i] *= math.Exp(log - top)
		sum += t.chances[i]
	}
	for i := range t.chances {
		t.chances[i] /= sum
	}
	return t
}

// untold are the times of a plan where no tokens are asked for: without points, and with prior chances.
func untold(p *modelfile.Plan) *tokenTimes {
	t := &tokenTimes{first: make([][]point, len(p.Stages)), later: make([][]point, len(p.Stages)), warm: 1}
	for i := range contentions {
		t.chances[i] = contentions[i].prior
	}
	sum, weight := 0.0, 0.0
	for v := range p.Stages {
		of := &p.Stages[v].Typical
		for i := range min(len(of.FirstS), len(of.LaterS), len(p.RunFactors)) {
			if f, l := of.FirstS[i], of.LaterS[i]; f != nil && l != nil {
				w := p.RunFactors[i].Weight * (*f + *l)
				sum, weight = sum+w*math.Log(*l / *f), weight+w
			}
		}
	}
	if weight > 0 {
		t.warm = math.Exp(min(0, sum/weight))
	}
	return t
}

// slope is the slope of first tasks: 0 if later tasks take as long.
func (t *tokenTimes) slope() float64 { return firstSlope * min(1, 2*(1-t.warm)) }

// tasksOf is the number of tasks of a stage; infinite if it is not known.
func tasksOf(p *modelfile.Plan, stage int) float64 {
	if n := p.Stages[stage].Tasks.Mean; n != nil {
		return max(1, *n)
	}
	return math.Inf(1)
}

// classes returns a number for each run, the same for runs whose tokens are not told apart, and how many there are; -1
// for runs that are left out.
func classes(p *modelfile.Plan, without float64) (class []int, n int) {
	class = make([]int, len(p.RunFactors))
	of := map[int64]int{}
	low, high := math.Inf(1), 0.0
	for i := range p.RunFactors {
		f := &p.RunFactors[i]
		if class[i] = -1; f.Tokens == nil || *f.Tokens < 1 || !(f.Weight > 0) || float64(*f.Tokens) == without {
			continue
		}
		k, seen := of[*f.Tokens]
		if !seen {
			k = len(of)
			of[*f.Tokens] = k
		}
		class[i], low, high = k, min(low, float64(*f.Tokens)), max(high, float64(*f.Tokens))
	}
	if len(of) <= mostPoints {
		return class, len(of)
	}
	for i, k := range class {
		if k >= 0 {
			span := math.Log(float64(*p.RunFactors[i].Tokens)/low) / math.Log(high/low)
			class[i] = min(mostPoints-1, int(mostPoints*span))
		}
	}
	return class, mostPoints
}

// point is the means, over runs on some tokens, of the logarithms of tokens, of a stage's durations, of the runs'
// factors and of their inputs, and the variance of the second.
type point struct{ x, y, factor, input, weight, noise float64 }

// add adds a run.
func (p *point) add(q point) {
	p.weight += q.weight
	share := q.weight / p.weight
	p.x += (q.x - p.x) * share
	p.y += (q.y - p.y) * share
	p.factor += (q.factor - p.factor) * share
	p.input += (q.input - p.input) * share
}

// points averages the means of runs for each of n classes of tokens.
func points(p *modelfile.Plan, class []int, n int, means []*float64) []point {
	if len(means) != len(p.RunFactors) {
		return nil
	}
	place := make([]int, n) // of classes among the points, from 1; 0: not yet
	var runs, at []point
	var of []int // of runs among the points
	for i, m := range means {
		f := &p.RunFactors[i]
		if m == nil || class[i] < 0 {
			continue
		}
		r := point{x: math.Log(float64(*f.Tokens)), y: math.Log(*m), factor: math.Log(f.Factor), weight: f.Weight}
		if f.InputBytes != nil && *f.InputBytes > 0 {
			r.input = math.Log(float64(*f.InputBytes))
		}
		k := &place[class[i]]
		if *k == 0 {
			at = append(at, r)
			*k = len(at)
		} else {
			at[*k-1].add(r)
		}
		runs, of = append(runs, r), append(of, *k-1)
	}
	variance := noise(runs, at, of)
	for i := range at {
		at[i].noise = variance / at[i].weight
	}
	return at
}

// noise returns the variance of the logarithm of a stage's mean in one run, at least stageError squared. It is the
// variance of runs on the same tokens around a line by their input, less loudStage squared. Run i belongs to
// at[of[i]].
func noise(runs, at []point, of []int) float64 {
	const least = stageError * stageError
	var byInput, both, squares, weight float64
	for i, r := range runs {
		x, y := r.input-at[of[i]].input, r.y-at[of[i]].y
		byInput, both, squares, weight = byInput+r.weight*x*x, both+r.weight*x*y, squares+r.weight*y*y, weight+r.weight
	}
	free := len(runs) - len(at)
	if byInput > 0 {
		squares -= both * both / byInput
		free--
	}
	if free < 1 {
		return least
	}
	variance := squares / weight * float64(len(runs)) / float64(free+calmRuns)
	return max(least, variance-loudStage*loudStage)
}

package backtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/datasets/remaining"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/deadlines/cpa"
	"racecard/models/deadlines/profile"
	"racecard/models/deadlines/progress"
	"racecard/models/deadlines/sim"
)

// course is the progress of a run over time.
type course struct {
	placed profile.Placed
	steps  []milestone // ascending
}

// milestone is an instant, in seconds from the submission of a run, from which on a fraction of the tasks of a stage is
// done.
type milestone struct {
	atS   float64
	stage int32
	done  float64
}

// courseOf returns the course of a run from the ends of its tasks, or from the end of a stage whose tasks have no
// times; nil where a stage has neither, or the run has no submission.
func courseOf(run *trace.Run) *course {
	from := run.Submit
	if !from.Known() {
		from = run.Start
	}
	if !from.Known() || !run.End.Known() {
		return nil
	}
	c := &course{placed: profile.Place(run)}
	at := 0
	for v := range run.Stages {
		to := at
		for to < len(run.Attempts) && run.Attempts[to].Stage == int32(v) {
			to++
		}
		ends := profile.TaskEnds(run.Attempts[at:to])
		at = to
		if len(ends) == 0 {
			if end := run.Stages[v].End; end.Known() {
				ends = []trace.Instant{end}
			} else {
				return nil
			}
		}
		for i, end := range ends {
			c.steps = append(c.steps, milestone{max(0, end.Since(from).Seconds()), int32(v),
				float64(i+1) / float64(len(ends))})
		}
	}
	slices.SortStableFunc(c.steps, func(a, b milestone) int { return cmp.Compare(a.atS, b.atS) })
	return c
}

// at returns the state of the run at an instant: the fraction of tasks done per stage of the plan, the progress by an
// indicator in hundredths, and the instant at which that progress was reached.
func (c *course) at(elapsedS float64, stage []int32, indicators *progress.Plan, k progress.Indicator) remaining.State {
	done := make([]float64, len(stage))
	s := remaining.State{ElapsedS: elapsedS}
	for _, m := range c.steps {
		if m.atS > elapsedS {
			break
		}
		done[stage[m.stage]] = m.done
		if p := indicators.At(k, done); remaining.Step(p) != remaining.Step(s.Progress) {
			s.SinceS, s.Progress = m.atS, p
		} else {
			s.Progress = p
		}
	}
	return s
}

// elapsed are the shares of a run's time at which its remaining time is predicted.
var elapsed = [...]float64{0.1, 0.25, 0.5, 0.75, 0.9}

// Methods that predict the remaining time, racecard's first.
const (
	published   = "published"   // C(p,a) of a table of simulated runs alone, as Jockey looks it up
	unstarted   = "c0"          // C(0,a) less the elapsed time
	simulations = "simulations" // weighted by nearness in progress and time
)

var withinMethods = []string{Racecard, published, unstarted, simulations}

// withinRun is the predictions for a run: p50 and p90 of the remaining time, in seconds, per share of its time
// and method.
type withinRun struct {
	completionS float64
	known       bool // the plan of the run is one of past runs
	remaining   [len(elapsed)]map[string][2]float64
}

// withinReplicates is how many runs are simulated to predict remaining times.
const withinReplicates = 256

// within predicts the remaining time of the k-th run of a job while it ran.
func (b *Builder) within(ctx context.Context, j *job, k int) (withinRun, error) {
	run := &j.runs[k]
	out := withinRun{completionS: run.completionS}
	fitted, err := b.question(j, k).profile()
	if err != nil {
		return out, err
	}
	var stage []int32
	for i := range fitted.Plans {
		if in := run.course.placed.In(&fitted.Plans[i]); in != nil {
			stage, fitted.Plans = in, []modelfile.Plan{fitted.Plans[i]}
			break
		}
	}
	of, _, err := cpa.Of(fitted, run.inputBytes)
	if err != nil {
		return out, err
	}
	w, err := newWithin(ctx, of, run, &b.o, uint64(run.index))
	if err != nil {
		return out, err
	}
	out.known = stage != nil
	for i, share := range elapsed {
		s := remaining.State{ElapsedS: share * run.completionS, SinceS: 0}
		if stage != nil {
			s = run.course.at(s.ElapsedS, stage, of.Progress, w.o.Indicator)
		}
		out.remaining[i] = w.predict(s)
	}
	return out, nil
}

// within predicts remaining times of a run on its tokens.
type within struct {
	o      cpa.Options
	tokens int32
	table  *remaining.Table
	bare   *remaining.Table // of simulated runs alone
	// of simulated runs: when each progress was reached, in seconds; the last is the end
	paths [][remaining.Steps]float64
	medS  float64
}

func newWithin(ctx context.Context, of cpa.Job, run *past, o *Options, item uint64) (*within, error) {
	w := &within{o: cpa.DefaultOptions(), tokens: sim.MaxTokens}
	if run.tokens > 0 {
		w.tokens = int32(min(sim.MaxTokens, math.Ceil(run.tokens)))
	}
	w.o.Allocations, w.o.Replicates, w.o.Seed = []int32{w.tokens}, withinReplicates, o.Seed+item
	var err error
	if w.table, err = cpa.Build(ctx, of, remaining.About{}, w.o); err != nil {
		return nil, err
	}
	of.Past = nil
	if w.bare, err = cpa.Build(ctx, of, remaining.About{}, w.o); err != nil {
		return nil, err
	}
	w.paths, err = cpa.Paths(of, w.tokens, withinReplicates, w.o)
	w.medS = w.table.Remaining(0, float64(w.tokens), 0.5)
	return w, err
}

// predict returns p50 and p90 of the remaining time by every method.
func (w *within) predict(s remaining.State) map[string][2]float64 {
	out := map[string][2]float64{}
	levels := [2]float64{0.5, 0.9}
	near := w.nearness(s)
	for i, level := range levels {
		for method, x := range map[string]float64{
			Racecard: w.table.Conditioned(s, float64(w.tokens), level),
			published: w.bare.Remaining(min(s.Progress, remaining.Progress(remaining.Steps-2)), float64(w.tokens),
				level),
			unstarted:   max(0, w.table.Remaining(0, float64(w.tokens), level)-s.ElapsedS),
			simulations: near(level),
		} {
			of := out[method]
			of[i] = x
			out[method] = of
		}
	}
	return out
}

// Bandwidths of nearness: of progress, and of time as a share of a median run.
const (
	nearProgress = 0.03
	nearTime     = 0.03
)

// nearness returns the quantiles of the remaining time of simulated runs, weighted by how near they are in progress at
// the elapsed time and in the time at which they reached the progress.
func (w *within) nearness(s remaining.State) func(q float64) float64 {
	type weighted struct{ left, weight float64 }
	var all []weighted
	sum, i := 0.0, min(remaining.Step(s.Progress), remaining.Steps-2)
	for k := range w.paths {
		path := &w.paths[k]
		end := path[remaining.Steps-1]
		if end <= s.ElapsedS {
			continue
		}
		at := sort.Search(remaining.Steps-1, func(i int) bool { return path[i] > s.ElapsedS }) - 1
		off := (remaining.Progress(max(0, at)) - remaining.Progress(i)) / nearProgress
		late := (path[i] - s.SinceS) / (nearTime * w.medS)
		weight := math.Exp(-(off*off+late*late)/2) + 1e-9
		all, sum = append(all, weighted{end - s.ElapsedS, weight}), sum+weight
	}
	slices.SortFunc(all, func(a, b weighted) int { return cmp.Compare(a.left, b.left) })
	return func(q float64) float64 {
		below := 0.0
		for _, x := range all {
			if below += x.weight; below >= q*sum {
				return x.left
			}
		}
		return 0
	}
}

// scoreWithin sums up remaining times of runs.
func scoreWithin(runs []withinRun) []result.BacktestWithin {
	out := []result.BacktestWithin{}
	for i, share := range elapsed {
		x := result.BacktestWithin{Elapsed: share, Methods: map[string]result.WithinErrors{}}
		for _, method := range withinMethods {
			var off []float64
			p50, p90 := 0.0, 0.0
			for k := range runs {
				left := (1 - share) * runs[k].completionS
				of := runs[k].remaining[i][method]
				off = append(off, math.Abs(of[0]-left)/left)
				if left <= of[0] {
					p50++
				}
				if left <= of[1] {
					p90++
				}
			}
			n := float64(len(runs))
			e := result.WithinErrors{N: len(runs),
				MedianAbsolute: result.Number(quantile.Quantile(quantile.Sort(off), 0.5)),
				P50Share:       result.Number(p50 / n), P90Share: result.Number(p90 / n)}
			if method == Racecard {
				x.WithinErrors = e
			} else {
				x.Methods[method] = e
			}
		}
		out = append(out, x)
	}
	return out
}

// withinAll predicts the remaining times of runs whose course is known, and sums them up in a document. Runs that had
// another plan than all runs before them are counted: then nothing but their age is known. Runs whose job cannot be
// simulated are left out.
func (b *Builder) withinAll(ctx context.Context, jobs []*job, tasks []task, progress func(done, of int),
	out *result.Backtest) error {
	tasks = slices.DeleteFunc(slices.Clone(tasks), func(t task) bool { return jobs[t.job].runs[t.run].course == nil })
	runs, errs := make([]withinRun, len(tasks)), make([]error, len(tasks))
	b.each(ctx, len(tasks), progress, func(i int) {
		runs[i], errs[i] = b.within(ctx, jobs[tasks[i].job], tasks[i].run)
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	var known []withinRun
	var leftOut error // why the first run was left out
	for i := range runs {
		switch err := errs[i]; {
		case errors.Is(err, sim.ErrTooLong) || errors.Is(err, sim.ErrTooManyTasks):
			if leftOut == nil {
				leftOut = fmt.Errorf("run %q: %w", jobs[tasks[i].job].runs[tasks[i].run].id, err)
			}
			continue
		case err != nil:
			return fmt.Errorf("remaining time of run %q: %w", jobs[tasks[i].job].runs[tasks[i].run].id, err)
		case !runs[i].known:
			out.WithinUnknown++
		}
		known = append(known, runs[i])
	}
	if leftOut != nil {
		out.Warnings = append(out.Warnings, fmt.Sprintf("remaining times of %s are not predicted, as their job cannot be "+
			"simulated; the first is %v", words.Of(len(runs)-len(known), "run", "runs"), leftOut))
	}
	out.Within = scoreWithin(known)
	return nil
}

package backtest

import (
	"context"
	"errors"
	"math"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/sim"
)

// heldMethods predict runs that are held out.
var heldMethods = []string{Racecard, "pooled", "nearest"}

// Predicted quantities of held-out runs: work is per run, the others are per stage.
const (
	durationP50 = "duration_p50"
	durationP90 = "duration_p90"
	work        = "work"
)

// heldRun is relative errors by quantity and method.
type heldRun struct {
	stages int
	errors map[string]map[string][]float64
}

// heldOut predicts every run with a number of tokens that no other run of its job has, from the other runs of the job.
// It returns nil if there are none.
func (b *Builder) heldOut(ctx context.Context, jobs []*job, progress func(done, of int)) (*result.BacktestHeld, error) {
	var tasks []task
	for i, j := range jobs {
		for k := range j.runs {
			alone := true
			for l := range j.runs {
				alone = alone && (l == k || j.runs[l].tokens != j.runs[k].tokens)
			}
			if alone && j.runs[k].tokens > 0 && len(j.runs[k].levels) > 0 && len(j.runs) > b.o.After {
				tasks = append(tasks, task{i, k})
			}
		}
	}
	if len(tasks) == 0 {
		return nil, nil
	}
	runs, errs := make([]heldRun, len(tasks)), make([]error, len(tasks))
	b.each(ctx, len(tasks), progress, func(i int) { runs[i], errs[i] = b.hold(jobs[tasks[i].job], tasks[i].run) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := &result.BacktestHeld{Errors: map[string]map[string]result.BacktestErrors{}}
	for _, quantity := range []string{durationP50, durationP90, work} {
		out.Errors[quantity] = map[string]result.BacktestErrors{}
		for _, method := range heldMethods {
			var all []float64
			for i := range runs {
				if errs[i] != nil {
					return nil, errs[i]
				}
				all = append(all, runs[i].errors[quantity][method]...)
			}
			out.Errors[quantity][method] = summarize(all)
		}
	}
	for i := range runs {
		if runs[i].stages > 0 {
			out.Runs++
			out.Stages += runs[i].stages
		}
	}
	return out, nil
}

// hold predicts the k-th run of a job from the others.
func (b *Builder) hold(j *job, k int) (heldRun, error) {
	run := &j.runs[k]
	out := heldRun{errors: map[string]map[string][]float64{durationP50: {}, durationP90: {}, work: {}}}
	pooled, err := b.plan(j, func(i int) bool { return i != run.index })
	if err != nil {
		return out, err
	}
	actual, err := b.plan(j, func(i int) bool { return i == run.index })
	if err != nil {
		return out, err
	}
	nearest, err := b.plan(j, func(i int) bool { return i == j.nearest(k) })
	if err != nil {
		return out, err
	}
	if actual.Plan != pooled.Plan || nearest.Plan != pooled.Plan {
		return out, nil // other stages
	}
	options := jobmodel.DefaultOptions()
	options.Tokens, options.InputBytes, options.Simulated = run.tokens, run.inputBytes, 0
	model, err := jobmodel.New(&modelfile.Profile{Job: j.name, Plans: []modelfile.Plan{*pooled}}, options)
	if errors.Is(err, sim.ErrTooManyTasks) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	took, predicted := 0.0, map[string]float64{}
	for v := range actual.Stages {
		d, p, n := &actual.Stages[v].Duration, &pooled.Stages[v].Duration, &nearest.Stages[v].Duration
		took += float64(d.N) * *d.MeanS
		typical := quantile.Sort(tasksOf(model, v, &pooled.Stages[v].Typical, int(run.tokens)))
		predicted[Racecard] += float64(model.Plan.Stages[v].Tasks) * quantile.Mean(typical.Values())
		predicted["pooled"] += float64(model.Plan.Stages[v].Tasks) * *p.MeanS
		predicted["nearest"] += float64(n.N) * *n.MeanS
		for quantity, share := range map[string]float64{durationP50: 0.5, durationP90: 0.9} {
			q := at(d, share)
			if !(q > 0) {
				continue
			}
			errors := out.errors[quantity]
			errors[Racecard] = append(errors[Racecard], quantile.Quantile(typical, share)/q-1)
			errors["pooled"] = append(errors["pooled"], at(p, share)/q-1)
			errors["nearest"] = append(errors["nearest"], at(n, share)/q-1)
		}
	}
	out.stages = len(actual.Stages)
	for method, x := range predicted {
		if took > 0 {
			out.errors[work][method] = append(out.errors[work][method], x/took-1)
		}
	}
	return out, nil
}

// tasksOf returns the durations of the tasks of a stage, in seconds, as many as it has: evenly spread over those that
// are typical of first tasks on a token, for one on each, and of later ones, for the others.
func tasksOf(model *jobmodel.Model, stage int, typical *modelfile.Typical, tokens int) []float64 {
	first, later := quantile.Sorted{}, quantile.Sort(seconds(&typical.Later))
	if typical.First != nil {
		first = quantile.Sort(seconds(typical.First))
	}
	n := int(model.Plan.Stages[stage].Tasks)
	firsts := min(n, tokens)
	switch {
	case first.Len() == 0:
		firsts = 0
	case later.Len() == 0: // every task was the first on its token
		firsts = n
	}
	all := make([]float64, 0, n)
	for i := range firsts {
		all = append(all, model.SlowedFirst[stage](quantile.Quantile(first, (float64(i)+0.5)/float64(firsts))))
	}
	for i := range n - firsts {
		all = append(all, model.Slowed[stage](quantile.Quantile(later, (float64(i)+0.5)/float64(n-firsts))))
	}
	return all
}

// plan fits the main plan to some runs of a job.
func (b *Builder) plan(j *job, keep func(i int) bool) (*modelfile.Plan, error) {
	p, err := j.builder.Only(keep).Fit(j.name, b.o.Profile)
	if err != nil {
		return nil, err
	}
	return p.Main(), nil
}

// nearest returns the run, by its number in the builder, whose tokens are nearest, in proportion, to the tokens
// of the k-th.
func (j *job) nearest(k int) int {
	best, far := 0, math.Inf(1)
	for l := range j.runs {
		if d := math.Abs(math.Log(j.runs[l].tokens / j.runs[k].tokens)); l != k && d < far {
			best, far = j.runs[l].index, d
		}
	}
	return best
}

// at returns a quantile of an observed distribution, in seconds.
func at(d *modelfile.Dist, p float64) float64 { return quantile.Quantile(quantile.Sort(seconds(d)), p) }

// seconds returns the observed values of a distribution, in seconds.
func seconds(d *modelfile.Dist) []float64 {
	return lists.Map(d.Values, func(x int64) float64 { return float64(x) / 1e6 })
}

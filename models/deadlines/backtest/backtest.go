package backtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"racecard/analyses/quantile"
	"racecard/datasets/fault"
	"racecard/datasets/result"
	"racecard/models/deadlines/sim"
)

// Run predicts the runs that were added and scores the predictions. The result is the same for any number of workers.
// progress, unless nil, is told how many runs are predicted, by one goroutine at a time.
func (b *Builder) Run(ctx context.Context, progress func(done, of int)) (*result.Backtest, error) {
	methods := names()
	out := &result.Backtest{MinRuns: b.o.MinRuns, After: b.o.After, Last: b.o.Last, Replicates: b.o.Replicates,
		Seed: b.o.Seed, Methods: methods,
		LeaveOut: b.o.LeaveOut, Without: b.o.Without, FromTokens: b.o.FromTokens, AtTokens: b.o.AtTokens,
		Versus: []result.BacktestVersus{}, PerJob: []result.BacktestJob{}}
	out.Needs = []string{"jobs.name", "jobs.status", "jobs.submit", "jobs.end", "stages.*", "edges.*"}
	jobs := b.recurring()
	out.LeftOut = b.LeftOut
	if len(jobs) == 0 {
		out.Missing = []string{fmt.Sprintf("a job with %d runs that succeeded", b.o.MinRuns)}
		return out, nil
	}
	if b.o.LeaveOut == Tokens {
		for _, j := range jobs {
			j.replayed()
		}
	}
	if !slices.ContainsFunc(jobs, func(j *job) bool {
		return slices.ContainsFunc(j.runs, func(p past) bool {
			return p.completionS > 0
		})
	}) {
		held, err := b.heldOut(ctx, jobs, progress)
		if err != nil {
			return nil, err
		}
		if held == nil {
			out.Missing = []string{"jobs.end", "tasks.duration at different numbers of tokens"}
			return out, nil
		}
		out.Available, out.Held, out.Methods, out.Jobs = true, held, heldMethods, len(jobs)
		out.BacktestScore = score(nil, nil)
		out.Warnings = append(out.Warnings, "no run tells how long it took: stages' task durations and the work of "+
			"runs are predicted, at numbers of tokens that were held out, and not the time of runs")
		return out, nil
	}
	if b.o.LeaveOut == Newest {
		b.surprises = b.peers.Learn()
	}
	tasks := b.tasks(jobs)
	of, err := b.predictAll(ctx, jobs, tasks, progress)
	if err != nil {
		return nil, err
	}
	if b.o.Within {
		if err = b.withinAll(ctx, jobs, tasks, progress, out); err != nil {
			return nil, err
		}
	}
	for i, runs := range of {
		out.PerRun = append(out.PerRun, runs...)
		if len(runs) > 0 {
			out.PerJob = append(out.PerJob, result.BacktestJob{Job: jobs[i].name, Runs: len(jobs[i].runs),
				Resolution: jobs[i].resolution(), BacktestScore: score(runs, methods)})
		}
	}
	out.Jobs = len(out.PerJob)
	if out.Available = out.Jobs > 0; !out.Available {
		out.Missing = []string{fmt.Sprintf("a run that was submitted after %d of its job had ended", b.o.After)}
		if b.o.LeaveOut == Tokens {
			out.Missing = []string{fmt.Sprintf("a run with at least %d of its job at other numbers of tokens",
				b.o.After)}
		}
		return out, nil
	}
	out.BacktestScore = score(out.PerRun, methods)
	for _, method := range methods[1:] {
		out.Versus = append(out.Versus, versus(of, method))
	}
	out.Warnings = append(out.Warnings, b.warnings(out)...)
	if b.endless != nil {
		out.Warnings = append(out.Warnings, fmt.Sprintf("runs are left out: no simulation of their job ends; the "+
			"first is %v", b.endless))
	}
	return out, nil
}

func (b *Builder) warnings(out *result.Backtest) []string {
	var w []string
	stages, told, unknown, replayed := 0, 0, 0, 0
	tokens := map[string]map[float64]bool{}
	for i := range out.PerRun {
		r := &out.PerRun[i]
		if tokens[r.Job] == nil {
			tokens[r.Job] = map[float64]bool{}
		}
		if math.IsNaN(r.Tokens) {
			unknown++
		} else {
			tokens[r.Job][r.Tokens] = true
		}
		if r.Replayed {
			replayed++
		}
	}
	for _, j := range out.PerJob {
		switch {
		case j.Resolution != "stage":
		case len(tokens[j.Job]) > 1:
			told++
		default:
			stages++
		}
	}
	const alone = "of %d jobs only stages are known, not the run times of tasks: "
	if stages > 0 {
		w = append(w, fmt.Sprintf(alone+"a stage takes as long as it did, and other numbers of tokens cannot be told apart",
			stages))
	}
	if told > 0 {
		w = append(w, fmt.Sprintf(alone+"what tokens do is told by the times of whole runs", told))
	}
	if replayed > 0 {
		w = append(w, fmt.Sprintf("of %d runs it is not recorded how long they took: they count as what their tasks "+
			"take, in the order recorded, on their tokens", replayed))
	}
	if unknown > 0 {
		w = append(w, fmt.Sprintf("of %d runs it is not known how many tokens they held: what tasks waited for is "+
			"learned from whole runs", unknown))
	}
	if out.Predicted < 20 {
		w = append(w, fmt.Sprintf("%d predictions say little of how often they are right", out.Predicted))
	}
	return w
}

// task is one run to predict from those before it.
type task struct{ job, run int }

// tasks returns the newest runs of every job that can be predicted, by job and time, and counts the others.
func (b *Builder) tasks(jobs []*job) []task {
	var tasks []task
	for i, j := range jobs {
		j.sort()
		var of []task
		for k := len(j.runs) - 1; k >= 0; k-- {
			leftOut := b.o.leftOut(j, k)
			if len(of) == b.o.Last && j.runs[k].completionS > 0 {
				leftOut = "older than the last runs of its job"
			}
			if leftOut != "" {
				b.LeftOut[leftOut]++
				continue
			}
			of = append(of, task{i, k})
		}
		slices.Reverse(of)
		tasks = append(tasks, of...)
	}
	return tasks
}

// predictAll predicts runs, and returns them by job.
func (b *Builder) predictAll(ctx context.Context, jobs []*job, tasks []task,
	progress func(done, of int)) ([][]result.BacktestRun, error) {
	runs, errs := make([]result.BacktestRun, len(tasks)), make([]error, len(tasks))
	b.each(ctx, len(tasks), progress, func(i int) { runs[i], errs[i] = b.predict(jobs[tasks[i].job], tasks[i].run) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([][]result.BacktestRun, len(jobs))
	for i, t := range tasks {
		err := errs[i]
		if err != nil {
			err = fmt.Errorf("job %q, run %q: %w", runs[i].Job, runs[i].JobID, err)
		}
		if errors.Is(err, sim.ErrTooLong) {
			b.LeftOut[endless]++
			if b.endless == nil {
				b.endless = err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		out[t.job] = append(out[t.job], runs[i])
	}
	return out, nil
}

// each calls do for 0 to n-1, with as many workers as asked for, until ctx is done.
func (b *Builder) each(ctx context.Context, n int, progress func(done, of int), do func(i int)) {
	var mutex sync.Mutex
	next, done := 0, 0
	var workers sync.WaitGroup
	for range min(n, b.o.Workers) {
		workers.Add(1)
		go func() {
			defer fault.Trap()
			defer workers.Done()
			for {
				mutex.Lock()
				i := next
				next++
				mutex.Unlock()
				if i >= n || ctx.Err() != nil {
					return
				}
				do(i)
				mutex.Lock()
				done++
				if progress != nil {
					progress(done, n)
				}
				mutex.Unlock()
			}
		}()
	}
	workers.Wait()
}

// question returns all that may be known of the k-th run of a job when it is submitted.
func (b *Builder) question(j *job, k int) *question {
	run := &j.runs[k]
	q := question{job: j.name, next: next{id: run.id, submit: run.from, tokens: run.tokens, inputBytes: run.inputBytes},
		o: &b.o, builder: j.builder}
	q.past, _ = b.o.split(j, k)
	if b.surprises != nil {
		q.surprise = b.surprises.At(run.from)
	}
	return &q
}

// predict predicts the k-th run of a job by every method.
func (b *Builder) predict(j *job, k int) (result.BacktestRun, error) {
	run := &j.runs[k]
	q := b.question(j, k)
	r := result.BacktestRun{Job: j.name, JobID: run.id, Submit: run.from, Before: len(q.past), Tokens: run.tokens,
		InputBytes: run.inputBytes,
		ObservedS:  run.completionS, Replayed: run.replayed, PIT: math.NaN(), Predictions: map[string]float64{},
		Distributions: map[string]result.Quantiles{}}
	for i := range r.Quantiles {
		r.Quantiles[i] = math.NaN()
	}
	for _, m := range methods() {
		times, err := m.predict(q)
		if err != nil {
			return r, fmt.Errorf("%s: %w", m.name(), err)
		}
		switch {
		case times.Len() == 0:
			r.Predictions[m.name()] = math.NaN()
		case times.Len() == 1:
			r.Predictions[m.name()] = times.Min()
		default:
			quantiles := result.Quantiles{}
			for i, level := range result.BacktestLevels {
				quantiles[i] = quantile.Quantile(times, level)
			}
			r.Predictions[m.name()], r.Distributions[m.name()] = quantiles[3], quantiles
			if m.name() == Racecard {
				r.Quantiles, r.PIT = quantiles, shareBelow(times, run.completionS)
			}
		}
	}
	return r, nil
}

// shareBelow returns the share of times below x, counting half of those equal to it.
func shareBelow(times quantile.Sorted, x float64) float64 {
	below := 0.0
	for _, t := range times.Values() {
		switch {
		case t < x:
			below++
		case t == x:
			below += 0.5
		}
	}
	return below / float64(times.Len())
}

// resolution is "stage" if no run has attempts with known run times.
func (j *job) resolution() string {
	if slices.ContainsFunc(j.runs, func(p past) bool { return len(p.levels) > 0 }) {
		return "attempt"
	}
	return "stage"
}

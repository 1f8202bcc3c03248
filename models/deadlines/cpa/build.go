package cpa

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"racecard/analyses/digest"
	"racecard/datasets/lists"
	"racecard/datasets/remaining"
	"racecard/datasets/words"
	"racecard/models/deadlines/sim"
)

// Build simulates a job and returns its table, which is valid. It fills in the fields of about that the simulation
// determines; the caller sets the others. Allocations of a chosen grid on which a run would take more than 101 days are
// left out, with a warning. Where a run has very many tasks, fewer runs are simulated and a chosen grid ends earlier,
// with a warning, so that a table takes minutes.
func Build(ctx context.Context, job Job, about remaining.About, o Options) (*remaining.Table, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	limited := o.limit(about.Tasks)
	columns, warnings, err := simulate(ctx, job, about, o)
	if err != nil {
		return nil, err
	}
	switch {
	case limited && slices.ContainsFunc(columns, func(c *column) bool { return c.done == o.MaxReplicates }):
		warnings = append(warnings, fmt.Sprintf("a run has %s: at most %d runs were simulated at every allocation, "+
			"as no number of replicates was given; of a run's median time, %s", words.Of(about.Tasks, "task", "tasks"),
			o.MaxReplicates, accuracy(columns, o.Quantiles)))
	case o.Replicates == 0:
		if text := loosest(columns, o); text != "" {
			warnings = append(warnings, text)
		}
	}
	t := assemble(columns, about)
	a := &t.About
	a.Method, a.Indicator, a.Sampling, a.Seed, a.Antithetic = remaining.Simulated, o.Indicator.String(), o.Sampling,
		o.Seed, o.Antithetic
	a.Warnings = append(slices.Clone(about.Warnings), warnings...)
	if o.Sampling == remaining.ByTime {
		a.StepS = &o.StepS
	}
	a.Replicates = nil
	for _, c := range columns {
		a.Replicates = append(a.Replicates, int64(c.done))
		a.Simulated += int64(c.done)
		if !c.exact {
			a.Error = digest.RelativeError
		}
	}
	if o.Sampling == remaining.ByProgress {
		follow(t, &job, o.Indicator)
		a.Courses = len(job.Past)
	}
	slower := slowerOnMore(t, known(t, o))
	var seen, unseen remaining.Monotone
	a.Monotone, seen, unseen = monotonize(t, known(t, o))
	if slower != "" {
		a.Warnings = append(a.Warnings, slower)
	}
	if seen.Changed > oddly {
		odd := fmt.Sprintf("up to %s, more of them seem slower, or are less certain",
			words.Of(t.Allocations[seen.Known-1], "token", "tokens"))
		if seen.Known == 1 {
			odd = fmt.Sprintf("on %s, the remaining time seems to grow with progress",
				words.Of(t.Allocations[0], "token", "tokens"))
		}
		a.Warnings = append(a.Warnings, fmt.Sprintf("%s: making the table monotone changed %.0f%% of those quantiles, by "+
			"up to %.0f%% of a run", odd, 100*seen.Changed, 100*seen.LargestOf))
	}
	if most := a.MostTokens; unseen.Changed > oddly && most != nil {
		a.Warnings = append(a.Warnings, fmt.Sprintf("beyond %s, which no past run held, it is less certain how long "+
			"runs take: making the table monotone changed %.0f%% of those quantiles, by up to %.0f%% of a run",
			words.Of(*most, "token", "tokens"), 100*unseen.Changed, 100*unseen.LargestOf))
	}
	return t, t.Verify()
}

// mostSimulated bounds the tasks that are simulated at an allocation to come within the tolerance. mostOfTable bounds
// the tasks at all allocations of a chosen grid. So a table takes some two minutes of a core.
const (
	mostSimulated = 64_000_000
	mostOfTable   = 3_000_000_000
)

// boundingRuns is the fewest runs, in pairs, whose times bound a p95 from both sides: see [interval].
const boundingRuns = 72

// limit lowers the number of runs that may be simulated at an allocation, where a run has very many tasks. It reports
// whether it did.
func (o *Options) limit(tasks int) bool {
	most := max(boundingRuns, mostSimulated/max(1, tasks))
	if o.Replicates > 0 || o.MaxReplicates <= most {
		return false
	}
	o.MaxReplicates = most
	return true
}

// accuracy says how closely quantiles are known, at the allocation where they are best known and where least.
func accuracy(columns []*column, quantiles []float64) string {
	texts := make([]string, len(quantiles))
	for i, q := range quantiles {
		by := func(a, b *column) int { return cmp.Compare(a.accuracy[i], b.accuracy[i]) }
		best, least := slices.MinFunc(columns, by), slices.MaxFunc(columns, by)
		texts[i] = fmt.Sprintf("p%g is within %s on %s to %s on %s", math.Round(1e4*q)/1e2,
			words.Percent(best.accuracy[i]), words.Of(best.tokens, "token", "tokens"), words.Percent(least.accuracy[i]),
			words.Count(least.tokens))
		if math.IsInf(least.accuracy[i], 1) {
			texts[i] = fmt.Sprintf("p%g takes more runs to tell", math.Round(1e4*q)/1e2)
		}
	}
	return strings.Join(texts, ", ")
}

// notable is the multiple of the tolerance above which a table says how closely a quantile is known.
const notable = 2

// loosest says how closely the quantile is known that is least close, and on how many tokens; "" if all are within
// about the tolerance.
func loosest(columns []*column, o Options) string {
	at, of := columns[0], 0
	for _, c := range columns {
		for i := range o.Quantiles {
			if c.accuracy[i] > at.accuracy[of] {
				at, of = c, i
			}
		}
	}
	p, on := math.Round(1e4*o.Quantiles[of])/1e2, words.Of(at.tokens, "token", "tokens")
	switch half := at.accuracy[of]; {
	case math.IsInf(half, 1):
		return fmt.Sprintf("%s on %s do not tell how close p%g is: more replicates would", words.Of(at.done, "run", "runs"), on, p)
	case half > notable*o.Tolerance:
		return fmt.Sprintf("p%g is known within %s of a run's median time on %s from %s, not within the tolerance of %s: "+
			"more replicates bring it closer", p, words.Percent(half), on, words.Of(at.done, "run", "runs"),
			words.Percent(o.Tolerance))
	}
	return ""
}

// known returns the number of allocations within the range of past runs: all of them if that range is unknown,
// or none would be.
func known(t *remaining.Table, o Options) int {
	all := len(t.Allocations)
	most := t.About.MostTokens
	if most == nil || o.Sampling == remaining.ByTime {
		return all
	}
	n := 0
	for n < all && int64(t.Allocations[n]) <= *most {
		n++
	}
	if n == 0 {
		return all
	}
	return n
}

// oddly is the share of changed quantiles above which changes are more than noise.
const oddly = 0.1

// simulate returns the columns of the table, ascending, before anything is made monotone.
func simulate(ctx context.Context, job Job, about remaining.About, o Options) (columns []*column, warnings []string,
	err error,
) {
	s := &simulateAll{job: job, o: o}
	chosen := len(o.Allocations) == 0
	var tooLong error
	evaluate := func(grid []int32) ([]*column, error) {
		runs := s.done + int64(len(grid))*int64(o.MaxReplicates)
		if o.Replicates == 0 && s.done > 0 && runs*int64(about.Tasks) > mostOfTable {
			warnings = append(warnings, fmt.Sprintf("a run has %s: %s left out that a grid error of %s wants, as no "+
				"number of replicates was given", words.Of(about.Tasks, "task", "tasks"),
				words.Of(len(grid), "allocation is", "allocations are"), words.Percent(o.GridError)))
			return nil, nil
		}
		wave := lists.Map(grid, func(a int32) *column { return &column{tokens: a} })
		if err := s.run(ctx, wave); err != nil {
			return nil, err
		}
		var done []*column
		for _, c := range wave {
			switch {
			case c.err == nil:
				done = append(done, c)
			case chosen && errors.Is(c.err, sim.ErrTooLong):
				tooLong = c.err
				warnings = append(warnings, fmt.Sprintf("%s left out: a run would take more than 101 days",
					words.Of(c.tokens, "token is", "tokens are")))
			default:
				return nil, c.err
			}
		}
		return done, nil
	}
	if !chosen {
		columns, err = evaluate(o.Allocations)
		return columns, nil, err
	}
	most, err := peak(job, o)
	if err != nil {
		return nil, nil, err
	}
	if top := largest(about); most > top {
		warnings = append(warnings, fmt.Sprintf("the largest allocation is %s, though a run can use %s: beyond, a "+
			"run of %s takes seconds to simulate; name larger allocations to have them",
			words.Of(top, "token", "tokens"), words.Of(most, "token", "tokens"), words.Of(about.Tasks, "task", "tasks")))
		most = top
	}
	p := probe{run: func(tokens int32) ([probes]float64, error) { return lengths(job, tokens, o) }, bound: o.GridError,
		most: mostProbed / max(1, about.Tasks*probes), done: map[int32][probes]float64{}}
	columns, err = choose(max(most, job.Most), o.GridError, evaluate, p.missed)
	if err != nil && tooLong != nil {
		err = fmt.Errorf("%w, and so on any other number of tokens up to %d", tooLong, most)
	}
	return columns, warnings, err
}

// Runs of more than manyTasks tasks take a second or more to simulate on more than manyTokens tokens.
const (
	manyTasks  = 1 << 17
	manyTokens = 1 << 14
)

// largest returns the largest allocation that a chosen grid may have. It bounds only runs of very many tasks, and not
// below twice the tokens that past runs held.
func largest(about remaining.About) int32 {
	if about.Tasks <= manyTasks {
		return sim.MaxTokens
	}
	held := int64(0)
	if about.MostTokens != nil {
		held = *about.MostTokens
	}
	return int32(min(sim.MaxTokens, max(manyTokens, 2*held)))
}

// assemble makes a table of closed columns, before it is made monotone.
func assemble(columns []*column, about remaining.About) *remaining.Table {
	grid := lists.Map(columns, func(c *column) int32 { return c.tokens })
	t := remaining.New(about, grid)
	for k, c := range columns {
		for i := range remaining.Steps {
			at := k*remaining.Steps + i
			t.Samples[at], t.Mean[at] = c.samples[i], c.mean[i]
			for q, x := range c.quantiles[i] {
				t.Quantiles[q][at] = x
			}
		}
	}
	return t
}

// noticeable is the smallest change of a quantile that is counted, as a share of the mean time of a run.
const noticeable = 0.001

// apparentlySlower is the factor from which on a run is said to take longer on more tokens.
const apparentlySlower = 1.05

// slowerOnMore states, before a table is made monotone, by how much runs take longer on more tokens, of the first known
// allocations, than on fewer; "" where they do not.
func slowerOnMore(t *remaining.Table, known int) string {
	fast, slow := -1, -1
	whole := func(k int) float64 { return t.Remaining(0, float64(t.Allocations[k]), 0.5) }
	for k := range known {
		if fast < 0 || slow < 0 && whole(k) < whole(fast) {
			fast = k
		} else if whole(k) > apparentlySlower*whole(fast) && (slow < 0 || whole(k) > whole(slow)) {
			slow = k
		}
	}
	if slow < 0 {
		return ""
	}
	return fmt.Sprintf("runs take %s on %s and %s on %s (medians): as times of a table never grow with tokens, it has "+
		"at least the latter for both; a table of at most %[2]s has the former", words.Seconds(whole(fast)),
		words.Of(t.Allocations[fast], "token", "tokens"), words.Seconds(whole(slow)), words.Count(t.Allocations[slow]))
}

// monotonize makes a table monotone and returns the changes in cells with samples: in all of them, in cells of
// known allocations, and in the others, which may be none.
func monotonize(t *remaining.Table, known int) (all, seen, unseen remaining.Monotone) {
	before := lists.Indexed(remaining.Levels, func(q int) []float64 { return slices.Clone(t.Quantiles[q]) })
	whole := lists.Indexed(len(t.Allocations), func(k int) float64 { return t.Mean[k*remaining.Steps] })
	t.Monotonize(known)
	changes := func(from, to int) remaining.Monotone {
		m := remaining.Monotone{Known: known}
		changed, of := 0, 0
		for q := range before {
			for c := from * remaining.Steps; c < to*remaining.Steps; c++ {
				if t.Samples[c] == 0 {
					continue
				}
				by, run := math.Abs(t.Quantiles[q][c]-before[q][c]), whole[c/remaining.Steps]
				of++
				if by > noticeable*run {
					changed++
				}
				m.LargestS = max(m.LargestS, by)
				if run > 0 {
					m.LargestOf = max(m.LargestOf, by/run)
				}
			}
		}
		m.Changed = float64(changed) / float64(max(1, of))
		return m
	}
	return changes(0, len(whole)), changes(0, known), changes(known, len(whole))
}

// lengths returns the times of the first runs on some tokens, in seconds; zeros if they take too long to simulate.
func lengths(job Job, tokens int32, o Options) (all [probes]float64, err error) {
	c := column{tokens: tokens}
	if err := c.prepare(job); err != nil {
		return all, sim.PassTooLong(err)
	}
	s, err := newSampler(c.setting, c.compiled, job.Progress, c.tokens, o)
	if err != nil {
		return all, err
	}
	for k := range all {
		if err := s.run(k, func(step int, us int64) {
			if step == 0 {
				all[k] = max(all[k], float64(us)/1e6)
			}
		}); err != nil {
			return [probes]float64{}, sim.PassTooLong(err)
		}
	}
	return all, nil
}

// peakRuns is how many runs are simulated to see how many tasks run at once.
const peakRuns = 3

// peak returns the largest number of tasks of a job that run at once when every task can have a token.
func peak(job Job, o Options) (int32, error) {
	setting, err := job.With(1)
	for a := int32(4); errors.Is(err, sim.ErrTooLong) && a < sim.MaxTokens; a *= 4 {
		setting, err = job.With(a)
	}
	if err != nil {
		return 0, err
	}
	c := column{tokens: setting.Plan.Unlimited()}
	if err := c.prepare(job); err != nil {
		return 0, err
	}
	s, err := newSampler(c.setting, c.compiled, job.Progress, c.tokens, o)
	if err != nil {
		return 0, err
	}
	most := int32(1)
	for k := range peakRuns {
		if err := s.run(k, func(int, int64) {}); err != nil {
			return 0, err
		}
		most = max(most, s.peak)
	}
	return most, nil
}

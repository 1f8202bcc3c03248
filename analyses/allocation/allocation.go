// Package allocation compares the guaranteed tokens of runs with their parallelism, the most tasks that they ran at
// once. It shows which jobs ask for more than they use, and which depend on spare tokens. It follows §3.2 of Jockey (A.
// D. Ferguson et al., "Jockey: Guaranteed Job Latency in Data Parallel Clusters", EuroSys 2012), where a third of the
// jobs never reach their guaranteed parallelism and a quarter exceed it more than ten times.
//
//   - The parallelism of a run is the largest number of its attempts that run at once, found by a sweep over their
//     starts and ends. An attempt holds its token from its start up to its end: an attempt that ends at the instant at
//     which another starts does not overlap it. An attempt of no length (common with clocks that count seconds)
//     overlaps all attempts that run or start at its instant. An attempt that had not ended when the trace did runs
//     until the end of the run.
//   - If no attempt of a run has a known time, its parallelism is the most tokens in its allocations
//     ([trace.Run.Held]). So it is for a parallel program that the trace does not split into tasks: one task that
//     demands as many cores or GPUs as the run held tokens, as in SWF and Philly.
//   - ratio = parallelism / guaranteed tokens. Below 1 the run never used its guarantee; above 10 it exceeds it
//     tenfold.
//   - Sustained parallelism leaves out the busiest twentieth of the time during which any attempt ran: the smallest
//     number that is not exceeded for 95% of it. Logs record the end of an attempt when it became known, after its slot
//     was given to the next one, so that attempts in one slot overlap by milliseconds. A peak that is not sustained may
//     be due to that alone.
//   - unused_guarantee is the share of the guaranteed token-time, from the start of the run to its end, that the run
//     did not use; beyond_guarantee is the share of its task-time above the guarantee, which ran on spare tokens,
//     whether or not the trace marks the attempts.
//   - spare_share is the share of attempts that the trace marks as having run on spare tokens.
//
// Runs without a guarantee, with a guarantee of 0, or without known times are left out of every number, and counted.
package allocation

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"racecard/analyses/internal/extreme"
	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// TenTimes is the ratio of use to guarantee above which Jockey reports runs separately.
const TenTimes = 10

// Options of the analysis.
type Options struct {
	Seed uint64 // of the bootstrap
}

// DefaultOptions returns the options of racecard's manual.
func DefaultOptions() Options { return Options{Seed: 1} }

// Needs returns the columns the analysis cannot do without. An alternative is written a|b.
func Needs() []string {
	return []string{"jobs.guaranteed", "tasks.start|allocations.tokens", "tasks.end|allocations.tokens"}
}

// Also returns the columns that are read where there are any.
func Also() []string {
	return []string{
		"jobs.name", "jobs.user", "jobs.group", "jobs.start", "jobs.end", "stages.cpu", "stages.gpu", "tasks.status",
		"tasks.spare",
		"allocations.at", "allocations.spare",
	}
}

// Reasons why runs are left out.
const (
	leftNoGuarantee = "without a guarantee"
	leftNothing     = "guaranteed 0 tokens"
	leftNoTasks     = "without a stage: they ran no task"
	leftNoTimes     = "without a known time of an attempt and without allocations"
)

// Partial is the state after some of the runs. Its memory grows with the number of runs, about 70 bytes each.
type Partial struct {
	opts            Options `partial:"-"`
	left            map[string]int64
	uses            result.RunUses  `partial:"-"`
	runs            []result.RunUse // those of uses, while the partial result is encoded
	spare, notSpare int
	untimed         int
	sweeper         sweeper `partial:"-"`
}

// New returns an empty partial result.
func New(opts Options) *Partial { return &Partial{opts: opts, left: map[string]int64{}} }

// Add adds one run.
func (p *Partial) Add(run *trace.Run) {
	switch run.Guaranteed {
	case trace.None:
		p.left[leftNoGuarantee]++
		return
	case 0:
		p.left[leftNothing]++
		return
	}
	if len(run.Stages) == 0 && len(run.Attempts) == 0 { // an idle shell held its guarantee, and used none of it
		p.left[leftNoTasks]++
		return
	}
	u, timed := p.sweeper.attempts(run)
	basis := result.UseOfAttempts
	if !timed || run.TokensPerAttempt() > 1 {
		h, known := held(run)
		switch {
		case known:
			u.most, u.from, u.to, u.levels = h.most, h.from, h.to, h.levels
			basis = result.UseOfAllocations
		case !timed:
			p.left[leftNoTimes]++
			return
		}
	}
	if basis == result.UseOfAttempts {
		p.untimed += u.untimed
	}
	unused, beyond := u.against(run.Guaranteed)
	p.spare, p.notSpare = p.spare+u.spare, p.notSpare+u.notSpare
	p.uses.Add(&result.RunUse{
		JobID: run.ID, Name: run.Name, User: run.User, Group: run.Group, Guaranteed: run.Guaranteed,
		MaxParallelism: u.most, Sustained: u.sustained(),
		Basis: basis, Seconds: u.seconds(), Unused: unused, Beyond: beyond,
		SpareShare: float64(u.spare) / float64(u.spare+u.notSpare),
	})
}

// Merge adds the runs of q to p, as if they had come after the runs of p. q must not be used afterwards.
func (p *Partial) Merge(q *Partial) {
	lists.Add(p.left, q.left)
	p.uses.Append(&q.uses)
	p.spare, p.notSpare, p.untimed = p.spare+q.spare, p.notSpare+q.notSpare, p.untimed+q.untimed
}

// Encodable unpacks the runs, whose fields an encoder compresses better.
func (p *Partial) Encodable() error {
	p.runs = nil
	for _, u := range p.uses.All() {
		p.runs = append(p.runs, *u)
	}
	return nil
}

// Decoded packs the runs.
func (p *Partial) Decoded() error {
	for i := range p.runs {
		p.uses.Add(&p.runs[i])
	}
	p.runs = nil
	return nil
}

// scale is a number that runs have, and the place of its summary.
type scale struct {
	name string
	into *result.Summary
	of   func(*result.RunUse) float64
}

// scales returns the numbers that a result summarises.
func scales(r *result.Allocation) []scale {
	return []scale{
		{"ratio", &r.Ratio, (*result.RunUse).Ratio},
		{"sustained_ratio", &r.SustainedRatio, (*result.RunUse).SustainedRatio},
		{"max_parallelism", &r.MaxParallelism, func(u *result.RunUse) float64 { return float64(u.MaxParallelism) }},
		{"unused_guarantee", &r.Unused, func(u *result.RunUse) float64 { return u.Unused }},
		{"beyond_guarantee", &r.Beyond, func(u *result.RunUse) float64 { return u.Beyond }},
		{"spare_share_by_run", &r.SpareShareByRun, func(u *result.RunUse) float64 { return u.SpareShare }},
	}
}

// Finish computes the result. It takes up to 64 bytes per run more than the partial result.
func (p *Partial) Finish(ctx context.Context) (*result.Allocation, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := float64(p.uses.Len())
	r := &result.Allocation{
		Header: result.Header{Available: true, Needs: Needs(), LeftOut: p.left},
		Jobs:   p.uses.Len(), ByBasis: map[string]int{}, Intervals: quantile.NewIntervals(),
		SpareShare: result.Number(float64(p.spare) / float64(p.spare+p.notSpare)), Extremes: p.extremes(),
		Users:  p.asking(func(u *result.RunUse) string { return u.User }),
		Groups: p.asking(func(u *result.RunUse) string { return u.Group }),
	}
	all := scales(r)
	values := make([][]float64, len(all))
	for k := range values {
		values[k] = make([]float64, 0, p.uses.Len())
	}
	below, above := 0, 0
	for _, u := range p.uses.All() {
		r.ByBasis[u.Basis]++
		if u.MaxParallelism < u.Guaranteed {
			below++
		}
		if u.Ratio() > TenTimes {
			above++
		}
		for k := range all {
			if v := all[k].of(u); !math.IsNaN(v) {
				values[k] = append(values[k], v)
			}
		}
	}
	r.ShareBelowGuarantee, r.ShareAbove10x = result.Number(float64(below)/n), result.Number(float64(above)/n)
	for k, m := range all {
		sorted := quantile.SortInPlace(values[k])
		values[k] = nil // its memory is for those after it
		*m.into = quantile.Summarize(sorted)
		quantile.AddIntervals(&r.Intervals, m.name, sorted, p.opts.Seed)
	}
	if p.untimed > 0 {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("attempts without a known time, which the parallelism leaves out: %d", p.untimed))
	}
	r.Runs = p.uses
	return r, nil
}

// asker is a user or a group, with the ratios of its runs.
type asker struct {
	result.Asking
	ratios []float64
}

// asking groups runs by user or group; runs without are left out.
func (p *Partial) asking(who func(*result.RunUse) string) []result.Asking {
	of := map[string]*asker{}
	for _, u := range p.uses.All() {
		name := who(u)
		if name == "" {
			continue
		}
		a := of[name]
		if a == nil {
			name = strings.Clone(name)
			a = &asker{Asking: result.Asking{Who: name}}
			of[name] = a
		}
		a.add(u)
	}
	out := make([]result.Asking, 0, len(of))
	for _, name := range slices.Sorted(maps.Keys(of)) {
		a := of[name]
		a.P50 = quantile.Quantile(quantile.SortInPlace(a.ratios), 0.5)
		out = append(out, a.Asking)
	}
	slices.SortStableFunc(out, func(a, b result.Asking) int { return cmp.Compare(b.UnusedTokenS, a.UnusedTokenS) })
	return out
}

// add counts a run.
func (a *asker) add(u *result.RunUse) {
	a.Runs++
	ratio := u.Ratio()
	a.ratios = append(a.ratios, ratio)
	switch {
	case ratio < 1:
		a.Over++
	case u.SustainedRatio() > 1:
		a.Under++
	}
	if ratio > TenTimes {
		a.Above10++
	}
	if !math.IsNaN(u.Unused) { // then its length is known, too
		tokens := u.Seconds * float64(u.Guaranteed)
		a.GuaranteedTokenS += tokens
		a.UnusedTokenS += u.Unused * tokens
	}
}

// extremes returns the runs at the ends of the scales.
func (p *Partial) extremes() []result.ExtremeRun {
	type scale = extreme.Scale[result.RunUse]
	return extreme.Each(p.uses.All(), func(u *result.RunUse) (string, string) {
		return strings.Clone(u.JobID), strings.Clone(u.Name)
	},
		scale{What: "most of its guarantee never used", Of: func(u *result.RunUse) float64 { return 1 - u.Ratio() }},
		scale{What: "most beyond its guarantee", Of: (*result.RunUse).Ratio},
		scale{What: "most tasks at once", Of: func(u *result.RunUse) float64 { return float64(u.MaxParallelism) }},
		scale{What: "most guaranteed token-seconds unused", Of: func(u *result.RunUse) float64 {
			return u.Unused * u.Seconds * float64(u.Guaranteed)
		}})
}

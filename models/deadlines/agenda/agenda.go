package agenda

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"racecard/analyses/quantile"
	"racecard/analyses/waste"
	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/deadlines/profile"
	"racecard/models/workload"
)

// Options of a simulation.
type Options struct {
	Tokens int     // that the jobs share
	Days   int     // simulated days
	Sure   float64 // chance of a deadline that is enough
	Seed   uint64
}

// DefaultOptions returns the options of commands.
func DefaultOptions() Options { return Options{Days: 400, Sure: 0.95, Seed: 1} }

// Bins is the number of intervals of a day for which the use of tokens is reported.
const Bins = 96

// RunOf converts a past run to a Run that can be repeated, submitted at the given time of the day in seconds. A run
// whose stages are not known is one stage, as in a forecast. RunOf returns false if its time is not known, either.
func RunOf(run *trace.Run, clock float64) (Run, bool) {
	held := run.Held()
	r := Run{Submit: run.Submitted().Seconds(), At: int64(clock * 1e6), Tokens: int(max(1, held.Most)),
		PerToken: waste.CoresPerToken(run), Stated: held.Most > 0 && held.Stated(), Together: run.TokensPerAttempt() > 1}
	run, _ = workload.FillSkipped(run)
	if one := profile.AsOneStage(run); one != run {
		run, r.Together, r.Single = one, held.Most > 0, held.Most == 0
	}
	if !run.Status.Well() || len(run.Stages) == 0 {
		return Run{}, false
	}
	times := profile.Times(run)
	r.StartUp, r.WindDown = known(times.StartUp), known(times.WindDown)
	if began := run.Stages[0].Start; (r.Together || r.Single) && began.Known() { // it waits without tokens
		r.StartUp = max(0, known(began.Since(run.Submitted())))
	}
	attempts := workload.ByStage(workload.AfterBarriers(run))
	latency := times.Latency
	work := lists.Indexed(len(run.Stages), func(s int) workload.Stage {
		return workload.Of(&run.Stages[s], attempts[s], nil)
	})
	widest := int(max(1, workload.TakeTurns(run, work)))
	for s := range work {
		w := &work[s]
		if w.Tasks < 0 || w.Tasks > workload.MaxTasks || w.Basis == workload.Unknown {
			return Run{}, false
		}
		if w.Basis == workload.StageTime && w.Tasks > 1 {
			if held.Basis == trace.HeldUnknown { // how its time depends on tokens is not known
				w.Tasks, r.Single = 1, true
			} else {
				r.Shared = true
			}
		}
		st := Stage{Delay: known(times.Delay[s]), Tasks: make([]int64, w.Tasks)}
		for i := range st.Tasks {
			st.Tasks[i] = w.Durations[min(i, len(w.Durations)-1)]
		}
		for _, again := range w.Retries {
			st.Tasks[again.Task] += again.After
		}
		last := -1
		for i, k := range w.TaskOf(&run.Stages[s], attempts[s]) {
			if k >= 0 && k != last && !r.Together {
				last = k
				st.Tasks[k] += known(latency[i])
			}
		}
		latency = latency[len(attempts[s]):]
		widest = max(widest, len(st.Tasks))
		r.Stages = append(r.Stages, st)
	}
	for _, e := range run.Edges {
		if st := &r.Stages[e.Child]; !slices.Contains(st.Parents, e.Parent) {
			st.Parents = append(st.Parents, e.Parent)
		}
	}
	if held.Most == 0 {
		r.Unknown, r.Tokens = !r.Single, max(widest, r.atOnce())
	}
	return r, true
}

// assumed lists the assumptions about past runs, and next ones on so many tokens, that a reader should know.
func assumed(jobs []Job, tokens int) (warnings []string) {
	var often []string
	for i := range jobs {
		var shared, single, unknown, stretched int // runs of each kind
		fewest := math.MaxInt
		for k := range jobs[i].Runs {
			r := &jobs[i].Runs[k]
			fewest = min(fewest, r.Tokens)
			switch {
			case r.Single:
				single++
			case r.Shared:
				shared++
			case r.Unknown:
				unknown++
			}
			if r.Together && cmp.Or(jobs[i].next.Tokens, r.Tokens) > tokens {
				stretched++
			}
		}
		name, unit := words.Printable(jobs[i].Name), jobs[i].answer().Unit()
		warn := func(format string, args ...any) {
			warnings = append(warnings, name+": "+fmt.Sprintf(format, args...))
		}
		if apart := jobs[i].next.apart; apart > 0 && !jobs[i].Several && planned(jobs, jobs[i].Name)*apart < mostOfADay {
			often = append(often, fmt.Sprintf("%s every %s", name, words.Seconds(apart)))
		}
		for _, text := range jobs[i].next.Warnings {
			warn("%s", text)
		}
		if stretched > 0 {
			warn("a run holds all of its %ss at once: that it takes as much longer on fewer is assumed", unit)
		}
		if unknown > 0 {
			warn("how many %ss past runs held is not known: every task that can run has one", unit)
		}
		if n := len(jobs[i].Runs); n > 0 && tokens < fewest && single+unknown < n {
			warn("each past run held at least %s: how long it takes on %d is extrapolated%s", words.Of(fewest, unit, unit+"s"),
				tokens, words.When(!jobs[i].hasForecast(tokens), ", and less sure than it seems"))
		}
		if shared > 0 {
			warn("the durations of single tasks are not known (%s): the tasks of a stage share its time evenly on the %ss "+
				"that the run held", words.Of(shared, "run", "runs"), unit)
		}
		if single > 0 {
			warn("neither the durations of single tasks nor the %[2]ss that were held are known (%[1]s): every stage takes "+
				"its time on one %[2]s, however many there are", words.Of(single, "run", "runs"), unit)
		}
	}
	if sizes := tokenSizes(jobs); sizes != "" {
		warnings = append(warnings, sizes)
	}
	if len(often) > 0 {
		often = slices.Compact(slices.Sorted(slices.Values(often)))
		warnings = append(warnings, fmt.Sprintf("jobs run more often than the plan has them, as their times differ from "+
			"day to day, or a start is given; typically: %s; their other runs are left out: for each, name the job again, "+
			"with another start", strings.Join(often, ", ")))
	}
	return lists.Union(nil, warnings...) // runs of one job say the same
}

// Programs returns the most tokens that a job always held at once, as its runs are programs; 1 if there is no such job.
// How long it takes on fewer is not known.
func Programs(jobs []Job) int {
	most := 1
	for i := range jobs {
		fewest := math.MaxInt
		for k := range jobs[i].Runs {
			if r := &jobs[i].Runs[k]; r.Together {
				fewest = min(fewest, cmp.Or(jobs[i].next.Tokens, r.Tokens))
			} else {
				fewest = 1
			}
		}
		if len(jobs[i].Runs) > 0 {
			most = max(most, fewest)
		}
	}
	return most
}

// mostOfADay is the time, in seconds, that the planned runs of a job cover, at its usual interval, where they are about
// as many as it has on a day.
const mostOfADay = 18 * 3600

const oneDay = 24 * 3600

// planned returns the number of runs of a job on the day.
func planned(jobs []Job, name string) (n float64) {
	for i := range jobs {
		if jobs[i].Name == name {
			n++
		}
	}
	return n
}

// apparentSize is the factor by which the cores of tokens must differ to be told.
const apparentSize = 1.1

// tokenSizes states the cores of the tokens of jobs where these differ; "" where they do not.
func tokenSizes(jobs []Job) string {
	of, seen := map[result.Number][]string{}, map[string]bool{}
	for i := range jobs {
		if size := jobs[i].answer().PerToken; size > 0 && !seen[jobs[i].Name] {
			of[size], seen[jobs[i].Name] = append(of[size], jobs[i].Name), true
		}
	}
	all := slices.Sorted(maps.Keys(of))
	if len(all) < 2 || float64(all[len(all)-1]) < apparentSize*float64(all[0]) {
		return ""
	}
	sizes := lists.Map(all, func(size result.Number) string {
		return words.Number(size) + " for " + words.List(lists.Map(of[size], words.Printable))
	})
	return "the jobs share tokens, whose cores differ: " + strings.Join(sizes, ", ")
}

// answer returns the part of the answer about a job that does not depend on the simulation.
func (j *Job) answer() *result.AgendaJob {
	var sizes []float64
	a := &result.AgendaJob{Job: j.Name, Runs: len(j.Runs), After: []string{}, Chance: result.Number(math.NaN())}
	for i := range j.Runs {
		if size := j.Runs[i].PerToken; size > 0 {
			sizes = append(sizes, size)
		}
		a.Stated = a.Stated || j.Runs[i].Stated
	}
	a.PerToken = result.Number(quantile.Quantile(quantile.Sort(sizes), 0.5))
	return a
}

func known(d trace.Duration) int64 {
	if !d.Known() {
		return 0
	}
	return int64(d)
}

// Simulate estimates the probability that each job meets its deadline. Deadlines are seconds from midnight of the day;
// NaN means none. Over the days, the lengths of a job are evenly spread quantiles of its forecast, in random order, so
// that chances differ less from one seed to another (M. D. McKay, R. J. Beckman and W. J. Conover, "A Comparison of
// Three Methods for Selecting Values of Input Variables", Technometrics 21, 1979).
func Simulate(ctx context.Context, jobs []Job, deadlines []float64, o Options) (*result.Agenda, error) {
	of, err := simulateDays(ctx, jobs, o)
	if err != nil {
		return nil, err
	}
	starts, ends, use := of.starts, of.ends, of.use
	d := &result.Agenda{Header: result.Header{Available: true, Warnings: assumed(jobs, o.Tokens)}, Tokens: o.Tokens,
		Days: o.Days, Sure: o.Sure, Fits: true, Jobs: []result.AgendaJob{}, Use: []result.AgendaUse{}}
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	var p95Ends []float64
	for k := range jobs {
		var from, to []float64
		in := 0
		for i := range ends {
			first, last = min(first, starts[i][k]), max(last, ends[i][k])
			from, to = append(from, float64(starts[i][k])/1e6), append(to, float64(ends[i][k])/1e6)
			if float64(ends[i][k])/1e6 <= deadlines[k] {
				in++
			}
		}
		start, end := quantile.Sort(from), quantile.Sort(to)
		j := jobs[k].answer()
		j.DeadlineS, j.StartS = result.Number(deadlines[k]), quantile.Quantile(start, 0.5)
		j.P50EndS, j.P95EndS = quantile.Quantile(end, 0.5), quantile.Quantile(end, 0.95)
		for _, before := range jobs[k].After {
			j.After = append(j.After, jobs[before].Name)
		}
		if !math.IsNaN(deadlines[k]) {
			j.Chance = result.Number(float64(in) / float64(o.Days))
			d.Fits = d.Fits && float64(j.Chance) >= o.Sure
		}
		p95Ends = append(p95Ends, j.P95EndS)
		d.Jobs = append(d.Jobs, *j)
	}
	d.Around, d.Warnings = of.around, append(d.Warnings, of.notes(p95Ends)...)
	edge := func(b int) int64 { return first + max(Bins, last-first)*int64(b)/Bins }
	inUse := make([][]float64, Bins)
	for i := range use {
		var bins [Bins]int64 // tokens times microseconds: whole numbers, as rounding may use more tokens than there are
		b := 0
		for _, s := range use[i] {
			for edge(b+1) <= s.from {
				b++
			}
			for k := b; k < Bins && edge(k) < s.to; k++ {
				bins[k] += (min(s.to, edge(k+1)) - max(s.from, edge(k))) * int64(s.tokens)
			}
		}
		for b, sum := range bins {
			inUse[b] = append(inUse[b], float64(sum)/float64(edge(b+1)-edge(b)))
		}
	}
	for b := range inUse {
		sorted := quantile.Sort(inUse[b])
		d.Use = append(d.Use, result.AgendaUse{FromS: float64(edge(b)) / 1e6, ToS: float64(edge(b+1)) / 1e6,
			Mean: quantile.Mean(sorted.Values()), P95: quantile.Quantile(sorted, 0.95)})
	}
	return d, nil
}

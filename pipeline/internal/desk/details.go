package desk

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync/atomic"

	"racecard/analyses/anatomy"
	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/parallel"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/models/deadlines/cpa"
	"racecard/models/deadlines/forecast"
	"racecard/reports/desk"
	"racecard/reports/page"
)

// leastPast is the number of runs that a forecast needs.
const leastPast = 5

// Choose returns the runs that are explained, by id. Collector.Explain is then called with each.
func (c *Collector) Choose() map[string]bool {
	chosen := map[string]bool{}
	for _, j := range c.jobs {
		j.trim(c.o.Kept + 60)
		j.explain = map[string]bool{}
		var known []int // with a time and enough runs before them
		var took []float64
		for i := range j.kept {
			if o := &j.kept[i]; o.known && (j.trimmed == 0 || i >= anatomy.MostUsual+anatomy.LeastUsual) {
				known, took = append(known, i), append(took, o.took)
			}
		}
		if len(known) < 2 || c.o.Explained == 0 {
			continue
		}
		median := quantile.Quantile(quantile.Sort(took), 0.5)
		latest := known[len(known)-1]
		slices.SortStableFunc(known, func(a, b int) int { // unlike the median
			return cmp.Compare(math.Abs(j.kept[b].took-median), math.Abs(j.kept[a].took-median))
		})
		for _, i := range append([]int{latest}, known...) {
			if len(j.explain) < c.o.Explained {
				j.explain[j.kept[i].id], chosen[j.kept[i].id] = true, true
			}
		}
	}
	return chosen
}

// Explain explains a run that was chosen.
func (c *Collector) Explain(run *trace.Run) {
	name := run.JobName(false)
	j := c.jobs[name]
	if j == nil || !j.explain[run.ID] {
		return
	}
	others := j.usual(run.ID, run.Submitted())
	if len(others) == 0 {
		return
	}
	if e, ok := anatomy.Explain(context.Background(), run, others); ok {
		j.explains = append(j.explains, e)
	}
}

// usual returns the runs that a run is compared with, in time order.
func (j *job) usual(id string, at trace.Instant) []anatomy.Run {
	var known []*observed
	before := 0
	for i := range j.kept {
		o := &j.kept[i]
		if usual := o.status.Well(); !usual || o.id == id || math.IsNaN(o.took) {
			continue
		}
		known = append(known, o)
		if o.at < at {
			before++
		}
	}
	var runs []anatomy.Run
	for _, o := range anatomy.Nearest(known, before) {
		if o.known {
			runs = append(runs, o.measured)
		}
	}
	return runs
}

// Details fills the details of the wanted rows of a table of jobs, and their risks. The runs of these jobs are let go.
func (c *Collector) Details(ctx context.Context, d *desk.Data, changes *result.Comparison, workers int,
	done func(done, of int)) error {
	compared := map[string]*result.ComparedJob{}
	if changes != nil {
		for i := range changes.Jobs {
			compared[changes.Jobs[i].Job] = &changes.Jobs[i]
		}
	}
	d.Details = make([]*desk.Detail, len(d.Jobs.Job))
	var rows []int
	for i, name := range d.Jobs.Job {
		if c.o.Wanted[name] {
			rows = append(rows, i)
		}
	}
	var count atomic.Int64
	return parallel.Each(ctx, len(rows), parallel.Options{Workers: workers}, func(ctx context.Context, k int) error {
		i := rows[k]
		name := d.Jobs.Job[i]
		one, err := c.detail(ctx, name, compared[name])
		if err != nil {
			return err
		}
		d.Details[i], d.Jobs.Risk[i] = one, one.Forecast.Miss(float64(one.DueS))
		done(int(count.Add(1)), len(rows))
		return nil
	})
}

// detail returns the details of a job.
func (c *Collector) detail(ctx context.Context, name string, changed *result.ComparedJob) (*desk.Detail, error) {
	j := c.jobs[name]
	defer func() { j.kept, j.past = nil, nil }()
	d := &desk.Detail{Runs: j.table(c.o.Kept), Explained: j.explains, DueS: desk.Rounded(math.NaN())}
	slices.SortFunc(d.Explained, func(a, b *result.Explanation) int {
		return cmp.Or(cmp.Compare(b.Submitted, a.Submitted), cmp.Compare(a.Run, b.Run))
	})
	since := trace.Instant(trace.None)
	if changed != nil && changed.Changed {
		d.Parts = changed.Cause.Parts
		if s := float64(changed.Cause.SinceS); !math.IsNaN(s) {
			since = trace.Instant(math.Round(s * 1e6))
		}
	}
	d.Stages = j.stages(since)
	var fit *forecast.Fitted
	var err error
	if j.past.Runs() < leastPast {
		d.Why = "fewer than 5 runs succeeded whose stages are known"
	} else if fit, err = j.past.Fit(name, forecast.DefaultOptions()); err != nil {
		d.Why = err.Error()
	}
	next, err := c.o.Next(name, j.at, fit)
	if err != nil {
		return nil, err
	}
	d.Start, d.Times = next.Start, next.Times
	if fit == nil {
		return d, nil
	}
	d.DueS = desk.Rounded(next.Due)
	if d.Forecast, err = next.forecast(ctx, c.Surprise()); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		d.Why = err.Error()
		return d, nil
	}
	if c.o.Fans[name] {
		if d.Fan, err = j.fan(ctx, name, d.Forecast, c.Surprise()); err != nil && ctx.Err() != nil {
			return nil, err
		}
	}
	return d, nil
}

// table returns the newest runs.
func (j *job) table(most int) desk.RunTable {
	j.trim(max(len(j.kept), 1))
	from := max(0, len(j.kept)-most)
	t := desk.RunTable{ID: []string{}, Status: []string{}, More: j.trimmed + from}
	for i := range j.kept[from:] {
		o := &j.kept[from+i]
		at := math.NaN()
		if o.at.Known() {
			at = seconds(o.at)
		}
		t.ID, t.At, t.Took = append(t.ID, o.id), append(t.At, at), append(t.Took, o.took)
		t.Tokens, t.Input, t.Status = append(t.Tokens, o.cores), append(t.Input, o.input),
			append(t.Status, o.status.String())
	}
	return t
}

// stages compares usual runs before an instant with those from it on. Without an instant, the newer half of runs is
// compared with the older.
func (j *job) stages(since trace.Instant) *desk.Stages {
	var then, now []anatomy.Run
	var all []*observed
	for i := range j.kept {
		if o := &j.kept[i]; o.known && o.status.Well() {
			all = append(all, o)
		}
	}
	if len(all) < 2 {
		return nil
	}
	if !since.Known() {
		since = all[len(all)/2].at
	}
	for _, o := range all {
		if o.at < since {
			then = append(then, o.measured)
		} else {
			now = append(now, o.measured)
		}
	}
	if len(then) == 0 || len(now) == 0 {
		return nil
	}
	then, now = then[max(0, len(then)-anatomy.MostUsual):], now[max(0, len(now)-anatomy.MostUsual):]
	a, b := anatomy.UsualOf(then, 1), anatomy.UsualOf(now, 1)
	s := &desk.Stages{FromS: result.Number(seconds(since)), RunsThen: len(then), RunsNow: len(now)}
	add := func(name string) {
		if slices.Contains(s.Name, name) {
			return
		}
		s.Name = append(s.Name, name)
		for _, u := range []struct {
			of            *anatomy.Usual
			work, longest *desk.Column
		}{{&a, &s.Then, &s.LongestThen}, {&b, &s.Now, &s.LongestNow}} {
			stage := anatomy.Stage{}
			if i := slices.IndexFunc(u.of.Stages, func(st anatomy.Stage) bool { return st.Name == name }); i >= 0 {
				stage = u.of.Stages[i]
			}
			*u.work, *u.longest = append(*u.work, stage.Work), append(*u.longest, stage.Longest)
		}
	}
	for i := range b.Stages {
		add(b.Stages[i].Name)
	}
	for i := range a.Stages {
		add(a.Stages[i].Name)
	}
	return s
}

// forecast forecasts the run on a grid of tokens, for a grid of deadlines that includes its own if it has one.
func (n *Next) forecast(ctx context.Context, surprise *modelfile.Surprise) (*desk.Forecast, error) {
	o := forecast.DefaultOptions()
	o.Surprise, o.Submit = surprise, n.Submit
	of, err := forecast.New(n.Past, o)
	if err != nil {
		return nil, err
	}
	first, err := of.Answer(ctx, nil, math.NaN())
	if err != nil {
		return nil, err
	}
	usual := first.Tokens[slices.IndexFunc(first.Tokens, func(c result.ForecastTokens) bool {
		return c.Tokens == n.Past.UsualTokens()
	})]
	tokens := tokenGrid(usual.Tokens, first.TokensSeen)
	d, err := of.Answer(ctx, tokens, math.NaN())
	if err != nil {
		return nil, err
	}
	grid := deadlineGrid(usual, first.Tokens[len(first.Tokens)-1].P95S, n.Due)
	f := &desk.Forecast{Runs: d.Runs, UsualS: d.UsualS, Seen: d.TokensSeen, Unit: d.Unit(), Notes: page.ForecastNotes(d),
		Sure: d.Sure, Deadlines: grid, Warnings: d.Warnings, Start: n.Chosen}
	if n.Note != "" {
		f.Warnings = append(f.Warnings, n.Note)
	}
	fastest := math.Inf(1)
	for i, c := range d.Tokens {
		f.Tokens, f.P50, f.P90, f.P95 = append(f.Tokens, c.Tokens), append(f.P50, c.P50S), append(f.P90, c.P90S),
			append(f.P95, c.P95S)
		f.CoreH, f.Beyond = append(f.CoreH, c.CoreH), append(f.Beyond, c.Extrapolated)
		if c.Tokens == usual.Tokens {
			f.Usual = i
		}
		fastest = min(fastest, c.P50S)
	}
	f.Knee = -1
	if d.KnowsTokens() {
		f.Knee = slices.IndexFunc(f.P50, func(s float64) bool { return s <= fastest*1.1 })
	}
	for _, deadline := range grid {
		d, err := of.Answer(ctx, tokens, deadline)
		if err != nil {
			return nil, err
		}
		chance := desk.Column{}
		for _, c := range d.Tokens {
			chance = append(chance, float64(c.Chance))
		}
		f.Chance = append(f.Chance, chance)
		fewest, sure := 0, math.NaN()
		switch {
		case d.Fewest != nil:
			fewest, sure = d.Fewest.Tokens, float64(d.Fewest.Chance)
		case !d.KnowsTokens():
			fewest = -1
		}
		f.Fewest, f.FewestChance = append(f.Fewest, fewest), append(f.FewestChance, sure)
	}
	return f, nil
}

// tokenGrid returns the numbers of tokens of a slider: multiples of the usual number, and the numbers of past runs.
func tokenGrid(usual int, seen [2]result.Number) []int {
	out := lists.Map([]float64{0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4}, func(x float64) int {
		return max(1, int(math.Round(x*float64(usual))))
	})
	for _, s := range seen {
		if x := float64(s); x >= 1 && x < 1e6 {
			out = append(out, int(x))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// niceTimes are round deadlines, in seconds.
var niceTimes = []float64{ // constant
	1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40, 45, 50, 60, 75, 90, 105, 120, 150, 180, 210, 240, 270, 300,
	330, 360, 420, 480, 540, 600, 720, 900,
	1050, 1200, 1500, 1800, 2100, 2400, 2700, 3000, 3600, 4200, 4800, 5400, 6300, 7200, 9000, 10800, 12600, 14400,
	18000, 21600, 25200, 28800, 36000, 43200,
	57600, 72000, 86400, 129600, 172800, 259200, 345600, 432000, 604800, 1209600, 2419200,
}

// mostDeadlines bounds the positions of a slider of deadlines.
const mostDeadlines = 12

// deadlineGrid returns deadlines from fast, the time on twice the usual tokens, up to ones that a usual run surely
// meets. For earlier deadlines, the costly answer would be that no number of tokens suffices.
func deadlineGrid(usual result.ForecastTokens, fast, due float64) []float64 {
	out := lists.Kept(niceTimes, func(s float64) bool { return s >= min(fast, usual.P50S) && s <= usual.P95S*2.2 })
	for len(out) > mostDeadlines {
		thin := out[:0]
		for i, s := range out {
			if i%2 == 0 {
				thin = append(thin, s)
			}
		}
		out = thin
	}
	if !math.IsNaN(due) {
		out = append(out, due)
	}
	if len(out) == 0 {
		out = append(out, math.Ceil(usual.P95S))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// fanRuns bounds the runs of a job from which its fan is made, the newest.
const fanRuns = 2000

// fan tabulates the remaining time of runs on half of the usual tokens, on the usual tokens and on twice as many.
func (j *job) fan(ctx context.Context, name string, f *desk.Forecast, surprise *modelfile.Surprise) (*desk.Fan, error) {
	past := forecast.DefaultOptions()
	past.Newest = fanRuns
	fit, err := j.past.FitStaged(name, past)
	if err != nil {
		return nil, err
	}
	fit.Profile.Tell(surprise)
	about, kind, err := cpa.Of(fit.Profile, math.NaN())
	if err != nil {
		return nil, err
	}
	o := cpa.DefaultOptions()
	usual := f.Tokens[f.Usual]
	for _, n := range []int{max(1, usual/2), usual, 2 * usual} {
		o.Allocations = append(o.Allocations, int32(min(n, math.MaxInt32)))
	}
	o.Allocations = slices.Compact(o.Allocations)
	o.Crew = cpa.NewCrew(1)
	t, err := cpa.Build(ctx, about, kind, o)
	if err != nil {
		return nil, err
	}
	out := &desk.Fan{Seen: f.Seen, Notes: t.About.Warnings}
	if j.past.Staged() > fit.Runs {
		out.Newest = fit.Runs
	}
	for p := 0; p <= 100; p += 5 {
		out.Progress = append(out.Progress, float64(p)/100)
	}
	for _, n := range o.Allocations {
		out.Tokens = append(out.Tokens, int(n))
		of := func(q float64) (c desk.Column) {
			for _, p := range out.Progress {
				c = append(c, t.Remaining(p, float64(n), q))
			}
			return c
		}
		out.P50, out.P90, out.P95 = append(out.P50, of(0.5)), append(out.P90, of(0.9)), append(out.P95, of(0.95))
	}
	return out, nil
}

// Package forecast predicts the next run of a recurring job on given numbers of cores: its time, its cost, and
// the chance of a deadline. The distribution comes from package jobmodel, which backtests judge.
package forecast

import (
	"context"
	"errors"
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/profile"
)

// Most bounds the cores that are tried for a deadline: this many times the most that past runs held.
const Most = 16

// Past is the runs of a job. The zero value holds none.
type Past struct {
	builder profile.Builder
	ends    []trace.Instant // of the runs of builder
	seen    []observed
}

type observed struct{ seconds, cores, input float64 }

// Add adds a run, which it neither keeps nor changes.
func (p *Past) Add(run *trace.Run) {
	n := p.builder.Runs()
	p.builder.Add(run)
	if p.builder.Runs() == n {
		return
	}
	o := observed{run.Completion().Seconds(), math.NaN(), math.NaN()}
	if held := run.Held(); held.Most > 0 {
		o.cores = float64(held.Most)
	}
	if run.InputBytes > 0 {
		o.input = float64(run.InputBytes)
	}
	p.ends, p.seen = append(p.ends, run.End), append(p.seen, o)
}

// Runs returns the number of runs that a forecast can learn from.
func (p *Past) Runs() int { return len(p.seen) }

// Check returns an error that says why there is no run to learn from, nil if there is one.
func (p *Past) Check() error { return p.builder.Check() }

// Options describe the question.
type Options struct {
	Cores     []int   // none: half the median of past runs, the median, and twice the median
	Input     float64 // of the run in bytes; NaN: as past runs
	InputX    float64 // the input as a multiple of the median of past runs, where above 0
	DeadlineS float64 // after submission; NaN: none
	Sure      float64 // chance of the deadline that is enough
	Newest    int     // past runs that count, at most
	Seed      uint64
	Profile   profile.Options
	// Surprise is how much next runs of the jobs of the store differ beyond what past runs of their job say, as
	// [jobmodel.Peers] tell; nil for none.
	Surprise *modelfile.Surprise
}

// DefaultOptions returns the options of a run like those before.
func DefaultOptions() Options {
	return Options{Input: math.NaN(), DeadlineS: math.NaN(), Sure: 0.95, Newest: 300, Seed: 1,
		Profile: profile.DefaultOptions()}
}

// Of forecasts the next run of a job.
func Of(ctx context.Context, job string, p *Past, o Options) (*result.Forecast, error) {
	f, err := newForecaster(job, p, o)
	if err != nil {
		return nil, err
	}
	return f.doc, f.answer(ctx)
}

// newForecaster fits the past runs of a job.
func newForecaster(job string, p *Past, o Options) (*forecaster, error) {
	order := make([]int, len(p.seen))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(min(1, max(-1, p.ends[b]-p.ends[a]))) })
	keep := make([]bool, len(order))
	d := &result.Forecast{Header: result.Header{Available: true}, Job: job, Sure: o.Sure,
		DeadlineS: result.Number(o.DeadlineS), Cores: []result.ForecastCores{}}
	var seconds, cores, inputs []float64
	for _, i := range order[:min(len(order), o.Newest)] {
		keep[i] = true
		s := p.seen[i]
		for _, v := range []struct {
			to *[]float64
			x  float64
		}{{&seconds, s.seconds}, {&cores, s.cores}, {&inputs, s.input}} {
			if !math.IsNaN(v.x) {
				*v.to = append(*v.to, v.x)
			}
		}
		d.Runs++
	}
	fit, err := p.builder.Only(func(i int) bool { return keep[i] }).Fit(job, o.Profile)
	if err != nil {
		return nil, err
	}
	fit.Surprise = o.Surprise
	d.Warnings = fit.Warnings
	time, held, input := quantile.Sort(seconds), quantile.Sort(cores), quantile.Sort(inputs)
	d.UsualS = result.Number(quantile.Quantile(time, 0.5))
	d.CoresSeen = [2]result.Number{result.Number(held.Min()), result.Number(held.Max())}
	d.InputSeen = [2]result.Number{result.Number(input.Min()), result.Number(input.Max())}
	if o.InputX > 0 {
		o.Input = o.InputX * quantile.Quantile(input, 0.5)
	}
	d.Input = result.Number(o.Input)
	if len(o.Cores) == 0 {
		usual := quantile.Quantile(held, 0.5)
		if math.IsNaN(usual) {
			usual = 1
		}
		for _, x := range []float64{0.5, 1, 2} {
			o.Cores = append(o.Cores, max(1, int(math.Round(x*usual))))
		}
		o.Cores = slices.Compact(o.Cores)
	}
	most := 1.0
	for _, n := range append(slices.Clone(o.Cores), int(max(1, held.Max()))) {
		most = max(most, float64(n))
	}
	f := &forecaster{model: jobmodel.NewJob(fit), o: o, doc: d, most: int(most) * Most, times: map[int][]float64{}}
	for _, n := range held.Values() {
		f.held = append(f.held, int(n))
	}
	_, err = f.anchors()
	return f, err
}

// answer forecasts on the cores that are asked for, and finds the fewest for the deadline.
func (f *forecaster) answer(ctx context.Context) error {
	d := f.doc
	cores := slices.Compact(slices.Sorted(slices.Values(f.o.Cores)))
	times := make([][]float64, len(cores))
	for i, n := range cores {
		if err := ctx.Err(); err != nil {
			return err
		}
		predicted, err := f.predicted(n)
		if err != nil {
			return err
		}
		times[i] = slices.Clone(predicted)
		if i > 0 && !f.rises(cores[i-1], n) { // between the same anchors, too
			lower(times[i], times[i-1])
		}
	}
	for i, n := range cores {
		d.Cores = append(d.Cores, f.summarize(n, times[i]))
	}
	if math.IsNaN(f.o.DeadlineS) {
		return nil
	}
	var err error
	d.Fewest, err = f.fewest(ctx, f.most)
	return err
}

// forecaster forecasts on any number of cores.
type forecaster struct {
	model *jobmodel.Job
	o     Options
	doc   *result.Forecast
	most  int               // cores that are tried for a deadline
	held  []int             // cores of past runs, ascending
	times map[int][]float64 // of simulated, by cores
	seen  []anchor
}

var errUnknown = errors.New("no run can be simulated: how long the tasks of past runs took is not known, or it was " +
	"no time at all")

// modelled returns the options of the model on so many cores.
func (f *forecaster) modelled(cores int) jobmodel.Options {
	m := jobmodel.DefaultOptions()
	m.InputBytes, m.Tokens, m.Seed = f.o.Input, float64(cores), f.o.Seed
	return m
}

// on forecasts on so many cores.
func (f *forecaster) on(cores int) (result.ForecastCores, error) {
	times, err := f.predicted(cores)
	if err != nil {
		return result.ForecastCores{}, err
	}
	return f.summarize(cores, times), nil
}

// summarize is the forecast of times on so many cores.
func (f *forecaster) summarize(cores int, times []float64) result.ForecastCores {
	sorted := quantile.Sort(times)
	q := func(p float64) float64 { return quantile.Quantile(sorted, p) }
	out := result.ForecastCores{Cores: cores, P50S: q(0.5), P90S: q(0.9), P95S: q(0.95),
		CoreH: float64(cores) * quantile.Mean(times) / 3600, Chance: result.Number(math.NaN())}
	outside := func(x float64, seen [2]result.Number) bool { return x < float64(seen[0]) || x > float64(seen[1]) }
	out.Extrapolated = outside(float64(cores), f.doc.CoresSeen) || outside(f.o.Input, f.doc.InputSeen)
	if d := f.o.DeadlineS; !math.IsNaN(d) {
		in, _ := slices.BinarySearchFunc(sorted.Values(), d, func(t, d float64) int {
			if t <= d {
				return -1
			}
			return 1
		})
		out.Chance = result.Number(float64(in) / float64(len(times)))
	}
	return out
}

// fewest returns the fewest cores, at most most, with which the deadline is met with the chance that is enough; nil
// where none are. Numbers of cores are tried from the smallest on, ever further apart, and then between the last that
// are too few and the first that are enough.
func (f *forecaster) fewest(ctx context.Context, most int) (*result.ForecastCores, error) {
	try := func(n int) (*result.ForecastCores, bool, error) {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		at, err := f.on(n)
		return &at, float64(at.Chance) >= f.o.Sure, err
	}
	few, best := 0, (*result.ForecastCores)(nil)
	for n := 1; n <= most && best == nil; n = max(n+1, n*3/2) {
		at, enough, err := try(n)
		switch {
		case err != nil:
			return nil, err
		case enough:
			best = at
		default:
			few = n
		}
	}
	for best != nil && best.Cores-few > 1 {
		middle := few + (best.Cores-few)/2
		at, enough, err := try(middle)
		switch {
		case err != nil:
			return nil, err
		case enough:
			best = at
		default:
			few = middle
		}
	}
	return best, nil
}

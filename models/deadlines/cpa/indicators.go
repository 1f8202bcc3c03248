package cpa

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"racecard/datasets/lists"
	"racecard/datasets/remaining"
	"racecard/datasets/seed"
	"racecard/models/deadlines/progress"
	"racecard/models/deadlines/sim"
)

// Told scores how well one progress indicator predicts the ends of a job's runs: the two measures by which Jockey
// compares indicators (section 5.4), and the mean error. Shares are of a run's duration, means over the runs that were
// tried.
type Told struct {
	Indicator progress.Indicator
	// Jumps is the mean of |T_t - T_{t+1}|, where T_t = t + C(p_t, a) is the end that is predicted at the t-th instant:
	// ΔT.
	Jumps float64
	Still float64 // longest time in which the indicator does not move
	Off   float64 // mean of |T_t - end|
	Trace []Tell  // of the run that all indicators are traced on
}

// Tell is the prediction of an indicator at an instant, in seconds from the start of a run.
type Tell struct {
	At       float64
	Progress float64
	End      float64 // predicted: T_t
}

// Trial holds the options of a comparison of indicators.
type Trial struct {
	Tokens int32
	Runs   int // simulated runs to predict, none of them behind the tables
	Steps  int // instants of a run at which its end is predicted, evenly
}

// DefaultTrial returns the trial that commands use when nothing else is asked for.
func DefaultTrial(tokens int32) Trial { return Trial{Tokens: tokens, Runs: 100, Steps: 100} }

// Validate reports an option that makes no sense.
func (t Trial) Validate() error {
	if t.Tokens < 1 || t.Runs < 1 || t.Steps < 2 {
		return fmt.Errorf("%d tokens, %d runs, %d instants: want at least 1, 1 and 2", t.Tokens, t.Runs, t.Steps)
	}
	return nil
}

// Indicators scores all indicators on the same simulated runs of a job, with tables built by o for the tokens. It
// returns the scores in the order of the indicators, and the duration in seconds of the traced run, which has the
// median duration. The predicted end is the median. Indicators that are not defined for the past runs, because their
// stages took no time, are left out.
func Indicators(ctx context.Context, job Job, o Options, t Trial) ([]Told, float64, error) {
	if err := t.Validate(); err != nil {
		return nil, 0, err
	}
	o.Allocations = []int32{t.Tokens}
	tables := map[progress.Indicator]*remaining.Table{}
	var tried []progress.Indicator
	for k := range progress.Count {
		o.Indicator = k
		table, err := Build(ctx, job, remaining.About{}, o)
		if err != nil && ctx.Err() != nil {
			return nil, 0, err
		}
		if err == nil {
			tables[k], tried = table, append(tried, k)
		}
	}
	if len(tried) == 0 {
		return nil, 0, fmt.Errorf("no indicator tells anything of this job on %d tokens", t.Tokens)
	}
	w, err := newWatch(job, tried, t.Tokens, o.Seed)
	if err != nil {
		return nil, 0, err
	}
	out := make([]Told, len(tried))
	var ends []float64
	var traces [][][]Tell // per run and indicator
	for k := range t.Runs {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		end, moves, err := w.run(k)
		if err != nil {
			return nil, 0, fmt.Errorf("run %d: %w", k, err)
		}
		ends = append(ends, end)
		traces = append(traces, make([][]Tell, len(tried)))
		for i, indicator := range tried {
			trace := tell(moves[i], end, t.Steps, tables[indicator], float64(t.Tokens))
			traces[k][i] = trace
			out[i].add(moves[i], trace, end, t.Runs)
		}
	}
	shown := middle(ends)
	for i, indicator := range tried {
		out[i].Indicator, out[i].Trace = indicator, traces[shown][i]
	}
	return out, ends[shown], nil
}

// middle returns the index of the median.
func middle(xs []float64) int {
	return lists.Order(len(xs), func(a, b int) int { return cmp.Compare(xs[a], xs[b]) })[len(xs)/2]
}

// move is an instant, in seconds, from which on an indicator has a value.
type move struct{ at, value float64 }

// tell predicts the end of a run at several of its instants.
func tell(moves []move, end float64, steps int, table *remaining.Table, tokens float64) []Tell {
	var out []Tell
	next, value := 0, 0.0
	for s := range steps {
		at := end * float64(s) / float64(steps)
		for next < len(moves) && moves[next].at <= at {
			value = moves[next].value
			next++
		}
		out = append(out, Tell{at, value, at + table.Remaining(value, tokens, 0.5)})
	}
	return out
}

// add adds a run to the means over runs runs.
func (d *Told) add(moves []move, trace []Tell, end float64, runs int) {
	jumps, off, last, still := 0.0, 0.0, 0.0, 0.0
	for i, x := range trace {
		off += math.Abs(x.End - end)
		if i > 0 {
			jumps += math.Abs(x.End - trace[i-1].End)
		}
	}
	for _, m := range moves {
		still, last = max(still, m.at-last), m.at
	}
	still = max(still, end-last)
	share := 1 / (end * float64(runs))
	d.Jumps += jumps / float64(len(trace)-1) * share
	d.Off += off / float64(len(trace)) * share
	d.Still += still * share
}

// watch simulates runs and follows several indicators.
type watch struct {
	runner   *sim.Runner
	meters   []*progress.Meter
	slowness []float64
	o        sim.Options
	seed     uint64
	moves    [][]move
}

func newWatch(job Job, tried []progress.Indicator, tokens int32, root uint64) (*watch, error) {
	setting, err := job.With(tokens)
	if err != nil {
		return nil, err
	}
	c, err := sim.Compile(setting.Plan)
	if err != nil {
		return nil, err
	}
	w := &watch{runner: sim.NewRunner(c), slowness: setting.Slowness, o: setting.Options, seed: root,
		moves: make([][]move, len(tried))}
	tasks := lists.Indexed(len(setting.Plan.Stages), func(i int) int32 { return setting.Plan.Stages[i].Tasks })
	for _, k := range tried {
		m, err := job.Progress.Meter(k, tasks)
		if err != nil {
			return nil, err
		}
		w.meters = append(w.meters, m)
	}
	if setting.Tokens > 0 {
		tokens = setting.Tokens
	}
	w.o.Allocation, w.o.Done = []sim.Step{{Tokens: tokens}}, w.observe
	return w, nil
}

func (w *watch) observe(now int64, stage, done int32) {
	for i, m := range w.meters {
		m.Set(stage, done)
		value, last := m.Value(), 0.0
		if n := len(w.moves[i]); n > 0 {
			last = w.moves[i][n-1].value
		}
		if value != last {
			w.moves[i] = append(w.moves[i], move{float64(now) / 1e6, value})
		}
	}
}

// run simulates the k-th run and returns its end, in seconds, and the moves of each indicator, which hold until the
// next run.
func (w *watch) run(k int) (float64, [][]move, error) {
	stream := seed.Stream(w.seed, "indicators", uint64(k))
	if len(w.slowness) > 0 {
		w.o.Scale = w.slowness[rand.New(stream).IntN(len(w.slowness))]
	}
	for i := range w.moves {
		w.moves[i] = w.moves[i][:0]
		w.meters[i].Reset()
	}
	res, err := w.runner.Run(&w.o, stream)
	if err == nil && res.End == 0 {
		err = fmt.Errorf("a run that takes no time has no progress")
	}
	return float64(res.End) / 1e6, w.moves, err
}

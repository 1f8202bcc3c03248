package forecast

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/remaining"
	"racecard/datasets/seed"
	"racecard/datasets/trace"
	"racecard/models/deadlines/cpa"
)

// drawn is a stage of a generated run: tasks that each take a draw of seconds.
type drawn struct {
	tasks   int
	draw    func() float64
	fails   float64 // probability of an attempt
	loses   int     // first attempts that are lost after half of their time
	latency float64 // seconds before an attempt starts, on its token
}

// drawnRun is a run of stages one after the other.
type drawnRun struct {
	tokens, input           int
	startUp, wait, windDown float64 // of the driver; wait is between two stages
	stages                  []drawn
	unknown                 bool // tokens are not stated
	alone                   bool // only stages have times
}

// run executes the k-th run, a day after the one before.
func (d *drawnRun) run(k int, rng *rand.Rand) *trace.Run {
	us := func(x float64) trace.Instant { return trace.Instant(math.Round((86400*float64(k) + x) * 1e6)) }
	r := trace.NewRun(fmt.Sprintf("%02d", k))
	r.Name, r.Status, r.Submit, r.Start = "n", trace.Succeeded, us(0), us(0)
	if d.input > 0 {
		r.InputBytes = int64(d.input)
	}
	if !d.unknown {
		r.Guaranteed = int64(d.tokens)
	}
	now := d.startUp
	for i, of := range d.stages {
		if i > 0 {
			now += d.wait
			r.Edges = append(r.Edges, trace.Edge{Parent: int32(i - 1), Child: int32(i), Kind: trace.AllToAll})
		}
		s := trace.NewStage()
		s.Name, s.Tasks, s.Submit, s.Start = fmt.Sprint("s", i), int64(of.tasks), us(now), us(now)
		end, free := now, lists.Heap[float64]{Less: func(a, b float64) bool { return a < b }} // when tokens are free
		for range d.tokens {
			free.Push(now)
		}
		for task := range of.tasks {
			for try, done := int32(0), false; !done; try++ {
				a := trace.NewAttempt(int32(i), int32(task), try)
				from, took := free.Pop()+of.latency, of.draw()
				switch done = rng.Float64() >= of.fails; {
				case try == 0 && task < of.loses:
					a.Status, took, done = trace.Lost, took/2, false
				case done:
					a.Status = trace.Succeeded
				default:
					a.Status, took = trace.Failed, took*rng.Float64()
				}
				a.Queued, a.Start, a.End = us(now), us(from), us(from+took)
				if a.Duration = a.End.Since(a.Start); !d.alone {
					r.Attempts = append(r.Attempts, a)
				}
				free.Push(from + took)
				end = max(end, from+took)
			}
		}
		now, s.End = end, us(end)
		r.Stages = append(r.Stages, s)
	}
	r.End = us(now + d.windDown)
	return r
}

// two is a run of two stages, whose tasks take a lognormal time, on so many tokens.
func two(tokens int, factor, sigma float64, rng *rand.Rand) drawnRun {
	draw := func(median float64) func() float64 {
		return func() float64 { return median * factor * math.Exp(sigma*rng.NormFloat64()) }
	}
	return drawnRun{tokens: tokens, stages: []drawn{{tasks: 40, draw: draw(3)}, {tasks: 8, draw: draw(2)}}}
}

// one is a run of one task, on one token.
func one(sigma float64, rng *rand.Rand) drawnRun {
	return drawnRun{tokens: 1, stages: []drawn{{tasks: 1, draw: func() float64 {
		return 100 * math.Exp(sigma*rng.NormFloat64())
	}}}}
}

// lossy is a run that loses attempts of its first stage.
func lossy(attempts int, rng *rand.Rand) drawnRun {
	d := two(4, 10, 0.02, rng)
	d.stages[0].tasks, d.stages[0].loses = 8, attempts
	return d
}

// waits is a run of four tasks of 116 to 124 s, one per token; every fourth waits for half an hour before.
func waits(k int, rng *rand.Rand) drawnRun {
	return drawnRun{tokens: 4, startUp: []float64{0, 0, 1800, 0}[k%4], stages: []drawn{{tasks: 4, draw: func() float64 {
		return 116 + 8*rng.Float64()
	}}}}
}

// kinds of jobs, each with its number of runs, and its k-th run.
var kinds = []struct {
	name string
	runs int
	of   func(k int, rng *rand.Rand) drawnRun
}{
	{"tasks differ", 30, func(_ int, rng *rand.Rand) drawnRun { return two(10, 1, 0.3, rng) }},
	{"runs differ", 30, func(_ int, rng *rand.Rand) drawnRun {
		return two(10, math.Exp(0.2*rng.NormFloat64()), 0.3, rng)
	}},
	{"short or long", 30, func(_ int, rng *rand.Rand) drawnRun {
		return two(10, []float64{1, 1, 3}[rng.IntN(3)], 0.3, rng)
	}},
	{"a trend", 30, func(k int, rng *rand.Rand) drawnRun { return two(10, math.Pow(1.03, float64(k)), 0.3, rng) }},
	{"the newest is an outlier", 30, func(k int, rng *rand.Rand) drawnRun {
		return two(10, 1+2*float64(k/29), 0.3, rng)
	}},
	{"three runs", 3, func(_ int, rng *rand.Rand) drawnRun { return two(10, 1, 0.3, rng) }},
	{"one run", 1, func(_ int, rng *rand.Rand) drawnRun { return two(10, 1, 0.3, rng) }},
	{"heavy tails", 30, func(_ int, rng *rand.Rand) drawnRun { return two(10, 1, 1.2, rng) }},
	{"more tokens than tasks", 30, func(_ int, rng *rand.Rand) drawnRun { return two(64, 1, 0.3, rng) }},
	{"tokens differ", 30, func(k int, rng *rand.Rand) drawnRun { return two([]int{5, 20, 10}[k%3], 1, 0.3, rng) }},
	{"one task", 30, func(_ int, rng *rand.Rand) drawnRun { return one(0.2, rng) }},
	{"one task, four runs", 4, func(_ int, rng *rand.Rand) drawnRun { return one(0.2, rng) }},
	{"one task of a heavy tail", 30, func(_ int, rng *rand.Rand) drawnRun { return one(1, rng) }},
	{"one task that fails", 30, func(_ int, rng *rand.Rand) drawnRun {
		d := one(0.1, rng)
		d.stages[0].fails = 0.3
		return d
	}},
	{"failures", 30, func(_ int, rng *rand.Rand) drawnRun {
		d := two(4, 10, 0.2, rng)
		d.stages[0].fails, d.stages[1].fails = 0.2, 0.2
		return d
	}},
	{"one attempt is always lost", 30, func(_ int, rng *rand.Rand) drawnRun { return lossy(1, rng) }},
	{"four attempts are always lost", 30, func(_ int, rng *rand.Rand) drawnRun { return lossy(4, rng) }},
	{"four attempts are lost at times", 30, func(_ int, rng *rand.Rand) drawnRun {
		return lossy([]int{0, 0, 4}[rng.IntN(3)], rng)
	}},
	{"stragglers", 30, func(_ int, rng *rand.Rand) drawnRun {
		d := two(10, 1, 0.3, rng)
		d.stages[0].draw = func() float64 { return []float64{3, 20}[max(0, rng.IntN(50)-48)] }
		return d
	}},
	{"start-up", 30, func(_ int, rng *rand.Rand) drawnRun {
		d := two(10, 0.3, 0.2, rng)
		d.startUp, d.wait, d.windDown = 60*math.Exp(0.2*rng.NormFloat64()), 10, 20
		return d
	}},
	{"a quarter waits before the start", 30, waits},
	{"waits between stages", 30, func(_ int, rng *rand.Rand) drawnRun {
		d := two(10, 0.3, 0.2, rng)
		d.wait = 60 * math.Exp(0.5*rng.NormFloat64())
		return d
	}},
	{"waits at the end", 30, func(_ int, rng *rand.Rand) drawnRun {
		d := two(10, 0.3, 0.2, rng)
		d.windDown = 60 * math.Exp(0.5*rng.NormFloat64())
		return d
	}},
	{"attempts start late", 30, func(_ int, rng *rand.Rand) drawnRun {
		d := two(10, 0.3, 0.2, rng)
		d.stages[0].latency, d.stages[1].latency = 5, 5
		return d
	}},
	{"inputs differ", 30, func(_ int, rng *rand.Rand) drawnRun {
		x, d := math.Exp(rng.NormFloat64()), two(10, 1, 0.3, rng)
		d.input, d.stages[0].tasks = int(1e9*x), 1+int(20*x)
		return d
	}},
	{"tokens are not known", 30, func(_ int, rng *rand.Rand) drawnRun {
		d := two(10, 1, 0.3, rng)
		d.unknown = true
		return d
	}},
	{"only stages have times", 30, func(_ int, rng *rand.Rand) drawnRun {
		d := two(10, 1, 0.3, rng)
		d.alone = true
		return d
	}},
	{severalPlans, 30, func(_ int, rng *rand.Rand) drawnRun {
		d := two(10, 1, 0.3, rng)
		if rng.IntN(3) == 0 {
			d.stages = append(d.stages, d.stages[0])
		}
		return d
	}},
}

// severalPlans is the kind of which a table, of one plan, does not say what a forecast does.
const severalPlans = "several plans"

// both returns the forecaster and the table of a job, from so many simulated runs at each allocation.
func both(t *testing.T, past *Past, replicates int, allocations ...int32) (*Forecaster, *remaining.Table) {
	t.Helper()
	fit, err := past.Fit("n", DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(fit, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	job, about, err := cpa.Of(fit.Profile, math.NaN())
	if err != nil {
		t.Fatal(err)
	}
	o := cpa.DefaultOptions()
	o.Replicates, o.Allocations = replicates, allocations
	table, err := cpa.Build(t.Context(), job, about, o)
	if err != nil {
		t.Fatal(err)
	}
	return f, table
}

// Tables at progress 0 say of any job what its forecast says on as many tokens: those that past runs held, half of
// these, and twice of these where past runs held as many. Of a job with several plans they warn that they do not.
func TestTablesSayWhatForecastsSay(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(seed.Stream(1, kind.name, 0))
			past, tokens := NewPast(kind.runs), 0
			for k := range kind.runs {
				d := kind.of(k, rng)
				past.Add(d.run(k, rng))
				tokens = d.tokens
			}
			allocations := []int32{int32(tokens), int32(2 * tokens)}
			if tokens > 1 {
				allocations = append([]int32{int32(tokens / 2)}, allocations...)
			}
			f, table := both(t, past, 100, allocations...)
			text, most := "", 0.0
			for _, n := range allocations {
				if held := table.About.MostTokens; held != nil && int64(n) > *held {
					continue // a table keeps to its simulations there
				}
				told, _, err := f.Next(int(n))
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range []float64{0.05, 0.25, 0.5, 0.75, 0.9, 0.95} {
					want, got := quantile.Quantile(quantile.Sort(told), p), table.Remaining(0, float64(n), p)
					off := math.Abs(got/want - 1)
					if text += fmt.Sprintf(" p%g on %d: %.4g, %.4g;", 100*p, n, want, got); int(n) != tokens {
						off /= 5 // both make times fall with the tokens, each in its way
					}
					most = max(most, off)
				}
			}
			warns := strings.Contains(strings.Join(table.About.Warnings, "; "), "may have another plan")
			if several := kind.name == severalPlans; most > 0.01 != several || warns != several {
				t.Errorf("seconds by forecast and table:%s warnings %q", text, table.About.Warnings)
			}
		})
	}
}

// On one token the four tasks take 480 s one after the other, on two 240 s, after a wait of half an hour in every fourth
// run. Runs that have begun do not wait: of the four tasks two take 240 s on one token.
func TestWaitsFollowNoTokens(t *testing.T) {
	past, rng := NewPast(100), rand.New(seed.Stream(1, "waits", 0))
	for k := range 24 {
		d := waits(k, rng)
		past.Add(d.run(k, rng))
	}
	f, table := both(t, past, 1000, 1, 2, 4)
	near := func(what string, got, want float64) {
		if math.Abs(got/want-1) > 0.1 {
			t.Errorf("%s: %.4g s, want about %.4g", what, got, want)
		}
	}
	for tokens, work := range map[int]float64{1: 480, 2: 240} {
		times, _, err := f.Next(tokens)
		if err != nil {
			t.Fatal(err)
		}
		on := fmt.Sprintf(" on %d", tokens)
		near("p50"+on, at(times, 0.5), work)
		near("p90"+on, at(times, 0.9), work+1800)
		near("begun, p50"+on, table.Remaining(0.5, float64(tokens), 0.5), work/2)
		if p90 := table.Remaining(0.5, float64(tokens), 0.9); p90 < work/2 || p90 > 1.3*work/2 {
			t.Errorf("begun, p90%s: %.4g s, want %.4g and little more", on, p90, work/2)
		}
	}
}

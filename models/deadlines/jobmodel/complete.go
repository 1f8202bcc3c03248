package jobmodel

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"sync"

	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/models/deadlines/internal/law"
	"racecard/models/deadlines/sim"
)

// Job is a profile from which models are made. It simulates the expected time of each setting once, and may be used by
// several goroutines at once.
type Job struct {
	p         *modelfile.Profile
	standards law.Standards
	laws      law.Laws
	expected  memo[setting, float64]
	shifts    memo[setting, float64]
	byTokens  memo[*modelfile.Plan, *tokenTimes]
	quantiles memo[*modelfile.Dist, []float64]
	startUps  memo[*modelfile.Plan, sim.Dist]
	usual     func() (at, interval float64) // the next submission
	waits     func() *waiting               // nil where they do not matter
}

// mostQuantiles bounds how many distributions keep their quantiles, 32 KB each.
const mostQuantiles = 256

// setting is a plan on some number of tokens.
type setting struct {
	plan   int
	tokens float64
	apart  bool    // learned from runs on other tokens only
	alone  bool    // without contention
	after  bool    // from the start of the first stage on
	input  float64 // bytes; 0: as past runs
}

// NewJob returns the job of a profile.
func NewJob(p *modelfile.Profile) *Job {
	return &Job{p: p, usual: sync.OnceValues(func() (at, interval float64) {
		return law.NextSubmission(submissions(pastRuns(p)))
	}), waits: sync.OnceValue(func() *waiting { return newWaiting(pastRuns(p)) })}
}

// submitted returns options that say when the run is submitted, if that is known or can be told from past runs.
func (j *Job) submitted(o Options) Options {
	if math.IsNaN(o.Submit) {
		o.Submit, o.after = j.usual()
	}
	return o
}

// times returns the times of a plan's tasks for some tokens; apart leaves runs on those out.
func (j *Job) times(p *modelfile.Plan, tokens float64, apart bool) *tokenTimes {
	held := func(f modelfile.RunFactor) bool { return f.Tokens != nil && float64(*f.Tokens) == tokens }
	switch {
	case !(tokens > 0):
		return untold(p)
	case apart && slices.ContainsFunc(p.RunFactors, held):
		return newTokenTimes(p, tokens)
	}
	t, _ := j.byTokens.get(p, math.MaxInt, func() (*tokenTimes, error) { return newTokenTimes(p, math.NaN()), nil })
	return t
}

// expect returns the median time, in seconds, of simulated runs whose tasks take as long as in past runs. It is NaN
// for runs of a thousand years, and for runs of more tasks than are simulated.
func (j *Job) expect(s setting) (float64, error) {
	return j.expected.get(s, math.MaxInt, func() (float64, error) {
		o := DefaultOptions()
		o.Tokens, o.apart = s.tokens, s.apart
		if s.input > 0 {
			o.InputBytes = s.input
		}
		if s.alone {
			o.Without = []string{"contention"}
		}
		p := &j.p.Plans[s.plan]
		median := func(slowdown float64) (float64, error) {
			m, err := j.bare(p, o, slowdown)
			if err != nil {
				return 0, err
			}
			if s.after {
				m.Plan.StartUp = sim.Dist{}
			}
			times, err := m.times(m.held(p, o), 1, m.runs())
			return quantile.Quantile(quantile.Sort(times), 0.5), err
		}
		whole, err := median(1)
		if errors.Is(err, sim.ErrTooManyTasks) {
			return math.NaN(), nil
		}
		if !errors.Is(err, sim.ErrTooLong) {
			return whole, err
		}
		// Of a run that is too long, the part that scales with the run times of tasks is told by two short ones.
		once, err := median(shortened)
		if err != nil {
			return math.NaN(), sim.PassTooLong(err)
		}
		twice, err := median(2 * shortened)
		if err != nil {
			return math.NaN(), sim.PassTooLong(err)
		}
		return once + (1-shortened)*(twice-once)/shortened, nil
	})
}

// shortened is the slowdown of tasks in runs that take too long to simulate as they are.
const shortened = 1. / 4096

// Completion is the predictive distribution of the time of a run, from submission to end.
type Completion struct {
	Times quantile.Sorted // equally likely times in seconds; empty if no past run has a known time
	// Warning says when the run is submitted, if the time of the day or of the week matters and [Options].Submit does not
	// say. Otherwise it is empty.
	Warning string
}

// Complete predicts the time of the next run of a job. Its plan is uncertain: every plan counts by its chance (see
// [NextPlan]).
func (j *Job) Complete(o Options) (Completion, error) {
	if err := o.Validate(); err != nil {
		return Completion{}, err
	}
	o = j.submitted(o)
	var all []float64
	var out Completion
	for _, x := range nextPlans(j.p, o) {
		n := int(math.Round(x.chance * slownesses))
		if n == 0 {
			continue
		}
		times, _, warning, err := j.complete(x.plan, o)
		if err != nil || len(times) == 0 {
			return Completion{}, err
		}
		if out.Warning == "" {
			out.Warning = warning
		}
		for i := range n {
			all = append(all, times[min(slownesses-1, int((float64(i)+0.5)/float64(n)*slownesses))])
		}
	}
	out.Times = quantile.Sort(all)
	return out, nil
}

// pastRun is a run and the position of its plan.
type pastRun struct {
	*modelfile.RunFactor
	plan int
}

// untimed returns the run without its time.
func (r pastRun) untimed() law.Run {
	out := law.Run{Submit: submission(r.RunFactor), Seconds: math.NaN(), InputBytes: inputOf(r.RunFactor),
		Tokens: math.NaN(), Expected: math.NaN(), Plan: r.plan, Extra: extra(r.RunFactor)}
	if r.Tokens != nil && *r.Tokens > 0 {
		out.Tokens = float64(*r.Tokens)
	}
	return out
}

// pastRuns returns the runs of all plans in the order of their submissions, which each plan of a profile has.
func pastRuns(p *modelfile.Profile) []pastRun {
	var past []pastRun
	for i := range p.Plans {
		for k := range p.Plans[i].RunFactors {
			past = append(past, pastRun{&p.Plans[i].RunFactors[k], i})
		}
	}
	if !slices.ContainsFunc(past, func(r pastRun) bool { return r.EndS == nil }) {
		slices.SortStableFunc(past, func(a, b pastRun) int {
			return cmp.Or(cmp.Compare(began(a.RunFactor), began(b.RunFactor)), cmp.Compare(a.RunID, b.RunID))
		})
	}
	return past
}

// began returns when a run whose end is known was submitted, to the millisecond, or ended where its time is not known.
func began(f *modelfile.RunFactor) float64 {
	at := submission(f)
	if math.IsNaN(at) {
		at = *f.EndS
	}
	return math.Round(at*1e3) / 1e3
}

// complete returns equally likely times of the next run under a plan, and the warning of [Completion]. after are its
// times after its wait, where [waiting] is forecast apart; else they are times.
func (j *Job) complete(plan int, o Options) (times, after []float64, warning string, err error) {
	times, warning, err = j.predict(plan, o, nil)
	waits := j.waits()
	if waits == nil || err != nil {
		return times, times, warning, err
	}
	after, _, err = j.predict(plan, o, waits)
	if held := func(r law.Run) bool { return r.Tokens == o.Tokens }; o.Tokens > 0 && len(after) > 0 &&
		!slices.ContainsFunc(waits.runs, held) {
		times = afterWaits(waits.next(j, o), after)
	}
	return times, after, warning, err
}

// predict returns equally likely times of the next run under a plan, and the warning of [Completion]. If past runs
// held different numbers of tokens, or other numbers than the next run, simulations give the effect of tokens, and the
// law of whole runs tests how far it holds. Nothing is simulated of an unseen plan. Where waits are given, times are
// those after them.
func (j *Job) predict(plan int, o Options, waits *waiting) (times []float64, warning string, err error) {
	runs := pastRuns(j.p)
	past, others, replayed := make([]law.Run, len(runs)), false, true
	for i, r := range runs {
		past[i] = r.untimed()
		switch {
		case r.CompletionS != nil:
			past[i].Seconds, replayed = *r.CompletionS-waits.of(r), false
		case r.ReplayS != nil:
			past[i].Seconds = *r.ReplayS
		}
		past[i].Seconds *= j.level(r.RunFactor, o)
		others = others || past[i].Seconds > 0 && past[i].Tokens > 0 && past[i].Tokens != o.Tokens &&
			!o.without("simulation")
	}
	next := law.Next{Submit: o.Submit, InputBytes: o.InputBytes, Tokens: math.NaN(), Expected: math.NaN(), Plan: plan}
	if o.without("input") {
		next.InputBytes = math.NaN()
	}
	if o.Tokens > 0 && !o.without("tokens") {
		next.Tokens = o.Tokens
		if others && plan != unseen {
			if err := j.expectAll(past, &next, o, waits != nil); err != nil {
				return nil, "", err
			}
		}
	}
	if held, _ := interpolated(past, next.Tokens); held.low <= held.high && next.Tokens < held.low &&
		math.IsNaN(next.Expected) && !o.without("farther") {
		fold := math.Log(held.low / next.Tokens)
		next.Least = farther.fewer * fold * min(1, fold)
	}
	prior := law.DefaultPrior()
	if replayed && !o.without("replays") {
		prior = law.ReplayPrior()
	}
	for _, part := range o.Without {
		prior = prior.Without(part)
	}
	f, ok := j.laws.Predict(past, next, prior)
	if !ok {
		return nil, "", nil
	}
	times = f.Times(slownesses, &j.standards)
	effects := func(r *law.Run) (input, tokens float64) { return r.InputBytes, r.Tokens }
	if s := j.p.Surprise; s != nil && s.Plain > 0 && !o.without("plain") &&
		tried(past, effects, next.InputBytes, next.Tokens) {
		if plain, ok := j.laws.Predict(past, like, law.PlainPrior()); ok {
			f = f.Mixed(plain, s.Plain)
			times = f.Times(slownesses, &j.standards)
		}
	} else if !o.without("farther") {
		j.widen(times, past, next, prior)
	}
	j.bounded(times, runs, past, next, prior, o, waits)
	if !o.without("surprise") {
		times = surprised(times, j.p.Surprise)
	}
	return times, f.Guess(o.after), nil
}

// level is the factor by which a past run would take longer at the level of all jobs today.
func (j *Job) level(f *modelfile.RunFactor, o Options) float64 {
	if s := j.p.Surprise; s != nil && f.EndS != nil && !o.without("shared") {
		return s.Levels.Since(*f.EndS)
	}
	return 1
}

// extra returns the variance of the noise of a run that weighs less than the newest.
func extra(f *modelfile.RunFactor) float64 { return 1/max(f.Weight, leastWeight) - 1 }

// leastWeight bounds the weights of past runs; the newest has weight 1. With a short half-life, older weights
// would underflow.
const leastWeight = 1e-9

// expectAll fills in the simulated times of past runs and the next one, if the run times of tasks are known: those from
// the start of the first stage on if after is set.
func (j *Job) expectAll(past []law.Run, next *law.Next, o Options, after bool) error {
	held, apart := interpolated(past, next.Tokens)
	alone := o.without("contention")
	simulated := simulatedTokens(past)
	plans := slices.Sorted(maps.Keys(simulated))
	for _, plan := range append(plans, next.Plan) {
		if j.p.Plans[plan].Resolution == modelfile.ByStage {
			return nil
		}
	}
	times := map[setting]float64{}
	for _, plan := range plans {
		for _, tokens := range simulated[plan] {
			s := setting{plan, tokens, apart, alone, after, 0}
			var err error
			if times[s], err = j.expect(s); err != nil {
				return err
			}
		}
	}
	for i := range past {
		r := &past[i]
		if knots := simulated[r.Plan]; len(knots) > 0 && r.Tokens > 0 {
			r.Expected, r.Apart = between(knots, r.Tokens, func(tokens float64) float64 {
				return times[setting{r.Plan, tokens, apart, alone, after, 0}]
			}), apart
		}
	}
	own := setting{next.Plan, next.Tokens, false, alone, after, 0}
	var err error
	if times[own], err = j.expect(own); err != nil {
		return err
	}
	next.Expected = times[own]
	unit := unitTokens(past, next.Tokens)
	fastest := math.Inf(1)
	for s, x := range times {
		if s.plan == next.Plan && s.tokens <= held.high {
			fastest = min(fastest, x)
		}
	}
	if err := j.expectInput(next, held, own); err != nil {
		return err
	}
	if err := j.beyond(next, held, fastest, o, own); err != nil {
		return err
	}
	for i := range past {
		if apart && !o.without("outermost") && (past[i].Tokens == held.low || past[i].Tokens == held.high) {
			past[i].Extra += outermost
		}
		if past[i].Tokens > 0 && !o.without("scatter") {
			past[i].Scatter = scatter(past[i].Tokens / unit)
		}
	}
	if !o.without("scatter") {
		next.Scatter = scatter(next.Tokens / unit)
	}
	return nil
}

// Plans on up to mostExpected numbers of tokens are all simulated. Of more, mostKnots are, and at least two of each
// plan.
const (
	mostExpected = 29
	mostKnots    = 16
)

// simulatedTokens returns, for every plan of past runs, the tokens on which it is simulated, ascending: those that its
// runs held. Where there are too many, as on clusters that add and take away executors, it returns some that the
// newest runs held, from which the law learns, evenly spread by their logarithms.
func simulatedTokens(past []law.Run) map[int][]float64 {
	all, n := heldTokens(past)
	if n <= mostExpected {
		return all
	}
	newest := len(past)
	for timed := 0; newest > 0 && timed < law.MostRuns; {
		if newest--; past[newest].Seconds > 0 {
			timed++
		}
	}
	past = past[newest:]
	all, _ = heldTokens(past)
	most := max(2, mostKnots/len(all))
	for plan, tokens := range all {
		if len(tokens) <= most {
			continue
		}
		low, ratio := tokens[0], tokens[len(tokens)-1]/tokens[0]
		var some []float64
		for i := range most {
			k, _ := slices.BinarySearch(tokens, low*math.Pow(ratio, float64(i)/float64(most-1)))
			if k = min(k, len(tokens)-1); len(some) == 0 || tokens[k] > some[len(some)-1] {
				some = append(some, tokens[k])
			}
		}
		some[len(some)-1] = tokens[len(tokens)-1]
		all[plan] = some
	}
	return all
}

// heldTokens returns, for every plan, the tokens of its runs whose time is known, ascending, and how many there are.
func heldTokens(past []law.Run) (all map[int][]float64, n int) {
	seen := map[int]map[float64]bool{}
	for _, r := range past {
		if !(r.Seconds > 0 && r.Tokens > 0) {
			continue
		}
		if seen[r.Plan] == nil {
			seen[r.Plan] = map[float64]bool{}
		}
		seen[r.Plan][r.Tokens] = true
	}
	all = map[int][]float64{}
	for plan, of := range seen {
		all[plan] = slices.Sorted(maps.Keys(of))
		n += len(of)
	}
	return all, n
}

// between returns a time on some tokens, from its times on knots: on logarithmic scales, by a line between two of them.
// Outside it is the time on the nearest.
func between(knots []float64, tokens float64, of func(float64) float64) float64 {
	k, found := slices.BinarySearch(knots, tokens)
	switch {
	case found || k == 0:
		return of(knots[k])
	case k == len(knots):
		return of(knots[k-1])
	}
	low, high := knots[k-1], knots[k]
	share := math.Log(tokens/low) / math.Log(high/low)
	return math.Exp((1-share)*math.Log(of(low)) + share*math.Log(of(high)))
}

// shift is how tokens change the logarithm of task times, on average over the work of a plan's stages.
func (j *Job) shift(plan int, tokens float64, o Options) float64 {
	s := setting{plan: plan, tokens: tokens, apart: o.apart, alone: o.without("contention")}
	x, _ := j.shifts.get(s, math.MaxInt, func() (float64, error) {
		p := &j.p.Plans[plan]
		return newGrowth(p, j.times(p, tokens, s.apart), tokens, s.alone).shift(), nil
	})
	return x
}

// scatter is the variance of a run's noise in units of another's, which held fewer tokens by a ratio. Each token of a
// run on more tokens has fewer tasks, and its luck averages out less: the variance grows in proportion. The law decides
// by the past runs whether that is so: runs whose noise has other causes vary as much on few tokens as on many.
func scatter(ratio float64) float64 { return min(mostScatter, max(1/mostScatter, ratio)) }

// unitTokens returns the tokens of a run whose noise is the unit of others': the nearest that past runs held, times a
// power of 16 if the next run holds more than four times as many, or less than a fourth. Next runs on about as many
// tokens then share what [law.Laws] learned.
func unitTokens(past []law.Run, to float64) float64 {
	nearest := math.Inf(1)
	for _, r := range past {
		if r.Seconds > 0 && r.Tokens > 0 && math.Abs(math.Log(r.Tokens/to)) < math.Abs(math.Log(nearest/to)) {
			nearest = r.Tokens
		}
	}
	return nearest * math.Exp2(4*math.Round(math.Log2(to/nearest)/4))
}

// mostScatter bounds [scatter].
const mostScatter = 20.0

// interpolated returns the tokens that past runs held, and reports whether tokens lies strictly between them and no run
// held exactly that number. The simulation's error is then comparable to its error on past tokens when runs on those
// are left out. Beyond past tokens it is larger: the simulation extrapolates farther from fewer runs.
func interpolated(past []law.Run, tokens float64) (held span, between bool) {
	held = newSpan()
	for _, r := range past {
		if r.Seconds > 0 && r.Tokens > 0 {
			held.add(r.Tokens)
		}
		if r.Seconds > 0 && r.Tokens == tokens {
			return held, false
		}
	}
	return held, tokens > held.low && tokens < held.high
}

// Package forecast predicts the next run of a recurring job on given numbers of tokens: its time, its cost, and
// the chance of a deadline. The distribution comes from package jobmodel, which backtests judge.
package forecast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"racecard/analyses/breach"
	"racecard/analyses/quantile"
	"racecard/analyses/waste"
	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/profile"
)

// Most bounds the tokens that are tried for a deadline: this many times the most that past runs held.
const Most = 16

// Past is the newest runs of a job, of all that were added. Its memory does not grow with the others. Make one with
// [NewPast].
type Past struct {
	newest, runs, staged int // runs that are kept, that were added, and those of them with stages
	builder              profile.Builder
	seen                 []observed // the runs of builder
	ended                []outcome  // runs that ended, well or not: at least the newest
}

// outcome says how a run ended.
type outcome struct {
	begin  trace.Instant
	failed bool
}

type observed struct {
	begin, end             trace.Instant
	seconds, tokens, input float64
	staged                 bool    // its stages are known
	perToken               float64 // cores; NaN: not known
	stated                 bool    // the trace states its tokens
}

// NewPast returns a past without runs, which keeps so many of the newest; at least one.
func NewPast(newest int) *Past { return &Past{newest: max(1, newest)} }

// Add adds a run, which it neither keeps nor changes. Of a run whose stages are not known its time counts.
func (p *Past) Add(run *trace.Run) {
	if run.Status != trace.Running {
		p.ended = append(p.ended, outcome{run.Submitted(), !run.Status.Well()})
	}
	if len(p.ended) >= 100*breach.Recent {
		p.ended = p.newestEnded()
	}
	n := p.builder.Runs()
	p.builder.Add(profile.AsOneStage(run))
	if p.builder.Runs() == n {
		return
	}
	o := observed{run.Submitted(), run.End, run.Completion().Seconds(), math.NaN(), math.NaN(), len(run.Stages) > 0,
		waste.CoresPerToken(run), false}
	if held := run.Held(); held.Most > 0 {
		o.tokens, o.stated = float64(held.Most), held.Stated()
	}
	if run.InputBytes > 0 {
		o.input = float64(run.InputBytes)
	}
	p.seen = append(p.seen, o)
	if p.runs++; o.staged {
		p.staged++
	}
	if len(p.seen) < 2*p.newest {
		return
	}
	keep, k := p.choose(p.newest, false), 0
	p.builder = *p.builder.Only(func(i int) bool { return keep[i] })
	for i, o := range p.seen {
		if keep[i] {
			p.seen[k] = o
			k++
		}
	}
	p.seen = p.seen[:k]
}

// newestEnded returns the newest runs that ended, in the order of their submission.
func (p *Past) newestEnded() []outcome {
	slices.SortStableFunc(p.ended, func(a, b outcome) int { return cmp.Compare(a.begin, b.begin) })
	return p.ended[max(0, len(p.ended)-min(breach.Recent, p.newest)):]
}

// choose says which runs are the newest, at most so many, or of those with stages only. Of runs that ended at once the
// first added are chosen.
func (p *Past) choose(newest int, staged bool) []bool {
	var order []int
	for i := range p.seen {
		if p.seen[i].staged || !staged {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.seen[b].end, p.seen[a].end) })
	chosen := make([]bool, len(p.seen))
	for _, i := range order[:min(len(order), newest)] {
		chosen[i] = true
	}
	return chosen
}

// Runs returns the number of runs that a forecast can learn from, also of those that are not kept.
func (p *Past) Runs() int { return p.runs }

// Staged returns how many of these have stages.
func (p *Past) Staged() int { return p.staged }

// Check returns an error that says why there is no run to learn from, nil if there is one.
func (p *Past) Check() error { return p.builder.Check() }

// Options of a forecast.
type Options struct {
	Input   float64 // of the run in bytes; NaN: as past runs
	InputX  float64 // the input as a multiple of the usual one, where above 0
	Submit  float64 // of the run: [jobmodel.Options].Submit
	Sure    float64 // chance of a deadline that is enough
	Newest  int     // past runs that count, at most
	Seed    uint64
	Profile profile.Options
	// Surprise says how much the next runs of a store's jobs differ beyond what past runs of their job show, as
	// [jobmodel.Peers] learn it; nil for none.
	Surprise *modelfile.Surprise
}

// DefaultOptions returns the options of a run like those before.
func DefaultOptions() Options {
	return Options{Input: math.NaN(), Submit: math.NaN(), Sure: 0.95, Newest: 300, Seed: 1,
		Profile: profile.DefaultOptions()}
}

// Fitted is a profile of a job's past runs, with the numbers that forecasts compare with. It can be kept as JSON.
type Fitted struct {
	Profile *modelfile.Profile `json:"profile"`
	Runs    int                `json:"runs"`
	UsualS  result.Number      `json:"usual_s"`      // median time
	Tokens  []int              `json:"tokens"`       // known ones, one per run, ascending
	Usual   float64            `json:"usual_tokens"` // [jobmodel.UsualCores]; 1 where none is known
	Inputs  [3]result.Number   `json:"input_bytes"`  // the least, the usual and the largest: see usualInputs
	// PerToken is the cores of a token, the median of runs that tell; NaN for none. Stated: the trace states tokens.
	PerToken result.Number `json:"cores_per_token"`
	Stated   bool          `json:"tokens_stated"`
	// Ended counts the newest runs of the job that ended, at most [breach.Recent]; Failed, how many did not succeed.
	Ended  int `json:"ended"`
	Failed int `json:"failed"`
}

// Fit fits the newest runs, of those that are kept, as Newest and Profile of the options say.
func (p *Past) Fit(job string, o Options) (*Fitted, error) {
	return p.fit(job, o, p.choose(o.Newest, false))
}

// FitStaged is [Past.Fit] of runs with stages, as racecard fit takes them.
func (p *Past) FitStaged(job string, o Options) (*Fitted, error) {
	return p.fit(job, o, p.choose(o.Newest, true))
}

func (p *Past) fit(job string, o Options, chosen []bool) (*Fitted, error) {
	out := &Fitted{Tokens: []int{}, Usual: 1}
	var seconds, perToken []float64
	var held, read []observed
	for i, s := range p.seen {
		if !chosen[i] {
			continue
		}
		if !math.IsNaN(s.seconds) {
			seconds = append(seconds, s.seconds)
		}
		if !math.IsNaN(s.tokens) {
			out.Tokens, held = append(out.Tokens, int(s.tokens)), append(held, s)
		}
		if !math.IsNaN(s.input) {
			read = append(read, s)
		}
		if !math.IsNaN(s.perToken) {
			perToken = append(perToken, s.perToken)
		}
		out.Stated = out.Stated || s.stated
		out.Runs++
	}
	slices.Sort(out.Tokens)
	if len(held) > 0 {
		slices.SortStableFunc(held, bySubmission)
		out.Usual = jobmodel.UsualCores(len(held), func(i int) float64 { return held[i].tokens })
	}
	out.Inputs = usualInputs(read)
	out.UsualS = result.Number(quantile.Quantile(quantile.Sort(seconds), 0.5))
	out.PerToken = result.Number(quantile.Quantile(quantile.Sort(perToken), 0.5))
	for _, r := range p.newestEnded() {
		if out.Ended++; r.failed {
			out.Failed++
		}
	}
	var err error
	out.Profile, err = p.builder.Only(func(i int) bool { return chosen[i] }).Fit(job, o.Profile)
	return out, err
}

// usualInputs returns the least input of runs, the usual one, and the largest; NaN where there is none. The usual one
// is the median over the runs that were submitted last, as of the tokens.
func usualInputs(runs []observed) (out [3]result.Number) {
	slices.SortStableFunc(runs, bySubmission)
	inputs := lists.Map(runs, func(r observed) float64 { return r.input })
	newest := quantile.Sort(inputs[max(0, len(inputs)-jobmodel.UsualRuns):])
	all := quantile.Sort(inputs)
	for i, x := range []float64{all.Min(), quantile.Quantile(newest, 0.5), all.Max()} {
		out[i] = result.Number(x)
	}
	return out
}

func bySubmission(a, b observed) int { return cmp.Compare(a.begin, b.begin) }

// UsualTokens returns the tokens that the next run holds, if nothing else is said.
func (p *Fitted) UsualTokens() int { return max(1, int(math.Round(p.Usual))) }

// Only returns the fitted runs whose IDs are chosen: the time of the next run is learned from these.
func (p *Fitted) Only(chosen func(id string) bool) *Fitted {
	var times []float64
	var read []observed
	out := p.with(func(runs []modelfile.RunFactor) []modelfile.RunFactor {
		return slices.DeleteFunc(runs, func(r modelfile.RunFactor) bool {
			if chosen(r.RunID) && r.CompletionS != nil {
				times = append(times, *r.CompletionS)
				if r.EndS != nil && r.InputBytes != nil && *r.InputBytes > 0 {
					begin := trace.Instant((*r.EndS - *r.CompletionS) * 1e6)
					read = append(read, observed{begin: begin, input: float64(*r.InputBytes)})
				}
			}
			return !chosen(r.RunID)
		})
	})
	out.Runs = 0
	for i := range out.Profile.Plans {
		out.Runs += len(out.Profile.Plans[i].RunFactors)
	}
	out.UsualS = result.Number(quantile.Quantile(quantile.Sort(times), 0.5))
	if len(read) > 0 {
		out.Inputs = usualInputs(read)
	}
	return out
}

// Later returns the fitted runs as if some of them had been submitted later, by so many seconds, and had ended when
// they did: a plan takes out the time for which they waited for another job. by maps the IDs of runs.
func (p *Fitted) Later(by map[string]float64) *Fitted {
	return p.with(func(runs []modelfile.RunFactor) []modelfile.RunFactor {
		for i := range runs {
			if s, ok := by[runs[i].RunID]; ok && runs[i].CompletionS != nil {
				took := max(leastTime, *runs[i].CompletionS-s)
				runs[i].CompletionS = &took
				if runs[i].CriticalPathS != nil {
					path := max(leastTime, *runs[i].CriticalPathS-s)
					runs[i].CriticalPathS = &path
				}
				if runs[i].StartUpS != nil {
					startUp := max(0, *runs[i].StartUpS-s)
					runs[i].StartUpS = &startUp
				}
			}
		}
		return runs
	})
}

// with returns fitted runs with others in their plans. change may modify the runs that it is given.
func (p *Fitted) with(change func(runs []modelfile.RunFactor) []modelfile.RunFactor) *Fitted {
	out, profile := *p, *p.Profile
	out.Profile, profile.Plans = &profile, slices.Clone(profile.Plans)
	for i := range profile.Plans {
		profile.Plans[i].RunFactors = change(slices.Clone(profile.Plans[i].RunFactors))
	}
	return &out
}

// leastTime is the least time of a run in seconds.
const leastTime = 1e-6

// Validate reports the first error in fitted runs that were kept.
func (p *Fitted) Validate() error {
	if p.Profile == nil || p.Runs < 1 || !(p.Usual >= 1) || len(p.Tokens) > p.Runs || !slices.IsSorted(p.Tokens) ||
		len(p.Tokens) > 0 && p.Tokens[0] < 1 {
		return errors.New("a forecast's past runs make no sense")
	}
	return p.Profile.Validate()
}

// Forecaster forecasts the next run of a job on any number of tokens. Runs that it simulated for one question are used
// for the next. It is for one goroutine.
type Forecaster struct {
	profile *modelfile.Profile
	model   *jobmodel.Job
	o       Options
	doc     result.Forecast // the part that all answers share
	past    *Fitted
	times   map[int][]float64 // of simulated, by tokens
	seen    []anchor
	guess   string // warning that the submission is a guess; "" for none
}

// New returns a forecaster from fitted runs. Newest and Profile of the options have done their part in [Past.Fit].
func New(p *Fitted, o Options) (*Forecaster, error) {
	fit := *p.Profile
	fit.Tell(o.Surprise)
	d := result.Forecast{Header: result.Header{Available: true}, Job: fit.Job, Sure: o.Sure, Runs: p.Runs,
		UsualS: p.UsualS, PerToken: p.PerToken, Stated: p.Stated, Grown: result.Number(fit.Grown()),
		InputSeen:  [2]result.Number{p.Inputs[0], p.Inputs[2]},
		TokensSeen: [2]result.Number{result.Number(math.NaN()), result.Number(math.NaN())}}
	d.Warnings = append(slices.Clone(fit.Warnings), p.unsuccessful(o.Sure)...)
	if n := len(p.Tokens); n > 0 {
		d.TokensSeen = [2]result.Number{result.Number(p.Tokens[0]), result.Number(p.Tokens[n-1])}
		if !p.Stated {
			d.Warnings = append(d.Warnings, fmt.Sprintf("the trace tells how many %ss past runs used at once, not how many "+
				"they held: what others would do is not known, and times are the same on any number that can do the work; "+
				"`racecard whatif` simulates one run on others", d.Unit()))
		}
	} else {
		d.Warnings = append(d.Warnings, "how many tokens past runs held is not known: core-hours are those of the tokens "+
			"asked for")
	}
	if !math.IsNaN(o.Input) && math.IsNaN(float64(p.Inputs[1])) {
		d.Warnings = append(d.Warnings, "the inputs of past runs are not known: the input asked for changes nothing")
	}
	if o.InputX > 0 {
		o.Input = o.InputX * float64(p.Inputs[1])
	}
	d.Input = result.Number(o.Input)
	f := &Forecaster{profile: &fit, model: jobmodel.NewJob(&fit), o: o, doc: d, past: p, times: map[int][]float64{}}
	_, err := f.anchors()
	return f, err
}

// unsuccessful warns of a job whose newest runs fail more often than a deadline may be missed.
func (p *Fitted) unsuccessful(sure float64) []string {
	if p.Failed < 2 || float64(p.Failed) <= (1-sure)*float64(p.Ended) {
		return nil
	}
	return []string{fmt.Sprintf("%d of the last %d runs of the job did not succeed: times and chances are of runs that do",
		p.Failed, p.Ended)}
}

// Answer forecasts on some numbers of tokens: half the usual number, that number, and twice as many where none is
// given. It also finds the fewest tokens for a deadline in seconds after submission, unless the tokens of past runs are
// not known; NaN is no deadline.
func (f *Forecaster) Answer(ctx context.Context, tokens []int, deadlineS float64) (*result.Forecast, error) {
	if len(tokens) == 0 {
		for _, x := range []float64{0.5, 1, 2} {
			tokens = append(tokens, max(1, int(math.Round(x*f.past.Usual))))
		}
	}
	tokens = slices.Compact(slices.Sorted(slices.Values(tokens)))
	d := f.doc
	d.DeadlineS, d.Tokens = result.Number(deadlineS), []result.ForecastTokens{}
	times := make([][]float64, len(tokens))
	for i, n := range tokens {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		predicted, err := f.predicted(n)
		if err != nil {
			return nil, err
		}
		times[i] = slices.Clone(predicted)
		if i > 0 && !f.rises(tokens[i-1], n) { // between the same anchors, too
			lower(times[i], times[i-1])
		}
	}
	for i, n := range tokens {
		d.Tokens = append(d.Tokens, f.summarize(n, times[i], deadlineS))
	}
	n := len(f.past.Tokens)
	if math.IsNaN(deadlineS) || !d.KnowsTokens() {
		return &d, nil
	}
	var err error
	d.Fewest, err = f.fewest(ctx, deadlineS, max(tokens[len(tokens)-1], f.past.Tokens[n-1])*Most)
	for i := range d.Tokens { // chances need not rise with each token
		if c := &d.Tokens[i]; float64(c.Chance) >= d.Sure && (d.Fewest == nil || c.Tokens < d.Fewest.Tokens) {
			fewest := *c
			d.Fewest = &fewest
		}
	}
	return &d, err
}

// Next returns the distribution of the time of the next run on so many tokens, from which [Forecaster.Answer] takes its
// quantiles: equally likely times in seconds, ascending. Warnings say why it is less sure than it seems: it depends on
// when the run is submitted, which is not said, or past runs are few, or many failed. The error is [ErrUnknown] if
// there is nothing to learn from.
func (f *Forecaster) Next(tokens int) (times []float64, warnings []string, err error) {
	times, err = f.predicted(tokens)
	f.model = jobmodel.NewJob(f.profile) // a plan keeps a hundred forecasters, whose models hold 10 MB each by now
	if f.past.Runs < profile.FewRuns {
		warnings = append(warnings, fmt.Sprintf("learned from %s: how runs differ is not known from fewer than %d",
			words.Of(f.past.Runs, "run", "runs"), profile.FewRuns))
	}
	warnings = append(warnings, f.past.unsuccessful(f.o.Sure)...)
	if f.guess != "" {
		warnings = append(warnings, f.guess)
	}
	return times, warnings, err
}

// ErrUnknown says that past runs tell no times.
var ErrUnknown = errors.New("how long past runs took is not known, or it was no time at all; `racecard whatif` " +
	"simulates one run whose tasks have durations")

// modelled returns the options of the model on so many tokens.
func (f *Forecaster) modelled(tokens int) jobmodel.Options {
	m := jobmodel.DefaultOptions()
	m.InputBytes, m.Submit, m.Tokens, m.Seed = f.o.Input, f.o.Submit, float64(tokens), f.o.Seed
	return m
}

// summarize is the forecast of times on so many tokens, and the chance of a deadline, NaN for none.
func (f *Forecaster) summarize(tokens int, times []float64, deadlineS float64) result.ForecastTokens {
	sorted := quantile.Sort(times)
	q := func(p float64) float64 { return quantile.Quantile(sorted, p) }
	out := result.ForecastTokens{Tokens: tokens, P50S: q(0.5), P90S: q(0.9), P95S: q(0.95),
		CoreH: float64(tokens) * f.doc.TokenCores() * quantile.Mean(times) / 3600, Chance: result.Number(math.NaN())}
	outside := func(x float64, seen [2]result.Number) bool { return x < float64(seen[0]) || x > float64(seen[1]) }
	out.Extrapolated = outside(float64(tokens), f.doc.TokensSeen) || outside(f.o.Input, f.doc.InputSeen)
	if !math.IsNaN(deadlineS) {
		in, _ := slices.BinarySearchFunc(sorted.Values(), deadlineS, func(t, d float64) int {
			if t <= d {
				return -1
			}
			return 1
		})
		out.Chance = result.Number(float64(in) / float64(len(times)))
	}
	return out
}

// fewest returns the fewest tokens, at most most, with which a deadline is met with the chance that is enough; nil
// where none are. Numbers of tokens lie on a ladder, ever further apart; the first that is enough is sought there, and
// then between it and the one before. Where past runs took longer on more tokens, every step of the ladder is tried;
// elsewhere times fall with the tokens, and half of them are left out at once.
func (f *Forecaster) fewest(ctx context.Context, deadlineS float64, most int) (*result.ForecastTokens, error) {
	var failed error
	var best *result.ForecastTokens
	enough := func(n int) bool {
		var times []float64
		if failed == nil {
			failed = ctx.Err()
		}
		if failed == nil {
			times, failed = f.predicted(n)
		}
		if failed != nil {
			return true
		}
		at := f.summarize(n, times, deadlineS)
		if float64(at.Chance) < f.o.Sure {
			return false
		}
		if best == nil || n < best.Tokens {
			best = &at
		}
		return true
	}
	ladder := []int{0}
	for n := 1; n <= most; n = nextStep(n) {
		ladder = append(ladder, n)
	}
	steps := ladder[1:]
	var k int
	if n := len(f.seen); n > 0 && f.seen[n-1].segment > 0 {
		k = slices.IndexFunc(steps, enough)
	} else {
		k = sort.Search(len(steps), func(i int) bool { return enough(steps[i]) })
	}
	if k < 0 || k == len(steps) {
		return nil, failed
	}
	sort.Search(steps[k]-ladder[k]-1, func(i int) bool { return enough(ladder[k] + 1 + i) })
	return best, failed
}

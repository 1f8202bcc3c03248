package jobmodel

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"gonum.org/v1/gonum/stat/distuv"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/trace"
	"racecard/models/deadlines/internal/law"
)

// Peers are the runs of all jobs of a store. They tell by how much next runs of its jobs surprise: where a few past
// runs are much alike, their job seems to vary less than it does, and when it varies it is late more often than early.
// The past of one job seldom tells that. The zero value holds no runs. A run takes 40 bytes, and at most [MostPeers]
// runs are held. A store with more is represented by some of its jobs, chosen by the hashes of their names.
type Peers struct {
	jobs map[string][]peer
	runs int
	// jobs are left out whose hash has another bit than 0 among so many of its lowest
	halved int
}

// MostPeers bounds the runs that [Peers] hold.
const MostPeers = 500_000

// PeerColumns are the columns that [Peers] read.
func PeerColumns() []string {
	return []string{"jobs.name", "jobs.job", "jobs.status", "jobs.submit", "jobs.start", "jobs.end",
		"jobs.input_bytes", "jobs.guaranteed", "allocations.*"}
}

// peer holds the numbers of a run that forecasts need. Unknown numbers are NaN.
type peer struct {
	from, to               trace.Instant
	seconds, input, tokens float64
}

// Add adds a run of a job, which it neither keeps nor changes. Runs that did not succeed, or whose times are not known,
// are left out.
func (p *Peers) Add(job string, run *trace.Run) {
	x := peer{from: run.Submit, to: run.End, seconds: run.Completion().Seconds(), input: math.NaN(), tokens: math.NaN()}
	if !x.from.Known() {
		x.from = run.Start
	}
	if job == "" || !run.Status.Well() || !x.from.Known() || !x.to.Known() || x.to <= x.from || !(x.seconds > 0) {
		return
	}
	if !p.holds(job) {
		return
	}
	stated := *run
	stated.Attempts = nil // not in PeerColumns
	if held := stated.Held(); held.Stated() {
		x.tokens = float64(held.Most)
	}
	if run.InputBytes != trace.None {
		x.input = float64(run.InputBytes)
	}
	if p.jobs == nil {
		p.jobs = map[string][]peer{}
	}
	if _, ok := p.jobs[job]; !ok {
		job = strings.Clone(job) // which may belong to the run
	}
	p.jobs[job] = append(p.jobs[job], x)
	for p.runs++; p.runs > MostPeers && p.halved < 64; {
		p.halved++
		for name, of := range p.jobs {
			if !p.holds(name) {
				p.runs -= len(of)
				delete(p.jobs, name)
			}
		}
	}
}

// holds reports whether runs of a job are held.
func (p *Peers) holds(job string) bool {
	return p.halved == 0 || xxhash.Sum64String(job)&(1<<p.halved-1) == 0
}

// A run is foretold from at least and at most so many that had ended, from fewer where it has an input or tokens. So
// many runs are foretold at most, where one with an input or tokens counts as two, as it takes longer to foretell. Only
// ofFew are where too few could be to tell surprises.
const (
	fewestPeers = 3
	mostPeers   = 30
	mostEffects = 10
	foretold    = 3000
	withEffects = 2
	ofFew       = 64
)

// Surprises says how surprising runs were, and the levels of the times of all jobs.
type Surprises struct {
	ends   []trace.Instant // of the runs that were foretold, ascending
	jobs   []int           // different ones among the first k runs
	levels *levels
	// per candidate, its scores less the first candidate's: of forecasts without a level of all jobs, and with it
	without, with []differences
	level         differences // scores with the level less those without
	odds          []float64   // that past times alone foretell better, after the first k runs: their logarithm
}

// differences compare the scores of two ways to foretell runs: for the first k runs they hold the sum of the
// differences, and the sum of their squares.
type differences struct{ sums, squares []float64 }

// add adds the difference of a run.
func (d *differences) add(x float64) {
	if d.sums == nil {
		d.sums, d.squares = []float64{0}, []float64{0}
	}
	n := len(d.sums) - 1
	d.sums, d.squares = append(d.sums, d.sums[n]+x), append(d.squares, d.squares[n]+x*x)
}

// apparent reports whether the mean difference of the first n runs is below 0 by more than [apparent] standard errors.
func (d *differences) apparent(n int) bool {
	mean := d.sums[n] / float64(n)
	variance := d.squares[n]/float64(n) - mean*mean
	return -mean > apparent*math.Sqrt(variance/float64(n))
}

// smallest returns the position of the smallest sum over the first n runs.
func smallest(all []differences, n int) int {
	best := 0
	for i := range all {
		if all[i].sums[n] < all[best].sums[n] {
			best = i
		}
	}
	return best
}

// candidates are possible surprises, none the first.
var candidates = func() []modelfile.Surprise {
	out := []modelfile.Surprise{{}}
	for _, sd := range []float64{0.02, 0.05, 0.1, 0.15, 0.2, 0.3} {
		for _, late := range []float64{0, 0.5, 1} {
			for _, tail := range []float64{0, 1, 2} {
				out = append(out, modelfile.Surprise{SD: sd, Late: late, Tail: tail})
			}
		}
	}
	return out
}()

// question is a run to foretell from the runs of its job that had ended before.
type question struct{ job, run, ended int32 }

// ending are the runs of a job in the order in which they started, and their places in the order in which they ended.
type ending struct {
	runs  []peer
	order []int32
}

// past returns the last of the first n runs that ended, in the memory of into.
func (e *ending) past(n int32, into []peer) []peer {
	past := into[:0]
	for _, k := range e.order[max(0, n-mostPeers):n] {
		past = append(past, e.runs[k])
	}
	return past
}

// Learn foretells runs of every job from those that had ended before, on tokens and of inputs that these had, and
// scores the forecasts, made wider and later.
func (p *Peers) Learn() *Surprises {
	var all []question
	var jobs []ending
	var past []peer
	cost := 0
	for i, name := range slices.Sorted(maps.Keys(p.jobs)) {
		of := p.jobs[name]
		slices.SortStableFunc(of, func(a, b peer) int { return cmp.Compare(a.from, b.from) })
		e := ending{of, lists.Order(len(of), func(a, b int32) int { return cmp.Compare(of[a].to, of[b].to) })}
		jobs = append(jobs, e)
		n := int32(0) // so many had ended
		for k := range of {
			for int(n) < len(of) && of[e.order[n]].to <= of[k].from {
				n++
			}
			if n < fewestPeers {
				continue
			}
			if past = e.past(n, past); !tried(past, (*peer).effects, of[k].input, of[k].tokens) {
				continue
			}
			all = append(all, question{int32(i), int32(k), n})
			cost++
			if of[k].input > 0 || of[k].tokens > 0 {
				cost += withEffects - 1
			}
		}
	}
	slices.SortStableFunc(all, func(a, b question) int {
		return cmp.Compare(jobs[a.job].runs[a.run].to, jobs[b.job].runs[b.run].to)
	})
	s := &Surprises{jobs: []int{0}, odds: []float64{plainOdds}, without: make([]differences, len(candidates)),
		with: make([]differences, len(candidates))}
	seen := map[int32]bool{}
	for _, q := range all {
		seen[q.job] = true
	}
	s.levels = newLevels(jobs)
	if len(all) == 0 {
		return s
	}
	most, few := foretold, len(all) < enoughTold || len(seen) < enoughJobs
	if few {
		most = ofFew
	}
	clear(seen)
	var standards law.Standards
	n := min(len(all), most*len(all)/cost)
	for i := range n {
		q := all[(i+1)*len(all)/n-1]
		run := jobs[q.job].runs[q.run]
		past = jobs[q.job].past(q.ended, past)
		if run.input > 0 || run.tokens > 0 {
			past = past[max(0, len(past)-mostEffects):]
		}
		share := s.plain(ended(s.ends, run.from))
		f, odds, ok := foretell(past, run, share)
		if !ok {
			continue
		}
		without := make([]float64, len(candidates)) // of few runs: no surprise is learned
		if !few {
			without = scores(&f, run.seconds, &standards)
		}
		with := without
		if l := s.levels.until(run.from); l != nil && !few {
			for k := range past {
				past[k].seconds *= math.Exp(l.at(run.from) - l.at(past[k].to))
			}
			f, _, _ = foretell(past, run, share)
			with = scores(&f, run.seconds, &standards)
		}
		seen[q.job] = true
		s.add(run.to, len(seen), without, with)
		s.odds = append(s.odds, min(-plainOdds, s.odds[len(s.odds)-1]+min(mostOdds, odds)-margin))
	}
	return s
}

// add adds a run, in the order in which they ended, by its scores per candidate without and with the level.
func (s *Surprises) add(end trace.Instant, jobs int, without, with []float64) {
	s.ends, s.jobs = append(s.ends, end), append(s.jobs, jobs)
	for i := range candidates {
		s.without[i].add(without[i] - without[0])
		s.with[i].add(with[i] - with[0])
	}
	s.level.add(with[0] - without[0])
}

// Forecasts are made wider only where so many runs of so many jobs tell, and the mean of their scores differs by more
// than so many standard errors.
const (
	enoughTold = 100
	enoughJobs = 5
	apparent   = 2
)

// plainOdds is the logarithm of the odds, before any run is foretold, that past times alone foretell runs better than
// the law by a margin, the logarithm of a factor per run. Where they do not, the chance that runs ever make it seem so
// is one in a hundred (J. Ville, "Étude critique de la notion de collectif", 1939). The margin is for jobs that differ
// by noise alone: past times are a little better there, but follow no change. A run counts for mostOdds at most, so
// that it takes two. The odds stay below the inverse of those before, so that the law can recover.
var plainOdds = math.Log(0.01)

const (
	margin   = 0.2
	mostOdds = 3
)

// plain returns the share of past times alone in forecasts after the first n runs: their probability, where they are
// likelier than the law, and otherwise 0.
func (s *Surprises) plain(n int) float64 {
	if s.odds[n] <= 0 {
		return 0
	}
	return 1 / (1 + math.Exp(-s.odds[n]))
}

// At returns the surprise that runs which had ended by then show, and the levels of the times of all jobs; nil for
// neither. An unknown instant is after all.
func (s *Surprises) At(t trace.Instant) *modelfile.Surprise {
	n := ended(s.ends, t)
	out := modelfile.Surprise{Plain: s.plain(n)}
	if out.Plain > 0 {
		out.Runs = n
	}
	if n >= enoughTold && s.jobs[n] >= enoughJobs {
		s.widen(&out, n, t)
	}
	if out.SD == 0 && len(out.Levels) == 0 && out.Plain == 0 {
		return nil
	}
	return &out
}

// widen fills in the surprise, and the levels, that the first n runs show.
func (s *Surprises) widen(out *modelfile.Surprise, n int, t trace.Instant) {
	wider := s.without
	if s.level.apparent(n) {
		wider, out.Levels = s.with, s.levels.until(t).knots()
	}
	if best := smallest(wider, n); wider[best].apparent(n) {
		c := candidates[best]
		out.SD, out.Late, out.Tail, out.Runs = c.SD, c.Late, c.Tail, n
	}
}

// tried reports whether past runs held the tokens of the next one, and its input lies between theirs, where they are
// known.
func tried[R any](past []R, of func(*R) (input, tokens float64), input, tokens float64) bool {
	low, high, known, held := math.Inf(1), math.Inf(-1), false, math.IsNaN(tokens)
	for i := range past {
		x, m := of(&past[i])
		low, high = math.Min(low, x), math.Max(high, x) // NaN where one is
		known, held = known || m > 0, held || m == tokens
	}
	return (held || !known) && !(input < low || input > high)
}

// scored are the levels of the quantiles by which a forecast is scored.
var scored = []float64{0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95}

// normal are the quantiles of the standard normal distribution at those levels.
var normal = func() []float64 {
	return lists.Map(scored, distuv.UnitNormal.Quantile)
}()

// effects returns the numbers of a run that may explain its time.
func (r *peer) effects() (input, tokens float64) { return r.input, r.tokens }

// like is a next run that is like past ones: its time depends on no number that is known.
var like = law.Next{Submit: math.NaN(), InputBytes: math.NaN(), Tokens: math.NaN(), Expected: math.NaN()}

// foretell forecasts a run, with a share from past times alone, and returns the logarithm of the odds that past times
// alone were right, rather than the law. It is not ok where past runs tell nothing.
func foretell(past []peer, run peer, share float64) (f law.Forecast, odds float64, ok bool) {
	same := func(of func(r peer) float64) bool {
		return !slices.ContainsFunc(past, func(r peer) bool { return of(r) != of(run) })
	}
	if same(func(r peer) float64 { return r.tokens }) { // which explain nothing, and take long
		run.tokens = math.NaN()
	}
	if same(func(r peer) float64 { return r.input }) {
		run.input = math.NaN()
	}
	runs := make([]law.Run, len(past))
	for i, r := range past {
		runs[i] = law.Run{Submit: r.from.Seconds(), Seconds: r.seconds, InputBytes: r.input, Tokens: r.tokens,
			Expected: math.NaN()}
	}
	f, ok = law.Predict(runs, law.Next{Submit: run.from.Seconds(), InputBytes: run.input, Tokens: run.tokens,
		Expected: math.NaN()}, law.DefaultPrior())
	if !ok {
		return f, 0, false
	}
	if plain, ok := law.Predict(runs, like, law.PlainPrior()); ok {
		odds = plain.Log(run.seconds) - f.Log(run.seconds)
		if share > 0 {
			f = f.Mixed(plain, share)
		}
	}
	return f, odds, true
}

// scores returns, per candidate, twice the mean pinball loss of the logarithm of the time that a run took.
func scores(f *law.Forecast, seconds float64, standards *law.Standards) []float64 {
	times := quantile.Sort(f.Times(slownesses, standards))
	wide := width(times)
	out := make([]float64, len(candidates))
	for k, level := range scored {
		late := math.Log(seconds / quantile.Quantile(times, level))
		for i := range candidates {
			d := late - more(&candidates[i], wide, normal[k])
			out[i] += 2 * max(level*d, (level-1)*d) / float64(len(scored))
		}
	}
	return out
}

// width returns the standard deviation of the logarithm of a normal distribution with the same p10 and p90.
func width(times quantile.Sorted) float64 {
	const ninth = 1.2815515655446004 // the 90% quantile of the standard normal distribution
	return math.Log(quantile.Quantile(times, 0.9)/quantile.Quantile(times, 0.1)) / (2 * ninth)
}

// more returns the number to add to the logarithm of a quantile of a forecast, where z is the same quantile of the
// standard normal distribution. The width of the forecast and the surprise add up as standard deviations of independent
// causes do, so that narrow forecasts change most. Above p50 they may change more: late runs are often very late.
func more(s *modelfile.Surprise, wide, z float64) float64 {
	return (math.Hypot(wide, s.SD) - wide) * (z + s.Late + s.Tail*z*max(0, z))
}

// surprised makes equally likely times, ascending, wider and later.
func surprised(times []float64, s *modelfile.Surprise) []float64 {
	if s == nil || s.SD == 0 || len(times) < 2 {
		return times
	}
	wide := width(quantile.Sort(times))
	out := make([]float64, len(times))
	for i, t := range times {
		z := distuv.UnitNormal.Quantile((float64(i) + 0.5) / float64(len(times)))
		out[i] = t * math.Exp(more(s, wide, z))
	}
	return out
}

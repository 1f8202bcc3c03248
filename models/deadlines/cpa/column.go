package cpa

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"racecard/analyses/digest"
	"racecard/datasets/lists"
	"racecard/datasets/remaining"
	"racecard/models/deadlines/sim"
)

// Kept is how many samples of a cell are kept one by one. Beyond, quantiles are within [digest.RelativeError] of their
// value.
const Kept = 4096

// Runs are simulated in blocks, each by one worker.
const blockRuns = 16

// firstRuns is the number of runs after which convergence is first checked. It is checked again each time the number
// has doubled.
const firstRuns = 64

// column is one allocation of a table while it is built.
type column struct {
	tokens int32

	open     sync.Once
	setting  Setting
	compiled *sim.Compiled
	failed   error // of open

	// Numbers of runs that are wanted, begun and done; guarded by the crew.
	wanted, begun, done int
	closed              bool

	mu    sync.Mutex
	cells [remaining.Steps]*digest.Digest

	// Set when the column is closed: its cells of the table, before the table is made monotone.
	samples   [remaining.Steps]int64
	mean      [remaining.Steps]float64
	quantiles [remaining.Steps][]float64 // of remaining.Levels
	exact     bool
	accuracy  []float64 // half of the widest 95% interval of each wanted quantile, as a share of a run's median time
	err       error
}

// shares are the probabilities of a cell's quantiles.
func shares() []float64 {
	return lists.Indexed(remaining.Levels, func(q int) float64 { return float64(q) / (remaining.Levels - 1) })
}

// prepare makes the column ready to be simulated, once.
func (c *column) prepare(job Job) error {
	c.open.Do(func() {
		c.setting, c.failed = job.With(c.tokens)
		if c.failed == nil {
			c.compiled, c.failed = sim.Compile(c.setting.Plan)
		}
		for i := range c.cells {
			c.cells[i] = digest.New(Kept)
		}
	})
	return c.failed
}

// simulate adds the runs from first on, so many of them.
func (c *column) simulate(job Job, o Options, first, runs int) error {
	if err := c.prepare(job); err != nil {
		return err
	}
	s, err := newSampler(c.setting, c.compiled, job.Progress, c.tokens, o)
	if err != nil {
		return err
	}
	var samples [remaining.Steps][]int64
	for k := first; k < first+runs; k++ {
		if err := s.run(k, func(step int, us int64) { samples[step] = append(samples[step], us) }); err != nil {
			return err
		}
		c.mu.Lock()
		for i := range samples {
			for _, us := range samples[i] {
				c.cells[i].Add(us)
			}
			samples[i] = samples[i][:0]
		}
		c.mu.Unlock()
	}
	return nil
}

// enough reports whether the runs so far determine the wanted quantiles closely enough: half of each 95% interval must
// be within the tolerance, as a share of the median time of a whole run.
func (c *column) enough(o Options) bool {
	return slices.Max(c.widths(o.Quantiles)) <= o.Tolerance*c.median()
}

// median returns the median time of a whole run, in microseconds.
func (c *column) median() float64 { return c.cells[0].Quantiles([]float64{0.5}, 1)[0] }

// widths returns half of the widest 95% interval of each quantile, in microseconds; infinite where there are too few
// runs for one.
func (c *column) widths(quantiles []float64) []float64 {
	widths := make([]float64, len(quantiles))
	for k, q := range quantiles {
		var last int64
		var low, high float64
		for i := range c.cells {
			n := c.cells[i].N()
			if n == 0 || i == remaining.Steps-1 {
				continue
			}
			if n != last {
				var ok bool
				if low, high, ok = interval(n, q); !ok {
					widths[k] = math.Inf(1)
					break
				}
				last = n
			}
			at := c.cells[i].Quantiles([]float64{low, high}, 1)
			widths[k] = max(widths[k], (at[1]-at[0])/2)
		}
	}
	return widths
}

// interval returns, as shares of n values, the order statistics between which a quantile lies with a probability of at
// least 95%, whatever the distribution (W. J. Conover, Practical Nonparametric Statistics, 3.2); none for too few
// values. Of antithetic pairs the probability is higher.
func interval(n int64, q float64) (low, high float64, ok bool) {
	b := distuv.Binomial{N: float64(n), P: q}
	r, s := int64(math.Floor(q*float64(n))), int64(math.Ceil(q*float64(n)))
	for r > 0 && b.CDF(float64(r-1)) > 0.025 {
		r--
	}
	for s <= n && b.CDF(float64(s-1)) < 0.975 {
		s++
	}
	if r < 1 || s > n || n < 2 {
		return 0, 0, false
	}
	return float64(r-1) / float64(n-1), float64(s-1) / float64(n-1), true
}

// settle computes the quantiles of all cells and releases the samples.
func (c *column) settle(o Options) {
	c.accuracy = c.widths(o.Quantiles)
	for i, half := range c.accuracy {
		c.accuracy[i] = half / c.median()
	}
	at := shares()
	c.exact = true
	for i, cell := range c.cells {
		c.samples[i] = cell.N()
		c.exact = c.exact && cell.Exact()
		if cell.N() == 0 {
			c.quantiles[i] = make([]float64, remaining.Levels)
			continue
		}
		x := cell.Quantiles(at, 1e6)
		x[0], x[len(x)-1] = float64(cell.Min())/1e6, float64(cell.Max())/1e6
		c.quantiles[i] = x
		c.mean[i] = min(max(cell.Sum()/float64(cell.N())/1e6, x[0]), x[len(x)-1])
		c.cells[i] = nil
	}
	if o.Sampling == remaining.ByProgress {
		c.agree(c.setting.Times)
	}
}

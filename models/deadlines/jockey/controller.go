package jockey

import "math"

// Decision is a decision of a [Controller], with its reasons. Times are seconds since the job's start.
type Decision struct {
	NowS, Progress float64
	Raw            int     // the smallest allocation of greatest worth
	Smoothed       float64 // the state of the hysteresis
	Tokens         int     // to request: Smoothed, rounded up
	FinishS        float64 // predicted end with Tokens, slack included; NaN where the estimator does not know
	// the earliest deadline that could be promised now: with all tokens, slack and dead zone included
	EarliestS float64
	Late      bool    // that is after the deadline
	Slower    float64 // what the run was learnt to be slower by, at least 1
	Held      bool    // Raw was not followed, as FinishS is close enough to what is planned
}

// Controller is the loop of one job. It is for one goroutine at a time.
type Controller struct {
	o        Options
	estimate Estimator
	utility  Utility
	deadZone float64
	smoothed float64
	atS      float64 // of the last decision
	tokens   int
	limit    int
	follow   bool // the next decision is not smoothed
	pace     pace
}

// tie is the difference below which two utilities are one.
const tie = 1e-9

// NewController makes the loop of a job that is about to start.
func NewController(e Estimator, u Utility, o Options) (*Controller, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Controller{o: o, estimate: e, utility: u, deadZone: o.DeadZone(u.Target()), limit: o.Max, follow: true,
		pace: pace{slower: 1}}, nil
}

// SetUtility replaces the utility of the job, for another deadline say, from the next decision on.
func (c *Controller) SetUtility(u Utility) {
	c.utility, c.deadZone = u, c.o.DeadZone(u.Target())
	c.follow = c.follow || c.o.Jump
}

// SetBounds replaces the least and the most tokens, from the next decision on. It fails on bounds that [NewController]
// refuses.
func (c *Controller) SetBounds(least, most int) error {
	o := c.o
	o.Min, o.Max = least, most
	if err := o.Validate(); err != nil {
		return err
	}
	c.o, c.limit = o, most
	return nil
}

// SetLimit says that, from the next decision on, more tokens than so many are of no use, as a job has no more tasks
// left. Within Options.Min and Options.Max, which it is before the first call.
func (c *Controller) SetLimit(tokens int) { c.limit = min(max(tokens, c.o.Min), c.o.Max) }

// Decide returns the allocation for a job that has made progress at an instant, in seconds since its start, and keeps
// what the next decision needs. Where the remaining time is not known the request stays, and is the limit at first.
func (c *Controller) Decide(nowS, progress float64) Decision {
	d := Decision{NowS: nowS, Progress: progress}
	c.pace.learn(nowS, c.left(progress, c.tokens))
	best := c.worth(nowS, progress, c.limit)
	unknown := math.IsNaN(best)
	switch {
	case !unknown:
		d.Raw = c.raw(nowS, progress, best)
	case c.tokens > 0:
		d.Raw = c.tokens
	default:
		d.Raw = c.limit
	}
	switch {
	case c.follow && (!unknown || c.tokens == 0):
		c.smoothed, c.follow = float64(d.Raw), unknown
	case unknown:
	case c.o.Hold && c.close(nowS, progress):
		d.Held = true
	default:
		share := c.o.Hysteresis
		if c.o.Rise > 0 && float64(d.Raw) > c.smoothed {
			share = c.o.Rise
		}
		c.smoothed += c.sooner(share, nowS) * (float64(d.Raw) - c.smoothed)
	}
	c.atS = nowS
	const noise = 1e-9 // of the sums above
	c.smoothed = min(c.smoothed, float64(c.limit))
	c.tokens = max(int(math.Ceil(c.smoothed-noise)), c.o.Min)
	d.Smoothed, d.Tokens = c.smoothed, c.tokens
	d.FinishS = nowS + c.remaining(progress, c.tokens)
	d.EarliestS = c.o.earliest(nowS + c.remaining(progress, c.limit))
	d.Late = d.EarliestS > c.utility.Target()
	d.Slower = c.pace.slower
	c.pace.expect(nowS, c.left(progress, c.tokens), c.o.Learn)
	return d
}

// sooner returns the part of a share of the way to the raw allocation that is gone after less than a control period:
// two decisions in one period go as far as one. After a period or more it is the share.
func (c *Controller) sooner(share, nowS float64) float64 {
	periods := (nowS - c.atS) / c.o.Period(c.utility.Target())
	if share == 1 || !(periods < 1) {
		return share
	}
	return 1 - math.Pow(1-share, max(0, periods))
}

// raw returns the smallest allocation with the best worth, which is the worth of the limit, or, where even the limit
// ends after the planned end, the smallest with nearly its remaining time. More tokens hardly ever end a job later and
// an earlier end is never worth less, so bisection finds it. Where the age of a run counts, a few tokens more may seem
// to be slower; so fewer than bisection finds are looked at, too.
func (c *Controller) raw(nowS, progress, best float64) int {
	most := 0.0
	if left := c.remaining(progress, c.limit); nowS+left+c.deadZone > c.utility.Target() {
		most = left / (1 - c.o.Gain)
	}
	enough := func(tokens int) bool {
		return c.worth(nowS, progress, tokens) >= best-tie || c.remaining(progress, tokens) <= most
	}
	low, high := c.o.Min, c.limit
	for low < high {
		middle := low + (high-low)/2
		if enough(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	for tokens := c.o.Min; tokens < low; tokens += 1 + (low-c.o.Min)/mostLooks {
		if enough(tokens) {
			return tokens
		}
	}
	return low
}

// mostLooks is how many allocations below one that is enough are looked at.
const mostLooks = 32

// worth is the expected utility of a number of tokens from now on.
func (c *Controller) worth(nowS, progress float64, tokens int) float64 {
	at := func(quantile float64) float64 {
		left := c.pace.slower * c.o.Slack * c.estimate.Remaining(progress, float64(tokens), quantile)
		return c.utility.At(nowS + left + c.deadZone)
	}
	if c.o.Statistic == AtQuantile {
		return at(c.o.Quantile)
	}
	sum := 0.0
	for i := range 101 {
		sum += at(float64(i) / 100)
	}
	return sum / 101
}

// close reports whether the end that the current allocation leads to is within the dead zone of the planned one.
func (c *Controller) close(nowS, progress float64) bool {
	planned := c.utility.Target() - c.deadZone
	return math.Abs(nowS+c.remaining(progress, c.tokens)-planned) <= c.deadZone
}

// remaining is the remaining time used for planning.
func (c *Controller) remaining(progress float64, tokens int) float64 {
	return c.pace.slower * c.o.remaining(c.estimate, progress, tokens)
}

// left is the median remaining time as it is estimated, 0 where nothing is to be learnt from it.
func (c *Controller) left(progress float64, tokens int) float64 {
	if c.o.Learn == 0 || tokens == 0 {
		return 0
	}
	return c.estimate.Remaining(progress, float64(tokens), 0.5)
}

// remaining is a quantile of the remaining time and the slack.
func (o Options) remaining(e Estimator, progress float64, tokens int) float64 {
	return o.Slack * e.Remaining(progress, float64(tokens), o.Quantile)
}

// earliest is the first deadline that still lies ahead of an end, in seconds since the job's start, by the dead
// zone.
func (o Options) earliest(endS float64) float64 {
	if o.DeadZoneShare == 0 {
		return endS + o.DeadZoneS
	}
	return endS + min(o.DeadZoneS, max(0, endS*o.DeadZoneShare/(1-o.DeadZoneShare)))
}

// Forget discards the learned slowness of the run. Who drives the controller calls it after every decision until the
// first task has ended: start-up is not slowness.
func (c *Controller) Forget() { c.pace = pace{slower: 1} }

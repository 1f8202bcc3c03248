package agenda

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/parallel"
	"racecard/datasets/seed"
	"racecard/datasets/words"
)

// MostAround is the most days before a day, and as many after it, that are simulated with it.
const MostAround = 3

// SeldomRun is the usual days between the runs of a job from which on it does not run every day.
const SeldomRun = 1.5

// dayLong is a day in microseconds.
const dayLong = oneDay * 1_000_000

// stretch is a time for which the number of tokens in use did not change.
type stretch struct {
	from, to int64
	tokens   int
}

// days is the simulated days of a plan.
type days struct {
	jobs   []Job
	o      Options
	next   []spread
	shares [][]int // of every job: the quantile of its length, by the day
	around int     // days before and after each day that are simulated with it
	starts [][]int64
	ends   [][]int64
	use    [][]stretch
}

// simulateDays simulates days. Where a run still holds tokens when the next day begins, the runs of days before and
// after are simulated, too, of jobs that run every day.
func simulateDays(ctx context.Context, jobs []Job, o Options) (*days, error) {
	d := &days{jobs: jobs, o: o, next: make([]spread, len(jobs)), shares: make([][]int, len(jobs))}
	for k := range jobs {
		var err error
		if d.next[k], err = jobs[k].on(o.Tokens); err != nil {
			return nil, fmt.Errorf("job %q: %w", jobs[k].Name, err)
		}
		d.shares[k] = rand.New(seed.Stream(o.Seed, "agenda lengths", uint64(k))).Perm(o.Days)
	}
	for {
		d.starts, d.ends, d.use = make([][]int64, o.Days), make([][]int64, o.Days), make([][]stretch, o.Days)
		if err := parallel.Do(ctx, o.Days, d.simulate); err != nil {
			return nil, err
		}
		n := d.overlapping()
		if n > 0 && d.busy() >= muchBusy { // runs that wait are later than they are long
			n = MostAround
		}
		if n <= d.around {
			return d, nil
		}
		d.around = n
	}
}

// drawn returns the runs of a day.
func (d *days) drawn(i int) []repeated {
	rng := rand.New(seed.Stream(d.o.Seed, "agenda", uint64(i)))
	runs := make([]repeated, len(d.jobs))
	for k := range d.jobs {
		runs[k] = d.next[k].draw(d.jobs[k].Runs, (float64(d.shares[k][i])+0.5)/float64(d.o.Days), rng)
	}
	return runs
}

// simulate simulates a day, with the days around it.
func (d *days) simulate(i int) {
	jobs, runs := slices.Clone(d.jobs), d.drawn(i)
	for by := -d.around; by <= d.around; by++ {
		if by == 0 {
			continue
		}
		other, at := d.drawn((i+by+MostAround*d.o.Days)%d.o.Days), make([]int, len(d.jobs))
		for k := range d.jobs {
			if at[k] = -1; d.daily(k) && !slices.Contains(d.jobs[k].Off, by) {
				at[k] = len(runs)
				run := other[k]
				run.at += int64(by) * dayLong
				jobs, runs = append(jobs, d.jobs[k]), append(runs, run)
			}
		}
		for _, k := range at {
			if k < 0 {
				continue
			}
			var after []int
			for _, before := range jobs[k].After {
				if at[before] >= 0 {
					after = append(after, at[before])
				}
			}
			jobs[k].After = after
		}
	}
	starts, ends := simulate(jobs, runs, d.o.Tokens, func(from, to int64, tokens int) {
		d.use[i] = append(d.use[i], stretch{from, to, tokens})
	})
	d.starts[i], d.ends[i] = starts[:len(d.jobs)], ends[:len(d.jobs)]
}

// daily reports whether a job is known to run every day.
func (d *days) daily(k int) bool { return d.next[k].every < SeldomRun*oneDay }

// first returns when the day usually begins: the least of the medians of jobs' starts.
func (d *days) first() int64 {
	first := int64(math.MaxInt64)
	for k := range d.jobs {
		starts := slices.Sorted(slices.Values(lists.Map(d.starts, func(of []int64) int64 { return of[k] })))
		first = min(first, starts[len(starts)/2])
	}
	return first
}

// overlapping returns for how many days after its own a run still holds tokens, at most: 0 where no job runs every day.
func (d *days) overlapping() int {
	first, last, any := d.first(), int64(0), false
	for k := range d.jobs {
		any = any || d.daily(k)
	}
	for _, of := range d.ends {
		last = max(last, slices.Max(of))
	}
	if !any || last <= first {
		return 0
	}
	return int(min(MostAround, (last-first-1)/dayLong))
}

// notes says whose runs still hold tokens on the next day, and whether these are too few for the work of a day.
func (d *days) notes(p95Ends []float64) (notes []string) {
	if d.around == 0 {
		return nil
	}
	first := d.first()
	if d.busy() >= mostBusy {
		notes = append(notes, fmt.Sprintf("the jobs of a day are more work than %s in a day: every day would end later than "+
			"the one before; times are those of day %d", words.Of(d.o.Tokens, "token does", "tokens do"), d.around+1))
	}
	var long []string
	for k, end := range p95Ends {
		if end*1e6 > float64(first+dayLong) {
			long = append(long, words.Printable(d.jobs[k].Name))
		}
	}
	if len(long) > 0 {
		notes = append(notes, "runs may end after the next day's first have begun, and hold tokens until then, which is "+
			"simulated: "+words.List(slices.Compact(slices.Sorted(slices.Values(long)))))
	}
	return notes
}

// busy returns the share of the tokens that are in use over the 24 hours from the first start.
func (d *days) busy() float64 {
	first, sum := d.first(), 0.0
	for _, of := range d.use {
		for _, s := range of {
			sum += float64(max(0, min(s.to, first+dayLong)-max(s.from, first))) * float64(s.tokens)
		}
	}
	return sum / (float64(d.o.Tokens) * dayLong * float64(d.o.Days))
}

// Shares of the tokens in use over a day: from muchBusy on work may be left over from more days before than runs last,
// from mostBusy on there are too few tokens for the work of a day.
const (
	muchBusy = 0.8
	mostBusy = 0.99
)

package compare

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/models/internal/experiment"
	"racecard/models/machines/carbyne"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/internal/measure"
	"racecard/models/machines/jobs"
	"racecard/models/machines/replay"
)

// Case is a replay: jobs in the order of their arrival, on machines, under one scheduler.
type Case struct {
	Jobs       []*jobs.Job
	Machines   func() (*cluster.Machines, error) // made anew for each run
	Scheduler  string
	Parameters Parameters
	Follow     string // id of the job whose running tasks are kept over time
	Workers    int    // goroutines of a scheduler that plans ahead; 0 counts as 1
}

// Outcome is the result of a scheduler on a case.
type Outcome struct {
	Scheduler string
	Result    *replay.Result
	JCT       []float64 // seconds from arrival to end, by job of the case
	Books     *measure.Books
	Jain      Windows
	Capped    Windows // the same, what jobs hold beyond their share not counted
	Machines  *cluster.Machines
	Took      time.Duration // of this computer; nothing that is kept may depend on it
	// Altruistic is set for Carbyne, to which the following fields belong. At P(Altruism) = 0 it is DRF.
	Altruistic       bool
	Plans, Fallbacks int64
	AtStart          cluster.Vector // left over at the first instant, in quanta
}

// Run replays one case.
func Run(ctx context.Context, c *Case) (*Outcome, error) {
	named, err := Named(c.Scheduler)
	if err != nil {
		return nil, err
	}
	scheduler, err := named.Make(&c.Parameters)
	if err != nil {
		return nil, err
	}
	altruistic, ok := scheduler.(*carbyne.Scheduler)
	if ok {
		altruistic.Workers = c.Workers
	}
	machines, err := c.Machines()
	if err != nil {
		return nil, err
	}
	o := &Outcome{Scheduler: c.Scheduler, Books: &measure.Books{Follow: c.Follow}, Machines: machines}
	began := time.Now()
	if o.Result, err = replay.Run(ctx, c.Jobs, machines, scheduler, o.Books); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Scheduler, err)
	}
	o.Took = time.Since(began)
	for i, j := range c.Jobs {
		o.JCT = append(o.JCT, float64(o.Result.Finished[i]-j.Arrival)/1e6)
	}
	for _, w := range o.Books.Jain() {
		o.Jain = append(o.Jain, quantile.Weighted{Value: w.Index, Weight: w.Windows})
		o.Capped = append(o.Capped, quantile.Weighted{Value: w.Capped, Weight: w.Windows})
	}
	if s := altruistic; ok && c.Parameters.Altruism > 0 {
		o.Altruistic, o.Plans, o.Fallbacks, o.AtStart = true, s.Plans, s.Fallbacks, s.AtStart
	}
	return o, nil
}

// All runs cases on so many goroutines, as many as there are processors for 0, and returns their outcomes in order. If
// there are fewer cases, they share the goroutines. done, unless nil, is told of each that ends, from one goroutine at
// a time.
func All(ctx context.Context, cases []*Case, workers int, done func(o *Outcome)) ([]*Outcome, error) {
	var mu sync.Mutex
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	got, err := experiment.Run(ctx, experiment.Grid[[]*Case, *Outcome]{
		Settings: 1, Seeds: 1, Policies: len(cases), Workers: workers,
		Workload: func(context.Context, int, int) ([]*Case, error) { return cases, nil },
		Run: func(ctx context.Context, cases []*Case, at experiment.Point) (*Outcome, error) {
			one := *cases[at.Policy]
			one.Workers = workers / len(cases)
			o, err := Run(ctx, &one)
			if err == nil && done != nil {
				mu.Lock()
				defer mu.Unlock()
				done(o)
			}
			return o, err
		},
	})
	if err != nil {
		return nil, err
	}
	outcomes := lists.Indexed(len(cases), func(i int) *Outcome { return *got.At(experiment.Point{Policy: i}) })
	return outcomes, nil
}

// ratios returns each job's completion time under one scheduler, over the time under another: the factors of
// improvement of the second. A job that takes no time under either has ratio 1, one that takes none under the second
// alone has none: NaN.
func ratios(other, of []float64) []float64 {
	out := make([]float64, len(of))
	for i, x := range of {
		switch {
		case x > 0:
			out[i] = other[i] / x
		case other[i] > 0:
			out[i] = math.NaN()
		default:
			out[i] = 1
		}
	}
	return out
}

// finite returns the ratios that there are.
func finite(ratios []float64) []float64 {
	return lists.Kept(ratios, func(x float64) bool { return !math.IsNaN(x) })
}

package compare

import (
	"fmt"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/models/machines/carbyne"
	"racecard/models/machines/policy"
	"racecard/models/machines/replay"
)

// Parameters are the parameters of schedulers.
type Parameters struct {
	Altruism                  float64 // P(Altruism) of Carbyne
	Tolerance, ShareTolerance float64 // of Carbyne: see [carbyne.Options]
	Weights                   policy.Weights
	Remaining                 float64 // of Tetris: how much the work left weighs
	Fairness                  float64 // of Tetris, in [0, 1]
	Leftover                  string  // of Carbyne: one of Leftovers
	Demands                   string  // of DRF's shares, in DRF and Carbyne: one of Demands
	Seed                      uint64
}

// Leftovers are the orders in which Carbyne can give away leftover: to the least remaining work, to the plan
// that ends soonest, or to the best packing task (PAPERS C5, C7).
func Leftovers() []string { return []string{"work", "time", "packing"} }

// Demands are the bases of DRF's shares: running and runnable tasks, or all remaining work (PAPERS C3).
func Demands() []string { return []string{"runnable", "remaining"} }

// DefaultParameters returns the parameters of the papers.
func DefaultParameters() Parameters {
	o := carbyne.DefaultOptions()
	return Parameters{Altruism: o.Altruism, Tolerance: o.Tolerance, ShareTolerance: o.ShareTolerance, Remaining: 1,
		Leftover: Leftovers()[0], Demands: Demands()[0], Seed: 1}
}

// Validate reports the first parameter that makes no sense.
func (p *Parameters) Validate() error {
	c := p.carbyne()
	if err := c.Validate(); err != nil {
		return err
	}
	if !slices.Contains(Leftovers(), p.Leftover) {
		return fmt.Errorf("leftover %s: want one of %s", p.Leftover, strings.Join(Leftovers(), ", "))
	}
	if !slices.Contains(Demands(), p.Demands) {
		return fmt.Errorf("demands %s: want one of %s", p.Demands, strings.Join(Demands(), ", "))
	}
	for group, w := range p.Weights {
		if !(w > 0 && w <= 1e9) {
			return fmt.Errorf("weights %s=%v: want more than 0, at most 1e9", group, w)
		}
	}
	if !(p.Fairness >= 0 && p.Fairness <= 1) {
		return fmt.Errorf("fairness %v: want 0 to 1", p.Fairness)
	}
	if !(p.Remaining >= 0 && p.Remaining <= 1e6) {
		return fmt.Errorf("remaining %v: want 0 to 1e6", p.Remaining)
	}
	return nil
}

func (p *Parameters) carbyne() carbyne.Options {
	o := carbyne.DefaultOptions()
	o.Altruism, o.Tolerance, o.Weights, o.Seed = p.Altruism, p.Tolerance, p.Weights, p.Seed
	o.ShareTolerance = p.ShareTolerance
	o.Remaining, o.ByTime = p.remaining(), p.Leftover == "time"
	o.Reserve = true // see the comment of Schedulers
	if p.Leftover == "packing" {
		o.Leftover, o.Reserve = carbyne.Packed(), false
	}
	return o
}

// remaining reports whether shares are of the work left.
func (p *Parameters) remaining() bool { return p.Demands == "remaining" }

// Scheduler is a named scheduler.
type Scheduler struct {
	Name    string
	Summary string
	// Make returns a scheduler for one run.
	Make func(p *Parameters) (replay.Scheduler, error)
}

// Schedulers returns all schedulers. All but drf-static and carbyne start every task that fits. Carbyne subtracts all
// must-run tasks from leftover, also those without a machine, as the pseudocode does (lines 22 to 29). Otherwise
// smaller tasks starve must-run tasks, and both completion times and fairness suffer (see [carbyne.Options], Reserve).
func Schedulers() []Scheduler {
	return []Scheduler{
		{"fifo", "jobs in the order of their arrival, what does not fit is passed over",
			plain(func(*Parameters) replay.Scheduler { return policy.FIFO() })},
		{"drf", "Dominant Resource Fairness, breadth first inside a job", plain(func(p *Parameters) replay.Scheduler {
			return &policy.DRF{Order: policy.BreadthFirst, Shares: policy.Shares{Weights: p.Weights,
				Remaining: p.remaining()}}
		})},
		{"drf-static", "an equal fixed part for each job of the first instant, and nothing beyond it",
			plain(func(*Parameters) replay.Scheduler {
				return &policy.Static{Order: policy.BreadthFirst}
			})},
		{"capacity", "a queue per group of jobs, by weights; in order of arrival inside",
			plain(func(p *Parameters) replay.Scheduler {
				return &policy.Capacity{Order: policy.BreadthFirst, Weights: p.Weights}
			})},
		{"tetris", "packing with a regard for the work left, and for fairness",
			plain(func(p *Parameters) replay.Scheduler {
				return &policy.Tetris{Remaining: p.Remaining, Fairness: p.Fairness}
			})},
		{"tetris-packing", "packing without regard for the work left", plain(func(p *Parameters) replay.Scheduler {
			return &policy.Tetris{Fairness: p.Fairness}
		})},
		{"tetris-fair", "packing for the job alone that is furthest below its share",
			plain(func(p *Parameters) replay.Scheduler {
				return &policy.Tetris{Remaining: p.Remaining, Fairness: 1}
			})},
		{"sjf", "the job of the shortest critical path first", plain(func(*Parameters) replay.Scheduler {
			return policy.SJF()
		})},
		{"srtf", "the job of the least work left first", plain(func(*Parameters) replay.Scheduler {
			return policy.SRTF()
		})},
		{"carbyne", "DRF; jobs yield what they need not hold now; the least work left gets it, but for what must " +
			"start and found no room", altruistic(nil)},
		{"carbyne-dagps", "the same, with jobs that plan in the order of DAGPS", altruistic(func(o *carbyne.Options) {
			o.DAGPS = true
		})},
		{"carbyne-conserving", "the same as carbyne, but no task waits that fits", altruistic(func(o *carbyne.Options) {
			o.Reserve = false
		})},
		{"carbyne-yarn", "in the order of asks in YARN: what must start is packed, jobs fill their shares by the " +
			"least work left, then leftover", altruistic(func(o *carbyne.Options) { o.YARN, o.Reserve = true, false })},
	}
}

func plain(f func(p *Parameters) replay.Scheduler) func(p *Parameters) (replay.Scheduler, error) {
	return func(p *Parameters) (replay.Scheduler, error) { return f(p), nil }
}

// altruistic makes Carbyne with a change to its options, or none.
func altruistic(change func(o *carbyne.Options)) func(p *Parameters) (replay.Scheduler, error) {
	return func(p *Parameters) (replay.Scheduler, error) {
		o := p.carbyne()
		if change != nil {
			change(&o)
		}
		return carbyne.New(o)
	}
}

// Named returns the scheduler of a name.
func Named(name string) (Scheduler, error) {
	all := Schedulers()
	k := slices.IndexFunc(all, func(s Scheduler) bool { return s.Name == name })
	if k < 0 {
		names := lists.Map(all, func(s Scheduler) string { return s.Name })
		return Scheduler{}, fmt.Errorf("no scheduler %q; there are %s", name, strings.Join(names, ", "))
	}
	return all[k], nil
}

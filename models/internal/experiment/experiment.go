// Package experiment compares policies under settings and seeds: the one runner of simulate eagle, carbyne and jockey.
// A point is one policy under one setting with one seed. Points run in parallel; policies of the same setting and seed
// share one workload, drawn once, so that they see the same jobs and the same draws (common random numbers), and
// settings that do not affect the workload share it too.
//
//  1. [Grid] describes the points. [Run] runs them and returns their measures.
//  2. [Over] sums up a measure over seeds; a ratio to a baseline is taken seed by seed.
package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/parallel"
	"racecard/datasets/result"
)

// Point is one simulation: indices of its setting, seed and policy.
type Point struct{ Setting, Seed, Policy int }

// Grid is all combinations of settings, seeds and policies: the number of each, and the function that runs one.
// W is a workload, M the measurements of a simulation.
type Grid[W, M any] struct {
	Settings, Seeds, Policies int
	// Workload draws the workload of a setting and a seed. It is called once per Key, by the first point that needs it,
	// and dropped after the last one.
	Workload func(ctx context.Context, setting, seed int) (W, error)
	// Key tells workloads apart; nil: every setting and seed has its own. It must be comparable.
	Key func(setting, seed int) any
	// Run simulates a point. Points of the same workload may run at once, so it must not modify w.
	Run func(ctx context.Context, w W, at Point) (M, error)

	Workers  int                // goroutines; 0: one per processor
	Progress func(done, of int) // points; from one goroutine at a time; may be nil
}

// Results are the measures of all points.
type Results[M any] struct {
	grid [3]int // settings, seeds, policies
	all  []M
}

// At returns the measure of a point.
func (r *Results[M]) At(at Point) *M {
	return &r.all[(at.Setting*r.grid[1]+at.Seed)*r.grid[2]+at.Policy]
}

// Seeds returns the measures of a policy under a setting, by seed.
func (r *Results[M]) Seeds(setting, policy int) []*M {
	return lists.Indexed(r.grid[1], func(k int) *M { return r.At(Point{setting, k, policy}) })
}

// Run runs all points. Points begin setting by setting, seed by seed, policy by policy; results do not depend on
// Workers. The error is the error of the earliest point that failed, and no point begins after it.
func Run[W, M any](ctx context.Context, g Grid[W, M]) (*Results[M], error) {
	r := &Results[M]{grid: [3]int{g.Settings, g.Seeds, g.Policies}, all: make([]M, g.Settings*g.Seeds*g.Policies)}
	drawn := share(&g)
	err := parallel.Each(ctx, len(r.all), parallel.Options{Workers: g.Workers, Progress: g.Progress},
		func(ctx context.Context, i int) error {
			at := Point{i / g.Policies / g.Seeds, i / g.Policies % g.Seeds, i % g.Policies}
			of := drawn[at.Setting*g.Seeds+at.Seed]
			w, err := of.get(func() (W, error) { return g.Workload(ctx, at.Setting, at.Seed) })
			if err != nil {
				return err
			}
			defer of.drop()
			r.all[i], err = g.Run(ctx, w, at)
			return err
		})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// shared is a workload that several points use.
type shared[W any] struct {
	mu    sync.Mutex
	users int
	made  bool
	w     W
	err   error
}

// share returns the workloads of a grid, by setting and seed; equal keys share one.
func share[W, M any](g *Grid[W, M]) []*shared[W] {
	out := make([]*shared[W], g.Settings*g.Seeds)
	byKey := map[any]*shared[W]{}
	for i := range out {
		key := any(i)
		if g.Key != nil {
			key = g.Key(i/g.Seeds, i%g.Seeds)
		}
		if byKey[key] == nil {
			byKey[key] = &shared[W]{}
		}
		out[i] = byKey[key]
		out[i].users += g.Policies
	}
	return out
}

func (s *shared[W]) get(draw func() (W, error)) (W, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.made {
		s.w, s.err = draw()
		s.made = true
	}
	return s.w, s.err
}

func (s *shared[W]) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users == 0 {
		var none W
		s.w = none
	}
}

// Over sums up a measure of several seeds: its median, least and largest value.
func Over[M any](seeds []*M, of func(k int, m *M) float64) result.Spread {
	values := make([]float64, len(seeds))
	for k, m := range seeds {
		values[k] = of(k, m)
	}
	s := quantile.Summarize(quantile.Sort(values))
	return result.Spread{Median: result.Number(s.P50), Low: result.Number(s.Min), High: result.Number(s.Max)}
}

// Choose returns the items of the names given, in their order; all for the one name "all". The error lists what there
// is.
func Choose[T any](all []T, name func(*T) string, names []string) ([]T, error) {
	if len(names) == 1 && names[0] == "all" {
		return all, nil
	}
	var out []T
	for _, n := range names {
		i := slices.IndexFunc(all, func(x T) bool { return name(&x) == n })
		if i < 0 {
			var known []string
			for k := range all {
				known = append(known, name(&all[k]))
			}
			return nil, fmt.Errorf("no experiment %q; there are %s, and all", n, strings.Join(known, ", "))
		}
		out = append(out, all[i])
	}
	return out, nil
}

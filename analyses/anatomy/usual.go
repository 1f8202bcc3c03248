package anatomy

import (
	"cmp"
	"math"
	"slices"

	"racecard/analyses/quantile"
)

// A run is compared with the MostUsual runs of its job before it, or with all others of the job where fewer than
// LeastUsual came before it, but at most twice MostUsual.
const (
	MostUsual  = 30
	LeastUsual = 5
)

// Nearest returns those of the other runs of a job, in time order, that a run is compared with. before is how many of
// them came before it.
func Nearest[T any](others []T, before int) []T {
	if before >= LeastUsual {
		return others[max(0, before-MostUsual):before]
	}
	return others[:min(len(others), 2*MostUsual)]
}

// Usual is the typical run of a job: the median of every measure over some of its runs.
type Usual struct {
	Run          // without ID and At
	Beta float64 // the work of stages grows as input^Beta
	// Powers replace Beta for stages, by name, that have one of their own.
	Powers map[string]float64
}

// grown returns the factor by which the input of a run makes the work of a stage larger.
func (u *Usual) grown(run *Run, stage string) float64 {
	if !(run.Input > 0 && u.Input > 0) {
		return 1
	}
	power, own := u.Powers[stage]
	if !own {
		power = u.Beta
	}
	return math.Pow(run.Input/u.Input, power)
}

// UsualOf returns the typical run of some runs, at least one. A stage that most of them lack has no work. beta
// is from elasticity.
func UsualOf(runs []Run, beta float64) Usual {
	u := Usual{Beta: beta}
	values := make([]float64, 0, len(runs))
	middle := func(of func(r *Run) float64) float64 {
		values = values[:0]
		for i := range runs {
			values = append(values, of(&runs[i]))
		}
		return quantile.Quantile(quantile.Sort(values), 0.5)
	}
	u.Seconds = middle(func(r *Run) float64 { return r.Seconds })
	u.Queued = middle(func(r *Run) float64 { return r.Queued })
	u.Driver = middle(func(r *Run) float64 { return r.Driver })
	u.Cores = middle(func(r *Run) float64 { return r.Cores })
	u.Input = middle(func(r *Run) float64 { return r.Input })
	var names []string
	for i := range runs {
		for k := range runs[i].Stages {
			names = append(names, runs[i].Stages[k].Name)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		of := func(field func(s *Stage) float64) float64 {
			return middle(func(r *Run) float64 {
				if s := r.find(name); s != nil {
					return field(s)
				}
				return 0
			})
		}
		s := Stage{Name: name, Work: of(func(s *Stage) float64 { return s.Work }),
			Failed: of(func(s *Stage) float64 { return s.Failed }),
			Idle:   of(func(s *Stage) float64 { return s.Idle }), Longest: of(func(s *Stage) float64 {
				return s.Longest
			}),
			Tasks: int(of(func(s *Stage) float64 { return float64(s.Tasks) }))}
		if s.Seconds(u.Cores) > 0 {
			u.Stages = append(u.Stages, s)
		}
	}
	return u
}

// find returns the stage of that name, nil where the run has none.
func (r *Run) find(name string) *Stage {
	i, found := slices.BinarySearchFunc(r.Stages, name, func(s Stage, name string) int {
		return cmp.Compare(s.Name, name)
	})
	if !found {
		return nil
	}
	return &r.Stages[i]
}

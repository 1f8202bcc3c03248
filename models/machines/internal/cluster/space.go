package cluster

import (
	"fmt"
	"math"

	"racecard/datasets/trace"
)

// Space is the set of modelled resources, with the quantum of each.
type Space struct {
	resources []trace.Resource
	scale     [trace.NumResources]float64 // quanta per unit, 0 of a resource that is not modelled
}

// newSpace models the resources that some machine has. An unknown capacity (NaN) is none.
func newSpace(machines []trace.Demand) (*Space, error) {
	s := &Space{}
	for r := range trace.NumResources {
		largest := 0.0
		for m := range machines {
			x := machines[m][r]
			if math.IsInf(x, 0) || x < 0 {
				return nil, fmt.Errorf("machine %d: %s %v; want a finite amount of at least 0", m, r, x)
			}
			if x > largest { // false for NaN
				largest = x
			}
		}
		if largest > 0 {
			s.resources = append(s.resources, r)
			s.scale[r] = math.Pow(10, 10-math.Floor(math.Log10(largest)))
		}
	}
	if len(s.resources) == 0 {
		return nil, fmt.Errorf("no machine has any capacity")
	}
	return s, nil
}

// Resources returns the resources that are modelled, in canonical order. It must not be modified.
func (s *Space) Resources() []trace.Resource { return s.resources }

// Quanta converts amounts to quanta, to the nearest; positive amounts stay positive. Unknown amounts (NaN) are
// 0.
func (s *Space) Quanta(amounts *trace.Demand) Vector {
	var v Vector
	for _, r := range s.resources {
		if x := amounts[r]; x > 0 {
			v[r] = max(1, int64(math.Round(min(x*s.scale[r], 1e17))))
		}
	}
	return v
}

// Amounts converts quanta to amounts, NaN for resources that are not modelled.
func (s *Space) Amounts(v *Vector) trace.Demand {
	d := trace.NoDemand()
	for _, r := range s.resources {
		d[r] = float64(v[r]) / s.scale[r]
	}
	return d
}

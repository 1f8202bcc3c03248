package replay

import (
	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
)

// Machines are the machines of a cluster with their free resources. Schedulers read them as [State.Machines].
type Machines = cluster.Machines

// Vector is an amount of every resource, in the integer units of the machines that jobs run on.
type Vector = cluster.Vector

// NewMachines makes machines of the given capacities, all free.
func NewMachines(capacities []trace.Demand) (*Machines, error) { return cluster.New(capacities) }

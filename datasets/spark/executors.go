package spark

import (
	"cmp"
	"slices"

	"racecard/datasets/trace"
)

// Executor ids of the driver; the second is Spark's until 1.3.
const (
	driverID    = "driver"
	oldDriverID = "<driver>"
)

// cluster is the executors of an application, as the events of one family tell.
type cluster struct {
	executors []executor
	live      map[string]int // of an executor id, the index of the executor that holds it now
}

type executor struct {
	id, host string
	cores    int64 // None when not known
	from, to trace.Instant
}

// change adds or removes an executor. One that is added again replaces the one before it; removals of unknown executors
// tell nothing.
func (c *cluster) change(e *executorEvent, added bool) {
	i, held := c.live[e.id]
	if held {
		x := &c.executors[i]
		if !e.at.Known() || !x.from.Known() || e.at >= x.from {
			x.to = e.at
		}
		delete(c.live, e.id)
	}
	if !added {
		return
	}
	if c.live == nil {
		c.live = map[string]int{}
	}
	c.live[e.id] = len(c.executors)
	c.executors = append(c.executors, executor{id: e.id, host: e.host, cores: e.cores, from: e.at, to: trace.None})
}

func (x *executor) isDriver() bool { return x.id == driverID || x.id == oldDriverID }

// resources returns the executors that run tasks: those added as such, else those whose block managers were. The block
// manager of the driver is one of them in local mode, and when it is the only one in a log without an environment.
func (a *app) resources() []executor {
	if len(a.executors.executors) > 0 {
		return a.executors.executors
	}
	list := slices.Clone(a.blockManagers.executors)
	for i := range list {
		list[i].cores = trace.None
	}
	if _, local := a.props.local(); local || a.props == nil && len(list) == 1 {
		return list
	}
	return slices.DeleteFunc(list, func(x executor) bool { return x.isDriver() })
}

// localCores returns the cores of the driver as an executor, None when it is not known to be one.
func (a *app) localCores() int64 {
	for i := range a.executors.executors {
		if x := &a.executors.executors[i]; x.isDriver() {
			return x.cores
		}
	}
	return trace.None
}

// allocations returns what the executors offer, one row per instant at which that changes. Executors whose start is not
// known are left out.
func (p properties) allocations(list []executor) []trace.Allocation {
	type change struct {
		at               trace.Instant
		tokens, machines int64
	}
	var changes []change
	unknown := false
	for i := range list {
		x := &list[i]
		if !x.from.Known() {
			continue
		}
		n := int64(0)
		if x.cores == trace.None {
			unknown = true
		} else {
			n = p.tasks(x.cores)
		}
		changes = append(changes, change{x.from, n, 1})
		if x.to.Known() {
			changes = append(changes, change{x.to, -n, -1})
		}
	}
	slices.SortStableFunc(changes, func(x, y change) int { return cmp.Compare(x.at, y.at) })
	var rows []trace.Allocation
	var held change
	for i, c := range changes {
		held.tokens += c.tokens
		held.machines += c.machines
		if i+1 < len(changes) && changes[i+1].at == c.at {
			continue
		}
		row := trace.Allocation{At: c.at, Tokens: held.tokens, Spare: trace.None, Machines: held.machines}
		if unknown {
			row.Tokens = trace.None
		}
		rows = append(rows, row)
	}
	return rows
}

// machines returns the executors as rows of the machines table. Those that were not removed before the application
// ended go with it.
func machines(list []executor, end trace.Instant) []trace.Machine {
	rows := make([]trace.Machine, 0, len(list))
	for i := range list {
		x := &list[i]
		m := trace.NewMachine(string(appendPlace(nil, x.host, x.id)))
		if x.cores != trace.None {
			m.CPU = float64(x.cores)
		}
		m.From, m.To = x.from, x.to
		if !m.To.Known() && end.Known() && (!m.From.Known() || m.From <= end) {
			m.To = end
		}
		rows = append(rows, m)
	}
	return rows
}

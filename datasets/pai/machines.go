package pai

import (
	"math"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

const (
	hundred = 100
	milli   = 1000
	mib     = 1 << 20
	gib     = 1 << 30
)

// machine takes a row of pai_machine_spec.
func (r *reader) machine() (*trace.Run, string, *source.Reject) {
	return r.known(machineName, quantity{machineCPU, 1, 1}, quantity{machineMem, gib, 1}, quantity{machineGPU, 1, 1})
}

// The columns of node lists.
const (
	nodeName = iota
	nodeCPU
	nodeMem
	nodeGPU
)

// node takes a row of a node list.
func (r *reader) node() (*trace.Run, string, *source.Reject) {
	return r.known(nodeName, quantity{nodeCPU, 1, milli}, quantity{nodeMem, mib, 1}, quantity{nodeGPU, 1, 1})
}

// quantity is a column and how its unit becomes ours.
type quantity struct {
	column    int
	times, by float64
}

// quantity returns a column in our unit, NaN where it is null.
func (r *reader) quantity(q quantity) (float64, *source.Reject) {
	x, rej := r.row.Number(q.column)
	x = x * q.times / q.by
	if math.IsInf(x, 0) {
		return x, r.row.Reject(q.column, source.ReasonBadNumber, "%.40q is too large", r.row.Field(q.column))
	}
	return x, rej
}

// known adds a machine to the cluster, unless it was listed before.
func (r *reader) known(name int, cpu, mem, gpu quantity) (*trace.Run, string, *source.Reject) {
	m := trace.NewMachine(r.row.Text(name))
	if m.Name == "" {
		return nil, "", r.row.Reject(name, ReasonNoName, "the field is empty")
	}
	var rej *source.Reject
	if m.CPU, rej = r.quantity(cpu); rej != nil {
		return nil, "", rej
	}
	if m.Mem, rej = r.quantity(mem); rej != nil {
		return nil, "", rej
	}
	if m.GPU, rej = r.quantity(gpu); rej != nil {
		return nil, "", rej
	}
	if r.machines[m.Name] {
		return nil, IgnoredMachine, nil
	}
	r.machines[m.Name] = true
	r.Tally.Machines = append(r.Tally.Machines, m)
	return nil, "", nil
}

// demand parses what a task asks for.
func (r *reader) demand(cpu, mem, gpu quantity) (d trace.Demand, rej *source.Reject) {
	d = trace.NoDemand()
	if d[trace.CPU], rej = r.quantity(cpu); rej != nil {
		return d, rej
	}
	if d[trace.Mem], rej = r.quantity(mem); rej != nil {
		return d, rej
	}
	d[trace.GPU], rej = r.quantity(gpu)
	return d, rej
}

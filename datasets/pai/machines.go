package pai

import (
	"math"

	"racecard/datasets/internal/csvtable"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

const (
	hundred = 100
	milli   = 1000
	mib     = 1 << 20
	gib     = 1 << 30
)

// cells parses rows.
type cells struct {
	row    csvtable.Row
	mended bool // the end of the run that [cells.single] made
}

// machine takes a row of pai_machine_spec.
func (c *cells) machine() (trace.Machine, *source.Reject) {
	return c.known(machineName, quantity{machineCPU, 1, 1}, quantity{machineMem, gib, 1}, quantity{machineGPU, 1, 1})
}

// The columns of node lists.
const (
	nodeName = iota
	nodeCPU
	nodeMem
	nodeGPU
)

// node takes a row of a node list.
func (c *cells) node() (trace.Machine, *source.Reject) {
	return c.known(nodeName, quantity{nodeCPU, 1, milli}, quantity{nodeMem, mib, 1}, quantity{nodeGPU, 1, 1})
}

// quantity is a column and how its unit becomes ours.
type quantity struct {
	column    int
	times, by float64
}

// quantity returns a column in our unit, NaN where it is null.
func (c *cells) quantity(q quantity) (float64, *source.Reject) {
	x, rej := c.row.Number(q.column)
	x = x * q.times / q.by
	if math.IsInf(x, 0) {
		return x, c.row.Reject(q.column, source.ReasonBadNumber, "%.40q is too large", c.row.Field(q.column))
	}
	return x, rej
}

// known returns a machine.
func (c *cells) known(name int, cpu, mem, gpu quantity) (m trace.Machine, rej *source.Reject) {
	m = trace.NewMachine(c.row.Text(name))
	if m.Name == "" {
		return m, c.row.Reject(name, ReasonNoName, "the field is empty")
	}
	if m.CPU, rej = c.quantity(cpu); rej != nil {
		return m, rej
	}
	if m.Mem, rej = c.quantity(mem); rej != nil {
		return m, rej
	}
	m.GPU, rej = c.quantity(gpu)
	return m, rej
}

// demand parses what a task asks for.
func (c *cells) demand(cpu, mem, gpu quantity) (d trace.Demand, rej *source.Reject) {
	d = trace.NoDemand()
	if d[trace.CPU], rej = c.quantity(cpu); rej != nil {
		return d, rej
	}
	if d[trace.Mem], rej = c.quantity(mem); rej != nil {
		return d, rej
	}
	d[trace.GPU], rej = c.quantity(gpu)
	return d, rej
}

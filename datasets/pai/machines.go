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
func (c *cells) machine() trace.Machine {
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
func (c *cells) node() trace.Machine {
	return c.known(nodeName, quantity{nodeCPU, 1, milli}, quantity{nodeMem, mib, 1}, quantity{nodeGPU, 1, 1})
}

// quantity is a column and how its unit becomes ours.
type quantity struct {
	column    int
	times, by float64
}

// quantity returns a column in our unit, NaN where it is null.
func (c *cells) quantity(q quantity) float64 {
	x := c.row.Number(q.column) * q.times / q.by
	if math.IsInf(x, 0) {
		c.row.Fault(q.column, source.ReasonBadNumber, "%.40q is too large", c.row.Field(q.column))
	}
	return x
}

// known returns a machine.
func (c *cells) known(name int, cpu, mem, gpu quantity) trace.Machine {
	m := trace.NewMachine(c.row.Text(name))
	if m.Name == "" {
		c.row.Fault(name, ReasonNoName, "the field is empty")
	}
	m.CPU, m.Mem, m.GPU = c.quantity(cpu), c.quantity(mem), c.quantity(gpu)
	return m
}

// demand parses what a task asks for.
func (c *cells) demand(cpu, mem, gpu quantity) trace.Demand {
	d := trace.NoDemand()
	d[trace.CPU], d[trace.Mem], d[trace.GPU] = c.quantity(cpu), c.quantity(mem), c.quantity(gpu)
	return d
}

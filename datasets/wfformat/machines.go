package wfformat

import (
	"racecard/datasets/trace"
)

// machineRow identifies a row of machines: different clusters give their machines the same names.
type machineRow struct {
	name        string
	cores, size number
}

// machines adds the machines of a document to the tally, each combination of name, cores and memory once.
func (r *reader) machines(b *builder, list []machine) {
	for i := range list {
		from := &list[i]
		row := machineRow{
			name:  from.Name,
			cores: b.positive(from.CPU.Cores.or(from.CPU.OldCores, 1)),
			size:  b.positive(from.Memory.or(from.OldMemory, kilobyte)),
		}
		if row.name == "" || r.known[row] {
			continue
		}
		r.known[row] = true
		m := trace.NewMachine(row.name)
		set(&m.CPU, row.cores)
		set(&m.Mem, row.size)
		r.Tally.Machines = append(r.Tally.Machines, m)
	}
}

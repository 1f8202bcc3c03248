package store

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"strconv"

	"racecard/datasets/arrowtab"
	"racecard/datasets/indexed"
	"racecard/datasets/parquetio"
	"racecard/datasets/result"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// partRows is the number of rows in the largest table of a part at which the part is full: about a million rows make
// good row groups, and bound the memory of a packer to a few hundred MB.
const partRows = 1 << 20

// rejectRows is the number of rejects that are kept in memory before they are encoded.
const rejectRows = 4096

// Packer collects runs and rejects, and encodes them as a [Part]. Each goroutine needs its own.
type Packer struct {
	builder *arrowtab.Builder
	rejects *result.Table
	part    *Part
	sizes   map[string]int // of the files of the part before, which tell those of the next
	encoder parquetio.Encoder
}

// Part is a number of whole runs, encoded as Parquet files, and the rejects met among them. [Writer.Add] puts it into a
// store. It has no number yet, so that parts can be made in any order.
type Part struct {
	runs     int
	tables   []packed // of the runs, at most one of each
	rejects  []packed
	known    map[string]map[string]int64 // values that are not null, per table and column
	from, to trace.Instant
}

// packed is a Parquet file in memory.
type packed struct {
	table string
	rows  int64
	data  []byte
	sum   string
}

// partForm is a Part as another process reads it.
type partForm struct {
	Runs            int
	Tables, Rejects []packedForm
	Known           map[string]map[string]int64
	From, To        trace.Instant
}

type packedForm struct {
	Table string
	Rows  int64
	Data  []byte
	Sum   string
}

// MarshalBinary writes the part, for a process that puts it into a store.
func (p *Part) MarshalBinary() ([]byte, error) {
	forms := func(all []packed) (out []packedForm) {
		for _, t := range all {
			out = append(out, packedForm{t.table, t.rows, t.data, t.sum})
		}
		return out
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(partForm{p.runs, forms(p.tables), forms(p.rejects), p.known, p.from, p.to})
	return b.Bytes(), err
}

// UnmarshalBinary is the inverse of MarshalBinary.
func (p *Part) UnmarshalBinary(data []byte) error {
	var f partForm
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&f); err != nil {
		return err
	}
	*p = Part{runs: f.Runs, known: f.Known, from: f.From, to: f.To}
	for _, t := range f.Tables {
		p.tables = append(p.tables, packed{t.Table, t.Rows, t.Data, t.Sum})
	}
	for _, t := range f.Rejects {
		p.rejects = append(p.rejects, packed{t.Table, t.Rows, t.Data, t.Sum})
	}
	return nil
}

// NewPacker returns an empty packer.
func NewPacker() *Packer {
	return &Packer{builder: arrowtab.NewBuilder(), rejects: result.NewTable(rejectsTable), part: newPart(),
		sizes: map[string]int{}}
}

func newPart() *Part {
	return &Part{known: map[string]map[string]int64{}, from: trace.None, to: trace.None}
}

// Append adds one run, which must be valid ([trace.Run.Validate]). It keeps no reference to the run.
func (p *Packer) Append(run *trace.Run) {
	p.part.runs++
	p.part.cover(run)
	p.builder.Append(run)
}

// Full reports whether the runs so far are enough for a part.
func (p *Packer) Full() bool { return p.builder.MaxRows() >= partRows }

// Reject keeps a record that could not be used.
func (p *Packer) Reject(r *source.Reject) error {
	p.rejects.Row().Text("file", r.File).Int("line", int(r.Line)).Text("field", r.Field).Text("reason", r.Reason).
		Text("detail", toUTF8(r.Detail)).Text("raw", toUTF8(string(r.Raw)))
	if p.rejects.Len() >= rejectRows {
		return p.packRejects()
	}
	return nil
}

func (p *Packer) packRejects() error {
	if p.rejects.Len() == 0 {
		return nil
	}
	var b bytes.Buffer
	if err := p.rejects.WriteParquet(&b); err != nil {
		return err
	}
	p.part.rejects = append(p.part.rejects, pack(rejectsTable, int64(p.rejects.Len()), b.Bytes()))
	p.rejects = result.NewTable(rejectsTable)
	return nil
}

func pack(table string, rows int64, data []byte) packed {
	return packed{table, rows, data, indexed.Sum(data)}
}

// Pack returns the added runs as a part, and empties the packer.
func (p *Packer) Pack() (*Part, error) {
	if err := p.packRejects(); err != nil {
		return nil, err
	}
	part := p.part
	p.part = newPart()
	ranges := p.builder.Ranges()
	for t := range arrowtab.NumRunTables {
		if p.builder.Rows(t) == 0 {
			continue
		}
		size, err := part.table(&p.encoder, t, p.sizes[t.String()], p.builder.Columns(t), ranges[t], "job_id")
		if err != nil {
			return nil, err
		}
		p.sizes[t.String()] = size
	}
	p.builder.Reset()
	return part, nil
}

// machines returns a part of the machines table.
func machines(all []trace.Machine) (*Part, error) {
	part := newPart()
	_, err := part.table(new(parquetio.Encoder), arrowtab.Machines, 0, arrowtab.MachineColumns(all),
		[]parquetio.Range{{From: 0, To: len(all)}})
	return part, err
}

// table encodes a table, which may have about that many bytes, and returns how many it has.
func (p *Part) table(
	encoder *parquetio.Encoder, t arrowtab.Table, about int, columns []parquetio.Column, ranges []parquetio.Range,
	sortedBy ...string,
) (int, error) {
	name := t.String()
	p.known[name] = map[string]int64{}
	for i := range columns {
		p.known[name][columns[i].Name] = int64(columns[i].Known())
	}
	var b bytes.Buffer
	b.Grow(about + about/8)
	version := []parquetio.Pair{{Key: "racecard.store_version", Value: strconv.Itoa(Version)}}
	if err := encoder.Write(&b, name, version, columns, ranges, sortedBy...); err != nil {
		return 0, fmt.Errorf("table %s: %w", name, err)
	}
	p.tables = append(p.tables, pack(name, int64(columns[0].Len), b.Bytes()))
	return b.Len(), nil
}

// cover widens the span of instants.
func (p *Part) cover(run *trace.Run) {
	p.see(run.Submit)
	p.see(run.Start)
	p.see(run.End)
	for i := range run.Stages {
		p.see(run.Stages[i].Submit)
		p.see(run.Stages[i].Start)
		p.see(run.Stages[i].End)
	}
	for i := range run.Attempts {
		p.see(run.Attempts[i].Queued)
		p.see(run.Attempts[i].Start)
		p.see(run.Attempts[i].End)
	}
	for i := range run.Allocations {
		p.see(run.Allocations[i].At)
	}
	for i := range run.IO {
		p.see(run.IO[i].At)
	}
}

func (p *Part) see(t trace.Instant) {
	p.from, p.to = p.from.Earlier(t), max(p.to, t) // null is the least
}

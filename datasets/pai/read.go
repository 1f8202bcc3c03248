package pai

import (
	"bytes"
	"context"
	"iter"
	"math"
	"strings"

	"racecard/datasets/groupby"
	"racecard/datasets/internal/csvtable"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// part describes a file before it is read.
type part struct {
	file   *source.File
	table  *csvtable.Table // nil when it is of none
	layout csvtable.Layout
	header []byte // its first line, when that is one
	only   bool   // the file holds the header of others and nothing else
	tag    uint8  // of its rows while they are gathered
}

// reader is the state of one import.
type reader struct {
	csvtable.Stream
	parts    map[*source.File]*part
	part     *part // of the line at hand
	layouts  []csvtable.Layout
	row      csvtable.Row
	groups   groups
	machines map[string]bool
	seq      int64
}

// read yields the runs in files: rows that stand for themselves as they come, then those that were gathered.
func read(ctx context.Context, files []*source.File, tally *source.Tally, memory int64) iter.Seq2[*trace.Run, error] {
	return func(yield func(*trace.Run, error) bool) {
		r := &reader{
			Stream: csvtable.Stream{Ctx: ctx, Tally: tally, Yield: yield, IDs: source.NewIDs()},
			parts:  map[*source.File]*part{}, machines: map[string]bool{}, groups: newGroups(),
		}
		var gathered []*source.File
		for _, p := range r.recognise(ctx, files) {
			r.part = p
			take := r.take(p)
			if take == nil {
				gathered = append(gathered, p.file)
				continue
			}
			if !r.Each(p.file, take) {
				return
			}
		}
		for run, err := range (groupby.Lines{Memory: memory, Key: r.key, NewBuild: func() groupby.Build {
			return r.build
		}}).Read(ctx, gathered, tally) {
			if !yield(run, err) {
				return
			}
		}
	}
}

// recognise finds out what every file is. Headers that are files of their own come to bear wherever they stand.
func (r *reader) recognise(ctx context.Context, files []*source.File) []*part {
	var parts []*part
	alone := map[*csvtable.Table]csvtable.Layout{}
	for _, f := range files {
		p := recognise(ctx, f)
		parts = append(parts, p)
		r.parts[f] = p
		if p.only && p.header != nil {
			alone[p.table] = p.layout
		}
	}
	for _, p := range parts {
		if l, ok := alone[p.table]; ok && p.header == nil {
			p.layout = l
		}
	}
	return parts
}

// recognise looks at the name and the first lines of a file.
func recognise(ctx context.Context, f *source.File) *part {
	base := f.Base()
	p := &part{file: f, only: strings.HasSuffix(strings.ToLower(base), headerEnding)}
	p.table, _ = named(base)
	head, err := f.Head(ctx)
	if err != nil {
		return p // it will come again when the file is read
	}
	const lines = 20 // more than anybody damages at the start of a file
	for range lines {
		line, whole := csvtable.FirstLine(head)
		if !whole && len(line) == source.HeadSize || len(line) == 0 {
			break
		}
		if l, ok := headed(line); ok {
			p.table, p.layout, p.header = l.Table, l, bytes.Clone(line)
			return p
		}
		if p.table != nil {
			break
		}
		if t, ok := formed(line); ok {
			p.table = t
			break
		}
		head = head[bytes.Index(head, line)+len(line):]
	}
	if p.table != nil {
		p.layout = p.table.ByHeart()
	}
	return p
}

// take returns the function that converts the lines of a file, nil for files whose rows are gathered.
func (r *reader) take(p *part) func(*source.Line) (*trace.Run, string, *source.Reject) {
	var parse func() (*trace.Run, string, *source.Reject)
	switch p.table {
	case nil:
		return func(line *source.Line) (*trace.Run, string, *source.Reject) {
			return nil, "", line.Reject("", source.ReasonUnknown, "%d fields", csvtable.Width(line.Bytes))
		}
	case machineTable:
		parse = r.machine
	case nodeTable:
		parse = r.node
	case podTable:
		parse = r.pod
	case dlrmTable:
		parse = r.dlrm
	default:
		if !p.only {
			return nil
		}
	}
	return func(line *source.Line) (*trace.Run, string, *source.Reject) {
		if p.header != nil && bytes.Equal(line.Bytes, p.header) {
			return nil, IgnoredHeader, nil
		}
		if p.only {
			return nil, "", line.Reject("", source.ReasonUnknown, "no header of %s", p.table.Name)
		}
		if rej := r.row.Split(line, line.Bytes, &p.layout); rej != nil {
			return nil, "", rej
		}
		return parse()
	}
}

// key returns the job of a line of a table whose rows are gathered.
func (r *reader) key(line *source.Line) (job []byte, tag uint8, kind string, rej *source.Reject) {
	if line.Record == 1 {
		r.part = r.parts[line.File]
		if r.part.tag, rej = r.tag(line); rej != nil {
			r.part.table = nil
		}
	}
	p := r.part
	switch {
	case p.table == nil:
		return nil, 0, "", line.Reject("", source.ReasonHeaders, "more than %d", math.MaxUint8)
	case p.header != nil && bytes.Equal(line.Bytes, p.header):
		return nil, 0, IgnoredHeader, nil
	case p.table == sensorTable:
		return nil, 0, IgnoredSensor, nil
	case p.table == metricTable:
		return nil, 0, IgnoredMetric, nil
	}
	if rej := r.row.Split(line, line.Bytes, &p.layout); rej != nil {
		return nil, 0, "", rej
	}
	if p.table == groupTable {
		if !r.groups.add(r.row.Field(groupInstID), r.row.Field(groupTag)) {
			r.Tally.Warn(WarnGroups, "%s:%d: inst_id %s has another group already", line.File.Name, line.Number,
				r.row.Field(groupInstID))
		}
		return nil, 0, IgnoredGroupTag, nil
	}
	if job = r.row.Field(jobName); job == nil { // the first column of all three tables
		return nil, 0, "", r.row.Reject(jobName, source.ReasonNoJob, "the field is empty")
	}
	return job, p.tag, "", nil
}

// tag returns the index of the layout of the current file.
func (r *reader) tag(line *source.Line) (uint8, *source.Reject) {
	for i := range r.layouts {
		if r.layouts[i].Equal(&r.part.layout) {
			return uint8(i), nil
		}
	}
	if len(r.layouts) > math.MaxUint8 {
		return 0, line.Reject("", source.ReasonHeaders, "more than %d", math.MaxUint8)
	}
	r.layouts = append(r.layouts, r.part.layout)
	return uint8(len(r.layouts) - 1), nil
}

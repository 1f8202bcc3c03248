package pai

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"

	"racecard/datasets/groupby"
	"racecard/datasets/internal/csvtable"
	"racecard/datasets/lists"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// part describes a file before it is read.
type part struct {
	table  *csvtable.Table // nil when it is of none
	layout csvtable.Layout
	header []byte // its first line, when that is one
	only   bool   // the file holds the header of others and nothing else
	tag    uint8  // of its rows while they are gathered
	full   bool   // there is no tag left
}

// reader is the state of one import.
type reader struct {
	cells
	parts   map[*source.File]*part
	part    *part // of the line at hand
	layouts csvtable.Layouts
	groups  groups
	ending  ending
	room    []byte // for a key
}

// Keys of rows that make no run. Names of jobs have no comma.
const (
	machinesKey = ","
	tagsKey     = ",inst_id " // and the inst_id
)

func runless(key string) bool { return key[0] == ',' }

// state holds the headers, group tags and ends of pod lists in the files of a process, which runs need.
type state struct {
	Layouts []csvtable.LayoutForm
	Groups  groupsForm
	Ending  ending
}

// prepare looks at files before they are read.
func prepare(ctx context.Context, memory int64, files []*source.File) groupby.Stateful[state] {
	r := &reader{parts: map[*source.File]*part{}, groups: newGroups(), ending: ending{At: trace.None}}
	r.recognise(ctx, files)
	return groupby.Stateful[state]{
		Lines: groupby.Lines{Memory: memory, Key: r.key, Runless: runless, NewBuild: func() groupby.Build {
			return (&builder{layouts: r.layouts, groups: &r.groups, ending: &r.ending}).build
		}},
		State: func() state { return state{r.layouts.Forms(), r.groups.form(), r.ending} },
		Adopt: r.adopt,
	}
}

// adopt takes what other processes learned. It numbers the layouts of all of them anew.
func (r *reader) adopt(from []state) (func(from int, tag uint8) uint8, error) {
	for _, s := range from {
		if !r.groups.merge(s.Groups) {
			return nil, errors.New("group tags of files are damaged")
		}
		r.ending.merge(s.Ending)
	}
	forms := lists.Map(from, func(s state) []csvtable.LayoutForm { return s.Layouts })
	return r.layouts.Adopt(forms, tables()...)
}

// recognise finds out what every file is. Headers that are files of their own come to bear wherever they stand.
func (r *reader) recognise(ctx context.Context, files []*source.File) {
	alone := map[*csvtable.Table]csvtable.Layout{}
	for _, f := range files {
		p := recognise(ctx, f)
		r.parts[f] = p
		if p.only && p.header != nil {
			alone[p.table] = p.layout
		}
	}
	for _, p := range r.parts {
		if l, ok := alone[p.table]; ok && p.header == nil {
			p.layout = l
		}
	}
}

// isHeader reports whether a file holds the header of others by its name.
func isHeader(f *source.File) bool { return strings.HasSuffix(strings.ToLower(f.Base()), headerEnding) }

// recognise looks at the name and the first lines of a file.
func recognise(ctx context.Context, f *source.File) *part {
	p := &part{only: isHeader(f)}
	p.table, _ = named(f.Base())
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

// key returns the key of a line: the name of its job or its run, or a key of lines that make no run.
func (r *reader) key(line *source.Line) (key []byte, tag uint8, kind string, rej *source.Reject) {
	if line.Record == 1 {
		r.part = r.parts[line.File]
		r.tag(r.part)
	}
	p := r.part
	switch {
	case p.full:
		return nil, 0, "", line.Reject("", source.ReasonHeaders, "more than %d", math.MaxUint8)
	case p.header != nil && bytes.Equal(line.Bytes, p.header):
		return nil, 0, IgnoredHeader, nil
	case p.table == nil:
		return nil, 0, "", line.Reject("", source.ReasonUnknown, "%d fields", csvtable.Width(line.Bytes))
	case p.only:
		return nil, 0, "", line.Reject("", source.ReasonUnknown, "no header of %s", p.table.Name)
	case p.table == sensorTable:
		return nil, 0, IgnoredSensor, nil
	case p.table == metricTable:
		return nil, 0, IgnoredMetric, nil
	}
	if rej := r.row.Split(line, line.Bytes, &p.layout); rej != nil {
		return nil, 0, "", rej
	}
	switch p.table {
	case machineTable:
		r.machine()
		return []byte(machinesKey), p.tag, "", r.row.Rejected()
	case nodeTable:
		r.node()
		return []byte(machinesKey), p.tag, "", r.row.Rejected()
	case podTable:
		if run := r.pod(); r.row.Rejected() == nil {
			r.ending.see(run)
		}
		return r.row.Field(podName), p.tag, "", r.row.Rejected()
	case dlrmTable:
		r.dlrm()
		return r.row.Field(dlrmName), p.tag, "", r.row.Rejected()
	case groupTable:
		id, group := r.row.Field(groupInstID), r.row.Field(groupTag)
		if id == nil || group == nil {
			return nil, 0, IgnoredGroupTag, nil
		}
		r.groups.add(id, group)
		r.room = append(append(r.room[:0], tagsKey...), id...)
		return r.room, p.tag, "", nil
	}
	if key = r.row.Field(jobName); key == nil { // the first column of all three tables
		return nil, 0, "", r.row.Reject(jobName, source.ReasonNoJob, "the field is empty")
	}
	return key, p.tag, "", nil
}

// tag gives a file whose rows are gathered the index of its layout.
func (r *reader) tag(p *part) {
	if p.table == nil || p.only || p.table == sensorTable || p.table == metricTable {
		return
	}
	n := r.layouts.Number(&p.layout)
	p.tag, p.full = uint8(max(n, 0)), n < 0
}

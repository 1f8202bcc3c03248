package alibaba2017

import (
	"bytes"
	"math"

	"racecard/datasets/internal/csvtable"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// reader is the state of one import.
type reader struct {
	tally   *source.Tally
	layouts csvtable.Layouts // met so far; rows carry their index as tag
	file    current
	row     csvtable.Row // while keys are looked for, and again while runs are built
}

// current describes the file whose lines are being read.
type current struct {
	ignored string // the kind under which its lines are ignored
	layout  int    // index into layouts, -1 while it is not known
	header  []byte
}

// key returns the job of a line.
func (r *reader) key(line *source.Line) (job []byte, tag uint8, kind string, rej *source.Reject) {
	if line.Record == 1 {
		r.file = current{ignored: otherTable(line.File), layout: -1}
	}
	switch {
	case r.file.ignored != "":
		return nil, 0, r.file.ignored, nil
	case r.file.layout < 0:
		header, rej := r.open(line)
		if header || rej != nil {
			return nil, 0, "", rej
		}
	case bytes.Equal(line.Bytes, r.file.header): // files that were put one behind the other
		return nil, 0, "", nil
	}
	layout := &r.layouts[r.file.layout]
	if rej := r.row.Split(line, line.Bytes, layout); rej != nil {
		return nil, 0, "", rej
	}
	if job = r.row.Field(taskJob); job == nil { // the third column of both tables
		return nil, 0, "", r.row.Reject(taskJob, ReasonNoJob, "the field is empty")
	}
	return job, uint8(r.file.layout), "", nil
}

// open finds out what the rows of a file are, and reports whether the line is a header.
func (r *reader) open(line *source.Line) (header bool, rej *source.Reject) {
	layout, header, ok := layoutOf(&r.row, line.Bytes)
	if !ok {
		return false, line.Reject("", source.ReasonUnknown, "%d fields, want %d of a task or %d of an instance, the "+
			"sixth of them a status, or a header",
			csvtable.Width(line.Bytes), len(taskTable.Columns), len(instanceTable.Columns))
	}
	if header {
		r.file.header = bytes.Clone(line.Bytes)
	}
	if r.file.layout = r.layouts.Number(&layout); r.file.layout < 0 {
		return false, line.Reject("", source.ReasonHeaders, "more than %d", math.MaxUint8)
	}
	return header, nil
}

// mended mends the creation or start and the end of a row.
func (r *reader) mended(s, e trace.Instant, status trace.Status) (start, end trace.Instant) {
	for _, t := range []*trace.Instant{&s, &e} {
		if *t == 0 {
			r.tally.Repair(RepairZero)
			*t = trace.None
		}
	}
	switch {
	case !e.Known():
	case status == trace.Running:
		r.tally.Repair(RepairOpen)
		e = trace.None
	case s.Known() && e < s:
		r.tally.Repair(RepairEnd)
		e = trace.None
	}
	return s, e
}

// cores turns hundredths of a core into cores.
func (r *reader) cores(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	const hundredths, little = 100, 10
	r.tally.WarnOnce(WarnCPU, "plan_cpu is documented as a number of cpus but counts hundredths of a core "+
		"(https://github.com/alibaba/clusterdata/issues/11): it was divided by %d", hundredths)
	if x > 0 && x < little {
		r.tally.Warn(WarnSmallCPU, "plan_cpu %v; if these files count cores, their cpu is %d times what was stored", x,
			hundredths)
	}
	return x / hundredths
}

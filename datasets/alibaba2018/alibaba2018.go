package alibaba2018

import (
	"bytes"
	"context"
	"math"
	"strconv"
	"unsafe"

	"racecard/datasets/groupby"
	"racecard/datasets/internal/csvtable"
	"racecard/datasets/internal/decimal"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Reasons of rejects, besides the shared ones of package source.
const (
	ReasonSeqNo = "duplicate instance attempt"
)

// Kinds of repairs.
const (
	RepairUnfinished    = "time of 0 in an unfinished row"
	RepairEnd           = "end before start"
	RepairUnknownParent = "unknown parent dropped"
	RepairAmbiguous     = "task number that occurs twice in a job"
	RepairCycle         = "edge of a cycle dropped"
	RepairNoTaskRow     = "stage known from instances only"
)

// The fields of rows.
const (
	taskFields     = 9
	instanceFields = 14
)

// Tags of rows.
const (
	tagTask uint8 = iota
	tagInstance
	tagPackedTask
	tagPackedInstance
)

func isTask(tag uint8) bool { return tag == tagTask || tag == tagPackedTask }

// Format describes the format to the registry of formats. memory is the budget for gathering rows, 0 the default.
func Format(memory int64) source.Format {
	return groupby.Format(source.Format{
		Name:    "alibaba2018",
		Summary: "Alibaba cluster trace 2018: batch_task and batch_instance, CSV without header",
		Holds: "graphs of stages, task counts, start and end times, planned cpu and memory; attempts and machines " +
			"from batch_instance",
		Lacks:    "submission times, users, names that recur, bytes: no recurrence; attempts without batch_instance",
		Spec:     "https://github.com/alibaba/clusterdata (cluster-trace-v2018)",
		TimeBase: source.TimeBaseRelative,
		Detect:   detect,
	}, func(ctx context.Context, files []*source.File, tally *source.Tally) (groupby.Input, error) {
		tally.Units["mem"] = "percent of a unit that the trace does not state"
		for _, f := range files {
			if err := checkHeader(ctx, f); err != nil {
				return nil, err
			}
		}
		return groupby.Lines{
			Memory: memory, Key: key, Stateless: true, Pack: pack, Unpack: unpack,
			NewBuild: func() groupby.Build { return newJob().build },
		}, nil
	})
}

// fields splits a line at commas into at most len(into) fields and returns their number, one more if there are more.
// One pair of quotes is no part of a field; a comma always ends one, as no field of the trace holds any.
func fields(line []byte, into [][]byte) int {
	n, from := 0, 0
	for i, c := range line {
		if c != ',' {
			continue
		}
		if n == len(into) {
			return n + 1
		}
		into[n] = line[from:i]
		n, from = n+1, i+1
	}
	if n < len(into) {
		into[n] = line[from:]
	}
	if quoted(line) {
		for i := range into[:min(n+1, len(into))] {
			into[i] = csvtable.Clean(into[i])
		}
	}
	return n + 1
}

// quoted reports whether some field of a line may have quotes.
func quoted(line []byte) bool { return bytes.IndexByte(line, '"') >= 0 }

func detect(_ string, head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), "\r\n"), []byte{'\n'})
	var f [instanceFields][]byte
	job, status, start := 2, 4, 5
	switch fields(bytes.TrimSuffix(line, []byte{'\r'}), f[:]) {
	case taskFields, instanceFields:
	default:
		return false
	}
	if isHeader(f[job]) {
		return true
	}
	_, known := statusOf(f[status])
	_, err := strconv.ParseInt(string(f[start]), 10, 64)
	return known && err == nil && len(f[job]) > 0 && len(f[0]) > 0
}

// key returns the job of a row.
func key(line *source.Line) (job []byte, tag uint8, kind string, rej *source.Reject) {
	var f [instanceFields][]byte
	switch n := fields(line.Bytes, f[:]); n {
	case taskFields:
		tag = tagTask
	case instanceFields:
		tag = tagInstance
	default:
		return nil, 0, "", line.Reject("", source.ReasonFields, "%d fields, want %d of a task or %d of an instance", n,
			taskFields, instanceFields)
	}
	if isHeader(f[2]) {
		return nil, 0, "", nil
	}
	if len(f[2]) == 0 {
		return nil, 0, "", line.Reject("job_name", source.ReasonNoJob, "the third field is empty")
	}
	return f[2], tag, "", nil
}

// unusual stands for a field that is no decimal. Its text is in its row, which is not packed.
const unusual packedDecimal = math.MaxUint64

// decimalOf reads a whole field.
func decimalOf(field []byte) packedDecimal {
	if d, next, ok := decimalAt(field, 0); ok && next == len(field)+1 {
		return d
	}
	return unusual
}

// textOf returns a field of a row as it was.
func textOf(row *groupby.Row, field int) []byte {
	var f [instanceFields][]byte
	fields(row.Text(), f[:])
	return f[field]
}

// Fields of a row of batch_task and of one of batch_instance.
const (
	fieldInstances, fieldStart, fieldEnd, fieldCPU, fieldMem = 1, 5, 6, 7, 8
	fieldSeqNo, fieldCPUAvg, fieldMemAvg                     = 8, 10, 12
)

// number parses a number of at least 0, which is not empty.
func number(row *groupby.Row, name string, field int, d packedDecimal) (float64, *source.Reject) {
	if d != unusual {
		return d.float(), nil
	}
	text := textOf(row, field)
	x, ok := decimal.Parse(text)
	if !ok || x < 0 {
		return 0, row.Reject(name, source.ReasonBadNumber, "%.40q, want a number of at least 0", text)
	}
	return x, nil
}

// maybe is number for fields that may be empty: then NaN.
func maybe(row *groupby.Row, name string, field int, d packedDecimal) (float64, *source.Reject) {
	if d == 0 {
		return math.NaN(), nil
	}
	return number(row, name, field, d)
}

// text views b as a string that is not kept.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// exactSeconds is below how many whole seconds their microseconds are exact in floating-point numbers.
const exactSeconds = 1 << 33

// instant parses seconds; empty is null.
func instant(row *groupby.Row, name string, field int, d packedDecimal) (trace.Instant, *source.Reject) {
	if d == 0 {
		return trace.None, nil
	}
	if d != unusual {
		if n, scale := d.parts(); scale == 0 && n < exactSeconds {
			return trace.Instant(n * 1e6), nil
		}
	}
	x, rej := number(row, name, field, d)
	if rej != nil {
		return trace.None, rej
	}
	t, err := trace.InstantFromSeconds(x)
	if err != nil {
		return trace.None, row.Reject(name, source.ReasonBadNumber, "%v", err)
	}
	return t, nil
}

// times parses start and end, and mends them.
func times(row *groupby.Row, start, end packedDecimal, status trace.Status, tally *source.Tally) (s, e trace.Instant,
	rej *source.Reject) {
	if s, rej = instant(row, "start_time", fieldStart, start); rej != nil {
		return s, e, rej
	}
	if e, rej = instant(row, "end_time", fieldEnd, end); rej != nil {
		return s, e, rej
	}
	if status == trace.Running {
		if s == 0 || e == 0 {
			tally.Repair(RepairUnfinished)
		}
		if s == 0 {
			s = trace.None
		}
		if e == 0 {
			e = trace.None
		}
	}
	if s.Known() && e.Known() && e < s {
		tally.Repair(RepairEnd)
		e = trace.None
	}
	return s, e, nil
}

// parents reads the numbers in a task name: the task's own number, then its parents' numbers, which it appends
// to of. Names in another form have no number.
func parents(name string, of []int64) (own int64, all []int64, ok bool) {
	own, rest, ok := ownNumber(name)
	if !ok {
		return 0, of, false
	}
	for len(rest) > 0 {
		var n int64
		if n, rest, ok = leading(rest); ok {
			of = append(of, n)
		}
	}
	return own, of, true
}

// ownNumber takes the letters and the first number off a task name.
func ownNumber(name string) (own int64, rest string, ok bool) {
	i := 0
	for i < len(name) && (name[i] >= 'A' && name[i] <= 'Z' || name[i] >= 'a' && name[i] <= 'z') {
		i++
	}
	own, rest, ok = leading(name[i:])
	return own, rest, ok && i > 0
}

// leading returns the part of s before the first underscore, and reports whether it is a number.
func leading(s string) (n int64, rest string, ok bool) {
	i := 0
	ok = true
	for ; i < len(s) && s[i] != '_'; i++ {
		if ok = ok && s[i] >= '0' && s[i] <= '9' && i < maxDigits; ok {
			n = 10*n + int64(s[i]-'0')
		}
	}
	ok = ok && i > 0
	if i < len(s) {
		i++
	}
	return n, s[i:], ok
}

// maxDigits of a number in a task name keep it within 64 bits.
const maxDigits = 18

// taskCount parses instance_num, which is written 23.0.
func taskCount(row *groupby.Row, d packedDecimal) (int64, *source.Reject) {
	if d == 0 {
		return trace.None, nil
	}
	x, ok := 0.0, true
	if d != unusual {
		x = d.float()
	} else {
		x, ok = decimal.Parse(textOf(row, fieldInstances))
	}
	if !ok || x != math.Trunc(x) || x < 1 || x > math.MaxInt32 {
		return 0, row.Reject("instance_num", source.ReasonBadCount, "%.40q, want a whole number of at least 1",
			textOf(row, fieldInstances))
	}
	return int64(x), nil
}

// sequence parses seq_no, a whole number.
func sequence(row *groupby.Row, d packedDecimal) (int32, *source.Reject) {
	if d != unusual && d != 0 {
		if n, scale := d.parts(); scale == 0 && n <= math.MaxInt32 {
			return int32(n), nil
		}
	}
	field := textOf(row, fieldSeqNo)
	n, err := strconv.ParseInt(text(field), 10, 32)
	if err != nil || n < 0 {
		return 0, row.Reject("seq_no", source.ReasonBadNumber, "%.40q, want a whole number", field)
	}
	return int32(n), nil
}

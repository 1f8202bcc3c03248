package google2011

import (
	"bytes"
	"context"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"racecard/datasets/groupby"
	"racecard/datasets/internal/borg"
	"racecard/datasets/internal/decimal"
	"racecard/datasets/source"
)

// Kinds of repairs.
const (
	RepairBefore   = borg.RepairBefore
	RepairAfter    = borg.RepairAfter
	RepairCensored = borg.RepairCensored
	RepairLostEnd  = borg.RepairLostEnd
	RepairNoStart  = borg.RepairNoStart
	RepairTwice    = borg.RepairTwice
	RepairWindow   = borg.RepairWindow
	RepairUsage    = borg.RepairUsage
	RepairAway     = "machine that left and came back"
)

const (
	unitCPU = "share of the cores of the largest machine"
	unitMem = "share of the memory of the largest machine"
)

// Format describes the format to the registry of formats. memory is the budget for gathering rows, 0 the default.
func Format(memory int64) source.Format {
	return groupby.Format(source.Format{
		Name: "google2011",
		Summary: "Google cluster-usage trace 2011: job_events, task_events, task_usage and machine_events, CSV " +
			"without header",
		Holds: "jobs with submission, start, end, outcome, user and a name that recurs; from task_events every " +
			"attempt of every task with machine and requests, from task_usage what it used; machines",
		Lacks:    "graphs of stages, names of datasets, bytes, guarantees: no dag, no dependency",
		Spec:     "https://github.com/google/cluster-data (ClusterData2011_2.md and its format + schema document)",
		TimeBase: source.TimeBaseRelative,
		Detect:   func(name string, head []byte) bool { return sniff(name, head) != tableUnknown },
	}, func(ctx context.Context, files []*source.File, tally *source.Tally) (groupby.Input, error) {
		return prepare(ctx, memory, files, tally), nil
	})
}

// table is one of the trace's tables.
type table uint8

const (
	tableUnknown table = iota
	tableJobs
	tableTasks
	tableUsage
	tableMachines
	tableAttributes
	tableConstraints
)

// fieldCounts are the numbers of fields of each table; version 2.0 of task_usage had one less.
var fieldCounts = map[table][2]int{
	tableJobs: {8, 8}, tableTasks: {13, 13}, tableUsage: {19, 20}, tableMachines: {6, 6}, tableAttributes: {5, 5},
	tableConstraints: {6, 6},
}

// maxFields is the largest number of fields of any table.
const maxFields = 20

// ignored are the tables whose rows fill no table, and the kind they are ignored as.
var ignored = map[table]string{tableAttributes: "machine attribute", tableConstraints: "task constraint"}

// named tells the table by the name of a file, or of its folder.
func named(name string) table {
	name = strings.ReplaceAll(name[strings.LastIndexByte(name, ':')+1:], "\\", "/")
	dir, base := path.Split(name)
	for _, s := range []string{base, path.Base(dir)} {
		s = strings.ReplaceAll(strings.ToLower(s), "-", "_")
		for t, word := range [...]string{
			tableJobs: "job_events", tableTasks: "task_events", tableUsage: "task_usage",
			tableMachines:   "machine_events",
			tableAttributes: "machine_attributes", tableConstraints: "task_constraints",
		} {
			if word != "" && strings.Contains(s, word) {
				return table(t)
			}
		}
	}
	return tableUnknown
}

// sniff tells the table of a file by its name and first bytes; rows that cannot be of a table rule it out.
func sniff(name string, head []byte) table {
	lines := bytes.Split(bytes.TrimPrefix(head, []byte("\ufeff")), []byte{'\n'})
	if len(lines) > 1 {
		lines = lines[:len(lines)-1] // the last may be cut
	}
	says := named(name)
	for t := tableJobs; t <= tableConstraints; t++ {
		if says != tableUnknown && says != t || says == tableUnknown && t == tableConstraints {
			continue
		}
		rows, fit := 0, true
		for i, line := range lines {
			line = bytes.TrimSuffix(line, []byte{'\r'})
			var f [maxFields][]byte
			n := fields(line, f[:])
			if len(line) == 0 || line[0] == '#' || i == 0 && isHeader(f[:min(n, maxFields)]) {
				continue
			}
			rows++
			if fit = fits(t, f[:], n); !fit {
				break
			}
		}
		if fit && (rows > 0 || says == t && bytes.HasPrefix(lines[0], []byte{'#'})) {
			return t
		}
	}
	return tableUnknown
}

// fits reports whether a row of n fields can be one of a table.
func fits(t table, f [][]byte, n int) bool {
	if c := fieldCounts[t]; n < c[0] || n > c[1] {
		return false
	}
	whole := func(max int64, columns ...int) bool {
		for _, i := range columns {
			if x, err := strconv.ParseInt(text(f[i]), 10, 64); err != nil || x < 0 || x > max {
				return false
			}
		}
		return true
	}
	share := func(max float64, columns ...int) bool {
		for _, i := range columns {
			if x, ok := decimal.Parse(f[i]); len(f[i]) > 0 && (!ok || x < 0 || x > max) {
				return false
			}
		}
		return true
	}
	const any = math.MaxInt64
	switch t {
	case tableJobs:
		return whole(any, 0, 2) && whole(maxEvent, 3) && share(5, 1) && share(3, 5)
	case tableTasks:
		return whole(any, 0, 2, 3) && whole(maxEvent, 5) && share(5, 1) && share(3, 7) && share(100, 9, 10)
	case tableUsage:
		return whole(any, 0, 1, 2, 3) && share(math.MaxFloat64, 5, 6)
	case tableMachines:
		return whole(any, 0, 1) && whole(2, 2) && share(1, 4, 5) && !isNumber(f[3])
	case tableAttributes:
		return whole(any, 0, 1) && whole(1, 4) && !isNumber(f[2])
	default:
		return whole(any, 0, 1, 2) && whole(3, 4)
	}
}

// isHeader reports whether the fields of a first line are names: none of the first three is a number.
func isHeader(f [][]byte) bool {
	return len(f) > 3 && !slices.ContainsFunc(f[:3], isNumber)
}

func isNumber(field []byte) bool {
	_, ok := decimal.Parse(field)
	return ok
}

// fields splits a line at commas into at most len(into) fields and returns their number, one more if there are more.
func fields(line []byte, into [][]byte) int {
	for n := 0; ; n++ {
		if n == len(into) {
			return n + 1
		}
		i := bytes.IndexByte(line, ',')
		if i < 0 {
			into[n] = line
			return n + 1
		}
		into[n], line = line[:i], line[i+1:]
	}
}

// text views b as a string that is not kept.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// reader reads the tables of one input. Machines are a group of rows like the rows of a job.
type reader struct {
	tables map[*source.File]table
	usage  bool // the input holds task_usage
	build  borg.Job
	parse  parser
}

// machinesKey is the key of the rows of machine_events. Jobs are numbers.
const machinesKey = "machines"

// prepare looks at files before they are read. The state of a process tells whether its files hold task_usage.
func prepare(ctx context.Context, memory int64, files []*source.File, tally *source.Tally) groupby.Stateful[bool] {
	tally.Units["cpu"], tally.Units["mem"] = unitCPU, unitMem
	r := &reader{tables: map[*source.File]table{}}
	for _, f := range files {
		t := named(f.Name)
		// a file that cannot be opened is reported when it is read
		if head, err := f.Head(ctx); err == nil && t == tableUnknown {
			t = sniff(f.Name, head)
		}
		r.tables[f] = t
		r.usage = r.usage || t == tableUsage
	}
	return groupby.Stateful[bool]{
		Lines: groupby.Lines{
			Memory: memory, Key: r.key, Stateless: true,
			NewBuild: func() groupby.Build { return (&reader{usage: r.usage}).job },
			Runless:  func(key string) bool { return key == machinesKey },
		},
		State: func() bool { return r.usage },
		Adopt: func(from []bool) (func(int, uint8) uint8, error) {
			r.usage = r.usage || slices.Contains(from, true)
			return nil, nil
		},
	}
}

// The columns with the job in all tables that have one.
const colJob = 2

// key returns the job of a row.
func (r *reader) key(line *source.Line) (job []byte, tag uint8, kind string, rej *source.Reject) {
	t := r.tables[line.File]
	if line.Bytes[0] == '#' {
		return nil, 0, "", nil
	}
	n := bytes.Count(line.Bytes, []byte{','}) + 1
	var f [colJob + 2][]byte
	fields(line.Bytes, f[:])
	if line.Number == 1 && isHeader(f[:min(n, len(f))]) {
		return nil, 0, "", nil
	}
	if kind, ok := ignored[t]; ok {
		return nil, 0, kind, nil
	}
	if t == tableMachines {
		if rej := machineRow(line); rej != nil {
			return nil, 0, "", rej
		}
		return []byte(machinesKey), uint8(t), "", nil
	}
	if c := fieldCounts[t]; n < c[0] || n > c[1] {
		return nil, 0, "",
			line.Reject("", source.ReasonFields, "%d fields; job_events has 8, task_events 13, task_usage 19 or 20", n)
	}
	if len(f[colJob]) == 0 {
		return nil, 0, "", line.Reject("job ID", source.ReasonNoID, "the third field is empty")
	}
	if !digits(f[colJob]) {
		return nil, 0, "", line.Reject("job ID", source.ReasonBadNumber, "%.40q, want a whole number", f[colJob])
	}
	return f[colJob], uint8(t), "", nil
}

func digits(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c < '0' || c > '9' })
}

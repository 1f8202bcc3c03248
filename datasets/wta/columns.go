package wta

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"racecard/datasets/parquetio"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// table is the kind of a file's rows.
type table uint8

const (
	tableOther table = iota
	tableTasks
	tableWorkflows
	tableStates
	tableResources
	tableOpenDC
	tableFragments
)

// kinds names the rows that fill no table, under which they are counted as ignored.
var kinds = map[table]string{tableOther: "row of another table", tableStates: "task state", tableFragments: "fragment"}

// classify tells a table by its columns.
func classify(t *parquetio.Table) table {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return t.Find(n) < 0 })
	}
	switch {
	case has("task_id", "ts_start"):
		return tableStates
	case has("id", "workflow_id", "ts_submit"), has("id", "workflow_id", "runtime"):
		return tableTasks
	case has("id", "ts_submit", "task_count"), has("id", "ts_submit", "critical_path_length"):
		return tableWorkflows
	case has("id", "submission_time", "duration"):
		return tableOpenDC
	case has("id", "duration", "cpu_usage"):
		return tableFragments
	case has("id", "num_resources"):
		return tableResources
	default:
		return tableOther
	}
}

// What is read of the tables: one column each.
const (
	colID = iota
	colWorkflow
	colSubmit
	colRuntime
	colWait
	colParents
	colChildren
	colType
	colAmount
	colGPU
	colMemory
	colUser
	colGroup
	colMachine
	colName
	colCount
	colNet
	numColumns
)

// columnNames are the names of the columns in a table, "" where it has none.
func columnNames(t table) [numColumns]string {
	switch t {
	case tableTasks:
		return [numColumns]string{
			colID: "id", colWorkflow: "workflow_id", colSubmit: "ts_submit", colRuntime: "runtime",
			colWait:    "wait_time",
			colParents: "parents", colChildren: "children", colType: "resource_type",
			colAmount: "resource_amount_requested",
			colMemory: "memory_requested", colUser: "user_id", colGroup: "group_id", colMachine: "resource_used",
		}
	case tableWorkflows:
		return [numColumns]string{colID: "id", colSubmit: "ts_submit", colCount: "task_count",
			colName: "application_name"}
	case tableOpenDC:
		return [numColumns]string{
			colID: "id", colSubmit: "submission_time", colRuntime: "duration", colParents: "parents",
			colChildren: "children",
			colAmount:   "cpu_count", colGPU: "gpu_count", colMemory: "mem_capacity",
		}
	default: // tableResources
		return [numColumns]string{colID: "id", colType: "type", colAmount: "num_resources", colMemory: "memory",
			colNet: "network"}
	}
}

// unknown is the archive's word for an unknown value.
const unknown = -1

// cells gives the values of a row. Its first fault sticks.
type cells struct {
	table     table
	names     [numColumns]string
	perSecond [numColumns]int64
	leaves    []int
	batch     *parquetio.Batch
	row       int
	tally     *source.Tally

	field, detail string // of the fault
	negative      int64  // values that were mended since they were last counted
}

func newCells(t *parquetio.Table, kind table, tally *source.Tally) *cells {
	c := &cells{table: kind, names: columnNames(kind), tally: tally, leaves: make([]int, numColumns)}
	for i, name := range c.names {
		c.leaves[i] = -1
		if name == "" {
			continue
		}
		if c.leaves[i] = t.Find(name); c.leaves[i] >= 0 {
			c.perSecond[i] = t.Leaves()[c.leaves[i]].PerSecond
		}
	}
	return c
}

func (c *cells) fault(column int, format string, args ...any) {
	if c.field == "" {
		c.field, c.detail = c.names[column], fmt.Sprintf(format, args...)
	}
}

func (c *cells) vector(column int) *parquetio.Vector { return &c.batch.Vectors[column] }

// scalar returns the place of the only value of a cell, -1 without one.
func (c *cells) scalar(column int) int {
	from, to := c.vector(column).Span(c.row)
	if from == to {
		return -1
	}
	return from
}

// ident returns an id, and whether there is one.
func (c *cells) ident(column int) (ident, bool) {
	k := c.scalar(column)
	if k < 0 {
		return ident{}, false
	}
	return identOf(c.vector(column), k)
}

// idents appends the ids of a list.
func (c *cells) idents(column int, to []ident) []ident {
	v := c.vector(column)
	if v.Cut(c.row) {
		c.fault(column, "more than %d ids", parquetio.MaxList)
		return to
	}
	from, end := v.Span(c.row)
	for k := from; k < end; k++ {
		if id, ok := identOf(v, k); ok {
			to = append(to, id)
		}
	}
	return to
}

// text returns a cell as text, "" where it says unknown.
func (c *cells) text(column int) string {
	k := c.scalar(column)
	if k < 0 {
		return ""
	}
	switch s := strings.ToValidUTF8(strings.TrimSpace(c.vector(column).Text(k)), "\ufffd"); s {
	case "-1", "-1.0", "[]", "{}", "nan", "None", "N/A":
		return ""
	default:
		return s
	}
}

// maxAmount bounds numbers, so that a change of unit does not make them infinite.
const maxAmount = 1e30

// amount returns a number of at least 0, NaN where it is unknown.
func (c *cells) amount(column int) float64 {
	k := c.scalar(column)
	if k < 0 {
		return math.NaN()
	}
	x, cell := c.vector(column).Float(k)
	switch {
	case cell == parquetio.Bad, x > maxAmount:
		c.fault(column, "%.40q, want a number", c.vector(column).Text(k))
		x = math.NaN()
	case cell == parquetio.Known && x < 0:
		if x != unknown {
			c.negative++
		}
		x = math.NaN()
	}
	return x
}

// micros returns a time or a length of time, which is in milliseconds unless the column is a timestamp.
func (c *cells) micros(column int) int64 {
	x := c.amount(column)
	if math.IsNaN(x) {
		return trace.None
	}
	unit := c.perSecond[column]
	if unit == 0 {
		unit = 1000
	}
	if x > trace.MaxSeconds*float64(unit) {
		c.fault(column, "%v is not a time in units of 1/%d s", x, unit)
		return trace.None
	}
	// Integers stay exact: milliseconds and microseconds since 1970 are below 2^53.
	return int64(math.Round(x * (1e6 / float64(unit))))
}

// maxRaw is about how much of a row is written for people.
const maxRaw = 4096

// raw writes the row for people.
func (c *cells) raw() []byte {
	var b []byte
	for i, name := range c.names {
		if name == "" || c.leaves[i] < 0 {
			continue
		}
		v := c.vector(i)
		b = fmt.Appendf(b, "%s=", name)
		for k, to := v.Span(c.row); k < to && len(b) < maxRaw; k++ {
			b = fmt.Appendf(b, "%s,", v.Text(k))
		}
		b = append(b, ' ')
	}
	return b
}

package arrowtab

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// Unchecked holds columns of the canonical tables before [NewBatch] has checked them.
type Unchecked struct {
	Columns [NumTables][]parquetio.Column
	// StageIDs is column job_id of the stages where Columns lacks that table: it says how many stages a run has, to
	// which edges and tasks refer.
	StageIDs *parquetio.Column
}

// Breach says where tables break the contract that [NewBatch] holds them to.
type Breach struct {
	Table  Table
	Column string
	Row    int    // from 0
	Run    string // to which the row belongs; "" where that is not known
	Reason string
}

// Error names column, row and run.
func (b *Breach) Error() string {
	run := ""
	if b.Run != "" {
		run = fmt.Sprintf(" (run %.100q)", b.Run)
	}
	return fmt.Sprintf("column %q, row %d%s: %s", b.Column, b.Row, run, b.Reason)
}

// NewBatch checks tables and returns them as a batch. Every run of a batch keeps the contract of
// [trace.Run.Validate]. The jobs table has ascending ids, and every other table holds the rows of the same runs
// together and in the same order. Missing columns are not checked. A breach is a [*Breach] that names the first
// row found. Time O(rows); columns are not copied.
func NewBatch(u Unchecked) (*Batch, error) {
	b := &Batch{tables: u.Columns}
	for table := range NumTables {
		g := gate{batch: b, table: table}
		if err := g.shape(); err != nil {
			return nil, err
		}
		if err := g.values(); err != nil {
			return nil, err
		}
		if table < NumRunTables {
			if err := g.runs(); err != nil {
				return nil, err
			}
		}
	}
	stages := b.ends[Stages]
	if u.StageIDs != nil && len(b.tables[Stages]) == 0 {
		var err error
		g := gate{batch: b, table: Stages}
		if stages, err = g.boundaries(u.StageIDs); err != nil {
			return nil, err
		}
	}
	for _, check := range []struct {
		table Table
		do    func(g *gate, stages []int32) error
	}{
		{Jobs, (*gate).jobs}, {Stages, (*gate).stages}, {Edges, (*gate).edges}, {Tasks, (*gate).tasks},
		{Allocations, (*gate).allocations}, {Machines, (*gate).machines},
	} {
		if len(b.tables[check.table]) > 0 {
			if err := check.do(&gate{batch: b, table: check.table}, stages); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// gate checks one table of a batch.
type gate struct {
	batch *Batch
	table Table
}

// breach returns the error of a row.
func (g *gate) breach(column string, row int, format string, args ...any) error {
	b := &Breach{Table: g.table, Column: column, Row: row, Reason: fmt.Sprintf(format, args...)}
	if ids := g.column("job_id"); ids != nil && row < ids.Len {
		b.Run = ids.Text(row)
	}
	return b
}

// column returns a column of the table, nil where there is none or where all of it is null.
func (g *gate) column(name string) *parquetio.Column {
	held := g.batch.tables[g.table]
	for i := range held {
		if held[i].Name == name && held[i].Known() > 0 {
			return &held[i]
		}
	}
	return nil
}

// shape checks that columns have the types of the table and are as long as they say.
func (g *gate) shape() error {
	columns := g.batch.tables[g.table]
	fields := Fields(g.table)
	for i := range columns {
		c := &columns[i]
		if !slices.Contains(fields, c.Field) {
			return fmt.Errorf("table %s has no column %q of %v", g.table, c.Name, c.Kind)
		}
		n := c.Len
		switch c.Kind {
		case parquetio.Int32:
			n = len(c.Int32s)
		case parquetio.Int64, parquetio.Timestamp:
			n = len(c.Int64s)
		case parquetio.Float64:
			n = len(c.Float64s)
		case parquetio.String:
			n = len(c.Index)
		}
		if c.Len != columns[0].Len || n != c.Len && c.Known() > 0 {
			return fmt.Errorf("column %q holds %d of %d rows, column %q has %d", c.Name, n, c.Len, columns[0].Name,
				columns[0].Len)
		}
	}
	if len(columns) == 0 || columns[0].Len == 0 {
		return nil
	}
	for _, name := range keys(g.table) {
		if !g.holds(name) {
			return fmt.Errorf("table %s lacks column %q", g.table, name)
		}
	}
	return nil
}

// keys are the columns without which the rows of a table mean nothing.
func keys(t Table) []string {
	switch t {
	case Edges:
		return []string{"job_id", "parent", "child"}
	case Tasks:
		return []string{"job_id", "stage", "task", "attempt"}
	case Machines:
		return nil
	default:
		return []string{"job_id"}
	}
}

// maxMicros bounds instants and durations.
const maxMicros = trace.MaxSeconds * 1e6

// values checks every column by itself.
func (g *gate) values() error {
	columns := g.batch.tables[g.table]
	for i := range columns {
		c := &columns[i]
		if required(g.table, c.Name) && c.Known() != c.Len {
			for row := range c.Len {
				if c.IsNull(row) {
					return g.breach(c.Name, row, "null, want a value")
				}
			}
		}
		if c.Known() == 0 {
			continue
		}
		var err error
		switch c.Kind {
		case parquetio.Int32:
			err = inRange(g, c, c.Int32s, least(g.table, c.Name), math.MaxInt32)
		case parquetio.Timestamp:
			err = inRange(g, c, c.Int64s, -maxMicros, maxMicros)
		case parquetio.Int64:
			err = inRange(g, c, c.Int64s, 0, most(c.Name))
		case parquetio.Float64:
			err = g.floats(c)
		case parquetio.String:
			err = g.texts(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// required reports whether a column may hold no null.
func required(t Table, column string) bool {
	switch column {
	case "job_id", "parent", "child", "kind", "dataset", "mode":
		return true
	case "stage", "task", "attempt":
		return t == Stages || t == Tasks
	case "machine":
		return t == Machines
	}
	return false
}

// least is the least value of a column of 32 bits.
func least(t Table, column string) int32 {
	if t == Stages && column == "tasks" {
		return 1
	}
	return 0
}

// most is the largest value of a column of 64 bits.
func most(column string) int64 {
	switch column {
	case "duration", "gc":
		return maxMicros
	case "guaranteed", "executor_cores", "tokens", "spare", "machines":
		return trace.MaxTokens
	}
	return math.MaxInt64
}

// inRange checks that values that are not null are in a range. Nulls are looked at only where a value is not.
func inRange[T int32 | int64](g *gate, c *parquetio.Column, values []T, from, to T) error {
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	if low >= from && high <= to {
		return nil
	}
	for i, v := range values {
		if (v < from || v > to) && !c.IsNull(i) {
			return g.breach(c.Name, i, "%d, want at least %d and at most %d", v, from, to)
		}
	}
	return nil
}

// floats checks that amounts are finite and not negative. NaN is null.
func (g *gate) floats(c *parquetio.Column) error {
	for i, x := range c.Float64s {
		if (x < 0 || x > math.MaxFloat64) && !c.IsNull(i) {
			return g.breach(c.Name, i, "%v, want a finite number of at least 0", x)
		}
	}
	return nil
}

// texts checks that texts are UTF-8, and words ones that the column knows.
func (g *gate) texts(c *parquetio.Column) error {
	known := words(g.table, c.Name)
	some := required(g.table, c.Name)
	wrong := map[int32]string{}
	for k, s := range c.Dict {
		switch {
		case !utf8.ValidString(s):
			wrong[int32(k)] = fmt.Sprintf("%.100q is not UTF-8", s)
		case known != nil && !known(s):
			wrong[int32(k)] = fmt.Sprintf("%.100q is not a word of this column", s)
		case some && s == "":
			wrong[int32(k)] = "empty, want a value"
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	for i, k := range c.Index { // a dictionary may hold more than the rows use
		if why, ok := wrong[k]; ok && !c.IsNull(i) {
			return g.breach(c.Name, i, "%s", why)
		}
	}
	return nil
}

// words returns whether a column knows a word, nil where it holds any text.
func words(t Table, column string) func(string) bool {
	switch {
	case column == "status":
		return func(s string) bool { _, ok := trace.ParseStatus(s); return ok }
	case t == Edges && column == "kind":
		return func(s string) bool { _, ok := trace.ParseEdgeKind(s); return ok }
	case column == "mode":
		return func(s string) bool { return s == "read" || s == "write" }
	}
	return nil
}

// runs finds where the rows of each run end.
func (g *gate) runs() error {
	ids := g.column("job_id")
	if ids == nil {
		return nil
	}
	if g.table != Jobs {
		ends, err := g.boundaries(ids)
		g.batch.ends[g.table] = ends
		return err
	}
	for i := 1; i < ids.Len; i++ {
		if last, id := ids.Dict[ids.Index[i-1]], ids.Dict[ids.Index[i]]; id <= last {
			return g.breach("job_id", i, "it does not come after %.100q: rows must ascend by it, and each run has one",
				last)
		}
	}
	return nil
}

// boundaries returns, for each run of the jobs table, the end of its rows in another table with these ids.
func (g *gate) boundaries(ids *parquetio.Column) ([]int32, error) {
	var jobs parquetio.Column
	if all := g.batch.job("job_id"); all.Known() > 0 {
		jobs = all
	}
	if ids.Len > 0 && ids.Known() != ids.Len {
		return nil, g.breach("job_id", 0, "%d rows have no run", ids.Len-ids.Known())
	}
	ends := make([]int32, jobs.Len)
	job, last := -1, int32(-1)
	for i, k := range ids.Index {
		if k == last {
			continue
		}
		last = k
		id := ids.Dict[k]
		if job >= 0 && jobs.Dict[jobs.Index[job]] == id {
			continue
		}
		if job >= 0 {
			ends[job] = int32(i)
		}
		for job++; job < jobs.Len && jobs.Dict[jobs.Index[job]] != id; job++ {
			ends[job] = int32(i)
			if jobs.Dict[jobs.Index[job]] > id {
				job = jobs.Len
			}
		}
		if job >= jobs.Len {
			return nil, g.breach("job_id", i, "run %.100q is not in the same part of the jobs table, or its rows do "+
				"not lie together in its order", id)
		}
	}
	for job = max(job, 0); job < jobs.Len; job++ {
		ends[job] = int32(ids.Len)
	}
	return ends, nil
}

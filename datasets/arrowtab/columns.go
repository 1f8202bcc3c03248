package arrowtab

import (
	"math"
	"unsafe"

	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// column ties a column of a table to a field of its row type, in both directions. Of the three pairs of functions the one
// for its kind is set: integers, instants and booleans go through int64 with trace.None as null, floats have NaN as null,
// text has "" as null. A null is never set: rows begin as nulls.
type column[T any] struct {
	name     string
	kind     parquetio.Kind
	getInt   func(*T) int64
	setInt   func(*T, int64)
	getFloat func(*T) float64
	setFloat func(*T, float64)
	getText  func(*T) string
	setText  func(*T, string)

	// Where a row simply holds the value, at says at which offset, and as what it lies there.
	at    uintptr
	plain plain
}

// plain says in which form a value lies in a row.
type plain uint8

const (
	notPlain plain = iota // ask get
	plainInt64
	plainInt32
	plainFloat
	position // not in the row: its position in the run
)

// lies notes that a row holds the value itself, where field points to.
func lies[T, V any](c column[T], field func(*T) *V, as plain) column[T] {
	var row T
	c.at, c.plain = uintptr(unsafe.Pointer(field(&row)))-uintptr(unsafe.Pointer(&row)), as
	return c
}

func integer[T any](name string, kind parquetio.Kind, get func(*T) int64, set func(*T, int64)) column[T] {
	return column[T]{name: name, kind: kind, getInt: get, setInt: set}
}

func number[T any](name string, field func(*T) *float64) column[T] {
	return lies(column[T]{name: name, kind: parquetio.Float64,
		getFloat: func(r *T) float64 { return *field(r) },
		setFloat: func(r *T, x float64) { *field(r) = x }}, field, plainFloat)
}

func text[T any](name string, field func(*T) *string) column[T] {
	return column[T]{name: name, kind: parquetio.String,
		getText: func(r *T) string { return *field(r) },
		setText: func(r *T, s string) { *field(r) = s }}
}

func count[T any](name string, field func(*T) *int64) column[T] {
	return lies(integer(name, parquetio.Int64,
		func(r *T) int64 { return *field(r) }, func(r *T, n int64) { *field(r) = n }), field, plainInt64)
}

func small[T any](name string, field func(*T) *int32) column[T] {
	return lies(integer(name, parquetio.Int32,
		func(r *T) int64 { return int64(*field(r)) }, func(r *T, n int64) { *field(r) = int32(n) }), field, plainInt32)
}

func instant[T any](name string, field func(*T) *trace.Instant) column[T] {
	return lies(integer(name, parquetio.Timestamp,
		func(r *T) int64 { return int64(*field(r)) }, func(r *T, n int64) { *field(r) = trace.Instant(n) }), field, plainInt64)
}

func boolean[T any](name string, field func(*T) *trace.Tri) column[T] {
	return integer(name, parquetio.Bool,
		func(r *T) int64 {
			switch *field(r) {
			case trace.Yes:
				return 1
			case trace.No:
				return 0
			default:
				return trace.None
			}
		},
		func(r *T, n int64) { *field(r) = trace.TriOf(n != 0) })
}

func status[T any](field func(*T) *trace.Status) column[T] {
	return column[T]{name: "status", kind: parquetio.String,
		getText: func(r *T) string { return field(r).String() },
		setText: func(r *T, s string) { *field(r), _ = trace.ParseStatus(s) }}
}

func demand[T any](field func(*T) *trace.Demand) []column[T] {
	columns := make([]column[T], trace.NumResources)
	for i, name := range trace.ResourceNames {
		columns[i] = number(name, func(r *T) *float64 { return &field(r)[i] })
	}
	return columns
}

// The columns of each table after job_id.
var (
	jobColumns = []column[trace.Run]{
		count("seq", func(r *trace.Run) *int64 { return &r.Seq }),
		text("name", func(r *trace.Run) *string { return &r.Name }),
		text("user", func(r *trace.Run) *string { return &r.User }),
		text("group", func(r *trace.Run) *string { return &r.Group }),
		instant("submit", func(r *trace.Run) *trace.Instant { return &r.Submit }),
		instant("start", func(r *trace.Run) *trace.Instant { return &r.Start }),
		instant("end", func(r *trace.Run) *trace.Instant { return &r.End }),
		status(func(r *trace.Run) *trace.Status { return &r.Status }),
		count("input_bytes", func(r *trace.Run) *int64 { return &r.InputBytes }),
		count("shuffle_bytes", func(r *trace.Run) *int64 { return &r.ShuffleBytes }),
		count("output_bytes", func(r *trace.Run) *int64 { return &r.OutputBytes }),
		count("guaranteed", func(r *trace.Run) *int64 { return &r.Guaranteed }),
	}

	stageColumns = append([]column[trace.Stage]{
		{name: "stage", kind: parquetio.Int32, plain: position, setInt: func(*trace.Stage, int64) {}}, // stages are in their order
		text("name", func(r *trace.Stage) *string { return &r.Name }),
		integer("tasks", parquetio.Int32,
			func(r *trace.Stage) int64 { return r.Tasks }, func(r *trace.Stage, n int64) { r.Tasks = n }),
		number("estimate_s", func(r *trace.Stage) *float64 { return &r.EstimateS }),
		instant("submit", func(r *trace.Stage) *trace.Instant { return &r.Submit }),
		instant("start", func(r *trace.Stage) *trace.Instant { return &r.Start }),
		instant("end", func(r *trace.Stage) *trace.Instant { return &r.End }),
	}, demand(func(r *trace.Stage) *trace.Demand { return &r.Demand })...)

	edgeColumns = []column[trace.Edge]{
		small("parent", func(r *trace.Edge) *int32 { return &r.Parent }),
		small("child", func(r *trace.Edge) *int32 { return &r.Child }),
		{name: "kind", kind: parquetio.String,
			getText: func(r *trace.Edge) string { return r.Kind.String() },
			setText: func(r *trace.Edge, s string) { r.Kind, _ = trace.ParseEdgeKind(s) }},
	}

	taskColumns = append([]column[trace.Attempt]{
		small("stage", func(r *trace.Attempt) *int32 { return &r.Stage }),
		small("task", func(r *trace.Attempt) *int32 { return &r.Task }),
		small("attempt", func(r *trace.Attempt) *int32 { return &r.Attempt }),
		instant("queued", func(r *trace.Attempt) *trace.Instant { return &r.Queued }),
		instant("start", func(r *trace.Attempt) *trace.Instant { return &r.Start }),
		instant("end", func(r *trace.Attempt) *trace.Instant { return &r.End }),
		integer("duration", parquetio.Int64,
			func(r *trace.Attempt) int64 { return int64(r.Duration) },
			func(r *trace.Attempt, n int64) { r.Duration = trace.Duration(n) }),
		status(func(r *trace.Attempt) *trace.Status { return &r.Status }),
		text("machine", func(r *trace.Attempt) *string { return &r.Machine }),
		text("reason", func(r *trace.Attempt) *string { return &r.Reason }),
		boolean("speculative", func(r *trace.Attempt) *trace.Tri { return &r.Speculative }),
		boolean("spare", func(r *trace.Attempt) *trace.Tri { return &r.Spare }),
	}, demand(func(r *trace.Attempt) *trace.Demand { return &r.Demand })...)

	allocationColumns = []column[trace.Allocation]{
		instant("at", func(r *trace.Allocation) *trace.Instant { return &r.At }),
		count("tokens", func(r *trace.Allocation) *int64 { return &r.Tokens }),
		count("spare", func(r *trace.Allocation) *int64 { return &r.Spare }),
		count("machines", func(r *trace.Allocation) *int64 { return &r.Machines }),
	}

	ioColumns = []column[trace.Access]{
		text("dataset", func(r *trace.Access) *string { return &r.Dataset }),
		{name: "mode", kind: parquetio.String,
			getText: func(r *trace.Access) string {
				if r.Write {
					return "write"
				}
				return "read"
			},
			setText: func(r *trace.Access, s string) { r.Write = s == "write" }},
		instant("at", func(r *trace.Access) *trace.Instant { return &r.At }),
		count("bytes", func(r *trace.Access) *int64 { return &r.Bytes }),
	}

	machineColumns = []column[trace.Machine]{
		text("machine", func(r *trace.Machine) *string { return &r.Name }),
		number("cpu", func(r *trace.Machine) *float64 { return &r.CPU }),
		number("mem", func(r *trace.Machine) *float64 { return &r.Mem }),
		number("disk", func(r *trace.Machine) *float64 { return &r.Disk }),
		number("net", func(r *trace.Machine) *float64 { return &r.Net }),
		number("gpu", func(r *trace.Machine) *float64 { return &r.GPU }),
		instant("from", func(r *trace.Machine) *trace.Instant { return &r.From }),
		instant("to", func(r *trace.Machine) *trace.Instant { return &r.To }),
	}
)

// The rows of which nothing is known.
func newEdge() trace.Edge       { return trace.Edge{} }
func newAttempt() trace.Attempt { return trace.NewAttempt(0, 0, 0) }
func newAllocation() trace.Allocation {
	return trace.Allocation{At: trace.None, Tokens: trace.None, Spare: trace.None, Machines: trace.None}
}
func newAccess() trace.Access { return trace.Access{At: trace.None, Bytes: trace.None} }

func isNull(x float64) bool { return math.IsNaN(x) }

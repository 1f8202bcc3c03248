package arrowtab

import (
	"unsafe"

	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// column ties a column of a table to a field of its row type, in both directions: a row holds the value at an offset,
// in some form. A null is never set: rows begin as nulls.
type column[T any] struct {
	name   string
	kind   parquetio.Kind
	form   form
	at     uintptr
	code   func(uint8) string // the text of a value of formCode
	decode func(string) uint8 // its inverse
}

// form says in which form a value lies in a row.
type form uint8

const (
	formInt64    form = iota // trace.None is null
	formNarrow               // the same, to become 32 bits wide
	formInt32                // never null
	formFloat                // NaN is null
	formText                 // "" is null
	formTri                  // a trace.Tri
	formCode                 // an enumeration of 8 bits, each of which has a text; never null
	formPosition             // not in the row: its position in the run
)

// fieldColumn returns a column that reads and writes the field that the function field selects.
func fieldColumn[T, V any](name string, kind parquetio.Kind, as form, field func(*T) *V) column[T] {
	var row T
	at := uintptr(unsafe.Pointer(field(&row))) - uintptr(unsafe.Pointer(&row))
	return column[T]{name: name, kind: kind, form: as, at: at}
}

// integer is a column of 64 bits, whatever their type is called in the row.
func integer[T any, V ~int64](name string, kind parquetio.Kind, field func(*T) *V) column[T] {
	if kind == parquetio.Int32 {
		return fieldColumn(name, kind, formNarrow, field)
	}
	return fieldColumn(name, kind, formInt64, field)
}

func number[T any](name string, field func(*T) *float64) column[T] {
	return fieldColumn(name, parquetio.Float64, formFloat, field)
}

func text[T any](name string, field func(*T) *string) column[T] {
	return fieldColumn(name, parquetio.String, formText, field)
}

func count[T any](name string, field func(*T) *int64) column[T] {
	return integer(name, parquetio.Int64, field)
}

func small[T any](name string, field func(*T) *int32) column[T] {
	return fieldColumn(name, parquetio.Int32, formInt32, field)
}

func instant[T any](name string, field func(*T) *trace.Instant) column[T] {
	return integer(name, parquetio.Timestamp, field)
}

func boolean[T any](name string, field func(*T) *trace.Tri) column[T] {
	return fieldColumn(name, parquetio.Bool, formTri, field)
}

// code returns the column of an enumeration that is written in words.
func code[T any, V ~uint8](name string, field func(*T) *V, word func(V) string,
	parse func(string) (V, bool)) column[T] {
	c := fieldColumn(name, parquetio.String, formCode, field)
	c.code = func(v uint8) string { return word(V(v)) }
	c.decode = func(s string) uint8 {
		v, _ := parse(s)
		return uint8(v)
	}
	return c
}

func status[T any](field func(*T) *trace.Status) column[T] {
	return code("status", field, trace.Status.String, trace.ParseStatus)
}

// mode is the column of whether a dataset was written.
func mode() column[trace.Access] {
	c := fieldColumn("mode", parquetio.String, formCode, func(r *trace.Access) *bool { return &r.Write })
	c.code = func(write uint8) string {
		if write != 0 {
			return "write"
		}
		return "read"
	}
	c.decode = func(s string) uint8 {
		if s == "write" {
			return 1
		}
		return 0
	}
	return c
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
		text("job", func(r *trace.Run) *string { return &r.Job }),
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
		count("executor_cores", func(r *trace.Run) *int64 { return &r.ExecutorCores }),
		count("executor_mem", func(r *trace.Run) *int64 { return &r.ExecutorMem }),
		count("executor_peak_mem", func(r *trace.Run) *int64 { return &r.ExecutorPeakMem }),
		text("cluster", func(r *trace.Run) *string { return &r.Cluster }),
		boolean("dynamic", func(r *trace.Run) *trace.Tri { return &r.Dynamic }),
	}

	stageColumns = append([]column[trace.Stage]{
		{name: "stage", kind: parquetio.Int32, form: formPosition}, // stages are in their order
		text("name", func(r *trace.Stage) *string { return &r.Name }),
		integer("tasks", parquetio.Int32, func(r *trace.Stage) *int64 { return &r.Tasks }),
		number("estimate_s", func(r *trace.Stage) *float64 { return &r.EstimateS }),
		instant("submit", func(r *trace.Stage) *trace.Instant { return &r.Submit }),
		instant("start", func(r *trace.Stage) *trace.Instant { return &r.Start }),
		instant("end", func(r *trace.Stage) *trace.Instant { return &r.End }),
		text("description", func(r *trace.Stage) *string { return &r.Description }),
		text("plan", func(r *trace.Stage) *string { return &r.Plan }),
	}, demand(func(r *trace.Stage) *trace.Demand { return &r.Demand })...)

	edgeColumns = []column[trace.Edge]{
		small("parent", func(r *trace.Edge) *int32 { return &r.Parent }),
		small("child", func(r *trace.Edge) *int32 { return &r.Child }),
		code("kind", func(r *trace.Edge) *trace.EdgeKind { return &r.Kind }, trace.EdgeKind.String,
			trace.ParseEdgeKind),
	}

	taskColumns = append([]column[trace.Attempt]{
		small("stage", func(r *trace.Attempt) *int32 { return &r.Stage }),
		small("task", func(r *trace.Attempt) *int32 { return &r.Task }),
		small("attempt", func(r *trace.Attempt) *int32 { return &r.Attempt }),
		instant("queued", func(r *trace.Attempt) *trace.Instant { return &r.Queued }),
		instant("start", func(r *trace.Attempt) *trace.Instant { return &r.Start }),
		instant("end", func(r *trace.Attempt) *trace.Instant { return &r.End }),
		integer("duration", parquetio.Int64, func(r *trace.Attempt) *trace.Duration { return &r.Duration }),
		status(func(r *trace.Attempt) *trace.Status { return &r.Status }),
		text("machine", func(r *trace.Attempt) *string { return &r.Machine }),
		text("reason", func(r *trace.Attempt) *string { return &r.Reason }),
		boolean("speculative", func(r *trace.Attempt) *trace.Tri { return &r.Speculative }),
		boolean("spare", func(r *trace.Attempt) *trace.Tri { return &r.Spare }),
		count("input_bytes", func(r *trace.Attempt) *int64 { return &r.InputBytes }),
		count("spill_bytes", func(r *trace.Attempt) *int64 { return &r.SpillBytes }),
		count("peak_mem", func(r *trace.Attempt) *int64 { return &r.PeakMem }),
		integer("gc", parquetio.Int64, func(r *trace.Attempt) *trace.Duration { return &r.GC }),
	}, demand(func(r *trace.Attempt) *trace.Demand { return &r.Demand })...)

	allocationColumns = []column[trace.Allocation]{
		instant("at", func(r *trace.Allocation) *trace.Instant { return &r.At }),
		count("tokens", func(r *trace.Allocation) *int64 { return &r.Tokens }),
		count("spare", func(r *trace.Allocation) *int64 { return &r.Spare }),
		count("machines", func(r *trace.Allocation) *int64 { return &r.Machines }),
	}

	ioColumns = []column[trace.Access]{
		text("dataset", func(r *trace.Access) *string { return &r.Dataset }),
		mode(),
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

// Rows with unknown values.
var (
	nullAllocation = trace.Allocation{At: trace.None, Tokens: trace.None, Spare: trace.None, Machines: trace.None}
	nullAccess     = trace.Access{At: trace.None, Bytes: trace.None}
)

package wta

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"racecard/datasets/groupby"
	"racecard/datasets/parquetio"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// batchRows is how many rows are looked at at once.
const batchRows = 4096

// maxMachines bounds the machines of a trace, which stay in memory. The largest clusters have some hundred thousand.
const maxMachines = 1 << 20

const (
	tagTask = iota
	tagWorkflow
)

// reader gathers the rows of files.
type reader struct {
	ctx   context.Context
	files []*source.File
	tally *source.Tally
	yield func(error) bool
	g     *groupby.Grouper
	first []int64 // number of the first row of each file in the whole input, and of the row behind the last file
	held  held

	aside []int       // files of OpenDC tasks
	parts *components // which hang together where some of them name parents or children; else nil
	buf   []byte
	key   []byte
}

// held tells other processes which tables files have, and how many machines.
type held struct {
	OpenDC   bool // tasks of OpenDC
	Depend   bool // some of them name parents or children
	Archive  bool // tables or a description of the archive
	Machines int
}

// add adds the rows of files. The rows of the archive name their workflow, and OpenDC's tasks are runs of their own, so
// that several processes can read both. Which of OpenDC's tasks depend on each other is known only where all of them
// are.
func add(ctx context.Context, files []*source.File, tally *source.Tally, g *groupby.Grouper,
	yield func(error) bool) (rows []int64, h held, more bool) {
	r := &reader{ctx: ctx, files: files, tally: tally, yield: yield, g: g, first: []int64{0}}
	for i := range files {
		if !r.file(i) {
			return nil, h, false
		}
		rows = append(rows, r.first[i+1]-r.first[i])
	}
	if !r.openDC() {
		return nil, h, false
	}
	r.held.Machines = len(tally.Machines)
	return rows, r.held, true
}

// join returns an error if one machine has to read what several processes did.
func join(all []held) (none held, err error) {
	machines, openDC, depend, archive, both := 0, 0, false, 0, 0
	for _, h := range all {
		machines += h.Machines
		depend = depend || h.Depend
		switch {
		case h.OpenDC && h.Archive:
			both++
		case h.OpenDC:
			openDC++
		case h.Archive:
			archive++
		}
	}
	switch {
	case depend && openDC+both > 1:
		err = &source.WholeError{Why: "OpenDC tasks of several units name parents or children, which may lie anywhere"}
	case both+min(openDC, 1)+min(archive, 1) > 1: // the one's rejects come behind the other's
		err = &source.WholeError{Why: "some units read tables of OpenDC, others of the Workflow Trace Archive"}
	case machines > maxMachines:
		err = &source.WholeError{Why: fmt.Sprintf("there are more than %d machines", maxMachines)}
	}
	return none, err
}

// reject counts and yields a reject.
func (r *reader) reject(rej *source.Reject) bool {
	r.tally.Reject(rej.Reason)
	if rej.Reason == source.ReasonTruncated {
		r.tally.Warn(source.WarnEndsEarly, "%s: %s", rej.File, rej.Detail)
	}
	return r.yield(rej)
}

// errStop says that the caller wants no more.
var errStop = errors.New("stop")

// file takes the rows of one file and reports whether the caller wants more.
func (r *reader) file(number int) bool {
	r.first = append(r.first, r.first[number])
	return r.table(number, func(f *source.File, t *parquetio.Table) error {
		r.first[number+1] += t.NumRows()
		kind := classify(t)
		switch ignored, ok := kinds[kind]; {
		case ok:
			r.tally.Read += t.NumRows()
			if t.NumRows() > 0 {
				r.tally.Ignored[ignored] += t.NumRows()
			}
			return nil
		case kind == tableOpenDC:
			r.aside = append(r.aside, number)
			r.held.OpenDC = true
			r.held.Depend = r.held.Depend || t.Find("parents") >= 0 || t.Find("children") >= 0
			return nil
		case kind == tableTasks:
			r.tally.Units["mem"] = "as the trace's source measured it: the Workflow Trace Archive states no unit"
		}
		r.held.Archive = true
		return r.rows(f, number, t, newCells(t, kind, r.tally))
	})
}

// table hands the table in a file to use, and reports whether the caller wants more.
func (r *reader) table(number int, use func(*source.File, *parquetio.Table) error) bool {
	f := r.files[number]
	err := r.open(f, use)
	if err != nil && !errors.Is(err, errStop) {
		r.yield(err)
	}
	return err == nil
}

// open opens a file. Without content it is passed over, and a description of the workload is read on the spot.
func (r *reader) open(f *source.File, use func(*source.File, *parquetio.Table) error) (err error) {
	in, err := f.Open(r.ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	b := bufio.NewReaderSize(in, 64<<10)
	head, err := b.Peek(64)
	if len(head) == 0 && errors.Is(err, io.EOF) {
		return nil
	}
	if isJSON(head) {
		r.held.Archive = true
		if !r.describe(f, b) {
			return errStop
		}
		return nil
	}
	spooled, err := parquetio.Spool(b, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	defer func() { err = errors.Join(err, spooled.Close()) }()
	t, err := parquetio.OpenTable(spooled, spooled.Size)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return use(f, t)
}

// rows deals the rows of a table out to their runs.
func (r *reader) rows(f *source.File, number int, t *parquetio.Table, c *cells) error {
	for batch, err := range t.Batches(c.leaves, batchRows) {
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		c.batch = batch
		for c.row = range batch.Len {
			line := batch.First + int64(c.row) + 1
			rej, err := r.take(c, int32(number), r.first[number]+line-1)
			if err != nil {
				return err
			}
			if rej != nil {
				rej.File, rej.Line, rej.Raw = f.Name, line, c.raw()
				if !r.reject(rej) {
					return errStop
				}
			}
		}
	}
	return nil
}

// take hands a row to the grouper.
func (r *reader) take(c *cells, file int32, line int64) (*source.Reject, error) {
	var t row
	var ok bool
	if t.id, ok = c.ident(colID); !ok {
		return &source.Reject{Field: c.names[colID], Reason: source.ReasonNoID, Detail: "the row has none"}, nil
	}
	if !utf8.ValidString(t.id.text) {
		return &source.Reject{Field: c.names[colID], Reason: source.ReasonNotUTF8, Detail: "bytes that are no UTF-8"},
			nil
	}
	if c.table == tableResources {
		if len(r.tally.Machines) == maxMachines {
			c.fault(colID, "more than %d machines", maxMachines)
		}
		if m := c.machine(t.id); c.field == "" {
			r.tally.Machines = append(r.tally.Machines, m)
			for ; c.negative > 0; c.negative-- {
				r.tally.Repair(RepairNegative)
			}
			r.tally.Use()
		}
		return c.rejected(), nil
	}
	c.task(&t)
	t.negative, c.negative = c.negative, 0
	tag, run := uint8(tagTask), t.id
	switch c.table {
	case tableTasks:
		if run, ok = c.ident(colWorkflow); !ok || !utf8.ValidString(run.text) {
			return &source.Reject{Field: c.names[colWorkflow], Reason: ReasonNoWorkflow, Detail: "the row has none"},
				nil
		}
	case tableWorkflows:
		tag = tagWorkflow
	case tableOpenDC:
		if r.parts != nil {
			run = r.parts.run(t.id)
		}
	}
	if rej := c.rejected(); rej != nil {
		return rej, nil
	}
	r.buf, r.key = t.append(r.buf[:0]), run.append(r.key[:0])
	return nil, r.g.Add(r.key, groupby.Record{Tag: tag, File: file, Line: line, Bytes: r.buf})
}

// rejected returns a reject if there was a fault, and forgets the fault.
func (c *cells) rejected() *source.Reject {
	if c.field == "" {
		return nil
	}
	rej := &source.Reject{Field: c.field, Reason: ReasonBadValue, Detail: c.detail}
	c.field, c.detail = "", ""
	return rej
}

// task reads what a row says of a task or a workflow.
func (c *cells) task(t *row) {
	t.submit = trace.Instant(c.micros(colSubmit))
	t.runtime, t.wait = trace.Duration(c.micros(colRuntime)), trace.Duration(c.micros(colWait))
	t.mem, t.gpu, t.cpu = c.amount(colMemory), c.amount(colGPU), math.NaN()
	amount := c.amount(colAmount)
	switch c.table {
	case tableOpenDC:
		t.cpu, t.mem = amount, t.mem*1e6
	case tableTasks:
		switch resource := c.resource(colType); {
		case resource == trace.CPU:
			t.cpu = amount
		case resource == trace.GPU:
			t.gpu = amount
		case !math.IsNaN(amount):
			c.tally.Warn(WarnResource, "task %v asks for %v of %q: left out", t.id, amount, c.text(colType))
		}
	}
	t.user, t.group, t.machine, t.name = c.text(colUser), c.text(colGroup), c.text(colMachine), c.text(colName)
	t.parents, t.children = c.idents(colParents, t.parents), c.idents(colChildren, t.children)
	t.count = trace.None
	if n := c.amount(colCount); n >= 0 && n <= math.MaxInt32 {
		t.count = int64(n)
	}
}

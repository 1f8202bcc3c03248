package wta

import (
	"context"
	"fmt"
	"slices"

	"racecard/datasets/groupby"
	"racecard/datasets/lists"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// maxRelated bounds the parents and children of the tasks of a workflow together: in memory they take much more than in
// a file.
const maxRelated = 1 << 22

// chunk returns the runs of gathered rows. first is the number of the first row of each file.
func chunk(c groupby.Chunk, files []*source.File, first []int64, _ held) source.Chunk {
	return func(ctx context.Context, tally *source.Tally, yield func(*trace.Run, error) bool) {
		for job := range c.Whole(ctx, files, first, tally, yield) {
			ids := int64(0)
			for i := range job.Records {
				ids += related(job.Records[i].Bytes)
			}
			if ids > maxRelated {
				large := groupby.TooLargeError{Records: int64(len(job.Records)), First: job.Records[0]}
				rej := large.Reject(files, first, tally)
				rej.Detail = fmt.Sprintf("%d parents and children in one workflow, at most %d are taken", ids,
					maxRelated)
				if !yield(nil, rej) {
					return
				}
				continue
			}
			b := builder{files: files, first: first, tally: tally, records: job.Records, tasks: map[ident]int32{}}
			run := b.whole(job.Key)
			tally.UseMany(len(b.records) - len(b.rejects))
			for _, rej := range b.rejects {
				tally.Reject(rej.Reason)
				if !yield(nil, rej) {
					return
				}
			}
			if run != nil {
				tally.Find(totalWorkflows, 1)
				tally.Find(totalTasks, float64(len(run.Stages)))
				if !yield(run, nil) {
					return
				}
			}
		}
	}
}

// builder makes a run of the rows of a workflow.
type builder struct {
	files    []*source.File
	first    []int64
	tally    *source.Tally
	records  []groupby.Record
	run      *trace.Run
	tasks    map[ident]int32
	rows     []row // of the stages
	workflow *row
	rejects  []*source.Reject
}

// whole returns the run of a key, nil when no row is left for it or it is inconsistent.
func (b *builder) whole(key []byte) *trace.Run {
	d := decoder{key}
	b.run = trace.NewRun(d.ident().String())
	b.run.Seq = b.records[0].Line
	run := b.build()
	if run == nil {
		return nil
	}
	if err := run.Validate(); err != nil {
		b.rejects = nil
		for i := range b.records {
			b.reject(i, "", "inconsistent run", "%v", err)
		}
		return nil
	}
	return run
}

// reject leaves record i out.
func (b *builder) reject(i int, field, reason, format string, args ...any) {
	rec := &b.records[i]
	row := decode(rec.Bytes)
	raw := fmt.Appendf(nil, "id=%v submit=%d us runtime=%d us wait=%d us parents=%v children=%v",
		row.id, row.submit, row.runtime, row.wait, row.parents, row.children)
	b.rejects = append(b.rejects, source.NewReject(b.files[rec.File].Name, rec.Line-b.first[rec.File]+1, field, reason,
		fmt.Sprintf(format, args...), raw))
}

// build returns the run, nil when no row is left for it.
func (b *builder) build() *trace.Run {
	for i := range b.records {
		row := decode(b.records[i].Bytes)
		for range row.negative {
			b.tally.Repair(RepairNegative)
		}
		if b.records[i].Tag == tagWorkflow {
			if b.workflow != nil {
				b.reject(i, "id", ReasonTwice, "workflow %v occurred before", row.id)
				continue
			}
			b.workflow = &row
			continue
		}
		if _, twice := b.tasks[row.id]; twice {
			b.reject(i, "id", source.ReasonDuplicateTask, "task %v occurred before in workflow %s", row.id, b.run.ID)
			continue
		}
		b.tasks[row.id] = int32(len(b.rows))
		b.rows = append(b.rows, row)
		b.stage(&row)
	}
	if len(b.rejects) == len(b.records) {
		return nil
	}
	b.edges()
	b.close()
	return b.run
}

// stage adds a task: a stage and, if anything is known of when it ran, an attempt.
func (b *builder) stage(row *row) {
	s := trace.NewStage()
	s.Name, s.Tasks = row.id.String(), 1
	s.Submit = row.submit
	s.Demand[trace.CPU], s.Demand[trace.GPU], s.Demand[trace.Mem] = row.cpu, row.gpu, row.mem
	if row.submit.Known() && row.wait.Known() {
		s.Start = row.submit + trace.Instant(row.wait)
	}
	if s.Start.Known() && row.runtime.Known() {
		s.End = s.Start + trace.Instant(row.runtime)
	}
	if s.Start.Known() || row.runtime.Known() {
		a := trace.NewAttempt(int32(len(b.run.Stages)), 0, 0)
		a.Queued, a.Start, a.End, a.Duration = s.Submit, s.Start, s.End, row.runtime
		if row.runtime.Known() {
			a.Status = trace.Succeeded
		}
		a.Machine, a.Demand = row.machine, s.Demand
		b.run.Attempts = append(b.run.Attempts, a)
	}
	b.run.Stages = append(b.run.Stages, s)
}

// edges joins the tasks, and puts them into topological order.
func (b *builder) edges() {
	for i := range b.rows {
		for _, id := range b.rows[i].parents {
			b.edge(id, func(parent int32) trace.Edge { return trace.Edge{Parent: parent, Child: int32(i)} })
		}
		for _, id := range b.rows[i].children {
			b.edge(id, func(child int32) trace.Edge { return trace.Edge{Parent: int32(i), Child: child} })
		}
	}
	slices.SortFunc(b.run.Edges, trace.CompareEdges)
	b.run.Edges = slices.Compact(b.run.Edges)
	if _, ok := b.run.SortStages(); ok {
		return
	}
	kept := acyclic(len(b.run.Stages), b.run.Edges)
	for range len(b.run.Edges) - len(kept) {
		b.tally.Repair(RepairCycle)
	}
	b.run.Edges = kept
	b.run.SortStages()
}

func (b *builder) edge(id ident, join func(int32) trace.Edge) {
	other, ok := b.tasks[id]
	if !ok {
		b.tally.Repair(RepairUnknownParent)
		return
	}
	e := join(other)
	e.Kind = trace.OneToOne
	b.run.Edges = append(b.run.Edges, e)
}

// acyclic returns the edges without those that close a cycle on a depth-first walk from the first stage on. The order
// of the edges is kept. Time O(n + len(edges) log len(edges)).
func acyclic(n int, edges []trace.Edge) []trace.Edge {
	byParent := lists.Order(len(edges), func(x, y int) int { return int(edges[x].Parent) - int(edges[y].Parent) })
	next := make([]int, n+1) // where the edges of a parent begin in byParent; moves on as they are walked
	for _, e := range edges {
		next[e.Parent+1]++
	}
	for i := range n {
		next[i+1] += next[i]
	}
	ends := slices.Clone(next[1:])
	closes := make([]bool, len(edges))
	onPath, done := make([]bool, n), make([]bool, n)
	for root := range int32(n) {
		if done[root] {
			continue
		}
		path := []int32{root}
		onPath[root] = true
		for len(path) > 0 {
			s := path[len(path)-1]
			if next[s] == ends[s] {
				onPath[s], done[s] = false, true
				path = path[:len(path)-1]
				continue
			}
			i := byParent[next[s]]
			next[s]++
			switch child := edges[i].Child; {
			case onPath[child]:
				closes[i] = true
			case !done[child]:
				onPath[child] = true
				path = append(path, child)
			}
		}
	}
	var kept []trace.Edge
	for i, e := range edges {
		if !closes[i] {
			kept = append(kept, e)
		}
	}
	return kept
}

// close derives what the run as a whole says.
func (b *builder) close() {
	run := b.run
	first, ended, ran := trace.Instant(trace.None), len(b.rows) > 0, len(b.rows) > 0
	run.User, run.Group = agreed(b.rows, func(r *row) string { return r.user }), agreed(b.rows, func(r *row) string {
		return r.group
	})
	for i := range b.rows {
		first = first.Earlier(b.rows[i].submit)
		ran = ran && b.rows[i].runtime.Known()
	}
	for i := range run.Stages {
		run.Start = run.Start.Earlier(run.Stages[i].Start)
		ended = ended && run.Stages[i].End.Known()
		run.End = max(run.End, run.Stages[i].End) // null is the least
	}
	if !ended {
		run.End = trace.None
	}
	if ran {
		run.Status = trace.Succeeded
	}
	run.Submit = first
	if w := b.workflow; w != nil {
		run.Name = w.name
		if w.submit.Known() {
			run.Submit = w.submit
		}
		if n := int64(len(b.rows)); w.count != trace.None && w.count != n {
			b.tally.Warn(WarnCount, "workflow %s says it has %d tasks; there are %d", run.ID, w.count, n)
		}
	}
	if run.Submit.Known() && run.End.Known() && run.End < run.Submit {
		b.tally.Repair(RepairSubmit)
		run.Submit = first // no task ends before it was submitted
	}
}

// agreed returns what all rows say that say anything, "" when they differ.
func agreed(rows []row, of func(*row) string) string {
	said := ""
	for i := range rows {
		if s := of(&rows[i]); s != "" {
			if said != "" && s != said {
				return ""
			}
			said = s
		}
	}
	return said
}

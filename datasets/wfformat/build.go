package wfformat

import (
	"fmt"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Kinds of repairs.
const (
	RepairDate       = "unreadable date"
	RepairMakespan   = "makespan of 0"
	RepairNegative   = "negative number"
	RepairNoTask     = "parent or child that is no task"
	RepairNoSuchTask = "measurements of no task"
	RepairEdges      = "edges taken from files"
)

// WarnMachines is the kind of the warning that tasks ran on several machines. The first machine is kept.
const WarnMachines = "task on several machines"

// builder turns a document into a run.
type builder struct {
	doc     *document
	run     *trace.Run
	byID    map[string]int // index of a task in doc.tasks
	byName  map[string]int // the same; -1 when several bear the name
	tries   []int32        // attempts so far, per task
	repairs map[string]int64
	several int // tasks on several machines
}

// build returns the run of a document.
func build(doc *document, id, name string) (*builder, *source.Fault) {
	b := &builder{doc: doc, run: trace.NewRun(id), byID: map[string]int{}, byName: map[string]int{},
		repairs: map[string]int64{}}
	b.tries = make([]int32, len(doc.tasks))
	b.run.Name = name
	if len(doc.tasks) == 0 {
		return nil, source.NewFault("workflow.tasks", ReasonNoTasks, "a workflow has at least one task")
	}
	if bad := b.stages(); bad != nil {
		return nil, bad
	}
	b.edges()
	if doc.old {
		for i := range doc.tasks {
			b.measured(i, &doc.tasks[i])
		}
	}
	for i := range doc.runs {
		if at, ok := b.find(doc.runs[i].ID, doc.runs[i].Name); ok {
			b.measured(at, &doc.runs[i])
		} else {
			b.repairs[RepairNoSuchTask]++
		}
	}
	b.files()
	b.times()
	if stage, ok := b.run.SortStages(); !ok {
		return nil, source.NewFault(b.field(int(stage), "parents"), source.ReasonCycle,
			"the task waits for itself, through its parents")
	}
	return b, nil
}

// field names a field of a task of the document.
func (b *builder) field(task int, name string) string {
	list := "workflow.specification.tasks"
	if b.doc.old {
		list = "workflow.tasks"
	}
	return fmt.Sprintf("%s[%d].%s", list, task, name)
}

// stages makes a stage of every task, in the order of the document, and learns their ids and names.
func (b *builder) stages() *source.Fault {
	for i := range b.doc.tasks {
		t := &b.doc.tasks[i]
		key := t.ID
		if key == "" {
			key = t.Name
		}
		if key == "" {
			return source.NewFault(b.field(i, "id"), source.ReasonMissing, "a task needs an id, or a name")
		}
		if _, twice := b.byID[key]; twice {
			return source.NewFault(b.field(i, "id"), source.ReasonDuplicateTask, "%.80q occurred before", key)
		}
		b.byID[key] = i
		if _, twice := b.byName[t.Name]; twice {
			b.byName[t.Name] = -1
		} else {
			b.byName[t.Name] = i
		}
		s := trace.NewStage()
		s.Name, s.Tasks = t.Name, 1
		if s.Name == "" {
			s.Name = t.ID
		}
		b.run.Stages = append(b.run.Stages, s)
	}
	return nil
}

// find returns the task of an id. Up to 1.4 tasks refer to each other by name.
func (b *builder) find(id, name string) (int, bool) {
	if i, ok := b.byID[id]; ok {
		return i, true
	}
	for _, n := range [...]string{id, name} {
		if i, ok := b.byName[n]; ok && i >= 0 && n != "" {
			return i, true
		}
	}
	return 0, false
}

// edges joins tasks with their parents and children, or, when no task has any, with who writes the files they read.
func (b *builder) edges() {
	stated := false
	add := func(parent, child int) {
		b.run.Edges = append(b.run.Edges, trace.Edge{Parent: int32(parent), Child: int32(child), Kind: trace.OneToOne})
	}
	for i := range b.doc.tasks {
		t := &b.doc.tasks[i]
		for _, p := range t.Parents {
			stated = true
			if at, ok := b.find(p, ""); ok {
				add(at, i)
			} else {
				b.repairs[RepairNoTask]++
			}
		}
		for _, c := range t.Children {
			stated = true
			if at, ok := b.find(c, ""); ok {
				add(i, at)
			} else {
				b.repairs[RepairNoTask]++
			}
		}
	}
	if stated {
		return
	}
	writers := map[string][]int{}
	for i := range b.doc.tasks {
		b.doc.tasks[i].each(func(f *file, output bool) {
			if output {
				writers[f.id()] = append(writers[f.id()], i)
			}
		})
	}
	for i := range b.doc.tasks {
		b.doc.tasks[i].each(func(f *file, output bool) {
			for _, w := range writers[f.id()] {
				if !output && w != i {
					b.repairs[RepairEdges]++
					add(w, i)
				}
			}
		})
	}
}

// times fills the times of the run and its status.
func (b *builder) times() {
	start := b.date(b.doc.ExecutedAt)
	b.run.Start = start
	span := b.positive(b.doc.Makespan)
	if !span.known {
		return
	}
	if span.value == 0 {
		for i := range b.run.Attempts {
			if b.run.Attempts[i].Duration > 0 {
				b.repairs[RepairMakespan]++
				return
			}
		}
	}
	d, err := trace.DurationFromSeconds(span.value)
	if err != nil {
		b.repairs[RepairMakespan]++
		return
	}
	b.run.Status = trace.Succeeded
	if start.Known() {
		b.run.End = start + trace.Instant(d)
	}
}

func (b *builder) date(text string) trace.Instant {
	at, ok := date(text)
	if !ok {
		b.repairs[RepairDate]++
	}
	return at
}

// positive returns a number that is not negative; negative ones become unknown.
func (b *builder) positive(n number) number {
	if n.known && n.value < 0 {
		b.repairs[RepairNegative]++
		return number{}
	}
	return n
}

// report adds the faults of the document to the tally, once its run is in the tables.
func (b *builder) report(file string, tally *source.Tally) {
	for kind, n := range b.repairs {
		for range n {
			tally.Repair(kind)
		}
	}
	if b.several > 0 {
		tally.Warn(WarnMachines, "%s: %d tasks; the first machine of each is kept", file, b.several)
	}
}

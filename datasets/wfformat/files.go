package wfformat

import (
	"math"
	"strings"

	"racecard/datasets/trace"
)

// each hands the files of a task to do, in the order of the document.
func (t *task) each(do func(f *file, output bool)) {
	for i := range t.Inputs {
		do(&t.Inputs[i], false)
	}
	for i := range t.Outputs {
		do(&t.Outputs[i], true)
	}
	for i := range t.Files {
		do(&t.Files[i], !strings.EqualFold(t.Files[i].Link, "input"))
	}
}

// use is how the tasks of a run use a file.
type use struct {
	name          string
	read, written bool
	bytes         int64
}

// files fills io and the byte counts of the run: a file that is only read comes from outside, one that is only written
// is a result, and one that is both goes from task to task. Sizes are stated once for the workflow, or with each use.
func (b *builder) files() {
	var uses []use
	index := map[string]int{}
	at := func(f *file) *use {
		id := f.id()
		i, ok := index[id]
		if !ok {
			i = len(uses)
			index[id] = i
			uses = append(uses, use{name: id, bytes: trace.None})
		}
		if size := b.positive(f.Size.or(f.OldSize, 1)); size.known && size.value < math.MaxInt64 &&
			uses[i].bytes == trace.None {
			uses[i].bytes = int64(size.value)
		}
		return &uses[i]
	}
	for i := range b.doc.tasks {
		b.doc.tasks[i].each(func(f *file, output bool) {
			if f.id() == "" {
				return
			}
			if u := at(f); output {
				u.written = true
			} else {
				u.read = true
			}
		})
	}
	for i := range b.doc.files {
		if f := &b.doc.files[i]; f.id() != "" {
			at(f)
		}
	}
	for i := range uses {
		u := &uses[i]
		switch {
		case u.read && u.written:
			add(&b.run.ShuffleBytes, u.bytes)
		case u.read:
			add(&b.run.InputBytes, u.bytes)
			b.run.IO = append(b.run.IO, trace.Access{Dataset: u.name, At: trace.None, Bytes: u.bytes})
		case u.written:
			add(&b.run.OutputBytes, u.bytes)
			b.run.IO = append(b.run.IO, trace.Access{Dataset: u.name, Write: true, At: trace.None, Bytes: u.bytes})
		}
	}
}

// add adds n to sum, unless it is unknown; sums stay below the largest int64.
func add(sum *int64, n int64) {
	switch {
	case n == trace.None:
	case *sum == trace.None:
		*sum = n
	default:
		*sum += min(n, math.MaxInt64-*sum)
	}
}

package workload

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"racecard/datasets/result"
)

// String writes a place for people.
func (p place) String() string {
	return fmt.Sprintf("%s, stage %d, task %d, attempt %d", p.run, p.stage, p.task, p.attempt)
}

// top keeps the largest values; of equal ones, those at lower places.
type top struct {
	values []extreme
}

// extreme is a value, in microseconds or a count, and its place. For values of runs, the place is the run alone.
type extreme struct {
	value int64
	at    place
	name  string
}

// extremes is how many of the largest values are kept.
const extremes = 5

func (t *top) add(value int64, at place, name string) {
	if len(t.values) == extremes && value < t.values[extremes-1].value {
		return
	}
	at.run = strings.Clone(at.run) // strings of a store share the memory of its part
	t.put(extreme{value, at, strings.Clone(name)})
}

func (t *top) put(e extreme) {
	i, _ := slices.BinarySearchFunc(t.values, e, func(a, b extreme) int {
		return cmp.Or(cmp.Compare(b.value, a.value), a.at.compare(b.at))
	})
	t.values = slices.Insert(t.values, i, e)
	t.values = t.values[:min(len(t.values), extremes)]
}

func (t *top) merge(q *top) {
	for _, e := range q.values {
		t.put(e)
	}
}

// runs returns the extremes as runs.
func (t *top) runs(what string, unit float64) []result.ExtremeRun {
	out := []result.ExtremeRun{}
	for _, e := range t.values {
		out = append(out, result.ExtremeRun{What: what, JobID: e.at.run, Name: e.name, Value: float64(e.value) / unit})
	}
	return out
}

// attempts returns the extremes as attempts.
func (t *top) attempts(what string, unit float64) []result.ExtremeRun {
	out := t.runs(what, unit)
	for i, e := range t.values {
		out[i].What = fmt.Sprintf("%s: stage %d, task %d, attempt %d", what, e.at.stage, e.at.task, e.at.attempt)
	}
	return out
}

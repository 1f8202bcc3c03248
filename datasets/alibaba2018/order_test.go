package alibaba2018

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/groupby"
	"racecard/datasets/source"
)

// TestTasksOfAJobInOrder builds jobs of few and of many tasks, some of whose names occur twice: a stage per name, by
// number, then by the place of its first row, and a reject per other row.
func TestTasksOfAJobInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`[MR][1-9]|M10|[a-c]|task_[a-j]`), 1, 2*few).Draw(t, "names")
		var rows []groupby.Row
		var want []string
		for i, name := range names {
			rows = append(rows, groupby.RowOf(&source.Line{File: source.BytesFile("f", nil), Number: int64(i + 1),
				Bytes: []byte(name + ",1.0,j_1,,Terminated,5,9,100.0,0.2")}))
			if !slices.Contains(want, name) {
				want = append(want, name)
			}
		}
		number := func(name string) int64 {
			if own, _, ok := parents(name, nil); ok {
				return own
			}
			return noNumber
		}
		slices.SortStableFunc(want, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
		run, rejects := newJob().build("j_1", rows, source.NewTally())
		var got []string
		for i := range run.Stages {
			got = append(got, run.Stages[i].Name)
		}
		if !slices.Equal(got, want) || len(rejects) != len(names)-len(want) {
			t.Errorf("%v becomes %v with %d rejects, want %v", names, got, len(rejects), want)
		}
		for _, r := range rejects {
			if r.Reason != source.ReasonDuplicateTask {
				t.Error(fmt.Sprint(r))
			}
		}
	})
}

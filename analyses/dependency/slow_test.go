package dependency

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// before reports whether run a comes before run b in the order of runs; both have all their times.
func before(a, b *trace.Run) bool {
	switch {
	case a.Start != b.Start:
		return a.Start < b.Start
	case a.End != b.End:
		return a.End < b.End
	case a.Seq != b.Seq:
		return a.Seq < b.Seq
	}
	return a.ID < b.ID
}

func accessTime(r *trace.Run, a *trace.Access) trace.Instant {
	switch {
	case a.At.Known():
		return a.At
	case a.Write:
		return r.End
	}
	return r.Start
}

// slowPairs finds producers by the words of the definition: for every read it looks at every write of every run.
func slowPairs(runs []*trace.Run) map[[2]string]bool {
	pairs := map[[2]string]bool{}
	for _, r := range runs {
		for i := range r.IO {
			if r.IO[i].Write {
				continue
			}
			read := accessTime(r, &r.IO[i])
			var done, doing *trace.Run
			var written trace.Instant
			for _, w := range runs {
				for k := range w.IO {
					if !w.IO[k].Write || w.IO[k].Dataset != r.IO[i].Dataset || !before(w, r) {
						continue
					}
					if at := accessTime(w, &w.IO[k]); at <= read && (done == nil || at > written || at == written &&
						before(done, w)) {
						done, written = w, at
					}
					if w.Start < r.Start && w.End > read && (doing == nil || before(doing, w)) {
						doing = w
					}
				}
			}
			if done != nil {
				pairs[[2]string{done.ID, r.ID}] = true
			} else if doing != nil {
				pairs[[2]string{doing.ID, r.ID}] = true
			}
		}
	}
	return pairs
}

// slow computes the result by the transitive closure of pairs. It fails when the pairs make a cycle.
func slow(runs []*trace.Run) (rows map[string]result.Producer, gaps []float64, overlapping int, err error) {
	byID := map[string]*trace.Run{}
	children := map[string][]string{}
	producers := map[string]int{}
	for _, r := range runs {
		byID[r.ID] = r
	}
	for p := range slowPairs(runs) {
		children[p[0]] = append(children[p[0]], p[1])
		producers[p[1]]++
		if gap := byID[p[1]].Start.Since(byID[p[0]].End); gap < 0 {
			overlapping++
		} else {
			gaps = append(gaps, gap.Seconds()/60)
		}
	}
	slices.Sort(gaps)
	rows = map[string]result.Producer{}
	for id, direct := range children {
		row := result.Producer{JobID: id, Name: byID[id].Name, Group: byID[id].Group, DependsOn: producers[id],
			Dependents: len(direct)}
		down, groups := map[string]bool{}, map[string]bool{}
		var walk func(id string, path map[string]bool) int
		walk = func(id string, path map[string]bool) int { // returns the longest chain
			if path[id] {
				err = errors.New("cycle")
				return 0
			}
			path[id] = true
			longest := 0
			for _, c := range children[id] {
				down[c] = true
				if g := byID[c].Group; g != "" {
					groups[g] = true
				}
				longest = max(longest, 1+walk(c, path))
			}
			delete(path, id)
			return longest
		}
		row.ChainLength = walk(id, map[string]bool{})
		row.IndirectDependents, row.DependentGroups = len(down), len(groups)
		rows[id] = row
	}
	return rows, gaps, overlapping, err
}

// drawRuns draws few runs on few datasets at few instants, so that ties, overlaps and rewritten datasets are common.
func drawRuns(t *rapid.T) []*trace.Run {
	n := rapid.IntRange(1, 12).Draw(t, "runs")
	timed := rapid.Bool().Draw(t, "accesses have times")
	instant := func(least, most int) trace.Instant {
		return trace.Instant(rapid.IntRange(least, most).Draw(t, "minute")) * minute
	}
	var runs []*trace.Run
	for i := range n {
		start := rapid.IntRange(0, 10).Draw(t, "start")
		length := rapid.IntRange(0, 4).Draw(t, "length")
		r := job(fmt.Sprint("r", i), rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "group"), float64(start),
			float64(start+length), "")
		r.Seq = int64(rapid.IntRange(0, 3).Draw(t, "seq"))
		for range rapid.IntRange(0, 4).Draw(t, "accesses") {
			a := trace.Access{Dataset: rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "dataset"),
				Write: rapid.Bool().Draw(t, "write"),
				At:    trace.None, Bytes: trace.None}
			if timed && rapid.Bool().Draw(t, "timed") {
				a.At = instant(start, start+length)
			}
			r.IO = append(r.IO, a)
		}
		runs = append(runs, r)
	}
	return runs
}

// TestAgainstDefinition compares pairs, chains and closures with the slow, obvious ones. They make no cycle, whatever
// is rewritten when.
func TestAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := drawRuns(t)
		p := New(DefaultOptions())
		for _, r := range runs {
			p.Add(r)
		}
		d, err := p.Finish(context.Background())
		if err != nil || !d.Available {
			return // nothing is read, or nothing written
		}
		rows, gaps, overlapping, err := slow(runs)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(d.GapQuantiles, gaps) || d.Overlapping != overlapping {
			t.Fatalf("gaps %v and %d overlaps, want %v and %d", d.GapQuantiles, d.Overlapping, gaps, overlapping)
		}
		if len(d.Runs) != len(rows) {
			t.Fatalf("%d producers, want %d", len(d.Runs), len(rows))
		}
		for _, got := range d.Runs {
			if got != rows[got.JobID] {
				t.Fatalf("got %+v, want %+v", got, rows[got.JobID])
			}
		}
		for i := 1; i < len(d.LongestChain); i++ {
			if !slowPairs(runs)[[2]string{d.LongestChain[i-1].JobID, d.LongestChain[i].JobID}] {
				t.Fatalf("%v is no chain", d.LongestChain)
			}
		}
		if len(rows) > 0 && len(d.LongestChain) != int(d.ChainLength.Max)+1 {
			t.Fatalf("a chain of %d runs, want %v edges", len(d.LongestChain), d.ChainLength.Max)
		}
	})
}

// TestPartsDoNotMatter cuts runs into parts, and puts them in another order: the same bytes.
func TestPartsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := drawRuns(t)
		document := func(runs []*trace.Run, splits ...int) []byte {
			all, from := New(DefaultOptions()), 0
			for _, to := range append(splits, len(runs)) {
				part := New(DefaultOptions())
				for _, r := range runs[from:to] {
					part.Add(r)
				}
				all.Merge(part)
				from = to
			}
			d, err := all.Finish(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(result.Form(d))
			if err != nil {
				t.Fatal(err)
			}
			return append(data, fmt.Sprint(d.Runs)...)
		}
		want := document(runs)
		a := rapid.IntRange(0, len(runs)).Draw(t, "a")
		b := rapid.IntRange(a, len(runs)).Draw(t, "b")
		if got := document(runs, a, b); !bytes.Equal(got, want) {
			t.Fatalf("cut at %d and %d: %s\nwant %s", a, b, got, want)
		}
		if got := document(rapid.Permutation(runs).Draw(t, "order"), a, b); !bytes.Equal(got, want) {
			t.Fatalf("in another order: %s\nwant %s", got, want)
		}
	})
}

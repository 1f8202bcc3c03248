package spark

import (
	"cmp"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/trace"
)

// shuffleEdges returns an all_to_all edge from each stage of list to each that reads its output. list is in the order
// of ids. A parent that was never submitted stands for the stage that had computed the same dataset before, whose
// output it reuses, and where there is none for its own parents.
func (a *app) shuffleEdges(list []*stage) []trace.Edge {
	var edges []trace.Edge
	computed := map[int64][]*stage{} // stages by the dataset they computed
	for _, st := range list {
		if st.rdd != trace.None {
			computed[st.rdd] = append(computed[st.rdd], st)
		}
	}
	for _, child := range list {
		if !child.hasParents {
			a.findings.noParents++
		}
		seen := map[int32]bool{child.id: true}
		open := slices.Clone(child.parents)
		for len(open) > 0 {
			id := open[len(open)-1]
			open = open[:len(open)-1]
			if seen[id] {
				continue
			}
			seen[id] = true
			switch parent := a.stages[id]; {
			case parent == nil:
				a.findings.strayParents++
			case parent.submitted:
				edges = append(edges, trace.Edge{Parent: parent.row, Child: child.row, Kind: trace.AllToAll})
			default:
				if made := before(computed[parent.rdd], min(parent.id, child.id)); made == nil {
					open = append(open, parent.parents...)
				} else if !seen[made.id] {
					open = append(open, made.id)
				}
			}
		}
	}
	return edges
}

// before returns the last stage of list, which is in the order of ids, whose id is below id; nil when there is none.
func before(list []*stage, id int32) *stage {
	for _, st := range slices.Backward(list) {
		if st.id < id {
			return st
		}
	}
	return nil
}

// span is a job as driver edges see it: the rows of its submitted stages, and when it began and ended.
type span struct {
	rows       []int32
	begin, end int64 // instants, or numbers of events
	beginSeq   int64
	endSeq     int64
	ended      bool
	sources    []int32 // rows that it brought along and that no stage of it feeds
	sinks      []int32 // rows that feed no stage of it
}

// driverEdges returns the edges by which the driver program orders jobs; shuffles are the edges between stages. See the
// package comment for the rule.
//
//  1. A job is the set of its submitted stages; jobs without any are left out.
//  2. Its sinks and sources follow from the shuffles inside it. A stage that several jobs list belongs to the first.
//  3. Before job b lies every job a that ended before b began; of equal times, the order of the events decides.
//  4. Of these jobs, those that ended last give edges from their sinks to the sources of b.
//
// Time O(j log j + size of the jobs + edges) for j jobs.
func (a *app) driverEdges(stages int, shuffles []trace.Edge) []trace.Edge {
	spans := a.spans()
	cutJobs(spans, stages, shuffles)
	ends := lists.Kept(spans, func(sp *span) bool { return sp.ended })
	slices.SortStableFunc(ends, func(x, y *span) int { return cmp.Compare(x.end, y.end) })
	known := lists.Set(lists.Map(shuffles, func(e trace.Edge) [2]int32 { return [2]int32{e.Parent, e.Child} }))
	var edges []trace.Edge
	for _, b := range spans {
		for _, last := range lastBefore(ends, b) {
			for _, child := range b.sources {
				for _, parent := range last.sinks {
					if pair := [2]int32{parent, child}; parent != child && !known[pair] {
						known[pair] = true
						edges = append(edges, trace.Edge{Parent: parent, Child: child, Kind: trace.Driver})
					}
				}
			}
		}
	}
	return edges
}

// spans returns the jobs that submitted stages, in the order in which they began.
func (a *app) spans() []*span {
	timed := !slices.ContainsFunc(a.jobs, func(j job) bool {
		return j.startSeq > 0 && (!j.start.Known() || j.endSeq > 0 && !j.end.Known())
	})
	var spans []*span
	for _, j := range a.jobs {
		if j.startSeq == 0 {
			continue
		}
		sp := &span{begin: j.startSeq, end: j.endSeq, beginSeq: j.startSeq, endSeq: j.endSeq,
			ended: j.endSeq > j.startSeq}
		if timed {
			sp.begin, sp.end = int64(j.start), int64(j.end)
			sp.ended = j.end.Known()
		}
		for _, id := range j.stages {
			if st := a.stages[id]; st.submitted {
				sp.rows = append(sp.rows, st.row)
			}
		}
		if len(sp.rows) > 0 {
			spans = append(spans, sp)
		}
	}
	slices.SortFunc(spans, func(x, y *span) int { return cmp.Compare(x.beginSeq, y.beginSeq) })
	return spans
}

// cutJobs finds the sources and sinks of every job.
func cutJobs(spans []*span, stages int, shuffles []trace.Edge) {
	parents := make([][]int32, stages)
	for _, e := range shuffles {
		parents[e.Child] = append(parents[e.Child], e.Parent)
	}
	owner := make([]*span, stages)  // the job that brought the stage along
	inside := make([]*span, stages) // the job that was looked at last and has the stage
	feeds := make([]*span, stages)  // the job that was looked at last and in which the stage feeds another
	for _, sp := range spans {
		for _, row := range sp.rows {
			inside[row] = sp
			if owner[row] == nil {
				owner[row] = sp
			}
		}
		for _, row := range sp.rows {
			fed := false
			for _, parent := range parents[row] {
				if inside[parent] == sp {
					feeds[parent] = sp
					fed = true
				}
			}
			if !fed && owner[row] == sp {
				sp.sources = append(sp.sources, row)
			}
		}
		for _, row := range sp.rows {
			if feeds[row] != sp {
				sp.sinks = append(sp.sinks, row)
			}
		}
	}
}

// lastBefore returns the jobs that ended last among those that had ended when b began. ends is sorted by end.
func lastBefore(ends []*span, b *span) (last []*span) {
	n, _ := slices.BinarySearchFunc(ends, b.begin, func(x *span, begin int64) int {
		if x.end <= begin {
			return -1
		}
		return 1
	})
	for i := n - 1; i >= 0; i-- {
		x := ends[i]
		if len(last) > 0 && x.end < last[0].end {
			break
		}
		if x != b && (x.end < b.begin || x.endSeq < b.beginSeq) {
			last = append(last, x)
		}
	}
	return last
}

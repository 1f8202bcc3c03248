package health

import (
	"cmp"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// A name is generic, such as Spark shell, when it has genericRuns runs with stages or more, and at least genericPlans
// and half as many different graphs of stages as runs: they are unrelated work under one name.
const (
	genericRuns  = 10
	genericPlans = 5
	mostPlans    = 256  // different graphs that are counted per name
	mostShapes   = 4096 // names that are examined: those with the smallest hashes, so that partitions agree
	mostGeneric  = 5    // names that are shown
)

// shapes holds the graphs of the runs of names.
type shapes struct {
	of   map[string]*shape
	most uint64 `partial:"-"` // names with larger hashes were dropped; 0: none was
}

type shape struct {
	hash  uint64 // of the name
	runs  int64
	plans map[uint64]bool
}

// see adds a run of a job.
func (s *shapes) see(job string, run *trace.Run) {
	if len(run.Stages) == 0 {
		return
	}
	x := s.of[job]
	if x == nil {
		h := hash(job)
		if s.most > 0 && h > s.most {
			return
		}
		x = &shape{hash: h, plans: map[uint64]bool{}}
		if s.of == nil {
			s.of = map[string]*shape{}
		}
		s.of[strings.Clone(job)] = x
		s.bound(2 * mostShapes)
	}
	x.runs++
	x.plan(planOf(run))
}

func (x *shape) plan(h uint64) {
	if len(x.plans) < mostPlans {
		x.plans[h] = true
	}
}

// planOf returns a hash of the graph of a run as its stages are numbered.
func planOf(run *trace.Run) uint64 {
	f := fnv.New64a()
	number := func(n int32) { f.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}) } // never fails
	number(int32(min(len(run.Stages), math.MaxInt32)))
	for _, e := range run.Edges {
		if e.Kind != trace.Driver {
			number(e.Parent)
			number(e.Child)
		}
	}
	return f.Sum64()
}

// bound keeps mostShapes names if there are more than most.
func (s *shapes) bound(most int) {
	if len(s.of) <= most {
		return
	}
	names := slices.Collect(maps.Keys(s.of))
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.of[a].hash, s.of[b].hash), cmp.Compare(a, b))
	})
	for _, name := range names[mostShapes:] {
		delete(s.of, name)
	}
	s.most = s.of[names[mostShapes-1]].hash
}

func (s *shapes) merge(o *shapes) {
	for name, x := range o.of {
		mine := s.of[name]
		if mine == nil {
			if s.of == nil {
				s.of = map[string]*shape{}
			}
			s.of[name] = x
			continue
		}
		mine.runs += x.runs
		for h := range x.plans {
			mine.plan(h)
		}
	}
	s.bound(2 * mostShapes)
}

// generic returns the names of unrelated work, those with most runs first, the number of their runs, and the number of
// runs examined.
func (s *shapes) generic() (names []string, count, of int64) {
	s.bound(mostShapes)
	for name, x := range s.of {
		of += x.runs
		if x.runs >= genericRuns && int64(len(x.plans)) >= min(mostPlans, max(genericPlans, x.runs/2)) {
			names = append(names, name)
			count += x.runs
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.of[b].runs, s.of[a].runs), cmp.Compare(a, b))
	})
	return names, count, of
}

func (p *Partial) finishGeneric(n *result.HealthNames) {
	names, count, of := p.shapes.generic()
	p.tallies[genericNames].of, p.tallies[genericNames].count = of, count
	n.Generic = names[:min(len(names), mostGeneric)]
}

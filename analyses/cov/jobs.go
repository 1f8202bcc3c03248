package cov

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"

	"racecard/analyses/each"
	"racecard/analyses/jobname"
	"racecard/analyses/quantile"
	"racecard/datasets/result"
)

// jobs numbers jobs by their names.
type jobs struct {
	raw    bool // names are taken as they are
	list   []job
	byForm map[string]int32   // normalised name -> job
	names  [][]named          // names as read, each at least once
	recent [recentNames]named // most names repeat one of a few: those that were met last, by a hash
	seed   maphash.Seed
	form   jobname.Normalizer
}

type named struct {
	raw string
	job int32
}

type job struct {
	name              string // normalised
	succeeded, failed int
	slowest, fastest  end
}

type end struct {
	id      string
	seconds float64
}

// recentNames is how many names as read are remembered. It is no matter which.
const recentNames = 1 << 10

func newJobs(raw bool) *jobs {
	return &jobs{raw: raw, byForm: map[string]int32{}, names: [][]named{nil}, seed: maphash.MakeSeed()}
}

// of returns the job of a name as read, which must not be empty.
func (s *jobs) of(raw string) int32 {
	recent := &s.recent[maphash.String(s.seed, raw)%recentNames]
	if recent.raw != raw {
		*recent = named{raw, s.number(raw)}
		last := &s.names[len(s.names)-1]
		*last = append(*last, *recent)
	}
	return recent.job
}

func (s *jobs) number(raw string) int32 {
	if s.raw {
		k, ok := s.byForm[raw]
		if !ok {
			k = s.add(raw)
		}
		return k
	}
	form := s.form.Form(raw)
	k, ok := s.byForm[string(form)]
	if !ok {
		k = s.add(string(form))
	}
	return k
}

func (s *jobs) add(form string) int32 {
	k := int32(len(s.list))
	s.byForm[form] = k
	s.list = append(s.list, job{name: form})
	return k
}

// merge adds the jobs of q, and returns the numbers that they have here.
func (s *jobs) merge(q *jobs) []int32 {
	number := make([]int32, len(q.list))
	for i := range q.list {
		from := &q.list[i]
		k, ok := s.byForm[from.name]
		if !ok {
			k = s.add(from.name)
		}
		number[i] = k
		to := &s.list[k]
		to.succeeded += from.succeeded
		to.failed += from.failed
		to.slowest = extremer(to.slowest, from.slowest, +1)
		to.fastest = extremer(to.fastest, from.fastest, -1)
	}
	for _, part := range q.names {
		for i := range part {
			part[i].job = number[part[i].job]
		}
	}
	s.names = append(s.names, q.names...)
	return number
}

// byName returns the jobs in the order of their names.
func (s *jobs) byName() []int32 {
	order := make([]int32, len(s.list))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(s.list[a].name, s.list[b].name) })
	return order
}

// merged returns the number of names as read of every job that has more than one.
func (s *jobs) merged(ctx context.Context) (map[string]int, error) {
	begin := make([]int, len(s.list)+1)
	total := 0
	for _, part := range s.names {
		total += len(part)
		for i := range part {
			begin[part[i].job+1]++
		}
	}
	for k := range s.list {
		begin[k+1] += begin[k]
	}
	names := make([]string, total)
	next := slices.Clone(begin)
	for _, part := range s.names {
		for i := range part {
			at := &next[part[i].job]
			names[*at] = part[i].raw
			*at++
		}
	}
	distinct := make([]int, len(s.list))
	err := each.Do(ctx, len(s.list), func() func(int) {
		seen := map[string]struct{}{}
		return func(k int) {
			if of := names[begin[k]:begin[k+1]]; len(of) > 1 {
				clear(seen)
				for _, raw := range of {
					seen[raw] = struct{}{}
				}
				distinct[k] = len(seen)
			}
		}
	})
	out := map[string]int{}
	for k, n := range distinct {
		if n > 1 {
			out[s.list[k].name] = n
		}
	}
	return out, err
}

// rules describes how names were normalised.
func (s *jobs) rules() []string {
	if s.raw {
		return nil
	}
	return jobname.Rules()
}

// describe measures a job by the completion times of its runs, which it sorts.
func (j *job) describe(seconds []float64) result.JobVariation {
	s := quantile.Summarize(seconds)
	mean, sd := quantile.MeanSD(seconds)
	return result.JobVariation{
		Name: j.name, Runs: len(seconds), Failed: j.failed, MeanS: mean, SdS: sd, CoV: quantile.CoV(seconds),
		MinS: s.Min, P10S: s.P10, P25S: s.P25, P50S: s.P50, P75S: s.P75, P90S: s.P90, P95S: s.P95, P99S: s.P99, MaxS: s.Max,
		SlowestRun: j.slowest.id, FastestRun: j.fastest.id,
	}
}

// extremer returns the larger (sign +1) or smaller (sign -1) of two, the lower id of equals, and b when a is empty.
func extremer(a, b end, sign float64) end {
	switch {
	case a.id == "", b.id != "" && sign*b.seconds > sign*a.seconds, a.seconds == b.seconds && b.id != "" && b.id < a.id:
		return b
	default:
		return a
	}
}

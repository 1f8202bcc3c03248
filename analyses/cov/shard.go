package cov

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/result"
)

// shard accumulates the runs of some names.
type shard struct {
	recurring []Job
	succeeded int // runs of recurring jobs
	merged    []merged
}

// merged is a job that has more than one name as read.
type merged struct {
	job   string
	names int
}

// grouper groups the runs of one shard after the other by their jobs, in the same memory.
type grouper struct {
	minRuns int
	jobs    []job
	byForm  index
	names   []readName
	byName  index
	jobOf   []int32 // of the names of a chunk
	seconds []float64
	ranks   []int32
}

type job struct {
	form              []byte
	hash              uint64
	plain             bool // a name as read is its normalised form
	names             int  // as read, each once
	succeeded, failed int
	slowest, fastest  end
	counts            int // runs that have a completion time
	next              int // place of the next completion time
}

type readName struct {
	read []byte
	hash uint64
	job  int32
}

// end is the slowest or fastest run of a job.
type end struct {
	seconds float64
	in      *chunk // nil for none
	id      int32
}

// group groups the runs of a shard by their jobs.
func (g *grouper) group(chunks []*chunk, which int) shard {
	names := 0
	for _, c := range chunks {
		names += len(c.namesOf(which))
	}
	g.jobs, g.names = g.jobs[:0], g.names[:0]
	g.byForm.reset(names)
	g.byName.reset(names)
	for _, c := range chunks {
		g.jobOf = g.jobOf[:0]
		names := c.namesOf(which)
		for i := range names {
			g.jobOf = append(g.jobOf, g.find(c, &names[i]))
		}
		first := c.beginName[which]
		runs := c.runsOf(which)
		for i := range runs {
			r := &runs[i]
			r.name = g.jobOf[r.name-first]
			g.jobs[r.name].take(c, r)
		}
	}
	g.arrange(chunks, which)
	return g.result()
}

// take adds one run.
func (j *job) take(c *chunk, r *run) {
	switch r.seconds {
	case open:
	case failed:
		j.failed++
	case incomplete:
		j.succeeded++
	default:
		j.succeeded++
		j.counts++
		if s := &j.slowest; s.in == nil || r.seconds > s.seconds || r.seconds == s.seconds && c.ids[r.id] < s.of() {
			*s = end{r.seconds, c, r.id}
		}
		if f := &j.fastest; f.in == nil || r.seconds < f.seconds || r.seconds == f.seconds && c.ids[r.id] < f.of() {
			*f = end{r.seconds, c, r.id}
		}
	}
}

// of returns the id of the run; of equal runs, the lowest.
func (e *end) of() string {
	if e.in == nil {
		return ""
	}
	return e.in.ids[e.id]
}

// find returns the job of a name.
func (g *grouper) find(c *chunk, n *name) int32 {
	form, read := c.texts(n)
	if read == nil {
		k := g.job(form, n.hash)
		if j := &g.jobs[k]; !j.plain {
			j.plain = true
			j.names++
		}
		return k
	}
	hash := maphash.Bytes(hashed, read)
	at := g.byName.find(hash, func(k int32) bool { // a name may belong to two jobs
		n := &g.names[k]
		return n.hash == hash && bytes.Equal(n.read, read) && bytes.Equal(g.jobs[n.job].form, form)
	})
	if *at == 0 {
		k := g.job(form, n.hash)
		g.jobs[k].names++
		g.names = append(g.names, readName{read, hash, k})
		*at = int32(len(g.names))
	}
	return g.names[*at-1].job
}

// job returns the job of a normalised name.
func (g *grouper) job(form []byte, hash uint64) int32 {
	at := g.byForm.find(hash, func(k int32) bool { return g.jobs[k].hash == hash && bytes.Equal(g.jobs[k].form, form) })
	if *at == 0 {
		g.jobs = append(g.jobs, job{form: form, hash: hash})
		*at = int32(len(g.jobs))
	}
	return *at - 1
}

// arrange puts the completion times and ranks of the runs that count in the order of their jobs.
func (g *grouper) arrange(chunks []*chunk, which int) {
	n := 0
	for k := range g.jobs {
		g.jobs[k].next = n
		n += g.jobs[k].counts
	}
	g.seconds, g.ranks = slices.Grow(g.seconds[:0], n)[:n], make([]int32, n) // ranks become part of the result
	before := int32(0)                                                       // runs that count, in the chunks before
	for _, c := range chunks {
		for _, r := range c.runsOf(which) {
			if r.seconds < 0 {
				continue
			}
			rank := r.id
			if c.rank != nil {
				rank = c.rank[rank]
			}
			j := &g.jobs[r.name]
			g.seconds[j.next], g.ranks[j.next] = r.seconds, before+rank
			j.next++
		}
		before += int32(c.counts)
	}
}

func (g *grouper) result() (s shard) {
	for k := range g.jobs {
		j := &g.jobs[k]
		if j.names > 1 {
			s.merged = append(s.merged, merged{string(j.form), j.names})
		}
		if j.succeeded >= g.minRuns {
			from := j.next - j.counts
			s.recurring = append(s.recurring, Job{j.describe(g.seconds[from:j.next]), g.ranks[from:j.next:j.next]})
			s.succeeded += j.succeeded
		}
	}
	return s
}

func (j *job) describe(seconds []float64) result.JobVariation {
	s := quantile.Summarize(quantile.SortInPlace(seconds))
	mean, sd := quantile.MeanSD(seconds)
	return result.JobVariation{
		Name: string(j.form), Runs: len(seconds), Failed: j.failed, MeanS: mean, SdS: sd, CoV: quantile.CoV(seconds),
		MinS: s.Min, P10S: s.P10, P25S: s.P25, P50S: s.P50, P75S: s.P75, P90S: s.P90, P95S: s.P95, P99S: s.P99,
		MaxS:       s.Max,
		SlowestRun: j.slowest.of(), FastestRun: j.fastest.of(),
	}
}

// index finds entries of a list by hashes: open addressing, an entry being one more than a place in the list, or 0.
type index struct{ slots []int32 }

// reset empties the index and makes room for n entries.
func (x *index) reset(n int) {
	size := 1 << bits.Len(uint(2*n))
	x.slots = slices.Grow(x.slots[:0], size)[:size]
	clear(x.slots)
}

// find returns the slot of the place that is the same, or the empty one where it belongs.
func (x *index) find(hash uint64, same func(place int32) bool) *int32 {
	last := uint64(len(x.slots) - 1)
	for at := hash & last; ; at = (at + 1) & last {
		if slot := &x.slots[at]; *slot == 0 || same(*slot-1) {
			return slot
		}
	}
}

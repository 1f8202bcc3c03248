package health

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"racecard/datasets/jobname"
	"racecard/datasets/result"
	"racecard/datasets/seed"
	"racecard/datasets/trace"
)

// The numbers of names that are kept: hashes, and normalised forms that need not be computed again.
const (
	sketchSize = 4096
	cacheSize  = 1 << 13
)

// names estimates how many different names runs have.
type names struct {
	named      int64
	normalised map[string]string
	// least holds the smallest hashes of the different names, ascending: K. Beyer et al., "On Synopses for
	// Distinct-Value Estimation Under Multiset Operations", SIGMOD 2007, the KMV synopsis and its unbiased estimator.
	least []uint64
}

func newNames() names { return names{normalised: map[string]string{}} }

func (n *names) see(name string) {
	n.named++
	form, ok := n.normalised[name]
	if !ok {
		if len(n.normalised) >= cacheSize {
			clear(n.normalised)
		}
		form = jobname.Normalize(name)
		n.normalised[strings.Clone(name)] = form // the run is not kept
	}
	n.insert(hash(form))
}

// hash returns a hash whose bits are evenly spread, the same in every process: FNV-1a, mixed ([seed.Mix]).
func hash(s string) uint64 {
	f := fnv.New64a()
	f.Write([]byte(s)) // never fails
	return seed.Mix(f.Sum64())
}

func (n *names) insert(h uint64) {
	if len(n.least) == sketchSize && h >= n.least[sketchSize-1] {
		return
	}
	i, ok := slices.BinarySearch(n.least, h)
	if ok {
		return
	}
	n.least = slices.Insert(n.least, i, h)
	n.least = n.least[:min(len(n.least), sketchSize)]
}

func (n *names) merge(m *names) {
	n.named += m.named
	for _, h := range m.least {
		n.insert(h)
	}
}

func (n *names) result() result.HealthNames {
	r := result.HealthNames{Named: n.named, Distinct: int64(len(n.least)), Exact: len(n.least) < sketchSize}
	if !r.Exact {
		// share of the hash range at or below the largest kept hash
		share := float64(n.least[sketchSize-1]) / math.MaxUint64
		r.Distinct = min(n.named, int64(math.Round((sketchSize-1)/share)))
	}
	return r
}

// manyNames is the number of named runs needed to report that names do not recur.
const manyNames = 20

func (p *Partial) addNames(run *trace.Run) {
	for _, f := range [...]struct {
		c    check
		text string
	}{{withoutName, run.Name}, {withoutUser, run.User}, {withoutGroup, run.Group}} {
		p.see(f.c)
		if f.text == "" {
			p.hit(f.c, run, nowhere)
		}
	}
	if run.Name != "" {
		p.names.see(run.Name)
		p.shapes.see(run.JobName(false), run)
	}
}

func (p *Partial) finishNames(n *result.HealthNames) {
	t := &p.tallies[uniqueNames]
	if n.Named < manyNames {
		return
	}
	t.of = n.Named
	if float64(n.Distinct) >= 0.95*float64(n.Named) {
		t.count = n.Distinct
	}
}

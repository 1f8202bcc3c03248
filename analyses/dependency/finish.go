package dependency

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/words"
)

// How many extreme cases a result names, and how many gaps it holds.
const (
	mostProducers = 10
	mostLinks     = 50
	mostGaps      = 201
)

// finisher holds the inputs of a result.
type finisher struct {
	*Partial
	order  []int32 // runs by their place
	pairs  []pair
	graph  *graph
	result *result.Dependency
}

// Finish computes the result. It does not depend on the order of runs or merges, nor on the number of processors.
func (p *Partial) Finish(ctx context.Context) (*result.Dependency, error) {
	head := result.Header{Needs: Needs()}
	for _, mode := range []struct {
		name string
		seen bool
	}{{"read", p.read}, {"write", p.written}} {
		if !mode.seen {
			head.Missing = append(head.Missing, "io.mode = "+mode.name)
		}
	}
	if len(head.Missing) > 0 { // the trace lacks reads or writes
		head.LeftOut = p.leftOut
		return &result.Dependency{Header: head}, nil
	}
	head.Available, head.LeftOut = true, p.leftOut
	f := finisher{Partial: p, result: &result.Dependency{
		Header: head, Jobs: p.jobs, Memory: p.opts.Memory, Datasets: p.datasets.len(), Reads: p.reads,
		Intervals: quantile.NewIntervals(), MostDependents: []result.Producer{}, LongestChain: []result.ChainLink{},
	}}
	var place []int32
	var err error
	f.order, place = p.order()
	if f.pairs, f.result.ReadsWithoutWriter, err = p.pairs(ctx, f.order, place); err != nil {
		return nil, err
	}
	f.graph = newGraph(len(f.order), f.pairs)
	f.gaps()
	f.datasets = texts{} // their names are not needed any more, and may be many
	if err := f.producers(ctx); err != nil {
		return nil, err
	}
	f.longestChain()
	f.warn()
	return f.result, nil
}

// at returns the run at a place of the order.
func (f *finisher) at(place int32) *run { return &f.runs[f.order[place]] }

// gap returns the gap of a pair in minutes, and whether it overlaps; NaN when it overlaps or a time is unknown.
func (f *finisher) gap(producer, dependent int32) (minutes float64, overlaps bool) {
	end, begin := f.at(producer).end, f.at(dependent).begin
	switch {
	case end == trace.None || begin == trace.None:
		return math.NaN(), false
	case end > begin:
		return math.NaN(), true
	}
	return float64(begin-end) / 60e6, false
}

// gaps describes the pairs.
func (f *finisher) gaps() {
	r := f.result
	r.Pairs = len(f.pairs)
	gaps := make([]float64, 0, len(f.pairs))
	longest, unknown, failed := -1, 0, 0
	for i, p := range f.pairs {
		gap, overlaps := f.gap(p.producer, p.dependent)
		switch {
		case overlaps:
			r.Overlapping++
		case math.IsNaN(gap):
			unknown++
		default:
			gaps = append(gaps, gap)
			if r.LongestGap == nil || gap > r.LongestGap.GapMin {
				longest = i
				r.LongestGap = &result.DependencyPair{GapMin: gap}
			}
		}
		if f.at(p.producer).failed {
			failed++
		}
	}
	if longest >= 0 {
		p, g := f.pairs[longest], r.LongestGap
		a, b := f.order[p.producer], f.order[p.dependent]
		g.Producer, g.Dependent, g.Dataset = string(f.ids.at(a)), string(f.ids.at(b)), string(f.datasets.at(p.dataset))
		g.ProducerName, g.DependentName = f.name(a), f.name(b)
	}
	sorted := quantile.Sort(gaps)
	r.GapMin = quantile.Summarize(sorted)
	quantile.AddIntervals(&r.Intervals, "gap_min", sorted, f.opts.Seed)
	r.GapQuantiles = sorted.Values()
	if sorted.Len() > mostGaps {
		r.GapQuantiles = lists.Indexed(mostGaps, func(i int) float64 {
			return quantile.Quantile(sorted, float64(i)/(mostGaps-1))
		})
	}
	if unknown > 0 {
		f.say("%s of %s no gap: the producer's end or the dependent's start is unknown", words.Count(unknown),
			words.Of(len(f.pairs), "pair has", "pairs have"))
	}
	if failed > 0 {
		f.say("%s of %s on a run that failed, was killed, evicted or lost: what it wrote may not be whole",
			words.Count(failed), words.Of(len(f.pairs), "pair depends", "pairs depend"))
	}
}

// producers describes the runs on which others depend.
func (f *finisher) producers(ctx context.Context) error {
	g, r := f.graph, f.result
	jobs, groups, err := f.downstream(ctx)
	if err != nil {
		return err
	}
	ids, names := f.shared(&f.ids), f.shared(&f.names) // one copy each, of which the rows hold parts
	ofGroups := f.shared(&f.groups)
	connected, noGroup := 0, 0
	for i := range int32(len(f.order)) {
		children := g.of(i)
		if g.producers[i] > 0 {
			r.Dependents++
		}
		if g.producers[i] > 0 || len(children) > 0 {
			connected++
		}
		if len(children) == 0 {
			continue
		}
		x := f.at(i)
		row := result.Producer{
			JobID: ids(f.order[i]), Name: names(x.name), DependsOn: int(g.producers[i]), Dependents: len(children),
			ChainLength: int(g.chain[i]), IndirectDependents: int(jobs[i]), DependentGroups: int(groups[i]),
		}
		if x.group >= 0 {
			row.Group = ofGroups(x.group)
		}
		if groups[i] == 0 {
			noGroup++
		}
		r.Runs = append(r.Runs, row)
	}
	r.Producers = len(r.Runs)
	r.ShareWithDependency = result.Number(float64(connected) / float64(r.Jobs))
	for _, m := range []struct {
		name string
		into *result.Summary
		of   func(*result.Producer) int
	}{
		{"chain_length", &r.ChainLength, func(p *result.Producer) int { return p.ChainLength }},
		{"indirect_dependents", &r.IndirectDependents, func(p *result.Producer) int { return p.IndirectDependents }},
		{"dependent_groups", &r.DependentGroups, func(p *result.Producer) int { return p.DependentGroups }},
	} {
		values := make([]float64, 0, len(r.Runs))
		for i := range r.Runs {
			if v := m.of(&r.Runs[i]); v > 0 {
				values = append(values, float64(v))
			}
		}
		sorted := quantile.Sort(values)
		*m.into = quantile.Summarize(sorted)
		quantile.AddIntervals(&r.Intervals, m.name, sorted, f.opts.Seed)
	}
	if noGroup > 0 {
		f.say("dependent_groups leaves out %s of %s on which others depend: no group downstream of them is known",
			words.Count(noGroup), words.Of(r.Producers, "run", "runs"))
	}
	f.extremes()
	return nil
}

// downstream counts the runs downstream of each run, and their groups.
func (f *finisher) downstream(ctx context.Context) (jobs, groups []int32, err error) {
	connected := f.graph.components()
	index := make([]int32, len(f.order))
	byJob, byGroup := make([]*component, len(connected)), make([]*component, len(connected))
	hashes := make([]uint64, f.groups.len())
	for i := range hashes {
		h := fnv.New64a()
		_, _ = h.Write(f.groups.at(int32(i))) // never fails
		hashes[i] = scatter(h.Sum64())
	}
	ofGroup := universe{item: func(run int32) int32 { return f.at(run).group }, size: f.groups.len(),
		hash: func(group int32) uint64 { return hashes[group] }}
	for k, runs := range connected {
		for i, run := range runs {
			index[run] = int32(i)
		}
		last := int32(len(runs) - 1)
		ofJob := universe{item: func(run int32) int32 { return last - index[run] }, size: len(runs), grows: true,
			hash: func(item int32) uint64 { return scatter(uint64(runs[last-item])) }}
		byJob[k], byGroup[k] = newComponent(runs, ofJob), newComponent(runs, ofGroup)
	}
	standardError := map[string]float64{}
	count := func(name string, of []*component) (counts []int32) {
		if err != nil {
			return nil
		}
		var e float64
		if counts, e, err = f.graph.downstream(ctx, of, index, f.opts.Memory); e > 0 {
			standardError[name] = e
		}
		return counts
	}
	jobs, groups = count("indirect_dependents", byJob), count("dependent_groups", byGroup)
	if len(standardError) > 0 {
		f.result.Estimated, f.result.StandardError = true, standardError
	}
	return jobs, groups, err
}

// extremes names the producers with most dependents and with most groups, the earliest of equals.
func (f *finisher) extremes() {
	r := f.result
	by := make([]int32, len(r.Runs))
	for i := range by {
		by[i] = int32(i)
		if p := &r.Runs[i]; p.DependentGroups > 0 &&
			(r.MostGroups == nil || p.DependentGroups > r.MostGroups.DependentGroups) {
			r.MostGroups = p
		}
	}
	slices.SortFunc(by, func(i, k int32) int {
		a, b := &r.Runs[i], &r.Runs[k]
		return cmp.Or(cmp.Compare(b.IndirectDependents, a.IndirectDependents), cmp.Compare(b.Dependents, a.Dependents),
			cmp.Compare(i, k))
	})
	for _, i := range by[:min(mostProducers, len(by))] {
		r.MostDependents = append(r.MostDependents, r.Runs[i])
	}
}

// longestChain names the runs of the longest chain.
func (f *finisher) longestChain() {
	chain := f.graph.longest(mostLinks)
	for k, i := range chain {
		x := f.at(i)
		link := result.ChainLink{JobID: string(f.ids.at(f.order[i])), Name: f.name(f.order[i]),
			GapMin: result.Number(math.NaN())}
		if x.group >= 0 {
			link.Group = string(f.groups.at(x.group))
		}
		if k > 0 {
			gap, _ := f.gap(chain[k-1], i)
			link.GapMin = result.Number(gap)
		}
		f.result.LongestChain = append(f.result.LongestChain, link)
	}
}

// warn adds warnings for readers of the result.
func (f *finisher) warn() {
	submitted := 0
	for i := range f.runs {
		if f.runs[i].submitted {
			submitted++
		}
	}
	switch {
	case submitted == len(f.runs) && submitted > 0:
		f.say("no run that reads or writes has a start: they count as started when they were submitted")
	case submitted > 0:
		f.say("of %s that read or write, %s no start: they count as started when they were submitted",
			words.Of(len(f.runs), "run", "runs"), words.Of(submitted, "has", "have"))
	}
	for _, what := range []string{"indirect_dependents", "dependent_groups"} {
		if e := f.result.StandardError[what]; e > 0 {
			f.say("%s is estimated, with a standard error of %.1f%%: exact sets need more memory than %d bytes", what,
				100*e, f.opts.Memory)
		}
	}
}

func (f *finisher) say(format string, args ...any) {
	f.result.Warnings = append(f.result.Warnings, fmt.Sprintf(format, args...))
}

// name returns the name of a run.
func (f *finisher) name(run int32) string { return string(f.names.at(f.runs[run].name)) }

// shared returns a function that returns texts as parts of one copy of them all.
func (f *finisher) shared(t *texts) func(int32) string {
	all := string(t.bytes)
	return func(i int32) string {
		from := 0
		if i > 0 {
			from = t.ends[i-1]
		}
		return all[from:t.ends[i]]
	}
}

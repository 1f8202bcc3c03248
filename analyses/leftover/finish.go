package leftover

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

const (
	maxPoints   = 2000 // of the timeline
	maxExtremes = 10   // runs that are named, per resource
)

// samples are the cluster's leftover at instants, or over bins.
type samples struct {
	at       []int64 // instants, or middles of bins, ascending
	weight   []int64 // microseconds to the next instant, or width of the bin
	events   []int64
	leftover [trace.NumResources][]float64 // NaN where nothing was allocated; nil for resources that no run knew
	observed [trace.NumResources]*quantile.Observations
}

// sample evaluates exact steps at the instants of events.
func (s *steps) sample() *samples {
	n := 0
	for _, events := range s.events {
		if events > 0 {
			n++
		}
	}
	out := &samples{at: make([]int64, 0, n), weight: make([]int64, n), events: make([]int64, 0, n)}
	for r := range s.alloc {
		if s.alloc[r] != nil {
			out.leftover[r] = make([]float64, 0, n)
		}
	}
	var now levels
	for i, at := range s.at {
		now.apply(s, i)
		if s.events[i] == 0 {
			continue
		}
		if k := len(out.at); k > 0 {
			out.weight[k-1] = at - out.at[k-1]
		}
		out.at, out.events = append(out.at, at), append(out.events, int64(s.events[i]))
		for r := range s.alloc {
			if s.alloc[r] != nil { // 0/0 is NaN
				out.leftover[r] = append(out.leftover[r], now.spare[r].float()/now.alloc[r].float())
			}
		}
	}
	return out
}

// sample evaluates bins.
func (b *bins) sample() *samples {
	n := len(b.events)
	out := &samples{at: make([]int64, n), weight: make([]int64, n), events: b.events}
	for i := range n {
		out.at[i], out.weight[i] = b.from(i)+b.width()/2, b.width()
	}
	for r := range b.alloc {
		if b.alloc[r] == nil {
			continue
		}
		out.leftover[r] = make([]float64, n)
		alloc, spare := b.held(b.alloc[r]), b.held(b.spare[r])
		for i := range n {
			out.leftover[r][i] = spare[i].float() / alloc[i].float()
		}
	}
	return out
}

// overTime fills in the figures over all runs together.
func (p *Partial) overTime(doc *result.Leftover) *samples {
	line := &bins{most: maxPoints}
	var s *samples
	if all := p.series.whole(); all != nil {
		line.pour(all)
		s = all.sample()
		doc.BinS = result.Number(math.NaN())
	} else {
		b := p.series.bins
		line, s = b.thin(maxPoints), b.sample()
		doc.Estimated, doc.BinS = true, result.Number(float64(b.width())/1e6)
	}
	p.series = series{} // release its memory
	doc.Instants = int64(len(s.at))
	for _, n := range s.events {
		doc.Events += n
	}
	doc.Timeline = line.timeline(&p.rows)
	for r := range trace.NumResources {
		of := doc.Resources[r.String()]
		if of == nil || !of.Available {
			continue
		}
		s.observed[r], s.leftover[r] = quantile.Observe(s.leftover[r]), nil
		byTime := quantile.ByWeight(s.observed[r].Weighted(s.weight))
		byEvent := quantile.ByCount(s.observed[r].Weighted(s.events))
		of.TimeWeighted, of.TimeCurve = byTime.Summary(), byTime.Curve()
		of.EventWeighted, of.EventCurve = byEvent.Summary(), byEvent.Curve()
		var alloc, spare product
		allocs, spares := line.held(line.alloc[r]), line.held(line.spare[r])
		for i := range allocs {
			alloc.plus(allocs[i])
			spare.plus(spares[i])
		}
		of.Allocated, of.Spare = result.Number(unitSeconds(alloc.float())), result.Number(unitSeconds(spare.float()))
		of.Share = result.Number(spare.float() / alloc.float())
	}
	return s
}

// timeline returns the bins as means over their width.
func (b *bins) timeline(runs *result.LeftoverRuns) result.LeftoverTimeline {
	t := result.LeftoverTimeline{
		FromS: result.Number(float64(b.from(0)) / 1e6), StepS: result.Number(float64(b.width()) / 1e6),
		Running: b.running(runs), Resources: map[string]result.LeftoverTimeValue{},
	}
	for r := range b.alloc {
		if b.alloc[r] == nil {
			continue
		}
		v := result.LeftoverTimeValue{Allocated: make([]float64, len(b.events)), Spare: make([]float64, len(b.events))}
		alloc, spare := b.held(b.alloc[r]), b.held(b.spare[r])
		for i := range b.events {
			v.Allocated[i] = units(alloc[i].float()) / float64(b.width())
			v.Spare[i] = units(spare[i].float()) / float64(b.width())
		}
		t.Resources[trace.ResourceNames[r]] = v
	}
	return t
}

// running returns the mean number of runs between their start and end in every bin.
func (b *bins) running(runs *result.LeftoverRuns) []float64 {
	n := len(b.events)
	// change in the number of runs that span whole bins; time of runs that cover part of a bin
	begun, partly := make([]int64, n+1), make([]int64, n)
	for _, r := range runs.All() {
		from, to := max(int64(r.Start), b.from(0)), min(int64(r.End), b.from(n))
		if from >= to {
			continue
		}
		first, last := int(from>>b.shift-b.first), int((to-1)>>b.shift-b.first)
		if first == last {
			partly[first] += to - from
			continue
		}
		partly[first] += b.from(first+1) - from
		partly[last] += to - b.from(last)
		begun[first+1]++
		begun[last]--
	}
	out := make([]float64, n)
	full := int64(0)
	for i := range out {
		full += begun[i]
		out[i] = float64(full) + float64(partly[i])/float64(b.width())
	}
	return out
}

// extremes lists the runs with the most leftover of every resource.
func (p *Partial) extremes(doc *result.Leftover) {
	var by [trace.NumResources][]result.LeftoverExtreme // the most first
	for _, run := range p.rows.All() {
		for k := range run.Of {
			of := &run.Of[k]
			doc.Resources[of.Resource.String()].Runs++
			if of.Spare > 0 {
				by[of.Resource] = rank(by[of.Resource], run, of)
			}
		}
	}
	for r, extremes := range by {
		if of := doc.Resources[trace.ResourceNames[r]]; of != nil && of.Available {
			of.Extremes = append([]result.LeftoverExtreme{}, extremes...)
		}
	}
}

// rank returns the extremes with a run among them if it belongs there.
func rank(extremes []result.LeftoverExtreme, run *result.LeftoverRun,
	of *result.LeftoverAmount) []result.LeftoverExtreme {
	at, _ := slices.BinarySearchFunc(extremes, of, func(x result.LeftoverExtreme, of *result.LeftoverAmount) int {
		return cmp.Or(cmp.Compare(of.Spare, x.Spare), cmp.Compare(x.JobID, run.JobID))
	})
	if at == maxExtremes {
		return extremes
	}
	extremes = slices.Insert(extremes, at, result.LeftoverExtreme{
		JobID: strings.Clone(run.JobID), Name: strings.Clone(run.Name),
		Leftover: result.Number(of.Leftover), Allocated: of.Allocated, Spare: of.Spare,
	})
	return extremes[:min(len(extremes), maxExtremes)]
}

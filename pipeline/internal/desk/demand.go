package desk

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"racecard/analyses/waste"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/reports/desk"
)

const (
	demandBins = 320 // about
	mostBins   = 20_000
	mostGroups = 2_000 // groups with separate sums while runs are read
	shownBands = 5     // groups that are drawn, in addition to the sum of the others
)

// demand sums up held and used cores over time, in bins of equal length.
type demand struct {
	from, bin float64 // seconds
	cores     bool    // a slot counts as the cores that its attempts demand
	used, mem []float64
	held      map[string][]float64 // core-seconds by group
	unplaced  int
	anyMem    bool
}

func newDemand(b *buckets, cores bool) *demand {
	per := max(1, demandBins/b.count())
	return &demand{from: seconds(b.edges[0]), bin: b.step.Seconds() / float64(per), cores: cores,
		held: map[string][]float64{}}
}

func seconds(at trace.Instant) float64 { return float64(at) / 1e6 }

// add adds what a run of a group held.
func (d *demand) add(group string, u *waste.Use) {
	if len(u.Stretches) == 0 {
		d.unplaced++
		return
	}
	held, ok := d.held[group]
	if !ok && len(d.held) >= mostGroups {
		group = waste.Others
		held, ok = d.held[group]
	}
	if !ok {
		group = strings.Clone(group)
	}
	for _, s := range u.Stretches {
		from, to := seconds(s.From), seconds(s.To)
		held = d.spread(held, from, to, float64(s.Held)*u.Cores)
		d.used = d.spread(d.used, from, to, float64(s.Used)*u.Cores)
		if d.cores && u.Bytes > 0 {
			d.anyMem = true
			d.mem = d.spread(d.mem, from, to, float64(s.Held)*u.Bytes)
		}
	}
	d.held[group] = held
}

// spread distributes an amount over the bins of a period.
func (d *demand) spread(bins []float64, from, to, amount float64) []float64 {
	first, last := int((from-d.from)/d.bin), int((to-d.from)/d.bin)
	for i := max(0, first); i <= min(last, mostBins-1); i++ {
		for len(bins) <= i {
			bins = append(bins, 0)
		}
		begin := d.from + float64(i)*d.bin
		bins[i] += amount * max(0, min(to, begin+d.bin)-max(from, begin))
	}
	return bins
}

// finish returns the means of all bins.
func (d *demand) finish(by string, machines []trace.Machine) *desk.Demand {
	if len(d.held) == 0 {
		return nil
	}
	n := len(d.used)
	for _, h := range d.held {
		n = max(n, len(h))
	}
	n = min(mostBins, n)
	out := &desk.Demand{FromS: d.from, BinS: d.bin, Unplaced: d.unplaced, By: by}
	mean := func(bins []float64) desk.Column {
		c := make(desk.Column, n)
		for i, x := range bins[:min(n, len(bins))] {
			c[i] = x / d.bin
		}
		return c
	}
	out.Used = mean(d.used)
	if d.anyMem {
		out.MemUsed = mean(d.mem)
	}
	sum := func(group string) (s float64) {
		for _, x := range d.held[group] {
			s += x
		}
		return s
	}
	groups := slices.SortedFunc(maps.Keys(d.held), func(a, b string) int {
		return cmp.Or(cmp.Compare(sum(b), sum(a)), cmp.Compare(a, b))
	})
	rest := make([]float64, n)
	for i, g := range groups {
		if i < shownBands && g != waste.Others || len(groups) == shownBands+1 {
			out.Held = append(out.Held, desk.Series{Name: g, Values: mean(d.held[g])})
			continue
		}
		for k, x := range d.held[g][:min(n, len(d.held[g]))] {
			rest[k] += x
		}
	}
	if len(groups) > len(out.Held) {
		out.Held = append(out.Held, desk.Series{Name: "others", Values: mean(rest)})
	}
	out.Capacity = d.capacity(machines, n)
	most := [2]float64{}
	for i := range n {
		held := 0.0
		for k := range out.Held {
			held += out.Held[k].Values[i]
		}
		most = [2]float64{max(most[0], held), max(most[1], out.Used[i])}
	}
	out.Peak = [2]result.Number{result.Number(most[0]), result.Number(most[1])}
	return out
}

// capacity returns the cores of machines over time; no values where they are not known.
func (d *demand) capacity(machines []trace.Machine, n int) desk.Series {
	s := desk.Series{Name: "capacity"}
	var bins []float64
	for i := range machines {
		m := &machines[i]
		if math.IsNaN(m.CPU) || !d.cores {
			return s
		}
		from, to := d.from, d.from+float64(n)*d.bin
		if m.From.Known() {
			from = max(from, seconds(m.From))
		}
		if m.To.Known() {
			to = min(to, seconds(m.To))
		}
		if to > from {
			bins = d.spread(bins, from, to, m.CPU)
		}
	}
	for i := range min(n, len(bins)) {
		s.Values = append(s.Values, bins[i]/d.bin)
	}
	return s
}

package waste

import (
	"maps"
	"math"
	"slices"
	"strings"

	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// mostBins bounds the number of time bins: if more are in use, bins become twice as long.
const mostBins = 1 << 14

// firstBin is the length of a bin at first, in microseconds.
const firstBin = 1_000_000

// fleet adds up, over time, the cores that runs held and those on which attempts ran, and the machines.
type fleet struct {
	bin   int64          // length of a bin, in microseconds
	bins  map[int64]load // by index in time; bins in which nothing was held are absent
	hosts map[string]int64
	last  int64      `partial:"-"` // the bin of pending
	load  load       `partial:"-"` // that bins lacks
	seen  [64]string `partial:"-"` // machines of late, so that most attempts need no map
}

// load is core-microseconds.
type load struct{ Held, Busy float64 }

func newFleet() fleet { return fleet{bin: firstBin, bins: map[int64]load{}, hosts: map[string]int64{}} }

// add adds cores that are held and busy in a stretch of time.
func (f *fleet) add(from, to trace.Instant, held, busy float64) {
	for at := int64(from); at < int64(to); {
		b := floor(at, f.bin)
		if b != f.last {
			f.flush()
			b = floor(at, f.bin) // flush may have changed the length
			f.last = b
		}
		next := min(int64(to), (b+1)*f.bin)
		if whole := (int64(to) - at) / f.bin; whole > mostBins { // years: in longer bins
			f.flush()
			f.double()
			continue
		}
		f.load.Held += held * float64(next-at)
		f.load.Busy += busy * float64(next-at)
		at = next
	}
}

// flush adds the pending amount to its bin.
func (f *fleet) flush() {
	if f.load.Held > 0 || f.load.Busy > 0 {
		l := f.bins[f.last]
		f.bins[f.last] = load{l.Held + f.load.Held, l.Busy + f.load.Busy}
		f.load = load{}
	}
	for len(f.bins) > mostBins {
		f.double()
	}
}

// double makes bins twice as long. Nothing may be pending.
func (f *fleet) double() {
	bins := make(map[int64]load, len(f.bins)/2)
	for b, l := range f.bins {
		to := bins[floor(b, 2)]
		bins[floor(b, 2)] = load{to.Held + l.Held, to.Busy + l.Busy}
	}
	f.bin, f.bins = 2*f.bin, bins
	f.last = math.MinInt64
}

// floor divides, rounding down.
func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// machine counts an attempt on a machine. Executors of a host, such as host-1/7, are one machine.
func (f *fleet) machine(name string) {
	if name == "" {
		return
	}
	slot := (len(name) + int(name[len(name)-1]) + 7*int(name[len(name)/2])) % len(f.seen)
	if f.seen[slot] == name {
		return
	}
	f.seen[slot] = strings.Clone(name)
	host := name
	if i := strings.LastIndexByte(name, '/'); i > 0 && strings.Trim(name[i+1:], "0123456789") == "" {
		host = name[:i]
	}
	if _, ok := f.hosts[host]; !ok && len(f.hosts) < maxMachines {
		f.hosts[strings.Clone(host)] = 1
	}
}

// merge adds another fleet, which must not be used afterwards.
func (f *fleet) merge(o *fleet) {
	f.flush()
	o.flush()
	for host := range o.hosts {
		f.hosts[host] = 1
	}
	for o.bin < f.bin {
		o.double()
	}
	for f.bin < o.bin {
		f.double()
	}
	for b, l := range o.bins {
		to := f.bins[b]
		f.bins[b] = load{to.Held + l.Held, to.Busy + l.Busy}
	}
	for len(f.bins) > mostBins {
		f.double()
	}
}

// mostOfTheTime is the share of the active time (any core is held) for which a fleet must suffice.
const mostOfTheTime = 0.99

// result returns the number of machines that would have sufficed; nil if it is not known. Cores held at once are means
// over bins where the levels are not known.
func (f *fleet) result(l *levels) *result.Fleet {
	f.flush()
	if len(f.bins) == 0 {
		return nil
	}
	var all, work []float64
	for _, b := range slices.Sorted(maps.Keys(f.bins)) {
		all, work = append(all, f.bins[b].Held/float64(f.bin)), append(work, f.bins[b].Busy/float64(f.bin))
	}
	held, busy := quantile.Sort(all), quantile.Sort(work)
	out := &result.Fleet{Machines: len(f.hosts), BinS: float64(f.bin) / 1e6, Share: mostOfTheTime,
		CoresAre: result.CoresMeans, BusyAre: result.CoresMeans, PeakCores: held.Max(), LeastPeak: held.Max(),
		MeanCores: quantile.Mean(held.Values()), Cores: quantile.Quantile(held, mostOfTheTime),
		BusyCores: quantile.Quantile(busy, mostOfTheTime)}
	if at, ok := l.sweep(mostOfTheTime); ok {
		out.PeakCores, out.Cores, out.BusyCores = at.peak, at.held, at.busy
		out.CoresAre, out.BusyAre = counted(at.rounded), counted(at.busyRound)
		if !at.rounded {
			out.LeastPeak, out.MeanCores = at.peak, at.mean
		}
	}
	if out.Machines > 0 && out.PeakCores > 0 {
		out.CoresPerMachine = result.Number(out.PeakCores / float64(out.Machines))
		enough := func(cores float64) int {
			return min(out.Machines, max(1, int(math.Ceil(cores/out.PeakCores*float64(out.Machines)-1e-9))))
		}
		if out.PeakCores >= float64(out.Machines) { // with less than a core each, the peak is not all that they have
			out.Enough, out.EnoughBusy = enough(out.Cores), enough(out.BusyCores)
		}
	} else {
		out.CoresPerMachine = result.Number(math.NaN())
	}
	return out
}

// counted names how cores held at once are known.
func counted(rounded bool) string {
	if rounded {
		return result.CoresBound
	}
	return result.CoresExact
}

// concurrent adds the cores that the run just classified held over time, most slots at once, and its machines.
func (p *Partial) concurrent(run *trace.Run, most int64) {
	for _, s := range p.stretches {
		p.fleet.add(s.From, s.To, p.perSlot*float64(s.Held), p.perSlot*float64(s.Used))
	}
	p.fleet.flush()
	p.levels.add(p.stretches, most, p.perSlot)
	for i := range run.Attempts {
		p.fleet.machine(run.Attempts[i].Machine)
	}
}

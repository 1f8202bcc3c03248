package waste

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"racecard/datasets/gcd"
	"racecard/datasets/lists"
	"racecard/datasets/trace"
)

// levels are the cores that runs held, and those on which attempts ran, at every instant. A run counts by its changes:
// exactly if it held at most so many different numbers of cores one after the other, and otherwise by as many steps,
// which are never below. The sum over runs is then an upper bound at every instant. Beyond a limit all changes are
// dropped, so that the result depends on their number alone.
type levels struct {
	limit   int64         `partial:"-"`
	most    int           `partial:"-"` // steps of a run
	n       int64         // changes of all runs
	rounded int64         // runs whose held cores are rounded up
	busy    int64         // runs whose busy cores are rounded up
	chunks  []packed      // changes in order of time
	pending []levelChange `partial:"-"` // that chunks lack
	steps   []step        `partial:"-"` // room for those of a run
}

// perChange is the number of bytes that a change takes at most on average, measured.
const perChange = 12

// chunkChanges is the number of changes from which they are packed.
const chunkChanges = 1 << 13

// levelChange says by how many millionths the cores that are held and busy change.
type levelChange struct {
	at         trace.Instant
	held, busy int64
}

// packed are changes with different instants, in order: each as the time since the one before, and both differences,
// divided by their greatest common divisors.
type packed struct {
	N     int
	Units [3]int64
	Data  []byte
}

// step is a time in which a run counts with a number of cores, in millionths. Its area is the number that the run held,
// times microseconds.
type step struct {
	from, to trace.Instant
	level    int64
	area     float64
}

// add takes the stretches of a run into account, which are in order of time. The run counts with at most so many slots:
// attempts that hand a slot over often overlap by milliseconds.
func (l *levels) add(stretches []Stretch, most int64, perSlot float64) {
	first := len(l.pending)
	held := l.outline(stretches, func(s *Stretch) int64 { return millionths(min(s.Held, most), perSlot) }, &l.rounded)
	l.change(held, first, func(c *levelChange, by int64) { c.held += by })
	busy := l.outline(stretches, func(s *Stretch) int64 { return millionths(min(s.Used, most), perSlot) }, &l.busy)
	l.change(busy, first, func(c *levelChange, by int64) { c.busy += by })
	l.n += int64(len(l.pending) - first)
	switch {
	case l.n > l.limit:
		l.chunks, l.pending = nil, nil
	case len(l.pending) >= chunkChanges:
		l.pack()
	}
}

// mostCores bounds the millionths of cores of one run, so that sums over runs do not overflow.
const mostCores = 1e13

func millionths(slots int64, perSlot float64) int64 {
	if x := float64(slots) * perSlot * 1e6; x < mostCores {
		return int64(math.Ceil(x - 1e-3))
	}
	return mostCores
}

// outline returns at most l.most steps that are never below the level of a run. They are valid until the next call.
// rounded is incremented if they are above it anywhere.
func (l *levels) outline(stretches []Stretch, level func(*Stretch) int64, rounded *int64) []step {
	steps, total := l.steps[:0], 0.0
	for i := range stretches {
		s := &stretches[i]
		x := level(s)
		area := float64(x) * float64(s.To-s.From)
		total += area
		if k := len(steps) - 1; k >= 0 && steps[k].level == x && steps[k].to == s.From {
			steps[k].to, steps[k].area = s.To, steps[k].area+area
		} else {
			steps = append(steps, step{s.From, s.To, x, area})
		}
	}
	if l.steps = steps; len(steps) <= l.most {
		return steps
	}
	*rounded++
	for most := total / float64(16*l.most); len(steps) > l.most; most *= 2 {
		steps = join(steps, most)
	}
	return steps
}

// join unites neighbours, in place, where that adds at most so much to the area of the united step.
func join(steps []step, most float64) []step {
	out := steps[:1]
	for _, s := range steps[1:] {
		last := &out[len(out)-1]
		one := step{last.from, s.to, max(last.level, s.level), last.area + s.area}
		if float64(one.level)*float64(one.to-one.from)-one.area <= most {
			*last = one
		} else {
			out = append(out, s)
		}
	}
	return out
}

// change adds the changes between the steps of a run, whose other changes are the pending ones from first on.
func (l *levels) change(steps []step, first int, by func(*levelChange, int64)) {
	note := func(at trace.Instant, difference int64) {
		if difference == 0 {
			return
		}
		k := slices.IndexFunc(l.pending[first:], func(c levelChange) bool { return c.at == at })
		if k < 0 {
			k = len(l.pending) - first
			l.pending = append(l.pending, levelChange{at: at})
		}
		by(&l.pending[first+k], difference)
	}
	now, to := int64(0), trace.Instant(0)
	for i, s := range steps {
		if i > 0 && s.from > to {
			note(to, -now)
			now = 0
		}
		note(s.from, s.level-now)
		now, to = s.level, s.to
	}
	note(to, -now)
}

// pack packs the pending changes.
func (l *levels) pack() {
	if len(l.pending) == 0 {
		return
	}
	slices.SortFunc(l.pending, func(a, b levelChange) int { return cmp.Compare(a.at, b.at) })
	all := l.pending[:1]
	for _, c := range l.pending[1:] {
		if last := &all[len(all)-1]; last.at == c.at {
			last.held, last.busy = last.held+c.held, last.busy+c.busy
		} else {
			all = append(all, c)
		}
	}
	var units [3]uint64
	for i, c := range all {
		if i > 0 {
			units[0] = gcd.Of(units[0], int64(c.at-all[i-1].at))
		}
		units[1], units[2] = gcd.Of(units[1], c.held), gcd.Of(units[2], c.busy)
	}
	p := packed{N: len(all)}
	for i, u := range units {
		p.Units[i] = int64(max(1, u))
	}
	data := binary.AppendVarint(nil, int64(all[0].at))
	for i, c := range all {
		if i > 0 {
			data = binary.AppendUvarint(data, uint64(int64(c.at-all[i-1].at)/p.Units[0]))
		}
		data = binary.AppendVarint(binary.AppendVarint(data, c.held/p.Units[1]), c.busy/p.Units[2])
	}
	p.Data = slices.Clip(slices.Clone(data))
	l.chunks, l.pending = append(l.chunks, p), l.pending[:0]
}

// Encodable is called before the fields are written.
func (l *levels) Encodable() error {
	l.pack()
	return nil
}

// merge adds the levels of q. Afterwards q must not be used.
func (l *levels) merge(q *levels) {
	q.pack()
	l.n, l.rounded, l.busy = l.n+q.n, l.rounded+q.rounded, l.busy+q.busy
	if l.n > l.limit {
		l.chunks, l.pending = nil, nil
		return
	}
	for _, p := range q.chunks {
		if p.N > chunkChanges/2 {
			l.chunks = append(l.chunks, p)
			continue
		}
		for r := p.read(); r.next(); { // small ones together
			if l.pending = append(l.pending, r.levelChange); len(l.pending) >= chunkChanges {
				l.pack()
			}
		}
	}
}

// reader reads packed changes in order.
type reader struct {
	levelChange
	units [3]int64
	left  int
	begun bool
	data  []byte
}

func (p *packed) read() reader { return reader{units: p.Units, left: p.N, data: p.Data} }

// next reads the next change, if there is one.
func (r *reader) next() bool {
	if r.left--; r.left < 0 {
		return false
	}
	if r.begun {
		since, n := binary.Uvarint(r.data)
		r.at += trace.Instant(int64(since) * r.units[0])
		r.data = r.data[max(0, n):]
	} else {
		r.begun = true
		r.at = trace.Instant(r.varint())
	}
	r.held = r.varint() * r.units[1]
	r.busy = r.varint() * r.units[2]
	return true
}

func (r *reader) varint() int64 {
	x, n := binary.Varint(r.data)
	r.data = r.data[max(0, n):]
	return x
}

// leveled holds the cores of all runs together over time.
type leveled struct {
	peak               float64 // cores held
	mean, held, busy   float64 // of the time in which any is held: the mean, and shares
	rounded, busyRound bool    // upper bounds, not exact
}

// sweep returns the cores held at once; ok is false if changes were dropped or there are none. Time O(n log n).
func (l *levels) sweep(share float64) (out leveled, ok bool) {
	if l.pack(); l.n > l.limit || len(l.chunks) == 0 {
		return out, false
	}
	queue := lists.Heap[*reader]{Less: func(a, b *reader) bool { return a.at < b.at }}
	for i := range l.chunks {
		if r := l.chunks[i].read(); r.next() {
			queue.Push(&r)
		}
	}
	held, busy := lasting{unit: 1, of: map[int64]int64{}}, lasting{unit: 1, of: map[int64]int64{}}
	now := levelChange{at: queue.Items[0].at}
	peak, area, active := int64(0), 0.0, int64(0)
	for queue.Len() > 0 {
		r := queue.Items[0]
		if length := int64(r.at - now.at); length > 0 {
			if peak = max(peak, now.held); now.held > 0 {
				area, active = area+float64(now.held)*float64(length), active+length
				held.add(now.held, length)
				busy.add(min(now.busy, now.held), length)
			}
			now.at = r.at
		}
		now.held, now.busy = now.held+r.held, now.busy+r.busy
		if r.next() {
			queue.FixFirst()
		} else {
			queue.Pop()
		}
	}
	out = leveled{peak: cores(peak), mean: area / float64(max(1, active)) / 1e6, held: cores(held.most(share)),
		busy: cores(busy.most(share)), rounded: l.rounded > 0, busyRound: l.rounded+l.busy > 0}
	return out, active > 0
}

func cores(millionths int64) float64 { return float64(millionths) / 1e6 }

// lasting is for how long each level lasted. Levels are rounded up to multiples of a unit, which grows with their
// number.
type lasting struct {
	unit int64
	of   map[int64]int64
}

// mostLevels bounds the different levels.
const mostLevels = 1 << 16

func (d *lasting) add(level, length int64) {
	d.of[d.up(level)] += length
	for len(d.of) > mostLevels {
		d.unit *= 2
		coarse := make(map[int64]int64, len(d.of)/2)
		for x, t := range d.of {
			coarse[d.up(x)] += t
		}
		d.of = coarse
	}
}

func (d *lasting) up(level int64) int64 { return (level + d.unit - 1) / d.unit * d.unit }

// most returns the lowest level that is not exceeded for a share of the time.
func (d *lasting) most(share float64) int64 {
	all := int64(0)
	for _, t := range d.of {
		all += t
	}
	sum := int64(0)
	for _, x := range slices.Sorted(maps.Keys(d.of)) {
		if sum += d.of[x]; float64(sum) >= share*float64(all) {
			return x
		}
	}
	return 0
}

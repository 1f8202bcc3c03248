package anatomy

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"racecard/datasets/lists"
	"racecard/datasets/trace"
)

// slack is the share of the time of a run by which its layout may outlast it, for rounded times.
const slack = 0.01

// checkEvery is the number of attempts that are placed between two looks at the context.
const checkEvery = 1 << 14

// layout places the attempts of a run whose durations are known, but not their times: each stage begins when its
// parents have ended, and not before its own start where that is known; its attempts take the cores that are free
// first.
type layout struct {
	run      *trace.Run
	begin    trace.Instant
	attempts [][]trace.Attempt // of each stage
	children [][]int32
	parents  []int // of each stage
	count    int
	work     float64 // seconds of all attempts
}

// newLayout returns a layout of the attempts of a run that began then; nil where no duration is known.
func newLayout(run *trace.Run, begin trace.Instant) *layout {
	l := &layout{run: run, begin: begin, attempts: make([][]trace.Attempt, len(run.Stages)),
		children: make([][]int32, len(run.Stages)), parents: make([]int, len(run.Stages))}
	for i := range run.Attempts {
		if a := run.Attempts[i]; a.Duration > 0 {
			l.attempts[a.Stage] = append(l.attempts[a.Stage], a)
			l.count++
			l.work += a.Duration.Seconds()
		}
	}
	if l.count == 0 || run.End <= begin {
		return nil
	}
	for _, e := range run.Edges {
		l.children[e.Parent] = append(l.children[e.Parent], e.Child)
		l.parents[e.Child]++
	}
	return l
}

// each calls do with the times of all attempts on the guaranteed cores of the run, and on the fewest on which they end
// in time where it has no guarantee or must have held more. If no number of cores suffices, all times are scaled to
// the time of the run. It ends early once ctx has ended.
func (l *layout) each(ctx context.Context, do func(a *trace.Attempt, from, to trace.Instant)) {
	took := l.run.End.Since(l.begin)
	cores := int(min(max(0, l.run.Guaranteed), int64(l.count)))
	if cores == 0 || !l.fits(ctx, cores) {
		least := min(l.count, max(cores, int(l.work/(1+slack)/took.Seconds()))+1)
		cores = least + sort.Search(l.count-least, func(i int) bool { return l.fits(ctx, least+i) })
	}
	if ctx.Err() != nil {
		return
	}
	end := l.place(ctx, cores, func(*trace.Attempt, trace.Instant, trace.Instant) {})
	scale := min(1, float64(took)/float64(end.Since(l.begin)))
	scaled := func(at trace.Instant) trace.Instant { return l.begin + trace.Instant(scale*float64(at-l.begin)) }
	l.place(ctx, cores, func(a *trace.Attempt, from, to trace.Instant) { do(a, scaled(from), scaled(to)) })
}

// fits reports whether all attempts end in time on so many cores.
func (l *layout) fits(ctx context.Context, cores int) bool {
	late := trace.Instant(slack * float64(l.run.End.Since(l.begin)))
	in := true
	end := l.place(ctx, cores, func(a *trace.Attempt, _, to trace.Instant) {
		end := l.run.Stages[a.Stage].End
		in = in && (!end.Known() || to <= end+late)
	})
	return in && end <= l.run.End+late
}

// place calls do with the times of all attempts on so many cores, and returns the last end. It ends early once
// ctx has ended.
func (l *layout) place(ctx context.Context, cores int,
	do func(a *trace.Attempt, from, to trace.Instant)) trace.Instant {
	type waiting struct {
		at    trace.Instant
		stage int32
	}
	ready := lists.Heap[waiting]{Less: func(a, b waiting) bool {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.stage, b.stage)) < 0
	}}
	add := func(stage int32, at trace.Instant) {
		if start := l.run.Stages[stage].Start; start.Known() {
			at = max(at, start)
		}
		ready.Push(waiting{at, stage})
	}
	left := slices.Clone(l.parents)
	from := make([]trace.Instant, len(left))
	for i := range left {
		from[i] = l.begin
		if left[i] == 0 {
			add(int32(i), l.begin)
		}
	}
	free := lists.Heap[trace.Instant]{Less: func(a, b trace.Instant) bool { return a < b }}
	for range cores {
		free.Push(l.begin)
	}
	last, placed := l.begin, 0
	for ready.Len() > 0 {
		w := ready.Pop()
		ended := w.at
		for i := range l.attempts[w.stage] {
			if placed++; placed%checkEvery == 0 && ctx.Err() != nil {
				return last
			}
			a := &l.attempts[w.stage][i]
			start := max(free.Pop(), w.at)
			end := start + trace.Instant(a.Duration)
			free.Push(end)
			do(a, start, end)
			ended = max(ended, end)
		}
		last = max(last, ended)
		for _, c := range l.children[w.stage] {
			from[c] = max(from[c], ended)
			if left[c]--; left[c] == 0 {
				add(c, from[c])
			}
		}
	}
	return last
}

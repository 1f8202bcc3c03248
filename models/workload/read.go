package workload

import (
	"slices"

	"racecard/datasets/trace"
)

// Reader reads the work of runs, and counts it. The zero value draws from seed 0.
type Reader struct {
	Draw  Draw
	Count Count

	met  map[int64]int64 // runs, by their number in the input
	room []int64
	run  Run
}

// Read returns the work of a run, valid until the next call. If simulators leave the run out, it counts and returns the
// reason, except [NoSubmit], which depends on how jobs arrive.
func (r *Reader) Read(run *trace.Run) (w *Run, leftOut string) {
	if leftOut = r.read(run); leftOut != "" {
		r.Count.Leave(leftOut, 1)
		return nil, leftOut
	}
	return &r.run, ""
}

func (r *Reader) read(run *trace.Run) string {
	if len(run.Stages) == 0 {
		return NoStages
	}
	run, skipped := FillSkipped(run)
	stated := int64(0)
	for v := range run.Stages {
		if stated += max(0, run.Stages[v].Tasks); stated > MaxTasks {
			return TooMany
		}
	}
	w := &r.run
	*w = Run{Submit: int64(run.Submitted()), Stages: slices.Grow(w.Stages[:0], len(run.Stages)), draw: r.Draw,
		drawn: w.drawn[:0]}
	attempts, room := run.Attempts, r.room[:0]
	for v := range run.Stages {
		n := 0
		for n < len(attempts) && int(attempts[n].Stage) == v {
			n++
		}
		s := Of(&run.Stages[v], attempts[:n], room)
		attempts = attempts[n:]
		if s.Tasks == trace.None {
			return UnknownTasks
		}
		room = append(room, s.Durations...)
		s.Durations = room[len(room)-len(s.Durations):]
		w.Stages = append(w.Stages, s)
	}
	r.room = room
	TakeTurns(run, w.Stages)
	w.Number = r.number(run.Seq)
	r.Count.Skipped += int64(len(skipped))
	for v := range w.Stages {
		if s := &w.Stages[v]; s.Basis == Unknown {
			s.Mean = w.Draws()[v].Duration()
			s.Basis, s.Durations = Drawn, []int64{s.Mean}
		}
		r.Count.stage(&w.Stages[v])
	}
	for _, e := range Edges(run.Edges, func(v int32) int64 { return w.Stages[v].Tasks }) {
		s := &w.Stages[e.Child]
		s.Parents = append(s.Parents, Parent{e.Parent, e.Kind == trace.OneToOne})
	}
	return ""
}

// stage counts a stage.
func (c *Count) stage(s *Stage) {
	c.Stages++
	c.Tasks += s.Tasks
	c.MeanTasks += s.Filled
	c.Dropped += s.Dropped
	add := func(to *[2]int64) { to[0]++; to[1] += s.Tasks }
	switch s.Basis {
	case Estimated:
		add(&c.Estimated)
	case StageTime:
		add(&c.StageTimes)
	case Drawn:
		add(&c.Drawn)
	}
}

// number returns a unique number for a run with a number in the input. Every import into a store counts from 0, and
// appended runs must not repeat the draws of earlier ones.
func (r *Reader) number(seq int64) int64 {
	if r.met == nil {
		r.met = map[int64]int64{}
	}
	k := r.met[seq]
	r.met[seq] = k + 1
	return seq + k<<32
}

package policy

import (
	"cmp"

	"racecard/datasets/lists"
	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/replay"
)

// Order is the order in which a job's own tasks are served.
type Order struct {
	Name string
	// Rank ranks the stages of a job when it arrives, lowest first; nil is Packing.
	Rank func(s *replay.State, j *replay.Job) []int32
}

// BreadthFirst serves stages by the number of stages before them, as Tez does.
var BreadthFirst = Order{"breadth-first", func(_ *replay.State, j *replay.Job) []int32 {
	return replay.BreadthFirst(j)
}}

// CriticalPath serves the stage with the longest path to the end of the job first, its own task included.
var CriticalPath = Order{"critical path", func(_ *replay.State, j *replay.Job) []int32 {
	below := Downstream(j)
	ranks := make([]int32, len(below))
	for rank, i := range lists.Order(len(below), func(a, b int32) int { return cmp.Compare(below[b], below[a]) }) {
		ranks[i] = int32(rank)
	}
	return ranks
}}

// Packing serves stages by the alignment of their tasks with the free resources, best first, as Tetris does;
// breadth first breaks ties.
var Packing = Order{Name: "packing"}

// Downstream returns, for every stage, the longest path from its start to the end of the job, in microseconds of
// estimated task durations.
func Downstream(j *replay.Job) []int64 {
	below := make([]int64, len(j.Stages))
	for i := len(below) - 1; i >= 0; i-- {
		for _, c := range j.Stages[i].Children {
			below[i] = max(below[i], below[c.Stage])
		}
		below[i] += j.Stages[i].Estimate
	}
	return below
}

// ranks ranks the stages of a job; Packing breaks ties breadth first.
func (o *Order) ranks(s *replay.State, j *replay.Job) []int32 {
	if o.Rank == nil {
		return replay.BreadthFirst(j)
	}
	return o.Rank(s, j)
}

// Fill starts as many of the job's tasks as fit on machines and, unless within is nil, keep the job within that share.
// It returns their number. A job that holds nothing may start one task that exceeds within.
func (o *Order) Fill(s *replay.State, j *replay.Job, within *replay.Vector, own bool) int {
	started := 0
	for {
		var stage, machine int32
		if o.Rank == nil {
			stage, machine = pick(s, j, within)
		} else {
			stage, machine = first(s, j, within)
		}
		if machine < 0 {
			return started
		}
		for machine >= 0 {
			s.Start(j, stage, machine, own)
			started++
			st := &j.Stages[stage]
			if st.Pending == 0 || within != nil && !st.Demand.Fits(Rest(j, within)) {
				break
			}
			if !st.Demand.Fits(s.Machines.Free(machine)) {
				machine = s.Room(j, stage)
			}
			if o.Rank == nil && within == nil {
				break // another stage may align best now
			}
		}
	}
}

// Rest returns an allowance minus the resources that a job holds. It may be negative.
func Rest(j *replay.Job, within *replay.Vector) *replay.Vector {
	rest := *within
	rest.Add(&j.Held, -1)
	return &rest
}

// allowed reports whether a task of a stage is within rest, or the first of its job.
func allowed(j *replay.Job, stage int32, rest *replay.Vector) bool {
	return j.Running == 0 || j.Stages[stage].Demand.Fits(rest)
}

// first returns the first stage, in order of rank, that may start a task, and a machine; -1 when none may.
func first(s *replay.State, j *replay.Job, within *replay.Vector) (stage, machine int32) {
	var rest *replay.Vector
	if within != nil {
		rest = Rest(j, within)
	}
	if rest == nil && !j.Need.Fits(s.Machines.MostFree()) {
		s.Steps += int64(len(j.Ready))
		return -1, -1
	}
	for _, i := range j.Ready {
		if rest != nil && !allowed(j, i, rest) {
			continue
		}
		if m := s.Room(j, i); m >= 0 {
			return i, m
		}
	}
	return -1, -1
}

// pick returns the stage that aligns best with the rest of within, or, if that is nil, with the machine that has
// room.
func pick(s *replay.State, j *replay.Job, within *replay.Vector) (stage, machine int32) {
	stage, machine = -1, -1
	best := 0.0
	var rest *replay.Vector
	if within != nil {
		rest = Rest(j, within)
	}
	for _, i := range j.Ready {
		if rest != nil && !allowed(j, i, rest) {
			continue
		}
		m := s.Room(j, i)
		if m < 0 {
			continue
		}
		score := 0.0
		if rest == nil {
			score = s.Machines.Alignment(m, &j.Stages[i].Demand)
		} else {
			score = dot(s.Machines.Shares(&j.Stages[i].Demand), s.Machines.Shares(rest))
		}
		if stage < 0 || cluster.Above(score, best) {
			stage, machine, best = i, m, score
		}
	}
	return stage, machine
}

func dot(a, b [trace.NumResources]float64) float64 {
	sum := 0.0
	for r, x := range a {
		sum += x * b[r]
	}
	return sum
}

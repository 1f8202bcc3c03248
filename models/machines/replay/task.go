package replay

import (
	"slices"
	"sort"
)

// Start starts a pending task of a stage on a machine that has room for it; own tells observers whether it starts
// within the job's share. It panics when no task of the stage is pending or the machine has no room: that is a defect
// of the scheduler.
func (s *State) Start(j *Job, stage, machine int32, own bool) {
	st := &j.Stages[stage]
	if st.Pending == 0 || !st.Demand.Fits(s.Machines.Free(machine)) {
		panic("replay: the scheduler starts a task that cannot start")
	}
	t := Task{Job: j, Stage: stage, Task: st.take(), Machine: machine, Own: own, Start: s.Now,
		place: int32(len(j.Live))}
	duration := st.Spec.Duration(t.Task)
	if after, fails := j.fails(stage, t.Task); fails {
		duration, t.Fails = after, true
	}
	t.End = s.Now + duration
	st.Pending--
	st.Running++
	j.Begun[stage]++
	j.Version++
	if st.Pending == 0 {
		j.unready(stage)
	}
	j.Held.Add(&st.Demand, 1)
	if own {
		j.Own.Add(&st.Demand, 1)
	}
	j.Running++
	s.Running++
	if j.started != s.instant {
		j.started = s.instant
		s.Started = append(s.Started, j)
	}
	s.Machines.Take(machine, &st.Demand)
	slot := int32(len(s.slots))
	if n := len(s.free); n > 0 {
		slot, s.free = s.free[n-1], s.free[:n-1]
		t.version = s.slots[slot].version
		s.slots[slot] = t
	} else {
		s.slots = append(s.slots, t)
	}
	j.Live = append(j.Live, slot)
	s.events.push(event{t.End, slot, t.version})
	if s.stretches {
		s.settle(machine, slot, true)
	}
	if s.observer != nil {
		s.observer.Start(s, &s.slots[slot])
	}
}

// take returns the next task that is runnable.
func (st *Stage) take() int32 {
	if st.waits == nil && st.next < st.tasks {
		st.next++
		return st.next - 1
	}
	t := st.runnable[0]
	st.runnable = st.runnable[1:]
	return t
}

// enqueue makes a task runnable. Where tasks wait one to one they start in the order of their numbers, as plans have
// them: a child of two stages waits for the same task of both.
func (st *Stage) enqueue(task int32) {
	at := len(st.runnable)
	if st.waits != nil {
		at, _ = slices.BinarySearch(st.runnable, task)
	}
	st.runnable = slices.Insert(st.runnable, at, task)
}

// fails reports whether this attempt of a task fails, and after how long.
func (j *Job) fails(stage, task int32) (after int64, fails bool) {
	if j.failures == nil || j.failures[stage] == nil {
		return 0, false
	}
	r := j.Stages[stage].Spec.Retries
	k := sort.Search(len(r), func(i int) bool { return r[i].Task >= task }) + int(j.failures[stage][task])
	if k >= len(r) || r[k].Task != task {
		return 0, false
	}
	return r[k].After, true
}

// end ends the attempt in a slot.
func (s *State) end(slot int32) {
	t := s.slots[slot]
	j, st := t.Job, &t.Job.Stages[t.Stage]
	s.slots[slot].version++
	s.free = append(s.free, slot)
	last := j.Live[len(j.Live)-1]
	j.Live[t.place] = last
	s.slots[last].place = t.place
	j.Live = j.Live[:len(j.Live)-1]
	st.Running--
	j.Running--
	s.Running--
	j.Held.Add(&st.Demand, -1)
	if t.Own {
		j.Own.Add(&st.Demand, -1)
	}
	s.Machines.Give(t.Machine, &st.Demand)
	s.gave = append(s.gave, t.Machine)
	s.Freed = append(s.Freed, t.Machine)
	if s.stretches {
		s.settle(t.Machine, slot, false)
	}
	j.Version++
	s.result.Ended++
	s.Change(j)
	j.Wanted.Add(&st.Demand, -1)
	if t.Fails {
		s.result.Failed++
		j.Failed++
		j.Begun[t.Stage]--
		j.failures[t.Stage][t.Task]++
		st.enqueue(t.Task)
		s.open(j, t.Stage, 1)
	} else {
		s.done(j, t.Stage, t.Task)
	}
	if s.observer != nil {
		s.observer.End(s, &t)
	}
	if j.left == 0 {
		s.finish(j)
	}
}

// done makes tasks runnable that waited for a task.
func (s *State) done(j *Job, stage, task int32) {
	st := &j.Stages[stage]
	st.Done++
	j.Work -= st.Work
	whole := st.Done == st.tasks
	if whole {
		j.left--
	}
	for _, c := range st.Children {
		child := &j.Stages[c.Stage]
		switch {
		case c.OneToOne:
			if child.waits[task]--; child.waits[task] == 0 && child.barriers == 0 {
				child.enqueue(task)
				s.open(j, c.Stage, 1)
			}
		case whole:
			if child.barriers--; child.barriers == 0 {
				s.unlock(j, c.Stage)
			}
		}
	}
}

// unlock makes runnable the tasks of a stage whose last barrier fell.
func (s *State) unlock(j *Job, stage int32) {
	st := &j.Stages[stage]
	if st.waits == nil {
		s.open(j, stage, st.Spec.Tasks)
		return
	}
	n := int32(0)
	for task, w := range st.waits {
		if w == 0 {
			st.runnable = append(st.runnable, int32(task))
			n++
		}
	}
	if n > 0 {
		s.open(j, stage, n)
	}
}

func (s *State) finish(j *Job) {
	s.Active--
	s.result.Finished[j.Index] = s.Now
	s.jobs[j.Index] = nil
	s.Ended = append(s.Ended, j)
	if s.observer != nil {
		s.observer.Finish(s, j)
	}
}

// settle adapts the ends of tasks on a machine on which a task just started or ended. If their true demands exceed the
// capacity, all of them slow down by the ratio for the most over-committed resource (PAPERS C9).
func (s *State) settle(machine, slot int32, starts bool) {
	if s.on == nil {
		s.on = make([][]int32, s.Machines.Len())
		s.load = make([]Vector, s.Machines.Len())
		s.factor = make([]float64, s.Machines.Len())
	}
	old := max(1, s.factor[machine])
	t := &s.slots[slot]
	actual := &t.Job.actual[t.Stage]
	if starts {
		s.on[machine] = append(s.on[machine], slot)
		s.load[machine].Add(actual, 1)
	} else {
		k := slices.Index(s.on[machine], slot)
		s.on[machine] = slices.Delete(s.on[machine], k, k+1)
		s.load[machine].Add(actual, -1)
	}
	factor := 1.0
	for r, x := range s.Machines.Capacity(machine) {
		if x > 0 {
			factor = max(factor, float64(s.load[machine][r])/float64(x))
		}
	}
	s.factor[machine] = factor
	for _, other := range s.on[machine] {
		from := old
		if starts && other == slot {
			from = 1 // its end was computed without the others
		}
		if from == factor {
			continue
		}
		o := &s.slots[other]
		o.End = s.Now + int64(float64(o.End-s.Now)/from*factor+0.5)
		o.version++
		s.events.push(event{o.End, other, o.version})
	}
}

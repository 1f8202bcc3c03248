package jobs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"racecard/datasets/lists"
	"racecard/datasets/seed"
	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
	"racecard/models/workload"
)

// Dated returns the jobs with a known arrival time, and counts the others as left out. If no job has one, all arrive at
// 0, and ok is false.
func (b *Builder) Dated() (all []*Job, ok bool) {
	for _, j := range b.Jobs {
		if j.Arrival != trace.None {
			all = append(all, j)
		}
	}
	if len(all) == 0 {
		return Offline(b.Jobs), false
	}
	if out := len(b.Jobs) - len(all); out > 0 {
		b.Count.Leave(workload.NoSubmit, int64(out))
	}
	return all, true
}

// Sample draws n jobs uniformly, with replacement. The second time a job is drawn, "#2" is added to its id.
func Sample(all []*Job, n int, root uint64) []*Job {
	if len(all) == 0 {
		return nil
	}
	rng := rand.New(seed.Stream(root, "jobs of a sample", 0))
	times := map[int]int{}
	out := make([]*Job, n)
	for i := range out {
		k := rng.IntN(len(all))
		c := *all[k]
		c.Seq = int64(i)
		if times[k]++; times[k] > 1 {
			c.ID += "#" + strconv.Itoa(times[k])
		}
		out[i] = &c
	}
	return out
}

// Stretch scales all task durations by one factor, so that the bottleneck resource is busy for the given share
// of the period. It returns copies, and the factor.
func Stretch(all []*Job, m *cluster.Machines, load, seconds float64) ([]*Job, float64, error) {
	if !(load > 0 && load <= 1e6) {
		return nil, 0, fmt.Errorf("load %v: want more than 0, at most 1e6", load)
	}
	var work [trace.NumResources]float64 // shares of the cluster · µs
	for _, j := range all {
		for i := range j.Stages {
			s := &j.Stages[i]
			v := m.Space().Quanta(&s.Demand)
			m.Clamp(&v)
			us := s.Work()
			for r, x := range m.Shares(&v) {
				work[r] += x * us
			}
		}
	}
	most := slices.Max(work[:])
	if most == 0 {
		return nil, 0, fmt.Errorf("load %v: the jobs hold nothing that the cluster has", load)
	}
	factor := load * seconds * 1e6 / most
	longer := func(us int64) int64 { return int64(math.Round(min(float64(us)*factor, maxDuration))) }
	return change(all, func(_ int, j *Job) {
		j.Stages = append([]Stage(nil), j.Stages...)
		for i := range j.Stages {
			s := &j.Stages[i]
			s.Estimate = longer(s.Estimate)
			s.Durations = append([]int64(nil), s.Durations...)
			for k := range s.Durations {
				s.Durations[k] = longer(s.Durations[k])
			}
			s.Retries = append([]Retry(nil), s.Retries...)
			for k := range s.Retries {
				s.Retries[k].After = longer(s.Retries[k].After)
			}
		}
	}), factor, nil
}

// Work returns the time of all tasks of a stage, in microseconds.
func (s *Stage) Work() float64 {
	if len(s.Durations) == 1 {
		return float64(s.Durations[0]) * float64(s.Tasks)
	}
	return lists.SumOf(s.Durations, func(d int64) float64 { return float64(d) })
}

// TaskSeconds returns the time of all tasks of a job, in seconds.
func (j *Job) TaskSeconds() float64 {
	sum := 0.0
	for i := range j.Stages {
		sum += j.Stages[i].Work()
	}
	return sum / 1e6
}

// MapReduce returns copies of jobs cut to a map and a reduce stage. The map stage is the stage without parents with the
// most work; the reduce stage is the child of it with the most work, if it has any.
func MapReduce(all []*Job) []*Job {
	return change(all, func(_ int, j *Job) {
		most := func(ok func(s *Stage) bool) int {
			best := -1
			for i := range j.Stages {
				if ok(&j.Stages[i]) && (best < 0 || j.Stages[i].Work() > j.Stages[best].Work()) {
					best = i
				}
			}
			return best
		}
		m := most(func(s *Stage) bool { return len(s.Parents) == 0 })
		r := most(func(s *Stage) bool {
			return slices.ContainsFunc(s.Parents, func(p Parent) bool { return int(p.Stage) == m })
		})
		stages := []Stage{j.Stages[m]}
		if r >= 0 {
			reduce := j.Stages[r]
			reduce.Parents = []Parent{{Stage: 0}}
			stages = append(stages, reduce)
		}
		j.Stages = stages
	})
}

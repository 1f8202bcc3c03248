package replaytest

import (
	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/models/machines/jobs"
)

// Jobs draws up to n jobs of up to five stages, with demands of two resources, some of one alone.
func Jobs(t *rapid.T, n int, offline bool) []*jobs.Job {
	var all []*jobs.Job
	for k := range rapid.IntRange(1, n).Draw(t, "jobs") {
		j := &jobs.Job{ID: string(rune('a' + k)), Seq: int64(k),
			Group: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "group")}
		if !offline {
			j.Arrival = rapid.Int64Range(0, 20).Draw(t, "arrival") * 1e6
		}
		for i := range int32(rapid.IntRange(1, 5).Draw(t, "stages")) {
			j.Stages = append(j.Stages, stage(t, j, i))
		}
		all = append(all, j)
	}
	jobs.Sort(all)
	return all
}

func stage(t *rapid.T, j *jobs.Job, i int32) jobs.Stage {
	demand := Both(float64(rapid.IntRange(0, 8).Draw(t, "cores"))/8, float64(rapid.IntRange(1, 8).Draw(t, "mem"))/8)
	s := Stage(rapid.Int32Range(1, 6).Draw(t, "tasks"), float64(rapid.IntRange(1, 6).Draw(t, "seconds")), demand)
	for p := range i {
		if rapid.IntRange(0, 2).Draw(t, "edge") == 0 {
			s.Parents = append(s.Parents,
				jobs.Parent{Stage: p, OneToOne: j.Stages[p].Tasks == s.Tasks && rapid.Bool().Draw(t, "1:1")})
		}
	}
	if rapid.IntRange(0, 4).Draw(t, "uneven") == 0 {
		s.Durations = nil
		for range s.Tasks {
			s.Durations = append(s.Durations, rapid.Int64Range(0, 6).Draw(t, "duration")*1e6)
		}
	}
	if rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
		s.Retries = []jobs.Retry{{Task: s.Tasks - 1, After: 1e6}, {Task: s.Tasks - 1, After: 2e6}}
	}
	return s
}

// Machines draws up to four machines of two resources.
func Machines(t *rapid.T) []trace.Demand {
	var all []trace.Demand
	for range rapid.IntRange(1, 4).Draw(t, "machines") {
		size := float64(rapid.IntRange(1, 2).Draw(t, "size"))
		all = append(all, Both(size, size*float64(rapid.IntRange(1, 2).Draw(t, "mem"))))
	}
	return all
}

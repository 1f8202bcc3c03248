package pack_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/internal/pack"
	"racecard/models/machines/jobs"
	"racecard/models/machines/policy"
	"racecard/models/machines/replay"
	"racecard/models/machines/replaytest"
)

// spy schedules as FIFO and looks at the state before.
type spy struct {
	*policy.List
	look func(s *replay.State)
}

func (p spy) Schedule(s *replay.State) {
	p.look(s)
	p.List.Schedule(s)
}

// each calls look at every instant with every job that is there.
func each(t testing.TB, machines []trace.Demand, all []*jobs.Job, look func(s *replay.State, j *replay.Job)) {
	replaytest.Run(t, machines, all, spy{policy.FIFO(), func(s *replay.State) {
		for i := range s.Arrived() {
			if j := s.Job(int32(i)); j != nil {
				look(s, j)
			}
		}
	}}, nil)
}

// TestFigure2 plans job 1 of Carbyne's Figure 2 in its half: at 0 two of 0.21 and two of 0.04 (0.5) start, at 1 the
// last of 0.21, at 2 the last stage, which takes 0.1. Back from 2.1, the last stage starts at 2, the first two stages
// end there: two of 0.21 and two of 0.04 start at 1, and one of 0.21 at 0.
func TestFigure2(t *testing.T) {
	cpu := replaytest.CPU
	job := replaytest.Job("J1", 0, replaytest.Stage(2, 1, cpu(0.04)), replaytest.Stage(3, 1, cpu(0.21)),
		replaytest.Stage(1, 0.1, cpu(0.1), 0, 1))
	var p pack.Planner
	seen := false
	each(t, []trace.Demand{cpu(1)}, []*jobs.Job{job}, func(s *replay.State, j *replay.Job) {
		if seen {
			return
		}
		seen = true
		half := cluster.Vector{trace.CPU: 5e9}
		p.Load(s, j, &half, false)
		end, ok := p.Forward(pack.Unlimited)
		want := starts([]pack.Start{{At: 0, Stage: 1, Tasks: 2}, {At: 0, Stage: 0, Tasks: 2},
			{At: 1e6, Stage: 1, Tasks: 1}, {At: 2e6, Stage: 2, Tasks: 1}})
		if !ok || end != 2_100_000 || !slices.Equal(p.Starts(), want) {
			t.Errorf("forward: %v until %d, want %v until 2.1 s", p.Starts(), end, want)
		}
		if _, ok := p.Forward(end - 1); ok {
			t.Error("a plan is found that ends sooner than the limit")
		}
		back := starts([]pack.Start{{At: 0, Stage: 1, Tasks: 1}, {At: 1e6, Stage: 0, Tasks: 2},
			{At: 1e6, Stage: 1, Tasks: 2}, {At: 2e6, Stage: 2, Tasks: 1}})
		if !p.Backward(end) || !slices.Equal(p.Starts(), back) {
			t.Errorf("backward: %v, want %v", p.Starts(), back)
		}
		if p.Backward(end - 1) {
			t.Error("there is a plan backward in less time than the job needs")
		}
	})
}

// starts adds the one wave of each.
func starts(of []pack.Start) []pack.Start {
	for i := range of {
		of[i].Waves = 1
	}
	return of
}

// single returns a start for every wave, ascending by instant and stage.
func single(starts []pack.Start) (out []pack.Start) {
	for _, x := range starts {
		for w := range x.Waves {
			out = append(out, pack.Start{At: x.At + int64(w)*x.Every, Stage: x.Stage, Tasks: x.Tasks, Waves: 1})
		}
	}
	slices.SortStableFunc(out, func(a, b pack.Start) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Stage, b.Stage))
	})
	return out
}

// valid returns the fault of a plan, "" if it has none.
func valid(s *replay.State, j *replay.Job, within *cluster.Vector, starts []pack.Start, end int64) string {
	type span struct {
		from, to     int64
		stage, tasks int32
	}
	var spans []span
	starts = single(starts)
	for _, slot := range j.Live {
		t := s.Task(slot)
		spans = append(spans, span{-1, max(s.Now, t.Start+j.Stages[t.Stage].Estimate), t.Stage, 1})
	}
	left := make([]int32, len(j.Stages))
	for i := range left {
		left[i] = j.Stages[i].Left() - j.Stages[i].Running
	}
	for _, p := range starts {
		left[p.Stage] -= p.Tasks
		spans = append(spans, span{p.At, p.At + j.Stages[p.Stage].Estimate, p.Stage, p.Tasks})
	}
	for i, n := range left {
		if n != 0 {
			return fmt.Sprintf("%d tasks of stage %d are not planned", n, i)
		}
	}
	for _, p := range starts {
		var used cluster.Vector
		for _, x := range spans {
			if x.from <= p.At && p.At < x.to {
				d := j.Stages[x.stage].Demand
				d.Lower(within)
				used.Add(&d, int64(x.tasks))
			}
		}
		st := &j.Stages[p.Stage]
		if st.Estimate > 0 && !used.Fits(within) {
			return fmt.Sprintf("at %d it holds %v of %v", p.At, used, *within)
		}
		if p.At < s.Now || p.At+st.Estimate > end {
			return fmt.Sprintf("starts at %d, from %d to %d", p.At, s.Now, end)
		}
		for _, q := range st.Spec.Parents {
			// Of one-to-one parents as many have ended as tasks of this stage started; of others, all.
			ended, began := j.Stages[q.Stage].Done, st.Done+st.Running
			for _, x := range spans {
				if x.stage == q.Stage && x.to <= p.At {
					ended += x.tasks
				}
				if x.stage == p.Stage && x.from >= 0 && x.from <= p.At {
					began += x.tasks
				}
			}
			if !q.OneToOne {
				began = j.Stages[q.Stage].Tasks()
			}
			if ended < began {
				return fmt.Sprintf("at %d a task of stage %d starts, %d of stage %d have ended", p.At, p.Stage, ended,
					q.Stage)
			}
		}
	}
	return ""
}

// TestPlansAreValid checks plans in the middle of runs, while some tasks run and some have failed. It compares
// them with plans that are made group by group.
func TestPlansAreValid(t *testing.T) {
	plans, back, waves, shifts := 0, 0, 0, map[bool]int{}
	rapid.Check(t, func(r *rapid.T) {
		all, machines := replaytest.Jobs(r, 4, false), replaytest.Machines(r)
		share := rapid.Int64Range(1, 4).Draw(r, "share")
		var p pack.Planner
		each(t, machines, all, func(s *replay.State, j *replay.Job) {
			within := *s.Machines.Total()
			for i := range within {
				within[i] /= share
			}
			within.Raise(&j.Held)
			for _, byRank := range []bool{false, true} {
				p.Load(s, j, &within, byRank)
				end, ok := p.Forward(pack.Unlimited)
				if why := valid(s, j, &within, p.Starts(), end); !ok || why != "" {
					r.Fatalf("forward, %v: %s", ok, why)
				}
				if least := p.Least(); least > end || least < s.Now {
					r.Fatalf("a plan ends at %d; want none before %d", end, least)
				}
				plans++
				fast := single(p.Starts())
				waves += len(fast) - len(p.Starts())
				if slow, ok := p.SlowForward(pack.Unlimited); !ok || slow != end ||
					!slices.Equal(fast, single(p.Starts())) {
					r.Fatalf("forward, until %d: %v, want until %d: %v", end, fast, slow, p.Starts())
				}
				if p.Backward(end) {
					back++
					if why := valid(s, j, &within, p.Starts(), end); why != "" {
						r.Fatalf("backward: %s", why)
					}
				}
				if p.Backward(end) && len(p.Starts()) > 0 {
					by := rapid.Int64Range(0, 2*(p.Starts()[0].At-s.Now)).Draw(r, "sooner")
					sooner := p.Sooner(by)
					fast = slices.Clone(p.Starts())
					if want := p.Backward(end - by); sooner != want || want && !slices.Equal(fast, p.Starts()) {
						r.Fatalf("%d sooner %v: %v, want %v: %v", by, sooner, fast, want, p.Starts())
					}
					shifts[sooner]++
				}
				found := p.Backward(end)
				fast = single(p.Starts())
				if slow := p.SlowBackward(end); slow != found || slow && !slices.Equal(fast, single(p.Starts())) {
					r.Fatalf("backward %v: %v, want %v: %v", found, fast, slow, p.Starts())
				}
				if !p.Backward(end + 1000e6) { // with so much time there always is a plan
					r.Fatal("no plan backward with 1,000 s to spare")
				}
			}
		})
	})
	t.Logf("%d plans; back from the same end for %d; %d waves in runs", plans, back, waves)
	if waves == 0 {
		t.Error("no stage had the allowance for itself")
	}
	if shifts[false] == 0 || shifts[true] == 0 {
		t.Errorf("plans that end sooner: %v; want some that came about and some that did not", shifts)
	}
}

// TestGivingUpLosesNoPlan compares plans that are given up as soon as some bound shows that they end too late, or begin
// too soon, with plans that are made to their end.
func TestGivingUpLosesNoPlan(t *testing.T) {
	kept, early := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		all, machines := replaytest.Jobs(r, 4, false), replaytest.Machines(r)
		share := rapid.Int64Range(1, 4).Draw(r, "share")
		var p, patient pack.Planner
		each(t, machines, all, func(s *replay.State, j *replay.Job) {
			within := *s.Machines.Total()
			for i := range within {
				within[i] /= share
			}
			p.Load(s, j, &within, false)
			patient.Load(s, j, &within, false)
			patient.Patient()
			end, _ := patient.Forward(pack.Unlimited)
			for _, limit := range []int64{end, end - 1, (s.Now + end) / 2} {
				if got, ok := p.Forward(limit); ok != (end <= limit) || ok && got != end {
					r.Fatalf("%d, %v by %d; want %d", got, ok, limit, end)
				}
				if pack.Late(s, j, policy.Downstream(j), limit) && end <= limit {
					r.Fatalf("the job seems to end after %d, and ends at %d", limit, end)
				}
			}
			for _, sooner := range []int64{0, 1, (end - s.Now) / 3, (end - s.Now) / 2} {
				before := p.Steps
				ok, want := p.Backward(end-sooner), patient.Backward(end-sooner)
				if ok != want || ok && !slices.Equal(p.Starts(), patient.Starts()) {
					r.Fatalf("%v: %v, want %v: %v", ok, p.Starts(), want, patient.Starts())
				}
				switch {
				case ok:
					kept++
				case p.Steps == before:
					early++
				}
			}
		})
	})
	if kept == 0 || early == 0 {
		t.Errorf("%d plans, %d given up at once; want some of both", kept, early)
	}
}

// TestDAGPSIsNoWorse compares the order that is chosen with all candidates.
func TestDAGPSIsNoWorse(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		all, machines := replaytest.Jobs(r, 2, true), replaytest.Machines(r)
		each(t, machines, all, func(s *replay.State, j *replay.Job) {
			if s.Now > 0 {
				return
			}
			var p pack.Planner
			within := *s.Machines.Total()
			end := func(ranks []int32) int64 {
				for i, rank := range ranks {
					j.Stages[i].Rank = rank
				}
				p.Load(s, j, &within, true)
				end, _ := p.Forward(pack.Unlimited)
				return end
			}
			before := make([]int32, len(j.Stages))
			for i := range before {
				before[i] = j.Stages[i].Rank
			}
			best := end(p.DAGPS(s, j, &within))
			for _, ranks := range p.Candidates(j) {
				if e := end(ranks); e < best {
					r.Errorf("order %v ends at %d, the one chosen at %d", ranks, e, best)
				}
			}
			end(before) // as the replay wants them
		})
	})
}

// BenchmarkPlan plans jobs: one of 20 stages in a share with room for many tasks, and one as large ones are while many
// wait, of 130 stages, some 30 of which are ready, that demand different amounts of six resources, in a share with room
// for a few.
func BenchmarkPlan(b *testing.B) {
	b.Run("20 stages", func(b *testing.B) {
		benchmarkPlan(b, 20, replaytest.CPU(100), func(int32) trace.Demand { return replaytest.CPU(1) })
	})
	b.Run("130 stages", func(b *testing.B) {
		benchmarkPlan(b, 130, trace.Demand{20, 128e9, 500e6, 500e6, 1.25e9, 1.25e9, 0}, func(i int32) trace.Demand {
			return trace.Demand{1 + float64(i%7)/2, float64(1+i%13) * 1e9, float64(10+i*37%190) * 1e6,
				float64(10+i*53%190) * 1e6,
				float64(10+i*71%190) * 1e6, float64(10+i*91%190) * 1e6, 0}
		})
	})
}

func benchmarkPlan(b *testing.B, stages int32, share trace.Demand, demand func(stage int32) trace.Demand) {
	job := replaytest.Job("a", 0)
	for i := range stages {
		s := replaytest.Stage(50, float64(1+i%7), demand(i))
		if i > stages/5 {
			s.Parents = []jobs.Parent{{Stage: i / 2}}
		}
		job.Stages = append(job.Stages, s)
	}
	var p pack.Planner
	done := false
	each(b, []trace.Demand{share}, []*jobs.Job{job}, func(s *replay.State, j *replay.Job) {
		if done {
			return
		}
		done = true
		within := *s.Machines.Total()
		for b.Loop() {
			p.Load(s, j, &within, false)
			end, _ := p.Forward(pack.Unlimited)
			p.Backward(end)
		}
	})
}

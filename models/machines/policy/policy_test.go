package policy_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/jobs"
	"racecard/models/machines/policy"
	"racecard/models/machines/replay"
	"racecard/models/machines/replaytest"
)

// all are the schedulers, and whether they leave no task waiting that fits.
var all = []struct {
	name       string
	make       func() replay.Scheduler
	conserving bool
}{
	{"fifo", func() replay.Scheduler { return policy.FIFO() }, true},
	{"sjf", func() replay.Scheduler { return policy.SJF() }, true},
	{"srtf", func() replay.Scheduler { return policy.SRTF() }, true},
	{"drf", func() replay.Scheduler { return &policy.DRF{Order: policy.BreadthFirst} }, true},
	{"drf, packing inside", func() replay.Scheduler { return &policy.DRF{Order: policy.Packing} }, true},
	{"drf, weights", func() replay.Scheduler {
		return &policy.DRF{Order: policy.BreadthFirst, Shares: policy.Shares{Weights: policy.Weights{"x": 3}}}
	}, true},
	{"capacity", func() replay.Scheduler {
		return &policy.Capacity{Order: policy.BreadthFirst, Weights: policy.Weights{"x": 3}}
	}, true},
	{"tetris", func() replay.Scheduler { return &policy.Tetris{Remaining: 1} }, true},
	{"tetris, f=0.25", func() replay.Scheduler { return &policy.Tetris{Remaining: 1, Fairness: 0.25} }, true},
	{"tetris, f=1", func() replay.Scheduler { return &policy.Tetris{Remaining: 1, Fairness: 1} }, true},
	{"static", func() replay.Scheduler { return &policy.Static{Order: policy.BreadthFirst} }, false},
	{"static, packing inside", func() replay.Scheduler { return &policy.Static{Order: policy.Packing} }, false},
}

func TestFixtures(t *testing.T) {
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) { replaytest.Check(t, p.make, p.conserving) })
	}
}

func TestRules(t *testing.T) {
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				work, machines := replaytest.Jobs(r, 6, false), replaytest.Machines(r)
				replaytest.Run(t, machines, work, p.make(), &replaytest.Checker{T: t, Conserving: p.conserving})
				if t.Failed() {
					r.FailNow()
				}
			})
		})
	}
}

// slow is a scheduler that looks at everything at every instant, and starts the task that comes first.
type slow struct {
	rank func(s *replay.State, j *replay.Job) []int32
	// next returns what to start, nil for nothing.
	next func(s *replay.State) (j *replay.Job, stage, machine int32)
}

func (p slow) Rank(s *replay.State, j *replay.Job) []int32 { return p.rank(s, j) }

func (p slow) Schedule(s *replay.State) {
	for {
		j, stage, machine := p.next(s)
		if j == nil {
			return
		}
		s.Start(j, stage, machine, false)
	}
}

// active returns all jobs that have arrived and not ended.
func active(s *replay.State) (out []*replay.Job) {
	for i := range s.Arrived() {
		if j := s.Job(int32(i)); j != nil {
			out = append(out, j)
		}
	}
	return out
}

// roomy returns the first machine with room for a task.
func roomy(s *replay.State, d *cluster.Vector) int32 {
	for m := range int32(s.Machines.Len()) {
		if d.Fits(s.Machines.Free(m)) {
			return m
		}
	}
	return -1
}

// lowest starts the first task with room, in order of rank, of the job of lowest key that has one and passes ok.
func lowest(s *replay.State, key func(j *replay.Job) float64,
	ok func(j *replay.Job, st *replay.Stage) bool) (j *replay.Job, stage, machine int32) {
	least := math.Inf(1)
	for _, k := range active(s) {
		if key(k) >= least {
			continue
		}
		for _, i := range k.Ready {
			if m := roomy(s, &k.Stages[i].Demand); m >= 0 && ok(k, &k.Stages[i]) {
				j, stage, machine, least = k, i, m, key(k)
				break
			}
		}
	}
	return j, stage, machine
}

func always(*replay.Job, *replay.Stage) bool { return true }

func breadth(_ *replay.State, j *replay.Job) []int32 { return replay.BreadthFirst(j) }

// slowDRF computes shares as the definition says, and serves the job of the lowest held share, first within shares.
type slowDRF struct{ slow }

func (slowDRF) Schedule(s *replay.State) {
	var within policy.Shares
	copied := *s
	copied.Changed, copied.Ended = active(s), nil
	within.Update(&copied)
	held := func(j *replay.Job) float64 { return s.Machines.Dominant(&j.Held) }
	for {
		// The job of the lowest held share that can start a task within its share fills it.
		j, _, _ := lowest(s, held, func(j *replay.Job, st *replay.Stage) bool {
			a := within.Of(s, j)
			return j.Running == 0 || st.Demand.Fits(policy.Rest(j, &a))
		})
		if j == nil {
			break
		}
		for more := true; more; {
			more = false
			for _, i := range slices.Clone(j.Ready) {
				a := within.Of(s, j)
				m := roomy(s, &j.Stages[i].Demand)
				if m >= 0 && (j.Running == 0 || j.Stages[i].Demand.Fits(policy.Rest(j, &a))) {
					s.Start(j, i, m, true)
					more = true
					break
				}
			}
		}
	}
	slow{next: func(s *replay.State) (*replay.Job, int32, int32) { return lowest(s, held, always) }}.Schedule(s)
}

// slowTetris starts the task of the highest score on the first machine with room for any.
func slowTetris(s *replay.State) (best *replay.Job, stage, machine int32) {
	var demand cluster.Vector
	work := 0.0
	byWork := active(s)
	slices.SortStableFunc(byWork, func(a, b *replay.Job) int { return cmp.Compare(a.Work, b.Work) })
	for _, j := range byWork {
		for _, i := range j.Ready {
			demand.Add(&j.Stages[i].Demand, 1)
			work += float64(j.Work)
		}
	}
	for m := range int32(s.Machines.Len()) {
		epsilon := 0.0
		if work > 0 {
			epsilon = s.Machines.Alignment(m, &demand) / work // the number of stages is in both means
		}
		highest := math.Inf(-1)
		for _, j := range byWork {
			for _, i := range j.Ready {
				d := &j.Stages[i].Demand
				score := s.Machines.Alignment(m, d) - epsilon*float64(j.Work)
				if d.Fits(s.Machines.Free(m)) && score > highest {
					best, stage, machine, highest = j, i, m, score
				}
			}
		}
		if best != nil {
			return best, stage, machine
		}
	}
	return nil, 0, 0
}

// slowFair is slowTetris with a fairness: of the jobs with runnable tasks those are candidates that hold least, and
// where none of them has a task that fits, the next one that has.
func slowFair(fairness float64) func(s *replay.State) (*replay.Job, int32, int32) {
	return func(s *replay.State) (best *replay.Job, stage, machine int32) {
		var demand cluster.Vector
		work := 0.0
		jobs := slices.DeleteFunc(active(s), func(j *replay.Job) bool { return len(j.Ready) == 0 })
		slices.SortStableFunc(jobs, func(a, b *replay.Job) int {
			return cmp.Compare(s.Machines.Dominant(&a.Held), s.Machines.Dominant(&b.Held))
		})
		for _, j := range jobs {
			for _, i := range j.Ready {
				demand.Add(&j.Stages[i].Demand, 1)
				work += float64(j.Work)
			}
		}
		candidates := max(1, int(math.Ceil((1-fairness)*float64(len(jobs)))))
		for m := range int32(s.Machines.Len()) {
			highest := math.Inf(-1)
			for k, j := range jobs {
				if k >= candidates && best != nil {
					break
				}
				for _, i := range j.Ready {
					d := &j.Stages[i].Demand
					score := s.Machines.Alignment(m, d) - s.Machines.Alignment(m, &demand)/work*float64(j.Work)
					if d.Fits(s.Machines.Free(m)) && score > highest {
						best, stage, machine, highest = j, i, m, score
					}
				}
			}
			if best != nil {
				return best, stage, machine
			}
		}
		return nil, 0, 0
	}
}

// slowCapacity starts a task of the first job with one that fits, in the group that holds least of those that have such
// a job; of equal groups that of which a job came first.
type slowCapacity struct {
	slow
	groups []string
}

func (c *slowCapacity) Schedule(s *replay.State) {
	for _, j := range s.Changed {
		if !slices.Contains(c.groups, j.Spec.Group) {
			c.groups = append(c.groups, j.Spec.Group)
		}
	}
	slow{next: c.start}.Schedule(s)
}

func (c *slowCapacity) start(s *replay.State) (best *replay.Job, stage, machine int32) {
	least := math.Inf(1)
	for _, group := range c.groups {
		var held cluster.Vector
		for _, j := range active(s) {
			if j.Spec.Group == group {
				held.Add(&j.Held, 1)
			}
		}
		share := s.Machines.Dominant(&held)
		j, i, m := lowest(s, func(j *replay.Job) float64 { return float64(j.Index) },
			func(j *replay.Job, _ *replay.Stage) bool { return j.Spec.Group == group })
		if j != nil && share < least {
			best, stage, machine, least = j, i, m, share
		}
	}
	return best, stage, machine
}

// against are schedulers that look at what changed, and the same that look at everything.
func against() []pair {
	downstream := func(s *replay.State, j *replay.Job) []int32 { return policy.CriticalPath.Rank(s, j) }
	lengths := map[*replay.Job]float64{}
	least := func(key func(s *replay.State, j *replay.Job) float64) func(s *replay.State) (*replay.Job, int32, int32) {
		return func(s *replay.State) (*replay.Job, int32, int32) {
			return lowest(s, func(j *replay.Job) float64 { return key(s, j) }, always)
		}
	}
	arrival := least(func(_ *replay.State, j *replay.Job) float64 { return float64(j.Index) })
	return []pair{
		{"fifo", func() replay.Scheduler { return policy.FIFO() }, plain(slow{breadth, arrival})},
		{"capacity", func() replay.Scheduler { return &policy.Capacity{Order: policy.BreadthFirst} },
			func() replay.Scheduler { return &slowCapacity{slow: slow{rank: breadth}} }},
		{"srtf", func() replay.Scheduler {
			return policy.SRTF()
		}, plain(slow{downstream, least(func(_ *replay.State, j *replay.Job) float64 {
			return float64(j.Work)
		})})},
		{"sjf", func() replay.Scheduler {
			return policy.SJF()
		}, plain(slow{downstream, least(func(_ *replay.State, j *replay.Job) float64 {
			if _, ok := lengths[j]; !ok {
				lengths[j] = float64(slices.Max(policy.Downstream(j)))
			}
			return lengths[j]
		})})},
		{"drf", func() replay.Scheduler { return &policy.DRF{Order: policy.BreadthFirst} },
			plain(slowDRF{slow{rank: breadth}})},
		{"tetris", func() replay.Scheduler { return &policy.Tetris{Remaining: 1} }, plain(slow{breadth, slowTetris})},
		{"tetris, f=0.25", func() replay.Scheduler { return &policy.Tetris{Remaining: 1, Fairness: 0.25} },
			plain(slow{breadth, slowFair(0.25)})},
		{"tetris, f=1", func() replay.Scheduler { return &policy.Tetris{Remaining: 1, Fairness: 1} },
			plain(slow{breadth, slowFair(1)})},
	}
}

type pair struct {
	name       string
	fast, slow func() replay.Scheduler
}

func plain(s replay.Scheduler) func() replay.Scheduler { return func() replay.Scheduler { return s } }

// TestAgainstSlow compares all starts of schedulers that look at what changed with those of ones that look at
// everything.
func TestAgainstSlow(t *testing.T) {
	for _, test := range against() {
		t.Run(test.name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				work, machines := replaytest.Jobs(r, 6, false), replaytest.Machines(r)
				if at, got, want := differ(t, &test, machines, work); at >= 0 {
					r.Fatalf("start %d of\n%v\nwant\n%v", at, got, want)
				}
			})
		})
	}
}

// TestOverloadAgainstSlow does so with so many jobs that most wait.
func TestOverloadAgainstSlow(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var work []*jobs.Job
	for k := range 80 {
		j := replaytest.Job(strconv.Itoa(k), rng.Float64()*100)
		j.Seq, j.Group = int64(k), []string{"x", "y"}[rng.IntN(2)]
		for i := range int32(1 + rng.IntN(6)) {
			st := replaytest.Stage(1+rng.Int32N(8), 1+float64(rng.IntN(3000))/1000, replaytest.Both(0.02+
				0.4*rng.Float64(), 0.02+0.4*rng.Float64()))
			if i > 1 {
				st.Parents = []jobs.Parent{{Stage: rng.Int32N(i)}}
			}
			j.Stages = append(j.Stages, st)
		}
		work = append(work, j)
	}
	jobs.Sort(work)
	machines := []trace.Demand{replaytest.Both(1, 1), replaytest.Both(2, 1), replaytest.Both(1, 1)}
	for _, test := range against() {
		t.Run(test.name, func(t *testing.T) {
			if at, got, want := differ(t, &test, machines, work); at >= 0 {
				t.Fatalf("start %d is %v, want %v", at, got[at:min(at+3, len(got))], want[at:min(at+3, len(want))])
			}
		})
	}
}

// differ returns the first start of both that is not the same, -1 when all are, and all.
func differ(t *testing.T, p *pair, machines []trace.Demand, work []*jobs.Job) (at int, got, want []string) {
	a, b := replaytest.Checker{T: t}, replaytest.Checker{T: t}
	replaytest.Run(t, machines, work, p.fast(), &a)
	replaytest.Run(t, machines, work, p.slow(), &b)
	for i := range max(len(a.Starts), len(b.Starts)) {
		if i >= len(a.Starts) || i >= len(b.Starts) || a.Starts[i] != b.Starts[i] {
			return i, a.Starts, b.Starts
		}
	}
	return -1, a.Starts, b.Starts
}

func TestPublishedDRF(t *testing.T) {
	// NSDI 2011, §4.1: tasks start one by one where the dominant share is least, until CPUs are full: three and two.
	a := replaytest.Job("a", 0, replaytest.Stage(10, 1, replaytest.Both(1, 4)))
	b := replaytest.Job("b", 0, replaytest.Stage(10, 1, replaytest.Both(3, 1)))
	m, err := cluster.New([]trace.Demand{replaytest.Both(9, 18)})
	if err != nil {
		t.Fatal(err)
	}
	first := map[string]int{}
	_, err = replay.Run(t.Context(), []*jobs.Job{a, b}, m, &policy.DRF{Order: policy.BreadthFirst},
		&counter{at0: first})
	if err != nil || first["a"] != 3 || first["b"] != 2 {
		t.Errorf("%v start at 0, want 3 of a and 2 of b (%v)", first, err)
	}
}

// TestRoundedShare: a holds 2/3 of the cores, rounded up, and so more than its share by less than a quantum. Its share of
// memory is still its own: it comes before b, which holds less.
func TestRoundedShare(t *testing.T) {
	short := func() jobs.Stage { return replaytest.Stage(1, 1, replaytest.Both(0, 0.01)) }
	a := replaytest.Job("a", 0, replaytest.Stage(2, 10, replaytest.Both(2./3, 0)), short(),
		replaytest.Stage(3, 10, replaytest.Both(0, 0.2), 1))
	a.Group = "x"
	b := replaytest.Job("b", 0, replaytest.Stage(3, 10, replaytest.Both(1./3, 0)), short(),
		replaytest.Stage(1, 10, replaytest.Both(0, 0.65), 1))
	drf := &policy.DRF{Order: policy.BreadthFirst, Shares: policy.Shares{Weights: policy.Weights{"x": 2}}}
	log := replaytest.Checker{T: t}
	replaytest.Run(t, []trace.Demand{replaytest.Both(1, 0.8)}, []*jobs.Job{a, b}, drf, &log)
	var at1 []string
	for _, start := range log.Starts {
		if strings.HasPrefix(start, "1000000:") {
			at1 = append(at1, start)
		}
	}
	want := []string{"1000000: job a stage 2 task 0 on 0", "1000000: job a stage 2 task 1 on 0",
		"1000000: job a stage 2 task 2 on 0"}
	if !slices.Equal(at1, want) {
		t.Errorf("%v start at 1 s, want %v", at1, want)
	}
}

// TestShares: a's tasks hold cores now and memory after, b's memory. Of what could run, each has all of its resource;
// of the work that is left a wants both alike, so memory is full at halves.
func TestShares(t *testing.T) {
	a := replaytest.Job("a", 0, replaytest.Stage(10, 1, replaytest.Both(1, 0)),
		replaytest.Stage(10, 1, replaytest.Both(0, 1), 0))
	b := replaytest.Job("b", 0, replaytest.Stage(10, 1, replaytest.Both(0, 1)))
	for _, test := range []struct {
		remaining bool
		a, b      [2]float64 // cores and memory, of 10
	}{{false, [2]float64{10, 0}, [2]float64{0, 10}}, {true, [2]float64{5, 5}, [2]float64{0, 5}}} {
		p := &probe{shares: policy.Shares{Remaining: test.remaining}}
		replaytest.Run(t, []trace.Demand{replaytest.Both(10, 10)}, []*jobs.Job{a, b}, p, nil)
		if p.of["a"] != test.a || p.of["b"] != test.b {
			t.Errorf("of the work left: %v: %v, want %v and %v", test.remaining, p.of, test.a, test.b)
		}
	}
}

// probe keeps the shares of the first instant, and starts what fits.
type probe struct {
	shares policy.Shares
	of     map[string][2]float64
}

func (p *probe) Schedule(s *replay.State) {
	p.shares.Update(s)
	first := p.of == nil
	if first {
		p.of = map[string][2]float64{}
	}
	for _, j := range active(s) {
		if first {
			v := p.shares.Of(s, j)
			d := s.Machines.Space().Amounts(&v)
			p.of[j.Spec.ID] = [2]float64{d[trace.CPU], d[trace.Mem]}
		}
		for len(j.Ready) > 0 && s.Place(j, j.Ready[0], false) {
		}
	}
}

// counter counts starts at 0 by job.
type counter struct{ at0 map[string]int }

func (c *counter) Arrive(*replay.State, *replay.Job) {}
func (c *counter) Start(s *replay.State, t *replay.Task) {
	if s.Now == 0 {
		c.at0[t.Job.Spec.ID]++
	}
}
func (c *counter) End(*replay.State, *replay.Task)   {}
func (c *counter) Finish(*replay.State, *replay.Job) {}
func (c *counter) Scheduled(*replay.State)           {}

package generate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"racecard/datasets/lists"
)

// Cause is why the runs of a planted job change from some night on.
type Cause string

// The causes. Factor of [Planted] is always at least 1: how much slower, larger or fewer.
const (
	Steady      Cause = "steady"       // nothing changes
	StageSlower Cause = "stage-slower" // tasks of a stage take Factor times as long
	// the input grows by equal steps, from that night on, to Factor times its size; tasks take longer in proportion.
	InputGrows Cause = "input-grows"
	CoresLost  Cause = "cores-lost" // the run holds 1/Factor of its cores
	// of the attempts of every task, 1 - 1/Factor fail, after half of their time on average.
	MoreFailures Cause = "more-failures"
	Queueing     Cause = "queueing" // the run waits Factor - 1 times the time that it usually takes before it starts
	// the longest task of a stage takes Factor times as long as the stage usually does, the others the less, so that
	// all together take the same.
	Skew Cause = "skew"
)

// causes returns all causes.
func causes() []Cause {
	return []Cause{Steady, StageSlower, InputGrows, CoresLost, MoreFailures, Queueing, Skew}
}

// Change is a planted change in the runs of a job.
type Change struct {
	Cause  Cause
	Stage  string  // that becomes slower or skewed; join for ""
	Night  int     // the first with the change, from 0
	Factor float64 // at least 1; see the causes
}

// Planted is a job that runs once a night, and its planted changes.
type Planted struct {
	Job string
	Change
	Second Change  // another, of another cause; nothing where its cause is ""
	Cores  int     // that a run holds; at least 1
	Noise  float64 // standard deviation of the logarithm of how slow a whole run is; tasks vary by 0.1 besides
}

// Nights are the runs of some jobs that run once a night, night after night from 1 September 2026 on, each at its own
// time. A run extracts, cleans, joins, aggregates and writes; its tasks are scheduled on its cores in the order of the
// stages. What is planted is stated in the group of every run.
type Nights struct {
	Jobs   []Planted
	Nights int
}

// fourJobs are a job whose stage join becomes 2.2 times slower halfway, one whose input grows to 2.5 times its size,
// one that loses half of its cores halfway, and a steady one.
func fourJobs(nights int) Nights {
	return Nights{Nights: nights, Jobs: []Planted{
		{Job: "nightly-join", Change: Change{Cause: StageSlower, Night: nights / 2, Factor: 2.2}, Cores: 8,
			Noise: 0.02},
		{Job: "nightly-growth", Change: Change{Cause: InputGrows, Night: 0, Factor: 2.5}, Cores: 8, Noise: 0.02},
		{Job: "nightly-cores", Change: Change{Cause: CoresLost, Night: nights / 2, Factor: 2}, Cores: 8, Noise: 0.02},
		{Job: "nightly-steady", Change: Change{Cause: Steady, Factor: 1}, Cores: 8, Noise: 0.04},
	}}
}

// RandomNights plants a random cause in each of some jobs: between a quarter and three quarters of the nights, by a
// factor between 1.5 and 3. The n-th job depends on the seed and n alone.
func RandomNights(jobs, nights int, seed uint64) Nights {
	out := Nights{Nights: nights}
	for n := range jobs {
		rng := sourceOf(seed, "planted job", int64(n))
		p := Planted{Job: fmt.Sprintf("job-%04d", n), Change: randomChange(rng, nights), Cores: 4 << rng.IntN(3),
			Noise: 0.02 + 0.03*rng.Float64()}
		p.settle(rng)
		out.Jobs = append(out.Jobs, p)
	}
	return out
}

// randomChange draws a change, except the fields that depend on its cause.
func randomChange(rng *rand.Rand, nights int) Change {
	return Change{Cause: causes()[rng.IntN(len(causes()))], Night: nights/4 + rng.IntN(nights/2+1), Factor: 1.5 +
		1.5*rng.Float64()}
}

// settle draws the fields that depend on the cause of a change.
func (c *Change) settle(rng *rand.Rand) {
	switch c.Cause {
	case StageSlower, Skew:
		c.Stage = []string{"extract", "clean", "join"}[rng.IntN(3)]
	case Steady:
		c.Night, c.Factor = 0, 1
	case InputGrows:
		c.Night = 0
	case CoresLost:
		c.Factor = float64(2 + rng.IntN(2))
	}
}

// Twice returns the jobs with a second change, of another cause, in each that has one. Noise is as before.
func (n Nights) Twice(seed uint64) Nights {
	n.Jobs = slices.Clone(n.Jobs)
	for i := range n.Jobs {
		p, rng := &n.Jobs[i], sourceOf(seed, "second planted change", int64(i))
		if p.Cause == Steady {
			continue
		}
		for p.Second.Cause == "" || p.Second.Cause == p.Cause || p.Second.Cause == Steady {
			p.Second = randomChange(rng, n.Nights)
		}
		p.Second.settle(rng)
	}
	return n
}

// Kind returns the generator of these nights in racecard's JSON Lines. A row is a run; more rows than nights x jobs are
// more nights.
func (n Nights) Kind(name, summary string) Kind {
	return Kind{Name: name, Format: "jsonl", Summary: summary, Rows: "lines: runs", Ending: ".jsonl",
		write: func(t *traceWriter) { n.write(t) }}
}

func writeFourJobs(t *traceWriter) { fourJobs(nightsFor(t, 4)).write(t) }

// randomJobs plants a cause in every job; a job runs for 60 nights.
func randomJobs(t *traceWriter) {
	jobs := int((t.want + 59) / 60)
	RandomNights(jobs, 60, t.seed).write(t)
}

// nightsFor returns how many nights the rows fill with so many jobs.
func nightsFor(t *traceWriter, jobs int64) int { return int(max(2, (t.want+jobs-1)/jobs)) }

// nightStage is a stage of every planted job. Tasks take seconds on average where the input is as large as at first.
type nightStage struct {
	name    string
	tasks   int
	seconds float64
	parents []int
}

func nightStages() []nightStage {
	return []nightStage{{"extract", 24, 20, nil}, {"clean", 16, 12, []int{0}}, {"lookup", 8, 9, nil},
		{"join", 24, 25, []int{1, 2}}, {"aggregate", 8, 15, []int{3}}, {"write", 4, 6, []int{4}}}
}

// The driver's time before the first stage and after the last, in seconds, the first night, and the input at first.
const (
	nightStartUp  = 8.0
	nightWindDown = 3.0
	firstNight    = 1_788_220_800 // 2026-09-01 00:00 UTC
	nightInput    = 2e10          // bytes
	mostSkew      = 0.9           // share of a stage's work in its longest task
)

// nightTask is an attempt, in seconds since the run started.
type nightTask struct {
	stage, task, attempt int
	from, to             float64
	failed               bool
	core                 int
}

// nightRun is a run, in seconds since it was submitted.
type nightRun struct {
	start, end float64
	cores      int
	input      float64
	tasks      []nightTask
}

func (n Nights) write(t *traceWriter) {
	o := t.file("")
	rngs := lists.Indexed(len(n.Jobs), func(j int) *rand.Rand {
		return sourceOf(t.seed, "nights of "+n.Jobs[j].Job, int64(j))
	})
	for night := 0; t.more(); night++ {
		for j := 0; j < len(n.Jobs) && t.more(); j++ {
			p := &n.Jobs[j]
			clock := 3600 + math.Mod(float64(j)*1500, 18_000) // from 01:00 to 06:00
			submit := firstNight + 86_400*float64(night) + clock + 60*rngs[j].Float64()
			r := p.run(night, n.Nights, rngs[j])
			o.night(p, night, submit, &r)
			o.endRow()
		}
	}
}

// run draws the run of a night.
func (p *Planted) run(night, nights int, rng *rand.Rand) nightRun {
	r := nightRun{cores: max(1, p.Cores), input: nightInput * math.Exp(0.03*rng.NormFloat64())}
	slow := math.Exp(p.Noise * rng.NormFloat64())
	wait := 5 + 10*rng.Float64()
	fails := 0.0
	slower, skew := map[string]float64{}, map[string]float64{} // factors by stage
	for _, c := range []Change{p.Change, p.Second} {
		if night < c.Night {
			continue
		}
		switch c.Cause {
		case StageSlower:
			slower[cmp.Or(c.Stage, "join")] = c.Factor
		case InputGrows:
			r.input *= 1 + (c.Factor-1)*float64(night-c.Night)/float64(max(1, nights-1-c.Night))
		case CoresLost:
			r.cores = max(1, int(math.Round(float64(p.Cores)/c.Factor)))
		case MoreFailures:
			fails = 1 - 1/c.Factor
		case Queueing:
			wait += (c.Factor - 1) * p.usual()
		case Skew:
			skew[cmp.Or(c.Stage, "join")] = c.Factor
		}
	}
	slow *= r.input / nightInput
	r.start = wait
	ends := make([]float64, len(nightStages()))
	free := make([]float64, r.cores)
	for s, st := range nightStages() {
		ready := nightStartUp
		for _, q := range st.parents {
			ready = max(ready, ends[q])
		}
		durations := make([]float64, st.tasks)
		sum := 0.0
		for i := range durations {
			durations[i] = st.seconds * slow * math.Exp(0.1*rng.NormFloat64())
			sum += durations[i]
		}
		if factor := cmp.Or(slower[st.name], 1); factor > 1 || skew[st.name] > 0 {
			longest := slices.Max(durations)
			at, skewed := slices.Index(durations, longest), longest
			if skew[st.name] > 0 { // moves time, adds none
				usual := st.seconds * slow * math.Ceil(float64(st.tasks)/float64(r.cores))
				skewed = max(longest, min(skew[st.name]*usual, mostSkew*sum))
			}
			for i := range durations {
				if i == at {
					durations[i] = factor * skewed
				} else {
					durations[i] *= factor * (sum - skewed) / (sum - longest)
				}
			}
		}
		var again []nightTask // attempts that follow failed ones, from when these ended
		for next := 0; next < len(durations) || len(again) > 0; {
			core := slices.Index(free, slices.Min(free))
			t := nightTask{stage: s, task: next, from: max(free[core], ready), core: core}
			if k := firstRetry(again); k >= 0 && (next == len(durations) || again[k].from <= t.from) {
				t.task, t.attempt, t.from = again[k].task, again[k].attempt, max(t.from, again[k].from)
				again = slices.Delete(again, k, k+1)
			} else {
				next++
			}
			t.to = t.from + durations[t.task]
			if t.failed = chance(rng, fails) && t.attempt < 3; t.failed {
				t.to = t.from + durations[t.task]*rng.Float64()
				again = append(again, nightTask{task: t.task, attempt: t.attempt + 1, from: t.to})
			}
			free[core], ends[s] = t.to, max(ends[s], t.to)
			r.tasks = append(r.tasks, t)
		}
	}
	r.end = r.start + slices.Max(ends) + nightWindDown
	return r
}

// firstRetry returns the attempt that may start first; -1 for none.
func firstRetry(of []nightTask) int {
	first := -1
	for i := range of {
		if first < 0 || of[i].from < of[first].from {
			first = i
		}
	}
	return first
}

// usual returns the approximate time of a run without a change, in seconds.
func (p *Planted) usual() float64 {
	sum := nightStartUp + nightWindDown
	for _, s := range nightStages() {
		sum += s.seconds * math.Ceil(float64(s.tasks)/float64(max(1, p.Cores)))
	}
	return sum
}

// change writes a planted change.
func (o *output) change(c *Change) {
	o.text(string(c.Cause))
	if c.Cause != Steady {
		o.field(" from night ", int64(c.Night))
		o.text(" x ")
		o.round(c.Factor, 2)
		if c.Stage != "" {
			o.text(" of stage " + c.Stage)
		}
	}
}

// night writes a run.
func (o *output) night(p *Planted, night int, submit float64, r *nightRun) {
	o.text(`{"id":"` + p.Job + `-`)
	o.pad(int64(night), 4)
	o.text(`","name":"` + p.Job + `","user":"synthetic","group":"planted `)
	o.change(&p.Change)
	if p.Second.Cause != "" {
		o.text(" and ")
		o.change(&p.Second)
	}
	o.text(`","submit_s":`)
	o.round(submit, 3)
	o.text(`,"start_s":`)
	o.round(submit+r.start, 3)
	o.text(`,"end_s":`)
	o.round(submit+r.end, 3)
	o.field(`,"status":"succeeded","guaranteed":`, int64(r.cores))
	o.field(`,"input_bytes":`, int64(r.input))
	o.text(`,"stages":[`)
	began := submit + r.start
	for s, st := range nightStages() {
		if s > 0 {
			o.text(",")
		}
		o.text(`{"name":"` + st.name)
		o.field(`","tasks":`, int64(st.tasks))
		o.text(`,"cpu":1`)
		from, to := math.Inf(1), 0.0
		for i := range r.tasks {
			if t := &r.tasks[i]; t.stage == s {
				from, to = min(from, t.from), max(to, t.to)
			}
		}
		o.text(`,"start_s":`)
		o.round(began+from, 3)
		o.text(`,"end_s":`)
		o.round(began+to, 3)
		for k, q := range st.parents {
			o.text([]string{`,"parents":[`, ","}[min(k, 1)])
			o.int(int64(q))
		}
		if len(st.parents) > 0 {
			o.text("]")
		}
		o.text("}")
	}
	o.text(`],"tasks":[`)
	for i := range r.tasks {
		t := &r.tasks[i]
		if i > 0 {
			o.text(",")
		}
		o.field(`{"stage":`, int64(t.stage))
		o.field(`,"task":`, int64(t.task))
		o.field(`,"attempt":`, int64(t.attempt))
		o.text(`,"start_s":`)
		o.round(began+t.from, 3)
		o.text(`,"end_s":`)
		o.round(began+t.to, 3)
		o.text([]string{`,"status":"succeeded"`, `,"status":"failed"`}[map[bool]int{true: 1}[t.failed]])
		o.field(`,"machine":"core`, int64(t.core))
		o.text(`"}`)
	}
	o.text("]}")
}

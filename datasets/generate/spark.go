package generate

import (
	"fmt"
	"math/rand/v2"

	"racecard/datasets/lists"
)

// sparkPlan is the common shape of a recurring application's runs.
type sparkPlan struct {
	name      string
	executors int
	cores     int // of an executor
	jobs      [][]sparkStage
}

// sparkStage is a stage of a plan.
type sparkStage struct {
	rdd     int     // what it computes; a stage that computes what an earlier job's stage did is skipped
	tasks   float64 // of a run of mean size
	seconds float64 // median of a task
	parents []int   // in its job
	reused  bool
}

// sparkApps is how many recurring applications there are.
const sparkApps = 40

// sparkPlanOf draws the plan of a recurring application: it depends on the seed and the number of the application
// alone.
func sparkPlanOf(root uint64, app int64) *sparkPlan {
	rng := sourceOf(root, "spark-like app", app)
	p := &sparkPlan{name: fmt.Sprintf("report-%02d", app), executors: 2 + rng.IntN(12), cores: 1 << rng.IntN(4)}
	rdd, size := 0, lognormal(rng, 0.5, 1.2)
	for j := range 1 + rng.IntN(6) {
		var job []sparkStage
		n := 1 + int(count(rng, 1.5, 0.8, 20))
		for s := range n {
			rdd++
			st := sparkStage{rdd: rdd, tasks: lognormal(rng, 20, 1) * size, seconds: lognormal(rng, 2, 1)}
			if j > 0 && s == 0 && n > 1 && chance(rng, 0.3) {
				st = p.jobs[j-1][0]
				st.reused = true
			}
			for k := max(0, s-3); k < s; k++ {
				if chance(rng, 0.5) {
					st.parents = append(st.parents, k)
				}
			}
			job = append(job, st)
		}
		adopt(job)
		p.jobs = append(p.jobs, job)
	}
	return p
}

// adopt gives every stage but the last a child: in a job, all stages lead to the last.
func adopt(job []sparkStage) {
	last := len(job) - 1
	has := make([]bool, len(job))
	for s := range job {
		for _, parent := range job[s].parents {
			has[parent] = true
		}
	}
	for s := range last {
		if !has[s] {
			job[last].parents = append(job[last].parents, s)
		}
	}
}

// sparkLike writes event logs as Spark 3.5 does, one file per application, until they hold as many task attempts
// as rows. The log of the last application breaks off there, like the log of a running application.
//
// Forty recurring applications with jobs of up to twenty stages run again and again on inputs that vary. Durations of
// tasks are lognormal, one in a hundred takes five times as long. One attempt in 200 fails; where slots are free, slow
// attempts get a copy; now and then an executor is lost, with the output of its tasks, or a task cannot fetch its
// input, which repeats parts of two stages. One application in twenty fails for good. Stages of a job run one after the
// other. In traces of more than a million rows applications have more tasks.
func sparkLike(t *traceWriter) {
	rng := source(t.seed, "spark-like")
	next := arrivals{interval: 120}
	for n := int64(1); t.more(); n++ {
		number := skewed(rng, sparkApps)
		a := &sparkApp{
			trace: t, rng: rng, plan: sparkPlanOf(t.seed, number), number: n, recurs: number,
			at: epoch*1000 + int64(1000*next.next(rng)), log: t.file(fmt.Sprintf("application_%d_%04d", epoch*1000, n)),
		}
		a.run()
		a.log.close()
	}
}

// sparkApp is a run of an application.
type sparkApp struct {
	trace     *traceWriter
	rng       *rand.Rand
	plan      *sparkPlan
	log       *output
	number    int64
	recurs    int64
	at        int64 // milliseconds since the Unix epoch
	pool      pool
	executors []int64 // of each group of slots
	named     int64   // executors so far
	stages    int64   // ids given so far
	scale     float64 // of the input
}

// run writes the log of the application.
func (a *sparkApp) run() {
	a.scale = 0.7 + 0.6*a.rng.Float64()
	a.pool = pool{running: lists.Heap[*attempt]{Less: earlier}, rng: a.rng, slots: a.plan.executors * a.plan.cores,
		group: a.plan.cores}
	a.begin()
	for range a.plan.executors {
		a.executors = append(a.executors, a.addExecutor())
	}
	doomed := chance(a.rng, 0.05)
	for j, job := range a.plan.jobs {
		failed := !a.job(int64(j), job, doomed && j == len(a.plan.jobs)-1)
		a.at += int64(lognormal(a.rng, 50, 1))
		if !a.trace.more() {
			return
		}
		if failed {
			break
		}
	}
	a.finish()
}

// job runs a job and reports whether it succeeded.
func (a *sparkApp) job(id int64, job []sparkStage, doomed bool) bool {
	first := a.stages
	a.stages += int64(len(job))
	var infos []stageInfo
	for s := range job {
		infos = append(infos, a.info(first, s, &job[s], s == len(job)-1))
	}
	a.startJob(id, infos)
	for s := range job {
		if job[s].reused {
			continue
		}
		if !a.stage(&infos[s], &job[s], infos, doomed && s == len(job)-1) || !a.trace.more() {
			a.endJob(id, false)
			return false
		}
	}
	a.endJob(id, true)
	return true
}

func (a *sparkApp) info(first int64, s int, stage *sparkStage, last bool) stageInfo {
	most := float64(max(20, a.trace.want/60))
	info := stageInfo{
		id: first + int64(s), rdd: int64(stage.rdd), of: int(min(most, 1+stage.tasks*a.scale*a.trace.growth(250))),
		parents: stage.parents, first: first, last: last, reused: stage.reused,
	}
	info.tasks = info.of
	return info
}

// stage runs a stage, again in part when its input is lost, and reports whether it succeeded.
func (a *sparkApp) stage(info *stageInfo, st *sparkStage, infos []stageInfo, doomed bool) bool {
	f := faults{fail: 0.005, copies: 0.01, lose: 0.0005, doomed: doomed}
	if len(st.parents) > 0 && !infos[st.parents[0]].reused {
		f.fetch = 0.0005
	}
	missing := a.attemptStage(info, st, f)
	if len(missing) > 0 && info.why == fetchFailed {
		parent := &infos[st.parents[0]]
		parent.attempt, parent.partitions = parent.attempt+1, []int{0}
		a.attemptStage(parent, st, faults{})
		info.attempt, info.partitions = info.attempt+1, missing
		missing = a.attemptStage(info, st, faults{})
	}
	return len(missing) == 0
}

// attemptStage runs an attempt of a stage and returns the partitions that it left out.
func (a *sparkApp) attemptStage(info *stageInfo, st *sparkStage, f faults) (missing []int) {
	a.at += 5
	info.tasks, info.submitted, info.why = info.of, a.at, succeeded
	if info.partitions != nil {
		info.tasks = len(info.partitions)
	}
	a.submitStage(info)
	run := stageRun{
		tasks: info.tasks, faults: f,
		millis: func() int64 {
			ms := lognormal(a.rng, 1000*st.seconds*a.scale, 0.5)
			if chance(a.rng, 0.01) {
				ms *= 5
			}
			return int64(ms)
		},
		event: func(t *attempt, ended bool) {
			if !a.trace.more() {
				return
			}
			a.task(info, t, ended)
			if ended && (t.outcome == failed && t.number >= mostFailures-1 || t.outcome == fetchFailed) {
				info.why = t.outcome
			}
		},
		lose: func(at int64, group int) {
			a.at = at
			a.removeExecutor(a.executors[group])
			a.executors[group] = a.addExecutor()
		},
	}
	if !info.last { // its output was on the executor
		run.redo = func(t *attempt) { a.resubmitted(info, t) }
	}
	end, left := a.pool.run(a.at, &run)
	a.at = end
	for _, task := range left {
		missing = append(missing, info.partition(task))
	}
	if a.trace.more() {
		a.completeStage(info, len(left) > 0)
	}
	return missing
}

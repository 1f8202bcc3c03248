package generate

import (
	"fmt"
	"math/rand/v2"

	"racecard/datasets/lists"
)

// jhist writes job histories as MapReduce v2 does, one file per job, until there are as many attempts as rows are
// wanted; the last history breaks off there.
//
// After Y. Chen et al., "Interactive Analytical Processing in Big Data Systems", VLDB 2012: jobs recur, most have a
// handful of maps and a third of them no reduce, few have thousands. One attempt in 100 fails, slow ones get a copy,
// one job in fifty fails. Reduces begin when all maps have ended. In traces of more than 135,000 rows jobs have more
// tasks.
func jhist(t *traceWriter) {
	rng := source(t.seed, "jhist")
	next := arrivals{interval: 60}
	for n := int64(1); t.more(); n++ {
		o := t.file(fmt.Sprintf("job_%d_%04d.jhist", epoch*1000, n))
		(&history{
			trace: t, rng: rng, log: o, number: n, name: skewed(rng, 200),
			pool: pool{running: lists.Heap[*attempt]{Less: earlier}, rng: rng, slots: 10 + rng.IntN(50), group: 4},
			at:   epoch*1000 + int64(1000*next.next(rng)),
		}).run()
		o.close()
	}
}

// history is the history of a job while it is written. Times are milliseconds since the Unix epoch.
type history struct {
	trace  *traceWriter
	rng    *rand.Rand
	log    *output
	number int64
	name   int64 // of the recurring job
	pool   pool
	at     int64
}

func (h *history) run() {
	most := max(20, h.trace.want/50)
	growth := h.trace.growth(27)
	maps, reduces := count(h.rng, 8*growth, 1.6, most), int64(0)
	if !chance(h.rng, 0.33) {
		reduces = count(h.rng, 3*growth, 1.3, most)
	}
	h.log.text("Avro-Json\n")
	h.log.text(`{"type":"record","name":"Event","namespace":"org.apache.hadoop.mapreduce.jobhistory","fields":[]}`)
	h.end()
	h.begin("JOB_SUBMITTED", "JobSubmitted")
	h.jobID()
	h.log.field(`,"jobName":"nightly-`, h.name)
	h.log.field(`","userName":"user`, h.name%9)
	h.log.field(`","submitTime":`, h.at)
	h.log.text(`,"jobConfPath":"","acls":{},"jobQueueName":"default","workflowId":{"string":""}}}}`)
	h.end()
	h.at += 2000
	h.begin("JOB_INITED", "JobInited")
	h.jobID()
	h.log.field(`,"launchTime":`, h.at)
	h.log.field(`,"totalMaps":`, maps)
	h.log.field(`,"totalReduces":`, reduces)
	h.log.text(`,"jobStatus":"INITED","uberized":false}}}`)
	h.end()
	doomed := chance(h.rng, 0.02)
	ok := h.stage("MAP", maps, doomed)
	if ok && reduces > 0 {
		ok = h.stage("REDUCE", reduces, false)
	}
	if ok {
		h.begin("JOB_FINISHED", "JobFinished")
		h.jobID()
		h.log.field(`,"finishTime":`, h.at)
		h.log.field(`,"finishedMaps":`, maps)
		h.log.field(`,"finishedReduces":`, reduces)
		h.log.text(`,"failedMaps":0,"failedReduces":0}}}`)
	} else {
		h.begin("JOB_FAILED", "JobUnsuccessfulCompletion")
		h.jobID()
		h.log.field(`,"finishTime":`, h.at)
		h.log.text(`,"finishedMaps":0,"finishedReduces":0,"jobStatus":"FAILED"}}}`)
	}
	h.end()
}

// end writes an event and the blank line behind it, unless the trace is full.
func (h *history) end() {
	if h.trace.more() {
		h.log.text("\n")
		h.log.end()
	} else {
		h.log.line = h.log.line[:0]
	}
}

func (h *history) begin(kind, class string) {
	h.log.text(`{"type":"` + kind + `","event":{"org.apache.hadoop.mapreduce.jobhistory.` + class + `":{`)
}

func (h *history) jobID() {
	h.log.field(`"jobid":"job_`, epoch*1000)
	h.log.text("_")
	h.log.pad(h.number, 4)
	h.log.text(`"`)
}

// ids writes the ids of a task and, unless the attempt is nil, of an attempt.
func (h *history) ids(kind string, task int, a *attempt) {
	write := func(field string) {
		h.log.field(field, epoch*1000)
		h.log.text("_")
		h.log.pad(h.number, 4)
		if kind == "MAP" {
			h.log.text("_m_")
		} else {
			h.log.text("_r_")
		}
		h.log.pad(int64(task), 6)
	}
	write(`"taskid":"task_`)
	h.log.text(`","taskType":"` + kind + `"`)
	if a != nil {
		write(`,"attemptId":"attempt_`)
		h.log.field("_", int64(a.number))
		h.log.text(`"`)
	}
}

// stage runs the tasks of a kind and reports whether they succeeded.
func (h *history) stage(kind string, tasks int64, doomed bool) bool {
	median := 1000 * lognormal(h.rng, 15, 0.8)
	end, missing := h.pool.run(h.at, &stageRun{
		tasks:  int(tasks),
		faults: faults{fail: 0.01, copies: 0.02, doomed: doomed},
		millis: func() int64 { return int64(lognormal(h.rng, median, 0.5)) },
		event: func(a *attempt, ended bool) {
			if ended {
				h.ended(kind, a)
			} else {
				h.started(kind, a)
			}
		},
	})
	h.at = end
	return len(missing) == 0
}

func (h *history) started(kind string, a *attempt) {
	if !h.trace.more() {
		return
	}
	if a.number == 0 {
		h.begin("TASK_STARTED", "TaskStarted")
		h.ids(kind, a.task, nil)
		h.log.field(`,"startTime":`, a.start)
		h.log.text(`,"splitLocations":""}}}`)
		h.end()
	}
	h.begin(kind+"_ATTEMPT_STARTED", "TaskAttemptStarted")
	h.ids(kind, a.task, a)
	h.log.field(`,"startTime":`, a.start)
	h.log.field(`,"trackerName":"host`, int64(a.slot/h.pool.group))
	h.log.field(`","httpPort":8042,"shufflePort":13562,"containerId":"container_`, a.id)
	h.log.text(`","locality":{"string":"NODE_LOCAL"},"avataar":{"string":"`)
	if a.speculative {
		h.log.text(`SPECULATIVE"}}}}`)
	} else {
		h.log.text(`VIRGIN"}}}}`)
	}
	h.log.text("\n")
	h.log.endRow()
}

func (h *history) ended(kind string, a *attempt) {
	if !h.trace.more() {
		return
	}
	if a.outcome != succeeded {
		status := "FAILED"
		if a.outcome == killed {
			status = "KILLED"
		}
		h.begin(kind+"_ATTEMPT_"+status, "TaskAttemptUnsuccessfulCompletion")
		h.ids(kind, a.task, a)
		h.log.field(`,"finishTime":`, a.end)
		h.log.field(`,"hostname":"host`, int64(a.slot/h.pool.group))
		h.log.text(`","port":45454,"rackname":"/default-rack","status":"` + status + `","error":"synthetic"}}}`)
		h.end()
		return
	}
	class, finish := "MapAttemptFinished", "mapFinishTime"
	if kind == "REDUCE" {
		class, finish = "ReduceAttemptFinished", "shuffleFinishTime"
	}
	h.begin(kind+"_ATTEMPT_FINISHED", class)
	h.ids(kind, a.task, a)
	h.log.field(`,"taskStatus":"SUCCEEDED","`+finish+`":`, a.end)
	h.log.field(`,"finishTime":`, a.end)
	h.log.field(`,"hostname":"host`, int64(a.slot/h.pool.group))
	h.log.text(`","port":45454,"rackname":"/default-rack","state":"synthetic","counters":{"name":"COUNTERS","groups":[{"name":"g","displayName":"g","counts":[`)
	h.counters(kind, a)
	h.log.text(`]}]}}}}`)
	h.end()
	h.begin("TASK_FINISHED", "TaskFinished")
	h.ids(kind, a.task, nil)
	h.log.field(`,"finishTime":`, a.end)
	h.log.text(`,"status":"SUCCEEDED"}}}`)
	h.end()
}

// counters writes the counters of an attempt.
func (h *history) counters(kind string, a *attempt) {
	bytes := int64(lognormal(h.rng, 6e7, 0.6))
	ms := a.end - a.start
	list := [...]struct {
		name  string
		value int64
	}{
		{"CPU_MILLISECONDS", ms * 7 / 10}, {"PHYSICAL_MEMORY_BYTES", 300_000_000 + bytes},
		{"FILE_BYTES_WRITTEN", bytes / 2},
		{"HDFS_BYTES_READ", bytes}, {"MAP_OUTPUT_BYTES", bytes / 2},
	}
	if kind == "REDUCE" {
		list[3].name, list[4].name = "REDUCE_SHUFFLE_BYTES", "HDFS_BYTES_WRITTEN"
	}
	for i, c := range list {
		if i > 0 {
			h.log.text(",")
		}
		h.log.field(`{"name":"`+c.name+`","displayName":"","value":`, c.value)
		h.log.text("}")
	}
}

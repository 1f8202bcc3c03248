package generate

// stageInfo is the event data of a stage attempt.
type stageInfo struct {
	id, first  int64 // first is the id of the first stage of the job
	attempt    int64
	rdd        int64
	of         int   // tasks of the stage
	tasks      int   // of the attempt
	partitions []int // that the attempt computes; nil is all
	parents    []int // in the job
	last       bool  // of its job
	reused     bool  // an earlier job computed it
	submitted  int64
	why        outcome // that ended the attempt early
}

// partition returns the partition that a task of the attempt computes.
func (i *stageInfo) partition(task int) int {
	if i.partitions == nil {
		return task
	}
	return i.partitions[task]
}

// end writes an event, unless the trace is full.
func (a *sparkApp) end() {
	if a.trace.more() {
		a.log.end()
	} else {
		a.log.line = a.log.line[:0]
	}
}

// begin writes the events before the first executor.
func (a *sparkApp) begin() {
	o, p := a.log, a.plan
	o.text(`{"Event":"SparkListenerLogStart","Spark Version":"3.5.3"}`)
	a.end()
	o.field(`{"Event":"SparkListenerResourceProfileAdded","Resource Profile Id":0,"Executor Resource Requests":{"cores":{"Resource Name":"cores","Amount":`, int64(p.cores))
	o.text(`,"Discovery Script":"","Vendor":""}},"Task Resource Requests":{"cpus":{"Resource Name":"cpus","Amount":1.0}}}`)
	a.end()
	o.field(`{"Event":"SparkListenerBlockManagerAdded","Block Manager ID":{"Executor ID":"driver","Host":"driver-host","Port":7079},"Maximum Memory":455501414,"Timestamp":`, a.at)
	o.text(`}`)
	a.end()
	o.text(`{"Event":"SparkListenerEnvironmentUpdate","JVM Information":{"Java Version":"17.0.9"},"Spark Properties":{"spark.app.name":"`)
	a.appName()
	o.text(`","spark.app.id":"`)
	a.appID()
	o.field(`","spark.master":"yarn","spark.task.cpus":"1","spark.executor.cores":"`, int64(p.cores))
	o.field(`","spark.executor.instances":"`, int64(p.executors))
	o.text(`","spark.executor.memory":"4g"},"Hadoop Properties":{},"System Properties":{},"Metrics Properties":{},"Classpath Entries":{}}`)
	a.end()
	o.text(`{"Event":"SparkListenerApplicationStart","App Name":"`)
	a.appName()
	o.text(`","App ID":"`)
	a.appID()
	o.field(`","Timestamp":`, a.at)
	o.field(`,"User":"user`, a.recurs%7)
	o.text(`"}`)
	a.end()
	a.at += 2000
}

func (a *sparkApp) appID() {
	a.log.field("application_", epoch*1000)
	a.log.text("_")
	a.log.pad(a.number, 4)
}

// appName writes the name of the application with the day on which it runs, as reports are called.
func (a *sparkApp) appName() {
	a.log.text(a.plan.name + "-")
	a.log.dateTime(float64(a.at/1000 - epoch))
	a.log.line = a.log.line[:len(a.log.line)-len(" 15:04:05")]
}

// finish ends the application.
func (a *sparkApp) finish() {
	a.log.field(`{"Event":"SparkListenerApplicationEnd","Timestamp":`, a.at)
	a.log.text(`}`)
	a.end()
}

// host is the machine of an executor.
func host(executor int64) int64 { return executor * 7 % 60 }

func (a *sparkApp) addExecutor() int64 {
	a.named++
	o := a.log
	o.field(`{"Event":"SparkListenerExecutorAdded","Timestamp":`, a.at)
	o.field(`,"Executor ID":"`, a.named)
	o.field(`","Executor Info":{"Host":"host`, host(a.named))
	o.field(`","Total Cores":`, int64(a.plan.cores))
	o.text(`,"Log Urls":{},"Attributes":{},"Resources":{},"Resource Profile Id":0}}`)
	a.end()
	return a.named
}

func (a *sparkApp) removeExecutor(id int64) {
	a.log.field(`{"Event":"SparkListenerExecutorRemoved","Timestamp":`, a.at)
	a.log.field(`,"Executor ID":"`, id)
	a.log.text(`","Removed Reason":"Container marked as failed"}`)
	a.end()
}

func (a *sparkApp) startJob(id int64, infos []stageInfo) {
	o := a.log
	o.field(`{"Event":"SparkListenerJobStart","Job ID":`, id)
	o.field(`,"Submission Time":`, a.at)
	o.text(`,"Stage Infos":[`)
	for i := range infos {
		if i > 0 {
			o.text(",")
		}
		o.stageInfo(&infos[i])
		o.text(`,"Accumulables":[],"Resource Profile Id":0}`)
	}
	o.text(`],"Stage IDs":[`)
	for i := range infos {
		if i > 0 {
			o.text(",")
		}
		o.int(infos[i].id)
	}
	o.text(`],"Properties":{}}`)
	a.end()
}

func (a *sparkApp) endJob(id int64, ok bool) {
	a.log.field(`{"Event":"SparkListenerJobEnd","Job ID":`, id)
	a.log.field(`,"Completion Time":`, a.at)
	if ok {
		a.log.text(`,"Job Result":{"Result":"JobSucceeded"}}`)
	} else {
		a.log.text(`,"Job Result":{"Result":"JobFailed","Exception":{"Message":"Job aborted due to stage failure","Stack Trace":[]}}}`)
	}
	a.end()
}

// stageInfo writes the fields of a Stage Info that all events have. The caller closes it.
func (o *output) stageInfo(i *stageInfo) {
	o.field(`{"Stage ID":`, i.id)
	o.field(`,"Stage Attempt ID":`, i.attempt)
	o.field(`,"Stage Name":"stage at report.scala:`, i.rdd)
	o.field(`","Number of Tasks":`, int64(i.tasks))
	o.field(`,"RDD Info":[{"RDD ID":`, i.rdd)
	o.field(`,"Name":"MapPartitionsRDD","Callsite":"stage at report.scala:`, i.rdd)
	o.field(`","Parent IDs":[],"Barrier":false,"Number of Partitions":`, int64(i.of))
	o.text(`,"Number of Cached Partitions":0,"Memory Size":0,"Disk Size":0}],"Parent IDs":[`)
	for k, p := range i.parents {
		if k > 0 {
			o.text(",")
		}
		o.int(i.first + int64(p))
	}
	o.text(`],"Details":""`)
}

func (a *sparkApp) submitStage(i *stageInfo) {
	a.log.text(`{"Event":"SparkListenerStageSubmitted","Stage Info":`)
	a.log.stageInfo(i)
	a.log.field(`,"Submission Time":`, i.submitted)
	a.log.text(`,"Accumulables":[],"Resource Profile Id":0},"Properties":{}}`)
	a.end()
}

func (a *sparkApp) completeStage(i *stageInfo, failed bool) {
	a.log.text(`{"Event":"SparkListenerStageCompleted","Stage Info":`)
	a.log.stageInfo(i)
	a.log.field(`,"Submission Time":`, i.submitted)
	a.log.field(`,"Completion Time":`, a.at)
	if failed {
		a.log.text(`,"Failure Reason":"a task could not go on"`)
	}
	a.log.text(`,"Accumulables":[],"Resource Profile Id":0}}`)
	a.end()
}

// task writes a TaskStart or TaskEnd.
func (a *sparkApp) task(i *stageInfo, t *attempt, ended bool) {
	if !ended {
		a.log.text(`{"Event":"SparkListenerTaskStart"`)
		a.taskInfo(i, t, 0)
		a.log.text(`}`)
		a.log.endRow()
		return
	}
	o := a.log
	o.text(`{"Event":"SparkListenerTaskEnd","Task Type":"`)
	if i.last {
		o.text(`ResultTask","Task End Reason":`)
	} else {
		o.text(`ShuffleMapTask","Task End Reason":`)
	}
	switch t.outcome {
	case succeeded:
		o.text(`{"Reason":"Success"}`)
	case failed:
		o.text(`{"Reason":"ExceptionFailure","Class Name":"java.io.IOException","Description":"synthetic","Stack Trace":[],"Full Stack Trace":"java.io.IOException: synthetic","Accumulator Updates":[]}`)
	case killed:
		o.text(`{"Reason":"TaskKilled","Kill Reason":"another attempt succeeded","Accumulator Updates":[]}`)
	case lost:
		o.field(`{"Reason":"ExecutorLostFailure","Executor ID":"`, a.executors[t.slot/a.pool.group])
		o.text(`","Exit Caused By App":false,"Loss Reason":"Container marked as failed"}`)
	case fetchFailed:
		o.field(`{"Reason":"FetchFailed","Block Manager Address":{"Executor ID":"1","Host":"host7","Port":7337},"Shuffle ID":`, i.rdd)
		o.text(`,"Map ID":0,"Map Index":0,"Reduce ID":0,"Message":"synthetic"}`)
	}
	a.taskInfo(i, t, t.end)
	if t.outcome == succeeded || t.outcome == failed {
		a.metrics(i, t)
	}
	o.text(`}`)
	a.end()
}

// resubmitted writes that the output of a succeeded task is lost.
func (a *sparkApp) resubmitted(i *stageInfo, t *attempt) {
	a.log.text(`{"Event":"SparkListenerTaskEnd","Task Type":"ShuffleMapTask","Task End Reason":{"Reason":"Resubmitted"}`)
	a.taskInfo(i, t, t.end)
	a.log.text(`}`)
	a.end()
}

// taskInfo writes the stage and the Task Info of an attempt, which has not ended when end is 0.
func (a *sparkApp) taskInfo(i *stageInfo, t *attempt, end int64) {
	executor := a.executors[t.slot/a.pool.group]
	o := a.log
	o.field(`,"Stage ID":`, i.id)
	o.field(`,"Stage Attempt ID":`, i.attempt)
	o.field(`,"Task Info":{"Task ID":`, t.id)
	o.field(`,"Index":`, int64(t.task))
	o.field(`,"Attempt":`, int64(t.number))
	o.field(`,"Partition ID":`, int64(i.partition(t.task)))
	o.field(`,"Launch Time":`, t.start)
	o.field(`,"Executor ID":"`, executor)
	o.field(`","Host":"host`, host(executor))
	o.text(`","Locality":"PROCESS_LOCAL","Speculative":`)
	o.bool(t.speculative)
	o.field(`,"Getting Result Time":0,"Finish Time":`, end)
	o.text(`,"Failed":`)
	o.bool(end > 0 && (t.outcome == failed || t.outcome == lost || t.outcome == fetchFailed))
	o.text(`,"Killed":`)
	o.bool(end > 0 && t.outcome == killed)
	o.text(`,"Accumulables":[]}`)
}

// metrics writes the metrics of an attempt.
func (a *sparkApp) metrics(i *stageInfo, t *attempt) {
	o, ms := a.log, t.end-t.start
	bytes := int64(lognormal(a.rng, 8e6*a.scale, 0.5))
	var read, fetched, written, out int64
	if len(i.parents) == 0 {
		read = bytes
	} else {
		fetched = bytes / 4
	}
	if i.last {
		out = bytes / 10
	} else {
		written = bytes / 4
	}
	o.field(`,"Task Metrics":{"Executor Deserialize Time":4,"Executor Deserialize CPU Time":3000000,"Executor Run Time":`, ms)
	o.field(`,"Executor CPU Time":`, ms*800_000)
	o.field(`,"Peak Execution Memory":0,"Result Size":2000,"JVM GC Time":`, ms/50)
	o.field(`,"Result Serialization Time":0,"Memory Bytes Spilled":0,"Disk Bytes Spilled":0,"Shuffle Read Metrics":{"Remote Blocks Fetched":0,"Local Blocks Fetched":0,"Fetch Wait Time":0,"Remote Bytes Read":`, fetched)
	o.field(`,"Remote Bytes Read To Disk":0,"Local Bytes Read":0,"Total Records Read":0},"Shuffle Write Metrics":{"Shuffle Bytes Written":`, written)
	o.field(`,"Shuffle Write Time":0,"Shuffle Records Written":0},"Input Metrics":{"Bytes Read":`, read)
	o.field(`,"Records Read":0},"Output Metrics":{"Bytes Written":`, out)
	o.text(`,"Records Written":0},"Updated Blocks":[]}`)
}

func (o *output) bool(b bool) {
	if b {
		o.text("true")
	} else {
		o.text("false")
	}
}

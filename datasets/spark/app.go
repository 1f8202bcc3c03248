package spark

import (
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// app accumulates the events of one application attempt.
type app struct {
	events  int64 // events taken in so far
	started bool  // ApplicationStart was logged
	ended   bool
	id      string
	attempt string
	name    string
	user    string
	submit  trace.Instant
	end     trace.Instant
	exit    int64         // None when not logged
	first   trace.Instant // start of the first job, stage or task

	props  properties
	jobKey string // property that names the recurring job; "" for none

	jobs    []job
	jobByID map[int64]int
	lastJob int // that ended last, -1 before

	stages   map[int32]*stage
	attempts map[stageKey]*stageAttempt
	tasks    []task
	taskByID map[int64]int32
	measured bool  // a task had metrics
	peakMem  int64 // most bytes that an executor used; 0 when not logged
	texts    map[string]string

	executors     cluster
	blockManagers cluster

	findings findings
}

func newApp(jobKey string) *app {
	return &app{
		jobKey: jobKey,
		submit: trace.None, end: trace.None, exit: trace.None, first: trace.None, lastJob: -1,
		jobByID: map[int64]int{}, stages: map[int32]*stage{}, attempts: map[stageKey]*stageAttempt{},
		taskByID: map[int64]int32{}, texts: map[string]string{},
		findings: findings{repairs: map[string]int64{}},
	}
}

// take reads the event in s and adds it. When the event is unusable it says so and nothing is added.
func (a *app) take(e event, s *scanner) *source.Fault {
	var add func()
	switch e {
	case taskStart, taskEnd: // without a closure: nearly all events are of tasks
		t := s.task()
		if s.Bad == nil {
			a.events++
			a.addTask(&t, e == taskEnd)
		}
	case stageSubmitted, stageCompleted:
		info := s.stage()
		add = func() { a.addStage(&info, e == stageCompleted) }
	case jobStart:
		j := s.job()
		add = func() { a.startJob(&j) }
	case jobEnd:
		j := s.job()
		add = func() { a.endJob(&j) }
	case executorAdded, executorRemoved:
		x := s.executor()
		add = func() { a.executors.change(&x, e == executorAdded) }
	case blockManagerAdded, blockManagerRemoved:
		x := s.executor()
		add = func() { a.blockManagers.change(&x, e == blockManagerAdded) }
	case environmentUpdate:
		p := properties{}
		s.environment(p, a.jobKey)
		add = func() { a.addProperties(p) }
	case applicationStart:
		x := s.application()
		add = func() { a.start(&x) }
	case applicationEnd:
		x := s.application()
		add = func() { a.finish(&x) }
	case logStart:
		s.Skip()
		s.End()
		add = func() {}
	}
	if s.Bad != nil {
		return s.Bad
	}
	if add != nil {
		a.events++
		add()
	}
	if s.strange > 0 {
		a.findings.repairs[RepairTime] += int64(s.strange)
	}
	return nil
}

func (a *app) start(e *applicationEvent) {
	if a.started {
		if e.id != a.id || e.attempt != a.attempt {
			a.findings.otherStarts++
		}
		return
	}
	a.started = true
	a.id, a.attempt, a.name, a.user, a.submit = e.id, e.attempt, e.name, e.user, e.at
}

func (a *app) finish(e *applicationEvent) {
	a.ended = true
	a.end = e.at
	a.exit = e.exitCode
}

func (a *app) addProperties(p properties) {
	if a.props == nil {
		a.props = p
		return
	}
	for k, v := range p {
		a.props[k] = v
	}
}

// runID returns the id of the run, base being the name of the log, and whether the log states one.
func (a *app) runID(base string) (id string, stated bool) {
	id, attempt := a.id, a.attempt
	if id == "" {
		id = a.props[propAppID]
	}
	if attempt == "" && !a.started {
		attempt = a.props[propAttempt]
	}
	switch {
	case id == "":
		return base, false
	case attempt != "":
		return id + "_" + attempt, true
	}
	return id, true
}

// status says how the application ended; see the package comment.
func (a *app) status() trace.Status {
	switch {
	case !a.ended:
		return trace.Running
	case a.exit != trace.None && a.exit != 0, a.lastJob >= 0 && a.jobs[a.lastJob].failed:
		return trace.Failed
	}
	return trace.Succeeded
}

// worked notes that work of the application began at t.
func (a *app) worked(t trace.Instant) { a.first = a.first.Earlier(t) }

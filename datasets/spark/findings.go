package spark

import (
	"fmt"
	"strings"

	"racecard/datasets/source"
)

// Kinds of warnings: what a log lacks or contradicts. Each names the file and, where there are several, how many.
const (
	WarnNoApplication = "no application"        // lines, but no event that belongs to a run
	WarnNoID          = "missing app id"        // the run is named by its file
	WarnNoStart       = "missing start"         // no ApplicationStart
	WarnNoEnd         = "missing end"           // no ApplicationEnd: the run counts as running
	WarnEndsEarly     = "log ends early"        // inside a line or inside its compression
	WarnDropped       = "dropped events"        // an event lacks its counterpart
	WarnRepeated      = "repeated events"       // an id started or ended twice; the first counts
	WarnReversed      = "reversed times"        // something ends before it starts
	WarnNoParents     = "missing parent ids"    // Spark before 1.4: no edges between stages
	WarnStrayParents  = "unknown parent stages" // Parent IDs names a stage of which nothing else is known
	WarnMerged        = "several applications"  // in one log without LogStart between them
)

// Kinds of repairs: values that became null, or text that was mended.
const (
	RepairUTF8        = "invalid UTF-8 replaced"
	RepairTime        = "impossible time"
	RepairTaskEnd     = "task end before its start"
	RepairNoFinish    = "task end without finish time"
	RepairStageEnd    = "stage end before its start"
	RepairStageSubmit = "stage submission after its start"
	RepairJobEnd      = "job end before its start"
	RepairRunEnd      = "application end before its start"
	RepairRunSubmit   = "application start after its first work"
	RepairTaskCount   = "task count below 1"
	RepairDriver      = "contradicting driver edges dropped"
)

// findings are faults of a log that still gives a run.
type findings struct {
	repairs      map[string]int64
	reversed     int64
	repeated     int64
	otherStarts  int64
	jobEndsOnly  int64
	noParents    int64
	strayParents int64
}

// reverse counts an end that lies before its start.
func (f *findings) reverse(repair string) {
	f.repairs[repair]++
	f.reversed++
}

// dropped counts the events that must have been there, since their counterparts are.
type dropped struct {
	what string
	n    int64
}

// droppedEvents looks for events without their counterpart. Jobs and tasks that had not ended when the log did are no
// finding while the application had not ended either.
func (a *app) droppedEvents() []dropped {
	var noStart, noEnd, openJobs, shortStages int64
	done := map[stageKey]int64{}
	for i := range a.tasks {
		t := &a.tasks[i]
		at := a.attempts[t.stage]
		switch {
		case !t.started:
			noStart++
		case !t.ended && at.complete && !at.failed:
			noEnd++
		}
		if t.ended {
			done[t.stage]++
		}
	}
	for key, at := range a.attempts {
		if at.complete && !at.failed && done[key] < at.tasks {
			shortStages++
		}
	}
	for i := range a.jobs {
		if a.jobs[i].endSeq == 0 && a.ended {
			openJobs++
		}
	}
	return []dropped{
		{"task ends without a task start", noStart},
		{"task starts without a task end in completed stages", noEnd},
		{"completed stages with fewer task ends than tasks", shortStages},
		{"job ends without a job start", a.findings.jobEndsOnly},
		{"job starts without a job end", openJobs},
	}
}

// report hands the findings to the tally. stages is the number of stages of the run.
func (a *app) report(file string, stages int, tally *source.Tally) {
	f := &a.findings
	for kind, n := range f.repairs {
		for range n {
			tally.Repair(kind)
		}
	}
	if !a.started {
		tally.Warn(WarnNoStart, "%s: no ApplicationStart: submission and user are unknown", file)
	}
	if !a.ended {
		tally.Warn(WarnNoEnd, "%s: no ApplicationEnd: the run counts as running and has no end", file)
	}
	var lost []string
	for _, d := range a.droppedEvents() {
		if d.n > 0 {
			lost = append(lost, fmt.Sprintf("%d %s", d.n, d.what))
		}
	}
	if len(lost) > 0 {
		tally.Warn(WarnDropped, "%s: %s", file, strings.Join(lost, ", "))
	}
	warn := func(kind string, n int64, text string) {
		if n > 0 {
			tally.Warn(kind, "%s: %d %s", file, n, text)
		}
	}
	warn(WarnRepeated, f.repeated, "events start or end something again; the first counts")
	warn(WarnReversed, f.reversed, "times lie before what they end; they became null")
	warn(WarnStrayParents, f.strayParents, "parents of stages are stages of which the log tells nothing: no edges "+
		"from them")
	warn(WarnMerged, f.otherStarts, "other applications start in this log and are counted to the first: part it, and "+
		"import again")
	if f.noParents > 0 && stages > 1 {
		tally.Warn(WarnNoParents, "%s: %d of %d stages do not tell their parents (Spark before 1.4): no edges to them",
			file, f.noParents, stages)
	}
}

package spark

import (
	"racecard/datasets/trace"
)

// stageKey names one attempt of a stage.
type stageKey struct {
	id, attempt int32
}

// stageInfo is the data of a stage attempt, in four kinds of events.
type stageInfo struct {
	stageKey
	name       string
	tasks      int64 // None when not logged
	rdd        int64 // the dataset that the stage computes; None when not logged
	parents    []int32
	hasParents bool // Parent IDs is logged (1.4 and later)
	submitted  trace.Instant
	completed  trace.Instant
	failed     bool
}

// stage reads a StageSubmitted or StageCompleted.
func (s *scanner) stage() stageInfo {
	info := stageInfo{}
	found := false
	for more := s.Open('{'); more; more = s.More('}') {
		if string(s.Key()) == "Stage Info" {
			found = true
			info = s.stageInfo()
		} else {
			s.Skip()
		}
	}
	s.End()
	s.need(found, "Stage Info")
	return info
}

func (s *scanner) stageInfo() stageInfo {
	info := stageInfo{tasks: trace.None, rdd: trace.None, submitted: trace.None, completed: trace.None}
	info.id = -1
	for more := s.Open('{'); more; more = s.More('}') {
		switch string(s.Key()) {
		case "Stage ID":
			info.id = s.count(-1)
		case "Stage Attempt ID":
			info.attempt = s.count(0)
		case "Stage Name":
			info.name = string(s.text())
		case "Number of Tasks":
			info.tasks = s.int()
		case "Parent IDs":
			info.hasParents = true
			info.parents = s.counts()
		case "Submission Time":
			info.submitted = s.instant()
		case "Completion Time":
			info.completed = s.instant()
		case "Failure Reason":
			info.failed = true
			s.Skip()
		case "RDD Info":
			info.rdd = s.firstRDD()
		default:
			s.Skip()
		}
	}
	s.need(info.id >= 0, "Stage ID")
	return info
}

// firstRDD reads the list of RDDs of a stage and returns the id of the first, which is the one that the stage computes
// (StageInfo.fromStage puts it before those it is made of).
func (s *scanner) firstRDD() int64 {
	id := int64(trace.None)
	for i, more := 0, s.Open('['); more; i, more = i+1, s.More(']') {
		if i > 0 {
			s.Skip()
			continue
		}
		for more := s.Open('{'); more; more = s.More('}') {
			if string(s.Key()) == "RDD ID" {
				id = s.int()
			} else {
				s.Skip()
			}
		}
	}
	return id
}

// jobEvent is a JobStart or JobEnd.
type jobEvent struct {
	id     int64
	at     trace.Instant
	stages []int32
	infos  []stageInfo
	failed bool
}

// job reads a JobStart or JobEnd.
func (s *scanner) job() jobEvent {
	j := jobEvent{id: trace.None, at: trace.None}
	for more := s.Open('{'); more; more = s.More('}') {
		switch string(s.Key()) {
		case "Job ID":
			j.id = s.int()
		case "Submission Time", "Completion Time":
			j.at = s.instant()
		case "Stage IDs":
			j.stages = append(j.stages, s.counts()...)
		case "Stage Infos":
			for more := s.Open('['); more; more = s.More(']') {
				info := s.stageInfo()
				j.infos = append(j.infos, info)
				j.stages = append(j.stages, info.id)
			}
		case "Job Result":
			for more := s.Open('{'); more; more = s.More('}') {
				if string(s.Key()) == "Result" {
					j.failed = string(s.text()) == "JobFailed"
				} else {
					s.Skip()
				}
			}
		default:
			s.Skip()
		}
	}
	s.End()
	s.need(j.id != trace.None, "Job ID")
	return j
}

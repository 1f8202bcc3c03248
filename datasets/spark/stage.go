package spark

import (
	"encoding/json"
	"slices"
	"strings"

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
	tasks      int64  // None when not logged
	rdd        int64  // the dataset that the stage computes; None when not logged
	plan       string // scopes of its datasets, each once
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
			info.name = string(s.BytesOrNull())
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
			info.rdd, info.plan = s.rdds()
		default:
			s.Skip()
		}
	}
	s.need(info.id >= 0, "Stage ID")
	return info
}

// rdds reads the list of RDDs of a stage. It returns the id of the first, which is the one that the stage computes
// (StageInfo.fromStage puts it before those it is made of), and the names of the scopes of all: the nodes of a query's
// plan.
func (s *scanner) rdds() (id int64, plan string) {
	id = trace.None
	var names []string
	for i, more := 0, s.Open('['); more; i, more = i+1, s.More(']') {
		for more := s.Open('{'); more; more = s.More('}') {
			switch key := string(s.Key()); {
			case key == "RDD ID" && i == 0:
				id = s.int()
			case key == "Scope" && len(names) < mostScopes:
				if name := scopeName(s.BytesOrNull()); name != "" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			default:
				s.Skip()
			}
		}
	}
	return id, strings.Join(names, ", ")
}

// mostScopes bounds the nodes of a plan that are kept for a stage.
const mostScopes = 50

// scopeName returns the name in a scope, such as {"id":"3","name":"Exchange"}; "" where there is none. A scan of files
// that are no table is named "Scan parquet ".
func scopeName(scope []byte) string {
	var of struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(scope, &of) != nil {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(of.Name, "\ufffd"))
}

// jobEvent is a JobStart or JobEnd.
type jobEvent struct {
	id     int64
	at     trace.Instant
	stages []int32
	infos  []stageInfo
	about  string // spark.job.description
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
		case "Properties":
			if s.Null() {
				continue
			}
			for more := s.Open('{'); more; more = s.More('}') {
				if string(s.Key()) == "spark.job.description" {
					j.about = string(s.BytesOrNull())
				} else {
					s.Skip()
				}
			}
		case "Job Result":
			for more := s.Open('{'); more; more = s.More('}') {
				if string(s.Key()) == "Result" {
					j.failed = string(s.BytesOrNull()) == "JobFailed"
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

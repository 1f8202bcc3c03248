package spark

import (
	"bytes"
	"strings"

	"racecard/datasets/source"
)

// Reasons of rejects, besides the shared ones of package source.
const (
	ReasonNoEvent = "not an event"
)

// event is a kind of line that enters the tables; otherEvent is any other.
type event uint8

const (
	otherEvent event = iota
	logStart
	applicationStart
	applicationEnd
	environmentUpdate
	jobStart
	jobEnd
	stageSubmitted
	stageCompleted
	taskStart
	taskEnd
	executorAdded
	executorRemoved
	blockManagerAdded
	blockManagerRemoved
)

func eventOf(name []byte) event {
	switch string(name) {
	case "SparkListenerTaskStart":
		return taskStart
	case "SparkListenerTaskEnd":
		return taskEnd
	case "SparkListenerStageSubmitted":
		return stageSubmitted
	case "SparkListenerStageCompleted":
		return stageCompleted
	case "SparkListenerJobStart":
		return jobStart
	case "SparkListenerJobEnd":
		return jobEnd
	case "SparkListenerExecutorAdded":
		return executorAdded
	case "SparkListenerExecutorRemoved":
		return executorRemoved
	case "SparkListenerBlockManagerAdded":
		return blockManagerAdded
	case "SparkListenerBlockManagerRemoved":
		return blockManagerRemoved
	case "SparkListenerEnvironmentUpdate":
		return environmentUpdate
	case "SparkListenerApplicationStart":
		return applicationStart
	case "SparkListenerApplicationEnd":
		return applicationEnd
	case "SparkListenerLogStart":
		return logStart
	}
	return otherEvent
}

var eventPrefix = []byte(`{"Event":"`)

// eventName returns the class that a line names as its event. It reads no further than the name, which Spark
// writes first; other orders are found too. Without a name it returns the fault of the line.
func eventName(line []byte) ([]byte, *source.Fault) {
	if rest, ok := bytes.CutPrefix(line, eventPrefix); ok {
		if end := bytes.IndexByte(rest, '"'); end >= 0 && bytes.IndexByte(rest[:end], '\\') < 0 {
			return rest[:end], nil
		}
	}
	s := scan(line)
	if s.Peek() != '{' {
		s.Syntax("'{'")
		return nil, s.Bad
	}
	for more := s.Open('{'); more; more = s.More('}') {
		if string(s.Key()) == "Event" {
			if name := s.BytesOrNull(); s.Bad == nil && len(name) > 0 {
				return name, nil
			}
			continue
		}
		s.Skip()
	}
	s.End()
	if s.Bad == nil {
		s.Fail(ReasonNoEvent, "Event", "the field is missing: is this a Spark event log?")
	}
	return nil, s.Bad
}

// maxClass bounds the names under which ignored events are counted.
const maxClass = 80

// className returns the class of an event without its packages, as the key under which it is ignored.
func className(name []byte) string {
	short := string(name[bytes.LastIndexByte(name, '.')+1:])
	strange := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '$'
	}
	if short == "" || len(short) > maxClass || strings.ContainsFunc(short, strange) {
		return "other event"
	}
	return short
}

// closed reports whether a line can be a whole object: a cheap check of events that are not decoded.
func closed(line []byte) bool {
	line = bytes.TrimRight(line, " \t\r\n")
	return len(line) > 1 && line[len(line)-1] == '}'
}

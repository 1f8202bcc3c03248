package philly

import (
	"bytes"
	"strings"

	"racecard/datasets/internal/jsonscan"
	"racecard/datasets/source"
)

// entry is a job of the log.
type entry struct {
	status, vc, jobID, user, submitted string
	attempts                           []entryAttempt
}

type entryAttempt struct {
	start, end string
	machines   []string // where it holds GPUs, some several times
	gpus       int64
}

// scanner reads a job of the log.
type scanner struct{ jsonscan.Scanner }

// readEntry reads a job. Names of fields are taken in any case.
func readEntry(text []byte) (*entry, *source.Fault) {
	e := new(entry)
	s := scanner{jsonscan.Scanner{Text: text}}
	for more := s.Open('{'); more; more = s.More('}') {
		switch string(s.key()) {
		case "status":
			e.status = s.text()
		case "vc":
			e.vc = s.text()
		case "jobid":
			e.jobID = s.text()
		case "user":
			e.user = s.text()
		case "submitted_time":
			e.submitted = s.text()
		case "attempts":
			e.attempts = nil
			s.list("attempts", func() { e.attempts = append(e.attempts, s.attempt()) })
		default:
			s.Skip()
		}
	}
	if s.End(); s.Bad != nil {
		return nil, s.Bad
	}
	return e, nil
}

// attempt reads an attempt.
func (s *scanner) attempt() (a entryAttempt) {
	for more := s.Open('{'); more; more = s.More('}') {
		switch string(s.key()) {
		case "start_time":
			a.start = s.text()
		case "end_time":
			a.end = s.text()
		case "detail":
			a.machines, a.gpus = nil, 0
			s.list("detail", func() { s.machine(&a) })
		default:
			s.Skip()
		}
	}
	return a
}

// machine adds a machine and its GPUs to an attempt.
func (s *scanner) machine(a *entryAttempt) {
	ip, gpus := "", int64(0)
	for more := s.Open('{'); more; more = s.More('}') {
		switch string(s.key()) {
		case "ip":
			ip = s.text()
		case "gpus":
			gpus = 0
			s.list("gpus", func() { s.text(); gpus++ })
		default:
			s.Skip()
		}
	}
	a.machines, a.gpus = append(a.machines, ip), a.gpus+gpus
}

// list reads a list, or null. A fault in an element is a fault of a field under the list's name.
func (s *scanner) list(name string, element func()) {
	for more := s.Open('['); more; more = s.More(']') {
		s.Field = nil
		if element(); s.Bad != nil && s.Bad.Reason == source.ReasonBadField {
			s.Bad.Field = strings.TrimSuffix(name+"."+s.Bad.Field, ".")
		}
	}
}

// key reads the name of the next field, in lower case.
func (s *scanner) key() []byte { return bytes.ToLower(s.Key()) }

// text reads a string, null as "".
func (s *scanner) text() string { return string(s.BytesOrNull()) }

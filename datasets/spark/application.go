package spark

import "racecard/datasets/trace"

// applicationEvent is an ApplicationStart or ApplicationEnd.
type applicationEvent struct {
	id, attempt, name, user string
	at                      trace.Instant
	exitCode                int64 // None when not logged (before 4.0)
}

// application reads an ApplicationStart or ApplicationEnd.
func (s *scanner) application() applicationEvent {
	e := applicationEvent{at: trace.None, exitCode: trace.None}
	for more := s.Open('{'); more; more = s.More('}') {
		switch string(s.Key()) {
		case "App ID":
			e.id = string(s.BytesOrNull())
		case "App Attempt ID":
			e.attempt = string(s.BytesOrNull())
		case "App Name":
			e.name = string(s.BytesOrNull())
		case "User":
			e.user = string(s.BytesOrNull())
		case "Timestamp":
			e.at = s.instant()
		case "ExitCode":
			e.exitCode = s.int()
		default:
			s.Skip()
		}
	}
	s.End()
	return e
}

// executorEvent is an ExecutorAdded, ExecutorRemoved, BlockManagerAdded or BlockManagerRemoved.
type executorEvent struct {
	id, host string
	cores    int64 // None when not logged
	at       trace.Instant
}

// executor reads an ExecutorAdded, ExecutorRemoved, BlockManagerAdded or BlockManagerRemoved.
func (s *scanner) executor() executorEvent {
	e := executorEvent{cores: trace.None, at: trace.None}
	for more := s.Open('{'); more; more = s.More('}') {
		switch string(s.Key()) {
		case "Timestamp":
			e.at = s.instant()
		case "Executor ID":
			e.id = string(s.BytesOrNull())
		case "Executor Info":
			for more := s.Open('{'); more; more = s.More('}') {
				switch string(s.Key()) {
				case "Host":
					e.host = string(s.BytesOrNull())
				case "Total Cores":
					e.cores = int64(s.count(-1))
				default:
					s.Skip()
				}
			}
		case "Block Manager ID":
			for more := s.Open('{'); more; more = s.More('}') {
				switch string(s.Key()) {
				case "Executor ID":
					e.id = string(s.BytesOrNull())
				case "Host":
					e.host = string(s.BytesOrNull())
				default:
					s.Skip()
				}
			}
		default:
			s.Skip()
		}
	}
	if e.cores < 0 {
		e.cores = trace.None
	}
	s.End()
	s.need(e.id != "", "Executor ID")
	return e
}

// environment reads the Spark properties of an EnvironmentUpdate that [properties] keeps, and one more.
func (s *scanner) environment(into properties, also string) {
	for more := s.Open('{'); more; more = s.More('}') {
		if string(s.Key()) != "Spark Properties" {
			s.Skip()
			continue
		}
		for more := s.Open('{'); more; more = s.More('}') {
			if key := s.Key(); keeps(key) || also != "" && string(key) == also {
				name := string(key)
				into[name] = string(s.BytesOrNull())
			} else {
				s.Skip()
			}
		}
	}
	s.End()
}

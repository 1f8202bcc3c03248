package jsonl

import "racecard/datasets/internal/jsonscan"

// scanner reads a record in its usual form (the known fields, each once, in exact spelling) several times as
// fast as encoding/json. Any other record, right or wrong, is not ok; encoding/json then decides. Texts of the
// record point into the line.
type scanner struct {
	jsonscan.Scanner
	bad bool // the record is in another form

	// Room that is used again.
	rec    record
	stages []stageRecord
	tasks  []taskRecord
	floats []float64
	ints   []int
	wholes []whole
	bools  []bool
}

func newScanner() *scanner { return &scanner{floats: []float64{}} } // a list without any is not null

// record reads a line. The record is valid until the next one.
func (s *scanner) record(line []byte) (*record, bool) {
	s.Scanner, s.bad, s.rec = jsonscan.Scanner{Text: line}, false, record{}
	s.floats, s.ints, s.wholes, s.bools = s.floats[:0], s.ints[:0], s.wholes[:0], s.bools[:0]
	r := &s.rec
	var seen uint32
	for more := s.open('{'); more; more = s.More('}') {
		switch string(s.Key()) {
		case "id":
			r.ID = s.text(&seen, 0)
		case "name":
			r.Name = s.text(&seen, 1)
		case "user":
			r.User = s.text(&seen, 2)
		case "group":
			r.Group = s.text(&seen, 3)
		case "submit_s":
			r.SubmitS = s.float(&seen, 4)
		case "start_s":
			r.StartS = s.float(&seen, 5)
		case "end_s":
			r.EndS = s.float(&seen, 6)
		case "status":
			r.Status = s.text(&seen, 7)
		case "guaranteed":
			r.Guaranteed = s.whole(&seen, 8)
		case "input_bytes":
			r.InputBytes = s.whole(&seen, 9)
		case "shuffle_bytes":
			r.ShuffleBytes = s.whole(&seen, 10)
		case "output_bytes":
			r.OutputBytes = s.whole(&seen, 11)
		case "reads":
			r.Reads = s.texts(&seen, 12)
		case "writes":
			r.Writes = s.texts(&seen, 13)
		case "stages":
			s.stages = list(s, &seen, 14, s.stages[:0], (*scanner).stage)
			r.Stages = s.stages
		case "tasks":
			s.tasks = list(s, &seen, 15, s.tasks[:0], (*scanner).task)
			r.Tasks = s.tasks
		default:
			s.bad = true
		}
	}
	s.End()
	return r, !s.bad && s.Bad == nil
}

// list adds the records of a list to those in the room for them.
func list[T any](s *scanner, seen *uint32, field int, room []T, read func(*scanner, *T)) []T {
	s.once(seen, field)
	for more := s.open('['); more; more = s.More(']') {
		var zero T
		room = append(room, zero)
		read(s, &room[len(room)-1])
	}
	return room
}

func (s *scanner) stage(r *stageRecord) {
	var seen uint32
	for more := s.open('{'); more; more = s.More('}') {
		switch key := s.Key(); string(key) {
		case "name":
			r.Name = s.text(&seen, 0)
		case "tasks":
			r.Tasks = maybeWhole{true, s.whole(&seen, 1)}
		case "duration_s":
			r.DurationS = s.float(&seen, 2)
		case "durations_s":
			s.once(&seen, 3)
			from := len(s.floats)
			for more := s.open('['); more; more = s.More(']') {
				s.floats = append(s.floats, s.decimal())
			}
			r.DurationsS = s.floats[from:len(s.floats):len(s.floats)]
		case "estimate_s":
			r.EstimateS = s.float(&seen, 4)
		case "submit_s":
			r.SubmitS = s.float(&seen, 5)
		case "start_s":
			r.StartS = s.float(&seen, 6)
		case "end_s":
			r.EndS = s.float(&seen, 7)
		case "parents":
			r.Parents = s.indices(&seen, 8)
		case "edge":
			r.Edge = s.text(&seen, 9)
		case "after":
			r.After = s.indices(&seen, 10)
		default:
			s.demand(key, &r.demandRecord, &seen)
		}
	}
}

func (s *scanner) task(r *taskRecord) {
	var seen uint32
	for more := s.open('{'); more; more = s.More('}') {
		switch key := s.Key(); string(key) {
		case "stage":
			r.Stage = s.index(&seen, 0)
		case "task":
			r.Task = s.index(&seen, 1)
		case "attempt":
			s.once(&seen, 2)
			r.Attempt = s.integer()
		case "queued_s":
			r.QueuedS = s.float(&seen, 3)
		case "start_s":
			r.StartS = s.float(&seen, 4)
		case "end_s":
			r.EndS = s.float(&seen, 5)
		case "duration_s":
			r.DurationS = s.float(&seen, 6)
		case "status":
			r.Status = s.text(&seen, 7)
		case "machine":
			r.Machine = s.text(&seen, 8)
		case "reason":
			r.Reason = s.text(&seen, 9)
		case "speculative":
			r.Speculative = s.truth(&seen, 10)
		case "spare":
			r.Spare = s.truth(&seen, 11)
		default:
			s.demand(key, &r.demandRecord, &seen)
		}
	}
}

// demand reads a resource. Its place among the seen fields is above the places of other fields.
func (s *scanner) demand(key []byte, r *demandRecord, seen *uint32) {
	switch string(key) {
	case "cpu":
		r.CPU = s.float(seen, 24)
	case "mem":
		r.Mem = s.float(seen, 25)
	case "disk_read":
		r.DiskRead = s.float(seen, 26)
	case "disk_write":
		r.DiskWrite = s.float(seen, 27)
	case "net_in":
		r.NetIn = s.float(seen, 28)
	case "net_out":
		r.NetOut = s.float(seen, 29)
	case "gpu":
		r.GPU = s.float(seen, 30)
	default:
		s.bad = true
	}
}

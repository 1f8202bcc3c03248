package spark

import (
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// taskEvent is a TaskStart or TaskEnd. Text shares the memory of the line.
type taskEvent struct {
	stage       stageKey
	id          int64
	index       int32
	attempt     int32
	partition   int32 // -1 when not logged
	launch      trace.Instant
	finish      trace.Instant
	executor    []byte
	host        []byte
	speculative trace.Tri
	failed      trace.Tri
	killed      trace.Tri
	reason      []byte
	exception   []byte // class of the exception, with the reason ExceptionFailure
	metrics     bool
	bytes       volume
	gc          int64 // milliseconds; None when not logged
	peakMem     int64 // of execution memory; None when not logged
	executorMem int64 // the most that the executor has used so far, in bytes; 0 when not logged
}

// volume is the bytes that a task read from storage, wrote to the shuffle and wrote to storage, read from the shuffle,
// and spilled to disk.
type volume struct {
	input, shuffle, output, fetched, spilled int64
}

// task reads a TaskStart or TaskEnd.
func (s *scanner) task() taskEvent {
	t := taskEvent{id: trace.None, index: -1, partition: -1, launch: trace.None, finish: trace.None, gc: trace.None,
		peakMem: trace.None}
	t.stage.id = -1
	found := false
	for more := s.Open('{'); more; more = s.More('}') {
		switch string(s.Key()) {
		case "Stage ID":
			t.stage.id = s.count(-1)
		case "Stage Attempt ID":
			t.stage.attempt = s.count(0)
		case "Task End Reason":
			t.reason, t.exception = s.reason()
		case "Task Info":
			found = true
			s.taskInfo(&t)
		case "Task Metrics":
			s.metrics(&t)
		case "Task Executor Metrics":
			t.executorMem = s.executorMetrics()
		default:
			s.Skip()
		}
	}
	s.End()
	s.need(t.stage.id >= 0, "Stage ID")
	s.need(found, "Task Info")
	s.need(t.id != trace.None, "Task ID")
	s.need(t.index >= 0, "Index")
	return t
}

func (s *scanner) taskInfo(t *taskEvent) {
	for more := s.Open('{'); more; more = s.More('}') {
		switch string(s.Key()) {
		case "Task ID":
			t.id = s.int()
		case "Index":
			t.index = s.count(-1)
		case "Attempt":
			t.attempt = s.count(0)
		case "Partition ID":
			t.partition = s.partition()
		case "Launch Time":
			t.launch = s.instant()
		case "Finish Time":
			t.finish = s.instant()
		case "Executor ID":
			t.executor = s.BytesOrNull()
		case "Host":
			t.host = s.BytesOrNull()
		case "Speculative":
			t.speculative = s.bool()
		case "Failed":
			t.failed = s.bool()
		case "Killed":
			t.killed = s.bool()
		default:
			s.Skip()
		}
	}
}

func (s *scanner) reason() (reason, exception []byte) {
	for more := s.Open('{'); more; more = s.More('}') {
		switch string(s.Key()) {
		case "Reason":
			reason = s.BytesOrNull()
		case "Class Name":
			exception = s.BytesOrNull()
		default:
			s.Skip()
		}
	}
	return reason, exception
}

func (s *scanner) metrics(t *taskEvent) {
	for more := s.Open('{'); more; more = s.More('}') {
		t.metrics = true
		switch string(s.Key()) {
		case "Input Metrics":
			t.bytes.input = s.bytesIn("Bytes Read")
		case "Output Metrics":
			t.bytes.output = s.bytesIn("Bytes Written")
		case "Shuffle Write Metrics":
			t.bytes.shuffle = s.bytesIn("Shuffle Bytes Written")
		case "Shuffle Read Metrics":
			t.bytes.fetched = s.fetched()
		case "Disk Bytes Spilled":
			t.bytes.spilled = max(0, s.int())
		case "JVM GC Time":
			t.gc = s.int()
		case "Peak Execution Memory":
			t.peakMem = s.int()
		default:
			s.Skip()
		}
	}
}

// fetched reads how many bytes a task read from the shuffle.
func (s *scanner) fetched() (n int64) {
	for more := s.Open('{'); more; more = s.More('}') {
		switch string(s.Key()) {
		case "Remote Bytes Read", "Local Bytes Read":
			n = addBytes(n, max(0, s.int()))
		default:
			s.Skip()
		}
	}
	return n
}

// executorMetrics returns the most bytes that an executor has used: resident memory of its processes where that was
// measured, else the heap and the memory outside it of the JVM.
func (s *scanner) executorMetrics() int64 {
	var heap, resident int64
	for more := s.Open('{'); more; more = s.More('}') {
		switch string(s.Key()) {
		case "JVMHeapMemory", "JVMOffHeapMemory":
			heap = addBytes(heap, max(0, s.int()))
		case "ProcessTreeJVMRSSMemory", "ProcessTreePythonRSSMemory", "ProcessTreeOtherRSSMemory":
			resident = addBytes(resident, max(0, s.int()))
		default:
			s.Skip()
		}
	}
	if resident > 0 {
		return resident
	}
	return heap
}

// bytesIn reads one byte count of an object, 0 when it is missing.
func (s *scanner) bytesIn(name string) (n int64) {
	for more := s.Open('{'); more; more = s.More('}') {
		if string(s.Key()) == name {
			n = max(n, s.int())
		} else {
			s.Skip()
		}
	}
	return n
}

// need fails unless a field was there.
func (s *scanner) need(ok bool, field string) {
	if !ok {
		s.Fail(source.ReasonMissing, field, "without it the event belongs nowhere")
	}
}

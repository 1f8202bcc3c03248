// Package mapreduce turns what Hadoop tells of one MapReduce job into a run. The readers of Rumen traces and of job
// history files share it, so that both fill the tables in the same way.
//
// The words follow J. Dean and S. Ghemawat, "MapReduce: Simplified Data Processing on Large Clusters", OSDI
// 2004, §3, and Hadoop's job history (org.apache.hadoop.mapreduce.jobhistory).
//
//  1. Stage 0 holds the maps, the next one the reduces, joined by an all_to_all edge: the shuffle. A kind without tasks
//     has no stage. The setup and cleanup tasks that Hadoop runs around a job are part of no stage.
//  2. A stage has as many tasks as the job states; where it states none, or fewer than are listed, as many as are
//     listed. It starts with its first attempt and, once the job has ended, ends with its last.
//  3. A task keeps its number, unless the numbers do not fit the stage (Hadoop counts setup tasks among the maps): then
//     tasks are numbered in the order of their numbers.
//  4. The run starts at the later of the job's launch and its first attempt. Attempts are stamped by the clocks of the
//     machines they ran on, which may be minutes off; the job by the clock of the job tracker or application master.
//  5. input_bytes is the number of bytes that succeeded maps read from file systems other than the local one,
//     output_bytes the bytes that succeeded maps and reduces wrote to them, shuffle_bytes the bytes that succeeded
//     reduces fetched or, where that is not logged, the output of succeeded maps; it is 0 when a job states that it has
//     no reduces. Lost, failed and killed attempts do not count, so that a retry does not count twice. Hadoop leaves
//     out counters that are zero: an attempt without one adds nothing, a run without any has null.
//  6. queued is the recorded time for the first attempt of a task; of a later one it is the end of the attempt before
//     it, provided that one had ended unsuccessfully by then; null where its output was lost later, as the wait begins
//     then. It is null where it would lie behind the start.
//  7. cpu of an attempt is its processor time over its wall-clock time, in cores; mem is its resident memory. Both were
//     measured. mem of a stage is the memory that the job requested for a task.
package mapreduce

import (
	"math"
	"strings"

	"racecard/datasets/trace"
)

// Kind is the role of a task.
type Kind uint8

// The kinds of tasks, in the order of the stages.
const (
	Map Kind = iota
	Reduce
	NumKinds
)

var kindNames = [NumKinds]string{"map", "reduce"}

// String returns the name of the stage of tasks of this kind.
func (k Kind) String() string { return kindNames[k] }

// Job is one MapReduce job as its log tells it. Start from [NewJob]: the zero value says 0 where nothing is known.
type Job struct {
	ID, Name, User, Queue  string
	Submit, Launch, Finish trace.Instant
	Status                 trace.Status
	Stated                 [NumKinds]int64   // number of tasks as the job states it, or [trace.None]
	Listed                 [NumKinds]int64   // number of tasks the log lists, with or without attempts
	Memory                 [NumKinds]float64 // bytes requested for a task; NaN when unknown
	Attempts               []Attempt         // in any order

	repairs map[string]int64
	early   int64          // attempts that start before the job was submitted
	lead    trace.Duration // and by how much at most
}

// Attempt is one attempt of a task. Start from [NewAttempt].
type Attempt struct {
	Kind        Kind
	Task        int64 // number of the task in the log, not negative
	Number      int32 // number of the attempt, not negative
	Status      trace.Status
	Speculative trace.Tri
	Queued      trace.Instant
	Start       trace.Instant
	Finish      trace.Instant
	Machine     string
	CPUMillis   int64 // processor time in milliseconds
	Memory      int64 // resident bytes
	Read        int64 // bytes read from file systems that are not local
	Written     int64 // bytes written to them
	MapOutput   int64 // bytes a map put out
	Fetched     int64 // bytes a reduce fetched from maps
}

// NewJob returns a job with only an id.
func NewJob(id string) *Job {
	return &Job{
		ID: id, Submit: trace.None, Launch: trace.None, Finish: trace.None,
		Stated: [NumKinds]int64{trace.None, trace.None}, Memory: [NumKinds]float64{math.NaN(), math.NaN()},
		repairs: map[string]int64{},
	}
}

// NewAttempt returns an attempt with only its place.
func NewAttempt(kind Kind, task int64, number int32) Attempt {
	return Attempt{
		Kind: kind, Task: task, Number: number, Queued: trace.None, Start: trace.None, Finish: trace.None,
		CPUMillis: trace.None, Memory: trace.None, Read: trace.None, Written: trace.None, MapOutput: trace.None,
		Fetched: trace.None,
	}
}

// Instant converts milliseconds since the Unix epoch. Hadoop writes -1 for unknown times. 0, an event that has
// not happened, and times beyond any clock become null, too, and are counted.
func (j *Job) Instant(ms int64) trace.Instant {
	switch {
	case ms == -1 || ms == trace.None:
		return trace.None
	case ms == 0:
		j.repairs[RepairZero]++
		return trace.None
	case ms < 0 || ms > trace.MaxSeconds*1000:
		j.repairs[RepairTime]++
		return trace.None
	}
	return trace.Instant(ms * 1000)
}

// Outcome converts Hadoop's status of a job, a task or an attempt. Empty, prepared and running ones have not ended:
// [trace.StatusUnknown]. Words that Hadoop does not use are unknown, too, and counted.
func (j *Job) Outcome(word string) trace.Status {
	switch word {
	case "SUCCESS", "SUCCEEDED":
		return trace.Succeeded
	case "FAILED", "ERROR":
		return trace.Failed
	case "KILLED":
		return trace.Killed
	case "", "PREP", "RUNNING", "INITED", "NEW":
	default:
		j.repairs[RepairStatus]++
	}
	return trace.StatusUnknown
}

// Host returns the machine in a host name: Rumen puts the rack before it (/default-rack/host) and keeps the backslashes
// with which Hadoop 0.20 escaped points.
func Host(name string) string {
	name = strings.ReplaceAll(name, `\`, "")
	return name[strings.LastIndexByte(name, '/')+1:]
}

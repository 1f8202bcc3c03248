package mapreduce

import (
	"math"
	"strconv"
	"strings"
)

// TaskID is the parsed id of a task or of an attempt: task_<cluster>_<job>_<m or r>_<task>, with attempt for
// task and _<number> behind it for an attempt. Specification: org.apache.hadoop.mapreduce.TaskAttemptID.
type TaskID struct {
	Job    string // job_<cluster>_<job>
	Kind   Kind   // by the letter; setup and cleanup tasks carry either
	Task   int64
	Number int32 // of the attempt; 0 for a task
}

// ParseTaskID reads the id of a task.
func ParseTaskID(id string) (TaskID, bool) {
	rest, ok := strings.CutPrefix(id, "task_")
	if !ok {
		return TaskID{}, false
	}
	return parse(rest)
}

// ParseAttemptID reads the id of an attempt.
func ParseAttemptID(id string) (TaskID, bool) {
	rest, ok := strings.CutPrefix(id, "attempt_")
	if !ok {
		return TaskID{}, false
	}
	rest, number, ok := cutNumber(rest, math.MaxInt32)
	if !ok {
		return TaskID{}, false
	}
	t, ok := parse(rest)
	t.Number = int32(number)
	return t, ok
}

func parse(rest string) (t TaskID, ok bool) {
	if rest, t.Task, ok = cutNumber(rest, math.MaxInt32); !ok {
		return t, false
	}
	switch {
	case strings.HasSuffix(rest, "_m"):
	case strings.HasSuffix(rest, "_r"):
		t.Kind = Reduce
	default:
		return t, false
	}
	t.Job = "job_" + rest[:len(rest)-2]
	return t, len(t.Job) > len("job_")
}

// cutNumber splits a number from 0 to most off the end of s, behind an underscore.
func cutNumber(s string, most int64) (rest string, n int64, ok bool) {
	i := strings.LastIndexByte(s, '_')
	if i < 0 {
		return "", 0, false
	}
	n, err := strconv.ParseInt(s[i+1:], 10, 64)
	return s[:i], n, err == nil && n >= 0 && n <= most && s[i+1] != '+'
}

package rumen

import (
	"math"

	"racecard/datasets/source"

	"racecard/datasets/mapreduce"
	"racecard/datasets/trace"
)

// object is the used part of a LoggedJob, or of a LoggedNetworkTopology. A nil number was missing.
type object struct {
	JobID      string   `json:"jobID"`
	JobName    string   `json:"jobName"`
	User       string   `json:"user"`
	Queue      string   `json:"queue"`
	Submit     *int64   `json:"submitTime"`
	Launch     *int64   `json:"launchTime"`
	Finish     *int64   `json:"finishTime"`
	Outcome    string   `json:"outcome"`
	Maps       *int64   `json:"totalMaps"`
	Reduces    *int64   `json:"totalReduces"`
	MapMB      *int64   `json:"jobMapMB"`
	ReduceMB   *int64   `json:"jobReduceMB"`
	Dependants []string `json:"directDependantJobs"`
	MapTasks   []task   `json:"mapTasks"`
	RedTasks   []task   `json:"reduceTasks"`

	Name     string `json:"name"`
	Children []node `json:"children"`
}

type task struct {
	ID       string    `json:"taskID"`
	Attempts []attempt `json:"attempts"`
}

type attempt struct {
	ID        string  `json:"attemptID"`
	Host      string  `json:"hostName"`
	Result    string  `json:"result"`
	Start     *int64  `json:"startTime"`
	Finish    *int64  `json:"finishTime"`
	Read      *int64  `json:"hdfsBytesRead"`
	Written   *int64  `json:"hdfsBytesWritten"`
	MapOutput *int64  `json:"mapOutputBytes"`
	Fetched   *int64  `json:"reduceShuffleBytes"`
	CPU       []int64 `json:"cpuUsages"`     // milliseconds in each twelfth of the progress
	Memory    []int64 `json:"physMemKbytes"` // at each twelfth
	Usage     struct {
		CPU    *int64 `json:"cumulativeCpuUsage"` // milliseconds
		Memory *int64 `json:"physicalMemoryUsage"`
	} `json:"resourceUsageMetrics"`
}

// job turns an object into a job.
func (o *object) job() (*mapreduce.Job, *source.Fault) {
	j := mapreduce.NewJob(o.JobID)
	j.Name, j.User, j.Queue = o.JobName, o.User, o.Queue
	j.Submit, j.Launch, j.Finish = j.Instant(known(o.Submit)), j.Instant(known(o.Launch)), j.Instant(known(o.Finish))
	j.Status = j.Outcome(o.Outcome)
	for kind, from := range [mapreduce.NumKinds]struct {
		field     string
		stated    *int64
		megabytes *int64
		tasks     []task
	}{{"totalMaps", o.Maps, o.MapMB, o.MapTasks}, {"totalReduces", o.Reduces, o.ReduceMB, o.RedTasks}} {
		n := known(from.stated)
		if n < -1 && n != trace.None || n > math.MaxInt32 {
			return nil, source.NewFault(from.field, source.ReasonBadCount, "%d tasks", n)
		}
		if n >= 0 {
			j.Stated[kind] = n
		}
		if mb := known(from.megabytes); mb > 0 {
			j.Memory[kind] = float64(mb) * (1 << 20)
		}
		j.Listed[kind] = int64(len(from.tasks))
		for i := range from.tasks {
			from.tasks[i].attempts(j, mapreduce.Kind(kind), i)
		}
	}
	return j, nil
}

// attempts adds the attempts of task i of a list. A task or an attempt whose id is not Hadoop's takes its place in the
// list for its number; such tasks are numbered behind all others.
func (t *task) attempts(j *mapreduce.Job, kind mapreduce.Kind, i int) {
	number := math.MaxInt32 + int64(i) + 1
	if id, ok := mapreduce.ParseTaskID(t.ID); ok {
		number = id.Task
	}
	for k := range t.Attempts {
		from := &t.Attempts[k]
		id, ok := mapreduce.ParseAttemptID(from.ID)
		if !ok {
			id.Number = int32(k)
		}
		a := mapreduce.NewAttempt(kind, number, id.Number)
		a.Status = j.Outcome(from.Result)
		a.Start, a.Finish = j.Instant(known(from.Start)), j.Instant(known(from.Finish))
		if kind == mapreduce.Map {
			a.Queued = j.Launch
		}
		a.Machine = mapreduce.Host(from.Host)
		a.Read, a.Written = known(from.Read), known(from.Written)
		a.MapOutput, a.Fetched = known(from.MapOutput), known(from.Fetched)
		a.CPUMillis, a.Memory = from.usage()
		j.Attempts = append(j.Attempts, a)
	}
}

// usage returns the processor time in milliseconds and the resident memory in bytes, [trace.None] or less when unknown.
func (a *attempt) usage() (millis, memory int64) {
	if millis = known(a.Usage.CPU); millis < 0 && len(a.CPU) > 0 {
		millis = 0
		for _, part := range a.CPU {
			millis = max(millis, millis+max(part, 0)) // does not fall when it overflows
		}
	}
	if memory = known(a.Usage.Memory); memory <= 0 {
		for _, kb := range a.Memory {
			memory = max(memory, min(kb, math.MaxInt64>>10)<<10)
		}
	}
	return millis, memory
}

func known(n *int64) int64 {
	if n == nil {
		return trace.None
	}
	return *n
}

package swf

import (
	"bytes"
	"strings"
)

// The fields of a line, from 0.
const (
	fieldJob = iota
	fieldSubmit
	fieldWait
	fieldRun
	fieldProcs
	fieldCPU
	fieldMemory
	fieldReqProcs
	fieldReqTime
	fieldReqMemory
	fieldStatus
	fieldUser
	fieldGroup
	fieldApp
	fieldQueue
	fieldPartition
	fieldPreceding
	fieldThink
	numFields
)

var fieldNames = [numFields]string{
	"job number", "submit time", "wait time", "run time", "allocated processors", "average CPU time", "used memory",
	"requested processors",
	"requested time", "requested memory", "status", "user", "group", "application", "queue", "partition",
	"preceding job", "think time",
}

// unknown is how the format writes a value that a log does not hold.
const unknown = -1

// The statuses of jobs.
const (
	statusFailed    = 0
	statusCompleted = 1
	statusPartial   = 2 // to be continued
	statusLast      = 4 // with 3: the last partial execution
	statusCancelled = 5
)

// split finds the first 18 fields of a line and returns how many of them there are.
func split(line []byte, f *[numFields][]byte) int {
	i := 0
	for n := range f {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		from := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
		if from == i {
			return n
		}
		f[n] = line[from:i]
	}
	return numFields
}

// headerKeys are the fields of the header that the specification defines.
const headerKeys = " Version Computer Installation Acknowledge Information Conversion MaxJobs MaxRecords Preemption " +
	"UnixStartTime TimeZone TimeZoneString StartTime EndTime MaxNodes MaxProcs MaxRuntime MaxMemory AllowOveruse " +
	"MaxQueues Queues Queue MaxPartitions Partitions Partition Note "

// headerField parts a comment into key and value. A comment that continues the one before it has no key: it is
// indented, or holds no colon behind a single word.
func headerField(line []byte) (key, value string, ok bool) {
	const indented = 3
	text := bytes.TrimLeft(line, ";")
	indent := len(text) - len(bytes.TrimLeft(text, " \t"))
	text = bytes.TrimSpace(text)
	k, v, found := bytes.Cut(text, []byte{':'})
	defined := found && len(k) > 0 && strings.Contains(headerKeys, " "+string(k)+" ")
	if !defined && (!found || indent >= indented || len(k) == 0 || bytes.ContainsAny(k, " \t/") ||
		bytes.HasPrefix(v, []byte("//"))) {
		return "", string(text), false
	}
	return string(k), string(bytes.TrimSpace(v)), true
}

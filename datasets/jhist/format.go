package jhist

import (
	"bytes"

	"racecard/datasets/source"
)

// The first lines of history files.
const (
	headJSON   = "Avro-Json"
	headBinary = "Avro-Binary"
)

// Format describes the format to the registry of formats.
func Format() source.Format {
	return source.Format{
		Name:    "jhist",
		Summary: "MapReduce v2 job history files (.jhist, Avro-Json): one job per file, an event per line",
		Holds: "jobs with their map and reduce stage, every attempt with times, outcome, machine and speculation; " +
			"input, shuffle and output bytes; measured cpu and memory of attempts",
		Lacks:    "names of datasets (no dependency between jobs), guarantees, machines, disk and network demand",
		Spec:     "Events.avpr of org.apache.hadoop.mapreduce.jobhistory in https://github.com/apache/hadoop",
		TimeBase: source.TimeBaseUnix,
		PerRun:   true,
		Detect:   detect,
		Apart:    true,
		Read:     Read,
	}
}

// detect recognises a file by its first line. Binary files are accepted, so that their reject can name the
// remedy.
func detect(_ string, head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	line = bytes.TrimSpace(line)
	return string(line) == headJSON || string(line) == headBinary
}

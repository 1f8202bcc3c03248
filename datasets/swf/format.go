package swf

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"racecard/datasets/internal/decimal"
	"racecard/datasets/source"
)

// Format describes the format to the registry of formats.
func Format() source.Format {
	return source.Format{
		Name:    "swf",
		Summary: "Standard Workload Format of the Parallel Workloads Archive: one parallel job per line, 18 numbers",
		Holds: "submit, wait and run times, processors, memory, outcomes, users, groups and applications; header " +
			"comments",
		Lacks: "stages and tasks of jobs, names of datasets, machines: no graphs, no dependency between jobs",
		Spec:  "https://www.cs.huji.ac.il/labs/parallel/workload/swf.html",
		// Most logs say when they begin; some count from an unknown start, some excerpts carry Unix times.
		TimeBase:     source.TimeBaseGuess,
		Apart:        true,
		Numbered:     true,
		EndsInNumber: true,
		HeaderLimit:  maxHeader,
		Detect:       detect,
		Read:         Read,
		Keyed:        keyed,
	}
}

// ownKeys are those fields of the header that hardly anything else has.
const ownKeys = " UnixStartTime TimeZoneString MaxJobs MaxRecords MaxNodes MaxProcs MaxRuntime MaxMemory MaxQueues " +
	"MaxPartitions AllowOveruse "

// detect looks at the first line that is not a comment. It must have at least 18 numbers, with whole numbers in
// the counting fields. A line of the tr format may look the same: it has as many durations as its second field
// states, none of them negative. Then the name or a header decides. Comments alone are enough if two of their
// keys belong to the format.
func detect(name string, head []byte) bool {
	known := 0
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	for len(head) > 0 {
		line, rest, whole := bytes.Cut(head, []byte{'\n'})
		head = rest
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] == ';' {
			if key, _, ok := headerField(line); ok && strings.Contains(ownKeys, " "+key+" ") {
				known++
			}
			continue
		}
		if len(line) == 0 {
			continue
		}
		var f [numFields][]byte
		if n := split(line, &f); n < numFields || !plausible(&f) {
			return false
		}
		return known > 0 || strings.HasSuffix((&source.File{Name: name}).Base(), ".swf") || whole && !isTr(line, &f) ||
			hasUnknown(&f)
	}
	return known >= 2
}

// plausible reports whether fields may describe a job. Users and later fields may be text.
func plausible(f *[numFields][]byte) bool {
	for i, text := range f[:fieldUser] {
		x, ok := decimal.Parse(text)
		if !ok {
			return false
		}
		switch i {
		case fieldJob, fieldProcs, fieldReqProcs, fieldStatus:
			if x < unknown || x != math.Trunc(x) {
				return false
			}
		}
	}
	status, _ := decimal.Parse(f[fieldStatus])
	return status <= statusCancelled
}

// isTr reports whether a line has as many fields as a line of the tr format with the second field of f.
func isTr(line []byte, f *[numFields][]byte) bool {
	n, err := strconv.Atoi(string(f[1]))
	return err == nil && n+3 == len(bytes.Fields(line))
}

// hasUnknown reports whether a field is -1.
func hasUnknown(f *[numFields][]byte) bool {
	for _, text := range f {
		if x, ok := decimal.Parse(text); ok && x == unknown {
			return true
		}
	}
	return false
}

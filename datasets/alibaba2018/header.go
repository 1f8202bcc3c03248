package alibaba2018

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"racecard/datasets/source"
)

// The names of the columns: people put them above the published files.
var (
	taskColumns = []string{"task_name", "instance_num", "job_name", "task_type", "status", "start_time", "end_time",
		"plan_cpu", "plan_mem"}

	instanceColumns = []string{
		"instance_name", "task_name", "job_name", "task_type", "status", "start_time", "end_time", "machine_id",
		"seq_no",
		"total_seq_no", "cpu_avg", "cpu_max", "mem_avg", "mem_max",
	}
)

// isHeader reports whether the job of a row is the name of its column.
func isHeader(job []byte) bool { return string(job) == "job_name" }

// checkHeader returns an error for a file whose first line names columns in another order than the trace's, which would
// be taken for each other. Names that the trace does not have say nothing.
func checkHeader(ctx context.Context, f *source.File) error {
	head, err := f.Head(ctx)
	if err != nil {
		return nil //nolint:nilerr // it comes again when the file is read
	}
	line, _, _ := bytes.Cut(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), "\r\n"), []byte{'\n'})
	names := strings.Split(strings.ToLower(string(bytes.TrimSuffix(line, []byte{'\r'}))), ",")
	want := taskColumns
	if len(names) == instanceFields {
		want = instanceColumns
	}
	if !slices.ContainsFunc(names, func(name string) bool { return bare(name) == "job_name" }) {
		return nil
	}
	for i, name := range names {
		if at := slices.Index(want, bare(name)); at >= 0 && at != i {
			return fmt.Errorf("%s: the header has %s as column %d, the trace as column %d: bring the columns into "+
				"the order %s", f.Name, bare(name), i+1, at+1, strings.Join(want, ","))
		}
	}
	return nil
}

// bare is a name without blanks and quotes around it.
func bare(name string) string { return strings.Trim(name, " \t\"") }

package philly

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"racecard/datasets/internal/csvtable"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// The columns of the reduced log.
const (
	colTimestamp = iota
	colDuration
	colGPUs
	colGPUTime
	colCluster
)

// The columns of the machine list.
const (
	machineName = iota
	machineGPUs
)

const colRuntime = 0

var (
	reducedTable = &csvtable.Table{Name: "philly", Columns: []csvtable.Column{
		{Name: "timestamp", Must: true}, {Name: "duration", Must: true}, {Name: "num_gpus", Must: true},
		{Name: "gpu_time"}, {Name: "cluster"},
	}}
	machineTable = &csvtable.Table{Name: "cluster_machine_list", Columns: []csvtable.Column{
		{Name: "machineid", Aliases: []string{"machine_id"}, Must: true}, {Name: "number_of_gpus", Must: true},
		{Name: "single_gpu_mem"},
	}}
	runtimeTable = &csvtable.Table{Name: "philly_runtime", Columns: []csvtable.Column{{Name: "runtime", Must: true}}}
)

// headed returns the table whose header a line is, and the layout it gives.
func headed(line []byte) (*csvtable.Table, csvtable.Layout, bool) {
	for _, t := range []*csvtable.Table{reducedTable, machineTable} {
		if l, ok := t.Header(line); ok {
			return t, l, true
		}
	}
	l, ok := runtimeTable.Header(line)
	return runtimeTable, l, ok && csvtable.Width(line) == 1
}

// table returns the function that turns the lines of a file into runs or machines; the file's first line names
// its columns. The columns of the machine list are also built in, for a file with its name.
func (r *reader) table(f *source.File) func(*source.Line) (*trace.Run, string, *source.Reject) {
	var layout csvtable.Layout
	var header []byte
	rows := int64(0)
	if strings.Contains(strings.ToLower(f.Base()), machineTable.Name) {
		layout = machineTable.ByHeart()
	}
	return func(line *source.Line) (*trace.Run, string, *source.Reject) {
		if header == nil {
			if _, l, ok := headed(line.Bytes); ok {
				layout, header = l, bytes.Clone(line.Bytes)
			}
		}
		if header != nil && bytes.Equal(line.Bytes, header) {
			return nil, IgnoredHeader, nil
		}
		if layout.Table == nil {
			return nil, "", line.Reject("", source.ReasonUnknown, "no header came before it")
		}
		rows++
		if rej := r.row.Split(line, line.Bytes, &layout); rej != nil {
			return nil, "", rej
		}
		if layout.Table == machineTable {
			return r.machine()
		}
		id := r.prefix + fmt.Sprint(rows)
		if layout.Table == runtimeTable {
			return r.runtime(id)
		}
		return r.reduced(id)
	}
}

// machine takes a row of the machine list.
func (r *reader) machine() (*trace.Run, string, *source.Reject) {
	m := trace.NewMachine(r.row.Text(machineName))
	if m.Name == "" {
		return nil, "", r.row.Reject(machineName, source.ReasonNoID, "the field is empty")
	}
	gpus := r.row.Count(machineGPUs, 0)
	if rej := r.row.Rejected(); rej != nil {
		return nil, "", rej
	}
	if r.machines[m.Name] {
		return nil, IgnoredMachine, nil
	}
	r.machines[m.Name] = true
	if gpus != trace.None {
		m.GPU = float64(gpus)
	}
	r.Tally.Machines = append(r.Tally.Machines, m)
	return nil, "", nil
}

// lasting returns a run of one task that lasted for the seconds in a column.
func (r *reader) lasting(id string, column int) (*trace.Run, float64) {
	run := trace.NewRun(id)
	stage := trace.NewStage()
	stage.Tasks = 1
	run.Stages = []trace.Stage{stage}
	seconds := r.row.Number(column)
	if math.IsNaN(seconds) {
		return run, seconds
	}
	a := trace.NewAttempt(0, 0, 0)
	var err error
	if a.Duration, err = trace.DurationFromSeconds(seconds); err != nil {
		r.row.Fault(column, source.ReasonBadNumber, "%v", err)
	}
	run.Attempts = []trace.Attempt{a}
	return run, seconds
}

// reduced takes a row of the reduced log.
func (r *reader) reduced(id string) (*trace.Run, string, *source.Reject) {
	run, seconds := r.lasting(id, colDuration)
	if rej := r.row.Rejected(); rej != nil {
		return nil, "", rej
	}
	submit, d := r.instant("timestamp", r.row.Text(colTimestamp))
	if d != nil {
		return nil, "", r.row.Reject(colTimestamp, d.Reason, "%s", d.Detail)
	}
	gpus, product := r.row.Count(colGPUs, 1), r.row.Number(colGPUTime)
	if rej := r.row.Rejected(); rej != nil {
		return nil, "", rej
	}
	run.Submit, run.Guaranteed, run.Group = submit, gpus, r.row.Text(colCluster)
	run.Stages[0].Submit = submit
	if gpus != trace.None {
		run.Stages[0].Demand[trace.GPU] = float64(gpus)
		if math.Abs(product-seconds*float64(gpus)) > 1e-6*product { // false when one is null
			r.Tally.Warn(WarnGPUTime, "run %s: %v GPU seconds, but %v s on %d GPUs", id, product, seconds, gpus)
		}
	}
	for i := range run.Attempts {
		run.Attempts[i].Demand[trace.GPU] = run.Stages[0].Demand[trace.GPU]
	}
	return r.count(run), "", nil
}

// runtime takes a row of the list of runtimes.
func (r *reader) runtime(id string) (*trace.Run, string, *source.Reject) {
	run, _ := r.lasting(id, colRuntime)
	if rej := r.row.Rejected(); rej != nil {
		return nil, "", rej
	}
	r.Tally.WarnOnce(WarnSorted, "the runtimes are sorted: the order of runs says nothing, and they have no submission")
	return r.count(run), "", nil
}

// count numbers a run.
func (r *reader) count(run *trace.Run) *trace.Run {
	r.Number(run)
	return run
}

package result

import (
	"math"

	"racecard/datasets/parquetio"
)

// Timeline shows one run over time: the times of its attempts, and the tokens that it held. Times are seconds since the
// run's first event.
type Timeline struct {
	Header
	JobID       string           `json:"job_id"`
	Name        string           `json:"name"`
	Status      string           `json:"status"`
	Why         string           `json:"why"` // why this run was chosen
	SubmitS     Number           `json:"submit_s"`
	EndS        Number           `json:"end_s"`
	Stages      []TimelineStage  `json:"stages"`
	Attempts    []TimelineBar    `json:"-"` // in the table
	Allocations []TimelineChange `json:"allocations"`
}

// TimelineStage is a stage of the run, in topological order.
type TimelineStage struct {
	Name     string `json:"name"`
	Tasks    int64  `json:"tasks"` // 0 when unknown
	FirstS   Number `json:"first_start_s"`
	LastS    Number `json:"last_end_s"`
	MedianS  Number `json:"median_task_s"` // of the attempts that did not fail
	MaxS     Number `json:"max_task_s"`    // of the same
	Attempts int    `json:"attempts"`
	Failed   int    `json:"failed"`
}

// TimelineBar is one attempt.
type TimelineBar struct {
	Stage, Task, Attempt  int
	QueuedS, StartS, EndS float64 // NaN when unknown
	Status                string
	Speculative           bool
	Machine               string
}

// TimelineChange is a change of the tokens that the run held.
type TimelineChange struct {
	AtS    float64 `json:"at_s"`
	Tokens int64   `json:"tokens"`
}

// Analysis implements [Document].
func (*Timeline) Analysis() string { return "timeline" }

// Table implements [Document]: one row per attempt of the run.
func (l *Timeline) Table() *Table {
	return tableOf("timeline", l.Attempts, func(row *Row, a *TimelineBar) {
		row.Int("stage", a.Stage).Int("task", a.Task).Int("attempt", a.Attempt).Float("queued_s", a.QueuedS).
			Float("start_s", a.StartS).Float("end_s", a.EndS).Text("status", a.Status).
			Bool("speculative", a.Speculative).Text("machine", a.Machine)
	})
}

// TimelineBars returns the attempts in a timeline's table: their stages, times, ends and machines. Values of columns
// that are missing stay empty; without a table there are none.
func TimelineBars(t *Table) []TimelineBar {
	if t == nil {
		return nil
	}
	out := make([]TimelineBar, t.Len())
	stage, start, end := t.number("stage"), t.number("start_s"), t.number("end_s")
	status, machine := t.Column("status", parquetio.String), t.Column("machine", parquetio.String)
	speculative := t.Column("speculative", parquetio.Bool)
	for i := range out {
		b := &out[i]
		b.QueuedS, b.StartS, b.EndS = math.NaN(), start(i), end(i)
		if x := stage(i); !math.IsNaN(x) {
			b.Stage = int(x)
		}
		if status != nil {
			b.Status = status.Text(i)
		}
		if machine != nil {
			b.Machine = machine.Text(i)
		}
		b.Speculative = speculative != nil && speculative.Bool(i)
	}
	return out
}

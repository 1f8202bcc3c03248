package result

import (
	"math"
	"slices"
)

// Agenda is whether jobs that start by the clock end in time on shared tokens: task slots. Times are in seconds from
// midnight of the first day, and as clock times.
type Agenda struct {
	Header
	Fits      bool   `json:"fits"` // every deadline is met with the chance that is enough
	Synthetic bool   `json:"synthetic"`
	On        string `json:"on"` // of the first submission, such as 2026-12-06; "" where none is given
	Tokens    int    `json:"tokens"`
	Days      int    `json:"days"` // simulated
	// Around is for how many days runs still hold tokens after their own, at most: so many days before and after each are
	// simulated with it.
	Around int         `json:"days_around"`
	Sure   float64     `json:"sure"`
	Fewest int         `json:"fewest_tokens"` // with which all fit; 0 where none that were tried
	Jobs   []AgendaJob `json:"jobs"`
	Use    []AgendaUse `json:"use"`
}

// Analysis implements [Document].
func (*Agenda) Analysis() string { return "plan" }

// Table implements [Document]: one row per job.
func (a *Agenda) Table() *Table {
	return tableOf("plan", a.Jobs, func(row *Row, j *AgendaJob) {
		row.Text("job", j.Job).Int("past_runs", j.Runs).Float("cores_per_token", float64(j.PerToken)).
			Float("start_s", j.StartS).Float("p50_end_s", j.P50EndS).Float("p95_end_s", j.P95EndS).
			Float("deadline_s", float64(j.DeadlineS)).Float("chance", float64(j.Chance))
	})
}

// AgendaJob is a job of the day.
type AgendaJob struct {
	Job  string `json:"job"`
	Runs int    `json:"runs"` // past runs that are repeated
	// PerToken is the cores of a token of these runs, the median; null where the trace does not state them.
	PerToken  Number   `json:"cores_per_token"`
	Stated    bool     `json:"tokens_stated"` // the trace states the tokens of these runs
	After     []string `json:"after"`         // jobs that it waits for
	Start     string   `json:"start"`         // median
	Deadline  string   `json:"deadline"`
	P50End    string   `json:"p50_end"`
	P95End    string   `json:"p95_end"`
	Chance    Number   `json:"chance"`
	StartS    float64  `json:"start_s"`
	DeadlineS Number   `json:"deadline_s"`
	P50EndS   float64  `json:"p50_end_s"`
	P95EndS   float64  `json:"p95_end_s"`
}

// AgendaUse is the tokens in use in a stretch of time.
type AgendaUse struct {
	FromS float64 `json:"from_s"`
	ToS   float64 `json:"to_s"`
	Mean  float64 `json:"mean_tokens"`
	P95   float64 `json:"p95_tokens"`
}

// Due reports whether a job has a deadline.
func (a *Agenda) Due() bool {
	return slices.ContainsFunc(a.Jobs, func(j AgendaJob) bool { return !math.IsNaN(float64(j.DeadlineS)) })
}

// Unit returns the name of a token: core where that is right for every job, else token.
func (a *Agenda) Unit() string {
	for i := range a.Jobs {
		if unit := a.Jobs[i].Unit(); unit != "core" {
			return unit
		}
	}
	return "core"
}

// Unit returns the name of a token of a job, as [Forecast.Unit] does.
func (j *AgendaJob) Unit() string { return tokenUnit(j.PerToken, j.Stated) }

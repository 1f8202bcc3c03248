package serve

import (
	"racecard/datasets/remaining"
	"racecard/datasets/result"
	"racecard/pipeline/live"
)

// DecideRequest asks for one step of the control loop of an application. Times are seconds since the start of the run.
// The state of the run is given as stages (as the engine names them), as done (fractions of the stages of the plan) or
// as progress.
type DecideRequest struct {
	App          string       `json:"app"` // a name that is used once, such as the id of the application
	Job          string       `json:"job"`
	NowS         *float64     `json:"now_s"`
	DeadlineS    float64      `json:"deadline_s"` // since the start of the run; one that is left out stays as it was
	Held         int          `json:"held"`       // tokens
	Executors    int          `json:"executors"`  // held; tokens are executors times slots unless held says otherwise
	Slots        int          `json:"slots"`      // tokens of one executor; 0 for 1
	MinTokens    int          `json:"min_tokens"` // bounds; one that is left out stays as it was
	MaxTokens    int          `json:"max_tokens"`
	MinExecutors int          `json:"min_executors"`
	MaxExecutors int          `json:"max_executors"`
	Lost         int          `json:"lost_executors"` // since the start of the run
	Watch        bool         `json:"watch"`          // the answer will not be followed
	Stages       []live.Stage `json:"stages"`
	Done         []float64    `json:"done"`
	Progress     *float64     `json:"progress"`
}

// Decision is the answer to a [DecideRequest]: see [live.Decision].
type Decision struct {
	App             string        `json:"app"`
	Job             string        `json:"job"`
	Generation      int64         `json:"generation"`       // of the folder
	TableGeneration int64         `json:"table_generation"` // of the table that the loop began with
	Tokens          int           `json:"tokens"`
	Executors       int           `json:"executors"`
	Hold            bool          `json:"hold"`
	Why             string        `json:"why"`
	NowS            float64       `json:"now_s"`
	DeadlineS       float64       `json:"deadline_s"`
	Progress        result.Number `json:"progress"`
	result.Outlook
	Slower    float64 `json:"slower"`
	PeriodS   float64 `json:"period_s"`
	Steps     int     `json:"steps"`
	MinTokens int     `json:"min_tokens"` // the bounds that hold
	MaxTokens int     `json:"max_tokens"`

	done []float64
}

// DecideBatch asks for steps of several applications.
type DecideBatch struct {
	Decisions []DecideRequest `json:"decisions"`
}

// DecideAnswer is one answer of a batch: a decision or an error.
type DecideAnswer struct {
	*Decision
	Error string `json:"error,omitempty"`
}

// Query is a look-up. With elapsed_s, the answer takes the age of the run into account; since_s is the time at which
// its progress was reached.
type Query struct {
	Job      string   `json:"job"`
	Progress *float64 `json:"progress"`
	Tokens   float64  `json:"tokens"`
	Quantile *float64 `json:"quantile"` // left out: p50, p75, p90, p95, p99 and max
	ElapsedS *float64 `json:"elapsed_s"`
	SinceS   *float64 `json:"since_s"`
}

// QueryBatch holds look-ups that are all answered from one generation.
type QueryBatch struct {
	Queries []Query `json:"queries"`
}

// Remaining is the answer to a look-up, in seconds by quantile.
type Remaining struct {
	Job             string             `json:"job"`
	Generation      int64              `json:"generation"`
	TableGeneration int64              `json:"table_generation"`
	RemainingS      map[string]float64 `json:"remaining_s"`
	Clamped         bool               `json:"clamped"`         // tokens are outside the grid: see [remaining.Table.At]
	Error           string             `json:"error,omitempty"` // in batches
}

// AdmitRequest asks whether jobs fit next to each other in so many tokens.
type AdmitRequest struct {
	Tokens    int           `json:"tokens"`
	MaxTokens int           `json:"max_tokens"` // of one job; 0 for all
	Arrange   bool          `json:"arrange"`
	Jobs      []live.Wanted `json:"jobs"`
}

// JobInfo describes the table of a job.
type JobInfo struct {
	Job         string  `json:"job"`
	Generation  int64   `json:"generation"`
	Plan        string  `json:"plan"`
	Stages      int     `json:"stages"`
	Indicator   string  `json:"indicator"`
	Allocations []int32 `json:"allocations"`
	Runs        int     `json:"runs"`
	Synthetic   bool    `json:"synthetic"`
	Arrow       string  `json:"arrow_sha256"`
	Parquet     string  `json:"parquet_sha256"`
}

// JobList is the answer of GET /v1/jobs.
type JobList struct {
	Generation int64     `json:"generation"`
	Jobs       []JobInfo `json:"jobs"`
	Failed     []string  `json:"failed"` // why tables are not served, or older ones are
}

// TableInfo is a table as JSON: its description, without the grid.
type TableInfo struct {
	Generation  int64           `json:"generation"`
	Allocations []int32         `json:"allocations"`
	About       remaining.About `json:"about"`
}

// AppList is the answer of GET /v1/apps.
type AppList struct {
	Apps []AppInfo `json:"apps"`
}

// AppInfo is an application with a control loop: its last decision, and the seconds that have passed since then.
type AppInfo struct {
	*Decision
	IdleS float64 `json:"idle_s"`
}

// Problem is an error (RFC 9457).
type Problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

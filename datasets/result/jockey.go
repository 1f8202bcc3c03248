package result

import "slices"

// Jockey compares policies that give jobs tokens so that they meet deadlines, in controlled runs: simulated ones on a
// cluster that misbehaves (Jockey, EuroSys 2012, section 5). Every policy sees the same runs.
type Jockey struct {
	Header
	Jobs      []JockeyJob `json:"jobs"`
	Generated bool        `json:"generated"` // the jobs were made up after published statistics
	// modelled: runs drawn from models; recorded: recorded runs that models did not learn from
	World     string                   `json:"world"`
	Options   JockeyOptions            `json:"options"`
	Scenarios []JockeyScenario         `json:"scenarios"`
	Order     []string                 `json:"order"` // of the policies
	Policies  map[string]*JockeyPolicy `json:"policies"`
	Misses    []JockeyMiss             `json:"misses"` // deadlines that the first policy missed
	// the first is the base; empty where no parameter was changed
	Sensitive []JockeySetting   `json:"sensitivity"`
	Shown     *JockeyTimeline   `json:"shown,omitempty"`
	Changed   []*JockeyTimeline `json:"deadline_changes,omitempty"` // one run whose deadline changes, each way
	Runs      []JockeyRun       `json:"-"`                          // in the table only
}

// JockeyOptions are the options of the runs. The loop's options belong to the policy "jockey"; package
// models/deadlines/jockey explains them.
type JockeyOptions struct {
	Seed          uint64  `json:"seed"`
	Replicates    int     `json:"replicates"`  // of every job, deadline and scenario
	Simulations   int     `json:"simulations"` // per allocation of a table
	Allocations   []int   `json:"allocations"` // of the tables of remaining times
	PeriodS       float64 `json:"period_s"`
	PeriodShare   float64 `json:"period_share"`
	Slack         float64 `json:"slack"`
	Hysteresis    float64 `json:"hysteresis"`
	Rise          float64 `json:"rise"`
	DeadZoneS     float64 `json:"dead_zone_s"`
	DeadZoneShare float64 `json:"dead_zone_share"`
	Hold          bool    `json:"hold"`
	Jump          bool    `json:"jump"`
	Learn         float64 `json:"learn"`
	Gain          float64 `json:"gain"`  // the least share of the remaining time that more tokens must save a late run
	Blend         float64 `json:"blend"` // weight of Amdahl's law
	Dwell         bool    `json:"dwell"` // time without progress counts
	Limit         bool    `json:"limit"` // to tasks that are left
	Statistic     string  `json:"statistic"`
	Quantile      float64 `json:"quantile"`
	MinTokens     int     `json:"min_tokens"`
	MaxTokens     int     `json:"max_tokens"`
	Indicator     string  `json:"indicator"`
}

// JockeyJob is a job that was run.
type JockeyJob struct {
	Job       string    `json:"job"`
	Stages    int       `json:"stages"`
	Barriers  int       `json:"barriers"` // stages that read all of a parent
	Tasks     int       `json:"tasks"`
	WorkS     float64   `json:"work_s"`              // token-seconds, median
	FastestS  float64   `json:"fastest_s"`           // of 200 undisturbed runs with as many tokens as tasks
	CriticalS float64   `json:"critical_path_s"`     // median run time with as many tokens as tasks
	P95S      float64   `json:"p95_at_60pct_s"`      // run time with 60% of the most tokens
	EarliestS float64   `json:"earliest_deadline_s"` // that the loop promises
	Deadlines []float64 `json:"deadlines_s"`
	Raised    []bool    `json:"deadlines_raised"` // to P95S, as no policy could meet them
}

// JockeyScenario is something that goes wrong.
type JockeyScenario struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// JockeyScore sums up controlled runs.
type JockeyScore struct {
	Runs   int `json:"runs"`
	Missed int `json:"missed"`
	// of those missed, those that every policy missed, also with all tokens from the start
	OutOfReach int    `json:"out_of_reach"`
	Warned     int    `json:"warned"`       // of those missed, those of which the policy had said so
	FalseAlarm int    `json:"false_alarms"` // of those in time, those of which the policy had once said otherwise
	MissedLow  Number `json:"missed_low"`   // 95% interval of the share missed, by Wilson
	MissedHigh Number `json:"missed_high"`

	LatenessS             Summary `json:"lateness_s"` // end - deadline, negative for an end in time
	AllocationAboveOracle Summary `json:"allocation_above_oracle"`
	RatioToOracle         Summary `json:"ratio_to_oracle"`
	JCTOverDeadline       Summary `json:"jct_over_deadline"`
	Allocation            Summary `json:"allocation"` // mean tokens requested over a run
}

// JockeyPolicy is the result of a policy.
type JockeyPolicy struct {
	JockeyScore
	About      string                  `json:"about"`
	ByScenario map[string]*JockeyScore `json:"by_scenario"`
	// Curve holds the quantiles 0, 0.01, ... 1 of completion over deadline.
	Curve []float64 `json:"curve"`
}

// JockeyMiss is a controlled run that ended too late.
type JockeyMiss struct {
	Job       string  `json:"job"`
	Scenario  string  `json:"scenario"`
	Replicate int     `json:"replicate"`
	DeadlineS float64 `json:"deadline_s"` // since the submission, as all times
	LateS     float64 `json:"late_s"`
	Most      int     `json:"most_tokens"` // that were requested
	MostAtS   float64 `json:"most_at_s"`   // when they first were
	Why       string  `json:"why"`
}

// Reasons why a deadline is missed, each unless one before it holds.
const (
	MissedByAll = "all-tokens" // every policy missed it, also with all tokens from the start
	// the same loop with the true remaining time missed it, too: it knows the present, but not later disturbances.
	MissedByBound      = "bound"
	MissedByPrediction = "prediction" // remaining times were underestimated until it was too late
)

// JockeySetting is the loop with one parameter changed.
type JockeySetting struct {
	Parameter string `json:"parameter"` // "" for the base
	Value     string `json:"value"`
	Base      bool   `json:"base"` // this is the value of the base
	JockeyScore
}

// JockeyTimeline is one controlled run over time.
type JockeyTimeline struct {
	Job       string       `json:"job"`
	Scenario  string       `json:"scenario"`
	Policy    string       `json:"policy"`
	DeadlineS float64      `json:"deadline_s"` // since the start, as all times
	ChangeAtS Number       `json:"change_at_s"`
	ChangedS  Number       `json:"changed_deadline_s"`
	EndS      float64      `json:"end_s"`
	Oracle    int          `json:"oracle"`
	Points    []JockeyTick `json:"points"`
}

// JockeyTick is a decision.
type JockeyTick struct {
	AtS      float64 `json:"at_s"`
	Progress float64 `json:"progress"`
	Raw      int     `json:"raw"`
	Tokens   int     `json:"tokens"`
	Running  int     `json:"running"`
	Slower   Number  `json:"slower"`       // what the run was learnt to be slower by
	Low      Number  `json:"finish_low_s"` // predicted end with Tokens: 5%, median and 95%, without slack
	Middle   Number  `json:"finish_s"`
	High     Number  `json:"finish_high_s"`
}

// JockeyRun is one controlled run under one policy. Times are since the submission.
type JockeyRun struct {
	Job, Scenario, Policy      string
	Replicate                  int
	DeadlineS, EndS            float64
	DelayS                     float64 // from the submission to the start
	WorkS                      float64 // token-seconds used, failed attempts included
	SpareS                     float64 // of these, on spare tokens
	TokenS, MeanTokens         float64 // token-seconds requested, and tokens over time
	Oracle                     int     // WorkS over the time from the start to the deadline, rounded up
	AboveOracle, RatioToOracle float64
	MostTokens                 int     // most tokens that were requested
	MostAtS                    float64 // when they first were
	Failures, Evictions, Lost  int     // attempts; Lost counts outputs, too
	OutOfReach                 bool    // missed, as it would have been with all tokens
	Warned                     bool    // the policy once said that it would be missed
}

// Analysis implements [Document].
func (*Jockey) Analysis() string { return "jockey" }

// Names returns the policies in the order in which they are reported.
func (j *Jockey) Names() []string {
	return slices.DeleteFunc(slices.Clone(j.Order), func(name string) bool { return j.Policies[name] == nil })
}

// Table implements [Document]: one row per run and policy.
func (j *Jockey) Table() *Table {
	return tableOf("jockey", j.Runs, func(row *Row, r *JockeyRun) {
		row.Text("job", r.Job).Text("scenario", r.Scenario).Int("replicate", r.Replicate).Text("policy", r.Policy).
			Float("deadline_s", r.DeadlineS).Float("delay_s", r.DelayS).Float("end_s", r.EndS).
			Bool("missed", r.EndS > r.DeadlineS).Bool("out_of_reach", r.OutOfReach).Bool("warned", r.Warned).
			Float("lateness_s", r.EndS-r.DeadlineS).Float("jct_over_deadline", r.EndS/r.DeadlineS).
			Float("work_s", r.WorkS).Float("spare_s", r.SpareS).Float("requested_token_s", r.TokenS).
			Float("requested_tokens", r.MeanTokens).Int("most_tokens", r.MostTokens).Float("most_at_s", r.MostAtS).
			Int("oracle", r.Oracle).Float("allocation_above_oracle", r.AboveOracle).
			Float("ratio_to_oracle", r.RatioToOracle).Int("failures", r.Failures).Int("evictions", r.Evictions).
			Int("lost", r.Lost)
	})
}

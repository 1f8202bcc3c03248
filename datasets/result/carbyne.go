package result

import (
	"racecard/datasets/trace"
	"racecard/datasets/words"
)

// Carbyne compares schedulers that run the same jobs on the same machines, simulated (Carbyne, OSDI 2016, section 5).
// Times are seconds.
type Carbyne struct {
	Header
	Synthetic  bool                         `json:"synthetic"` // the trace was generated, not measured
	Cluster    CarbyneCluster               `json:"cluster"`
	Workload   CarbyneWorkload              `json:"workload"`
	Seed       uint64                       `json:"seed"`
	Altruism   float64                      `json:"p_altruism"`
	Order      []string                     `json:"order"` // of the schedulers
	Schedulers map[string]*CarbyneScheduler `json:"schedulers"`
	// Over jobs: JCT under another scheduler / JCT under carbyne.
	Improvement map[string]Summary       `json:"improvement,omitempty"`
	Slowed      map[string]CarbyneSlowed `json:"slowed,omitempty"`    // by carbyne, against another
	Intervals   *Intervals               `json:"intervals,omitempty"` // of Improvement
	Experiments []CarbyneExperiment      `json:"experiments,omitempty"`
	Runs        []CarbyneRun             `json:"-"` // in the table only
}

// CarbyneCluster is the simulated cluster.
type CarbyneCluster struct {
	Machines int                `json:"machines"`
	Pooled   bool               `json:"pooled"`
	Total    map[string]float64 `json:"total"` // per resource, of all machines; only those that are modelled
}

// CarbyneWorkload is the simulated workload.
type CarbyneWorkload struct {
	Jobs        int     `json:"jobs"`
	Stages      int64   `json:"stages"`
	Tasks       int64   `json:"tasks"`
	TaskSeconds float64 `json:"task_s"`
	// MakespanBoundS is a makespan that no schedule is shorter than: by longest paths, and by work over all machines.
	MakespanBoundS float64 `json:"makespan_bound_s"`
	// Arrivals is trace, offline (all at 0) or poisson, of mean gap InterarrivalS.
	Arrivals      string  `json:"arrivals"`
	InterarrivalS Number  `json:"interarrival_s"`
	Sampled       bool    `json:"sampled"` // jobs were drawn from those of the trace
	Stretch       Number  `json:"stretch"` // what all durations were multiplied by, to reach Load
	Load          Number  `json:"load"`
	DemandScale   float64 `json:"demand_scale"` // of drawn demands
	// Values that the trace lacks: numbers of stages with a drawn demand, per resource, or a drawn duration; and the
	// distributions of draws.
	DrawnDemands   map[string]int64 `json:"drawn_demands"`
	DrawnDurations int64            `json:"drawn_durations"`
	// Number of stages in which all tasks take the time of the stage.
	StageDurations       int64  `json:"stage_durations"`
	MeanTasks            int64  `json:"mean_tasks"`     // tasks that take the mean of their stage
	SkippedStages        int64  `json:"skipped_stages"` // one task of no time each: the trace tells nothing of them
	Retries              int64  `json:"retries"`        // attempts that fail
	DemandDistribution   string `json:"demand_distribution"`
	DurationDistribution string `json:"duration_distribution"`
	// Error is the share by which estimates of demands are wrong, in a share ErrorSome of the stages.
	Error     float64 `json:"estimate_error"`
	ErrorSome float64 `json:"estimate_error_share"`
}

// CarbyneScheduler is how one scheduler did.
type CarbyneScheduler struct {
	JCT         Summary           `json:"jct"`
	JCTBySize   []CarbyneSize     `json:"jct_by_size"`
	MakespanS   float64           `json:"makespan_s"`
	Jain        Summary           `json:"jain"`        // over windows of 60 s
	JainCapped  Summary           `json:"jain_capped"` // the same, what jobs hold beyond their share not counted
	Utilization map[string]Number `json:"utilization"`
	TasksMean   Number            `json:"tasks_mean"` // that run at once
	// LeftoverAtStart is the leftover after the must-run tasks of the first instant, per resource; of Carbyne only.
	LeftoverAtStart map[string]float64 `json:"leftover_at_start,omitempty"`
	Plans           int64              `json:"plans,omitempty"` // that jobs made
	// Fallbacks counts plans that take longer when packed in reverse, so that the forward plan is followed.
	Fallbacks int64 `json:"fallbacks,omitempty"`
	Events    int64 `json:"events"`   // arrivals and ends of tasks
	Instants  int64 `json:"instants"` // at which anything happened
	Steps     int64 `json:"steps"`    // scheduling work: jobs, stages and machines looked at
	Failed    int64 `json:"failed"`   // attempts
	// Number of stages with a demand above every machine; their tasks get a whole machine.
	Clamped int64 `json:"clamped"`
	// Over time, in bins of BinS: means of the share that is used, per resource, and of tasks that run.
	BinS     float64              `json:"bin_s"`
	Used     map[string][]float64 `json:"used"`
	Tasks    []float64            `json:"tasks"`
	Followed *CarbyneFollowed     `json:"followed,omitempty"`
	JCTByJob map[string]float64   `json:"jct_by_job,omitempty"`
}

// CarbyneSize is jobs of one size: a quarter of all.
type CarbyneSize struct {
	UpTo Number  `json:"up_to_task_s"` // task-seconds of the largest
	JCT  Summary `json:"jct"`
}

// CarbyneFollowed is the number of running tasks of one job, from instants on, in seconds from the first arrival; and
// the number of these that were started within the job's share rather than on leftover.
type CarbyneFollowed struct {
	Job  string    `json:"job"` // its id
	Name string    `json:"name"`
	AtS  []float64 `json:"at_s"`
	Own  []int     `json:"own"`
	All  []int     `json:"all"`
}

// CarbyneSlowed is the share of jobs that take longer under carbyne.
type CarbyneSlowed struct {
	Below1  Number `json:"below_1"`   // factor of improvement below 1
	Below08 Number `json:"below_0_8"` // below 0.8
}

// CarbyneExperiment varies one thing.
type CarbyneExperiment struct {
	Name   string         `json:"name"`
	Axis   string         `json:"axis"` // what X is; "" where nothing varies
	Seeds  []uint64       `json:"seeds"`
	Points []CarbynePoint `json:"points"`
}

// CarbynePoint is how one scheduler did at one setting, over the seeds.
type CarbynePoint struct {
	X          float64 `json:"x"`
	Series     string  `json:"series,omitempty"`
	Scheduler  string  `json:"scheduler"`
	JCT        Spread  `json:"jct_mean_s"`
	Makespan   Spread  `json:"makespan_s"`
	Jain       Spread  `json:"jain_mean"`
	JainCapped Spread  `json:"jain_capped_mean"`
	// Improvement is the improvement of this scheduler over others; of Carbyne only.
	Improvement map[string]CarbyneFactor `json:"improvement,omitempty"`
}

// CarbyneFactor sums up factors of improvement over jobs, of each seed.
type CarbyneFactor struct {
	OfMeans Spread `json:"of_means"` // mean JCT of the other / own
	Mean    Spread `json:"mean"`
	P50     Spread `json:"p50"`
	P75     Spread `json:"p75"`
	P95     Spread `json:"p95"`
	Below1  Spread `json:"below_1"`
	Below08 Spread `json:"below_0_8"`
}

// Spread is a number over seeds.
type Spread struct {
	Median Number `json:"median"`
	Low    Number `json:"low"`
	High   Number `json:"high"`
}

// CarbyneRun is one job under one scheduler.
type CarbyneRun struct {
	Scheduler, JobID, Name string
	ArrivalS, JCTS         float64
	Stages, Tasks          int
	TaskSeconds            float64
	Improvement            float64 // of carbyne over this scheduler; NaN without carbyne
}

// Analysis implements [Document].
func (*Carbyne) Analysis() string { return "carbyne" }

// SkippedStages says how many stages simulators take as skipped; "" for none.
func SkippedStages(n int64) string {
	return words.When(n > 0, "%s taken as skipped, one task of no time each: the trace has neither times, attempts nor "+
		"the number of tasks", words.Of(n, "stage is", "stages are"))
}

// Resources returns the names of the resources that are modelled, in the order of the canonical columns.
func (c *Carbyne) Resources() []string {
	var names []string
	for _, name := range trace.ResourceNames {
		if _, ok := c.Cluster.Total[name]; ok {
			names = append(names, name)
		}
	}
	return names
}

// Seeds returns the experiment that repeats the comparison over seeds, nil where none does.
func (c *Carbyne) Seeds() *CarbyneExperiment {
	name := "online"
	if c.Workload.Arrivals == "offline" {
		name = "offline"
	}
	for i := range c.Experiments {
		if x := &c.Experiments[i]; x.Name == name && x.Axis == "" {
			return x
		}
	}
	return nil
}

// Point returns the first point of a scheduler, nil where there is none.
func (x *CarbyneExperiment) Point(scheduler string) *CarbynePoint {
	for i := range x.Points {
		if x.Points[i].Scheduler == scheduler {
			return &x.Points[i]
		}
	}
	return nil
}

// Table implements [Document]: one row per job and scheduler.
func (c *Carbyne) Table() *Table {
	return tableOf("carbyne", c.Runs, func(row *Row, r *CarbyneRun) {
		row.Text("scheduler", r.Scheduler).Text("job_id", r.JobID).Text("name", r.Name).Float("arrival_s", r.ArrivalS).
			Float("jct_s", r.JCTS).Int("stages", r.Stages).Int("tasks", r.Tasks).Float("task_s", r.TaskSeconds).
			Float("improvement", r.Improvement)
	})
}

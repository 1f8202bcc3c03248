package result

import (
	"fmt"
	"math"
	"slices"
)

// Eagle compares schedulers of a cluster whose workers have queues, on one workload (Eagle, SoCC 2016). Completion
// times are from the submission of a job to the end of its last task.
type Eagle struct {
	Header
	Synthetic   bool                       `json:"synthetic"`
	Options     EagleOptions               `json:"options"`
	Workload    EagleWorkload              `json:"workload"`
	Order       []string                   `json:"order"` // of the schedulers
	Schedulers  map[string]*EagleScheduler `json:"schedulers"`
	Experiments []EagleExperiment          `json:"experiments,omitempty"`
	// those asked for, or the short one that suffered most, per scheduler
	Slow []EagleSlow `json:"slow_jobs,omitempty"`
	Jobs []EagleJob  `json:"-"` // in the table only
}

// EagleOptions are the options of the simulation.
type EagleOptions struct {
	Workers        int     `json:"workers"`
	ShortOnly      int     `json:"workers_for_short_jobs_alone"`
	Slots          int     `json:"slots"` // of each worker; 0 where they differ
	SlotsLeast     int     `json:"slots_least"`
	SlotsMost      int     `json:"slots_most"`
	SlotsInAll     int     `json:"slots_in_all"`
	CutoffS        float64 `json:"cutoff_s"`
	GeneralPercent float64 `json:"general_percent"`
	HeartbeatS     float64 `json:"heartbeat_s"`
	NetworkDelayS  float64 `json:"network_delay_s"`
	ProbeRatio     float64 `json:"probe_ratio"`
	MinProbes      int     `json:"min_probes"`
	Rounds         int     `json:"rounds"`
	Bypass         float64 `json:"bypass"`
	EstimateLow    float64 `json:"estimate_low"`
	EstimateHigh   float64 `json:"estimate_high"`
	KnownClasses   bool    `json:"known_classes"` // whether a job is long follows its true mean, not the estimate
	Seed           uint64  `json:"seed"`
	Runs           int     `json:"runs"`   // seeds of experiments, from Seed on
	Compat         string  `json:"compat"` // epfl, or none
}

// EagleWorkload describes the simulated workload.
type EagleWorkload struct {
	Jobs      int     `json:"jobs"`
	LongJobs  int     `json:"long_jobs"`
	Tasks     int     `json:"tasks"`
	LongTasks int     `json:"long_tasks"`
	WorkS     float64 `json:"work_s"` // task-seconds
	LongWorkS float64 `json:"long_work_s"`
	SpanS     float64 `json:"span_s"` // from the first to the last submission
	Load      Number  `json:"load"`   // work / span / workers
	// the same of the jobs from the 5th to the 95th percentile of submissions
	MiddleLoad    Number  `json:"load_of_middle_90_percent"`
	EstimatedTask int64   `json:"tasks_of_estimated_duration"`
	AsStages      int64   `json:"tasks_as_long_as_their_stage"`
	DrawnTasks    int64   `json:"tasks_of_drawn_duration"`
	GapS          float64 `json:"mean_gap_s"` // of submissions that were drawn; 0 where they are the trace's
}

// EagleScheduler is the result of the workload under one scheduler.
type EagleScheduler struct {
	About string  `json:"about"`
	Short Summary `json:"short"` // completion times in seconds
	Long  Summary `json:"long"`
	// Utilization is the share of workers busy, over time from the first to the last submission; busy includes asking
	// for tasks.
	Utilization Number `json:"utilization"`
	// of samples every 5 s up to the last submission
	UtilizationMedian Number             `json:"utilization_sampled_median"`
	UtilizationMean   Number             `json:"utilization_sampled_mean"`
	UtilizationAll    Number             `json:"utilization_sampled_mean_to_end"`
	Efficiency        Number             `json:"work_over_workers_and_makespan"`
	MakespanS         float64            `json:"makespan_s"`
	Tasks             int64              `json:"tasks"`
	Events            int64              `json:"events"`
	Counts            EagleCounts        `json:"counts"`
	JCTByJob          map[string]float64 `json:"jct_by_job,omitempty"`
	ShortCurve        []float64          `json:"short_curve"` // quantiles 0, 0.01, ... 1
	LongCurve         []float64          `json:"long_curve"`
	ShortWait         *EagleWait         `json:"short_wait,omitempty"` // where records of jobs were kept
	// Short jobs, in descending order of their time beyond their longest task.
	Slowest []EagleSlowest `json:"slowest,omitempty"`
}

// EagleCounts are numbers of events.
type EagleCounts struct {
	Probes   int64 `json:"probes"`
	Placed   int64 `json:"tasks_placed_centrally"`
	Rejected int64 `json:"probes_rejected"`
	Empty    int64 `json:"probes_without_a_task"`
	Stuck    int64 `json:"tasks_by_sticking"`
	Bypasses int64 `json:"bypasses"`
	Stolen   int64 `json:"probes_stolen"`
	Shed     int64 `json:"tasks_shed"`
}

// EagleWait is the queueing time of the tasks of short jobs, in seconds.
type EagleWait struct {
	MeanS float64 `json:"mean_s"` // per task
	// of that, while every slot of the worker, of all workers under srpt, was taken by a long task
	MeanBehindLongS float64 `json:"mean_behind_long_s"`
	JobsBehindLong  int     `json:"jobs_behind_long"` // jobs that waited so at all
}

// EagleSlowest is a slow job with the causes of its delay.
type EagleSlowest struct {
	JobID        string  `json:"job_id"`
	Tasks        int     `json:"tasks"`
	JCTS         float64 `json:"jct_s"`
	LongestTaskS float64 `json:"longest_task_s"`
	EagleMet
}

// EagleMet lists the causes of a job's delay. Times are sums over its tasks, in seconds.
type EagleMet struct {
	QueuedS float64 `json:"queued_s"`
	// of that, while every slot of the worker, of all workers under srpt, was taken by a long task
	BehindLongS float64 `json:"behind_long_s"`
	Rejected    int     `json:"probes_rejected"`
	Stuck       int     `json:"tasks_by_sticking"`
	Passed      int     `json:"passed"`   // times that tasks of other jobs passed a probe of it
	Bypassed    int     `json:"bypasses"` // times that a task of it passed a probe of another job
	Stolen      int     `json:"probes_stolen"`
}

// EagleJob is one job under one scheduler. Times are in seconds.
type EagleJob struct {
	JobID, Scheduler            string
	Seq, Tasks                  int
	Long                        bool
	SubmitS, EstimateS, JCTS    float64
	LongestTaskS                float64
	Kept                        bool // the following are known
	LongestWaitS, LongestBehind float64
	EagleMet
}

// EagleValue is a number over several seeds.
type EagleValue = Spread

// EagleExperiment varies one thing.
type EagleExperiment struct {
	Name   string       `json:"name"`
	Title  string       `json:"title"`
	About  string       `json:"about"`
	Axis   string       `json:"axis"` // what X is
	Base   string       `json:"base"` // scheduler that Over compares with, at the same X and seed; "" for none
	Points []EaglePoint `json:"points"`
}

// EaglePoint is one scheduler at one value.
type EaglePoint struct {
	X           float64               `json:"x"`
	Label       string                `json:"label,omitempty"`
	Scheduler   string                `json:"scheduler"`
	Runs        int                   `json:"runs"`
	S           map[string]EagleValue `json:"seconds"`        // short_p50, ..., long_p99, and short_p95 and long_p95
	Over        map[string]EagleValue `json:"over,omitempty"` // the same over that of the base
	Utilization EagleValue            `json:"utilization"`
}

// EagleMeasures are the keys of the maps of an [EaglePoint] that the figures of the papers show.
var EagleMeasures = []string{"short_p50", "short_p90", "short_p99", "long_p50", "long_p90", "long_p99"}

// EagleP95 are the further keys: the percentile at which plans compare numbers of machines.
var EagleP95 = []string{"short_p95", "long_p95"}

// EagleSlow explains the time of a job: the waiting of each of its tasks under one scheduler.
type EagleSlow struct {
	Scheduler string  `json:"scheduler"`
	JobID     string  `json:"job_id"`
	Stage     int     `json:"stage,omitempty"` // from 1, of a run of several; 0 for a job
	Stages    int     `json:"stages,omitempty"`
	JCTS      float64 `json:"jct_s"` // since the submission of the job
	EstimateS float64 `json:"estimate_s"`
	All       int     `json:"tasks_in_all"`
	Long      bool    `json:"long"`
	EagleMet
	Tasks []EagleSlowTask `json:"tasks"` // all of the workers that were done last, in the order of their starts
}

// EagleSlowTask is a task, in seconds since the submission of its job.
type EagleSlowTask struct {
	Worker  int       `json:"worker"`
	Slot    int       `json:"slot,omitempty"` // of the worker, from 0
	QueuedS float64   `json:"queued_s"`       // its probe, or itself, came to the worker
	StartS  float64   `json:"start_s"`
	EndS    float64   `json:"end_s"`
	Stolen  bool      `json:"stolen"` // its probe came from another worker
	Before  []EagleOn `json:"before"` // what ran at the worker meanwhile, in any of its slots
}

// EagleOn is a task of another job that a worker ran, in seconds since the submission of the job that waited.
type EagleOn struct {
	Slot  int     `json:"slot,omitempty"` // of the worker, from 0
	FromS float64 `json:"from_s"`
	ToS   float64 `json:"to_s"`
	JobID string  `json:"job_id"`
	Long  bool    `json:"long"`
}

// Name names the subject of an explanation: a job, or a stage of it.
func (s *EagleSlow) Name() string {
	if s.Stage == 0 {
		return s.JobID
	}
	return fmt.Sprintf("%s, stage %d of %d", s.JobID, s.Stage, s.Stages)
}

// Analysis implements [Document].
func (*Eagle) Analysis() string { return "eagle" }

// Names returns the schedulers in the order in which they are reported.
func (d *Eagle) Names() []string {
	return slices.DeleteFunc(slices.Clone(d.Order), func(name string) bool { return d.Schedulers[name] == nil })
}

// Table implements [Document]: one row per job and scheduler. Where no records of jobs were kept, those columns are
// null.
func (d *Eagle) Table() *Table {
	return tableOf("eagle", d.Jobs, func(row *Row, j *EagleJob) {
		known := func(x float64) float64 {
			if !j.Kept {
				return math.NaN()
			}
			return x
		}
		row.Text("job_id", j.JobID).Text("scheduler", j.Scheduler).Int("seq", j.Seq).Bool("long", j.Long).
			Float("submit_s", j.SubmitS).Int("tasks", j.Tasks).Float("estimate_s", j.EstimateS).
			Float("longest_task_s", j.LongestTaskS).Float("jct_s", j.JCTS).Float("queued_s", known(j.QueuedS)).
			Float("behind_long_s", known(j.BehindLongS)).Float("longest_wait_s", known(j.LongestWaitS)).
			Float("longest_wait_behind_long_s", known(j.LongestBehind)).
			Float("probes_rejected", known(float64(j.Rejected))).Float("tasks_by_sticking", known(float64(j.Stuck))).
			Float("passed", known(float64(j.Passed))).Float("bypasses", known(float64(j.Bypassed))).
			Float("probes_stolen", known(float64(j.Stolen)))
	})
}

package result

import (
	"encoding/json"
	"math"

	"racecard/datasets/trace"
)

// Leftover is the share of held resources that jobs could give away without ending later (Carbyne, §2.2). Shares
// are in [0, 1].
type Leftover struct {
	Header
	Runs     int            `json:"runs"`      // runs that were packed
	ByStatus map[string]int `json:"by_status"` // of those, per status
	Attempts int64          `json:"attempts"`
	Moved    int64          `json:"attempts_moved"`   // start later in the packed schedule
	Fixed    int64          `json:"attempts_fixed"`   // did not succeed, and stayed where they were
	Untimed  int64          `json:"attempts_untimed"` // of those runs, left out: without a known start or end
	// Events counts arrivals and ends of runs, starts and ends of attempts; Instants the different times of them.
	Events   int64 `json:"events"`
	Instants int64 `json:"instants"`
	// Estimated is true when the steps of all runs did not fit in memory: then Instants, the Summaries of resources and
	// the correlations over time are over bins of BinS seconds, and a bin counts its events.
	Estimated bool   `json:"estimated"`
	BinS      Number `json:"bin_s"` // null unless estimated

	// Resources holds Carbyne's six, and gpu if the trace has it, by column name.
	Resources map[string]*LeftoverResource `json:"resources"`
	// Correlation of leftover with stages, barriers, critical_path_stages, disjoint_paths and width.
	Correlation map[string]LeftoverCorrelation `json:"correlation"`
	Check       LeftoverCheck                  `json:"check"`
	Timeline    LeftoverTimeline               `json:"timeline"`
	// PerRun has one row per run, in the store's order; in the table only.
	PerRun LeftoverRuns `json:"-"`
}

// LeftoverResource is the leftover of one resource.
type LeftoverResource struct {
	Available bool     `json:"available"`
	Missing   []string `json:"missing,omitempty"` // columns; then nothing else is set
	// TimeWeighted is over instants, each weighing the time to the next; its quantiles are the smallest value with at
	// least that share of the weight at or below it. EventWeighted is over events. Instants with nothing allocated are
	// left out.
	TimeWeighted  Summary `json:"time_weighted"`
	EventWeighted Summary `json:"event_weighted"`
	Share         Number  `json:"share"`     // Spare / Allocated
	Allocated     Number  `json:"allocated"` // integral over time, in the unit of the resource x seconds
	Spare         Number  `json:"spare"`     // slack, likewise
	Runs          int     `json:"runs"`      // of which a demand is known
	Attempts      int64   `json:"attempts"`  // of which the demand is known
	FromStage     int64   `json:"attempts_from_stage"`
	Unknown       int64   `json:"attempts_unknown"` // counted as holding nothing
	// TimeCurve and EventCurve hold the quantiles 0, 0.01, ... 1 of the leftover, empty when there are none.
	TimeCurve  []float64         `json:"time_curve"`
	EventCurve []float64         `json:"event_curve"`
	Extremes   []LeftoverExtreme `json:"extremes"` // runs that had most slack, most first
}

// leftoverResource is LeftoverResource without its methods.
type leftoverResource LeftoverResource

// MarshalJSON writes the missing columns of a resource that is not available, and nothing else.
func (r *LeftoverResource) MarshalJSON() ([]byte, error) {
	if !r.Available {
		return json.Marshal(struct {
			Available bool     `json:"available"`
			Missing   []string `json:"missing"`
		}{false, r.Missing})
	}
	return json.Marshal((*leftoverResource)(r))
}

// LeftoverExtreme is a run with much leftover.
type LeftoverExtreme struct {
	JobID     string  `json:"job_id"`
	Name      string  `json:"name"`
	Leftover  Number  `json:"leftover"` // time-weighted mean of the run
	Allocated float64 `json:"allocated"`
	Spare     float64 `json:"spare"`
}

// Correlation is the correlation of two quantities. Both coefficients are null if fewer than two observations are known
// or one of the quantities is constant.
type Correlation struct {
	N        int    `json:"n"`
	Pearson  Number `json:"pearson"`
	Spearman Number `json:"spearman"` // ties have their average rank
}

// LeftoverCorrelation is the correlation of leftover with a measure of the graph of stages.
type LeftoverCorrelation struct {
	// Correlation is over runs, with the mean of a run's leftover over the resources that are known.
	Correlation
	Resources map[string]Correlation `json:"resources"` // over runs, per resource
	// OverTime is over instants, weighted by time: the cluster's leftover of a resource with the mean among running
	// runs.
	OverTime map[string]Correlation `json:"over_time"`
}

// LeftoverCheck counts the packed schedules that were checked and those that break a rule, which would be a defect of
// racecard.
type LeftoverCheck struct {
	Runs        int `json:"runs"`
	EndsLater   int `json:"ends_later"`
	Above       int `json:"above_allocation"`
	BeforeChild int `json:"child_before_parent"`
	Earlier     int `json:"moved_earlier"`
}

// LeftoverTimeline holds, over time, the resources that runs held and could give away, averaged within at most
// 2,000 steps of equal length. All slices have one value per step.
type LeftoverTimeline struct {
	FromS     Number                       `json:"from_s"` // start of the first step, in the trace's time
	StepS     Number                       `json:"step_s"`
	Running   []float64                    `json:"running"` // mean number of runs between their start and end
	Resources map[string]LeftoverTimeValue `json:"resources"`
}

// LeftoverTimeValue is the part of a [LeftoverTimeline] about one resource, in its unit.
type LeftoverTimeValue struct {
	Allocated []float64 `json:"allocated"`
	Spare     []float64 `json:"spare"`
}

// LeftoverRun is the leftover of one run. Null is NaN.
type LeftoverRun struct {
	JobID, Name                                   string
	Start, End                                    trace.Instant
	Stages, Barriers, PathStages, Disjoint, Width int32
	Attempts, Moved                               int32
	Leftover                                      float64          `partial:"-"` // mean over the resources that are known
	Of                                            []LeftoverAmount // ascending by resource
}

// LeftoverAmount is the amount of one resource held by one run.
type LeftoverAmount struct {
	Resource  trace.Resource
	Most      float64 // held at once
	Leftover  float64 // time-weighted mean over the run's events; NaN when nothing was held
	Allocated float64 // integral over time, in the unit of the resource x seconds
	Spare     float64
}

// Analysis implements [Document].
func (*Leftover) Analysis() string { return "leftover" }

// Names returns the resources of the result in the order of the canonical columns.
func (l *Leftover) Names() []string {
	var names []string
	for _, name := range trace.ResourceNames {
		if l.Resources[name] != nil {
			names = append(names, name)
		}
	}
	return names
}

func seconds(t trace.Instant) float64 { return t.Since(0).Seconds() }

// DropRows forgets the rows of the table, and gives their memory back.
func (l *Leftover) DropRows() { l.PerRun = LeftoverRuns{} }

// Table implements [Document]: one row per run that was packed, with four columns per resource that is available.
func (l *Leftover) Table() *Table {
	t := NewTable("leftover").sized(l.PerRun.Len())
	for _, r := range l.PerRun.All() {
		row := t.Row().ID("job_id", r.JobID).Text("name", r.Name).Float("start_s", seconds(r.Start)).Float("end_s",
			seconds(r.End)).
			Int("attempts", int(r.Attempts)).Int("attempts_moved", int(r.Moved)).Int("stages", int(r.Stages)).
			Int("barriers", int(r.Barriers)).Int("critical_path_stages", int(r.PathStages)).
			Int("disjoint_paths", int(r.Disjoint)).Int("width", int(r.Width)).Float("leftover", r.Leftover)
		of := r.Of
		for k, name := range trace.ResourceNames {
			if about := l.Resources[name]; about == nil || !about.Available {
				continue
			}
			a := LeftoverAmount{Most: math.NaN(), Leftover: math.NaN(), Allocated: math.NaN(), Spare: math.NaN()}
			if len(of) > 0 && int(of[0].Resource) == k {
				a, of = of[0], of[1:]
			}
			row.Float(name+"_most", a.Most).Float(name+"_leftover", a.Leftover).Float(name+"_allocated", a.Allocated).
				Float(name+"_spare", a.Spare)
		}
	}
	return t
}

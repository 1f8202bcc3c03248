package result

import "math"

// Waste classifies the resources that runs held: DIR/waste.json.
type Waste struct {
	Header
	Store     string `json:"store,omitempty"`
	Synthetic bool   `json:"synthetic,omitempty"` // the trace was generated, not measured
	WasteAmount
	// Classes are core-hours; they add up to held_core_h.
	Classes WasteClasses   `json:"classes"`
	ByBasis map[string]int `json:"by_basis"` // runs per source of what they held: allocations, guarantee, use
	// StatusUnknown is the runs that do not say how they ended, as none of their attempts does.
	StatusUnknown int `json:"status_unknown,omitempty"`
	// PeriodS is the time between the first and the last submission in seconds. Null if submissions are not known.
	PeriodS Number `json:"period_s"`
	// share of its usual time by which a job may take longer on the recommended cores
	Within float64 `json:"within"`
	Priced bool    `json:"priced"`
	// Unpriced says how many core-hours were on machines that no price matches; left out where there are none.
	Unpriced string     `json:"unpriced,omitempty"`
	Jobs     []WasteJob `json:"jobs"`                // those that waste most first, by cost where there are prices
	More     int        `json:"more_jobs,omitempty"` // that waste less than those listed
	// Fleet is the number of machines that would have sufficed; null if it was not asked for, or no time is known.
	Fleet  *Fleet       `json:"fleet"`
	Users  []WasteGroup `json:"users"`  // likewise; none when the trace names none
	Groups []WasteGroup `json:"groups"` // likewise
}

// How the cores that runs held at once are known.
const (
	CoresExact = "exact"       // counted at every change
	CoresBound = "upper bound" // counted at every change, the many changes of some runs rounded up
	CoresMeans = "means"       // over bins of time in which any is held: shorter peaks are higher
)

// Fleet is the cores that all runs held at once, and the machines of the trace.
type Fleet struct {
	Machines        int     `json:"machines"`          // on which attempts ran; 0 where the trace names none
	CoresAre        string  `json:"cores_are"`         // held: exact, upper bound or means
	BusyAre         string  `json:"busy_are"`          // on which attempts ran: likewise
	BinS            float64 `json:"bin_s"`             // of means
	PeakCores       float64 `json:"peak_cores"`        // the most held: taken to be what all machines have
	LeastPeak       float64 `json:"least_peak_cores"`  // the peak is at least this; less than it if that is a bound
	MeanCores       float64 `json:"mean_cores"`        // held, while any is
	CoresPerMachine Number  `json:"cores_per_machine"` // at the peak; null without machines
	Share           float64 `json:"share_of_time"`     // for which the following suffice
	Cores           float64 `json:"cores"`             // held
	BusyCores       float64 `json:"busy_cores"`        // on which attempts ran
	// Enough is the number of machines for the cores held; 0 where the trace names none, or the peak is less than a core
	// of each: then it does not tell what they have
	Enough     int `json:"enough_machines"`
	EnoughBusy int `json:"enough_busy_machines"`
}

// WasteAmount is an amount of resources held by some runs. Wasted is everything but useful work.
type WasteAmount struct {
	Runs         int     `json:"runs"`
	HeldCoreH    float64 `json:"held_core_h"`
	WastedCoreH  float64 `json:"wasted_core_h"`
	HeldMemGBh   Number  `json:"held_mem_gb_h"` // 1e9 bytes for an hour; null where the trace has no memory of runs
	WastedMemGBh Number  `json:"wasted_mem_gb_h"`
	Cost         Number  `json:"cost"` // null without prices
	WastedCost   Number  `json:"wasted_cost"`
}

// WasteClasses are core-hours by class; see package analyses/waste for their definitions.
type WasteClasses struct {
	Useful      float64 `json:"useful"`
	Failed      float64 `json:"failed"`
	Speculative float64 `json:"speculative"`
	BarrierIdle float64 `json:"barrier_idle"`
	TailIdle    float64 `json:"tail_idle"`
	Driver      float64 `json:"driver"`
	Unused      float64 `json:"unused"`
}

// List returns the classes with their names, in their order.
func (c *WasteClasses) List() []WasteClass {
	return []WasteClass{
		{"useful", c.Useful, false}, {"failed", c.Failed, false}, {"speculative", c.Speculative, false},
		{"barrier_idle", c.BarrierIdle, true}, {"tail_idle", c.TailIdle, true}, {"driver", c.Driver, true},
		{"unused", c.Unused, true},
	}
}

// WasteClass is the core-hours of one class.
type WasteClass struct {
	Name  string
	CoreH float64
	Idle  bool // held while no attempt ran
}

// HeldKnown reports whether any run states the cores that it held. Others count as holding the cores of their tasks.
func (w *Waste) HeldKnown() bool { return w.ByBasis["use"] < w.Runs }

// FailuresKnown reports whether any run, or an attempt of one, says how it ended.
func (w *Waste) FailuresKnown() bool { return w.StatusUnknown < w.Runs }

// KnownClasses returns the classes; idle ones have NaN core-hours where no run states what it held, and failed ones
// where none says how it ended.
func (w *Waste) KnownClasses() []WasteClass {
	all := w.Classes.List()
	for i := range all {
		if all[i].Idle && !w.HeldKnown() || all[i].Name == "failed" && !w.FailuresKnown() {
			all[i].CoreH = math.NaN()
		}
	}
	return all
}

// WasteGroup is a user or a group.
type WasteGroup struct {
	Who string `json:"who"`
	WasteAmount
	Classes   WasteClasses `json:"classes"`
	Succeeded int          `json:"succeeded"` // runs
}

// WasteJob is a recurring job, or a name that occurs once.
type WasteJob struct {
	Job string `json:"job"`
	WasteAmount
	Classes   WasteClasses `json:"classes"`
	Succeeded int          `json:"succeeded"` // runs

	// bytes, the most that a run asked for; 0 where not known
	ExecutorMem     int64  `json:"executor_mem,omitempty"`
	ExecutorPeakMem int64  `json:"executor_peak_mem,omitempty"` // bytes, the most that an executor used
	SpillBytes      int64  `json:"spill_bytes,omitempty"`
	GCShare         Number `json:"gc_share"` // of the time of attempts; null where not known

	WasteAdvice
}

// WasteAdvice is the allocation of a job that would have cost least within a share of its time: simulated from some of
// its runs.
type WasteAdvice struct {
	Simulated int `json:"simulated_runs"`
	// its last run was given cores as it needed them
	Dynamic bool `json:"dynamic"`
	// median over these runs of the most they held
	CurrentCores     Number `json:"current_cores"`
	RecommendedCores Number `json:"recommended_cores"` // null where no run could be simulated
	// shares by which these runs would take longer, least and most
	TimeChange *Interval `json:"time_change"`
	// shares of the held core-hours that they would save, least and most
	SavedShare *Interval `json:"saved_share"`
	// time in seconds that all runs of the job stand for, to which monthly amounts refer: at least period_s, and for n
	// runs at regular intervals n intervals
	LengthS Number `json:"length_s"`
	// core-hours, or money with prices, at the mean share saved
	SavingPerMonth  Number    `json:"saving_per_month"`
	SavingInterval  *Interval `json:"saving_interval"`                    // at the least and the most share saved
	RecommendedMem  int64     `json:"recommended_executor_mem,omitempty"` // bytes: the peak and 20%
	MemSavingPerMon Number    `json:"mem_saving_per_month"`               // GB-hours
	Why             string    `json:"why,omitempty"`                      // there is no recommendation
}

// NoAdvice returns an empty advice with the reason.
func NoAdvice(why string) WasteAdvice {
	nan := Number(math.NaN())
	return WasteAdvice{CurrentCores: nan, RecommendedCores: nan, LengthS: nan, SavingPerMonth: nan,
		MemSavingPerMon: nan, Why: why}
}

// Analysis implements [Document].
func (*Waste) Analysis() string { return "waste" }

// Table implements [Document]: one row per job.
func (w *Waste) Table() *Table {
	return tableOf("waste", w.Jobs, func(row *Row, j *WasteJob) {
		row.Text("job", j.Job).Int("runs", j.Runs).Float("held_core_h", j.HeldCoreH).
			Float("wasted_core_h", j.WastedCoreH).Float("held_mem_gb_h", float64(j.HeldMemGBh)).
			Float("cost", float64(j.Cost)).Float("wasted_cost", float64(j.WastedCost))
		for _, c := range j.Classes.List() {
			row.Float(c.Name+"_core_h", c.CoreH)
		}
		row.Float("recommended_cores", float64(j.RecommendedCores)).Float("saving_per_month", float64(j.SavingPerMonth))
	})
}

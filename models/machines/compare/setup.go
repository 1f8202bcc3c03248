package compare

import (
	"fmt"
	"math"

	"racecard/datasets/lists"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/limit"
	"racecard/models/machines/internal/cluster"
	"racecard/models/machines/jobs"
	"racecard/models/workload"
)

// Setup describes the replayed jobs and the cluster.
type Setup struct {
	// Capacities are the capacities of the machines; with Pooled they make one machine.
	Capacities []trace.Demand
	Pooled     bool
	// Remove takes away machines such that 1/Remove of them are left, at least one; 1 takes none. Load refers to all
	// machines.
	Remove float64

	Offline       bool    // all jobs arrive at 0
	InterarrivalS float64 // mean gap of Poisson arrivals; 0 is as in the trace, unless Offline
	Jobs          int     // jobs to draw from those of the trace; 0 takes them as they are
	// Load scales all durations so that the jobs need that share of the cluster during the period in which they arrive:
	// their number times InterarrivalS. 0 leaves durations as they are.
	Load        float64
	MapReduce   bool    // jobs are cut to a map and a reduce stage
	DemandScale float64 // of demands that are drawn
	Error       jobs.Error

	Parameters Parameters // their Seed seeds everything that is drawn
}

// DefaultSetup returns a setup that replays jobs unchanged with correct estimates; the caller adds machines.
func DefaultSetup() Setup {
	return Setup{Remove: 1, DemandScale: 1, Error: jobs.Error{Some: 1}, Parameters: DefaultParameters()}
}

// Draw returns how values that the trace lacks are drawn.
func (s *Setup) Draw() workload.Draw {
	return workload.Draw{Seed: s.Parameters.Seed, Scale: s.DemandScale}
}

// Arrivals says how jobs arrive: "offline", "poisson" or "trace".
func (s *Setup) Arrivals() string {
	switch {
	case s.Offline:
		return "offline"
	case s.InterarrivalS > 0:
		return "poisson"
	}
	return "trace"
}

// Validate reports the first value that makes no sense.
func (s *Setup) Validate() error {
	switch {
	case len(s.Capacities) == 0:
		return fmt.Errorf("machines 0: want at least 1")
	case !(s.Remove >= 1 && s.Remove <= 1e6):
		return fmt.Errorf("1 of %v machines; want at least 1", s.Remove)
	case !(s.InterarrivalS >= 0 && s.InterarrivalS <= 1e9):
		return fmt.Errorf("interarrival %v: want more than 0 s, at most 1e9", s.InterarrivalS)
	case s.Jobs < 0 || s.Jobs > limit.Jobs:
		return fmt.Errorf("jobs %d: want 1 to %s", s.Jobs, words.Count(limit.Jobs))
	case !(s.Load >= 0 && s.Load <= 1e6):
		return fmt.Errorf("load %v: want more than 0, at most 1e6", s.Load)
	case s.Load > 0 && s.InterarrivalS == 0:
		return fmt.Errorf("load %v says how busy a cluster is while jobs arrive: say how fast they do with an "+
			"interarrival", s.Load)
	}
	if err := s.Draw().Validate(); err != nil {
		return err
	}
	if _, err := jobs.Misestimate(nil, s.Error); err != nil {
		return fmt.Errorf("misestimate: %w", err)
	}
	return s.Parameters.Validate()
}

// machinesLeft returns the number of machines after the removal (Remove).
func (s *Setup) machinesLeft() int {
	return max(1, int(math.Round(float64(len(s.Capacities))/s.Remove)))
}

// Machines makes the machines.
func (s *Setup) Machines() (*cluster.Machines, error) {
	n := s.machinesLeft()
	if !s.Pooled {
		return cluster.New(s.Capacities[:n])
	}
	pool := s.Capacities[0]
	for i := range s.Capacities[1:n] {
		for r := range pool {
			pool[r] += s.Capacities[i+1][r]
		}
	}
	return cluster.New([]trace.Demand{pool})
}

// Workload is the jobs of a trace, prepared by a setup.
type Workload struct {
	Jobs    []*jobs.Job // in the order of their arrival
	Undated bool        // no job of the trace has a time: all arrive at 0
	Stretch float64     // factor on durations; 1 if they are unchanged
}

// Prepare makes the workload of a setup, with the seed of its Parameters.
func (s *Setup) Prepare(b *jobs.Builder) (*Workload, error) {
	w := &Workload{Jobs: b.Jobs, Stretch: 1}
	if s.Arrivals() == "trace" {
		dated, ok := b.Dated()
		w.Jobs, w.Undated = dated, !ok
	}
	if len(w.Jobs) == 0 {
		return w, nil
	}
	if s.Jobs > 0 {
		w.Jobs = jobs.Sample(w.Jobs, s.Jobs, s.Parameters.Seed)
	}
	if s.MapReduce {
		w.Jobs = jobs.MapReduce(w.Jobs)
	}
	var err error
	if s.Load > 0 {
		whole := *s
		whole.Remove = 1
		machines, err := whole.Machines()
		if err != nil {
			return nil, err
		}
		if w.Jobs, w.Stretch, err = jobs.Stretch(w.Jobs, machines, s.Load, float64(len(w.Jobs))*s.InterarrivalS); err != nil {
			return nil, err
		}
	}
	switch s.Arrivals() {
	case "offline":
		w.Jobs = jobs.Offline(w.Jobs)
	case "poisson":
		if w.Jobs, err = jobs.Poisson(w.Jobs, s.InterarrivalS, s.Parameters.Seed); err != nil {
			return nil, err
		}
	}
	jobs.Sort(w.Jobs)
	w.Jobs = jobs.FromStart(w.Jobs)
	if s.Error.Share != 0 && s.Error.Some > 0 {
		e := s.Error
		e.Seed = s.Parameters.Seed
		if w.Jobs, err = jobs.Misestimate(w.Jobs, e); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// workloadKey is the part of a setup on which its workload depends.
type workloadKey struct {
	offline, mapReduce         bool
	interarrivalS, load, scale float64
	jobs, machines             int
	error                      jobs.Error
	seed                       uint64
}

func (s *Setup) workload() workloadKey {
	return workloadKey{s.Offline, s.MapReduce, s.InterarrivalS, s.Load, s.DemandScale, s.Jobs, len(s.Capacities),
		s.Error, s.Parameters.Seed}
}

// Cases returns one case per scheduler.
func (s *Setup) Cases(w *Workload, schedulers []string, follow string) []*Case {
	return lists.Map(schedulers, func(name string) *Case {
		return &Case{Jobs: w.Jobs, Machines: s.Machines, Scheduler: name, Parameters: s.Parameters, Follow: follow}
	})
}

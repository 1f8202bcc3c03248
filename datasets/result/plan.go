package result

import "fmt"

// Plans says how many different stage graphs the runs have. Graphs are told apart by a hash that does not depend on how
// their stages are numbered or named; equal hashes do not prove that two graphs are equal, though they nearly always
// are.
type Plans struct {
	Distinct int          `json:"distinct"` // different plans over all runs with stages
	Shapes   []ShapeCount `json:"shapes"`   // in the order of the classes; those that occur
	Common   []Plan       `json:"common"`   // the plans with most runs, of equals the one seen first; at most MostPlans
	// PerJob summarises the number of plans of a recurring job, over recurring jobs.
	PerJob Summary `json:"per_job"`
	// ShareOfOne is the share of recurring jobs all of whose runs have the same plan; null without recurring jobs.
	ShareOfOne Number     `json:"share_of_one"`
	Jobs       []JobPlans `json:"jobs"` // recurring jobs with most plans first; at most MostPlans
}

// MostPlans bounds the lists of [Plans].
const MostPlans = 200

// ShapeCount says how many runs and plans have a shape.
type ShapeCount struct {
	Shape string `json:"shape"`
	Runs  int    `json:"runs"`
	Plans int    `json:"plans"`
	JobID string `json:"job_id"` // the first run of that shape with most stages, to look at
}

// Plan is a stage graph that one or more runs have.
type Plan struct {
	Plan   string `json:"plan"` // its hash
	Shape  string `json:"shape"`
	Stages int    `json:"stages"`
	Runs   int    `json:"runs"`
	Names  int    `json:"names"` // different names of these runs, normalised
	JobID  string `json:"job_id"`
	Name   string `json:"name"` // of the first of them
}

// JobPlans says how many plans the runs of a recurring job have.
type JobPlans struct {
	Name   string  `json:"name"`
	Runs   int     `json:"runs"` // with stages
	Plans  int     `json:"plans"`
	Share  float64 `json:"share_of_commonest"` // of its runs
	Common string  `json:"commonest"`
}

// PlanHash writes the hash of a plan.
func PlanHash(hash uint64) string { return fmt.Sprintf("%016x", hash) }

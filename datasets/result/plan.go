package result

import "fmt"

// Plans counts the different stage graphs of runs. Graphs are distinguished by a hash that does not depend on the
// numbers and names of stages. Graphs with equal hashes are nearly always equal, but need not be.
type Plans struct {
	Distinct int          `json:"distinct"` // different plans over all runs with stages
	Shapes   []ShapeCount `json:"shapes"`   // in the order of the classes; those that occur
	Common   []Plan       `json:"common"`   // the plans with most runs, of equals the one seen first; at most MostPlans
	// PerJob summarises the number of plans of a recurring job, over recurring jobs.
	PerJob Summary `json:"per_job"`
	// ShareOfOne is the share of recurring jobs with the same plan in all runs; null without recurring jobs.
	ShareOfOne Number     `json:"share_of_one"`
	Jobs       []JobPlans `json:"jobs"` // recurring jobs with most plans first; at most MostPlans
}

// MostPlans bounds the lists of [Plans].
const MostPlans = 200

// ShapeCount counts the runs and plans with a shape.
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

// JobPlans counts the plans of a recurring job.
type JobPlans struct {
	Name   string  `json:"name"`
	Runs   int     `json:"runs"` // with stages
	Plans  int     `json:"plans"`
	Share  float64 `json:"share_of_commonest"` // of its runs
	Common string  `json:"commonest"`
}

// PlanHash writes the hash of a plan.
func PlanHash(hash uint64) string { return fmt.Sprintf("%016x", hash) }

package result

// DAG says how the stage graphs of runs are shaped (Carbyne, Tables 1 and 2).
type DAG struct {
	Header
	Jobs          int `json:"jobs"`           // runs with at least one stage
	WithoutStages int `json:"without_stages"` // runs without

	Stages             Summary `json:"stages"`
	Barriers           Summary `json:"barriers"`             // stages with more than one parent
	Synchronisations   Summary `json:"synchronisations"`     // all_to_all edges
	CriticalPathStages Summary `json:"critical_path_stages"` // stages on the longest path
	CriticalPathS      Summary `json:"critical_path_s"`      // seconds
	// CriticalPathDriverS is CriticalPathS with the driver's order of stages as edges.
	CriticalPathDriverS Summary `json:"critical_path_driver_s"`
	DisjointPaths       Summary `json:"disjoint_paths"` // minimum vertex-disjoint path cover
	Width               Summary `json:"width"`          // largest antichain
	InputWork           Summary `json:"input_work"`     // share of task-seconds in stages without parents

	Intervals Intervals   `json:"intervals"`
	Largest   *StageGraph `json:"largest,omitempty"` // the run with most stages; of equals the first
	Runs      []RunShape  `json:"-"`                 // one per run with stages, in the store's order; in the table only
}

// RunShape is the shape of one run. Null is NaN.
type RunShape struct {
	JobID, Name                                                     string
	Stages, Barriers, Synchronisations, PathStages, Disjoint, Width int
	CriticalPathS, CriticalPathDriverS, InputWork, TaskSeconds      float64
	Attempts                                                        int
}

// StageGraph is the stage graph of one run.
type StageGraph struct {
	JobID  string       `json:"job_id"`
	Name   string       `json:"name"`
	Stages []GraphStage `json:"stages"` // in topological order
	Edges  []GraphEdge  `json:"edges"`
}

// GraphStage is a stage of a [StageGraph].
type GraphStage struct {
	Name        string `json:"name"`
	Tasks       int64  `json:"tasks"`        // 0 when unknown
	Seconds     Number `json:"seconds"`      // longest succeeded attempt, else end - start of the stage
	TaskSeconds Number `json:"task_seconds"` // all attempts
	Critical    bool   `json:"critical"`     // lies on the critical path in seconds (in stages where times are unknown)
	Level       int    `json:"level"`        // stages on the longest path from a stage without parents to this one, less 1
}

// GraphEdge joins two stages of a [StageGraph] by their indices.
type GraphEdge struct {
	Parent int    `json:"parent"`
	Child  int    `json:"child"`
	Kind   string `json:"kind"` // all_to_all, one_to_one, driver, unknown
}

// Analysis implements [Document].
func (*DAG) Analysis() string { return "dag" }

// Table implements [Document]: one row per run with stages.
func (d *DAG) Table() *Table {
	t := NewTable("dag")
	for i := range d.Runs {
		r := &d.Runs[i]
		t.Row().Text("job_id", r.JobID).Text("name", r.Name).Int("stages", r.Stages).Int("barriers", r.Barriers).
			Int("synchronisations", r.Synchronisations).Int("critical_path_stages", r.PathStages).
			Float("critical_path_s", r.CriticalPathS).Float("critical_path_driver_s", r.CriticalPathDriverS).
			Int("disjoint_paths", r.Disjoint).Int("width", r.Width).Float("input_work", r.InputWork).
			Float("task_seconds", r.TaskSeconds).Int("attempts", r.Attempts)
	}
	return t
}

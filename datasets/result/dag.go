package result

// DAG describes the shapes of the stage graphs of runs (Carbyne, Tables 1 and 2).
type DAG struct {
	Header
	Jobs          int `json:"jobs"`           // runs with at least one stage
	WithoutStages int `json:"without_stages"` // runs without

	Stages             Summary `json:"stages"`
	Barriers           Summary `json:"barriers"`             // stages with more than one parent
	Synchronisations   Summary `json:"synchronisations"`     // all_to_all edges
	CriticalPathStages Summary `json:"critical_path_stages"` // stages on the longest path
	CriticalPathS      Summary `json:"critical_path_s"`      // seconds
	// CriticalPathMeanS is CriticalPathS with every stage as long as the mean of its attempts, not the longest.
	CriticalPathMeanS Summary `json:"critical_path_mean_s"`
	// CriticalPathDriverS is CriticalPathS with the driver's order of stages as edges.
	CriticalPathDriverS Summary `json:"critical_path_driver_s"`
	// PathsByStageTimes counts the runs whose critical path in seconds holds a stage without task durations, which
	// weighs the time from its start to its end; PathsAboveCompletion counts those that took less time than their
	// critical path. If either is not 0, the path is no lower bound on the completion time.
	PathsByStageTimes    int `json:"critical_paths_by_stage_times"`
	PathsAboveCompletion int `json:"critical_paths_above_completion"`

	DisjointPaths Summary `json:"disjoint_paths"` // minimum vertex-disjoint path cover
	Width         Summary `json:"width"`          // largest antichain
	InputWork     Summary `json:"input_work"`     // share of task-seconds in stages without parents

	// LevelStagesMean and LevelStagesMax summarise the stages on a level of a run's graph, on the average level and on
	// the widest. A stage lies on the level of its longest path from a stage without parents. Tasks likewise.
	LevelStagesMean Summary `json:"level_stages_mean"`
	LevelStagesMax  Summary `json:"level_stages_max"`
	LevelTasksMean  Summary `json:"level_tasks_mean"`
	LevelTasksMax   Summary `json:"level_tasks_max"`

	Plans     Plans        `json:"plans"`
	Extremes  []ExtremeRun `json:"extremes"`
	Intervals Intervals    `json:"intervals"`
	Largest   *StageGraph  `json:"largest,omitempty"` // the run with most stages; of equals the first
	// one per run with stages, in the store's order; in the table only
	Runs RunShapes `json:"-"`
}

// RunShape is the shape of one run. Null is NaN.
type RunShape struct {
	JobID, Name                                                     string
	Stages, Barriers, Synchronisations, PathStages, Disjoint, Width int32
	// Parts are the weakly connected parts of the graph
	LevelStagesMax, Parts, Attempts                       int32
	Succeeded                                             bool // or the trace does not say how it ended
	ByStageTimes, AboveCompletion                         bool // the latter of its critical path: see [DAG]
	CriticalPathS, CriticalPathMeanS, CriticalPathDriverS float64
	InputWork, TaskSeconds, LevelTasksMean, LevelTasksMax float64
	Shape                                                 string // one of the classes of package dag
	Plan                                                  uint64 // hash
}

// LevelStagesMean is the number of stages on the average level of the run's graph.
func (r *RunShape) LevelStagesMean() float64 { return float64(r.Stages) / float64(r.PathStages) }

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
	// stages on the longest path from a stage without parents to this one, less 1
	Level int `json:"level"`
}

// GraphEdge joins two stages of a [StageGraph] by their indices.
type GraphEdge struct {
	Parent int    `json:"parent"`
	Child  int    `json:"child"`
	Kind   string `json:"kind"` // all_to_all, one_to_one, driver, unknown
}

// Analysis implements [Document].
func (*DAG) Analysis() string { return "dag" }

// DropRows forgets the rows of the table, and gives their memory back.
func (d *DAG) DropRows() { d.Runs = RunShapes{} }

// Table implements [Document]: one row per run with stages.
func (d *DAG) Table() *Table {
	t := NewTable("dag").sized(d.Runs.Len())
	for _, r := range d.Runs.All() {
		t.Row().ID("job_id", r.JobID).Text("name", r.Name).Int("stages", int(r.Stages)).Int("barriers",
			int(r.Barriers)).
			Int("synchronisations", int(r.Synchronisations)).Int("critical_path_stages", int(r.PathStages)).
			Float("critical_path_s", r.CriticalPathS).Float("critical_path_driver_s", r.CriticalPathDriverS).
			Int("disjoint_paths", int(r.Disjoint)).Int("width", int(r.Width)).Float("input_work", r.InputWork).
			Float("task_seconds", r.TaskSeconds).Int("attempts", int(r.Attempts)).
			Float("critical_path_mean_s", r.CriticalPathMeanS).Float("level_stages_mean", r.LevelStagesMean()).
			Int("level_stages_max", int(r.LevelStagesMax)).Float("level_tasks_mean", r.LevelTasksMean).
			Float("level_tasks_max", r.LevelTasksMax).Int("parts", int(r.Parts)).Text("shape", r.Shape).Text("plan",
			PlanHash(r.Plan))
	}
	return t
}

package figuretest

import (
	"racecard/datasets/result"
)

func dag(apps []Application, runs []run) *result.DAG {
	d := &result.DAG{Header: result.Header{Available: true, Needs: []string{"stages.stage", "edges.parent",
		"edges.child"},
		LeftOut: map[string]int64{"critical_path_s: a stage has no known time": 2}}, Jobs: len(runs), WithoutStages: 1}
	byName := map[string]result.RunShape{}
	for i := range apps {
		byName[apps[i].Name] = shape(&apps[i])
	}
	d.Plans = plans(apps, byName, runs)
	columns := map[string][]float64{}
	add := func(name string, x float64) { columns[name] = append(columns[name], x) }
	var largest *Application
	for _, x := range runs {
		s := byName[x.app.Name]
		s.JobID, s.Name = x.id, x.app.Name
		s.CriticalPathS, s.CriticalPathDriverS, s.TaskSeconds = s.CriticalPathS*x.slow, s.CriticalPathDriverS*x.slow,
			s.TaskSeconds*x.slow
		s.InputWork *= 0.8 + 0.2*min(1, x.slow)
		d.Runs.Add(&s)
		add("stages", float64(s.Stages))
		add("barriers", float64(s.Barriers))
		add("synchronisations", float64(s.Synchronisations))
		add("critical_path_stages", float64(s.PathStages))
		add("critical_path_s", s.CriticalPathS)
		add("critical_path_driver_s", s.CriticalPathDriverS)
		add("critical_path_mean_s", s.CriticalPathMeanS*x.slow)
		add("level_stages_mean", s.LevelStagesMean())
		add("level_stages_max", float64(s.LevelStagesMax))
		add("level_tasks_mean", s.LevelTasksMean)
		add("level_tasks_max", s.LevelTasksMax)
		add("disjoint_paths", float64(s.Disjoint))
		add("width", float64(s.Width))
		add("input_work", s.InputWork)
		if largest == nil || int(s.Stages) > len(largest.Stages) {
			largest = x.app
			d.Largest = Graph(x.app, x.id)
		}
	}
	r := source(12)
	d.Intervals = result.Intervals{Level: 0.95, Method: "bootstrap percentile", Resamples: 200,
		Of: map[string]map[string]result.Interval{}}
	for name, into := range map[string]*result.Summary{
		"stages": &d.Stages, "barriers": &d.Barriers, "synchronisations": &d.Synchronisations,
		"critical_path_stages": &d.CriticalPathStages, "critical_path_s": &d.CriticalPathS,
		"critical_path_mean_s": &d.CriticalPathMeanS,
		"level_stages_mean":    &d.LevelStagesMean, "level_stages_max": &d.LevelStagesMax,
		"level_tasks_mean":       &d.LevelTasksMean,
		"level_tasks_max":        &d.LevelTasksMax,
		"critical_path_driver_s": &d.CriticalPathDriverS, "disjoint_paths": &d.DisjointPaths, "width": &d.Width,
		"input_work": &d.InputWork,
	} {
		*into = summarise(columns[name])
	}
	for _, name := range []string{"stages", "barriers", "synchronisations", "critical_path_stages", "critical_path_s",
		"critical_path_driver_s", "disjoint_paths", "width", "input_work"} {
		if xs := columns[name]; len(xs) > 0 && len(xs) < 2000 {
			d.Intervals.Of[name] = intervals(r, xs)
		}
	}
	return d
}

func shape(a *Application) result.RunShape {
	s := result.RunShape{Stages: int32(len(a.Stages)), CriticalPathS: criticalPath(a, false),
		CriticalPathDriverS: criticalPath(a, true)}
	level := levels(a)
	perLevel, tasks := map[int]int{}, map[int]int{}
	var input float64
	children := make([]int, len(a.Stages))
	for i, st := range a.Stages {
		if len(st.Parents) > 1 {
			s.Barriers++
		}
		if st.Kind == "all_to_all" {
			s.Synchronisations += int32(len(st.Parents))
		}
		for _, p := range st.Parents {
			children[p]++
		}
		s.PathStages = max(s.PathStages, int32(level[i]+1))
		perLevel[level[i]]++
		s.Width = max(s.Width, int32(perLevel[level[i]]))
		tasks[level[i]] += st.Tasks
		s.LevelTasksMax = max(s.LevelTasksMax, float64(tasks[level[i]]))
		work := float64(st.Tasks) * st.Seconds
		s.TaskSeconds += work
		s.Attempts += int32(st.Tasks)
		if len(st.Parents) == 0 {
			input += work
		}
	}
	for _, n := range children {
		if n == 0 {
			s.Disjoint++
		}
	}
	s.Disjoint = max(s.Disjoint, s.Width)
	s.LevelStagesMax = s.Width
	s.LevelTasksMean, s.CriticalPathMeanS = float64(s.Attempts)/float64(s.PathStages), s.CriticalPathS*0.7
	s.InputWork = input / s.TaskSeconds
	return s
}

func levels(a *Application) []int {
	level := make([]int, len(a.Stages))
	for i, s := range a.Stages {
		for _, p := range s.Parents {
			level[i] = max(level[i], level[p]+1)
		}
	}
	return level
}

// criticalPath returns the seconds of the longest path, with or without the driver's order as edges.
func criticalPath(a *Application, driver bool) float64 {
	ends, _ := pathEnds(a, driver)
	longest := 0.0
	for _, e := range ends {
		longest = max(longest, e)
	}
	return longest
}

// pathEnds returns when each stage ends with unlimited machines, and the parent that decides it (-1 when none).
func pathEnds(a *Application, driver bool) ([]float64, []int) {
	ends, by := make([]float64, len(a.Stages)), make([]int, len(a.Stages))
	for i, s := range a.Stages {
		by[i] = -1
		parents := s.Parents
		if driver && s.After >= 0 {
			parents = append(append([]int(nil), parents...), s.After)
		}
		start := 0.0
		for _, p := range parents {
			if ends[p] > start {
				start, by[i] = ends[p], p
			}
		}
		ends[i] = start + 1.4*s.Seconds
	}
	return ends, by
}

// Graph returns the stage graph of a run of an application.
func Graph(a *Application, id string) *result.StageGraph {
	g := &result.StageGraph{JobID: id, Name: a.Name}
	level := levels(a)
	ends, by := pathEnds(a, false)
	last := 0
	for i, s := range a.Stages {
		if ends[i] > ends[last] {
			last = i
		}
		g.Stages = append(g.Stages, result.GraphStage{Name: s.Name, Tasks: int64(s.Tasks),
			Seconds:     result.Number(1.4 * s.Seconds),
			TaskSeconds: result.Number(float64(s.Tasks) * s.Seconds), Level: level[i]})
		for _, p := range s.Parents {
			g.Edges = append(g.Edges, result.GraphEdge{Parent: p, Child: i, Kind: s.Kind})
		}
		if s.After >= 0 {
			g.Edges = append(g.Edges, result.GraphEdge{Parent: s.After, Child: i, Kind: "driver"})
		}
	}
	for ; last >= 0; last = by[last] {
		g.Stages[last].Critical = true
	}
	return g
}

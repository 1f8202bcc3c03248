package figuretest

import (
	"racecard/datasets/result"
)

// plans gives every application its own class and plan, and another plan to every tenth run of an application.
// byName gets the class.
func plans(apps []Application, byName map[string]result.RunShape, runs []run) result.Plans {
	classes := []string{"chain", "in_tree", "general", "disconnected", "map_reduce", "fork", "join", "single",
		"diamond"}
	class := map[string]int{}
	for i := range apps {
		name := apps[i].Name
		class[name] = i
		s := byName[name]
		s.Shape, s.Plan = classes[i%len(classes)], uint64(i+1)*0x9e3779b97f4a7c15
		byName[name] = s
	}
	out := result.Plans{PerJob: summarise(nil)}
	jobs := map[string]*result.JobPlans{}
	counts := map[string]*result.ShapeCount{}
	var order []string
	for k, x := range runs {
		s := byName[x.app.Name]
		c, j := counts[s.Shape], jobs[x.app.Name]
		if c == nil {
			c = &result.ShapeCount{Shape: s.Shape, JobID: x.id}
			counts[s.Shape] = c
		}
		if j == nil {
			j = &result.JobPlans{Name: x.app.Name, Plans: 1, Common: result.PlanHash(s.Plan)}
			jobs[x.app.Name], order = j, append(order, x.app.Name)
			c.Plans++
			out.Distinct++
			if len(out.Common) < result.MostPlans {
				out.Common = append(out.Common, result.Plan{Plan: j.Common, Shape: s.Shape, Stages: int(s.Stages),
					Runs: 19, Names: 1, JobID: x.id, Name: x.app.Name})
			}
		}
		c.Runs++
		j.Runs++
		if class[x.app.Name]%2 == 1 && k%10 == 0 {
			j.Plans++
			c.Plans++
			out.Distinct++
		}
	}
	for _, s := range classes {
		if c := counts[s]; c != nil {
			out.Shapes = append(out.Shapes, *c)
		}
	}
	var perJob []float64
	one := 0
	for _, name := range order {
		j := jobs[name]
		j.Share = 1 - float64(j.Plans-1)/float64(j.Runs)
		perJob = append(perJob, float64(j.Plans))
		if j.Plans == 1 {
			one++
		}
		if len(out.Jobs) < result.MostPlans {
			out.Jobs = append(out.Jobs, *j)
		}
	}
	out.PerJob, out.ShareOfOne = summarise(perJob), result.Number(float64(one)/float64(len(order)))
	return out
}

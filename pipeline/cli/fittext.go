package cli

import (
	"strconv"

	"racecard/datasets/modelfile"
	"racecard/reports/style"
)

// fittedJob is a line of what fit prints.
type fittedJob struct {
	Job        string         `json:"job"`
	File       string         `json:"file"`
	Resolution string         `json:"resolution"`
	Runs       modelfile.Runs `json:"runs"`
	Plans      int            `json:"plans"`
	MainShare  float64        `json:"main_plan_share"`
	Stages     int            `json:"stages"` // of the main plan, as what follows
	TasksMean  *float64       `json:"tasks_mean"`
	WorkMeanS  *float64       `json:"work_mean_s"`
	Below90    *float64       `json:"below_p90"` // over stages, by attempts held out
	Distance   *float64       `json:"ks"`
	Warnings   []string       `json:"warnings"`
}

// summary sums up a profile. Tasks is unknown when that of a stage is.
func summary(p *modelfile.Profile) fittedJob {
	main := &p.Plans[0]
	j := fittedJob{Job: p.Job, File: modelfile.FileName(p.Job), Resolution: p.Resolution, Runs: p.Runs, Plans: len(p.Plans),
		MainShare: main.ShareOfRuns, Stages: len(main.Stages), WorkMeanS: main.WorkS.MeanS, Warnings: p.Warnings}
	var tasks, held, below, distance float64
	known := true
	for i := range main.Stages {
		s := &main.Stages[i]
		if s.Tasks.Mean == nil {
			known = false
		} else {
			tasks += *s.Tasks.Mean
		}
		if f := &s.Fit; f.Below90 != nil {
			n := float64(f.Held)
			held, below, distance = held+n, below+n**f.Below90, distance+n**f.Distance
		}
	}
	if known {
		j.TasksMean = &tasks
	}
	if held > 0 {
		below, distance = below/held, distance/held
		j.Below90, j.Distance = &below, &distance
	}
	return j
}

// fits prints what was fitted.
func (e *env) fits(profiles []*modelfile.Profile, out string) error {
	jobs := make([]fittedJob, len(profiles))
	for i, p := range profiles {
		jobs[i] = summary(p)
	}
	if e.json {
		return e.printJSON(map[string]any{"models": out, "jobs": jobs})
	}
	number := func(x *float64) string {
		if x == nil {
			return "unknown"
		}
		return style.Number(*x)
	}
	rows := [][]string{{"JOB", "RUNS", "PLANS", "STAGES", "TASKS", "TASK-SECONDS", "BELOW P90", "KS"}}
	for _, j := range jobs {
		rows = append(rows, []string{j.Job, style.Count(int64(j.Runs.Used)), strconv.Itoa(j.Plans), strconv.Itoa(j.Stages),
			number(j.TasksMean), number(j.WorkMeanS), number(j.Below90), number(j.Distance)})
	}
	if err := table(e.stdout, rows); err != nil {
		return err
	}
	for _, j := range jobs {
		for _, w := range j.Warnings {
			e.printf("warning: %s: %s\n", j.Job, w)
		}
	}
	e.printf("below p90: share of task durations of a run that was left out at or below p90 of the others; near 0.9 is right\n")
	return nil
}

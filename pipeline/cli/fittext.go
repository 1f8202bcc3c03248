package cli

import (
	"math"
	"strconv"

	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/models/deadlines/profile"
)

// fittedJob is a row of the output of fit.
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
	AtInput    *atInput       `json:"at_input,omitempty"`
}

// expected is a predicted number of the next run, with its 95% interval; null if past runs do not determine it.
type expected struct {
	Mean result.Number `json:"mean"`
	Low  result.Number `json:"low"`
	High result.Number `json:"high"`
}

// atInput is the prediction for a run of the main plan on a given input.
type atInput struct {
	InputBytes   float64        `json:"input_bytes"`
	Extrapolated bool           `json:"extrapolated"` // no past run had so much, or so little
	WorkS        expected       `json:"work_s"`
	Stages       []stageAtInput `json:"stages"`
}

type stageAtInput struct {
	Name      string   `json:"name"`
	Tasks     expected `json:"tasks"`
	DurationS expected `json:"duration_s"` // mean of its tasks
	ElapsedS  expected `json:"elapsed_s"`
}

// forecast asks the main plan of a profile for an input; nil for NaN.
func forecast(p *modelfile.Profile, bytes float64) *atInput {
	if math.IsNaN(bytes) {
		return nil
	}
	const level = 0.95
	main := p.Main()
	of := func(f profile.Forecast) expected {
		return expected{result.Number(f.Mean), result.Number(f.Low), result.Number(f.High)}
	}
	a := &atInput{InputBytes: bytes, WorkS: of(profile.ForecastOf(main.WorkByInput, bytes, level, 0))}
	if l := main.WorkByInput; l != nil {
		a.Extrapolated = bytes < l.XMin || bytes > l.XMax
	}
	for i, f := range profile.At(main, bytes, level) {
		a.Stages = append(a.Stages, stageAtInput{Name: main.Stages[i].Name, Tasks: of(f.Tasks),
			DurationS: of(f.DurationS), ElapsedS: of(f.ElapsedS)})
	}
	return a
}

// summary sums up a profile. Tasks is unknown if the number of any stage is.
func summary(p *modelfile.Profile) fittedJob {
	main := p.Main()
	j := fittedJob{Job: p.Job, File: modelfile.FileName(p.Job), Resolution: p.Resolution, Runs: p.Runs,
		Plans:     len(p.Plans),
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

// fits prints fitted jobs.
func (e *env) fits(jobs []fittedJob, out string) error {
	number := func(x *float64) string {
		if x == nil {
			return "unknown"
		}
		return words.Number(*x)
	}
	head := []string{"JOB", "RUNS", "ENDED", "PLANS", "STAGES", "TASKS", "TASK-SECONDS", "BELOW P90", "KS"}
	e.rows(head, lists.Map(jobs, func(j fittedJob) []string {
		return []string{j.Job, words.Count(j.Runs.Used), ended(j.Runs.OldestS, j.Runs.NewestS),
			strconv.Itoa(j.Plans), strconv.Itoa(j.Stages),
			number(j.TasksMean), number(j.WorkMeanS), number(j.Below90), number(j.Distance)}
	}))
	for _, j := range jobs {
		if j.AtInput != nil {
			e.atInput(&j)
		}
		for _, w := range j.Warnings {
			e.printf("warning: %s: %s\n", j.Job, w)
		}
	}
	e.printf("below p90: share of task durations of a run that was left out at or below p90 of the others; near 0.9 " +
		"is right\n")
	return e.printJSON(fittedJobs{out, jobs})
}

// ended says when runs ended, given the first and the last end: as dates, or as seconds of a trace that starts at 0.
func ended(oldestS, newestS *float64) string {
	const year = 365 * 86400
	switch {
	case oldestS == nil || newestS == nil:
		return "unknown"
	case *oldestS < year: // relative times: no trace is from before 1971
		return words.Seconds(*oldestS) + " to " + words.Seconds(*newestS)
	}
	return words.Span(*oldestS, *newestS)
}

// atInput prints the expected times of a run on an input.
func (e *env) atInput(j *fittedJob) {
	write := func(x expected, of func(float64) string) string {
		if math.IsNaN(float64(x.Mean)) {
			return "unknown"
		}
		return of(float64(x.Mean)) + " [" + words.Range(float64(x.Low), float64(x.High), of) + "]"
	}
	e.printf("\n%s with an input of %s: %s task-seconds\n", j.Job, words.Bytes(j.AtInput.InputBytes),
		write(j.AtInput.WorkS, words.Number))
	if j.AtInput.Extrapolated {
		e.printf("warning: no past run had such an input: lines are extrapolated\n")
	}
	head := []string{"  STAGE", "TASKS", "MEAN TASK", "STAGE TAKES"}
	e.rows(head, lists.Map(j.AtInput.Stages, func(s stageAtInput) []string {
		return []string{"  " + words.Shorten(s.Name, 50), write(s.Tasks, words.Number),
			write(s.DurationS, words.Seconds), write(s.ElapsedS, words.Seconds)}
	}))
}

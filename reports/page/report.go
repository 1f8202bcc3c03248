package page

import (
	"fmt"
	"maps"
	"slices"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// report is the content of a report on a bundle, independent of its output form.
type report struct {
	title      string
	subtitle   string
	provenance *result.Provenance
	recurrence *result.Recurrence // nil when not among the documents or not available
	sections   []*section
	quality    *section
	faults     []result.Fault
	findings   []Finding
	summaries  map[string]summary
	labels     map[string]string // id of a figure or table -> "Figure 1", "Table 2"
}

// summary is a [result.Summary] with the intervals of its percentiles.
type summary struct {
	result.Summary
	Intervals map[string][2]result.Number
}

// numbered is a figure and the files that hold it.
type numbered struct {
	figure *figure.Figure
	files  files
}

type files struct{ SVG, PNG string }

func newReport(b *result.Bundle, o Options) *report {
	r := &report{provenance: b.Provenance, summaries: map[string]summary{}, labels: map[string]string{}}
	if r.provenance == nil {
		r.provenance = &result.Provenance{}
	}
	p := r.provenance
	if len(b.Faults) > 0 {
		r.faults = b.Faults
		r.sections = append(r.sections, faultSection(b.Faults))
	}
	source := figure.Source{Store: p.Store, Format: p.Format, Synthetic: p.Synthetic}
	order := []string{"waste", "recurrence", "changes", "explain", "forecast", "plan", "dependency", "allocation",
		"dag", "leftover", "workload", "timeline", "whatif", "backtest", "remaining", "jockey", "eagle", "eagle-traces",
		"carbyne"}
	for _, analysis := range order {
		switch d := b.Documents[analysis].(type) {
		case *result.Recurrence:
			r.sections = append(r.sections, recurrenceSection(d, changesOf(b), timeBase(b), source))
			if d.Available {
				r.recurrence = d
				r.summarise("recurrence", d.Intervals, map[string]result.Summary{"cov": d.CoV,
					"cov_similar_input": d.CoVSimilarInput, "cov_within": d.CoVWithin})
			}
		case *result.Waste:
			r.sections = append(r.sections, wasteSection(d, source))
		case *result.Comparison:
			told, _ := b.Documents["recurrence"].(*result.Recurrence)
			r.sections = append(r.sections,
				changesSection(d, changesOf(b), timeBase(b), told != nil && told.Available, source))
		case *result.Explanation:
			r.sections = append(r.sections, explainSection(d, source))
		case *result.Forecast:
			r.sections = append(r.sections, forecastSection(d, source))
		case *result.Agenda:
			r.sections = append(r.sections, planSection(d, source))
		case *result.Allocation:
			r.sections = append(r.sections, allocationSection(d, b.Tables["allocation"], source))
			if d.Available {
				r.summarise("allocation", d.Intervals,
					map[string]result.Summary{"ratio": d.Ratio, "sustained_ratio": d.SustainedRatio,
						"max_parallelism": d.MaxParallelism, "unused_guarantee": d.Unused, "beyond_guarantee": d.Beyond,
						"spare_share_by_run": d.SpareShareByRun})
			}
		case *result.Dependency:
			r.sections = append(r.sections, dependencySection(d, b.Tables["dependency"], source))
			if d.Available {
				r.summarise("dependency", d.Intervals,
					map[string]result.Summary{"gap_min": d.GapMin, "chain_length": d.ChainLength,
						"indirect_dependents": d.IndirectDependents, "dependent_groups": d.DependentGroups})
			}
		case *result.DAG:
			r.sections = append(r.sections, dagSection(d, b.Tables["dag"], source))
			if d.Available {
				r.summarise("dag", d.Intervals, map[string]result.Summary{"stages": d.Stages, "barriers": d.Barriers,
					"synchronisations": d.Synchronisations, "critical_path_stages": d.CriticalPathStages,
					"critical_path_s": d.CriticalPathS, "critical_path_mean_s": d.CriticalPathMeanS,
					"level_stages_mean": d.LevelStagesMean, "level_stages_max": d.LevelStagesMax,
					"level_tasks_mean": d.LevelTasksMean, "level_tasks_max": d.LevelTasksMax,
					"plans_per_job": d.Plans.PerJob, "critical_path_driver_s": d.CriticalPathDriverS,
					"disjoint_paths": d.DisjointPaths, "width": d.Width, "input_work": d.InputWork})
			}
		case *result.Leftover:
			r.sections = append(r.sections, leftoverSection(d, b.Tables["leftover"], p.Units, source))
			for name, of := range d.Resources {
				if of != nil && of.Available {
					r.summarise("leftover", result.Intervals{}, map[string]result.Summary{
						name + ".time_weighted": of.TimeWeighted, name + ".event_weighted": of.EventWeighted})
				}
			}
		case *result.Workload:
			r.sections = append(r.sections, workloadSection(d, source))
			if d.Available {
				r.summarise("workload", d.Intervals, map[string]result.Summary{"interarrival_s": d.Arrivals.Gap,
					"completion_s": d.Durations.Completion, "wait_s": d.Durations.Wait,
					"tasks_per_job": d.TasksPerJob.Tasks, "task_duration_s": d.TaskDurations.Duration})
			}
		case *result.Backtest:
			r.sections = append(r.sections, backtestSection(d, b.Tables["backtest"], source))
		case *result.Timeline:
			r.sections = append(r.sections, timelineSection(d, b.Tables["timeline"], source))
		case *result.Remaining:
			r.sections = append(r.sections, remainingSection(d, source))
		case *result.WhatIf:
			r.sections = append(r.sections, whatIfSection(d, source))
		case *result.Carbyne:
			source := source
			source.Synthetic = source.Synthetic || d.Synthetic
			r.sections = append(r.sections, carbyneSection(d, b.Tables["carbyne"], source))
			for _, name := range d.Order {
				if of := d.Schedulers[name]; of != nil {
					r.summarise("carbyne", result.Intervals{},
						map[string]result.Summary{name + ".jct_s": of.JCT, name + ".jain": of.Jain})
				}
			}
		case *result.Eagle:
			r.sections = append(r.sections, eagleSection(d, source))
			for _, name := range d.Names() {
				of := d.Schedulers[name]
				r.summarise("eagle", result.Intervals{},
					map[string]result.Summary{name + ".short": of.Short, name + ".long": of.Long})
			}
		case *result.EagleTraces:
			r.sections = append(r.sections, eagleTracesSection(d, source))
		case *result.Jockey:
			r.sections = append(r.sections, jockeySection(d, source))
			for _, name := range d.Names() {
				of := d.Policies[name]
				r.summarise("jockey", result.Intervals{}, map[string]result.Summary{name + ".lateness_s": of.LatenessS,
					name + ".allocation_above_oracle": of.AllocationAboveOracle,
					name + ".ratio_to_oracle":         of.RatioToOracle, name + ".jct_over_deadline": of.JCTOverDeadline})
			}
		}
	}
	for _, analysis := range slices.Sorted(maps.Keys(b.Documents)) {
		d := b.Documents[analysis]
		if _, whole := b.Documents["recurrence"]; d == nil || slices.Contains(order, analysis) ||
			analysis == "health" || analysis == "cov" && whole {
			continue // the quality of the trace is last, and recurrence has what cov has
		}
		r.sections = append(r.sections, anySection(d))
	}
	health, _ := b.Documents["health"].(*result.Health)
	r.quality = qualitySection(p, health, source)
	r.number()
	for _, s := range append(r.sections, r.quality) {
		r.findings = append(r.findings, s.Findings...)
	}
	rank(r.findings)
	r.title = words.Shorten(o.Title, 200)
	if o.Title == "" {
		r.title = "How the jobs of " + name(p.Store) + " behave"
		if simulated(p) {
			r.title = "What policies do for the jobs of " + name(p.Store)
		}
	}
	r.subtitle = subtitle(p, r.recurrence)
	return r
}

// number gives figures and tables their labels, in the order of the page.
func (r *report) number() {
	f, t := 0, 0
	for _, s := range append(r.sections, r.quality) {
		for _, fig := range s.Figures {
			f++
			r.labels["fig-"+fig.Name] = fmt.Sprintf("Figure %d", f)
		}
		for i := range s.Tables {
			t++
			r.labels[s.Tables[i].ID] = fmt.Sprintf("Table %d", t)
		}
	}
}

// figures returns the figures in the order of the page.
func (r *report) figures() []numbered {
	var out []numbered
	for _, s := range append(r.sections, r.quality) {
		for _, f := range s.Figures {
			out = append(out, numbered{f, files{"figures/" + f.Name + ".svg", "figures/" + f.Name + ".png"}})
		}
	}
	return out
}

func (r *report) summarise(analysis string, all result.Intervals, of map[string]result.Summary) {
	for key, s := range of {
		out := summary{Summary: s, Intervals: map[string][2]result.Number{}}
		for percentile, i := range all.Of[key] {
			if known(i[0]) && known(i[1]) {
				out.Intervals[percentile] = [2]result.Number{result.Number(i[0]), result.Number(i[1])}
			}
		}
		r.summaries[analysis+"."+key] = out
	}
}

// simulated reports whether the results are of simulated jobs only, without a trace.
func simulated(p *result.Provenance) bool { return p.Format == "" && len(p.Rows) == 0 && p.Note != "" }

// subtitle describes the trace of the report in one sentence.
func subtitle(p *result.Provenance, r *result.Recurrence) string {
	runs := p.Rows["jobs"]
	if runs == 0 && r != nil {
		runs = int64(r.Runs)
	}
	if simulated(p) {
		return words.Printable(p.Note)
	}
	text := words.Of(runs, "run", "runs")
	if r != nil && r.Recurring > 0 {
		text += " (" + words.Of(r.Recurring, "recurring job", "recurring jobs") + ")"
	}
	if n := p.Rows["tasks"]; n > 0 {
		text += " and " + words.Of(n, "task attempt", "task attempts")
	}
	text += " from " + formatName(p.Format)
	from, to := float64(p.From), float64(p.To)
	switch {
	case !known(from) || !known(to) || to < from:
	case p.TimeBase == "unix":
		text += fmt.Sprintf(", %s (%s)", words.Span(from, to), words.Seconds(to-from))
	default:
		text += ", over " + words.Seconds(to-from)
	}
	return text + "."
}

// formatName returns the name of a format for people.
func formatName(format string) string {
	names := map[string]string{"spark": "Spark event logs", "jsonl": "racecard JSON Lines",
		"tr": "a task-duration trace (.tr)", "swim": "a SWIM trace"}
	if n, ok := names[format]; ok {
		return n
	}
	if format == "" {
		return "a trace of unknown format"
	}
	return "a trace in " + words.Shorten(format, 40) + " format"
}

// timeBase returns the time base of the trace, "" where it is not known.
func timeBase(b *result.Bundle) string {
	if b.Provenance == nil {
		return ""
	}
	return b.Provenance.TimeBase
}

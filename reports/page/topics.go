package page

import (
	"racecard/datasets/result"
	"racecard/reports/figure"
)

// topics are the analyses with a section of their own, in the order of the page.
func topics() []string {
	return []string{"waste", "recurrence", "changes", "explain", "forecast", "plan", "dependency", "allocation", "dag",
		"leftover", "workload", "timeline", "whatif", "backtest", "remaining", "jockey", "eagle", "eagle-traces", "carbyne"}
}

// topic returns the section of a document of a bundle; nil for one without a section of its own.
func (r *report) topic(b *result.Bundle, d result.Document, source figure.Source) *section {
	switch d := d.(type) {
	case *result.Recurrence:
		return recurrenceSection(d, changesOf(b), timeBase(b), source)
	case *result.Waste:
		return wasteSection(d, source)
	case *result.Comparison:
		told, _ := b.Documents["recurrence"].(*result.Recurrence)
		return changesSection(d, changesOf(b), timeBase(b), told != nil && told.Available, source)
	case *result.Explanation:
		return explainSection(d, source)
	case *result.Forecast:
		return forecastSection(d, source)
	case *result.Agenda:
		return planSection(d, source)
	case *result.Allocation:
		return allocationSection(d, b.Tables["allocation"], source)
	case *result.Dependency:
		return dependencySection(d, b.Tables["dependency"], source)
	case *result.DAG:
		return dagSection(d, b.Tables["dag"], source)
	case *result.Leftover:
		return leftoverSection(d, b.Tables["leftover"], r.provenance.Units, source)
	case *result.Workload:
		return workloadSection(d, source)
	case *result.Backtest:
		return backtestSection(d, b.Tables["backtest"], source)
	case *result.Timeline:
		return timelineSection(d, b.Tables["timeline"], source)
	case *result.Remaining:
		return remainingSection(d, source)
	case *result.WhatIf:
		return whatIfSection(d, source)
	case *result.Carbyne:
		source.Synthetic = source.Synthetic || d.Synthetic
		return carbyneSection(d, b.Tables["carbyne"], source)
	case *result.Eagle:
		return eagleSection(d, source)
	case *result.EagleTraces:
		return eagleTracesSection(d, source)
	case *result.Jockey:
		return jockeySection(d, source)
	}
	return nil
}

// summariesOf returns the summaries of a document by their names in report.json, and their intervals.
func summariesOf(d result.Document) (all result.Intervals, of map[string]result.Summary) {
	switch d := d.(type) {
	case *result.Recurrence:
		return d.Intervals, map[string]result.Summary{"cov": d.CoV, "cov_similar_input": d.CoVSimilarInput,
			"cov_within": d.CoVWithin}
	case *result.Allocation:
		return d.Intervals, map[string]result.Summary{"ratio": d.Ratio, "sustained_ratio": d.SustainedRatio,
			"max_parallelism": d.MaxParallelism, "unused_guarantee": d.Unused, "beyond_guarantee": d.Beyond,
			"spare_share_by_run": d.SpareShareByRun}
	case *result.Dependency:
		return d.Intervals, map[string]result.Summary{"gap_min": d.GapMin, "chain_length": d.ChainLength,
			"indirect_dependents": d.IndirectDependents, "dependent_groups": d.DependentGroups}
	case *result.DAG:
		return d.Intervals, map[string]result.Summary{"stages": d.Stages, "barriers": d.Barriers,
			"synchronisations": d.Synchronisations, "critical_path_stages": d.CriticalPathStages,
			"critical_path_s": d.CriticalPathS, "critical_path_mean_s": d.CriticalPathMeanS,
			"level_stages_mean": d.LevelStagesMean, "level_stages_max": d.LevelStagesMax,
			"level_tasks_mean": d.LevelTasksMean, "level_tasks_max": d.LevelTasksMax,
			"plans_per_job": d.Plans.PerJob, "critical_path_driver_s": d.CriticalPathDriverS,
			"disjoint_paths": d.DisjointPaths, "width": d.Width, "input_work": d.InputWork}
	case *result.Workload:
		return d.Intervals, map[string]result.Summary{"interarrival_s": d.Arrivals.Gap,
			"completion_s": d.Durations.Completion, "wait_s": d.Durations.Wait, "tasks_per_job": d.TasksPerJob.Tasks,
			"task_duration_s": d.TaskDurations.Duration}
	}
	return all, partSummaries(d)
}

// partSummaries returns the summaries of every resource, scheduler or policy of a document.
func partSummaries(d result.Document) map[string]result.Summary {
	of := map[string]result.Summary{}
	switch d := d.(type) {
	case *result.Leftover:
		for name, r := range d.Resources {
			if r != nil && r.Available {
				of[name+".time_weighted"], of[name+".event_weighted"] = r.TimeWeighted, r.EventWeighted
			}
		}
	case *result.Carbyne:
		for _, name := range d.Order {
			if s := d.Schedulers[name]; s != nil {
				of[name+".jct_s"], of[name+".jain"] = s.JCT, s.Jain
			}
		}
	case *result.Eagle:
		for _, name := range d.Names() {
			of[name+".short"], of[name+".long"] = d.Schedulers[name].Short, d.Schedulers[name].Long
		}
	case *result.Jockey:
		for _, name := range d.Names() {
			p := d.Policies[name]
			of[name+".lateness_s"], of[name+".allocation_above_oracle"] = p.LatenessS, p.AllocationAboveOracle
			of[name+".ratio_to_oracle"], of[name+".jct_over_deadline"] = p.RatioToOracle, p.JCTOverDeadline
		}
	}
	return of
}

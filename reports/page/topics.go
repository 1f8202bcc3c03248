package page

import (
	"racecard/datasets/result"
	"racecard/reports/figure"
)

// topic is an analysis that has a section.
type topic struct {
	analysis  string
	id, title string // of the section
}

// topics are in the order of the page.
func topics() []topic {
	return []topic{
		{"waste", "waste", "Where core-hours went"},
		{"recurrence", "variation", "How much recurring jobs vary"},
		{"changes", "changes", "What changed between two periods"},
		{"explain", "explain", "Why one run took as long as it did"},
		{"forecast", "forecast", "When a job will end on other cores"},
		{"plan", "plan", "Whether jobs meet their clock times together"},
		{"dependency", "dependency", "How jobs depend on each other"},
		{"allocation", "guarantees", "Guarantees and use"},
		{"dag", "shape", "How the stage graphs are shaped"},
		{"leftover", "leftover", "Slack of jobs"},
		{"workload", "workload", "The load: arrivals, durations, concurrency, failures"},
		{"timeline", "run", "One run, task by task"},
		{"whatif", "whatif", "What if this run had held other tokens"},
		{"backtest", "backtest", "Forecast accuracy"},
		{"remaining", "remaining", "How long runs still take: C(p,a)"},
		{"jockey", "jockey", "Tokens for deadlines"},
		{"eagle", "eagle", "Schedulers of workers with queues"},
		{"eagle-traces", "eagle-traces", "Schedulers of workers with queues, by cluster size and trace"},
		{"carbyne", "carbyne", "Schedulers that share machines"},
	}
}

// about fills the section of a document of a bundle.
func (r *report) about(b *result.Bundle, d result.Document, s *section, source figure.Source) {
	switch d := d.(type) {
	case *result.Recurrence:
		s.aboutRecurrence(d, changesOf(b), calendarOf(b), source)
	case *result.Waste:
		s.aboutWaste(d, source)
	case *result.Comparison:
		told, _ := b.Documents["recurrence"].(*result.Recurrence)
		s.aboutChanges(d, changesOf(b), calendarOf(b), told != nil && told.Available, source)
	case *result.Explanation:
		s.aboutExplanation(d, source)
	case *result.Forecast:
		s.aboutForecast(d, source)
	case *result.Agenda:
		s.aboutPlan(d, source)
	case *result.Allocation:
		s.aboutAllocation(d, b.Tables["allocation"], source)
	case *result.Dependency:
		s.aboutDependency(d, b.Tables["dependency"], source)
	case *result.DAG:
		s.aboutDAG(d, b.Tables["dag"], source)
	case *result.Leftover:
		s.aboutLeftover(d, b.Tables["leftover"], r.provenance.Units, source)
	case *result.Workload:
		s.aboutWorkload(d, source)
	case *result.Backtest:
		s.aboutBacktest(d, b.Tables["backtest"], source)
	case *result.Timeline:
		s.aboutTimeline(d, b.Tables["timeline"], source)
	case *result.Remaining:
		s.aboutRemaining(d, source)
	case *result.WhatIf:
		s.aboutWhatIf(d, source)
	case *result.Carbyne:
		source.Synthetic = source.Synthetic || d.Synthetic
		s.aboutCarbyne(d, b.Tables["carbyne"], source)
	case *result.Eagle:
		s.aboutEagle(d, source)
	case *result.EagleTraces:
		s.aboutEagleTraces(d, source)
	case *result.Jockey:
		s.aboutJockey(d, source)
	}
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

package page

import (
	"math"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/reports/figure"
	"racecard/reports/internal/figuretest"
)

// sentence returns the text and detail of a finding of a bundle of one document; "" when there is none.
func sentence(id string, doc result.Document) (text, detail string) {
	b := &result.Bundle{Documents: map[string]result.Document{doc.Analysis(): doc}}
	for _, f := range Findings(b) {
		if f.ID == id {
			return f.Text, f.Detail
		}
	}
	return "", ""
}

func flat(n int, x float64) result.Summary {
	return result.Summary{N: n, Mean: x, Min: x, P10: x, P25: x, P50: x, P75: x, P90: x, P95: x, P99: x, Max: x}
}

func TestRecurrenceSentences(t *testing.T) {
	available := result.Header{Available: true}
	intervals := result.Intervals{Level: 0.95, Of: map[string]map[string]result.Interval{"cov": {"p50": {0.21, 0.35}}}}
	for _, tc := range []struct {
		name, id     string
		doc          result.Recurrence
		text, detail string // detail: a part of it
	}{
		{"several jobs", "variation", result.Recurrence{CoV: flat(4, 0.28), Intervals: intervals, ShareOfRuns: 0.96},
			"The median recurring job varies by 28% from run to run.",
			"95% interval 21–35%; n = 4 recurring jobs, too few to generalise from. They make up 96% of the runs " +
				"that succeeded."},
		{"many jobs", "variation", result.Recurrence{CoV: flat(1200, 0.28), ShareOfRuns: result.Number(math.NaN())},
			"The median recurring job varies by 28% from run to run.", "n = 1,200 recurring jobs. Published"},
		{"one job", "variation", result.Recurrence{CoV: flat(1, 0.055)}, "The one recurring job varies by 5.5% from " +
			"run to run.", "n = 1 recurring job, too few"},
		{"no job", "variation", result.Recurrence{MinRuns: 10, Runs: 12, Succeeded: 9},
			"No job recurs often enough to say how much it varies.", "at least 10 runs of it succeeded; the trace " +
				"holds 12 runs, of which 9 succeeded."},
		{"input explains little", "similar-input", result.Recurrence{CoV: flat(12, 0.28),
			CoVSimilarInput: flat(30, 0.25)},
			"Runs of one job with inputs within 10% of each other vary by 25%, all runs of a job by 28%.",
			"at least three such runs; n = 30 groups."},
		{"input explains a part", "similar-input", result.Recurrence{CoV: flat(12, 0.28),
			CoVSimilarInput: flat(3, 0.14)},
			"Runs of one job with inputs within 10% of each other vary by 14%, all runs of a job by 28%.",
			"n = 3 groups, too few to generalise from."},
		{"input explains most", "similar-input", result.Recurrence{CoV: flat(12, 0.28),
			CoVSimilarInput: flat(30, 0.02)},
			"Runs of one job with inputs within 10% of each other vary by 2%, all runs of a job by 28%.", ""},
		{"nothing varies", "similar-input", result.Recurrence{CoV: flat(12, 0), CoVSimilarInput: flat(30, 0)},
			"Runs of one job with inputs within 10% of each other vary by 0%, all runs of a job by 0%.", ""},
		{"no similar input", "similar-input", result.Recurrence{CoV: flat(12, 0.28)}, "How much runs with similar " +
			"input vary is not known.", ""},
		{"no outcomes", "variation", result.Recurrence{CoV: flat(12, 0.28), Runs: 200, Unstated: 190, ShareOfRuns: 0.95},
			"The median recurring job varies by 28% from run to run.", "They make up 95% of the runs that ended."},
		{"some outcomes", "variation", result.Recurrence{MinRuns: 10, Runs: 12, Succeeded: 4, Unstated: 5},
			"No job recurs often enough to say how much it varies.", "at least 10 runs of it succeeded, or ended without a " +
				"stated outcome; the trace holds 12 runs, of which 9 succeeded, or ended without a stated outcome."},
		{"failures", "outcomes", result.Recurrence{Runs: 76, Succeeded: 73, ByStatus: map[string]int{"succeeded": 73,
			"failed": 3}}, "3 of 76 runs failed.", ""},
		{"one kill", "outcomes", result.Recurrence{Runs: 76, Succeeded: 75, ByStatus: map[string]int{"succeeded": 75,
			"killed": 1}}, "1 of 76 runs was killed.", ""},
		{"several ends", "outcomes", result.Recurrence{Runs: 76, Succeeded: 70,
			ByStatus: map[string]int{"succeeded": 70, "failed": 3, "killed": 2, "unknown": 1}},
			"5 of 76 runs did not succeed: 3 failed and 2 killed.", "How 1 run ended is not known."},
		{"all well", "outcomes", result.Recurrence{Runs: 76, Succeeded: 76, ByStatus: map[string]int{"succeeded": 76}},
			"Every run succeeded: 76 of 76.", ""},
		{"no ends", "outcomes", result.Recurrence{Runs: 9, ByStatus: map[string]int{"unknown": 9}},
			"The trace does not say how its runs ended.", ""},
		{"the one run, well", "outcomes", result.Recurrence{Runs: 1, Succeeded: 1,
			ByStatus: map[string]int{"succeeded": 1}}, "The one run succeeded.", ""},
		{"the one run, lost", "outcomes", result.Recurrence{Runs: 1, ByStatus: map[string]int{"lost": 1}},
			"The one run was lost.", ""},
		{"no run", "outcomes", result.Recurrence{}, "", ""},
	} {
		tc.doc.Header = available
		text, detail := sentence(tc.id, &tc.doc)
		if text != tc.text || !strings.Contains(detail, tc.detail) {
			t.Errorf("%s: %q with %q, want %q with %q", tc.name, text, detail, tc.text, tc.detail)
		}
	}
}

func TestVarianceSentences(t *testing.T) {
	nan := result.Number(math.NaN())
	cause := func(name string, jobs int, mean result.Number) result.Cause {
		return result.Cause{Cause: name, Jobs: jobs, Mean: mean}
	}
	job := func(name string, drifting bool, impact result.Number) result.RecurringJob {
		return result.RecurringJob{Name: name, Runs: 20, CoV: 0.3, P50S: 60, MaxS: 90, Impact: impact, Cost: 7200,
			Causes: result.Shares{Rest: 0.3, Of: map[string]result.Number{"input": 0.7}},
			Drift:  result.Drift{Drifting: drifting, TrendP: 0.5, CoVWithin: 0.2}}
	}
	changed := func(name string, from, to result.Number, causes result.Shares) result.RecurringJob {
		j := job(name, true, 1)
		j.Causes, j.Drift.Changes = causes, []result.Change{{AtS: 3600, JobID: "r7", Before: from, After: to}}
		j.Drift.TrendFromS, j.Drift.TrendToS = nan, nan
		return j
	}
	trending := func(name string, from, to result.Number) result.RecurringJob {
		j := job(name, true, 1)
		j.Drift.TrendFromS, j.Drift.TrendToS = from, to
		return j
	}
	steadyJob := func(name string, cov float64) result.RecurringJob {
		j := job(name, false, 1)
		j.CoV = cov
		return j
	}
	for _, tc := range []struct {
		name, id     string
		doc          result.Recurrence
		text, detail string
	}{
		{"causes", "causes", result.Recurrence{Causes: []result.Cause{cause("input", 30, 0.2),
			cause("queueing", 30, 0.5), cause("spare", 0, 0), cause("hour", 30, 0.001), cause("rest", 30, 0.299)}},
			"On average over the jobs, queueing explains 50% of the variance of completion times; 30% stays " +
				"unexplained.",
			"Shares: queueing 50% and input size 20%. By regression of the logarithm of the completion time; n = 30 " +
				"recurring jobs."},
		{"one job", "causes", result.Recurrence{Causes: []result.Cause{cause("input", 1, 0.9), cause("rest", 1, 0.1)}},
			"In the one job that has enough runs, input size explains 90% of the variance of completion times; 10% " +
				"stays unexplained.", "n = 1 recurring job"},
		{"no cause", "causes", result.Recurrence{Causes: []result.Cause{cause("input", 30, 0), cause("rest", 30, 1)}},
			"On average over the jobs, no cause that the trace records explains why completion times vary.", ""},
		{"not divided", "causes", result.Recurrence{Causes: []result.Cause{cause("input", 0, nan),
			cause("rest", 0, nan)}}, "", ""},
		{"drift", "drift", result.Recurrence{Drifting: 1, CoV: flat(2, 0.3), CoVWithin: flat(2, 0.2),
			Jobs: []result.RecurringJob{job("a", true, 1), job("b", false, 2)}},
			"1 of 2 recurring jobs changed for good.", "n = 2 recurring jobs"},
		{"a change without a cause", "drift", result.Recurrence{Drifting: 2, CoV: flat(2, 0.3), CoVWithin: flat(2, 0.2),
			Jobs: []result.RecurringJob{
				changed("a", 100, 90, result.Shares{Rest: 0.1, Of: map[string]result.Number{"input": 0.9, "drift": 0}}),
				changed("b", 100, 220, result.Shares{Rest: 0.1, Of: map[string]result.Number{"input": 0.1,
					"drift": 0.8}})}},
			"b became slower, from 1 min 40 s to 3 min 40 s, with run r7 (1 h after the start of the trace); no " +
				"recorded cause explains it.",
			"2 of 2 recurring jobs changed for good. a became faster, from 1 min 40 s to 1 min 30 s, with run r7 (1 " +
				"h after the start of the trace); input size explains 90% of its variance."},
		{"a trend", "drift", result.Recurrence{Drifting: 1, CoV: flat(2, 0.3), CoVWithin: flat(2, 0.2),
			Jobs: []result.RecurringJob{trending("a", 100, 160), job("b", false, 1)}},
			"a became slower, by trend from 1 min 40 s to 2 min 40 s; input size explains 70% of its variance.",
			"1 of 2 recurring jobs changed for good."},
		{"all steady", "most-variable", result.Recurrence{Jobs: []result.RecurringJob{steadyJob("a", 0.049),
			steadyJob("b", 0.03)}}, "", ""},
		{"all alike", "most-variable", result.Recurrence{Jobs: []result.RecurringJob{steadyJob("a", 0.3),
			steadyJob("b", 0.3001)}}, "", ""},
		{"all steady, impact", "impact", result.Recurrence{Jobs: []result.RecurringJob{steadyJob("a", 0.049),
			steadyJob("b", 0.03)}}, "", ""},
		{"no drift", "drift", result.Recurrence{Jobs: []result.RecurringJob{job("a", false, 1), job("b", false, 2)}},
			"None of the 2 recurring jobs became slower or faster for good.", ""},
		{"too few runs for drift", "drift",
			result.Recurrence{Jobs: []result.RecurringJob{{Drift: result.Drift{TrendP: nan}}}}, "", ""},
		{"stragglers", "straggler-share", result.Recurrence{Jobs: []result.RecurringJob{job("a", false, 1)},
			Stragglers: result.Stragglers{Attempts: 1000, Stragglers: 80, Share: 0.08, ExcessShare: 0.12,
				WorstRun: "r7"}},
			"8% of the task attempts lasted more than 1.5 times the median of their stage; the excess is 12% of all " +
				"task time.", "Most of it in run r7."},
		{"no stragglers", "straggler-share", result.Recurrence{Unstated: 9, Stragglers: result.Stragglers{Attempts: 400}},
			"No task attempt lasted more than 1.5 times the median of its stage.", "In the runs of recurring jobs that ended; " +
				"n = 400 attempts."},
		{"no attempts", "straggler-share", result.Recurrence{Stragglers: result.Stragglers{Share: nan,
			ExcessShare: nan}}, "", ""},
		{"a job that drifts is not the most variable", "most-variable",
			result.Recurrence{Jobs: []result.RecurringJob{job("a", true, 1), job("b", false, 2)}},
			"b varies most from run to run, by 30%: its median run took 1 min, the slowest 1 min 30 s.", ""},
		{"impact", "impact", result.Recurrence{CostBasis: "task_seconds",
			Jobs: []result.RecurringJob{job("a", false, 1), job("b", false, 2)}},
			"Stabilising b would help most: it varies by 30% and its runs took 2 h of task time.",
			"The largest part of its variance, 70%, is put down to input size; n = 20 runs that succeeded."},
	} {
		tc.doc.Header = result.Header{Available: true}
		text, detail := sentence(tc.id, &tc.doc)
		if text != tc.text || !strings.Contains(detail, tc.detail) {
			t.Errorf("%s: %q with %q, want %q with %q", tc.name, text, detail, tc.text, tc.detail)
		}
	}
}

func TestGraphSentences(t *testing.T) {
	available := result.Header{Available: true}
	graph := &result.StageGraph{JobID: "r7", Name: "nightly-index", Stages: make([]result.GraphStage, 4),
		Edges: []result.GraphEdge{
			{Parent: 0, Child: 2, Kind: "all_to_all"}, {Parent: 1, Child: 2, Kind: "all_to_all"},
			{Parent: 0, Child: 3, Kind: "one_to_one"},
			{Parent: 2, Child: 3, Kind: "driver"}, // not a parent: 3 is no barrier
		}}
	for _, tc := range []struct {
		name, id     string
		doc          result.DAG
		text, detail string
	}{
		{"largest", "largest-graph", result.DAG{Largest: graph}, "The largest graph, of nightly-index, has 4 stages, " +
			"1 of which is a barrier.",
			"2 edges exchange data between all tasks; the driver alone orders 1 pair of stages more."},
		{"median", "median-shape", result.DAG{Stages: flat(76, 12), Barriers: flat(76, 1), CriticalPathStages: flat(76,
			4.5)},
			"At the median a run has 12 stages, 1 barrier and a critical path of 4.5 stages.",
			"95% have at most 12 stages; n = 76 runs with stages."},
		{"median of few", "median-shape", result.DAG{Stages: flat(2, 3), Barriers: flat(2, 0),
			CriticalPathStages: flat(2, 1)},
			"At the median a run has 3 stages, 0 barriers and a critical path of 1 stage.",
			"each on its own; n = 2 runs with stages, too few"},
		{"no graph", "no-graph", result.DAG{Stages: flat(500, 1), Largest: graph}, "Every run is a single stage, as " +
			"far as the trace says.", "n = 500 runs."},
		{"no graph, no largest", "largest-graph", result.DAG{Stages: flat(500, 1), Largest: graph}, "", ""},
		{"no name", "largest-graph",
			result.DAG{Largest: &result.StageGraph{JobID: "9", Stages: make([]result.GraphStage, 2)}},
			"The largest graph, of run 9, has 2 stages and no barrier.", ""},
		{"critical path", "critical-path", result.DAG{CriticalPathS: flat(76, 200), CriticalPathDriverS: flat(76, 250)},
			"With any number of machines the median run would take at least 3 min 20 s.",
			"With the order that the driver imposes it is 4 min 10 s, 25% more."},
		{"unknown times", "critical-path", result.DAG{}, "", ""},
		{"stage times", "critical-path", result.DAG{CriticalPathS: flat(76, 200), PathsByStageTimes: 70},
			"The critical path of the median run lasted 3 min 20 s.", "In 70 of these runs it holds a stage of which " +
				"the trace has no task times"},
		{"sooner than the path", "critical-path", result.DAG{CriticalPathS: flat(76, 200), PathsAboveCompletion: 38},
			"The critical path of the median run lasted 3 min 20 s.", "38 runs took less time than the path"},
		{"the one run, by stage times", "critical-path", result.DAG{CriticalPathS: flat(1, 200), PathsByStageTimes: 1},
			"The critical path of the one run lasted 3 min 20 s.", ""},
		{"mean tasks", "critical-path", result.DAG{CriticalPathS: flat(76, 200), CriticalPathMeanS: flat(76, 100)},
			"With any number of machines the median run would take at least 3 min 20 s.",
			"If every task took the mean of its stage it would be 1 min 40 s."},
		{"plans", "plans", result.DAG{Jobs: 50, Plans: result.Plans{Distinct: 7, Common: []result.Plan{{Runs: 20}},
			Shapes: []result.ShapeCount{{Shape: "in_tree", Runs: 30}}}},
			"The 50 runs have 7 different plans, the commonest of which 20 runs share.", "The most frequent shape is " +
				"in-tree, 60% of the runs; n = 50 runs with stages."},
		{"stable plans", "stable-plans", result.DAG{Jobs: 50, Plans: result.Plans{Distinct: 7,
			Common: make([]result.Plan, 1), Shapes: make([]result.ShapeCount, 1),
			ShareOfOne: 0.75, PerJob: flat(20, 3)}}, "15 of the 20 recurring jobs run the same plan every time.",
			"The most plans of one job are 3; n = 20 recurring jobs."},
		{"no recurring job", "stable-plans", result.DAG{Jobs: 50, Plans: result.Plans{Distinct: 7,
			Common: make([]result.Plan, 1), Shapes: make([]result.ShapeCount, 1),
			ShareOfOne: result.Number(math.NaN())}}, "", ""},
	} {
		tc.doc.Header = available
		text, detail := sentence(tc.id, &tc.doc)
		if text != tc.text || !strings.Contains(detail, tc.detail) {
			t.Errorf("%s: %q with %q, want %q with %q", tc.name, text, detail, tc.text, tc.detail)
		}
	}
}

func TestGuaranteeSentences(t *testing.T) {
	nan := result.Number(math.NaN())
	for _, tc := range []struct {
		name, id     string
		doc          result.Allocation
		text, detail string
	}{
		{"both", "guarantee", result.Allocation{Jobs: 400, Ratio: flat(400, 2), SustainedRatio: flat(400, 1.5),
			ShareBelowGuarantee: 0.31, ShareAbove10x: 0.2},
			"31% of the 400 runs with a guarantee never ran as many tasks at once as they were guaranteed, and 20% " +
				"ran more than ten times as many.",
			"2 times as many tasks at once as it was guaranteed, and 1.5 times but for the busiest twentieth of its " +
				"time; n = 400 runs."},
		{"all as they asked", "guarantee", result.Allocation{Jobs: 40, Ratio: flat(40, 1)},
			"Each of the 40 runs with a guarantee ran exactly as many tasks at once as it was guaranteed.", ""},
		{"all reach it", "guarantee", result.Allocation{Jobs: 40, Ratio: flat(40, 3)}, "Every run with a guarantee " +
			"reached it, and none exceeded it tenfold.", ""},
		{"one run", "guarantee", result.Allocation{Jobs: 1, Ratio: flat(1, 3)}, "The one run with a guarantee ran 3 " +
			"times as many tasks at once as it was guaranteed.", "n = 1 run, too few"},
		{"none", "guarantee", result.Allocation{}, "No run has both a guarantee and a known use of it.", ""},
		{"idle", "unused-guarantee", result.Allocation{Jobs: 40, Unused: flat(40, 0.3), SpareShare: nan,
			Users: []result.Asking{{Who: "ann", UnusedTokenS: 30, Runs: 4}, {Who: "bob", UnusedTokenS: 10, Runs: 1}}},
			"While it ran, the median run left 30% of its guaranteed tokens idle.", "75% of it lies with user ann."},
		{"spare", "spare", result.Allocation{Jobs: 40, SpareShare: 0.4, SpareShareByRun: flat(40, 0.38)},
			"40% of the task attempts ran on spare tokens.", "Within a run 38%"},
		{"beyond", "beyond-guarantee", result.Allocation{Jobs: 40, SpareShare: nan, Beyond: flat(40, 0.3),
			SustainedRatio: flat(40, 4)},
			"At the 90th percentile, a run did 30% of its work beyond its guarantee.", "n = 40 runs."},
		{"overlaps only", "beyond-guarantee", result.Allocation{Jobs: 40, SpareShare: nan, Beyond: flat(40, 0.01),
			SustainedRatio: flat(40, 1)}, "", ""},
	} {
		tc.doc.Header = result.Header{Available: true}
		text, detail := sentence(tc.id, &tc.doc)
		if text != tc.text || !strings.Contains(detail, tc.detail) {
			t.Errorf("%s: %q with %q, want %q with %q", tc.name, text, detail, tc.text, tc.detail)
		}
	}
}

func TestRunSentences(t *testing.T) {
	stage := func(median, slowest float64) result.TimelineStage {
		return result.TimelineStage{Name: "join", MedianS: result.Number(median), MaxS: result.Number(slowest),
			Attempts: 9, Failed: 1}
	}
	for _, tc := range []struct {
		name   string
		stages []result.TimelineStage
		text   string
	}{
		{"straggler", []result.TimelineStage{stage(2, 3), stage(2, 8.4)}, "In the run shown, the slowest task of " +
			"stage 1, join, took 4.2 times as long as its median task."},
		{"even", []result.TimelineStage{stage(2, 2.4)}, "In the run shown, no stage has a straggler: no task took " +
			"more than 1.2 times as long as its stage's median."},
		{"too few tasks", []result.TimelineStage{{MedianS: 1, MaxS: 9, Attempts: 3}}, ""},
		{"unknown", []result.TimelineStage{stage(math.NaN(), 9), stage(0, 9)}, ""},
	} {
		text, _ := sentence("stragglers", &result.Timeline{Header: result.Header{Available: true}, Stages: tc.stages})
		if text != tc.text {
			t.Errorf("%s: %q, want %q", tc.name, text, tc.text)
		}
	}
}

func TestLoadSentences(t *testing.T) {
	available, nan := result.Header{Available: true}, math.NaN()
	arrivals := func(index float64, r *result.Rhythm) result.Workload {
		return result.Workload{Arrivals: result.Arrivals{Header: available, N: 100, Gap: flat(99, 30), PerHour: 120,
			Rhythm: r,
			Index: []result.Index{{WindowS: 60, Index: 9, Low: 0.9, High: 1.1}, {WindowS: 3600, Index: index, Low: 0.8,
				High: 1.2, PeakToMean: 4}, {WindowS: 86400, Index: 1, Low: 0.5, High: 1.7}}}}
	}
	fits := []result.Fitted{{Of: "task_duration_s", Families: []result.FamilyFit{{Family: "weibull", KS: 0.08,
		PKS: 0.005}, {Family: "gamma", DeltaAIC: 1.5}, {Family: "pareto", DeltaAIC: 9}}}}
	tasks := result.TaskDurations{Header: available, Duration: flat(5000, 12), Top1: 0.21}
	row := result.CutoffRow{CutoffS: 90, ShareOfJobs: 0.09, ShareOfTime: 0.98}
	failures := func(suspects ...result.MachineLoad) result.Workload {
		return result.Workload{Failures: result.Failures{Header: available, Ended: 1000, Bad: 20, WastedShare: 0.013,
			Retries:  result.Retries{Tasks: 980, Retried: 18},
			Reasons:  []result.Reason{{Status: "lost", Spent: result.Spent{Attempts: 12}}},
			Machines: result.MachineTest{Machines: 24, Rate: 0.02, Discovery: 0.05, Suspects: suspects}}}
	}
	for _, tc := range []struct {
		name, id     string
		doc          result.Workload
		text, detail string
	}{
		{"bursts", "arrivals", arrivals(21, nil), "A run arrives every 30 s on average, in bursts: counts per 1 h " +
			"vary 21 times as much as independent arrivals would.",
			"95% of Poisson processes have 0.8–1.2. The busiest window has 4 times the mean."},
		{"even", "arrivals", arrivals(0.2, nil), "A run arrives every 30 s on average, more evenly than by chance: " +
			"counts per 1 h vary 0.2 times as much as independent arrivals would.", ""},
		{"independent", "arrivals", arrivals(1.1, nil), "A run arrives every 30 s on average, as independent " +
			"arrivals would, seen in windows of 1 h.", "n = 100 arrivals."},
		{"one arrival", "arrivals", result.Workload{Arrivals: result.Arrivals{Header: available, N: 1}}, "", ""},
		{"rhythm", "rhythm", arrivals(1, &result.Rhythm{Days: 12, P: 0.001, PeakToMean: 1.8, ShareOfVariance: 0.6,
			Lag24: 0.5}),
			"Arrivals follow the hours of the day: the busiest has 1.8 times the mean.", "60% of the variance of " +
				"hourly counts, more than it does with days shifted at random (p = 0.001)"},
		{"no rhythm", "rhythm", arrivals(1, &result.Rhythm{Days: 12, P: 0.4, PeakToMean: 1.8, ShareOfVariance: 0.1}),
			"No daily rhythm is seen in the arrivals.", "no more than with days shifted at random (p = 0.4)"},
		{"completion", "completion", result.Workload{Durations: result.Durations{Header: available,
			Completion: flat(70, 100)}},
			"The median run took 1 min 40 s from submission to end, the 90th percentile 1 min 40 s.", "n = 70 runs."},
		{"completion of few", "completion", result.Workload{Durations: result.Durations{Header: available,
			Completion: flat(3, 100)}},
			"The median run took 1 min 40 s from submission to end.", "n = 3 runs, too few"},
		{"tails", "task-durations", result.Workload{TaskDurations: tasks, Fits: fits},
			"The longest 1% of the task attempts hold 21% of the task time: the median takes 12 s, the 99th " +
				"percentile 12 s.",
			"Of five families the Weibull fits best (AIC), the gamma as well, though it differs more than chance " +
				"allows, by up to 8% of the values. n = 5,000 attempts."},
		{"long jobs", "long-jobs", result.Workload{Cutoff: result.Cutoff{Header: available, Jobs: 2910, Suggested: &row,
			Clear: true, Reason: "because"}},
			"Jobs divide into short and long at a mean task duration of 1 min 30 s: 9% of them are long and hold 98% " +
				"of the task-seconds.", "Because; n = 2,910 jobs."},
		{"unclear", "long-jobs", result.Workload{Cutoff: result.Cutoff{Header: available, Jobs: 2910, Suggested: &row}},
			"Jobs do not divide clearly into short and long: at the best cutoff, 1 min 30 s, 9% of them hold 98% of " +
				"the task-seconds.", ""},
		{"no cutoff", "long-jobs", result.Workload{Cutoff: result.Cutoff{Header: available, Jobs: 3}}, "", ""},
		{"concurrency", "concurrency", result.Workload{Concurrency: result.Concurrency{Header: available,
			Tasks: &result.Concurrent{N: 50, Mean: 1.15, Peak: 6, Weighted: flat(50, 3), Idle: 0.4}}},
			"1.15 task attempts run at once on average, 6 at most.", "For 95% of the time at most 3; for 40% of the " +
				"time none; n = 50 task attempts."},
		{"runs alone", "concurrency", result.Workload{Concurrency: result.Concurrency{Header: available,
			Runs: &result.Concurrent{N: 50, Mean: 1, Peak: 6, Weighted: flat(50, 3)}}},
			"1 run runs at once on average, 6 at most.", ""},
		{"failures", "task-failures", failures(), "2% of the task attempts did not succeed; they took 1.3% of the " +
			"task-seconds.",
			"Most frequent reason: none given, lost (12 attempts). 18 of 980 tasks were tried more than once; n = " +
				"1,000 attempts that ended."},
		{"no failures", "task-failures", result.Workload{Failures: result.Failures{Header: available, Ended: 70,
			WastedShare: result.Number(nan)}},
			"Every task attempt that ended succeeded: 70.", ""},
		{"no suspects", "machines", failures(), "On none of 24 machines do attempts fail more often than by chance.",
			"the rate of all machines, 2%,"},
		{"suspects", "machines", failures(result.MachineLoad{Machine: "m7", Attempts: 40, Failed: 11}),
			"Attempts fail more often than by chance on 1 of 24 machines: on m7, 11 of 40.", ""},
	} {
		tc.doc.Header = available
		text, detail := sentence(tc.id, &tc.doc)
		if text != tc.text || !strings.Contains(detail, tc.detail) {
			t.Errorf("%s: %q with %q, want %q with %q", tc.name, text, detail, tc.text, tc.detail)
		}
	}
	parts := &section{}
	parts.aboutWorkload(&result.Workload{Header: available,
		Arrivals: result.Arrivals{Header: result.Header{Available: true,
			LeftOut: map[string]int64{"runs without": 4}}},
		Durations: result.Durations{Header: result.Header{Missing: []string{"jobs.end"}}}}, figure.Source{})
	if notes := strings.Join(parts.Notes, " "); !strings.Contains(notes, "Not available: durations of runs; the "+
		"trace lacks jobs.end.") || !strings.Contains(notes, "Left out of arrivals: 4 (runs without).") {
		t.Errorf("notes %q", notes)
	}
}

func TestQualitySentences(t *testing.T) {
	for _, tc := range []struct {
		name         string
		p            result.Provenance
		text, detail string
	}{
		{"clean", result.Provenance{Read: 100, Used: 100}, "No record was rejected, of 100 read.", ""},
		{"rejects", result.Provenance{Read: 1000, Used: 900, Ignored: map[string]int64{"x": 88},
			Rejected: map[string]int64{"a": 5, "b": 7},
			Repairs:  map[string]int64{"c": 1}}, "12 of 1,000 records were rejected, 1.2% of them.",
			"88 of kinds that no analysis needs were passed over and 1 impossible value was set to unknown."},
		{"one reject", result.Provenance{Read: 10, Used: 9, Rejected: map[string]int64{"a": 1}},
			"1 of 10 records was rejected.", ""},
		{"nothing read", result.Provenance{}, "", ""},
	} {
		var text, detail string
		for _, f := range Findings(&result.Bundle{Provenance: &tc.p}) {
			text, detail = f.Text, f.Detail
		}
		if text != tc.text || detail != tc.detail {
			t.Errorf("%s: %q with %q, want %q with %q", tc.name, text, detail, tc.text, tc.detail)
		}
	}
	wrong := qualitySection(&result.Provenance{Read: 10, Used: 8}, nil, figure.Source{})
	if len(wrong.Notes) != 1 || !strings.Contains(wrong.Notes[0], "do not add up: 10 read, but 8 used") {
		t.Errorf("notes %q, want that the counts do not add up", wrong.Notes)
	}
}

// Every finding of every bundle leads to a figure or table of the page, and says how large its sample is when that is
// small.
func TestFindingsAreShown(t *testing.T) {
	for name, bundle := range bundles() {
		r := newReport(bundle(), Options{})
		for _, f := range r.findings {
			if r.labels[f.See] == "" {
				t.Errorf("%s: finding %s leads to %s, which does not exist", name, f.ID, f.See)
			}
			if f.Small && f.ID != "outcomes" && !strings.Contains(f.Detail, "n = ") {
				t.Errorf("%s: finding %s rests on %d and does not say so", name, f.ID, f.N)
			}
		}
	}
	if len(Findings(figuretest.Typical())) < 8 {
		t.Error("a typical trace has fewer than 8 findings")
	}
}

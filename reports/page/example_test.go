package page_test

import (
	"context"
	"fmt"

	"racecard/reports/internal/figuretest"
	"racecard/reports/page"
)

func ExampleWrite() {
	sink := func(name string, content []byte) error {
		fmt.Println(name, len(content) > 0)
		return nil
	}
	if err := page.Write(context.Background(), sink, figuretest.Typical(),
		page.Options{Title: "Nightly jobs"}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// figures/cov.svg true
	// figures/cov.png true
	// figures/causes.svg true
	// figures/causes.png true
	// figures/drift.svg true
	// figures/drift.png true
	// figures/dependency.svg true
	// figures/dependency.png true
	// figures/guarantee.svg true
	// figures/guarantee.png true
	// figures/dag-shape.svg true
	// figures/dag-shape.png true
	// figures/plan-shapes.svg true
	// figures/plan-shapes.png true
	// figures/stage-graph.svg true
	// figures/stage-graph.png true
	// figures/arrivals.svg true
	// figures/arrivals.png true
	// figures/tails.svg true
	// figures/tails.png true
	// figures/cutoff.svg true
	// figures/cutoff.png true
	// figures/concurrency.svg true
	// figures/concurrency.png true
	// figures/failures.svg true
	// figures/failures.png true
	// figures/waterfall.svg true
	// figures/waterfall.png true
	// figures/activity.svg true
	// figures/activity.png true
	// tables/jobs.csv true
	// tables/causes.csv true
	// tables/outcomes.csv true
	// tables/dependency.csv true
	// tables/producers.csv true
	// tables/chain.csv true
	// tables/guarantees.csv true
	// tables/users.csv true
	// tables/shape.csv true
	// tables/stages.csv true
	// tables/plans.csv true
	// tables/job-plans.csv true
	// tables/load.csv true
	// tables/fits.csv true
	// tables/cutoffs.csv true
	// tables/reasons.csv true
	// tables/suspects.csv true
	// tables/load-extremes.csv true
	// tables/run.csv true
	// tables/health.csv true
	// tables/records.csv true
	// tables/columns.csv true
	// report.json true
	// index.html true
}

func ExampleFindings() {
	for _, f := range page.Findings(figuretest.Typical()) {
		fmt.Println(f.Text)
	}
	// Output:
	// Tasks use more than 10,000 cores: 1 of 5,302 rows (0.019%), by up to 20,000 cores.
	// 4 data-quality warnings: check them before relying on these numbers.
	// 43% of the tokens that runs held were in use, integrated over time.
	// While it ran, the median run left 40% of its guaranteed tokens idle.
	// 33% of the 76 runs with a guarantee never ran as many tasks at once as they were guaranteed, and 7.9% ran more than ten times as many.
	// page-importance became slower, by trend from 35 s to 1 min 8 s.
	// The median recurring job varies by 19% from run to run.
	// 8% of the task attempts lasted more than 1.5 times the median of their stage; the excess is 12% of all task time.
	// Attempts fail more often than by chance on 1 of 24 machines: on host-07, 21 of 666.
	// 2 of 76 runs failed.
	// 0.58% of the task attempts did not succeed; they took 1.3% of the task-seconds.
	// 4 of 18,442 records were rejected, 0.022% of them.
	// Runs of one job with inputs within 10% of each other vary by 12%, all runs of a job by 19%.
	// On average over the jobs, queueing explains 28% of the variance of completion times; 27% stays unexplained.
	// clicks-by-customer varies most from run to run, by 43%: its median run took 18 s, the slowest 44 s.
	// Stabilising clicks-by-customer would help most: it varies by 43% and its runs took 4 h 7 min of task time.
	// 67% of the runs depend on the output of another or feed one.
	// Half of the dependent runs start within 12 min 6 s of the end of the run whose output they read.
	// A run that feeds others typically has 14 runs downstream; a run of feed-3 has most, 1,157.
	// The longest chain of runs that wait for each other has 47 runs.
	// At the 90th percentile, a run did 87% of its work beyond its guarantee.
	// The largest graph, of page-importance, has 23 stages, 6 of which are barriers.
	// At the median a run has 8 stages, 2 barriers and a critical path of 4.5 stages.
	// With any number of machines the median run would take at least 10 s.
	// The 76 runs have 8 different plans, the commonest of which 19 runs share.
	// 2 of the 4 recurring jobs run the same plan every time.
	// A run arrives every 15 min 5 s on average, in bursts: counts per 1 h vary 6.12 times as much as independent arrivals would.
	// Arrivals follow the hours of the day: the busiest has 1.7 times the mean.
	// The median run took 53 s from submission to end, the 90th percentile 2 min 28 s.
	// The longest 1% of the task attempts hold 21% of the task time: the median takes 12 s, the 99th percentile 5 min 11 s.
	// Jobs divide into short and long at a mean task duration of 1 min 24 s: 9.2% of them are long and hold 80% of the task-seconds.
	// 110 task attempts run at once on average, 264 at most.
	// In the run shown, the slowest task of stage 7, reduceByKey at rank.py:61, took 2.1 times as long as its median task.
}

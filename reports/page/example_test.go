package page_test

import (
	"context"
	"fmt"

	"racecard/reports/figure/figuretest"
	"racecard/reports/page"
)

func ExampleWrite() {
	sink := func(name string, content []byte) error {
		fmt.Println(name, len(content) > 0)
		return nil
	}
	if err := page.Write(context.Background(), sink, figuretest.Typical(), page.Options{Title: "Nightly jobs"}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// figures/cov.svg true
	// figures/cov.png true
	// figures/dependency.svg true
	// figures/dependency.png true
	// figures/dag-shape.svg true
	// figures/dag-shape.png true
	// figures/stage-graph.svg true
	// figures/stage-graph.png true
	// figures/waterfall.svg true
	// figures/waterfall.png true
	// figures/activity.svg true
	// figures/activity.png true
	// report.json true
	// index.html true
}

func ExampleFindings() {
	for _, f := range page.Findings(figuretest.Typical()) {
		fmt.Println(f.Text)
	}
	// Output:
	// Half of the 4 recurring jobs vary by more than 19% from run to run.
	// Runs whose inputs are within 10% still vary by 12%: input size explains a part of it.
	// clicks-by-customer varies most, by 43%: half of its runs took more than 18 s, the slowest 44 s.
	// 2 of 76 runs failed.
	// 67% of the runs depend on the output of another or feed one.
	// Half of the dependent runs start within 12 min 6 s of the end of the run whose output they read.
	// A run that feeds others typically has 14 runs downstream; a run of feed-3 has most, 1,157.
	// The longest chain of runs that wait for each other has 47 runs.
	// The largest graph, of page-importance, has 23 stages, 6 of which are barriers.
	// The median run has 8 stages, 2 barriers and a critical path of 4.5 stages.
	// Half of the runs would take more than 10 s however many machines they got.
	// In the run shown, the slowest task of stage 7, reduceByKey at rank.py:61, took 2.1 times as long as its median task.
	// 4 of 18,442 records were rejected, 0.022% of them.
	// Tasks use more than 10,000 cores: 1 of 5,302 rows (0.019%), by up to 20,000 cores.
	// Mind 4 oddities of the trace before reading numbers off it.
}

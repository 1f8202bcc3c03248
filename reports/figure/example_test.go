package figure_test

import (
	"fmt"
	"strings"

	"racecard/datasets/result"
	"racecard/reports/figure"
	"racecard/reports/internal/figuretest"
)

// source is where the examples' trace comes from.
func source(b *result.Bundle) figure.Source {
	return figure.Source{Store: b.Provenance.Store, Format: b.Provenance.Format, Synthetic: b.Provenance.Synthetic}
}

// show writes the first numbers of a figure, and how it can be had.
func show(f *figure.Figure, values int) {
	fmt.Println(f.Title)
	for _, v := range f.Values[:values] {
		fmt.Printf("%s, %s: %.4g\n", v.Of, v.What, v.Value)
	}
	picture, err := f.PNG(72)
	fmt.Println("SVG:", strings.HasPrefix(f.InlineSVG(figure.Wide), "<svg"), "PNG:", len(picture) > 0, err)
}

func ExampleCoV() {
	b := figuretest.Typical()
	r := b.Documents["recurrence"].(*result.Recurrence)
	show(figure.CoV(r, source(b)), 4)
	// Output:
	// Variation of completion time from run to run
	// all runs of a job, n: 4
	// all runs of a job, min: 0.07718
	// all runs of a job, p10: 0.09602
	// all runs of a job, p10 low: 0.07718
	// SVG: true PNG: true <nil>
}

func ExampleCauses() {
	b := figuretest.Typical()
	show(figure.Causes(b.Documents["recurrence"].(*result.Recurrence), source(b)), 4)
	// Output:
	// Where the variance of completion times comes from
	// mean of 4 jobs, input size: 0.2525
	// mean of 4 jobs, queueing: 0.278
	// mean of 4 jobs, failures: 0.05
	// mean of 4 jobs, hour and weekday: 0.05
	// SVG: true PNG: true <nil>
}

func ExampleDrift() {
	b := figuretest.Typical()
	show(figure.Drift(b.Documents["recurrence"].(*result.Recurrence), source(b)), 4)
	// Output:
	// Completion time over time
	// customer-360, points of the line: 2
	// customer-360, point 1: 21.02
	// customer-360, point 2: 31.53
	// customer-360, dots: 17
	// SVG: true PNG: true <nil>
}

func ExampleGuarantee() {
	b := figuretest.Typical()
	a := b.Documents["allocation"].(*result.Allocation)
	show(figure.Guarantee(a, b.Tables["allocation"], source(b)), 4)
	// Output:
	// Tokens guaranteed and tasks run at once
	// runs, share below 1: 0.3289
	// runs, share above 10: 0.07895
	// runs, published, share below 1: 0.3333
	// runs, published, share above 10: 0.25
	// SVG: true PNG: true <nil>
}

func ExampleShape() {
	b := figuretest.Typical()
	d := b.Documents["dag"].(*result.DAG)
	show(figure.Shape(d, b.Tables["dag"], source(b)), 4)
	// Output:
	// Shape of the stage graphs
	// stages, n: 76
	// stages, min: 3
	// stages, p10: 3
	// stages, p50: 8
	// SVG: true PNG: true <nil>
}

func ExampleDependency() {
	b := figuretest.Typical()
	d := b.Documents["dependency"].(*result.Dependency)
	show(figure.Dependency(d, b.Tables["dependency"], source(b)), 4)
	// Output:
	// How jobs depend on each other
	// gap to the dependent run, minutes, n: 255
	// gap to the dependent run, minutes, min: 0.08916
	// gap to the dependent run, minutes, p10: 0.5691
	// gap to the dependent run, minutes, p50: 12.1
	// SVG: true PNG: true <nil>
}

func ExamplePlanShapes() {
	b := figuretest.Typical()
	show(figure.PlanShapes(b.Documents["dag"].(*result.DAG), source(b)), 4)
	// Output:
	// Classes of stage graphs
	// chain, runs: 19
	// chain, plans: 1
	// in_tree, runs: 19
	// in_tree, plans: 3
	// SVG: true PNG: true <nil>
}

func ExampleWaterfall() {
	b := figuretest.Typical()
	l := b.Documents["timeline"].(*result.Timeline)
	show(figure.Waterfall(l, b.Tables["timeline"], source(b)), 8)
	// Output:
	// Tasks of one run: page-importance
	// run, attempts: 167
	// run, stages: 23
	// run, machines: 3
	// run, slots: 6
	// run, end_s: 35.86
	// run, failed: 6
	// run, speculative: 2
	// run, most at once: 6
	// SVG: true PNG: true <nil>
}

func ExampleStageGraph() {
	b := figuretest.Typical()
	d := b.Documents["dag"].(*result.DAG)
	show(figure.StageGraph(d.Largest, source(b)), 7)
	// Output:
	// Stage graph of the largest run: page-importance
	// graph, stages: 23
	// graph, layers: 23
	// graph, barriers: 6
	// graph, all_to_all: 24
	// graph, driver: 3
	// graph, other edges: 4
	// graph, critical stages: 20
	// SVG: true PNG: true <nil>
}

func ExampleActivity() {
	b := figuretest.Typical()
	show(figure.Activity(b.Documents["health"].(*result.Health), source(b)), 8)
	// Output:
	// Activity over time
	// trace, span_s: 3.456e+05
	// trace, bin_s: 1049
	// gap, from_s: 1.814e+05
	// gap, seconds: 4.32e+04
	// boundary, runs begin: 0
	// runs arriving, most: 18
	// runs in progress, most: 3.913
	// task attempts running, most: 28.71
	// SVG: true PNG: true <nil>
}

func ExampleArrivals() {
	b := figuretest.Typical()
	show(figure.Arrivals(b.Documents["workload"].(*result.Workload), source(b)), 4)
	// Output:
	// How runs arrive
	// arrivals, n: 2000
	// arrivals, per hour: 3.968
	// arrivals, CoV of gaps: 1.3
	// arrivals, longest gap, s: 2.319e+04
	// SVG: true PNG: true <nil>
}

func ExampleTails() {
	b := figuretest.Typical()
	show(figure.Tails(b.Documents["workload"].(*result.Workload), source(b)), 7)
	// Output:
	// Tails, and the distributions fitted to them
	// interarrival_s, n: 1999
	// interarrival_s, lognormal delta AIC: 0
	// interarrival_s, lognormal D: 0.012
	// interarrival_s, lognormal p: 0.31
	// interarrival_s, exponential delta AIC: 1234
	// interarrival_s, exponential D: 0.21
	// interarrival_s, exponential p: 0.004975
	// SVG: true PNG: true <nil>
}

func ExampleCutoff() {
	b := figuretest.Typical()
	show(figure.Cutoff(&b.Documents["workload"].(*result.Workload).Cutoff, source(b)), 4)
	// Output:
	// Short and long jobs
	// jobs, n: 2000
	// suggested, cutoff, s: 84.47
	// suggested, share of jobs: 0.0915
	// suggested, share of task-seconds: 0.8024
	// SVG: true PNG: true <nil>
}

func ExampleConcurrency() {
	b := figuretest.Typical()
	show(figure.Concurrency(b.Documents["workload"].(*result.Workload), source(b)), 5)
	// Output:
	// What runs at once
	// task attempts at once, n: 1.6e+04
	// task attempts at once, mean: 109.9
	// task attempts at once, p95: 214.2
	// task attempts at once, peak: 264
	// task attempts at once, share idle: 0.02
	// SVG: true PNG: true <nil>
}

func ExampleFailures() {
	b := figuretest.Typical()
	show(figure.Failures(&b.Documents["workload"].(*result.Workload).Failures, source(b)), 4)
	// Output:
	// Why task attempts did not succeed
	// attempts, ended: 1.6e+04
	// attempts, unsuccessful: 93
	// ExceptionFailure: java.io.IOException, attempts: 52
	// ExceptionFailure: java.io.IOException, task-seconds: 1300
	// SVG: true PNG: true <nil>
}

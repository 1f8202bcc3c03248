package jockey_test

import (
	"context"
	"fmt"

	"racecard/models/deadlines/jockey"
)

// amdahl is a job with a critical path and work that tokens share.
type amdahl struct{ pathS, workS float64 }

// Remaining implements [jockey.Estimator]; a job that takes this long whatever happens has no quantiles.
func (j amdahl) Remaining(progress, tokens, _ float64) float64 {
	return (1 - progress) * (j.pathS + j.workS/tokens)
}

// A job with a deadline in an hour is asked about every minute. It starts with the tokens it needs by the model; when
// it turns out to be slower, it gets more.
func Example() {
	deadline, err := jockey.Deadline(3600)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := jockey.NewController(amdahl{pathS: 600, workS: 60_000}, deadline, jockey.PaperOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, seen := range []struct{ nowS, progress float64 }{{0, 0}, {60, 0.01}, {120, 0.02}, {180, 0.03}} {
		d := c.Decide(seen.nowS, seen.progress)
		fmt.Printf("%3.0f s: needs %d, request %d, ends after %.0f s\n", d.NowS, d.Raw, d.Tokens, d.FinishS)
	}
	// Output:
	//   0 s: needs 27, request 27, ends after 3387 s
	//  60 s: needs 27, request 27, ends after 3413 s
	// 120 s: needs 28, request 28, ends after 3346 s
	// 180 s: needs 28, request 28, ends after 3373 s
}

// The deadline is brought forward while the job runs.
func ExampleController_SetUtility() {
	hour, _ := jockey.Deadline(3600) // errors are of numbers that are not finite
	half, _ := jockey.Deadline(1800)
	o := jockey.PaperOptions()
	o.Jump = true
	c, err := jockey.NewController(amdahl{pathS: 600, workS: 60_000}, hour, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Decide(0, 0).Tokens)
	c.SetUtility(half)
	d := c.Decide(600, 0.3)
	fmt.Println(d.Tokens, d.Late)
	// Output:
	// 27
	// 98 false
}

// Before a job starts, its deadline is checked against the critical path and against what all tokens would do.
func ExampleOptions_Feasible() {
	o := jockey.PaperOptions()
	job := amdahl{pathS: 600, workS: 60_000}
	for _, deadlineS := range []float64{480, 1200, 3600} {
		f := o.Feasible(job, 0, 0, job.pathS, deadlineS)
		fmt.Println(f.Possible(), f.Promised(), f.Err())
	}
	// Output:
	// false false no number of tokens meets a deadline of 8 min: the critical path alone ends after 10 min; the earliest that 100 tokens can promise is 27 min
	// true false a deadline of 20 min cannot be promised; the earliest that 100 tokens can promise is 27 min
	// true true <nil>
}

// Two jobs share 100 tokens. The second is urgent, and fits only because the first can wait.
func ExampleCluster_Admit() {
	late, _ := jockey.Deadline(3600)
	urgent, _ := jockey.Deadline(1500)
	c := jockey.Cluster{Tokens: 100, Options: jockey.PaperOptions()}
	night := jockey.Contract{Name: "nightly-index", Estimate: amdahl{pathS: 300, workS: 120_000}, Utility: late}
	audit := jockey.Contract{Name: "audit", Estimate: amdahl{pathS: 300, workS: 60_000}, Utility: urgent}

	first, err := c.Admit(context.Background(), nil, nil, night)
	if err != nil {
		fmt.Println(err)
		return
	}
	second, err := c.Admit(context.Background(), []jockey.Contract{night}, first.Grants, audit)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("beside the first the earliest deadline is %.0f s\n", second.EarliestS)
	fmt.Println("fits:", second.Fits, "rearranged:", second.Rearranged)
	for _, g := range second.Grants {
		fmt.Printf("%d tokens from %.0f s to %.0f s\n", g.Tokens, g.FromS, g.ToS)
	}
	// Output:
	// beside the first the earliest deadline is 2040 s
	// fits: true rearranged: true
	// 96 tokens from 1320 s to 3180 s
	// 75 tokens from 0 s to 1320 s
}

// Three jobs of which two can be in time. The arbiter gives up the deadline that costs least.
func ExampleCluster_Arrange() {
	var jobs []jockey.Contract
	for i, value := range []float64{1, 3, 2} {
		u, err := jockey.NewUtility(jockey.Knot{AtS: 1800, Value: value}, jockey.Knot{AtS: 3600, Value: 0})
		if err != nil {
			fmt.Println(err)
			return
		}
		jobs = append(jobs, jockey.Contract{Name: fmt.Sprint("job ", i), Estimate: amdahl{pathS: 300, workS: 60_000},
			Utility: u})
	}
	a, err := jockey.Cluster{Tokens: 160, Options: jockey.PaperOptions()}.Arrange(context.Background(), jobs)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("given up:", a.GivenUp, "exact:", a.Exact)
	for i, g := range a.Grants {
		fmt.Printf("%s: %d tokens from %.0f s to %.0f s, worth %.2f\n", jobs[i].Name, g.Tokens, g.FromS, g.ToS,
			g.Utility)
	}
	// Output:
	// given up: [0] exact: true
	// job 0: 100 tokens from 1080 s to 2160 s, worth 0.70
	// job 1: 58 tokens from 0 s to 1601 s, worth 3.00
	// job 2: 100 tokens from 0 s to 1080 s, worth 2.00
}

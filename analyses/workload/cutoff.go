package workload

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"racecard/analyses/internal/uint128"
	"racecard/datasets/result"
)

// job holds the numbers of a run for the cutoff: the time and number of its attempts that succeeded or have no recorded
// outcome, and the time of all its attempts, in microseconds.
type job struct{ time, tasks, all int64 }

func (j job) mean() float64 { return float64(j.time) / float64(j.tasks) }

// clearGap is the difference between the share of task-seconds in long jobs and their share of jobs from which on a
// division is clear. For uniformly distributed durations the difference is 0.25, for exponential ones 0.37.
const clearGap = 0.5

// curveSteps bounds the points of the cutoff's curve.
const curveSteps = 200

// cutoffStats divides jobs into short and long by their mean task duration: P. Delgado, F. Dinu, A.-M. Kermarrec and W.
// Zwaenepoel, "Hawk: Hybrid Datacenter Scheduling", USENIX ATC 2015. Hawk's long jobs are few and hold most of the
// task-seconds; the cutoff suggested here is the one at which these two shares differ most. A job is long when its mean
// exceeds the cutoff, so a cutoff lies at a mean that occurs.
func (p *Partial) cutoffStats() result.Cutoff {
	c := result.Cutoff{Header: p.header(partCutoff), Jobs: int64(len(p.jobs)), Rows: []result.CutoffRow{},
		Curve: []result.CutoffRow{}}
	if !c.Available {
		return c
	}
	jobs := p.jobs
	slices.SortFunc(jobs, func(a, b job) int {
		return cmp.Or(cmp.Compare(b.mean(), a.mean()), cmp.Compare(b.all, a.all), cmp.Compare(b.tasks, a.tasks))
	})
	var time uint128.Sum
	var tasks int64
	for _, j := range jobs {
		time.Add(uint64(j.all))
		tasks += j.tasks
	}
	total := time.Float64()
	rows := make([]result.CutoffRow, 0, len(jobs))
	time = uint128.Sum{}
	var long int64
	for i, j := range jobs {
		time.Add(uint64(j.all))
		long += j.tasks
		if i+1 < len(jobs) && jobs[i+1].mean() < j.mean() {
			rows = append(rows, result.CutoffRow{
				CutoffS: jobs[i+1].mean() / 1e6, Long: int64(i + 1), ShareOfJobs: float64(i+1) / float64(len(jobs)),
				ShareOfTime: time.Float64() / total, ShareTasks: float64(long) / float64(tasks),
			})
		}
	}
	if len(rows) == 0 || total == 0 {
		c.Reason = "all jobs have the same mean task duration"
		return c
	}
	c.Suggested = suggest(rows)
	gap := c.Suggested.ShareOfTime - c.Suggested.ShareOfJobs
	c.Clear = gap >= clearGap
	c.Reason = fmt.Sprintf("at this cutoff the share of task-seconds in long jobs exceeds the share of jobs that are "+
		"long by most, %.0f percentage points", 100*gap)
	if !c.Clear {
		c.Reason += "; that is little: the trace has no clear division into short and long jobs"
	}
	for _, share := range []float64{.01, .02, .05, .10, .20, .50} {
		c.Rows = appendNew(c.Rows, firstRow(rows, func(r *result.CutoffRow) bool { return r.ShareOfJobs >= share }))
	}
	for _, share := range []float64{.80, .90, .95, .99} {
		c.Rows = appendNew(c.Rows, firstRow(rows, func(r *result.CutoffRow) bool { return r.ShareOfTime >= share }))
	}
	c.Rows = appendNew(c.Rows, c.Suggested)
	slices.SortFunc(c.Rows, func(a, b result.CutoffRow) int { return cmp.Compare(a.Long, b.Long) })
	step := 1.0 / curveSteps
	for i := range rows {
		if k := len(c.Curve); k == 0 || i == len(rows)-1 || rows[i].ShareOfJobs-c.Curve[k-1].ShareOfJobs >= step ||
			rows[i].ShareOfTime-c.Curve[k-1].ShareOfTime >= step {
			c.Curve = append(c.Curve, rows[i])
		}
	}
	return c
}

// suggest returns the row with the largest difference of the two shares, the first of equals.
func suggest(rows []result.CutoffRow) *result.CutoffRow {
	best, most := 0, math.Inf(-1)
	for i := range rows {
		if gap := rows[i].ShareOfTime - rows[i].ShareOfJobs; gap > most {
			best, most = i, gap
		}
	}
	row := rows[best]
	return &row
}

func firstRow(rows []result.CutoffRow, ok func(*result.CutoffRow) bool) *result.CutoffRow {
	for i := range rows {
		if ok(&rows[i]) {
			return &rows[i]
		}
	}
	return nil
}

// appendNew appends a row that is there and not yet among rows.
func appendNew(rows []result.CutoffRow, row *result.CutoffRow) []result.CutoffRow {
	if row == nil || slices.Contains(rows, *row) {
		return rows
	}
	return append(rows, *row)
}

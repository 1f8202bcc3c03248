package cov_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/analyses/cov"
	"racecard/analyses/quantile"
	"racecard/datasets/jobname"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/datasets/words"
)

// slowly is the analysis as it is defined: one job after the other, through maps.
func slowly(runs []*trace.Run, o cov.Options) *result.CoV {
	r := &result.CoV{
		Header: result.Header{Available: true, Needs: cov.Needs(), LeftOut: map[string]int64{}},
		Variation: result.Variation{Runs: len(runs), ByStatus: map[string]int{}, MinRuns: o.MinRuns,
			Merged: map[string]int{}},
		Intervals: quantile.NewIntervals(), Jobs: []result.JobVariation{},
	}
	if !o.RawNames {
		r.Rules = jobname.Rules()
	}
	type job struct {
		names     map[string]bool
		of        map[float64][]string // completion time -> runs
		seconds   []float64
		succeeded int
		failed    int
	}
	jobs := map[string]*job{}
	for _, run := range runs {
		r.ByStatus[run.Status.String()]++
		ended := run.Completion() >= 0
		switch {
		case run.Status == trace.Succeeded:
			r.Succeeded++
		case run.Status == trace.StatusUnknown && ended:
			r.Unstated++
		}
		name := run.Name
		if !o.RawNames {
			name = cmp.Or(run.Job, jobname.Normalize(name))
		}
		if name == "" {
			r.LeftOut["without a name"]++
			continue
		}
		j := jobs[name]
		if j == nil {
			j = &job{names: map[string]bool{}, of: map[float64][]string{}}
			jobs[name] = j
		}
		j.names[cmp.Or(run.Name, run.Job)] = true
		switch run.Status {
		case trace.Succeeded, trace.StatusUnknown:
			switch d := run.Completion(); {
			case ended:
				j.succeeded++
				j.seconds = append(j.seconds, d.Seconds())
				j.of[d.Seconds()] = append(j.of[d.Seconds()], run.ID)
			case run.Status == trace.Succeeded:
				j.succeeded++
				r.LeftOut["succeeded without a known completion time"]++
			}
		case trace.Failed, trace.Killed, trace.Evicted, trace.Lost:
			j.failed++
		}
	}
	if r.Unstated > 0 {
		r.Warnings = []string{fmt.Sprintf("how %d of %s ended is not known: they count as succeeded", r.Unstated,
			words.Of(r.Runs, "run", "runs"))}
	}
	ofRecurring := 0
	var covs []float64
	for name, j := range jobs {
		if len(j.names) > 1 {
			r.Merged[name] = len(j.names)
		}
		if j.succeeded < o.MinRuns {
			continue
		}
		r.Recurring++
		ofRecurring += j.succeeded
		s := quantile.Summarize(quantile.SortInPlace(j.seconds))
		row := result.JobVariation{
			Name: name, Runs: s.N, Failed: j.failed, CoV: quantile.CoV(j.seconds), MinS: s.Min, P10S: s.P10,
			P25S: s.P25, P50S: s.P50,
			P75S: s.P75, P90S: s.P90, P95S: s.P95, P99S: s.P99, MaxS: s.Max,
		}
		row.MeanS, row.SdS = quantile.MeanSD(j.seconds)
		if row.Varies() {
			row.SlowestRun, row.FastestRun = slices.Min(j.of[s.Max]), slices.Min(j.of[s.Min])
			r.Jobs = append(r.Jobs, row)
			covs = append(covs, row.CoV)
		}
	}
	slices.SortFunc(r.Jobs, func(a, b result.JobVariation) int {
		if a.CoV != b.CoV {
			return slices.Compare([]float64{b.CoV}, []float64{a.CoV})
		}
		return slices.Compare([]string{a.Name}, []string{b.Name})
	})
	r.ShareOfRuns, r.CoV = result.Number(float64(ofRecurring)/float64(r.Succeeded+r.Unstated)),
		quantile.Summarize(quantile.Sort(covs))
	quantile.AddIntervals(&r.Intervals, "cov", quantile.Sort(covs), o.Seed)
	return r
}

// columnsOf puts runs into columns, some of whose texts are there twice. Jobs are known where a run has one.
func columnsOf(runs []*trace.Run) *trace.RunColumns {
	c := &trace.RunColumns{Texts: []string{"", "nobody's"}}
	if slices.ContainsFunc(runs, func(r *trace.Run) bool { return r.Job != "" }) {
		for i, r := range runs {
			job := slices.Index(c.JobTexts, r.Job)
			if r.Job != "" && (i%3 == 0 || job < 0) {
				job = len(c.JobTexts)
				c.JobTexts = append(c.JobTexts, r.Job)
			}
			c.Jobs = append(c.Jobs, int32(job))
		}
	}
	for i, r := range runs {
		name := slices.Index(c.Texts, r.Name)
		if i%3 == 0 || name < 0 {
			name = len(c.Texts)
			c.Texts = append(c.Texts, r.Name)
		}
		if r.Name == "" && i%2 == 0 {
			name = -1
		}
		c.IDs, c.Names, c.Status = append(c.IDs, r.ID), append(c.Names, int32(name)), append(c.Status, r.Status)
		c.Submit, c.Start, c.End = append(c.Submit, r.Submit), append(c.Start, r.Start), append(c.End, r.End)
	}
	return c
}

// One by one, as columns, in parts: the result is to the byte that of the definition.
func TestCoVIsTheSlowWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := cov.DefaultOptions()
		o.MinRuns, o.RawNames = rapid.IntRange(2, 4).Draw(t, "min"), rapid.Bool().Draw(t, "raw")
		instants := rapid.SampledFrom([]trace.Instant{trace.Instant(trace.None), 0, 0, 1e6, 2e6, 5e6, 5e6, 9e6})
		name := rapid.OneOf(
			rapid.SampledFrom([]string{"", "a", "a-2026-01-01", "a-2026-01-02", "a-#", "b", "123456", "654321", "#"}),
			rapid.Map(rapid.IntRange(0, 300), func(n int) string { return fmt.Sprint("many", n) }))
		status := rapid.SampledFrom([]trace.Status{
			trace.Succeeded, trace.Succeeded, trace.Succeeded, trace.Succeeded, trace.Failed, trace.Killed,
			trace.Evicted, trace.Lost,
			trace.Running, trace.StatusUnknown,
		})
		var all []*trace.Run
		p := cov.New(o)
		for range rapid.IntRange(1, 5).Draw(t, "parts") {
			var part []*trace.Run
			jobs := rapid.SampledFrom([][]string{{""}, {"", "", "a", "k"}}).Draw(t, "jobs")
			for range rapid.IntRange(0, 60).Draw(t, "runs") {
				r := trace.NewRun(fmt.Sprint("r", 1000-len(all)))
				r.Name, r.Status = name.Draw(t, "name"), status.Draw(t, "status")
				r.Job = rapid.SampledFrom(jobs).Draw(t, "job")
				r.Submit, r.Start, r.End = instants.Draw(t, "submit"), instants.Draw(t, "start"),
					instants.Draw(t, "end")
				part, all = append(part, r), append(all, r)
			}
			into := p
			if rapid.Bool().Draw(t, "merged") {
				into = cov.New(o)
			}
			if rapid.Bool().Draw(t, "columns") {
				into.AddColumns(columnsOf(part))
			} else {
				for _, r := range part {
					into.Add(r)
				}
			}
			if into != p {
				p.Merge(into)
			}
		}
		if got, want := text(t, finish(t, p)), text(t, slowly(all, o)); got != want {
			t.Fatalf("%s\nslowly %s", got, want)
		}
	})
}

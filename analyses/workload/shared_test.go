package workload

import (
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/rumen"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/swim"
	"racecard/datasets/tr"
)

// quick are options without tests of fits.
func quick() Options {
	o := DefaultOptions()
	o.Resamples = 0
	return o
}

func analyzeShared(t *testing.T, format source.Format, name string) *result.Workload {
	t.Helper()
	return analyze(t, quick(), sourcetest.Read(t, format, sourcetest.SharedFile(t, name)).Runs...)
}

func between(t *testing.T, what string, x, low, high float64) {
	t.Helper()
	if !(x >= low && x <= high) {
		t.Errorf("%s is %v, want %v to %v", what, x, low, high)
	}
}

// The division that Hawk and Eagle publish for their traces is near the one suggested: of Yahoo's 9.41% of the jobs are
// long and hold 98.31% of the task-seconds, with a cutoff of 90.58 s; of Google's 10.00% and 83.65%, with 1129.5 s,
// over ten times as many jobs.
func TestCutoffsOfHawk(t *testing.T) {
	w := analyzeShared(t, tr.Format(), "hawk-eagle-tr/YH1_sub.tr.gz")
	s := w.Cutoff.Suggested
	between(t, "Yahoo: cutoff", s.CutoffS, 60, 150)
	between(t, "Yahoo: long jobs", s.ShareOfJobs, 0.085, 0.1)
	between(t, "Yahoo: task-seconds in long jobs", s.ShareOfTime, 0.97, 0.99)
	if !w.Cutoff.Clear {
		t.Error("Yahoo: the division is not clear")
	}
	w = analyzeShared(t, tr.Format(), "hawk-eagle-tr/GOOG_subtrace.tr.gz")
	s = w.Cutoff.Suggested
	between(t, "Google: cutoff", s.CutoffS, 300, 1500)
	between(t, "Google: long jobs", s.ShareOfJobs, 0.08, 0.2)
	between(t, "Google: task-seconds in long jobs", s.ShareOfTime, 0.75, 0.95)
	if w.Arrivals.N != 10_000 || w.TasksPerJob.Total != 312_558 || w.TaskDurations.Duration.N != 312_558 ||
		w.Durations.Available {
		t.Errorf("Google: %d arrivals, %v tasks", w.Arrivals.N, w.TasksPerJob.Total)
	}
}

// The README beside the traces counts 3,496 failed and 1,096 killed of 12,996 attempts, and 5 failed jobs of 19.
func TestFailuresOfMumak(t *testing.T) {
	w := analyzeShared(t, rumen.Format(), "hadoop-rumen/mumak/19-jobs.trace.json.gz")
	f := &w.Failures
	if f.Attempts != 12_996 || f.ByStatus["failed"].Attempts != 3496 || f.ByStatus["killed"].Attempts != 1096 ||
		w.ByStatus["failed"] != 5 {
		t.Errorf("%d attempts, %+v, runs %v", f.Attempts, f.ByStatus, w.ByStatus)
	}
	if f.Retries.Tasks == 0 || f.Retries.Retried == 0 || len(w.Machines) == 0 || w.Concurrency.Tasks == nil {
		t.Errorf("retries %+v, %d machines", f.Retries, len(w.Machines))
	}
}

// SWIM's samples hold submissions and bytes and nothing else.
func TestArrivalsOfSWIM(t *testing.T) {
	w := analyzeShared(t, swim.Format(), "swim-facebook/FB-2009_samples_24_times_1hr_0.tsv")
	if w.Arrivals.N != 5894 || w.Durations.Available || w.TaskDurations.Available || w.Cutoff.Available ||
		w.Concurrency.Available || len(w.Fits) != 1 {
		t.Errorf("%d arrivals, %d fits", w.Arrivals.N, len(w.Fits))
	}
	between(t, "mean gap", w.Arrivals.Gap.Mean, 14.6, 14.7) // the sheet of facts: 14.7 s
}

package health_test

import (
	"testing"

	"racecard/analyses/health"
	"racecard/datasets/alibaba2018"
	"racecard/datasets/google2011"
	"racecard/datasets/result"
	"racecard/datasets/rumen"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/spark"
	"racecard/datasets/swf"
	"racecard/datasets/swim"
	"racecard/datasets/tr"
	"racecard/datasets/wta"
)

// Facts that are true of real traces, as the README beside them or their format tells.
func TestSharedTraces(t *testing.T) {
	for _, test := range []struct {
		name   string
		format source.Format
		files  []string
		base   string
		want   map[string]int64 // check -> count
		none   []string
		clock  float64
	}{
		// README: 15,242 of 19,831 edges start early, where the zeros of unfinished rows count as times.
		{"alibaba 2018", alibaba2018.Format(1 << 30),
			[]string{"alibaba-2018/alibaba_set_0_6600_dags.batch_task.csv.gz"}, "relative",
			map[string]int64{"stage-overlaps-parent": 15_234, "without-name": 6600},
			[]string{"stage-before-parent", "duplicate-ids", "cycles"}, 1},
		// README: 3,496 failed and 1,096 killed attempts of 12,996, 5 of 19 jobs failed; clocks of machines differ (the
		// reader warns).
		{"mumak", rumen.Format(), []string{"hadoop-rumen/mumak/19-jobs.trace.json.gz"}, "unix",
			map[string]int64{"failed-attempts": 3496 + 1096, "failed-runs": 5, "attempt-before-submit": 57,
				"without-name": 19},
			[]string{"coarse-clock", "queued-after-start", "zero-attempts"}, 0.001},
		// README: cpu_count (16) and memory are constants set by the converter; submissions alone are known.
		{"surf", wta.Format(1 << 30), []string{"opendc-parquet/surf_week/tasks.parquet"}, "unix",
			map[string]int64{"constant-columns": 5, "without-end": 6295, "begins-at-first-instant": 121},
			[]string{"status-unknown"}, 1},
		// README: no durations, sorted by time, whole seconds
		{"swim", swim.Format(), []string{"swim-facebook/FB-2009_samples_24_times_1hr_0.tsv"}, "relative",
			map[string]int64{"without-end": 5894, "runs-without-stages": 5894, "status-unknown": 5894},
			[]string{"input-zero", "before-zero"}, 1},
		// README: no ids, names or ends; arrivals share instants; a 1 s clock
		{"goog", tr.Format(), []string{"hawk-eagle-tr/GOOG_subtrace.tr.gz"}, "relative",
			map[string]int64{"without-name": 10_000, "without-end": 10_000}, []string{"task-count-differs",
				"zero-attempts", "stages-without-attempts"}, 1},
		// README: an application that ended, times in milliseconds
		{"spark", spark.Format(), []string{"spark-eventlogs/rapids-tools/nds_q72_dataproc_2_2.gz"}, "unix",
			nil, []string{"attempt-before-submit", "duration-differs", "outside-machine-lifetime", "cycles",
				"far-instants"}, 0.001},
		// README: wait unknown, most columns -1
		{"lcg", swf.Format(), []string{"swf/LCG.swf.gz"}, "relative",
			map[string]int64{"without-end": 188_041, "status-unknown": 188_041}, []string{"attempts-overlap",
				"coverage-gap"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var files []*source.File
			for _, name := range test.files {
				files = append(files, sourcetest.SharedFile(t, name))
			}
			checks, h := examine(t, test.format, test.base, files)
			for id, want := range test.want {
				if c := checks[id]; c.Count != want || c.Severity == result.HealthOK ||
					c.Severity == result.HealthUnchecked {
					t.Errorf("%s: %d of %d, %s; want %d", id, c.Count, c.Of, c.Severity, want)
				}
			}
			for _, id := range test.none {
				if c := checks[id]; c.Count != 0 {
					t.Errorf("%s: %d of %d, %s; want none", id, c.Count, c.Of, c.Severity)
				}
			}
			if got := float64(h.Clock.ResolutionS); got != test.clock {
				t.Errorf("the clock ticks every %v s, want %v", got, test.clock)
			}
		})
	}
}

// The first day of Google's trace begins with jobs of the time before, and ends with jobs that run on.
func TestSharedGoogle2011(t *testing.T) {
	var files []*source.File
	for _, part := range []string{"00000", "00001"} {
		files = append(files, sourcetest.SharedFile(t, "google-2011/job_events/part-"+part+"-of-00500.csv.gz"))
	}
	checks, _ := examine(t, google2011.Format(1<<30), "relative", files)
	for _, id := range []string{"without-begin", "without-end", "still-running"} {
		if c := checks[id]; c.Severity != result.HealthWarn {
			t.Errorf("%s: %d of %d, %s; want warn", id, c.Count, c.Of, c.Severity)
		}
	}
}

func examine(t *testing.T, format source.Format, base string, files []*source.File) (map[string]result.HealthCheck,
	*result.Health) {
	t.Helper()
	read := sourcetest.Read(t, format, files...)
	if read.Err != nil {
		t.Fatal(read.Err)
	}
	p := health.New(health.Options{TimeBase: base, Units: read.Tally.Units,
		Machines: health.NewMachines(read.Tally.Machines),
		Records:  health.Records{Read: read.Tally.Read, Rejected: read.Tally.Rejected, Repairs: read.Tally.Repairs}})
	for _, r := range read.Runs {
		p.Add(r)
	}
	h, err := p.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checks := map[string]result.HealthCheck{}
	for _, c := range h.Checks {
		checks[c.ID] = c
	}
	return checks, h
}

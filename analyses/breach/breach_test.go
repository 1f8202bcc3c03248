package breach

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"racecard/datasets/trace"
)

const (
	minute = trace.Instant(60e6)
	night  = 24 * 60 * minute
)

func at(text string) trace.Instant {
	t, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		panic(err)
	}
	return trace.Instant(t.UnixMicro())
}

// nights are runs of a job that is submitted every night at 5:00 UTC and takes so many minutes; the last one runs on 30
// October.
func nights(j *Jobs, job string, n int, status func(i int) trace.Status, minutes func(i int) int) {
	for i := range n {
		r := trace.NewRun(fmt.Sprint(job, i))
		r.Submit = at("2026-10-30 05:00") - trace.Instant(n-1-i)*night
		r.End = r.Submit + trace.Instant(minutes(i))*minute
		r.Status = status(i)
		j.Add(job, r)
	}
}

func breaches(t *testing.T, o Options, n int, status func(i int) trace.Status, minutes func(i int) int) string {
	t.Helper()
	j := New(o)
	nights(j, "job", n, status, minutes)
	found, err := j.Breaches(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, b := range found {
		lines = append(lines, b.Rule+" "+b.Job+": "+b.What)
	}
	return strings.Join(lines, "; ")
}

func ok(int) trace.Status { return trace.Succeeded }

func failing(runs ...int) func(int) trace.Status {
	return func(i int) trace.Status {
		for _, r := range runs {
			if r == i {
				return trace.Failed
			}
		}
		return trace.Succeeded
	}
}

func takes(minutes int) func(int) int { return func(int) int { return minutes } }

func TestRules(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	o.Last = at("2026-10-30 06:00")
	due := func(d Deadline, zone *time.Location) Options {
		with := o
		with.Deadlines, with.Zone = map[string]Deadline{"job": d}, zone
		return with
	}
	later := o
	later.Last = at("2026-11-02 06:00")
	off := o
	off.FailedShare, off.Missing, off.Last = 0, 0, later.Last
	for _, test := range []struct {
		name    string
		o       Options
		n       int
		status  func(int) trace.Status
		minutes func(int) int
		want    string
	}{
		{"well", o, 20, ok, takes(30), ""},
		{"one failure is none", o, 20, failing(19), takes(30), ""},
		{"two of seven failed", o, 20, failing(15, 19), takes(30), "failures job: 2 of 7 runs in the last 7 days did " +
			"not succeed"},
		{"failures of long ago", o, 20, failing(1, 2, 3), takes(30), ""},
		{"within the deadline", due(Deadline{After: time.Hour}, nil), 20, ok, takes(30), ""},
		{"after the deadline", due(Deadline{After: 20 * time.Minute}, nil), 30, ok, takes(30),
			"deadline job: 20 of its last 20 runs ended after 20m; p95 is 10m late"},
		{"one of twenty", due(Deadline{After: time.Hour}, nil), 20, ok, func(i int) int {
			if i == 10 {
				return 61
			}
			return 30
		}, ""},
		// 5:00 UTC is 7:00 in Berlin in summer and, since 25 October, 6:00: 70 minutes later it is 8:10 or 7:10.
		{"a clock time in UTC", due(Deadline{Minute: 6*60 + 30}, nil), 8, ok, takes(70), ""},
		{"a clock time in Berlin", due(Deadline{Minute: 7 * 60}, berlin), 3, ok, takes(70),
			"deadline job: 3 of its last 3 runs ended after 07:00; p95 is 10m late"},
		{"three nights are missing", later, 20, ok, takes(30), "missing job: has not run for 73h at the end of the " +
			"trace; it usually runs every 24h"},
		{"too few runs to tell", later, 5, ok, takes(30), ""},
		{"all rules are off", off, 20, failing(15, 19), takes(30), ""},
	} {
		if got := breaches(t, test.o, test.n, test.status, test.minutes); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// A deadline at the minute of the submission is that of the next day.
func TestDeadlineAt(t *testing.T) {
	d := Deadline{Minute: 5 * 60}
	if got, want := d.At(at("2026-10-30 05:00"), time.UTC), at("2026-10-31 05:00"); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := d.At(at("2026-10-30 04:59"), time.UTC), at("2026-10-30 05:00"); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if d.String() != "05:00" || (Deadline{After: 90 * time.Minute}).String() != "1h30m" {
		t.Errorf("got %v and %v", d, Deadline{After: 90 * time.Minute})
	}
}

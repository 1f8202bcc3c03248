package breach

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"racecard/datasets/result"
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
	o.Last, o.First = at("2026-10-30 06:00"), at("2026-10-11 05:00")
	due := func(d Deadline, zone *time.Location) Options {
		with := o
		with.Deadlines, with.Zone = map[string]Deadline{"job": d}, zone
		return with
	}
	later := o
	later.Last = at("2026-11-02 06:00")
	week, always, gone := o, o, later
	week.First, always.Unusual, gone.Last = at("2026-09-21 05:00"), 0, at("2026-11-10 06:00")
	off := o
	off.FailedShare, off.Missing, off.Stuck, off.Last = 0, 0, 0, later.Last
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
		{"two of five failed", o, 20, failing(15, 19), takes(30), "failures job: 2 of 5 runs in the last 4 d 18 h " +
			"did not succeed, 0 of 15 before"},
		{"two of seven failed", week, 40, failing(35, 39), takes(30), "failures job: 2 of 7 runs in the last 7 days " +
			"did not succeed, 0 of 33 before"},
		{"as many as before", o, 20, failing(1, 3, 5, 7, 9, 11, 15, 19), takes(30), ""},
		{"as many as before, any count", always, 20, failing(1, 3, 5, 7, 9, 11, 14, 19), takes(30),
			"failures job: 2 of 7 runs in the last 7 days did not succeed, 6 of 13 before"},
		{"failures of long ago", o, 20, failing(1, 2, 3), takes(30), ""},
		{"within the deadline", due(Deadline{After: time.Hour}, nil), 20, ok, takes(30), ""},
		{"after the deadline", due(Deadline{After: 20 * time.Minute}, nil), 30, ok, takes(30),
			"deadline job: 20 of its last 20 runs ended after 20 min from submission; p95 is 10 min late"},
		{"one of twenty", due(Deadline{After: time.Hour}, nil), 20, ok, func(i int) int {
			if i == 10 {
				return 61
			}
			return 30
		}, ""},
		{"none succeeded", due(Deadline{After: time.Hour}, nil), 4, failing(0, 1, 2, 3), takes(30),
			"deadline job: 4 of its last 4 runs missed 1 h from submission; 4 did not succeed"},
		{"one of twenty failed", due(Deadline{After: time.Hour}, nil), 20, failing(10), takes(30), ""},
		{"two of twenty failed", due(Deadline{After: time.Hour}, nil), 20, failing(3, 10), takes(30),
			"deadline job: 2 of its last 20 runs missed 1 h from submission; 2 did not succeed"},
		{"the newest hangs", due(Deadline{After: 20 * time.Minute}, nil), 20, func(i int) trace.Status {
			if i == 19 {
				return trace.Running
			}
			return trace.Succeeded
		}, takes(15), "deadline job: 1 of its last 20 runs missed 20 min from submission; the newest has not ended, 40 min late"},
		{"the newest may be in time", due(Deadline{After: 2 * time.Hour}, nil), 20, func(i int) trace.Status {
			if i == 19 {
				return trace.Running
			}
			return trace.Succeeded
		}, takes(15), ""},
		// 5:00 UTC is 7:00 in Berlin in summer and, since 25 October, 6:00: 70 minutes later it is 8:10 or 7:10.
		{"a clock time in UTC", due(Deadline{Minute: 6*60 + 30}, nil), 8, ok, takes(70), ""},
		{"a clock time in Berlin", due(Deadline{Minute: 7 * 60}, berlin), 3, ok, takes(70),
			"deadline job: 3 of its last 3 runs ended after 07:00; p95 is 10 min late"},
		{"the newest died", later, 20, func(i int) trace.Status {
			if i == 19 {
				return trace.Running
			}
			return trace.Succeeded
		}, takes(30), "stuck job: its newest run has not ended 3 d 1 h after its submission; the longest of the 19 before " +
			"it took 30 min"},
		{"the newest still runs", o, 20, func(i int) trace.Status {
			if i == 19 {
				return trace.Running
			}
			return trace.Succeeded
		}, takes(31), ""},
		{"it died, but the next ran", later, 20, func(i int) trace.Status {
			if i == 18 {
				return trace.Running
			}
			return trace.Succeeded
		}, takes(30 * 60), ""},
		{"three nights are missing", later, 20, ok, takes(30), "missing job: has not run for 3 d 1 h at the end of " +
			"the trace; it usually runs every 1 d"},
		{"a campaign that ended", gone, 20, ok, takes(30), ""},
		{"as long a pause after more nights", gone, 40, ok, takes(30), "missing job: has not run for 11 d 1 h at the " +
			"end of the trace; it usually runs every 1 d"},
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
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	d = Deadline{Minute: 150} // from 01:50 the first of two 02:30
	if got, want := d.At(at("2026-10-24 23:50"), berlin), at("2026-10-25 00:30"); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	d = Deadline{Minute: 5 * 60}
	if d.String() != "05:00" || (Deadline{After: 90 * time.Minute}).String() != "1 h 30 min from submission" {
		t.Errorf("got %v and %v", d, Deadline{After: 90 * time.Minute})
	}
}

// A steady fleet raises few false alarms: jobs that fail now and then, each at its own rate, at night, hourly or on
// working days, with jitter. One that then fails in nine of ten is found.
func TestSteadyFleets(t *testing.T) {
	const fleets, jobs = 60, 40
	alarmed, alarms, found := 0, 0, 0
	for fleet := range fleets {
		rng := rand.New(rand.NewPCG(uint64(fleet), 19))
		o := DefaultOptions()
		o.First, o.Last = at("2026-09-01 00:00"), at("2026-10-31 00:00")
		j := New(o)
		worse := false
		for job := range jobs {
			rate := 0.1 * rng.Float64() * rng.Float64()
			step := []trace.Instant{night, night, night, 6 * 60 * minute}[rng.IntN(4)]
			weekdays, clock := rng.IntN(3) == 0, trace.Instant(rng.IntN(300))*minute
			for submit := o.First + clock; submit < o.Last; submit += step {
				if day := submit / night % 7; weekdays && (day == 2 || day == 3) { // 1 January 1970 was a Thursday
					continue
				}
				r := trace.NewRun("r")
				r.Submit = submit + trace.Instant(rng.IntN(10))*minute
				r.End, r.Status = r.Submit+20*minute, trace.Succeeded
				if p := rng.Float64(); p < rate || job == 0 && submit > o.Last-7*night && p < 0.9 {
					r.Status = trace.Failed
				}
				j.Add(fmt.Sprintf("job-%02d", job), r)
			}
		}
		all, err := j.Breaches(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for _, b := range all {
			if b.Job == "job-00" {
				worse = true
			} else {
				wrong++
				t.Logf("fleet %d: %+v", fleet, b)
			}
		}
		alarms += wrong
		if wrong > 0 {
			alarmed++
		}
		if worse {
			found++
		}
	}
	t.Logf("%d false alarms in %d of %d fleets of %d jobs; %d of %d jobs that fail more are found", alarms, alarmed,
		fleets, jobs, found, fleets)
	if alarmed > fleets/20 || found < fleets*95/100 {
		t.Error("want false alarms in at most 5% of fleets, and at least 95% found")
	}
}

// A run that failed and was made good by another before the deadline did not miss it.
func TestRetriedBeforeTheDeadline(t *testing.T) {
	o := DefaultOptions()
	o.Last, o.First = at("2026-10-30 06:00"), at("2026-10-11 05:00")
	for minute, want := range map[int]bool{7 * 60: false, 5*60 + 20: true} { // the second runs end half an hour after 05:00
		o.Deadlines = map[string]Deadline{"job": {Minute: minute}}
		j := New(o)
		nights(j, "job", 20, failing(18, 19), takes(5))
		nights(j, "job", 20, ok, takes(30))
		found, err := j.Breaches(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if late := slices.ContainsFunc(found, func(b result.Breach) bool { return b.Rule == "deadline" }); late != want {
			t.Errorf("deadline at minute %d: %+v", minute, found)
		}
	}
}

// A pattern is the deadline of the jobs that are not named themselves; one that matches no job is unknown.
func TestDeadlinesOfPatterns(t *testing.T) {
	o := DefaultOptions()
	o.Last, o.First = at("2026-10-30 06:00"), at("2026-10-11 05:00")
	o.Deadlines = map[string]Deadline{"a*": {After: 20 * time.Minute}, "ab": {After: time.Hour}, "x*": {After: time.Hour}}
	j := New(o)
	for _, job := range []string{"aa", "ab", "ba"} {
		nights(j, job, 20, ok, takes(30))
	}
	found, err := j.Breaches(t.Context())
	if err != nil || len(found) != 1 || found[0].Job != "aa" || found[0].Rule != Missed {
		t.Errorf("%+v, %v", found, err)
	}
	if unknown := j.Unknown(); len(unknown) != 1 || unknown["x*"] != "" {
		t.Errorf("unknown: %v", unknown)
	}
}

// A name as read that the trace groups by something else is unknown, and comes with the job of its runs.
func TestDeadlinesOfNamesAsRead(t *testing.T) {
	o := DefaultOptions()
	o.Deadlines = map[string]Deadline{"etl-2026-10-02": {After: time.Hour}, "load": {After: time.Hour}}
	j := New(o)
	for i, names := range [][2]string{{"etl-2026-10-01", "etl-#"}, {"load", "ann"}} {
		run := trace.NewRun(names[0])
		run.Name, run.Submit, run.End = names[0], trace.Instant(i), trace.Instant(i)+1
		j.Add(names[1], run)
	}
	if unknown := j.Unknown(); len(unknown) != 1 || unknown["load"] != "ann" {
		t.Errorf("unknown: %v", unknown)
	}
}

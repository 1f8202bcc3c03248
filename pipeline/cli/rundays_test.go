package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// Dates on which no run is expected: of a job that keeps to weekdays, to a day of the month, or to its last day. A
// holiday is no other weekday, and neither few weeks nor a job without a rule tell anything.
func TestDaysWithoutARun(t *testing.T) {
	at := func(date string) time.Time {
		d, err := time.Parse(time.DateOnly, date)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	runs := func(from string, days int, on func(d time.Time) bool) (all []trace.Instant) {
		for i := range days {
			if d := at(from).AddDate(0, 0, i).Add(23 * time.Hour); on(d) {
				all = append(all, trace.Instant(d.UnixMicro()))
			}
		}
		slices.Reverse(all)
		return all
	}
	weekly := func(d time.Time) bool { return d.Weekday() == time.Monday }
	workdays := func(d time.Time) bool {
		return d.Weekday() != time.Saturday && d.Weekday() != time.Sunday && d.Format("01-02") != "10-05"
	}
	monthly := func(d time.Time) bool { return d.Day() == 1 }
	monthEnd := func(d time.Time) bool { return d.AddDate(0, 0, 1).Day() == 1 }
	for _, tc := range []struct {
		name string
		from string
		days int
		runs func(d time.Time) bool
		date string
		want string
	}{
		{"weekly", "2026-09-01", 90, weekly, "2026-12-07", ""},
		{"weekly", "2026-09-01", 90, weekly, "2026-12-06",
			"in the 8 weeks before the newest run, all runs were submitted on Mondays: none is expected on 2026-12-06, a Sunday"},
		{"3 weeks", "2026-11-09", 21, weekly, "2026-12-06", ""},
		{"workdays", "2026-09-01", 90, workdays, "2026-12-05", "on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays"},
		{"workdays", "2026-09-01", 90, workdays, "2026-12-07", ""},
		{"monthly", "2026-05-01", 200, monthly, "2026-12-02", "all past runs were submitted on day 1 of a month"},
		{"monthly", "2026-05-01", 200, monthly, "2026-12-01", ""},
		{"3 months", "2026-09-01", 80, monthly, "2026-12-02", ""},
		{"month's end", "2026-05-01", 200, monthEnd, "2027-02-28", ""},
		{"month's end", "2026-05-01", 200, monthEnd, "2026-12-30", "on the last day of a month"},
		{"every third day", "2026-05-01", 200, func(d time.Time) bool { return d.YearDay()%3 == 0 }, "2026-12-02", ""},
		{"none", "2026-05-01", 0, weekly, "2026-12-02", ""},
	} {
		got := offDay(runs(tc.from, tc.days, tc.runs), at(tc.date), time.UTC)
		if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s on %s: %q, want %q", tc.name, tc.date, got, tc.want)
		}
	}
	// On Fridays at 23:50, up to 20 minutes early or late: every third run is submitted on a Saturday.
	var late []trace.Instant
	for i := range 12 {
		late = append(late, trace.Instant(at("2026-08-07").AddDate(0, 0, 7*i).Add(1430*time.Minute+
			time.Duration(i%3-1)*20*time.Minute).UnixMicro()))
	}
	for date, want := range map[string]string{"2026-10-28": "a Wednesday", "2026-10-30": "", "2026-10-31": "a Saturday"} {
		if got := offDay(late, at(date), time.UTC); (got == "") != (want == "") || !strings.HasSuffix(got, want) ||
			want != "" && !strings.Contains(got, "on Fridays:") {
			t.Errorf("late on Fridays, on %s: %q, want %q", date, got, want)
		}
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if got := offDay(runs("2026-09-01", 90, weekly), at("2026-12-08"), berlin); got != "" { // 23:00 UTC is Tuesday there
		t.Errorf("in Berlin: %q", got)
	}
}

// Jobs run daily at 02:00, on Mondays at 03:00 and on the first of a month at 04:00. A pattern with a date stands for
// those of the date; without one the plan says which of them are seldom; a job that is named stays, with a note, as in
// its forecast.
func TestPlanOfADateHasItsJobs(t *testing.T) {
	var lines strings.Builder
	for i := range 150 {
		d := time.Date(2026, 5, 4+i, 2, 0, 0, 0, time.UTC) // a Monday
		for name, on := range map[string]bool{"daily": true, "weekly": i%7 == 0, "monthly": d.Day() == 1} {
			if on {
				at := d.Unix() + int64(3600*slices.Index([]string{"daily", "weekly", "monthly"}, name))
				fmt.Fprintf(&lines, `{"id":"%s-%d","name":%[1]q,"submit_s":%[3]d,"end_s":%d,"guaranteed":2,`+
					`"stages":[{"durations_s":[60,60]}]}`+"\n", name, i, at, at+60)
			}
		}
	}
	s := importJSONL(t, lines.String())
	for _, tc := range []struct{ job, on, want, note string }{
		{"*", "2026-12-01", "daily monthly", "the day begins on 2026-12-01 at 02:00; 1 job is left out, as past runs were on " +
			"other days: weekly"},
		{"*", "2026-12-07", "daily weekly", "other days: monthly"},
		{"*", "2027-02-01", "daily weekly monthly", ""},
		{"*", "2026-12-02", "daily", "2 jobs are left out, as past runs were on other days: monthly and weekly"},
		{"*", "", "daily weekly monthly", "do not run every day; typically: monthly every 31 d, weekly every 7 d"},
		{"weekly", "2026-12-01", "weekly", "weekly: in the 8 weeks before the newest run, all runs were submitted on Mondays"},
	} {
		args := []string{"plan", s, "--json", "-q", "--min-runs", "4", "--days", "20", "--tokens", "8", tc.job + "@23:00"}
		if tc.on != "" {
			args = append(args, "--on", tc.on)
		}
		var d result.Agenda
		_, stdout, stderr := call(t, args...)
		if err := json.Unmarshal([]byte(stdout), &d); err != nil {
			t.Fatal(err, stderr)
		}
		got := strings.Join(lists.Map(d.Jobs, func(j result.AgendaJob) string { return j.Job }), " ")
		notes := strings.Join(d.Warnings, "\n")
		if got != tc.want || !strings.Contains(notes, tc.note) || tc.note == "" && notes != "" {
			t.Errorf("%s on %s: %s, %q; want %s, %q", tc.job, tc.on, got, d.Warnings, tc.want, tc.note)
		}
	}
	_, _, stderr := call(t, "plan", s, "--min-runs", "4", "--tokens", "8", "week*@23:00", "--on", "2026-12-01")
	_, out, _ := call(t, "forecast", s, "--job", "weekly", "--on", "2026-12-01")
	if !strings.Contains(stderr, "no job of the plan runs on 2026-12-01") || !strings.Contains(out, "none is expected on") {
		t.Errorf("%s; %s", stderr, out)
	}
}

// A job of 30 hours on workdays at 02:00 still holds a token at 03:00 of every day but Monday: on two tokens, a job of an
// hour then waits until 08:00.
func TestPlanOfADateKnowsTheDayBefore(t *testing.T) {
	monday := time.Date(2026, 8, 3, 0, 0, 0, 0, time.UTC)
	var lines strings.Builder
	for d := range 61 {
		at, line := monday.AddDate(0, 0, d), func(name string, hour, hours int) {
			from := monday.AddDate(0, 0, d).Unix() + int64(hour)*3600
			fmt.Fprintf(&lines, `{"id":"%s%d","name":"%[1]s","submit_s":%[3]d,"end_s":%[4]d,"guaranteed":1,`+
				`"stages":[{"durations_s":[%[5]d]}]}`+"\n", name, d, from, from+int64(hours)*3600, hours*3600)
		}
		if line("short", 3, 1); at.Weekday() != time.Saturday && at.Weekday() != time.Sunday {
			line("long", 2, 30)
		}
	}
	store := importJSONL(t, lines.String())
	for date, want := range map[string]string{"2026-10-05": "04:00", "2026-10-06": "09:00"} {
		var d result.Agenda
		if err := json.Unmarshal([]byte(must(t, "plan", store, "--tokens", "2", "long", "short", "--on", date, "--json", "-q")),
			&d); err != nil {
			t.Fatal(err)
		}
		if d.Jobs[1].Job != "short" || d.Jobs[1].P50End != want {
			t.Errorf("on %s: %+v, want an end at %s", date, d.Jobs[1], want)
		}
	}
}

package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// A pattern stands for the recurring jobs that match: a job that is named itself keeps its deadline, one with few runs
// and one that ended long ago are left out, one that only fails of late is not, and the plan says so. A job whose name
// is the pattern stands for itself.
func TestPlanOfAPattern(t *testing.T) {
	var lines strings.Builder
	line := func(name string, night, hour int) {
		at := 1_792_972_800 + 86_400*night + 3600*hour
		fmt.Fprintf(&lines, `{"id":"%s-%d","name":%[1]q,"submit_s":%[3]d,"end_s":%d,"guaranteed":2,`+
			`"stages":[{"durations_s":[60,60]}]}`+"\n", name, night, at, at+60)
	}
	for night := range 40 {
		for hour, name := range []string{"load", "sum", "web/a", "web/b", "c*"} {
			line(name, night, hour)
		}
		if night >= 35 {
			line("new", night, 5)
		}
		if night < 12 {
			line("old", night, 5)
		}
		if night < 15 {
			line("ill", night, 2)
		}
	}
	lines.WriteString(`{"id":"x","name":"ill","submit_s":1796428801,"end_s":1796428802,"status":"failed",` +
		`"stages":[{"tasks":1}]}` + "\n")
	s := importJSONL(t, lines.String())
	plan := func(args ...string) (d result.Agenda, stderr string) {
		_, stdout, stderr := call(t, append([]string{"plan", s, "--json", "-q", "--days", "20", "--tokens", "8"}, args...)...)
		if stdout != "" {
			if err := json.Unmarshal([]byte(stdout), &d); err != nil {
				t.Fatal(err)
			}
		}
		return d, stderr
	}
	jobs := func(d *result.Agenda) string {
		return strings.Join(lists.Map(d.Jobs, func(j result.AgendaJob) string {
			return j.Job + "@" + j.Deadline + strings.Join(j.After, "+")
		}), " ")
	}
	for _, tc := range []struct {
		args       []string
		want, note string
	}{
		{[]string{"*@06:00", "sum@01:30"}, "load@06:00 sum@01:30 ill@06:00 web/a@06:00 web/b@06:00 c*@06:00",
			"'*' stands for 5 jobs; 1 job is left out with fewer than 10 runs that succeeded (--min-runs); 1 job is left " +
				"out, as it has not run for half"},
		{[]string{"*@06:00", "--min-runs", "5"}, "load@06:00 sum@06:00 ill@06:00 web/a@06:00 web/b@06:00 c*@06:00 new@06:00", ""},
		{[]string{"web/*@04:00,after=load", "load"}, "load@ web/a@04:00load web/b@04:00load", ""},
		{[]string{"c*@05:00,after=web/?", "web/?"}, "web/a@ web/b@ c*@05:00web/a+web/b", ""},
	} {
		d, stderr := plan(tc.args...)
		if got := jobs(&d); got != tc.want || !strings.Contains(strings.Join(d.Warnings, "\n"), tc.note) {
			t.Errorf("%v: %s, %q; %s", tc.args, got, d.Warnings, stderr)
		}
		if tc.note == "" && slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, "stands for") }) &&
			tc.args[1] != "--min-runs" {
			t.Errorf("%v: %q", tc.args, d.Warnings)
		}
	}
	for arg, want := range map[string]string{"x*@06:00": "no recurring job matches 'x*'; it has 8 jobs",
		"n*@06:00": "no recurring job matches 'n*'; 1 job is left out", "[a@06:00": "syntax error in pattern",
		"load@06:00,after=x*": "x*, which is not in the plan"} {
		if _, stderr := plan(arg); !strings.Contains(stderr, want) {
			t.Errorf("%s: %s, want %q", arg, stderr, want)
		}
	}
}

// Names of jobs may hold an @ and commas, in a plan and on the desk. What begins with a digit behind the last @ is a
// deadline.
func TestPlanOfNamesWithSigns(t *testing.T) {
	names := []string{"mail@night", "mail@3am", "a,b", "c,start=x", "d@e,f"}
	var lines strings.Builder
	for i := range 20 * len(names) {
		at := 1_792_972_800 + 86_400*(i/len(names))
		fmt.Fprintf(&lines, `{"id":"r%d","name":%q,"submit_s":%d,"end_s":%d,"guaranteed":2,`+
			`"stages":[{"durations_s":[60,60]}]}`+"\n", i, names[i%len(names)], at, at+60)
	}
	s := importJSONL(t, lines.String())
	for arg, want := range map[string]string{"mail@night": "mail@night@", "mail@night@07:00": "mail@night@07:00",
		"mail@3am@": "mail@3am@", "mail@3am@07:00": "mail@3am@07:00", "a,b": "a,b@", "d@e,f": "d@e,f@",
		"d@e,f@07:00,start=06:00": "d@e,f@07:00", "mail@night@,after=a,b": "mail@night@"} {
		var d result.Agenda
		args := []string{"plan", s, "--days", "20", "--tokens", "8", arg}
		if strings.Contains(arg, "after") {
			args = append(args, "a,b")
		}
		ask(t, &d, args...)
		if got := d.Jobs[0].Job + "@" + d.Jobs[0].Deadline; got != want {
			t.Errorf("%s: %s, want %s", arg, got, want)
		}
	}
	for arg, want := range map[string]string{"mail@7": "want a clock time", "@": "no name", "mail@noon": `"mail@noon"`} {
		if status, _, stderr := call(t, "plan", s, "--tokens", "8", arg); status == ExitDone || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", arg, status, stderr)
		}
	}
	var page struct{ Plan struct{ Args []string } }
	desk := deskPage(t, s, "--deadline", `"d@e,f=07:00"`)
	if err := json.Unmarshal(deskData(t, desk), &page); err != nil {
		t.Fatal(err)
	}
	slices.Sort(page.Plan.Args)
	if got := strings.Join(page.Plan.Args, " "); got != "a,b d@e,f@07:00 mail@3am@ mail@night@" {
		t.Errorf("the desk plans %s", got)
	}
}

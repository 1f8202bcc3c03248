package cli

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"racecard/datasets/result"
)

// The parts of a run's difference sum to it, and each planted cause is the largest part of the first night that has it.
func TestExplainNights(t *testing.T) {
	store := nights(t, "nights", "240", "1")
	for run, want := range map[string][2]string{"nightly-join-0030": {"stage", "join"},
		"nightly-cores-0030": {"cores", ""}, "nightly-growth-0059": {"input", ""}} {
		var d result.Explanation
		ask(t, &d, "explain", store, "--run", run)
		sum := 0.0
		for _, p := range d.Parts {
			sum += p.Seconds
		}
		if math.Abs(sum-(d.TookS-d.UsualS)) > 1e-6 {
			t.Errorf("%s: parts sum to %v, the difference is %v", run, sum, d.TookS-d.UsualS)
		}
		if p := d.Parts[0]; (p.What != want[0] || p.Stage != want[1]) || d.UsualRuns != 30 {
			t.Errorf("%s: the largest part is %+v, of %d runs", run, p, d.UsualRuns)
		}
	}
	var latest, slowest result.Explanation
	ask(t, &latest, "explain", store, "--job", "nightly-cores")
	if latest.Run != "nightly-cores-0059" {
		t.Errorf("the latest run is %s", latest.Run)
	}
	ask(t, &slowest, "explain", store, "--slowest", "--history-url", "http://history:18080/")
	if slowest.TookS < latest.TookS || slowest.Link != "http://history:18080/history/"+slowest.Run+"/jobs/" {
		t.Errorf("the slowest run is %+v", slowest)
	}
	var day result.Explanation // its usual runs are the runs of the nights before
	ask(t, &day, "explain", store, "--on", "2026-10-01")
	if day.Run != "nightly-join-0030" || day.UsualRuns != 30 {
		t.Errorf("the slowest run of the day is %s, of %d runs", day.Run, day.UsualRuns)
	}
	ask(t, &day, "explain", store, "--on", "2026-10-01", "--job", "nightly-steady", "--timezone", "Europe/Berlin")
	if day.Run != "nightly-steady-0030" {
		t.Errorf("the run of the job on that day is %s", day.Run)
	}
	for _, tc := range []struct {
		args []string
		says string
	}{
		{[]string{"explain", store, "--on", "2027-10-01"}, "no slowest run on 2027-10-01"},
		{[]string{"explain", store, "--on", "2027-10-01", "--job", "nightly-join"}, `no run of job "nightly-join" on 2027-10-01`},
		{[]string{"explain", store, "--job", "nightly-jion"}, `no run of job "nightly-jion"; the nearest names are nightly-join`},
		{[]string{"explain", importJSONL(t, `{"id":"r","submit_s":0,"end_s":9,"stages":[{"tasks":1}]}`), "--on",
			"2026-10-01"}, "its times count from its start"},
		{[]string{"explain", store}, "want --run ID"},
		{[]string{"explain", store, "--run", "nightly-join-0099"}, "no run \"nightly-join-0099\""},
		{[]string{"explain", store, "--run", "x", "--slowest"}, "--run names a run"},
	} {
		if status, _, stderr := call(t, tc.args...); status == ExitDone || !strings.Contains(stderr, tc.says) {
			t.Errorf("%v: status %d, %s", tc.args, status, stderr)
		}
	}
}

// A stage of a run has six tasks of 60 s on two cores, usually four: its part says so. One more than twenty is as usual.
func TestExplainCountsTasks(t *testing.T) {
	line := func(id string, at, tasks int) string {
		end := at + (tasks+1)/2*60
		return fmt.Sprintf(`{"id":%q,"name":"etl","submit_s":%d,"end_s":%d,"status":"succeeded","guaranteed":2,`+
			`"stages":[{"name":"map","durations_s":[60%s]}]}`+"\n", id, at, end, strings.Repeat(",60", tasks-1))
	}
	for _, tc := range []struct {
		usual, here int
		want        string
	}{{4, 6, "stage map, 4 → 6 tasks "}, {20, 21, "stage map "}, {4, 4, ""}} {
		var b strings.Builder
		for k := range 8 {
			b.WriteString(line(fmt.Sprint("r", k), k*day, tc.usual))
		}
		b.WriteString(line("last", 8*day, tc.here))
		text := must(t, "explain", importJSONL(t, b.String()), "--run", "last", "-q")
		if strings.Contains(text, " tasks ") != strings.Contains(tc.want, "→") || !strings.Contains(text, "  "+tc.want) {
			t.Errorf("%d tasks instead of %d: %s", tc.here, tc.usual, text)
		}
	}
}

// The history server keeps attempts of an application apart.
func TestHistoryLink(t *testing.T) {
	for run, want := range map[string]string{
		"application_1472176676028_407508_1": "http://h:18080/history/application_1472176676028_407508/1/jobs/",
		"application_1472176676028_407508":   "http://h:18080/history/application_1472176676028_407508/jobs/",
		"app-20211019113801-0001":            "http://h:18080/history/app-20211019113801-0001/jobs/",
		"local-1426533911241_2":              "http://h:18080/history/local-1426533911241/2/jobs/",
		"a/b":                                "http://h:18080/history/a%2Fb/jobs/",
	} {
		if got := historyLink("http://h:18080/", run); got != want {
			t.Errorf("%s: %s, want %s", run, got, want)
		}
	}
}

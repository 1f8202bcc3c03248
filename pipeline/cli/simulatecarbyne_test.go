package cli

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// figure2 is the workload of Carbyne's Figure 2: one resource of 1, two jobs.
const figure2 = `{"id":"J1","group":"x","stages":[{"name":"S0","tasks":2,"duration_s":1,"cpu":0.04},{"name":"S1","tasks":3,"duration_s":1,"cpu":0.21},{"name":"S2","tasks":1,"duration_s":0.1,"cpu":0.1,"parents":[0,1]}]}
{"id":"J2","group":"y","stages":[{"name":"S0","tasks":2,"duration_s":1,"cpu":0.29}]}
`

func figure2File(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "figure2.jsonl")
	if err := os.WriteFile(path, []byte(figure2), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCarbyneFigure2: 2.1 and 2.0 s in fixed halves, 2.1 and 1.0 under Carbyne, of which half the resource is left at
// 0.
func TestCarbyneFigure2(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	status, stdout, stderr := call(t, "simulate", "carbyne", figure2File(t), "--pooled", "--capacity", "cpu=1",
		"--schedulers", "drf-static,carbyne",
		"--per-job", "--json", "--out", out)
	var doc result.Carbyne
	if err := json.Unmarshal([]byte(stdout), &doc); status != ExitDone || err != nil {
		t.Fatalf("status %d, %v\n%s", status, err, stderr)
	}
	for name, want := range map[string][3]float64{"drf-static": {2.1, 2, 2.05}, "carbyne": {2.1, 1, 1.55}} {
		s := doc.Schedulers[name]
		if got := [3]float64{s.JCTByJob["J1"], s.JCTByJob["J2"], s.JCT.Mean}; got[0] != want[0] || got[1] != want[1] ||
			math.Abs(got[2]-want[2]) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if got := doc.Schedulers["carbyne"].LeftoverAtStart["cpu"]; got != 0.5 {
		t.Errorf("%v is left at 0, want 0.5", got)
	}
	if _, text, _ := call(t, "simulate", "carbyne", figure2File(t), "--pooled", "--capacity", "cpu=1", "--schedulers",
		"carbyne"); !strings.Contains(text, "left after the tasks that must start cpu 50%") {
		t.Errorf("nothing of leftover in\n%s", text)
	}
	if got := doc.Improvement["drf-static"]; got.Min != 1 || got.Max != 2 || doc.Cluster.Total["cpu"] != 1 ||
		len(doc.Cluster.Total) != 1 || len(doc.Warnings) != 1 {
		t.Errorf("improvement %+v, cluster %+v, warnings %v", got, doc.Cluster, doc.Warnings)
	}
	b, err := result.Load(os.DirFS(out))
	if err != nil || b.Documents["carbyne"] == nil || b.Tables["carbyne"].Len() != 4 ||
		!strings.Contains(b.Provenance.Command, "--capacity=cpu=1") {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestCarbyneStore replays a store on the machines it holds, and runs an experiment.
func TestCarbyneStore(t *testing.T) {
	s := importJSONL(t, figure2)
	status, stdout, stderr := call(t, "simulate", "carbyne", s, "--machines", "2", "--capacity", "cpu=0.5",
		"--interarrival", "0.5", "--jobs", "6", "--load", "2",
		"--schedulers", "drf,capacity,carbyne-dagps,carbyne", "--weights", "x=2", "--experiment", "load,dagps",
		"--runs", "2", "--per-job")
	if status != ExitDone {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	for _, want := range []string{"6 jobs", "for a load of 2", "load, medians of 2 runs", "carbyne-dagps", "J2#2",
		"mean gap 0.5 s"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "are drawn") {
		t.Errorf("nothing that is modelled is drawn:\n%s", stdout)
	}
	same := func(workers string) string {
		_, stdout, _ := call(t, "simulate", "carbyne", s, "--p-altruism", "0.5", "--experiment", "online", "--runs",
			"3", "--workers", workers, "--json")
		return stdout
	}
	if one, four := same("1"), same("4"); one != four || !strings.Contains(one, `"seeds": [`) {
		t.Errorf("one worker\n%s\nfour\n%s", one, four)
	}
}

func TestCarbyneUsage(t *testing.T) {
	path := figure2File(t)
	for _, test := range []struct {
		says   string
		status int
		args   []string
	}{
		{"a store, or trace files", ExitUsage, nil},
		{"nowhere", ExitFailed, []string{"nowhere"}},
		{"lifo", ExitUsage, []string{path, "--schedulers", "lifo"}},
		{"drf twice", ExitUsage, []string{path, "--schedulers", "drf,drf"}},
		{"--experiment nosuch: want one of all", ExitUsage, []string{path, "--experiment", "nosuch"}},
		{"cpu", ExitUsage, []string{path, "--capacity", "cores=1"}},
		{"cpu", ExitUsage, []string{path, "--capacity", "cpu=-1"}},
		{"--machines", ExitUsage, []string{path, "--machines", "many"}},
		{"--machines trace and --capacity", ExitUsage, []string{path, "--machines", "trace", "--capacity", "cpu=1"}},
		{"no machines", ExitUsage, []string{path, "--machines", "trace"}},
		{"--p-altruism", ExitUsage, []string{path, "--p-altruism", "1.5"}},
		{"--interarrival", ExitUsage, []string{path, "--load", "0.5"}},
		{"--runs", ExitUsage, []string{path, "--runs", "0"}},
		{"--interarrival 0: want 1us to", ExitUsage, []string{path, "--interarrival", "0"}},
		{"--offline and --interarrival", ExitUsage, []string{path, "--interarrival", "2", "--offline"}},
		{"--workers 0: want 1 to 256", ExitUsage, []string{path, "--workers", "0"}},
		{"--fairness", ExitUsage, []string{path, "--fairness", "2"}},
		{"--remaining", ExitUsage, []string{path, "--remaining", "-1"}},
		{"--misestimate", ExitUsage, []string{path, "--misestimate", "-1"}},
		{"--leftover most: want one of work, time, packing", ExitUsage, []string{path, "--leftover", "most"}},
		{"--demands none: want runnable or remaining", ExitUsage, []string{path, "--demands", "none"}},
		{"--weights", ExitUsage, []string{path, "--weights", "x=much"}},
		{"no such job", ExitFailed, []string{path, "--follow", "J3"}},
	} {
		status, _, stderr := call(t, append([]string{"simulate", "carbyne"}, test.args...)...)
		if status != test.status || !strings.Contains(stderr, test.says) {
			t.Errorf("%v: status %d, want %d, saying %q: %s", test.args, status, test.status, test.says, stderr)
		}
	}
}

func TestCapacity(t *testing.T) {
	d, err := parseCapacity("cpu=20, net=1.25e9,disk_read=5e8")
	if err != nil || d[trace.CPU] != 20 || d[trace.NetIn] != 1.25e9 || d[trace.NetOut] != 1.25e9 ||
		d[trace.DiskRead] != 5e8 || !math.IsNaN(d[trace.DiskWrite]) {
		t.Errorf("%v, %v", d, err)
	}
	m := trace.NewMachine("m")
	m.CPU, m.Net = 4, 1e9
	if d := capacityOf(&m); d[trace.CPU] != 4 || d[trace.NetOut] != 1e9 || !math.IsNaN(d[trace.Mem]) {
		t.Errorf("%v", d)
	}
}

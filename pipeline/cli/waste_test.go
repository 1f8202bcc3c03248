package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/sample"
	"racecard/datasets/words"
)

// Two nights of one job on 4 cores for an hour each, of which 1 core works, and one of another that failed: 12
// core-hours, of which 2 are useful. A night would take as long on 1 core: 3 of 4 core-hours are saved each, 6 in the
// day between the nights.
func TestWasteByHand(t *testing.T) {
	night := func(id, name, status string, day int) string {
		b, _ := json.Marshal(map[string]any{"id": id, "name": name, "user": "ann", "group": "g" + id, "status": status,
			"guaranteed": 4,
			"submit_s":   day * 86400, "start_s": day * 86400, "end_s": day*86400 +
				3600, "stages": []any{map[string]any{"tasks": 1}},
			"tasks": []any{map[string]any{"stage": 0, "task": 0, "start_s": day * 86400, "end_s": day*86400 +
				3600, "status": "succeeded"}}})
		return string(b) + "\n"
	}
	store := importJSONL(t, night("a", "etl-2026-10-30", "succeeded", 0)+night("b", "etl-2026-10-31", "succeeded", 1)+
		night("c", "adhoc", "failed", 1))
	prices := filepath.Join(t.TempDir(), "prices")
	if err := os.WriteFile(prices, []byte("# all machines\n* cpu=0.5/h\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := call(t, "waste", "--json", "--price", prices, store)
	if status != ExitDone {
		t.Fatal(stderr)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]float64{
		"held_core_h": 12, "wasted_core_h": 10, "cost": 6, "classes.useful": 2, "classes.failed": 1,
		"classes.unused": 9, "classes.driver": 0,
		"classes.speculative": 0, "classes.barrier_idle": 0, "classes.tail_idle": 0, "period_s": 86400,
	} {
		if x := dig(map[string]map[string]any{"waste": got}, "waste."+path); math.Abs(x-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", path, x, want)
		}
	}
	etl := got["jobs"].([]any)[0].(map[string]any)
	if etl["job"] != "etl-#" || etl["runs"] != 2. || etl["wasted_core_h"] != 6. || etl["recommended_cores"] != 1. ||
		math.Abs(etl["cost"].(float64)-4) > 1e-9 {
		t.Errorf("got %v", etl)
	}
	if x := etl["saving_per_month"].(float64); math.Abs(x-1.5*365.25/12) > 1e-6 { // 3 core-hours at 0.5 a night
		t.Errorf("saving a month is %v, want %v", x, 1.5*365.25/12)
	}
	adhoc := got["jobs"].([]any)[1].(map[string]any)
	if v, there := adhoc["recommended_cores"]; !there || v != nil || adhoc["why"] != "none of its runs succeeded" {
		t.Errorf("got %v", adhoc)
	}
	if status, stdout, _ = call(t, "waste", "--json", "--job", "etl-#", "--until", "12h", store); status != ExitDone ||
		!strings.Contains(stdout, `"runs": 1`) {
		t.Errorf("--job and --until: status %d, %s", status, stdout)
	}
	if status, stdout, _ = call(t, "waste", store); status != ExitDone ||
		!strings.Contains(stdout, "10 of 12 core-hours (83%)") {
		t.Errorf("status %d:\n%s", status, stdout)
	}
}

// Where the trace does not say how runs ended, those that ended are simulated. Of four cores held for 100 s, with tasks
// of 95, 10, 10 and 10 s, two suffice.
func TestWasteOfUnstatedOutcomes(t *testing.T) {
	var lines strings.Builder
	for i := range 10 {
		fmt.Fprintf(&lines, `{"id":"r%d","name":"n","status":"unknown","submit_s":%[2]d,"start_s":%[2]d,"end_s":%[3]d,`+
			`"guaranteed":4,"stages":[{"tasks":4}],"tasks":[`, i, i*3600, i*3600+100)
		for k, seconds := range []int{95, 10, 10, 10} {
			fmt.Fprintf(&lines, `%s{"stage":0,"task":%d,"start_s":%d,"end_s":%d}`, words.When(k > 0, ","), k, i*3600,
				i*3600+seconds)
		}
		lines.WriteString("]}\n")
	}
	store := importJSONL(t, lines.String())
	var doc result.Waste
	ask(t, &doc, "waste", store)
	if job := &doc.Jobs[0]; job.Succeeded != 0 || job.RecommendedCores != 2 {
		t.Errorf("got %+v", job)
	}
	got, want := must(t, "analyze", "--only", "cov", store), "1 recurring job, 100% of 10 runs that ended"
	if !strings.Contains(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestWasteNotAvailable(t *testing.T) {
	store := importJSONL(t, `{"id":"a","name":"n","submit_s":0,"end_s":5,"stages":[{"tasks":3}]}`+"\n")
	status, stdout, stderr := call(t, "waste", "--json", store)
	if status != ExitDone || !strings.Contains(stdout, `"available": false`) ||
		!strings.Contains(stdout, "tasks.start") {
		t.Errorf("status %d, %s %s", status, stdout, stderr)
	}
}

// Where no run states what it held, the classes without tasks are not zero but unknown.
func TestWasteOfTasksAlone(t *testing.T) {
	run := func(held string) string {
		return `{"id":"a","name":"n","submit_s":0,"end_s":3600,` + held + `"stages":[{"tasks":1}],` +
			`"tasks":[{"stage":0,"task":0,"start_s":600,"end_s":3600,"status":"succeeded"}]}` + "\n"
	}
	for held, unused := range map[string]string{"": "–", `"guaranteed":2,`: "0.833"} { // one token for 50 min
		_, stdout, stderr := call(t, "waste", importJSONL(t, run(held)))
		if got := regexp.MustCompile(`unused +(\S+)`).FindStringSubmatch(stdout); got == nil || got[1] != unused {
			t.Errorf("%s: %q, want %s; %s%s", held, got, unused, stdout, stderr)
		}
	}
}

func TestBadPrices(t *testing.T) {
	for _, bad := range []string{"", "cpu=0.04", "cpu=x/h", "cpu=-1/h", "mem=1/h", "cpu=1/h,cpu=2/h", "disk=1/h",
		"cpu=NaN/h", "cpu=0x1/h"} {
		if err := checkPrices(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	for _, bad := range []string{"cpu=x/h", "/dev/null", "nowhere"} {
		if _, err := parsePrices(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// The embedded sample: classes add up, and the filter by time, user and job is a subset.
func TestWasteOfSample(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "logs"), sample.Logs); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := call(t, "import", "--quiet", "--out", filepath.Join(dir, "s"),
		filepath.Join(dir, "logs")); status != ExitDone {
		t.Fatal(stderr)
	}
	held := func(args ...string) float64 {
		_, stdout, stderr := call(t, append([]string{"waste", "--json", "--quiet", filepath.Join(dir, "s")},
			args...)...)
		var got struct {
			Held    float64            `json:"held_core_h"`
			Classes map[string]float64 `json:"classes"`
		}
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatal(err, stderr)
		}
		sum := 0.0
		for _, x := range got.Classes {
			sum += x
		}
		if len(got.Classes) != 7 || math.Abs(sum-got.Held) > 1e-9 || got.Held <= 0 {
			t.Errorf("%v: classes %v add up to %v of %v", args, got.Classes, sum, got.Held)
		}
		return got.Held
	}
	whole := held()
	if parts := held("--since", "20m") + held("--until", "20m"); math.Abs(parts-whole) > 1e-9 {
		t.Errorf("two periods hold %v, the whole %v", parts, whole)
	}
	if jobs := held("--job", "customer-360") + held("--job", "sales-rollup-#") +
		held("--job", "clicks-by-customer,page-importance"); math.Abs(jobs-whole) > 1e-9 {
		t.Errorf("jobs hold %v, the whole %v", jobs, whole)
	}
}

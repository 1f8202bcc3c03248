package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/result"
)

// answered runs a command that answers in JSON and returns its object. A refusal is an answer, too.
func answered(t *testing.T, args ...string) map[string]any {
	t.Helper()
	status, stdout, stderr := call(t, append(args, "--json", "-q")...)
	if status != ExitDone && status != ExitRefused {
		t.Fatalf("%v: status %d, %s", args, status, stderr)
	}
	var doc map[string]any
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
		t.Fatalf("%v: %v: %s", args, err, stdout)
	}
	return doc
}

// hasKeys checks that an object has keys.
func hasKeys(t *testing.T, what string, doc any, keys ...string) {
	t.Helper()
	object, ok := doc.(map[string]any)
	for _, key := range keys {
		if _, has := object[key]; !ok || !has {
			t.Errorf("%s: no %q in %v", what, key, doc)
		}
	}
}

func firstOf(t *testing.T, doc map[string]any, key string) any {
	t.Helper()
	list, ok := doc[key].([]any)
	if !ok || len(list) == 0 {
		t.Fatalf("%s is %v", key, doc[key])
	}
	return list[0]
}

// The answers of the planner's commands have the keys that programs rely on, and what must add up does.
func TestKeysAndSumsOfAnswers(t *testing.T) {
	s := nights(t, "nights", "240", "1")
	w := answered(t, "waste", s)
	hasKeys(t, "waste", w, "held_core_h", "classes", "jobs")
	hasKeys(t, "classes", w["classes"], "useful", "failed", "speculative", "barrier_idle", "tail_idle", "driver",
		"unused")
	hasKeys(t, "waste job", firstOf(t, w, "jobs"), "job", "runs", "held_core_h", "wasted_core_h", "cost",
		"recommended_cores", "saving_per_month")
	sum := 0.0
	for _, x := range w["classes"].(map[string]any) {
		sum += x.(float64)
	}
	if held := w["held_core_h"].(float64); math.Abs(sum-held) > 1e-9*held {
		t.Errorf("classes sum to %v, held %v", sum, held)
	}

	c := answered(t, "compare", s)
	hasKeys(t, "compare", c, "jobs", "appeared", "disappeared")
	job := firstOf(t, c, "jobs")
	hasKeys(t, "compared job", job, "job", "before", "after", "change", "interval", "p_value", "cause")
	for _, period := range []string{"before", "after"} {
		hasKeys(t, period, job.(map[string]any)[period], "n", "mean", "min", "p10", "p25", "p50", "p75", "p90", "p95",
			"p99", "max")
	}
	cause := job.(map[string]any)["cause"]
	hasKeys(t, "cause", cause, "kind", "stage", "since")
	kinds := []string{"stage", "input", "cores", "queueing", "failures", "skew", "none"}
	if kind := cause.(map[string]any)["kind"]; !slices.Contains(kinds, kind.(string)) {
		t.Errorf("kind %v", kind)
	}

	for _, run := range []string{"nightly-join-0030", "nightly-cores-0059", "nightly-steady-0012",
		"nightly-growth-0001"} {
		e := answered(t, "explain", s, "--run", run)
		hasKeys(t, "explain", e, "run", "took_s", "usual_s", "parts")
		sum := 0.0
		for _, p := range e["parts"].([]any) {
			hasKeys(t, "part", p, "what", "seconds")
			sum += p.(map[string]any)["seconds"].(float64)
		}
		if want := e["took_s"].(float64) - e["usual_s"].(float64); math.Abs(sum-want) > 1e-6 {
			t.Errorf("%s: parts sum to %v, want %v", run, sum, want)
		}
	}

	f := answered(t, "forecast", s, "--job", "nightly-cores", "--tokens", "4,8", "--deadline", "02:00")
	hasKeys(t, "forecast", f, "job", "tokens")
	hasKeys(t, "tokens", firstOf(t, f, "tokens"), "tokens", "p50_s", "p90_s", "p95_s", "core_h", "chance_of_deadline",
		"extrapolated")
	p := answered(t, "plan", s, "--tokens", "8", "nightly-join@01:10")
	hasKeys(t, "plan", p, "fits", "jobs")
	hasKeys(t, "planned job", firstOf(t, p, "jobs"), "job", "deadline", "p95_end", "chance")
	k := answered(t, "check", s, "--now", "end")
	hasKeys(t, "check", k, "breaches")
	hasKeys(t, "breach", firstOf(t, k, "breaches"), "rule", "job", "what")
}

// What is odd about a store is said, and never leaves JSON that is none.
func TestOddStoresAreAnswered(t *testing.T) {
	dir := t.TempDir()
	line := func(i int, form string) string { return strings.ReplaceAll(form, "#", fmt.Sprint(i)) }
	const day = 86_400
	for name, form := range map[string]string{
		"one":      `{"id":"r#","name":"j","submit_s":@,"end_s":@60,"stages":[{"durations_s":[10,20]}]}`,
		"failed":   `{"id":"r#","name":"j","submit_s":@,"end_s":@60,"status":"failed","stages":[{"durations_s":[10,20]}]}`,
		"counts":   `{"id":"r#","name":"j","submit_s":@,"end_s":@60,"stages":[{"tasks":3}]}`,
		"nothing":  `{"id":"r#","stages":[{"tasks":3}]}`,
		"zero":     `{"id":"r#","name":"j","submit_s":@,"start_s":@,"end_s":@,"stages":[{"durations_s":[0,0]}]}`,
		"odd name": `{"id":"r#","name":"a,b@c=\"<&>\u2603","submit_s":@,"end_s":@60,"guaranteed":2,"stages":[{"durations_s":[10,20]}]}`,
	} {
		var text strings.Builder
		n := 30
		if name == "one" {
			n = 1
		}
		for i := range n {
			l := line(i, form)
			l = strings.ReplaceAll(l, "@60", fmt.Sprint(1_790_000_000+i*day+60+i%7))
			text.WriteString(strings.ReplaceAll(strings.ReplaceAll(l, "a,b@c", "\x00"), "@", fmt.Sprint(1_790_000_000+
				i*day)) + "\n")
		}
		file, s := filepath.Join(dir, name+".jsonl"), filepath.Join(dir, name+".store")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(text.String(), "\x00", "a,b@c")), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, _, stderr := call(t, "import", "-q", "--out", s, file); status != ExitDone {
			t.Fatalf("%s: %s", name, stderr)
		}
		job := "j"
		if name == "odd name" {
			job = `a,b@c="<&>☃`
		}
		for _, args := range [][]string{{"waste", s}, {"waste", s, "--price", "cpu=1/h"}, {"compare", s},
			{"compare", s, s},
			{"explain", s, "--slowest"}, {"explain", s, "--job", job}, {"forecast", s, "--job", job, "--tokens", "1,9"},
			{"forecast", s, "--job", job, "--deadline", "07:00", "--start", "06:00"}, {"plan", s, "--tokens", "3", job +
				"@07:00,start=05:00"},
			{"check", s, "--now", "end"}} {
			status, stdout, stderr := call(t, append(args, "--json", "-q")...)
			switch status {
			case ExitDone, ExitRefused:
				if !json.Valid([]byte(stdout)) {
					t.Errorf("%s: %v: not JSON: %s", name, args, stdout)
				}
			default:
				if stdout != "" || strings.Contains(stderr, "json:") || strings.Contains(stderr, "NaN") ||
					len(stderr) < 20 {
					t.Errorf("%s: %v: status %d, %q, %q", name, args, status, stdout, stderr)
				}
			}
			if status, text, _ := call(t, append(args, "-q")...); status == ExitDone && strings.Contains(text, "NaN") {
				t.Errorf("%s: %v: %s", name, args, text)
			}
		}
	}
}

// What check writes for other programs is in their formats, whatever jobs are called.
func TestFormatsOfCheck(t *testing.T) {
	doc := &result.Check{Store: `a"b<c>&.store`, Rules: []string{"slower", "failures"}, Known: []result.Breach{},
		Ended: []result.Breach{}, Breaches: []result.Breach{
			{Rule: "slower", Job: "näch\"t\\ly\n<b>&,::%", What: "median 2 min, was 1 min\x00\x1b[31m; " +
				"50%\r\n::error::x"},
			{Rule: "failures", Job: "", What: "]]>"}}}
	var junit, github, prometheus bytes.Buffer
	for format, b := range map[string]*bytes.Buffer{"junit": &junit, "github": &github, "prometheus": &prometheus} {
		if err := checkFormats[format](b, doc); err != nil {
			t.Fatal(err)
		}
	}
	var suites struct {
		XMLName  xml.Name
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Class   string `xml:"classname,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(junit.Bytes(), &suites); err != nil {
		t.Fatalf("JUnit: %v\n%s", err, junit.String())
	}
	failed := 0
	for _, s := range suites.Suites {
		n := 0
		for _, c := range s.Cases {
			if c.Failure != nil {
				failed, n = failed+1, n+1
			}
			if c.Name == "" {
				t.Error("JUnit: a case without a name")
			}
		}
		if s.Tests != len(s.Cases) || s.Failures != n {
			t.Errorf("JUnit: a suite says %d tests and %d failures, has %d and %d", s.Tests, s.Failures, len(s.Cases),
				n)
		}
	}
	if failed != len(doc.Breaches) {
		t.Errorf("JUnit: %d failures\n%s", failed, junit.String())
	}
	annotation := regexp.MustCompile(`^::(error|warning|notice)( [a-z]+=[^,:\r\n]*(,[a-z]+=[^,:\r\n]*)*)?::[^\r\n\x00\x1b]*$`)
	lines := strings.Split(strings.TrimSpace(github.String()), "\n")
	if len(lines) != len(doc.Breaches) {
		t.Errorf("GitHub: %d lines\n%s", len(lines), github.String())
	}
	for _, l := range lines {
		if !annotation.MatchString(l) {
			t.Errorf("GitHub: %q", l)
		}
	}
	sample := regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_]\w*="([^"\\\n]|\\["\\n])*",?)*\})? [-+0-9.eE]+$`)
	for _, l := range strings.Split(strings.TrimSpace(prometheus.String()), "\n") {
		if !strings.HasPrefix(l, "# ") && !sample.MatchString(l) {
			t.Errorf("Prometheus: %q", l)
		}
	}
}

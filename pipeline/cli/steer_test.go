package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"racecard/datasets/result"
	"racecard/pipeline/internal/livetest"
	"racecard/pipeline/internal/serve"
)

// nightsOf are runs of a job, as JSON Lines: two stages of 8 tasks of a second, and of 2.
func nightsOf(from, to int) string {
	var lines strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&lines, `{"id":"n%d","name":"nightly","submit_s":%d,"start_s":%d,"end_s":%d,"guaranteed":4,`+
			`"stages":[{"name":"map","tasks":8,"duration_s":1},{"name":"sum","tasks":2,"duration_s":2,"parents":[0]}]}`+
			"\n", i, 100*i, 100*i, 100*i+4)
	}
	return lines.String()
}

// TestSteered: runs become tables by refresh, a server steers a run by them, and the journal is shown and replayed; a
// later night becomes another generation.
func TestSteered(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	logs := at("logs")
	if err := os.Mkdir(logs, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, logs, "a.jsonl", nightsOf(0, 4))
	refresh := func() (done refreshed) {
		t.Helper()
		status, stdout, stderr := call(
			t,
			"refresh",
			logs,
			"--store",
			at("s"),
			"--models",
			at("m"),
			"--tables",
			at("t"),
			"--min-runs",
			"3",
			"--json",
		)
		if err := json.Unmarshal([]byte(stdout), &done); status != ExitDone || err != nil {
			t.Fatalf("exit status %d, %s%s", status, stdout, stderr)
		}
		return done
	}
	if got := refresh(); got.NewRuns != 4 || got.Generation != 304 || !got.Published {
		t.Fatalf("%+v", got)
	}
	if got := refresh(); got.NewRuns != 0 || got.Generation != 304 || got.Published {
		t.Errorf("nothing new: %+v", got)
	}

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	url, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- serve.Run(ctx, serve.Config{Tables: at("t"), Address: "127.0.0.1:0", Journal: at("j"),
			MaxConnections: 10, Poll: time.Hour, Options: serve.DefaultOptions()},
			nil, func(at, _ string) { url <- at })
	}()
	base := <-url
	for k := range 5 {
		body := fmt.Sprintf(
			`{"app":"run-%d","job":"nightly","now_s":%d,"deadline_s":%d,"executors":1,"slots":3,"max_tokens":4,`+
				`"lost_executors":%d,"done":[%g,0]}`,
			k/4,
			k%4,
			12-8*(k/4), // run-1 is late: 4 tokens, which is 1 executor
			k/2,
			0.1*float64(k),
		)
		a, err := http.Post(base+"/v1/decide", "application/json", strings.NewReader(body))
		if err != nil || a.StatusCode != http.StatusOK {
			t.Fatal(a, err)
		}
		a.Body.Close()
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}

	page := at("page")
	status, stdout, stderr := call(t, "steer", "show", at("j"), "--app", "run-0", "--out", page, "--json")
	var s result.Steered
	if err := json.Unmarshal([]byte(stdout), &s); status != ExitDone || err != nil || len(s.Steps) != 4 ||
		s.Job != "nightly" ||
		s.Lost != 1 {
		t.Fatalf("exit status %d, %s%s", status, stdout, stderr)
	}
	html, err := os.ReadFile(filepath.Join(page, "index.html"))
	if err != nil || !strings.Contains(string(html), "first decision") ||
		!strings.Contains(string(html), "executors wanted") {
		t.Errorf("the page: %v", err)
	}
	var same replay
	status, stdout, stderr = call(t, "steer", "replay", at("j"), "--app", "run-1", "--tables", at("t"), "--json")
	if err := json.Unmarshal([]byte(stdout), &same); status != ExitDone || err != nil || len(same.Decisions) != 1 ||
		same.Decisions[0].Decided != 1 || same.Decisions[0].Would != 1 {
		t.Errorf("the same policy wants %s%s", stdout, stderr)
	}
	for _, test := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{"steer", "show", at("j")}, ExitDone, "run-1 of job nightly"},
		{[]string{"steer", "show", at("j"), "--app", "run-0", "--out", page}, ExitDone, "1 executor was lost"},
		{[]string{"steer", "show", at("j"), "--app", "run-7"}, ExitFailed, "no run"},
		{[]string{"steer", "show", at("nothing")}, ExitFailed, "there is no " + at("nothing") + "; want a journal"},
		{[]string{"steer", "replay", at("j"), "--tables", at("nothing")}, ExitFailed, "racecard table build"},
		{[]string{"steer", "replay", at("j"), "--app", "run-0", "--tables", at("t"), "--deadline", "1h"}, ExitDone,
			"by this policy"},
		{[]string{"steer", "replay", at("j")}, ExitUsage, "tables"},
		{[]string{"steer", "replay", at("j"), "--tables", at("m")}, ExitFailed, "tables.json"},
	} {
		status, stdout, stderr := call(t, test.args...)
		if status != test.want || !strings.Contains(stdout+stderr, test.says) {
			t.Errorf(
				"racecard %s: exit status %d, %s%s; want %d with %q",
				strings.Join(test.args, " "),
				status,
				stdout,
				stderr,
				test.want,
				test.says,
			)
		}
	}

	put(t, logs, "b.jsonl", nightsOf(4, 6))
	if got := refresh(); got.NewRuns != 2 || got.Runs != 6 || got.Generation != 504 || !got.Published {
		t.Errorf("two nights later: %+v", got)
	}
}

// TestSteerOlderJournal: a run is shown whole from a journal that began anew meanwhile, and as cut off without the older
// file.
func TestSteerOlderJournal(t *testing.T) {
	dir := t.TempDir()
	tables, journal := filepath.Join(dir, "t"), filepath.Join(dir, "j")
	livetest.Publish(t, tables, livetest.Table("a", 1, 1, 4))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	c := serve.Config{Tables: tables, Address: "127.0.0.1:0", Journal: journal, MaxConnections: 10, Poll: time.Hour,
		Options: serve.DefaultOptions()}
	c.Options.JournalSize = 4500
	url, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- serve.Run(ctx, c, nil, func(at, _ string) { url <- at }) }()
	base, decisions := <-url, 0
	for ; decisions < 20; decisions++ {
		a, err := http.Post(base+"/v1/decide", "application/json", strings.NewReader(fmt.Sprintf(
			`{"app":"x","job":"a","now_s":%d,"deadline_s":80,"executors":1,"progress":0}`, decisions)))
		if err != nil || a.StatusCode != http.StatusOK {
			t.Fatal(a, err)
		}
		a.Body.Close()
		if data, err := os.ReadFile(journal); err != nil || strings.Contains(string(data), `"carry"`) {
			break
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	show := func() (s result.Steered) {
		t.Helper()
		status, stdout, stderr := call(t, "steer", "show", journal, "--json")
		if err := json.Unmarshal([]byte(stdout), &s); status != ExitDone || err != nil {
			t.Fatal(status, stdout, stderr)
		}
		return s
	}
	if s := show(); s.Cut || len(s.Steps) != decisions+1 || decisions < 2 {
		t.Errorf("cut %t, %d of %d decisions", s.Cut, len(s.Steps), decisions+1)
	}
	if err := os.Remove(journal + ".1"); err != nil {
		t.Fatal(err)
	}
	if s := show(); !s.Cut || len(s.Steps) != 1 {
		t.Errorf("without the older file: cut %t, %d decisions", s.Cut, len(s.Steps))
	}
	if _, stdout, _ := call(t, "steer", "show", journal); !strings.Contains(stdout, "no longer in the journal") {
		t.Error(stdout)
	}
}

func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{"serve", dir}, ExitFailed, "racecard table build"},
		{[]string{"serve", filepath.Join(dir, "nothing")}, ExitFailed, "want a folder of tables: make one with"},
		{[]string{"serve", dir, "--listen", ":0"}, ExitUsage, "--insecure"},
		{[]string{"serve", dir, "--listen", ":0", "--tls-cert", "c", "--tls-key", "k"}, ExitUsage, "--token-file"},
		{[]string{"serve", dir, "--max-body", "1"}, ExitUsage, "--max-body"},
		{[]string{"serve"}, ExitUsage, "one folder"},
	} {
		status, _, stderr := call(t, test.args...)
		if status != test.want || !strings.Contains(stderr, test.says) {
			t.Errorf(
				"racecard %s: exit status %d, %s; want %d with %q",
				strings.Join(test.args, " "),
				status,
				stderr,
				test.want,
				test.says,
			)
		}
	}
}

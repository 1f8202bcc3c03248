package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a stranger gets wrong is answered with the name of what is wrong and what to do, before any long work, and
// leaves nothing.
func TestWrongPlaces(t *testing.T) {
	dir := t.TempDir()
	store := importJSONL(t, `{"id":"r","name":"n","submit_s":0,"end_s":3,"stages":[{"name":"a","durations_s":[1,2]}]}`+
		"\n")
	trace := put(t, dir, "trace.tr", "0 1 1 1\n")
	nosuch, empty := filepath.Join(dir, "nosuch"), filepath.Join(dir, "folder")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	results := filepath.Join(dir, "results")
	must(t, "analyze", store, "--only", "cov", "--out", results)
	must(t, "fit", store, "--all", "--min-runs", "1", "--out", filepath.Join(dir, "models"))
	models := filepath.Join(dir, "models")
	inFile := filepath.Join(trace, "x")
	left := func() string {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return strings.Join(names, " ")
	}
	before := left()
	wantsStore := []string{"want a store", "racecard import --out STORE"}
	for _, test := range []struct {
		args   []string
		status int
		want   []string
	}{
		{[]string{"inspect", nosuch}, ExitFailed, append(wantsStore, "there is no "+nosuch)},
		{[]string{"analyze", nosuch}, ExitFailed, append(wantsStore, "there is no "+nosuch)},
		{[]string{"analyze", nosuch, "--json"}, ExitFailed, wantsStore},
		{[]string{"fit", nosuch, "--all", "--out", "x"}, ExitFailed, wantsStore},
		{[]string{"backtest", nosuch}, ExitFailed, wantsStore},
		{[]string{"whatif", nosuch, "--run", "r"}, ExitFailed, wantsStore},
		{[]string{"analyze", trace}, ExitFailed, []string{trace + " is a file, not a store",
			"racecard import --out STORE " + trace}},
		{[]string{"simulate", "jockey", nosuch}, ExitFailed, []string{"there is no " + nosuch, "racecard import"}},
		{[]string{"simulate", "jockey", trace}, ExitFailed, []string{trace + " is a file, not a store or a folder of " +
			"models"}},
		{[]string{"table", "build", nosuch, "--out", "x"}, ExitFailed, []string{"there is no " +
			nosuch, "racecard fit"}},
		{[]string{"table", "build", trace, "--out", "x"}, ExitFailed, []string{trace + " is a file, not a folder of " +
			"models", "racecard fit"}},
		{[]string{"table", "explain", trace}, ExitFailed, []string{trace + " is a file, not a folder of models"}},
		{[]string{"table", "show", nosuch}, ExitFailed, []string{"there is no " + nosuch, "racecard table build"}},
		{[]string{"table", "admit", nosuch, "--tokens", "3", "a=45m"}, ExitFailed, []string{"there is no " +
			nosuch, "racecard table build"}},
		{[]string{"report", nosuch, "--out", "x"}, ExitFailed, []string{"there is no " +
			nosuch, "racecard analyze --out"}},
		{[]string{"report", trace, "--out", "x"}, ExitFailed, []string{trace + " is a file, not a folder of results"}},
		{[]string{"waste", models}, ExitFailed, []string{"this is a folder of models, not a store"}},
		{[]string{"table", "verify", models}, ExitFailed, []string{"this is a folder of models, not a folder of tables"}},
		{[]string{"table", "build", store, "--out", "x"}, ExitFailed, []string{"this is a store, not a folder of models"}},
		{[]string{"analyze", results}, ExitFailed, []string{"this is a folder of results, not a store"}},
		{[]string{"report", models, "--out", "x"}, ExitFailed, []string{"this is a folder of models, not a folder of results"}},
		{[]string{"report", empty, "--out", "x"}, ExitFailed, []string{empty, "a folder of results"}},
		{[]string{"import", trace}, ExitUsage, []string{`"out" not set`, "racecard import --help"}},
		{[]string{"table", "lookup", nosuch}, ExitUsage, []string{`"allocation"`, "racecard table lookup --help"}},

		{[]string{"import", "--out", trace, trace}, ExitFailed, []string{trace + " is a file", "--out wants a folder"}},
		{[]string{"analyze", store, "--out", trace}, ExitFailed, []string{"the folder " + trace +
			" cannot be made: not a directory", "another folder"}},
		{[]string{"analyze", store, "--out", inFile}, ExitFailed, []string{"the folder " + inFile + " cannot be made",
			"another folder"}},
		{[]string{"analyze", store, "--out", inFile, "--json"}, ExitFailed, []string{"the folder " + inFile}},
		{[]string{"report", results, "--out", trace}, ExitFailed, []string{"the folder " + trace}},
		{[]string{"fit", store, "--all", "--min-runs", "1", "--out", inFile}, ExitFailed, []string{"the folder " +
			inFile}},
		{[]string{"table", "build", models, "--out", inFile}, ExitFailed, []string{"the folder " + inFile}},
		{[]string{"generate", "tr-yahoo", "--rows", "10", "--out", trace}, ExitFailed, []string{"the folder " + trace}},
		// These work for long, and ask first: nothing of what they say while they work is there.
		{[]string{"backtest", store, "--out", inFile}, ExitFailed, []string{"the folder " + inFile}},
		{[]string{"whatif", store, "--run", "r", "--out", inFile}, ExitFailed, []string{"the folder " + inFile}},
		{[]string{"simulate", "jockey", "--out", inFile}, ExitFailed, []string{"the folder " + inFile}},
		{[]string{"simulate", "eagle", store, "--out", inFile}, ExitFailed, []string{"the folder " + inFile}},
		{[]string{"simulate", "carbyne", store, "--out", inFile}, ExitFailed, []string{"the folder " + inFile}},
		{[]string{"table", "explain", models, "--out", inFile}, ExitFailed, []string{"the folder " + inFile}},
		{[]string{"analyze", store, "--out", store}, ExitFailed, []string{"racecard only replaces what it made"}},
	} {
		status, stdout, stderr := call(t, test.args...)
		if status != test.status || stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: exit status %d, want %d; %q; %q", test.args, status, test.status, stdout, stderr)
		}
		for _, want := range test.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%v: %q does not say %q", test.args, stderr, want)
			}
		}
		if after := left(); after != before {
			t.Errorf("%v left %s, where %s was", test.args, after, before)
		}
	}
}

// A folder for generated traces is made.
func TestGenerateMakesItsFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	path := strings.TrimSpace(must(t, "generate", "tr-yahoo", "--rows", "10", "--out", dir))
	if _, err := os.Stat(path); err != nil || filepath.Dir(path) != dir {
		t.Errorf("%s, %v", path, err)
	}
}

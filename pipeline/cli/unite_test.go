package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"racecard/datasets/tablefile"
)

// Stores that are united have the bytes of one that was appended to, and tables those that were built at once.
func TestUnite(t *testing.T) {
	dir := workshop(t) // whose store was appended to three times
	in := func(name string) string { return filepath.Join(dir, name) }
	args := []string{"unite", "--out", in("united")}
	for _, i := range []string{"0", "1", "2", "3"} {
		mustRun(t, "import", "--quiet", "--out", in("s"+i), in("b"+i+".jsonl"))
		args = append(args, in("s"+i))
	}
	said := mustRun(t, args...)
	if !strings.Contains(said, "114 runs") {
		t.Errorf("said %s", said)
	}
	sameFolders(t, in("s.store"), in("united"))
	mustRun(t, "analyze", in("united"), "--out", in("results"), "--quiet")

	mustRun(t, "fit", in("s.store"), "--all", "--min-runs", "5", "--out", in("models"), "--quiet")
	mustRun(t, "table", "build", in("models"), "--replicates", "4", "--out", in("tables"), "--quiet")
	jobs := []string{"unite", "--out", in("many.tables")}
	for _, job := range []string{"job-a", "job-b", "job-c", "job-d", "job0", "job1"} {
		mustRun(t, "table", "build", in("models"), "--replicates", "4", "--job", job, "--out", in(job), "--quiet")
		jobs = append(jobs, in(job))
	}
	mustRun(t, jobs...)
	// Only a build of all models tells which folder of models it is of.
	index := filepath.Join(in("tables"), tablefile.IndexFile)
	text, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?m)^ *"models_sha256": "[0-9a-f]*",\n`).ReplaceAll(text, nil)
	if err := os.WriteFile(index, text, 0o600); err != nil {
		t.Fatal(err)
	}
	sameFolders(t, in("tables"), in("many.tables"))

	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{in("s0"), in("s0")}, "is in another of the stores, too"},
		{[]string{in("s0"), in("s.store")}, "was imported into"},
		{[]string{in("tables"), in("job0")}, "has a table in"},
		{[]string{in("s0"), in("models")}, "models"},
	} {
		said, err := racecard(t, append([]string{"unite", "--out", in("none")}, test.args...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(said), test.want) {
			t.Errorf("%v: %v: %s, want %s", test.args, err, said, test.want)
		}
		if _, err := os.Stat(in("none")); err == nil {
			t.Errorf("%v left something", test.args)
		}
	}
}

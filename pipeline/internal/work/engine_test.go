package work

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// standIn are modules in place of PySpark: a driver needs them before it starts a task.
var standIn = map[string]string{
	"pyspark/__init__.py": "class SparkFiles:\n    get = staticmethod(lambda name: '/missing/' + name)\n",
	"pyspark/sql.py": "class SparkSession:\n    class builder:\n        appName = staticmethod(lambda name: " +
		"SparkSession.builder)\n        getOrCreate = staticmethod(lambda: None)\n",
}

// Without the program, and without a plan, the driver of Spark says in one line what to do, and fails.
func TestSparkDriverNamesTheFault(t *testing.T) {
	dir := t.TempDir()
	driver, err := Engine("spark")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{SparkDriver: string(driver), "fails": "#!/bin/sh\necho no plan in $3 >&2\nexit 1\n"}
	for name, text := range standIn {
		files[name] = text
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for program, want := range map[string]string{
		"nowhere": "racecard: nowhere is neither among the --files of spark-submit nor on the path of ",
		"fails":   "no plan in " + filepath.Join(dir, "work"),
	} {
		cmd := exec.CommandContext(t.Context(), "python3", filepath.Join(dir, SparkDriver), filepath.Join(dir, "work"), program)
		said, err := cmd.CombinedOutput()
		if err == nil || !strings.HasPrefix(string(said), want) || strings.Count(string(said), "\n") != 1 {
			t.Errorf("%s: %v, %q, want one line: %s", program, err, said, want)
		}
	}
}

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/lists"
	"racecard/datasets/store"
	"racecard/datasets/trace"
)

// content returns the runs and the machines of a store, in the order of their texts.
func content(t *testing.T, path string) []string {
	t.Helper()
	s, err := openStore(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for part := range s.Parts() {
		for run, err := range s.Runs(t.Context(), part, store.All()) {
			if err != nil {
				t.Fatal(err)
			}
			run := *run
			run.Seq = 0
			all = append(all, fmt.Sprintf("%+v", run))
		}
	}
	machines, err := s.Machines()
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, lists.Map(machines, func(m trace.Machine) string { return fmt.Sprintf("%+v", m) })...)
	slices.Sort(all)
	return all
}

// steadily imports the files of each step into one store, by append after the first, and compares it with one import of
// the last step's files. A step maps names in a folder to contents; "" removes the file.
func steadily(t *testing.T, steps ...map[string]string) {
	t.Helper()
	dir, out := t.TempDir(), t.TempDir()
	for i, files := range steps {
		for name, text := range files {
			if text == "" {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			put(t, dir, name, text)
		}
		args := []string{"import", "--ended", "--out", filepath.Join(out, "s"), dir}
		if i > 0 {
			args = append(args, "--append")
		}
		must(t, args...)
	}
	must(t, "import", "--ended", "--out", filepath.Join(out, "once"), dir)
	got, want := content(t, filepath.Join(out, "s")), content(t, filepath.Join(out, "once"))
	if !slices.Equal(got, want) {
		t.Errorf("after %d steps:\n%s\nof all files at once:\n%s", len(steps), strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
}

// The parts of a rolling log are read together: a part that the store has is read again when the next one comes.
func TestAppendReadsRollingLogsWhole(t *testing.T) {
	dir := logsOf(t, "clicks-by-customer", 2, false)
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	first := string(read(t, filepath.Join(dir, names[0].Name())))
	second := string(read(t, filepath.Join(dir, names[1].Name())))
	lines := strings.SplitAfter(second, "\n")
	k := len(lines) / 2
	var started struct {
		ID string `json:"App ID"`
	}
	for _, line := range lines {
		if strings.Contains(line, "SparkListenerApplicationStart") {
			if err := json.Unmarshal([]byte(line), &started); err != nil {
				t.Fatal(err)
			}
		}
	}
	part := func(n int) string { return fmt.Sprintf("eventlog_v2_%s/events_%d_%[1]s", started.ID, n) }
	steadily(t, map[string]string{"whole": first, part(1): strings.Join(lines[:k], "")},
		map[string]string{part(2): strings.Join(lines[k:], "")})
}

// A file that describes others is read again when one of those has grown.
func TestAppendReadsHeadersAgain(t *testing.T) {
	jobs := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "u%d,j%[1]d,i%[1]d,Terminated,%d,%d\n", i, 1000+i, 2000+i)
		}
		return b.String()
	}
	steadily(t, map[string]string{"pai_job_table.header": "user,job_name,inst_id,status,start_time,end_time\n",
		"pai_job_table.csv": jobs(3)}, map[string]string{"pai_job_table.csv": jobs(5)})
}

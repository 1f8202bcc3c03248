package cli

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"racecard/datasets/generate"
	"racecard/datasets/store"
)

// kills is how often the test below kills an import: `go test ./pipeline/cli -run Killed -kills 50` takes some minutes.
var kills = flag.Int("kills", 3, "how many imports to kill")

// asCommand makes the test binary be racecard: a process can be killed, a goroutine cannot.
const asCommand = "RACECARD_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(runTests(m))
}

// racecard returns the command that runs racecard in a process of its own.
func racecard(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// synthetic writes a generated trace to a file.
func synthetic(t *testing.T, dir, format string, rows int64, seed uint64) (path string) {
	t.Helper()
	kind, err := generate.Named(format)
	if err != nil {
		t.Fatal(err)
	}
	create := func(name string) (io.WriteCloser, error) {
		path = filepath.Join(dir, name)
		return os.Create(path)
	}
	if _, err := kind.Write(t.Context(), create, rows, seed, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

// manifest returns the manifest of a store, which holds the checksums of all its files.
func manifest(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, store.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// sound fails the test unless a directory holds nothing, or stores whose every file is what its manifest says.
func sound(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return
	}
	s, err := store.Open(os.DirFS(dir))
	if err == nil {
		err = s.Verify(t.Context())
	}
	if err != nil {
		t.Fatalf("a store that cannot be read: %v", err)
	}
}

func TestKilledImportsGoOn(t *testing.T) {
	if testing.Short() {
		t.Skip("imports half a million rows several times")
	}
	t.Parallel()
	dir := t.TempDir()
	for _, test := range []struct {
		kind string
		rows int64
		args []string
	}{
		{"alibaba2018", 600_000, []string{"--memory", "32MiB"}}, // several parts, and a temporary file
		{"tr-yahoo", 35_000, nil},                               // one run after the other
	} {
		format, _, _ := strings.Cut(test.kind, "-")
		in := synthetic(t, dir, test.kind, test.rows, 1)
		args := func(out string) []string {
			return append([]string{"import", "-q", "--format", format, "--out", filepath.Join(dir, out), in},
				test.args...)
		}
		begin := time.Now()
		if out, err := racecard(t, args(test.kind+"-whole")...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		took := time.Since(begin)
		want := manifest(t, filepath.Join(dir, test.kind+"-whole"))
		out := filepath.Join(dir, test.kind+"-killed")
		killed := 0
		for range *kills {
			cmd := racecard(t, args(test.kind+"-killed")...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(rand.Float64() * float64(took)))
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if cmd.Wait() != nil {
				killed++
				sound(t, out)
				continue
			}
			if got := manifest(t, out); got != want {
				t.Fatal("an import that was taken up makes another store")
			}
			if err := os.RemoveAll(out); err != nil {
				t.Fatal(err)
			}
		}
		if log, err := racecard(t, args(test.kind+"-killed")...).CombinedOutput(); err != nil &&
			!strings.Contains(string(log), "there already") {
			t.Fatalf("%v: %s", err, log)
		}
		if got := manifest(t, out); got != want {
			t.Error("an import that was taken up makes another store")
		}
		t.Logf("%s: %d of %d imports were killed; the last one went on and made the same store", test.kind, killed,
			*kills)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v, %v was left", left, err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "racecard-gather-*")); len(left) > 0 {
		t.Errorf("temporary files were left: %v", left)
	}
}

func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("fills disks")
	}
	dir := t.TempDir()
	in := synthetic(t, dir, "tr-yahoo", 20_000, 1)
	scattered := synthetic(t, dir, "alibaba2018", 300_000, 1)
	for range 4 {
		size := 1<<16 + rand.IntN(3<<20)
		for _, in := range []string{in, scattered} {
			full := mount(t, fmt.Sprintf("size=%d", size))
			status, _, stderr := call(t, "import", "-q", "--out", filepath.Join(full, "store"), in)
			if status != ExitFailed || !strings.Contains(stderr, "no space left") ||
				!strings.Contains(stderr, "store/") || strings.Contains(stderr, ".partial") {
				t.Errorf("a disk of %d bytes: exit status %d: %s", size, status, stderr)
			}
			if left, _ := os.ReadDir(full); len(left) > 0 {
				t.Errorf("a disk of %d bytes: %v was left behind", size, left)
			}
		}
	}
	t.Setenv("TMPDIR", mount(t, "size=1m"))
	status, _, stderr := call(t, "import", "-q", "--memory", "2MiB", "--out", filepath.Join(dir, "store"), scattered)
	if status != ExitFailed || !strings.Contains(stderr, "no space left") ||
		!strings.Contains(stderr, "temporary file") {
		t.Errorf("a full disk for temporary files: exit status %d: %s", status, stderr)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*store*")); len(left) > 0 {
		t.Errorf("%v was left behind", left)
	}
}

func TestAppend(t *testing.T) {
	dir := t.TempDir()
	one := put(t, dir, "monday.jsonl", `{"id":"a","name":"n","submit_s":0,"end_s":5,"stages":[{"tasks":2}]}`+"\n"+
		`{"id":"b","submit_s":1,"end_s":2,"stages":[{"tasks":1}]}`+"\n")
	two := put(t, dir, "tuesday.jsonl", `{"id":"c","submit_s":7,"end_s":9,"stages":[{"tasks":1}]}`+"\n"+
		`{"id":"a","submit_s":8,"end_s":9,"stages":[{"tasks":1}]}`+"\n")
	out := filepath.Join(dir, "s")
	if status, _, stderr := call(t, "import", "--append", "--out", out, one); status != ExitFailed ||
		!strings.Contains(stderr, "nothing to append to") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	run := func(want int, args ...string) string {
		t.Helper()
		status, stdout, stderr := call(t, append([]string{"import", "--out", out}, args...)...)
		if status != want {
			t.Fatalf("exit status %d, want %d: %s", status, want, stderr)
		}
		return stdout + stderr
	}
	run(ExitDone, one)
	first, err := os.ReadFile(filepath.Join(out, "jobs", "part-00000.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	before := manifest(t, out)
	run(ExitRejected, "--append", two) // one of two records is in the store already
	if manifest(t, out) != before {
		t.Error("an append that failed changed the store")
	}
	run(ExitDone, "--append", "--max-rejects", "50%", two)
	again, err := os.ReadFile(filepath.Join(out, "jobs", "part-00000.parquet"))
	if err != nil || !bytes.Equal(first, again) {
		t.Error("appending changed a part that was there")
	}
	s, err := store.Open(os.DirFS(out))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	var ids []string
	for part := range s.Parts() {
		for r, err := range s.Runs(t.Context(), part, store.All()) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, r.ID)
		}
	}
	m := s.Manifest()
	if strings.Join(ids, " ") != "a b c" || m.Rows["jobs"] != 3 || m.Read != 4 || m.Rejected["duplicate id"] != 1 ||
		*m.From != 0 || *m.To != 9e6 ||
		len(m.Sources) != 2 || m.Columns["jobs"]["name"] != 1./3 {
		t.Errorf("runs %v, manifest %+v", ids, m)
	}
	after := manifest(t, out)
	if text := run(ExitDone, "--append", two, one); !strings.Contains(text, "already") || manifest(t, out) != after {
		t.Errorf("the same files were appended again: %s", text)
	}
	if status, _, stderr := call(t, "import", "--append", "--out", out,
		put(t, dir, "x.tr", "0 1 1 1\n")); status != ExitFailed || !strings.Contains(stderr, "format") {
		t.Errorf("another format: exit status %d: %s", status, stderr)
	}
}

func TestStrict(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "batch_task.csv",
		"M1,1,a,,Terminated,5,9,100,1\nM1,1,b,,Terminated,9,5,100,1\nR2_1,1,b,,Terminated,9,9,100,1\nM1,1,c,,Terminated,1,2,100,1\n")
	out := filepath.Join(dir, "s")
	status, _, stderr := call(t, "import", "--strict", "--out", out, in)
	if status != ExitRejected || !strings.Contains(stderr, `run "b" with its 2 records`) ||
		!strings.Contains(stderr, "2 of 4 records") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	if status, _, stderr := call(t, "import", "--strict", "--max-rejects", "50%", "--out", out,
		in); status != ExitDone {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	s, err := store.Open(os.DirFS(out))
	if err != nil {
		t.Fatal(err)
	}
	if m := s.Manifest(); m.Rows["jobs"] != 2 || len(m.Repairs) != 0 || m.Rejected["repaired: end before start"] != 2 ||
		m.Used != 2 {
		t.Errorf("manifest %+v", m)
	}
	// What is refused is kept: of gathered rows all of the run, of lines the line.
	if got := inspectJSON(t, out).Examples; len(got) != 1 || got[0].Line != 2 ||
		got[0].Raw != "M1,1,b,,Terminated,9,5,100,1\nR2_1,1,b,,Terminated,9,9,100,1" {
		t.Errorf("examples of rejects %+v", got)
	}
	for name, lines := range map[string]string{
		"x.jsonl": `{"id":"a"}` + "\n" + `{"id":"b","start_s":5,"end_s":1}` + "\n",
		"x.swf":   "1 0 1 5 1 -1 -1 1 5 -1 1 1 1 1 1 1 -1 -1\n2 0 -7 5 1 -1 -1 1 5 -1 1 1 1 1 1 1 -1 -1\n",
	} {
		out := filepath.Join(dir, name+".store")
		if status, _, stderr := call(t, "import", "--strict", "--max-rejects", "50%", "--out", out,
			put(t, dir, name, lines)); status != ExitDone {
			t.Fatalf("%s: exit status %d: %s", name, status, stderr)
		}
		want := strings.Split(lines, "\n")[1]
		if got := inspectJSON(t, out).Examples; len(got) != 1 || got[0].Line != 2 || got[0].Raw != want ||
			!strings.HasSuffix(got[0].File, name) {
			t.Errorf("%s: examples of rejects %+v, want %s", name, got, want)
		}
	}
}

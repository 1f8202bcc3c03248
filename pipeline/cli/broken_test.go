package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"racecard/datasets/lists"

	"github.com/klauspost/compress/gzip"
)

// call runs a command and returns its exit status and output.
func call(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = Run(t.Context(), args, &out, &err)
	return status, out.String(), err.String()
}

// put writes a file into dir and returns its path.
func put(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func gzipped(content string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, content); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

func garbage(n int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return string(b)
}

// Each broken input ends in a message that names file, line and field, or in a counted reject; never in a panic, and
// never in half a store.
func TestBrokenInputs(t *testing.T) {
	good := `{"id":"ok","name":"n","stages":[{"tasks":1}]}` + "\n"
	for _, test := range []struct {
		name, file, content string
		format              string
		status              int
		want                []string // in the message
		reason              string   // with --max-rejects 100%: the reason of the one reject; "" for none
	}{
		{"empty file", "x.tr", "", "", ExitFailed, []string{"x.tr", "empty"}, ""},
		{"empty file of a named format", "x.tr", "", "tr", ExitFailed, []string{"x.tr", "no runs"}, ""},
		{"empty gzip", "x.tr.gz", gzipped(""), "", ExitFailed, []string{"x.tr.gz", "empty"}, ""},
		{"truncated gzip", "x.tr.gz", gzipped(strings.Repeat("1 2 3 2 4\n", 9))[:25], "tr", ExitRejected,
			[]string{"x.tr.gz:", "truncated"}, "truncated"},
		{"gzip cut in its header", "x.tr.gz", gzipped("1 1 1 1\n")[:4], "", ExitFailed, []string{"x.tr.gz", "cut off"}, ""},
		{"zstd cut in its first block", "x.tr.zst", "\x28\xb5\x2f\xfd\x04\x58\x41", "", ExitFailed,
			[]string{"x.tr.zst", "cut off"}, ""},
		{"LZ4 cut in its first block", "x.tr.lz4", "\x04\x22\x4d\x18\x64\x40\xa7\x10", "", ExitFailed,
			[]string{"x.tr.lz4", "cut off"}, ""},
		{"bzip2 cut in its first block", "x.tr.bz2", "BZh9\x31\x41\x59", "", ExitFailed,
			[]string{"x.tr.bz2", "cut off"}, ""},
		{"binary garbage", "x.bin", garbage(5000), "", ExitFailed, []string{"x.bin", "not a format"}, ""},
		{"a table of my own", "x.csv", "run,start,end\nr1,0,9\n", "", ExitFailed, []string{"x.csv", "not a format",
			"say --format", "racecard formats jsonl"}, ""},
		{"binary garbage as tr", "x.bin", "\x00\xfe\x01\n", "tr", ExitRejected, []string{"x.bin:1", "not UTF-8"},
			"not UTF-8"},
		{"NaN", "x.tr", "1 1 NaN 1\n", "tr", ExitRejected, []string{"x.tr:1", `"mean duration"`, "NaN"}, "bad number"},
		{"Inf", "x.tr", "1 1 1 Inf\n", "tr", ExitRejected, []string{"x.tr:1", `"duration 1"`, "Inf"}, "bad number"},
		{"negative duration in tr", "x.tr", "1 1 1 -3\n", "tr", ExitRejected, []string{"x.tr:1", `"duration 1"`, "-3"},
			"bad number"},
		{"negative duration in jsonl", "x.jsonl", good + `{"id":"r","stages":[{"tasks":1,"duration_s":-3}]}` +
			"\n", "", ExitRejected,
			[]string{"x.jsonl:2", `"stages[0].duration_s"`, "-3"}, "bad duration"},
		{"duplicate ids", "x.jsonl", good + good, "", ExitRejected, []string{"x.jsonl:2", `"id"`, "duplicate id",
			`"ok"`}, "duplicate id"},
		{"cyclic parents", "x.jsonl", good +
			`{"id":"r","stages":[{"tasks":1,"parents":[1]},{"tasks":1,"parents":[0]}]}` + "\n", "", ExitRejected,
			[]string{"x.jsonl:2", "parents", "cyclic"}, "cyclic parents"},
		{"unknown parents", "x.jsonl", good + `{"id":"r","stages":[{"tasks":1,"parents":[4]}]}` +
			"\n", "", ExitRejected,
			[]string{"x.jsonl:2", `"stages[0].parents[0]"`, "no stage 4"}, "unknown parent"},
		{"a stage with 0 tasks", "x.jsonl", good + `{"id":"r","stages":[{"tasks":0}]}` + "\n", "", ExitRejected,
			[]string{"x.jsonl:2", `"stages[0].tasks"`, "0 tasks"}, "bad count"},
		{"a name that is not UTF-8", "x.jsonl", good + "{\"id\":\"r\",\"name\":\"\xff\xfe\"}\n", "", ExitRejected,
			[]string{"x.jsonl:2", "not UTF-8"}, "not UTF-8"},
		{"an unknown field", "x.jsonl", good + `{"id":"r","stage":[]}` + "\n", "", ExitRejected,
			[]string{"x.jsonl:2", `"stage"`, "unknown field"}, "bad JSON"},
		{"a cut last line", "x.jsonl", good + `{"id":"r","sta`, "", ExitRejected, []string{"x.jsonl:2", "truncated"},
			"truncated"},
		{"a whole last line", "x.jsonl", good + `{"id":"r","stages":[{"tasks":0}]}`, "", ExitRejected,
			[]string{"x.jsonl:2", "0 tasks"}, "bad count"},
		{"a zip file", "x.zip", "PK\x03\x04rest", "", ExitFailed, []string{"x.zip", "zip compression is not supported"},
			""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			in, out := put(t, dir, test.file, test.content), filepath.Join(dir, "out", "store")
			args := []string{"import", "--out", out, in}
			if test.format != "" {
				args = append(args, "--format", test.format)
			}
			status, _, stderr := call(t, args...)
			if status != test.status {
				t.Errorf("exit status %d, want %d: %s", status, test.status, stderr)
			}
			for _, want := range test.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("the message lacks %q: %s", want, stderr)
				}
			}
			if left, _ := os.ReadDir(filepath.Dir(out)); len(left) > 0 {
				t.Errorf("%v was left behind", left)
			}
			if test.reason != "" {
				keepRejects(t, append(args, "--max-rejects", "100%"), out, test.reason)
			}
		})
	}
}

// keepRejects imports whatever can be, and wants one reject with a reason.
func keepRejects(t *testing.T, args []string, out, reason string) {
	t.Helper()
	if status, _, stderr := call(t, args...); status != ExitDone {
		t.Fatalf("with --max-rejects 100%%: exit status %d: %s", status, stderr)
	}
	status, stdout, stderr := call(t, "inspect", "--json", out)
	var got Inspection
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != ExitDone {
		t.Fatalf("inspect: %v, %s%s", err, stdout, stderr)
	}
	r := got.Records
	if got.Rejects[reason] != 1 || got.Rejected != 1 || r.Read != r.Used+lists.Total(r.Ignored)+r.Rejected ||
		got.Rows["jobs"] != r.Used {
		t.Errorf("inspect says %s", stdout)
	}
}

func TestEndBeforeStartIsRepaired(t *testing.T) {
	dir := t.TempDir()
	in, out := put(t, dir, "x.jsonl", `{"id":"r","start_s":5,"end_s":1}`+"\n"), filepath.Join(dir, "store")
	if status, _, stderr := call(t, "import", "--out", out, in); status != ExitDone {
		t.Fatal(stderr)
	}
	_, stdout, _ := call(t, "inspect", "--json", out)
	var got Inspection
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got.Repairs["end before start"] != 1 || got.Columns["jobs"]["end"] != 0 || got.Columns["jobs"]["start"] != 1 {
		t.Errorf("inspect says %s", stdout)
	}
}

// A line of a gigabyte, which compresses to a megabyte, must become a reject and not fill the memory.
func TestGigabyteLine(t *testing.T) {
	if testing.Short() {
		t.Skip("decompresses a gigabyte")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "x.tr.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	block := bytes.Repeat([]byte("7"), 1<<20)
	io.WriteString(w, "0 1 1 1\n")
	for range 1 << 10 {
		if _, err := w.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	io.WriteString(w, "\n0 1 1 1\n")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "store")
	cmd := racecard(t, "import", "--max-rejects", "50%", "--out", out, path)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && usage.Maxrss > 600<<10 {
		t.Errorf("the process took %d MB", usage.Maxrss>>10)
	}
	_, stdout, _ := call(t, "inspect", "--json", out)
	var got Inspection
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got.Rejects["line too long"] != 1 || got.Rows["jobs"] != 2 {
		t.Errorf("inspect says %s", stdout)
	}
}

func TestUnreadableFile(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "store")
	for name, path := range map[string]string{"missing": filepath.Join(dir, "nowhere.tr"),
		"reading fails": "/proc/self/mem"} {
		if _, err := os.Stat(path); err != nil && name != "missing" {
			t.Logf("%s: not on this system: %v", name, err)
			continue
		}
		status, _, stderr := call(t, "import", "--format", "tr", "--out", out, path)
		if status != ExitFailed || !strings.Contains(stderr, filepath.Base(path)) {
			t.Errorf("%s: exit status %d: %s", name, status, stderr)
		}
	}
	if os.Getuid() != 0 { // root may read anything
		path := put(t, dir, "secret.tr", "0 1 1 1\n")
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		if status, _, stderr := call(t, "import", "--out", out, path); status != ExitFailed ||
			!strings.Contains(stderr, "permission denied") {
			t.Errorf("no permission: exit status %d: %s", status, stderr)
		}
	}
}

func TestOutputThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "x.tr", "0 1 1 1\n")
	notDir := put(t, dir, "file", "")
	if status, _, stderr := call(t, "import", "--out", filepath.Join(notDir, "store"), in); status != ExitFailed ||
		!strings.Contains(stderr, "file") {
		t.Errorf("a file where a folder should be: exit status %d: %s", status, stderr)
	}
	if status, _, stderr := call(t, "import", "--out", notDir, in); status != ExitFailed {
		t.Errorf("a file where the store should be: exit status %d: %s", status, stderr)
	}
	readOnly := mount(t, "ro")
	if status, _, stderr := call(t, "import", "--out", filepath.Join(readOnly, "store"), in); status != ExitFailed ||
		!strings.Contains(stderr, "read-only") {
		t.Errorf("a read-only folder: exit status %d: %s", status, stderr)
	}
}

func TestInterruptedImportLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "x.tr", strings.Repeat("0 1 1 1\n", 1000))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if status := Run(ctx, []string{"import", "--out", filepath.Join(dir, "out", "s"), in}, &stdout,
		&stderr); status != ExitFailed || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("exit status %d: %s", status, stderr.String())
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "out")); len(left) > 0 {
		t.Errorf("%v was left behind", left)
	}
}

// What is not of its format at all is given up early, unless every record is welcome.
func TestUnreadableInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "s")
	for format, line := range map[string]string{"tr": "x\n", "jsonl": "x\n", "alibaba2018": "x\n", "swf": "x\n",
		"philly": "x\n"} {
		in := put(t, dir, format, strings.Repeat(line, 300_000)+"0 1 1 1\n")
		status, _, stderr := call(t, "import", "--format", format, "--out", out, in)
		if status != ExitRejected || !strings.Contains(stderr, "first 100000 records") ||
			!strings.Contains(stderr, format+":1") {
			t.Errorf("%s: exit status %d: %s", format, status, stderr)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: a store was left", format)
		}
	}
	in := put(t, dir, "all", strings.Repeat("x\n", 120_000)+"0 1 1 1\n")
	if status, _, stderr := call(t, "import", "--format", "tr", "--max-rejects", "100%", "--out", out,
		in); status != ExitDone {
		t.Errorf("with --max-rejects 100%%: exit status %d: %s", status, stderr)
	}
	// A few that can be used are enough to read on.
	in = put(t, dir, "some", "M1,1,j,1,Terminated,1,2,1,1\n"+strings.Repeat("x\n", 120_000))
	if status, _, stderr := call(t, "import", "--format", "alibaba2018", "--out", out+
		"2", in); status != ExitRejected || !strings.Contains(stderr, "120000 of 120001") {
		t.Errorf("one that can be used: exit status %d: %s", status, stderr)
	}
}

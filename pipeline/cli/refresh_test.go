package cli

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"racecard/datasets/sample"
)

// logsOf writes the first n event logs of a job of the sample into a folder, as Spark writes them: the last one without
// its end if cut.
func logsOf(t *testing.T, job string, n int, cut bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "logs")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(sample.Logs, "*/"+job+"-*.zst")
	if err != nil || len(names) < n {
		names, err = fs.Glob(sample.Logs, job+"-*.zst")
	}
	if err != nil || len(names) < n {
		t.Fatalf("%d logs of %s, want %d: %v", len(names), job, n, err)
	}
	for i, name := range names[:n] {
		packed, err := fs.ReadFile(sample.Logs, name)
		if err != nil {
			t.Fatal(err)
		}
		in, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		log, err := in.DecodeAll(packed, nil)
		if err != nil {
			t.Fatal(err)
		}
		if cut && i == n-1 {
			log = log[:bytes.LastIndex(bytes.TrimSpace(log), []byte("\n"))+1]
		}
		put(t, dir, strings.TrimSuffix(filepath.Base(name), ".zst"), string(log))
	}
	return dir
}

// A run whose log was not complete at one refresh is appended at the next, and does not keep others out.
func TestRefreshWaitsForTheEndOfRuns(t *testing.T) {
	const job = "clicks-by-customer"
	out := t.TempDir()
	minRuns := "3"
	refresh := func(logs, want string) {
		t.Helper()
		status, got, stderr := call(t, "refresh", logs, "--store", out+"/s", "--models", out+"/m", "--tables", out+"/t",
			"--min-runs", minRuns)
		if status != ExitDone || !strings.Contains(got, want) {
			t.Errorf("status %d, %q, want %q\n%s", status, got, want, stderr)
		}
	}
	refresh(logsOf(t, job, 4, true), "3 runs, 3 new")
	refresh(logsOf(t, job, 4, true), "3 runs, 0 new")
	refresh(logsOf(t, job, 6, true), "5 runs, 2 new")
	refresh(logsOf(t, job, 6, false), "6 runs, 1 new")
	refresh(logsOf(t, job, 6, false), "6 runs, 0 new\n")
	minRuns = "2" // models and tables of other jobs: they are made again
	refresh(logsOf(t, job, 6, false), "6 runs, 0 new\n"+out+"/t: generation")
	// The store is the one of all logs at once: nothing stays of a run that was read before its end.
	if status, got, stderr := call(t, "import", "--out", out+"/once", logsOf(t, job, 6, false)); status != ExitDone {
		t.Fatal(got, stderr)
	}
	var of [2]string
	for i, name := range []string{"/s", "/once"} {
		s, err := openStore(out + name)
		if err != nil {
			t.Fatal(err)
		}
		m := s.Manifest()
		of[i] = regexp.MustCompile(`\S+/logs/`).ReplaceAllString(fmt.Sprintf("rows %v, warnings %q", m.Rows, m.Warnings), "")
	}
	if of[0] != of[1] {
		t.Errorf("%s; of all logs at once %s", of[0], of[1])
	}
}

// A damaged log keeps no others out. It is named with the remedy at every refresh, until it is whole.
func TestRefreshPassesOverDamagedLogs(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	whole := gzipped(runsOf("b", 12))
	sum := []byte(whole)
	sum[len(sum)-5]++ // in the checksum
	header := []byte(whole)
	header[2] = 9 // no method of compression
	refresh := func(want string, warned bool) {
		t.Helper()
		status, said, stderr := call(t, "refresh", dir, "--store", out+"/s", "--models", out+"/m", "--tables", out+"/t")
		const remedy = "the compressed content is damaged: copy the file again; `gzip -t` tests a copy"
		if status != ExitDone || !strings.Contains(said, want) || strings.Contains(said+stderr, remedy) != warned {
			t.Errorf("status %d, %q, want %q\n%s", status, said, want, stderr)
		}
	}
	put(t, dir, "b.jsonl.gz", string(sum))
	refresh("nothing to append yet", true)
	put(t, dir, "a.jsonl", runsOf("a", 12))
	refresh("12 runs, 12 new", true)
	refresh("12 runs, 0 new", true)
	put(t, dir, "b.jsonl.gz", string(header))
	put(t, dir, "c.jsonl", runsOf("c", 13))
	refresh("25 runs, 13 new", true)
	put(t, dir, "b.jsonl.gz", whole)
	refresh("37 runs, 12 new", false)
	refresh("37 runs, 0 new", false)
	put(t, dir, "d.jsonl.gz", string(sum))
	if status, _, stderr := call(t, "import", "--out", out+"/x", dir); status != ExitFailed ||
		!strings.Contains(stderr, "`gzip -t`") {
		t.Errorf("without --ended: status %d: %s", status, stderr)
	}
}

// tarOf returns an archive of files, given as names and contents in turn.
func tarOf(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		header := tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1])), Typeflag: tar.TypeReg}
		if err := w.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Nor does a damaged log in an archive, or a damaged archive.
func TestRefreshPassesOverDamagedMembers(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	damaged := []byte(gzipped(runsOf("b", 12)))
	damaged[len(damaged)-5]++ // in the checksum
	refresh := func(want, warning string) {
		t.Helper()
		status, said, stderr := call(t, "refresh", dir, "--store", out+"/s", "--models", out+"/m", "--tables", out+"/t")
		if status != ExitDone || !strings.Contains(said, want) || !strings.Contains(said+stderr, warning) {
			t.Errorf("status %d, %q, want %q and %q\n%s", status, said, want, warning, stderr)
		}
	}
	put(t, dir, "logs.tar", tarOf(t, "a.jsonl", runsOf("a", 12), "b.jsonl.gz", string(damaged), "c.jsonl", runsOf("c", 13)))
	refresh("25 runs, 25 new", "logs.tar:b.jsonl.gz: gzip: invalid checksum: the compressed content is damaged: copy")
	refresh("25 runs, 0 new", "logs.tar:b.jsonl.gz: gzip: invalid checksum: the compressed content is damaged: copy")
	put(t, dir, "logs.tar", tarOf(t, "a.jsonl", runsOf("a", 12), "b.jsonl.gz", gzipped(runsOf("b", 12)), "c.jsonl", runsOf("c", 13)))
	refresh("37 runs, 12 new", "")
	archive := []byte(tarOf(t, "d.jsonl", runsOf("d", 12), "e.jsonl", runsOf("e", 12)))
	archive[bytes.Index(archive, []byte("e.jsonl"))+148]++ // the checksum of its header
	put(t, dir, "more.tar", string(archive))
	refresh("37 runs, 0 new", "more.tar: archive/tar: invalid tar header: the archive is damaged: copy it again")
	status, _, stderr := call(t, "import", "--out", out+"/x", dir)
	if want := "more.tar: archive/tar: invalid tar header: the archive is damaged: copy it again"; status != ExitFailed ||
		!strings.Contains(stderr, want) {
		t.Errorf("without --ended: status %d: %s", status, stderr)
	}
}

// Without --ended, a run that was imported before it ended stays as it is, with a warning, and new runs are appended.
func TestAppendPassesOverRuns(t *testing.T) {
	const job = "clicks-by-customer"
	store := filepath.Join(t.TempDir(), "s")
	if status, got, stderr := call(t, "import", "--out", store, logsOf(t, job, 2, true)); status != ExitDone {
		t.Fatal(got, stderr)
	}
	status, got, stderr := call(t, "import", "--append", "--out", store, logsOf(t, job, 3, false))
	want := "had not ended when it was imported, and has now"
	if status != ExitDone || !strings.Contains(got, "3 runs") || !strings.Contains(got, want) {
		t.Errorf("status %d, want %q and 3 runs\n%s%s", status, want, got, stderr)
	}
	if status, got, stderr = call(t, "import", "--append", "--out", store, logsOf(t, job, 2, false)); status != ExitDone ||
		!strings.Contains(stderr, "nothing is new") {
		t.Errorf("status %d\n%s%s", status, got, stderr)
	}
	begun := filepath.Join(t.TempDir(), "s")
	if status, got, stderr := call(t, "import", "--out", begun, logsOf(t, job, 1, true)); status != ExitDone {
		t.Fatal(got, stderr)
	}
	if status, got, stderr = call(t, "import", "--append", "--out", begun, logsOf(t, job, 1, false)); status != ExitDone ||
		!strings.Contains(got+stderr, want) {
		t.Errorf("status %d, want %q\n%s%s", status, want, got, stderr)
	}
	other := put(t, t.TempDir(), "x.jsonl", `{"id":"a","submit_s":0,"end_s":1,"stages":[{"tasks":1}]}`+"\n")
	numbered := filepath.Join(t.TempDir(), "n")
	if status, got, stderr = call(t, "import", "--out", numbered, other); status != ExitDone {
		t.Fatal(got, stderr)
	}
	other = put(t, t.TempDir(), "y.jsonl", `{"id":"a","submit_s":7,"end_s":8,"stages":[{"tasks":1}]}`+"\n")
	status, got, stderr = call(t, "import", "--append", "--out", numbered, other)
	if want = "another run of this id is in the store"; status != ExitRejected || !strings.Contains(stderr, want) {
		t.Errorf("another run of the same id: status %d, want %q\n%s%s", status, want, got, stderr)
	}
}

// The last line of a log that is still written is passed over by refresh, and read when it is whole. A line that is
// broken before the end stays a reject.
func TestRefreshWaitsForTheEndOfLines(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	whole := runsOf("nightly", 150)
	for _, step := range []struct {
		text              string
		runs, cut, broken int64
	}{
		{whole[:len(whole)/2], 75, 1, 0},
		{whole[:len(whole)-3], 149, 2, 0},
		{whole, 150, 2, 0},
		{whole + "{\"id\":\n", 150, 2, 1},
	} {
		if err := os.WriteFile(in("log.jsonl"), []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		status, _, stderr := call(t, "refresh", in("log.jsonl"), "--store", in("s"), "--models", in("m"), "--tables",
			in("t"), "--min-runs", "5")
		if status != ExitDone {
			t.Fatalf("exit status %d: %s", status, stderr)
		}
		s, err := openStore(in("s"))
		if err != nil {
			t.Fatal(err)
		}
		m := s.Manifest()
		if got := m.Ignored["end of a file that is cut off"]; m.Rows["jobs"] != step.runs || got != step.cut ||
			m.Rejected["bad JSON"] != step.broken || len(m.Rejected) > int(step.broken) {
			t.Errorf("%d bytes: %d runs, %d ends of files, rejected %v; want %d, %d, %d", len(step.text),
				m.Rows["jobs"], got, m.Rejected, step.runs, step.cut, step.broken)
		}
	}
}

// While nothing has ended, refresh says so and is done. So it is when the logs are gone, and while no job has enough runs.
func TestRefreshOfNothingYet(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	logs, other := in("logs"), in("other")
	for _, dir := range []string{logs, other} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	whole := runsOf("nightly", 12)
	for i, step := range []struct{ text, want string }{
		{"", "nothing to append yet: " + logs + ": the folder holds no files"},
		{" ", "nothing to append yet: " + logs + "/log.jsonl: the file is empty"},
		{whole[:20], "no run of the 1 records has ended"},
		{whole[:strings.Index(whole, "\n")+1], "no models yet: " + in("s") + ": no job has 10 runs"},
		{whole, "12 runs, 11 new"},
		{" ", "nothing to append yet: " + logs + "/log.jsonl: the file is empty\n" + in("s") + ": 12 runs, 0 new"},
	} {
		if step.text != "" {
			put(t, logs, "log.jsonl", strings.TrimSpace(step.text))
		}
		if strings.HasSuffix(step.text, "\n") {
			put(t, logs, "log.jsonl", step.text)
		}
		status, got, stderr := call(t, "refresh", logs, other, "--store", in("s"), "--models", in("m"), "--tables", in("t"))
		if status != ExitDone || !strings.Contains(got, step.want) {
			t.Errorf("step %d: exit status %d, %q, want %q\n%s", i, status, got, step.want, stderr)
		}
	}
	if status, _, stderr := call(t, "refresh", in("typo"), "--store", in("s"), "--models", in("m"), "--tables",
		in("t")); status != ExitFailed || !strings.Contains(stderr, "no such file") {
		t.Errorf("no such folder: exit status %d, %s", status, stderr)
	}
}

// A file that is cut off is warned of at every refresh until it is whole.
func TestRefreshWarnsWhileFilesAreCutOff(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	packed := gzipped(runsOf("nightly", 400))
	for i, text := range []string{packed[:len(packed)/2], packed[:len(packed)/2], packed[:len(packed)*3/4], packed} {
		put(t, dir, "log.gz", text)
		status, got, stderr := call(t, "refresh", in("log.gz"), "--store", in("s"), "--models", in("m"), "--tables",
			in("t"))
		want := 1
		if len(text) == len(packed) {
			want = 0
		}
		if n := strings.Count(got, "warning: file ends early: "+in("log.gz")); status != ExitDone || n != want {
			t.Errorf("step %d: exit status %d, %d warnings, want %d\n%s%s", i, status, n, want, got, stderr)
		}
	}
}

package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"racecard/datasets/catalogue"
	"racecard/datasets/source/sourcetest"
	"racecard/pipeline/internal/stage"
)

// mirror is a local HTTP server that has files by their path.
type mirror struct {
	*httptest.Server
	mu    sync.Mutex
	files map[string]string
	gets  []string
	fail  func(n int, w http.ResponseWriter, r *http.Request) bool // answers the n-th GET itself
}

func newMirror(t *testing.T, files map[string]string) *mirror {
	t.Helper()
	m := &mirror{files: files, fail: func(int, http.ResponseWriter, *http.Request) bool { return false }}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.Method == http.MethodGet {
		m.gets = append(m.gets, r.URL.Path)
		if m.fail(len(m.gets)-1, w, r) {
			return
		}
	}
	content, ok := m.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("ETag", `"`+sumOf(content)[:8]+`"`)
	http.ServeContent(w, r, "", time.Unix(1e9, 0), strings.NewReader(content))
}

// asked returns the paths that were asked for since the last call.
func (m *mirror) asked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	gets := m.gets
	m.gets = nil
	return gets
}

func sumOf(content string) string {
	s := sha256.Sum256([]byte(content))
	return hex.EncodeToString(s[:])
}

// google2011 are the job events of jobs that run one after the other, in parts, and the list of their checksums.
func clusterData2011(parts, jobs int) map[string]string {
	files := map[string]string{}
	list := ""
	for p := range parts {
		var rows strings.Builder
		for j := range jobs {
			id := p*jobs + j
			// SUBMIT, SCHEDULE, FINISH; the order of rows is no matter
			for event, second := range map[int]int{0: 600, 1: 601, 4: 602 + j} {
				fmt.Fprintf(&rows, "%d,,%d,%d,u,2,n%d,nightly\n", (second+1000*p)*1_000_000, id+1, event, id)
			}
		}
		name := fmt.Sprintf("job_events/part-%05d-of-00500.csv.gz", p)
		files["/"+name] = gzipped(rows.String())
		list += sumOf(files["/"+name]) + " *" + name + "\n"
	}
	files["/SHA256SUM"] = list
	return files
}

// fetchJSON runs fetch with --json.
func fetchJSON(t *testing.T, args ...string) (status int, doc fetchDoc, stderr string) {
	t.Helper()
	status, stdout, stderr := call(t, append([]string{"fetch", "--json"}, args...)...)
	if stdout != "" {
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
			t.Fatalf("%v: %s", err, stdout)
		}
	}
	return status, doc, stderr
}

// From a mirror with checksums, over a line that breaks, into a store: fetch, import as it says, inspect.
func TestFetchThenImport(t *testing.T) {
	m := newMirror(t, clusterData2011(3, 400))
	broken := false
	m.fail = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if broken || !strings.HasPrefix(r.URL.Path, "/job_events/") {
			return false
		}
		broken = true
		content := m.files[r.URL.Path]
		w.Header().Set("ETag", `"`+sumOf(content)[:8]+`"`)
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		io.WriteString(w, content[:len(content)/2])
		w.(http.Flusher).Flush()
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return true
		}
		c.Close()
		return true
	}
	t.Chdir(t.TempDir())
	args := []string{"google2011", "--files", "job_events/*", "--parts", "0,2", "--from", m.URL}
	status, stdout, stderr := call(t, append([]string{"fetch"}, args...)...)
	if status != ExitDone {
		t.Fatal(stderr)
	}
	for _, want := range []string{"CC-BY-4.0", "2 files, about 372 kB, into google2011", "2 fetched, 0 there " +
		"already, 0 failed", "\n2 files with the checksum that is published\n",
		"next: racecard import --out google2011.store google2011/job_events\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q lacks %q", stdout, want)
		}
	}
	if !strings.Contains(stderr, "next attempt in") {
		t.Errorf("the broken line went unnoticed: %q", stderr)
	}
	if asked := m.asked(); !slices.Equal(asked, []string{"/SHA256SUM", "/job_events/part-00000-of-00500.csv.gz",
		"/job_events/part-00000-of-00500.csv.gz",
		"/job_events/part-00002-of-00500.csv.gz"}) {
		t.Errorf("asked for %v", asked)
	}

	status, doc, stderr := fetchJSON(t, args...)
	if status != ExitDone || len(doc.Files) != 2 || doc.Failed != 0 || len(doc.Import) != 1 {
		t.Fatalf("again: exit status %d, %+v: %s", status, doc, stderr)
	}
	for i, name := range []string{"job_events/part-00000-of-00500.csv.gz", "job_events/part-00002-of-00500.csv.gz"} {
		f := doc.Files[i]
		if f.Path != name || f.Status != statusPresent || f.URL != nil || !f.Published ||
			*f.SHA256 != sumOf(m.files["/"+name]) || *f.Bytes != int64(len(m.files["/"+name])) {
			t.Errorf("again: %+v", f)
		}
	}
	if asked := m.asked(); len(asked) > 0 {
		t.Errorf("again: asked for %v", asked)
	}

	command := strings.Fields(doc.Import[0])
	if status, _, stderr := call(t, command[1:]...); status != ExitDone {
		t.Fatalf("%s: %s", doc.Import[0], stderr)
	}
	_, stdout, _ = call(t, "inspect", "--json", "google2011.store")
	var got Inspection
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got.Format != "google2011" || got.Rows["jobs"] != 800 || got.Rejected != 0 {
		t.Errorf("the store holds %s", stdout)
	}
}

func TestFetchFailures(t *testing.T) {
	good := clusterData2011(2, 5)
	for _, test := range []struct {
		name    string
		change  func(files map[string]string)
		parts   string
		failed  int
		present []string // files under their names
		wants   []string // in the message
		warns   string
	}{
		{"a part is missing", func(f map[string]string) { delete(f, "/job_events/part-00000-of-00500.csv.gz") }, "0-1",
			1,
			[]string{"SHA256SUM", "job_events/part-00001-of-00500.csv.gz"},
			[]string{"1 of 2 files could not be fetched", "part-00000", "404"}, ""},
		{"a part is garbage", func(f map[string]string) { f["/job_events/part-00001-of-00500.csv.gz"] = gzipped("x") },
			"0-1", 1,
			[]string{"SHA256SUM", "job_events/part-00000-of-00500.csv.gz"}, []string{sumOf(gzipped("x")),
				sumOf(good["/job_events/part-00001-of-00500.csv.gz"])}, ""},
		{"web pages", func(f map[string]string) {
			for name := range f {
				f[name] = "<html>Please log in</html>"
			}
		}, "0-1", 2, nil, []string{"2 of 2 files", "web page"}, "the publisher's checksums could not be had"},
		{"no list of checksums", func(f map[string]string) { delete(f, "/SHA256SUM") }, "0-1", 0,
			[]string{"job_events/part-00000-of-00500.csv.gz", "job_events/part-00001-of-00500.csv.gz"}, nil,
			"the publisher's checksums could not be had"},
		{"an incomplete list", func(f map[string]string) { f["/SHA256SUM"], _, _ = strings.Cut(f["/SHA256SUM"], "\n") },
			"0-1", 0,
			[]string{"SHA256SUM", "job_events/part-00000-of-00500.csv.gz", "job_events/part-00001-of-00500.csv.gz"},
			nil, "part-00001-of-00500.csv.gz is not in SHA256SUM"},
		{"a list that is none", func(f map[string]string) { f["/SHA256SUM"] = "no such thing\n" }, "0-1", -1,
			[]string{"SHA256SUM"}, []string{"SHA256SUM:1", "not a checksum"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := clusterData2011(2, 5)
			for name, content := range good { // rows are in random order
				files[name] = content
			}
			test.change(files)
			m := newMirror(t, files)
			out := filepath.Join(t.TempDir(), "out")
			status, doc, stderr := fetchJSON(t, "google2011", "--files", "job_events/*", "--parts", test.parts,
				"--from", m.URL+"/", "--out", out, "--yes")
			if want := min(1, max(test.failed, -test.failed)); status != want || test.failed >= 0 &&
				doc.Failed != test.failed {
				t.Errorf("exit status %d, %d failed, want %d, %d: %s", status, doc.Failed, want, test.failed, stderr)
			}
			for _, want := range test.wants {
				if !strings.Contains(stderr, want) {
					t.Errorf("%q lacks %q", stderr, want)
				}
			}
			if warnings := strings.Join(doc.Warnings, "\n"); !strings.Contains(warnings, test.warns) ||
				test.warns == "" && warnings != "" {
				t.Errorf("warnings %q, want %q", warnings, test.warns)
			}
			if (len(doc.Import) > 0) != (test.failed == 0) {
				t.Errorf("import commands %v", doc.Import)
			}
			var present []string
			filepath.WalkDir(out, func(name string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() && d.Name() != "racecard-fetch.json" {
					name, _ = filepath.Rel(out, name)
					present = append(present, filepath.ToSlash(name))
				}
				return err
			})
			if !slices.Equal(present, test.present) {
				t.Errorf("the folder holds %v, want %v", present, test.present)
			}
		})
	}
}

// Sizes that the catalogue does not know are asked for, and what is large needs consent.
func TestFetchAsksBeforeMuch(t *testing.T) {
	large := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead {
			t.Errorf("%s without consent", r.Method)
		}
		w.Header().Set("Content-Length", "1500000000")
	}))
	defer large.Close()
	silent := newMirror(t, nil)
	stdin := os.Stdin
	defer func() { os.Stdin = stdin }()
	var err error
	if os.Stdin, err = os.Open(os.DevNull); err != nil { // nobody answers, wherever the test runs
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"size of the catalogue", []string{"philly"}, "1.1 GB"},
		{"size of the server", []string{"alibaba2017", "--from", large.URL}, "1.5 GB"},
		{"many files", []string{"google2011", "--files", "task_usage/*", "--from", large.URL}, "38 GB"},
		{"size that nobody knows", []string{"alibaba2017", "--from", silent.URL}, "1 file of unknown size"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		status, _, stderr := call(t, append([]string{"fetch", "--out", out}, test.args...)...)
		if status != ExitUsage || !strings.Contains(stderr, test.want) || !strings.Contains(stderr, "--yes") {
			t.Errorf("%s: exit status %d: %s", test.name, status, stderr)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: a folder was made", test.name)
		}
	}
}

func TestConsent(t *testing.T) {
	entry, err := catalogue.Named("philly")
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlan(entry, fetchFlags{out: filepath.Join(t.TempDir(), "out")})
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.Open(os.DevNull) // a character device, and no answer
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	for _, test := range []struct {
		name  string
		stdin io.Reader
		yes   bool
		usage bool
		want  string
	}{
		{"yes said before", terminal, true, false, ""}, {"no answer", terminal, false, true, "no answer"},
		{"no terminal", strings.NewReader("y\n"), false, true, "no terminal"},
	} {
		var stderr bytes.Buffer
		e := &env{stdin: test.stdin, stdout: newScreen(io.Discard), stderr: newScreen(&stderr)}
		err := e.consent(t.Context(), p, test.yes)
		var usage usageError
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) ||
			errors.As(err, &usage) != test.usage {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	for line, want := range map[string]string{"y\n": "", "Yes \n": "", "y": "", "n\n": "nothing was fetched",
		"\n": "nothing was fetched", "": "no answer"} {
		var stderr bytes.Buffer
		e := &env{stdin: strings.NewReader(line), stdout: newScreen(io.Discard), stderr: newScreen(&stderr)}
		err := e.ask(t.Context(), "1.1 GB into x")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) ||
			stderr.String() != "Fetch 1.1 GB into x? [y/N] " {
			t.Errorf("%q: %v; asked %q", line, err, stderr.String())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, w := io.Pipe()
	defer w.Close()
	e := &env{stdin: r, stdout: newScreen(io.Discard), stderr: newScreen(io.Discard)}
	if err := e.ask(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted while asking: %v", err)
	}
}

func TestInterruptedFetchGoesOn(t *testing.T) {
	content := gzipped(garbage(400_000))
	m := newMirror(t, map[string]string{"/machine_events/part-00000-of-00001.csv.gz": content})
	ctx, cancel := context.WithCancel(t.Context())
	first := true
	m.fail = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/SHA256SUM" || !first {
			return false
		}
		first = false
		w.Header().Set("ETag", `"`+sumOf(content)[:8]+`"`)
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		io.WriteString(w, content[:300_000])
		w.(http.Flusher).Flush()
		time.Sleep(50 * time.Millisecond) // the bytes arrive before the interruption
		cancel()
		<-r.Context().Done()
		return true
	}
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"fetch", "google2011", "--files", "machine_events/*", "--from", m.URL, "--out", out}
	var stdout, stderr bytes.Buffer
	if status := Run(ctx, args, &stdout, &stderr); status != ExitFailed ||
		!strings.Contains(stderr.String(), "the same command goes on where it stopped") {
		t.Fatalf("exit status %d: %s", status, stderr.String())
	}
	if _, err := os.Stat(filepath.Join(out, "machine_events", "part-00000-of-00001.csv.gz")); err == nil {
		t.Error("half a file stands under the file's name")
	}
	if status, _, stderr := call(t, args...); status != ExitDone {
		t.Fatal(stderr)
	}
	got, err := os.ReadFile(filepath.Join(out, "machine_events", "part-00000-of-00001.csv.gz"))
	if err != nil || string(got) != content {
		t.Errorf("%d bytes of %d, %v", len(got), len(content), err)
	}
}

func TestFetchIntoFolderThatCannotBeWritten(t *testing.T) {
	m := newMirror(t, map[string]string{"/machine_events/part-00000-of-00001.csv.gz": gzipped(garbage(400_000))})
	fetch := func(out string) (int, string) {
		status, _, stderr := call(t, "fetch", "google2011", "--files", "machine_events/*", "--from", m.URL, "--out",
			out)
		return status, stderr
	}
	file := put(t, t.TempDir(), "file", "")
	if status, stderr := fetch(file); status != ExitFailed || !strings.Contains(stderr, file) {
		t.Errorf("a file for a folder: exit status %d: %s", status, stderr)
	}
	full := mount(t, "size=64k")
	status, stderr := fetch(full)
	if status != ExitFailed || !strings.Contains(stderr, "no space left") ||
		!strings.Contains(stderr, "part-00000-of-00001.csv.gz") || strings.Count(stderr, full) != 1 {
		t.Errorf("a full disk: exit status %d: %s", status, stderr)
	}
	if _, err := os.Stat(filepath.Join(full, "machine_events", "part-00000-of-00001.csv.gz")); err == nil {
		t.Error("a full disk: half a file stands under the file's name")
	}
	if status, stderr := fetch(filepath.Join(mount(t, "ro"), "out")); status != ExitFailed ||
		!strings.Contains(stderr, "read-only") {
		t.Errorf("a read-only disk: exit status %d: %s", status, stderr)
	}
}

func TestFetchUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{"fetch", "nosuch"}, ExitUsage, "google2011"},
		{[]string{"fetch", "swim", "pwa"}, ExitUsage, "one trace"},
		{[]string{"fetch", "swim", "--files", "nosuch"}, ExitUsage, "FB-2009_samples_24_times_1hr_0.tsv"},
		{[]string{"fetch", "swim", "--files", "["}, ExitUsage, "pattern"},
		{[]string{"fetch", "swim", "--parts", "0"}, ExitUsage, "no numbered parts"},
		{[]string{"fetch", "google2011", "--parts", "x"}, ExitUsage, "--parts"},
		{[]string{"fetch", "google2011", "--parts", "500"}, ExitUsage, "00499"},
		{[]string{"fetch", "swim", "--from", "mirror/"}, ExitUsage, "--from"},
		{[]string{"fetch", "swim", "--from", "ftp://mirror/"}, ExitUsage, "--from"},
		{[]string{"fetch", "--help"}, ExitDone, ""},
	} {
		status, _, stderr := call(t, test.args...)
		if status != test.want || !strings.Contains(stderr, test.says) {
			t.Errorf("racecard %s: exit status %d, want %d; stderr %q, want %q in it", strings.Join(test.args, " "),
				status, test.want, stderr, test.says)
		}
	}
}

func TestListTraces(t *testing.T) {
	status, stdout, stderr := call(t, "fetch")
	if status != ExitDone {
		t.Fatal(stderr)
	}
	for _, e := range catalogue.All() {
		if !strings.Contains(stdout, "\n"+e.Name+" ") || !strings.Contains(stdout, e.Title) ||
			!strings.Contains(stdout, e.Licence) {
			t.Errorf("%s is not in the list", e.Name)
		}
		for _, name := range e.Analyses {
			if _, err := stage.Select(stage.Analyses(stage.DefaultOptions()), []string{name}); err != nil {
				t.Errorf("%s: %v", e.Name, err)
			}
		}
	}
	status, stdout, stderr = call(t, "fetch", "--json")
	entries, err := catalogue.Read(strings.NewReader(stdout))
	if status != ExitDone || err != nil || len(entries) != len(catalogue.All()) {
		t.Errorf("exit status %d, %v: %s", status, err, stderr)
	}
}

func TestDryRun(t *testing.T) {
	t.Chdir(t.TempDir())
	status, stdout, stderr := call(t, "fetch", "alibaba2018", "--files", "*", "--dry-run")
	if status != ExitDone {
		t.Fatal(stderr)
	}
	for _, want := range []string{"2 files, about 21 GB, into alibaba2018", "not verified: ", "by hand: ",
		"analyses: dag, timeline",
		"batch_instance.tar.gz", "about 21 GB", "sha256",
		"https://aliopentrace.oss-cn-beijing.aliyuncs.com/v2018Traces/batch_task.tar.gz (and 3 mirrors)"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%s lacks %q", stdout, want)
		}
	}
	_, stdout, _ = call(t, "fetch", "google2011", "--dry-run")
	// of 1,001 files 20 are shown
	if !strings.Contains(stdout, "and 981 more") || !strings.Contains(stdout, "in SHA256SUM") {
		t.Errorf("a long plan: %s", stdout)
	}
	status, stdout, stderr = call(t, "fetch", "swim", "--dry-run", "--json", "--from", "http://mirror/swim")
	var doc planDoc
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || status != ExitDone {
		t.Fatalf("%v: %s", err, stderr)
	}
	f := doc.Files[0]
	if doc.Name != "swim" || doc.Out != "swim" || len(doc.Files) != 4 || f.SHA256 != nil || *f.Bytes != 198743 ||
		f.URLs[0] != "http://mirror/swim/FB-2009_samples_24_times_1hr_0.tsv" {
		t.Errorf("%s", stdout)
	}
	if left, _ := os.ReadDir("."); len(left) > 0 {
		t.Errorf("a dry run left %v", left)
	}
}

// A trace that cannot be fetched says how it can be had.
func TestByHand(t *testing.T) {
	var stdout, stderr bytes.Buffer
	e := &env{stdout: newScreen(&stdout), stderr: newScreen(&stderr)}
	err := e.fetch(t.Context(), &catalogue.Entry{Name: "secret", ByHand: "Fill in the form.", Home: "https://home/"},
		fetchFlags{})
	if err == nil || !strings.Contains(err.Error(), "By hand: Fill in the form. See https://home/") {
		t.Errorf("%v", err)
	}
	var usage usageError
	if errors.As(err, &usage) {
		t.Error("it is no mistake to ask")
	}
}

func TestImportCommands(t *testing.T) {
	for _, test := range []struct {
		name  string
		flags fetchFlags
		want  []string
	}{
		{"google2011", fetchFlags{out: "/data/g"}, []string{"racecard import --out g.store /data/g/job_events " +
			"/data/g/task_events /data/g/machine_events"}},
		{"alibaba2018", fetchFlags{},
			[]string{"racecard import --out alibaba2018.store alibaba2018/batch_task.tar.gz"}},
		{"alibaba2018", fetchFlags{files: []string{"*"}, out: "my traces"}, []string{"racecard import --out 'my " +
			"traces.store' 'my traces/batch_task.tar.gz' 'my traces/batch_instance.tar.gz'"}},
		{"swim", fetchFlags{files: []string{"FB-2009*_0.tsv"}}, []string{"racecard import --out " +
			"FB-2009_samples_24_times_1hr_0.store swim/FB-2009_samples_24_times_1hr_0.tsv"}},
		{"pwa", fetchFlags{files: []string{"*NASA*", "*KTH*"}}, []string{"racecard import --out " +
			"NASA-iPSC-1993-3.1-cln.store pwa/NASA-iPSC-1993-3.1-cln.swf.gz",
			"racecard import --out KTH-SP2-1996-2.1-cln.store pwa/KTH-SP2-1996-2.1-cln.swf.gz"}},
		{"wta", fetchFlags{files: []string{"shell*"}, out: "it's"},
			[]string{`unzip -d 'it'\''s/shell_parquet' 'it'\''s/shell_parquet.zip'`,
				`racecard import --out shell_parquet.store 'it'\''s/shell_parquet'`}},
		{"wta-shell", fetchFlags{}, []string{"racecard import --out wta-shell.store wta-shell/tasks " +
			"wta-shell/workflows wta-shell/workload"}},
	} {
		entry, err := catalogue.Named(test.name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := newPlan(entry, test.flags)
		if err != nil {
			t.Fatal(err)
		}
		if got := importCommands(p); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// The real files of two traces, from a mirror, as fetch and import handle them.
func TestFetchSharedTraces(t *testing.T) {
	for _, test := range []struct {
		name, folder, glob string
		jobs               int64
	}{
		{"swim", "swim-facebook/", "FB-2009*_0.tsv", 5894}, {"wta-shell", "wta/shell/", "*", 3403},
		{"alibaba-gpu2023", "alibaba-gpu-2023/", "*", 8152},
		{"google2011", "google-2011/", "job_events/part-0000[0-3]-*", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := httptest.NewServer(http.FileServer(http.Dir(sourcetest.Shared(t, test.folder))))
			defer m.Close()
			t.Chdir(t.TempDir())
			status, doc, stderr := fetchJSON(t, test.name, "--files", test.glob, "--from", m.URL, "--yes")
			if status != ExitDone || len(doc.Import) != 1 {
				t.Fatalf("exit status %d, %+v: %s", status, doc, stderr)
			}
			command := strings.Fields(doc.Import[0])
			if status, _, stderr := call(t, command[1:]...); status != ExitDone {
				t.Fatalf("%s: %s", doc.Import[0], stderr)
			}
			_, stdout, _ := call(t, "inspect", "--json", command[3])
			var got Inspection
			if err := json.Unmarshal([]byte(stdout), &got); err != nil {
				t.Fatal(err)
			}
			if test.jobs > 0 && got.Rows["jobs"] != test.jobs || got.Rows["jobs"] == 0 {
				t.Errorf("the store holds %v, want %d jobs", got.Rows, test.jobs)
			}
		})
	}
}

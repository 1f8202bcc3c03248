package cli

import (
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"racecard/datasets/modelfile"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/tablefile"
)

// s3Server is the variable with the path of versitygw, a server of S3; see the recipe test-s3 of the justfile.
const s3Server = "RACECARD_S3_SERVER"

const s3Secret = "very-secret-indeed"

// s3 is a server of S3 behind a proxy that counts bytes and breaks answers off.
type s3 struct {
	sent   atomic.Int64 // bytes of answers to GET
	cut    atomic.Int64 // answers to break off
	folder string       // of the bucket's objects
}

// newS3 starts a server with the bucket traces, and points this process and its children to it.
func newS3(t *testing.T) *s3 {
	t.Helper()
	program := os.Getenv(s3Server)
	if program == "" {
		t.Skipf("NOT TESTED: a real server of S3; %s names none (`just test-s3` does)", s3Server)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "traces"), 0o755); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	free.Close()
	cmd := exec.Command(program, "--port", at, "posix", dir)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=tester", "ROOT_SECRET_KEY="+s3Secret)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", at); err == nil {
			c.Close()
			break
		}
		if time.Since(begin) > 20*time.Second {
			t.Fatal("the server of S3 does not come up")
		}
	}
	s := &s3{folder: filepath.Join(dir, "traces")}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: at})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w = &countedAnswer{ResponseWriter: w, s: s, cut: r.URL.Query().Get("list-type") == "" && s.cut.Add(-1) >= 0}
		}
		proxy.ServeHTTP(w, r)
	}))
	proxy.ErrorLog = nil
	t.Cleanup(front.Close)
	for name, value := range map[string]string{"AWS_ENDPOINT_URL": front.URL, "AWS_REGION": "us-east-1",
		"AWS_ACCESS_KEY_ID":     "tester",
		"AWS_SECRET_ACCESS_KEY": s3Secret, "AWS_EC2_METADATA_DISABLED": "true", "TMPDIR": t.TempDir()} {
		t.Setenv(name, value)
	}
	return s
}

// countedAnswer is an answer whose bytes are counted.
type countedAnswer struct {
	http.ResponseWriter
	s   *s3
	cut bool
	n   int
}

func (c *countedAnswer) Write(p []byte) (int, error) {
	if c.cut && c.n+len(p) > 100 {
		_, _ = c.ResponseWriter.Write(p[:max(0, 100-c.n)])
		panic(http.ErrAbortHandler)
	}
	n, err := c.ResponseWriter.Write(p)
	c.n += n
	c.s.sent.Add(int64(n))
	return n, err
}

// objects returns the folder with the files of the newest version of a folder in the bucket, if all are of that
// version.
func (s *s3) objects(t *testing.T, name string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(s.folder, name, "v0*"))
	if err != nil || len(all) == 0 {
		t.Fatalf("%s: %v, %v", name, all, err)
	}
	return all[len(all)-1]
}

// Traces, stores, results and units of work in a bucket give the bytes that folders give, also when answers break off.
func TestS3(t *testing.T) {
	s := newS3(t)
	dir := workshop(t) // with batches b0 to b3, and s.store
	const top = "s3://traces/"
	copyIn(t, filepath.Join(dir, "b0.jsonl"), filepath.Join(s.folder, "raw", "b0.jsonl"))
	copyIn(t, filepath.Join(dir, "b1.jsonl"), filepath.Join(s.folder, "raw", "b1.jsonl"))
	mustRun(t, "import", "--quiet", "--out", filepath.Join(dir, "ab.store"), filepath.Join(s.folder, "raw"))
	s.cut.Store(2)
	mustRun(t, "import", "--quiet", "--out", top+"ab.store", top+"raw")
	sameParts(t, filepath.Join(dir, "ab.store"), s.objects(t, "ab.store"))

	mustRun(t, "import", "--quiet", "--append", "--out", filepath.Join(dir, "ab.store"), filepath.Join(dir, "b2.jsonl"))
	mustRun(t, "import", "--quiet", "--append", "--out", top+"ab.store", filepath.Join(dir, "b2.jsonl"))
	for _, command := range [][]string{{"analyze", "--json"}, {"waste", "--json"}, {"backtest", "--json"}} {
		want := output(t, append(command, filepath.Join(dir, "ab.store"))...)
		s.cut.Store(3)
		if got := output(t, append(command, top+"ab.store")...); got != want {
			t.Errorf("%v: the bucket's answer differs:\n%s\nwant\n%s", command, got, want)
		}
	}
	mustRun(t, "analyze", "--quiet", filepath.Join(dir, "ab.store"), "--out", filepath.Join(dir, "ab.results"))
	mustRun(t, "analyze", "--quiet", top+"ab.store", "--out", top+"ab.results")
	sameParts(t, filepath.Join(dir, "ab.results"), s.objects(t, "ab.results"))
	mustRun(t, "waste", "--quiet", filepath.Join(dir, "ab.store"), "--out", filepath.Join(dir, "ab.results"))
	mustRun(t, "waste", "--quiet", top+"ab.store", "--out", top+"ab.results")
	if want, got := output(t, "inspect", filepath.Join(dir, "ab.results")), output(t, "inspect", top+
		"ab.results"); got != want {
		t.Errorf("results of two commands: %s, want %s", got, want)
	}
	mustRun(t, "report", "--quiet", top+"ab.results", "--out", top+"ab.report")

	mustRun(t, "fit", "--quiet", "--all", filepath.Join(dir, "ab.store"), "--out", filepath.Join(dir, "ab.models"))
	mustRun(t, "fit", "--quiet", "--all", top+"ab.store", "--out", top+"ab.models")
	sameParts(t, filepath.Join(dir, "ab.models"), s.objects(t, "ab.models"))
	mustRun(t, "table", "build", "--quiet", filepath.Join(dir, "ab.models"), "--out", filepath.Join(dir, "ab.tables"))
	mustRun(t, "table", "build", "--quiet", top+"ab.models", "--out", top+"ab.tables")
	sameParts(t, filepath.Join(dir, "ab.tables"), s.objects(t, "ab.tables"))

	mustRun(t, "work", "plan", "analyze", top+"ab.store", "--out", top+"work")
	mustRun(t, "work", "do", "--quiet", top+"work", "--index", "0")
	mustRun(t, "work", "do", "--quiet", top+"work")
	if said := output(t, "work", "status", top+"work"); !strings.Contains(said, " 0 failed") {
		t.Errorf("%s", said)
	}
	mustRun(t, "work", "merge", "--quiet", top+"work", "--out", top+"merged.results")
	for _, name := range []string{"dag.json", "recurrence.parquet"} {
		want, err := os.ReadFile(filepath.Join(dir, "ab.results", name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(s.objects(t, "merged.results"), name)); err != nil ||
			string(got) != string(want) {
			t.Errorf("%s of merged units differs: %v", name, err)
		}
	}
}

func copyIn(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// sameParts compares the files of folders but for those that name their sources, which lie elsewhere, or hold a
// checksum of such a file.
func sameParts(t *testing.T, want, got string) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(want, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || slices.Contains([]string{store.ManifestName, result.ProvenanceFile,
			modelfile.IndexFile, tablefile.IndexFile}, d.Name()) {
			return err
		}
		n++
		rel, _ := filepath.Rel(want, path)
		a, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if b, err := os.ReadFile(filepath.Join(got, rel)); err != nil || string(a) != string(b) {
			t.Errorf("%s differs: %v", rel, err)
		}
		return nil
	})
	if err != nil || n < 2 {
		t.Errorf("%d files, %v", n, err)
	}
}

// output is what a command prints on standard output.
func output(t *testing.T, args ...string) string {
	t.Helper()
	said, err := racecard(t, append(args, "--quiet")...).Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return string(said)
}

// A projected column costs its bytes.
func TestS3RangedReads(t *testing.T) {
	s := newS3(t)
	dir := t.TempDir()
	mustRun(t, "generate", "google2011", "--rows", "400000", "--out", dir, "--quiet")
	traces, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(traces) != 1 {
		t.Fatal(traces, err)
	}
	mustRun(t, "import", "--quiet", "--synthetic", "--out", "s3://traces/g.store", traces[0])
	var all int64
	err = filepath.WalkDir(s.objects(t, "g.store"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			all += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	fsys, err := publish.Open("s3://traces/g.store")
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(fsys)
	if err != nil {
		t.Fatal(err)
	}
	s.sent.Store(0)
	for part := range st.Parts() {
		b, err := st.Batch(part, store.Projection{"jobs.submit", "jobs.end", "jobs.name"})
		if err != nil {
			t.Fatal(err)
		}
		if b.Selected() == 0 {
			t.Error("no runs")
		}
	}
	share := float64(s.sent.Load()) / float64(all)
	t.Logf("%d of %d bytes, %.3f, in %d parts", s.sent.Load(), all, share, st.Parts())
	if share > 0.2 {
		t.Errorf("three columns took %.3f of the bytes of the store", share)
	}
}

// s3Store is the variable with the path of a store for [TestS3Gigabyte]; without it one is generated, which takes ten
// minutes.
const s3Store = "RACECARD_S3_STORE"

// Of a store of a gigabyte, three columns and commands that need few move less than a fifth of its bytes.
func TestS3Gigabyte(t *testing.T) {
	if os.Getenv("RACECARD_LONG") == "" {
		t.Skip("NOT TESTED: a store of a gigabyte in a bucket (`just bench-s3` does)")
	}
	s := newS3(t)
	from := os.Getenv(s3Store)
	if from == "" {
		dir := t.TempDir()
		from = filepath.Join(dir, "store")
		trace := strings.TrimSpace(mustRun(t, "generate", "jsonl", "--rows", "3700000", "--out", dir, "--quiet"))
		mustRun(t, "import", "--quiet", "--synthetic", "--out", from, trace)
	}
	all := linkIn(t, from, filepath.Join(s.folder, "big.store"))
	if all < 1e9 {
		t.Errorf("the store has %d bytes, want a gigabyte", all)
	}
	report := func(what string, most float64) {
		share := float64(s.sent.Load()) / float64(all)
		t.Logf("%-50s %12d of %d bytes, %.4f", what, s.sent.Swap(0), all, share)
		if share > most {
			t.Errorf("%s took %.3f of the bytes of the store, want at most %g", what, share, most)
		}
	}
	for _, p := range []struct {
		columns store.Projection
		most    float64
	}{
		{store.Projection{"jobs.name", "jobs.submit", "jobs.end"}, 0.2},
		{store.Projection{"stages.tasks", "edges.parent", "edges.child"}, 0.2},
		{store.Projection{"tasks.stage", "tasks.task", "tasks.status"}, 0.2},
		{store.Projection{"tasks.stage", "tasks.status", "tasks.machine"}, 0.2},
		// the instants alone are a seventh of the store
		{store.Projection{"tasks.start", "tasks.stage", "tasks.status"}, 0.25},
	} {
		fsys, err := publish.Open("s3://traces/big.store")
		if err != nil {
			t.Fatal(err)
		}
		st, err := store.Open(fsys)
		if err != nil {
			t.Fatal(err)
		}
		s.sent.Store(0)
		runs := 0
		for part := range st.Parts() {
			b, err := st.Batch(part, p.columns)
			if err != nil {
				t.Fatal(err)
			}
			runs += b.Selected()
		}
		if runs == 0 {
			t.Error("no runs")
		}
		report(strings.Join(p.columns, ", "), p.most)
	}
	for _, command := range [][]string{{"analyze", "--only", "cov"}, {"inspect", "--quick"}} {
		output(t, append(command, "s3://traces/big.store")...)
		report(strings.Join(command, " "), 0.2)
	}
}

// linkIn puts the files of a folder at another place and returns their bytes.
func linkIn(t *testing.T, from, to string) (bytes int64) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		bytes += info.Size()
		return os.Link(path, filepath.Join(to, rel))
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// Recipes read traces from buckets and publish to them, init writes such a recipe, refresh keeps all its folders in
// one, and so does --work. What changed in a bucket is taken again, and nothing else.
func TestS3Runs(t *testing.T) {
	s := newS3(t)
	k := newKitchen(t, usualSteps, "a")
	put := func(runs int) { copyText(t, runsOf("a", runs), filepath.Join(s.folder, "raw", "day", "a.jsonl")) }
	put(12)
	file := filepath.Join(k.dir, "racecard.yaml")
	mustRun(t, "init", "s3://traces/raw", "--out", file, "--force")
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), `paths: "s3://traces/raw"`) ||
		!strings.Contains(string(text), "format: jsonl") {
		t.Fatalf("%v: %s", err, text)
	}
	recipe := strings.Replace(string(text), "racecard-out", "out", 1) +
		"  site: {publish: results, to: \"s3://traces/site/{{ trace }}\"}\n  direct: {inspect: s3://traces/site/raw}\n"
	k.write("racecard.yaml", recipe)
	const all = "direct raw/backtest raw/report raw/results raw/site raw/store"
	if record, said, status := k.run(); status == 0 || taken(record) != strings.TrimPrefix(all, "direct ") ||
		!strings.Contains(said, "there is no s3://traces/site/raw") {
		t.Errorf("before the place is published to: status %d, done %s: %s", status, taken(record), said)
	}
	if record, said, status := k.run(); status != 0 || taken(record) != "direct" {
		t.Errorf("afterwards: status %d, done %s: %s", status, taken(record), said)
	}
	results, err := filepath.EvalSymlinks(filepath.Join(k.dir, "out", "latest", "raw", "results"))
	if err != nil {
		t.Fatal(err)
	}
	sameParts(t, results, s.objects(t, "site/raw"))
	s.sent.Store(0)
	if record, said, status := k.run(); status != 0 || taken(record) != "" || s.sent.Load() > 50_000 {
		t.Errorf("nothing changed: status %d, done %s, %d bytes: %s", status, taken(record), s.sent.Load(), said)
	}
	put(13)
	if record, said, status := k.run(); status != 0 || taken(record) != strings.TrimPrefix(all, "direct ") {
		t.Errorf("after a change: status %d, done %s: %s", status, taken(record), said)
	}

	refresh := []string{"refresh", "s3://traces/raw", "--min-runs", "5", "--store", "s3://traces/r.store", "--models",
		"s3://traces/r.models", "--tables", "s3://traces/r.tables", "--json"}
	if said := mustRun(t, refresh...); !strings.Contains(said, `"published": true`) ||
		!strings.Contains(said, `"new_runs": 13`) {
		t.Errorf("refresh: %s", said)
	}
	if said := mustRun(t, refresh...); !strings.Contains(said, `"published": false`) {
		t.Errorf("refresh again: %s", said)
	}

	mustRun(t, "simulate", "eagle", "s3://traces/r.store", "--seeds", "1-2", "--work", "s3://traces/sweep.work",
		"--out", filepath.Join(k.dir, "bucket.sweep"), "--quiet")
	mustRun(t, "simulate", "eagle", "s3://traces/r.store", "--seeds", "1-2", "--out",
		filepath.Join(k.dir, "here.sweep"), "--quiet")
	sameParts(t, filepath.Join(k.dir, "here.sweep"), filepath.Join(k.dir, "bucket.sweep"))
	if units, err := filepath.Glob(filepath.Join(s.folder, "sweep.work", "done", "*.unit")); err != nil ||
		len(units) != 2 {
		t.Errorf("units in the bucket: %v, %v", units, err)
	}
}

func copyText(t *testing.T, text, to string) {
	t.Helper()
	from := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(from, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	copyIn(t, from, to)
}

// Errors name the URL and the remedy, and no secret is printed.
func TestS3Errors(t *testing.T) {
	newS3(t)
	for _, test := range []struct {
		args []string
		env  string
		want string
	}{
		{[]string{"inspect", "s3://traces/none.store"}, "", "there is no s3://traces/none.store"},
		{[]string{"inspect", "s3://elsewhere/a.store"}, "", "there is no bucket elsewhere"},
		{[]string{"import", "--out", "s3://traces/a.store", "s3://traces/none"}, "", "s3://traces/none: there is no " +
			"such file or folder"},
		{[]string{"inspect", "s3://traces/a.store"}, "AWS_SECRET_ACCESS_KEY=wrong-" + s3Secret, "the credentials"},
		{[]string{"inspect", "s3://me:" + s3Secret + "@traces/a.store"}, "", "credentials do not belong in a URL"},
		{[]string{"demo", "--out", "s3://traces/demo"}, "", "takes only paths of this machine"},
		{[]string{"inspect", "hdfs://h/x"}, "", "hdfs dfs -get"},
	} {
		cmd := racecard(t, test.args...)
		if test.env != "" {
			cmd.Env = append(cmd.Env, test.env)
		}
		said, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(said), test.want) {
			t.Errorf("%v: %v: %s, want %s", test.args, err, said, test.want)
		}
		if strings.Contains(string(said), s3Secret) {
			t.Errorf("%v: a secret is printed: %s", test.args, said)
		}
	}
}

// An import that is killed while it uploads leaves no store, and goes on when it is given again.
func TestS3Killed(t *testing.T) {
	s := newS3(t)
	dir := workshop(t)
	for i := range 6 {
		cmd := racecard(t, "import", "--quiet", "--force", "--out", "s3://traces/k.store",
			filepath.Join(dir, "b0.jsonl"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(40+25*i) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		fsys, err := publish.Open("s3://traces/k.store")
		if err != nil {
			continue // not there yet
		}
		if _, err := store.Open(fsys); err != nil {
			t.Errorf("after a kill: %v", err)
		}
	}
	mustRun(t, "import", "--quiet", "--force", "--out", "s3://traces/k.store", filepath.Join(dir, "b0.jsonl"))
	mustRun(t, "import", "--quiet", "--out", filepath.Join(dir, "k.store"), filepath.Join(dir, "b0.jsonl"))
	sameParts(t, filepath.Join(dir, "k.store"), s.objects(t, "k.store"))
	if left, err := os.ReadDir(filepath.Join(os.TempDir(), fmt.Sprintf("racecard-%d", os.Getuid()))); err != nil ||
		len(left) > 0 {
		t.Errorf("%v is left in the folder of temporary files: %v", left, err)
	}
}

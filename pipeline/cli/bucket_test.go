package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"racecard/datasets/modelfile"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/tablefile"
)

// Traces, stores, results and units of work in a bucket give the bytes that folders give, also when answers break off.
func TestBucket(t *testing.T) {
	s := newBucket(t)
	dir := workshop(t) // with batches b0 to b3, and s.store
	top := s.url("")
	for _, name := range []string{"b0.jsonl", "b1.jsonl"} {
		copyIn(t, filepath.Join(dir, name), filepath.Join(dir, "raw", name))
		s.putFile(t, filepath.Join(dir, name), "raw/"+name)
	}
	mustRun(t, "import", "--quiet", "--out", filepath.Join(dir, "ab.store"), filepath.Join(dir, "raw"))
	s.cut.Store(2)
	mustRun(t, "import", "--quiet", "--out", top+"ab.store", top+"raw")
	sameParts(t, filepath.Join(dir, "ab.store"), s.objects(t, "ab.store"))
	want := read(t, filepath.Join(dir, "ab.store", store.ManifestName)) // also the names of the files
	if got := read(t, filepath.Join(s.objects(t, "ab.store"), store.ManifestName)); !bytes.Equal(got, want) {
		t.Errorf("manifest %s, want %s", got, want)
	}

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
	if err != nil {
		t.Fatal(err)
	}
	writeBelow(t, to, data)
}

// writeBelow writes a file and the folders above it.
func writeBelow(t *testing.T, path string, data []byte) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
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
func TestBucketRangedReads(t *testing.T) {
	s := newBucket(t)
	dir := t.TempDir()
	mustRun(t, "generate", "google2011", "--rows", "400000", "--out", dir, "--quiet")
	traces, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(traces) != 1 {
		t.Fatal(traces, err)
	}
	mustRun(t, "import", "--quiet", "--synthetic", "--out", s.url("g.store"), traces[0])
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
	fsys, err := publish.Open(s.url("g.store"))
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

// s3Store is the variable with the path of a store for [TestS3Gigabyte]; without it one is generated, which takes two
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
		trace := strings.TrimSpace(mustRun(t, "generate", "jsonl", "--rows", "4600000", "--out", dir, "--quiet"))
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
		{store.Projection{"tasks.start", "tasks.stage", "tasks.status"}, 0.2},
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
func TestBucketRuns(t *testing.T) {
	s := newBucket(t)
	k := newKitchen(t, usualSteps, "a")
	put := func(runs int) {
		if err := s.put("raw/day/a.jsonl", []byte(runsOf("a", runs))); err != nil {
			t.Fatal(err)
		}
	}
	put(12)
	file := filepath.Join(k.dir, "racecard.yaml")
	mustRun(t, "init", s.url("raw"), "--out", file, "--force")
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), `paths: "`+s.url("raw")+`"`) ||
		!strings.Contains(string(text), "format: jsonl") {
		t.Fatalf("%v: %s", err, text)
	}
	recipe := strings.Replace(string(text), "racecard-out", "out", 1) +
		"  site: {publish: results, to: \"" + s.url("site/{{ trace }}") + "\"}\n  direct: {inspect: " +
		s.url("site/raw") + "}\n"
	k.write("racecard.yaml", recipe)
	const all = "direct raw/backtest raw/report raw/results raw/site raw/store"
	if record, said, status := k.run(); status == 0 || taken(record) != strings.TrimPrefix(all, "direct ") ||
		!strings.Contains(said, "there is no "+s.url("site/raw")) {
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

	refresh := []string{"refresh", s.url("raw"), "--min-runs", "5", "--store", s.url("r.store"), "--models",
		s.url("r.models"), "--tables", s.url("r.tables"), "--json"}
	if said := mustRun(t, refresh...); !strings.Contains(said, `"published": true`) ||
		!strings.Contains(said, `"new_runs": 13`) {
		t.Errorf("refresh: %s", said)
	}
	if said := mustRun(t, refresh...); !strings.Contains(said, `"published": false`) {
		t.Errorf("refresh again: %s", said)
	}

	mustRun(t, "simulate", "eagle", s.url("r.store"), "--seeds", "1-2", "--work", s.url("sweep.work"),
		"--out", filepath.Join(k.dir, "bucket.sweep"), "--quiet")
	mustRun(t, "simulate", "eagle", s.url("r.store"), "--seeds", "1-2", "--out",
		filepath.Join(k.dir, "here.sweep"), "--quiet")
	sameParts(t, filepath.Join(k.dir, "here.sweep"), filepath.Join(k.dir, "bucket.sweep"))
	if units, err := s.list("sweep.work/done/"); err != nil || len(units) != 2 {
		t.Errorf("units in the bucket: %v, %v", units, err)
	}
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
func TestBucketKilled(t *testing.T) {
	s := newBucket(t)
	dir := workshop(t)
	for i := range 6 {
		cmd := racecard(t, "import", "--quiet", "--force", "--out", s.url("k.store"),
			filepath.Join(dir, "b0.jsonl"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(40+25*i) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		// In a process of its own: this one may have the bucket of another test's server open.
		said, err := racecard(t, "inspect", "--quiet", s.url("k.store")).CombinedOutput()
		if err != nil && !strings.Contains(string(said), "there is no ") {
			t.Errorf("after a kill: %v: %s", err, said)
		}
		t.Logf("killed after %d ms: there was a store: %v", 40+25*i, err == nil)
	}
	mustRun(t, "import", "--quiet", "--force", "--out", s.url("k.store"), filepath.Join(dir, "b0.jsonl"))
	mustRun(t, "import", "--quiet", "--out", filepath.Join(dir, "k.store"), filepath.Join(dir, "b0.jsonl"))
	sameParts(t, filepath.Join(dir, "k.store"), s.objects(t, "k.store"))
	if left, err := os.ReadDir(filepath.Join(os.TempDir(), fmt.Sprintf("racecard-%d", os.Getuid()))); err != nil ||
		len(left) > 0 {
		t.Errorf("%v is left in the folder of temporary files: %v", left, err)
	}
}

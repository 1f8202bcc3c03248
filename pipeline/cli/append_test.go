package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/lists"
	"racecard/datasets/source"
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

// inSteps imports a folder, and appends to the store after each later step. A step maps names in the folder to contents;
// "" removes the file.
func inSteps(t *testing.T, steps ...map[string]string) (dir, out string) {
	t.Helper()
	dir, out = t.TempDir(), filepath.Join(t.TempDir(), "s")
	for i, files := range steps {
		for name, text := range files {
			path := filepath.Join(dir, name)
			err := os.MkdirAll(filepath.Dir(path), 0o755)
			if text == "" {
				err = os.Remove(path)
			}
			if err != nil {
				t.Fatal(err)
			}
			if text != "" {
				put(t, dir, name, text)
			}
		}
		args := []string{"import", "--ended", "--out", out, dir}
		if i > 0 {
			args = append(args, "--append")
		}
		must(t, args...)
	}
	return dir, out
}

// steadily compares the store of some steps with one import of the last step's files.
func steadily(t *testing.T, steps ...map[string]string) {
	t.Helper()
	dir, out := inSteps(t, steps...)
	once := filepath.Join(t.TempDir(), "once")
	must(t, "import", "--ended", "--out", once, dir)
	if got, want := content(t, out), content(t, once); !slices.Equal(got, want) {
		t.Errorf("after %d steps:\n%s\nof all files at once:\n%s", len(steps), strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
}

// A last line without an end is passed over with --ended where a part of it would be another number. Files that were
// compressed are whole.
func TestAppendWaitsForTheEndsOfNumbers(t *testing.T) {
	job := func(n int, last string) string {
		return fmt.Sprintf("%d 0 0 10 1 -1 -1 1 60 -1 1 7 1 1 1 -1 -1 %s", n, last)
	}
	for name, lines := range map[string][2]string{
		"log.tr":  {"0 1 2.5 2.5\n9 2 15.25 15.25 15.2", "5\n"},
		"log.swf": {"; Version: 2.2\n" + job(1, "-1") + "\n" + job(2, "3"), "6\n"},
		"log.tsv": {"job0\t1\t0\t10\t20\t30\njob1\t2\t1\t10\t20\t31", "4\n"},
	} {
		steadily(t, map[string]string{name: lines[0]}, map[string]string{name: lines[0] + lines[1]})
		dir := t.TempDir()
		out := filepath.Join(dir, "s")
		said := must(t, "import", "--ended", "--out", out, put(t, dir, name, lines[0]))
		if n := len(content(t, out)); n != 1 || !strings.Contains(said, "its last line has no line end") {
			t.Errorf("%s: %d runs: %s", name, n, said)
		}
		must(t, "import", "--ended", "--force", "--out", out, put(t, dir, name+".gz", gzipped(lines[0])))
		if n := len(content(t, out)); n != 2 {
			t.Errorf("%s.gz: %d runs, want 2", name, n)
		}
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

// swfLog returns a log of jobs that are submitted every so many seconds. The format has no ids.
func swfLog(jobs, every int) string {
	var b strings.Builder
	b.WriteString("; Version: 2.2\n; UnixStartTime: 1000000000\n")
	for i := range jobs {
		fmt.Fprintf(&b, "%d %d 1 %d 2 -1 -1 2 60 -1 1 3 1 %d 1 1 -1 -1\n", i+1, i*every, 10+i, i%3)
	}
	return b.String()
}

// Runs of formats without ids are known again when their file has grown, was renamed, or compressed, whatever other
// files there are.
func TestAppendKnowsNumberedRuns(t *testing.T) {
	a, longer, b, c := swfLog(20, 30), swfLog(25, 30), swfLog(15, 41), swfLog(12, 43)
	steadily(t, map[string]string{"a.swf": a, "b.swf": b}, map[string]string{"a.swf": longer})
	type step = map[string]string
	for name, test := range map[string]struct {
		steps []step
		runs  int64
	}{
		"another file":      {[]step{{"a.swf": a}, {"b.swf": b}, {"a.swf": longer}}, 40},
		"compressed":        {[]step{{"a.swf": a}, {"a.swf": "", "a.swf.gz": gzipped(a)}}, 20},
		"renamed and grown": {[]step{{"a.swf": a}, {"a.swf": "", "old.swf.gz": gzipped(longer)}}, 25},
		"rotated": {[]step{{"log.swf": a}, {"log.swf.1": longer, "log.swf": b},
			{"log.swf.2.gz": gzipped(longer), "log.swf.1": b, "log.swf": c}}, 52},
		"one a day": {[]step{{"1/log.swf": a}, {"2/log.swf": b}, {"3/log.swf": c}, {"1/log.swf": longer}}, 52},
		"alone in its folder": {[]step{{"1/log.swf": a}, {"1/log.swf": "", "2/log.swf": b},
			{"2/log.swf": "", "3/log.swf": c}}, 47},
		"another header": {[]step{{"a.swf": a, "b.swf": b}, {"a.swf": "; Note: jobs of May\n" + longer}}, 40},
	} {
		_, out := inSteps(t, test.steps...)
		s, err := openStore(out)
		if err != nil {
			t.Fatal(err)
		}
		if m := s.Manifest(); m.Rows["jobs"] != test.runs {
			t.Errorf("%s: %d runs, want %d", name, m.Rows["jobs"], test.runs)
		}
	}
}

// A record that was rejected is counted and kept once, however often its file is read again.
func TestAppendCountsRejectsOnce(t *testing.T) {
	runs := strings.SplitAfter(runsOf("nightly", 400), "\n")
	bad := "{\"id\":\n"
	upTo := func(n int) string { return strings.Join(runs[:100], "") + bad + strings.Join(runs[100:n], "") }
	type step = map[string]string
	_, out := inSteps(t, step{"log": upTo(200)}, step{"log": upTo(300)},
		step{"log.1.gz": gzipped(upTo(300) + bad), "log": strings.Join(runs[300:], "")})
	s, kept := rejectsOf(t, out)
	m := s.Manifest()
	if m.Rejected["bad JSON"] != 2 || kept != 2 || m.Rows["jobs"] != 400 || m.Read != m.Used+lists.Total(m.Ignored)+2 {
		t.Errorf("%d runs; rejected %v, %d of them kept; want 400 and 2\n%+v", m.Rows["jobs"], m.Rejected, kept, m)
	}
}

// Simulators break ties by the order of the input, which goes on over what is appended and united.
func TestOrderGoesOnOverStores(t *testing.T) {
	dir := t.TempDir()
	one, two := put(t, dir, "1.jsonl", runsOf("a", 7)), put(t, dir, "2.jsonl", runsOf("b", 5))
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, "import", "--out", at("s1"), one)
	must(t, "import", "--out", at("s2"), two)
	must(t, "import", "--out", at("once"), one, two)
	must(t, "unite", "--out", at("united"), at("s1"), at("s2"))
	must(t, "import", "--append", "--out", at("s1"), two)
	order := func(path string) map[string]int64 {
		s, err := openStore(path)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]int64{}
		for part := range s.Parts() {
			for run, err := range s.Runs(t.Context(), part, store.Projection{"jobs.seq"}) {
				if err != nil {
					t.Fatal(err)
				}
				all[strings.Clone(run.ID)] = run.Seq
			}
		}
		return all
	}
	want := order(at("once"))
	for _, name := range []string{"united", "s1"} {
		if got := order(at(name)); !maps.Equal(got, want) {
			t.Errorf("%s: %v, of one import %v", name, got, want)
		}
	}
}

// Logs that begin at different times have one time line, imported together, appended or united. A log that does not say
// when it began has none in common with them.
func TestLogsOfDifferentStarts(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	log := func(header string, job int) string {
		return fmt.Sprintf("%s%d 0 1 10 2 -1 -1 2 60 -1 1 3 1 1 1 1 -1 -1\n", header, job)
	}
	one := put(t, dir, "1.swf", log("; UnixStartTime: 1000000000\n", 1))
	two := put(t, dir, "2.swf", log("; UnixStartTime: 1000086400\n", 2))
	other := put(t, dir, "3.swf", log("", 3))
	must(t, "import", "--out", at("once"), one, two)
	must(t, "import", "--out", at("s1"), one)
	must(t, "import", "--out", at("s2"), two)
	must(t, "unite", "--out", at("united"), at("s1"), at("s2"))
	must(t, "import", "--append", "--out", at("s1"), two)
	for _, name := range []string{"once", "united", "s1"} {
		s, err := openStore(at(name))
		if err != nil {
			t.Fatal(err)
		}
		if m := s.Manifest(); m.TimeBase != source.TimeBaseUnix || *m.From != 1e15 || *m.To != 1e15+(86400+11)*1e6 {
			t.Errorf("%s: %s times from %d to %d", name, m.TimeBase, *m.From, *m.To)
		}
	}
	for what, args := range map[string][]string{
		"appended": {"--append", "--out", at("s1"), other}, "imported together": {"--out", at("mixed"), one, other},
	} {
		if said := must(t, append([]string{"import"}, args...)...); !strings.Contains(said, "are mixed") {
			t.Errorf("%s with a log of unknown start: %s", what, said)
		}
	}
}

// A run that the store has, and whose record says something else now, stays as it is, with a warning.
func TestAppendWarnsOfChangedRuns(t *testing.T) {
	dir, store := t.TempDir(), filepath.Join(t.TempDir(), "s")
	before := runsOf("nightly", 3)
	must(t, "import", "--out", store, put(t, dir, "log.jsonl", before))
	_, said, _ := call(t, "import", "--append", "--out", store, put(t, dir, "log.jsonl", before+runsOf("more", 1)))
	if strings.Contains(said, "changed") {
		t.Errorf("of the same runs: %s", said)
	}
	changed := strings.Replace(before, `"end_s":16`, `"end_s":19`, 1)
	_, _, said = call(t, "import", "--append", "--out", store, put(t, dir, "log.jsonl", changed))
	if want := "run changed since: run nightly-1 has another end"; strings.Count(said, "run changed since") != 1 ||
		!strings.Contains(said, want) {
		t.Errorf("said %s, want once %s", said, want)
	}
}

// A later file of a cluster trace may hold more rows of a run that the store has. It keeps the run, with a warning.
func TestAppendWarnsOfMoreRows(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "s")
	row := func(job, instance string) string {
		return fmt.Sprintf("job_%s,worker,%s,w_%s,id_%s,Terminated,4550905.0,4551415.0,m2\n", job, instance, instance, job)
	}
	for i, c := range []struct{ job, instance, want string }{
		{"0", "i1", ""},
		{"1", "i1", ""}, // a new run alone
		{"0", "i2", "run job_0 has 1 stage and 2 attempts, and had other numbers when"},
	} {
		put(t, dir, "jobs"+c.job+".csv", "job_"+c.job+",id_"+c.job+",ann,Terminated,4550870.0,4551420.0\n")
		put(t, dir, "tasks"+c.job+".csv", "job_"+c.job+
			",worker,2.0,Terminated,4550880.0,4551415.0,400.0,29.296875,50.0,MISC\n")
		put(t, dir, c.instance+c.job+".csv", row(c.job, c.instance))
		args := []string{"import", "--format", "pai", "--out", out}
		if i > 0 {
			args = append(args, "--append")
		}
		status, said, stderr := call(t, append(args, dir)...)
		said += stderr
		if status != ExitDone || !strings.Contains(said, c.want) || c.want == "" && strings.Contains(said, "other rows") {
			t.Errorf("%+v: status %d: %s", c, status, said)
		}
	}
}

// Rejects of two logs are two, also where they quote nothing and have one reason.
func TestAppendCountsRejectsOfOtherLogs(t *testing.T) {
	dir := logsOf(t, "clicks-by-customer", 3, false)
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	log := func(i int) string { return string(read(t, filepath.Join(dir, names[i].Name()))) }
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "s")
	put(t, in, "a", log(0))
	put(t, in, "copy-of-a", log(0)+"\n")
	must(t, "import", "--max-rejects", "100%", "--out", out, in)
	put(t, in, "b", log(1))
	put(t, in, "copy-of-b", log(1)+"\n")
	must(t, "import", "--max-rejects", "100%", "--append", "--out", out, in)
	s, kept := rejectsOf(t, out)
	if m := s.Manifest(); kept != 2 || m.Rows["jobs"] != 2 || m.Ignored["record rejected before"] != 0 {
		t.Errorf("%d rejects, %d runs, ignored %v; want 2 and 2", kept, m.Rows["jobs"], m.Ignored)
	}
}

// A run that is refused since the store has another of its id is told with its file, in all formats. Files of one name
// in several folders are no other version of one run.
func TestRefusedRunsNameTheirFile(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "s")
	workflow := func(at, seconds string) string {
		return `{"name":"w","schemaVersion":"1.5","workflow":{"specification":{"tasks":[{"name":"a","id":"a","parents":[],` +
			`"children":[]}]},"execution":{"makespanInSeconds":9,"executedAt":"` + at +
			`","tasks":[{"id":"a","runtimeInSeconds":` + seconds + `}]}}}`
	}
	for _, name := range []string{"1", "2"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	must(t, "import", "--out", out, put(t, dir, "1/x.json", workflow("2023-01-02T03:04:05Z", "1")))
	must(t, "import", "--append", "--out", out, put(t, dir, "2/x.json", workflow("2023-01-02T03:04:05Z", "2")))
	must(t, "import", "--append", "--out", out, dir)
	if n := len(content(t, out)); n != 2 {
		t.Errorf("of two files x.json: %d runs", n)
	}
	for seconds, name := range map[string]string{"1": "1/x.json", "2": "2/x.json"} {
		changed := put(t, dir, name, workflow("2024-01-02T03:04:05Z", seconds))
		status, _, stderr := call(t, "import", "--append", "--out", out, dir)
		if status != ExitRejected || !strings.Contains(stderr, changed+": duplicate id") {
			t.Errorf("%s changed: exit status %d: %s", name, status, stderr)
		}
		put(t, dir, name, workflow("2023-01-02T03:04:05Z", seconds))
	}
	// Nor does a log of Spark whose run had another submission.
	logs := logsOf(t, "clicks-by-customer", 1, false)
	names, err := os.ReadDir(logs)
	if err != nil {
		t.Fatal(err)
	}
	spark := filepath.Join(t.TempDir(), "s")
	must(t, "import", "--out", spark, logs)
	log := strings.SplitAfter(string(read(t, filepath.Join(logs, names[0].Name()))), "\n")
	for i, line := range log {
		if at := strings.Index(line, `"Timestamp":`); at > 0 && strings.Contains(line, "ApplicationStart") {
			log[i] = line[:at] + `"Timestamp":1` + line[at+len(`"Timestamp":1`)+1:]
		}
	}
	again := put(t, dir, "again", strings.Join(log, ""))
	status, _, stderr := call(t, "import", "--append", "--max-rejects", "0", "--out", spark, again)
	if status != ExitRejected || !strings.Contains(stderr, again+": duplicate id") {
		t.Errorf("spark: exit status %d: %s", status, stderr)
	}
}

// rejectsOf opens a store and returns it with the number of rejects that it keeps.
func rejectsOf(t *testing.T, dir string) (_ *store.Store, kept int) {
	t.Helper()
	s, err := openStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	for table, err := range s.Rejects(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		kept += table.Len()
	}
	return s, kept
}

// Machines without runs are no trace: tables that could not be read are named, and a store gets machines later.
func TestMachinesAloneAreNoTrace(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "pai_machine_spec.csv", "m1,CPU,96,512,0\nm2,V100M32,96,384,8\n")
	pods := "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time," +
		"scheduled_time\npod-0,12000,16384,1,1000,,LS,Succeeded,0,12537496,0\n"
	put(t, dir, "pods.csv", strings.ReplaceAll(pods, ",", ";"))
	out := filepath.Join(t.TempDir(), "s")
	status, _, said := call(t, "import", "--out", out, dir)
	if status != ExitFailed || !strings.Contains(said, "no runs in 2 records of format pai, only 2 machines; ") ||
		!strings.Contains(said, "pods.csv is not of format pai") {
		t.Errorf("status %d: %s", status, said)
	}
	must(t, "import", "--out", out, put(t, t.TempDir(), "pods.csv", pods))
	must(t, "import", "--append", "--out", out, dir)
	s, err := openStore(out)
	if err != nil {
		t.Fatal(err)
	}
	if m := s.Manifest(); m.Rows["jobs"] != 1 || m.Rows["machines"] != 2 {
		t.Errorf("appended machines: rows %v", m.Rows)
	}
}

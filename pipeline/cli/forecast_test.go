package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/models/deadlines/jobmodel"
)

// The job whose cores were halved at night 30: its times on 8 and on 4 cores are those of its runs before and after,
// neither is extrapolated, 16 cores are. The fewest cores meet the deadline, and one fewer does not.
func TestForecastNights(t *testing.T) {
	t.Parallel()
	store := nights(t, "nights", "240", "1")
	var d result.Forecast
	ask(t, &d, "forecast", store, "--job", "nightly-cores", "--tokens", "4,8,16", "--deadline", "5m")
	for i, want := range []struct {
		p50          float64
		extrapolated bool
	}{{414, false}, {229, false}, {0, true}} {
		c := d.Tokens[i]
		if want.p50 > 0 && math.Abs(c.P50S/want.p50-1) > 0.05 || c.Extrapolated != want.extrapolated ||
			!(c.P50S <= c.P90S && c.P90S <= c.P95S) {
			t.Errorf("%+v, want p50 %v", c, want.p50)
		}
		if held := float64(c.Tokens) * c.P50S / 3600; math.Abs(c.CoreH/held-1) > 0.2 {
			t.Errorf("%d cores cost %v core-hours, half of the runs at most %v", c.Tokens, c.CoreH, held)
		}
	}
	if d.Tokens[0].Chance > 0.05 || d.Tokens[1].Chance < 0.95 || d.Runs != 60 {
		t.Errorf("%d runs, chances %v and %v", d.Runs, d.Tokens[0].Chance, d.Tokens[1].Chance)
	}
	f := d.Fewest
	if f == nil || f.Tokens < 5 || f.Tokens > 8 || float64(f.Chance) < d.Sure {
		t.Fatalf("fewest: %+v", f)
	}
	var less result.Forecast
	ask(t, &less, "forecast", store, "--job", "nightly-cores", "--tokens", "5", "--deadline", "5m")
	if f.Tokens == 6 && float64(less.Tokens[0].Chance) >= d.Sure {
		t.Errorf("5 cores have a chance of %v, 6 are said to be the fewest", less.Tokens[0].Chance)
	}
	var clocks, same, grown result.Forecast
	ask(t, &clocks, "forecast", store, "--job", "nightly-cores", "--tokens", "8", "--deadline", "01:56", "--start",
		"01:51")
	if clocks.DeadlineS != 300 || clocks.Tokens[0] != d.Tokens[1] || clocks.Start != "01:51" ||
		clocks.Deadline != "01:56" {
		t.Errorf("%+v", clocks)
	}
	// its newest seven runs read 49 GB and took 530 s, half of all at most 35 GB and 382 s
	ask(t, &same, "forecast", store, "--job", "nightly-growth", "--tokens", "8", "--input", "1x")
	ask(t, &grown, "forecast", store, "--job", "nightly-growth", "--tokens", "8", "--input", "2x")
	if c := same.Tokens[0]; math.Abs(c.P50S/530-1) > 0.05 || c.Extrapolated || same.Input != grown.Input/2 {
		t.Errorf("the same input: %+v", c)
	}
	if c := grown.Tokens[0]; math.Abs(c.P50S/same.Tokens[0].P50S-2) > 0.15 || !c.Extrapolated {
		t.Errorf("twice the input: %+v, on the same %+v", c, same.Tokens[0])
	}
	for _, tc := range [][2]string{{"--deadline=45", "unit"}, {"--start=05:00", "--start is the submission"},
		{"--input=0x", "input"}, {"--on=06-12", "want a date"}} {
		if status, _, stderr := call(t, "forecast", store, "--job", "nightly-cores", tc[0]); status != ExitUsage ||
			!strings.Contains(stderr, tc[1]) {
			t.Errorf("%s: status %d, %s", tc[0], status, stderr)
		}
	}
}

// A job takes three times as long on Sundays: a forecast on a date is of its day, at the usual time of the day. So is a
// plan, and the two agree.
func TestForecastOnADate(t *testing.T) {
	var runs strings.Builder
	for k := range 35 {
		at := time.Date(2026, time.September, 1+k, 2, 0, 0, 0, time.UTC)
		took := 100 + float64(k%3)
		if at.Weekday() == time.Sunday {
			took *= 3
		}
		fmt.Fprintf(&runs, `{"id":"%d","name":"rebuild","submit_s":%d,"start_s":%[2]d,"end_s":%f,"status":"succeeded",`+
			`"stages":[{"name":"all","tasks":1,"start_s":%[2]d,"end_s":%[3]f}]}`+"\n", k, at.Unix(), float64(at.Unix())+took)
	}
	dir := t.TempDir()
	s := filepath.Join(dir, "s")
	if status, _, stderr := call(t, "import", "-q", "--out", s, put(t, dir, "runs.jsonl", runs.String())); status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	for on, want := range map[string]float64{"2026-10-10": 100, "2026-10-11": 300, "2026-10-12": 100} {
		var doc result.Forecast
		ask(t, &doc, "forecast", s, "--job", "rebuild", "--tokens", "1", "--on", on)
		if got := float64(doc.Tokens[0].P50S); math.Abs(got/want-1) > 0.1 || doc.On != on {
			t.Errorf("on %s: %v s on %q, want about %v", on, got, doc.On, want)
		}
		var plan result.Agenda
		ask(t, &plan, "plan", s, "rebuild", "--tokens", "1", "--on", on)
		if got := plan.Jobs[0].P50EndS - plan.Jobs[0].StartS; math.Abs(got/float64(doc.Tokens[0].P50S)-1) > 0.02 ||
			plan.On != on {
			t.Errorf("planned on %s: %v s on %q, forecast %v", on, got, plan.On, doc.Tokens[0].P50S)
		}
	}
}

// A run takes three times as long at noon as at midnight: a forecast from a start, with no date, is for that time of
// the day. An input asked for changes nothing where the inputs of past runs are not known, and a warning says so.
func TestForecastFromAStart(t *testing.T) {
	var runs strings.Builder
	for k := range 40 {
		at := time.Date(2026, time.September, 1, 12*k, 0, 9, 0, time.UTC).Unix()
		fmt.Fprintf(&runs, `{"id":"%d","name":"rebuild","submit_s":%d,"start_s":%[2]d,"end_s":%d,"status":"succeeded",`+
			`"stages":[{"name":"all","tasks":1,"start_s":%[2]d,"end_s":%[3]d}]}`+"\n", k, at,
			at+int64(100+200*(k%2)+k%3))
	}
	dir := t.TempDir()
	s := filepath.Join(dir, "s")
	if status, _, stderr := call(t, "import", "-q", "--out", s, put(t, dir, "runs.jsonl", runs.String())); status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	for start, want := range map[string]float64{"00:00": 100, "12:00": 300} {
		var doc result.Forecast
		ask(t, &doc, "forecast", s, "--job", "rebuild", "--tokens", "1", "--deadline", "5m", "--start", start)
		if got := float64(doc.Tokens[0].P50S); math.Abs(got/want-1) > 0.1 || doc.Start != start {
			t.Errorf("from %s: %v s from %q, want about %v", start, got, doc.Start, want)
		}
	}
	// Without a start it is the last run before the deadline, as in a plan.
	for due, want := range map[string]string{"13:00": "12:00", "11:00": "00:00"} {
		var from, last result.Forecast
		ask(t, &from, "forecast", s, "--job", "rebuild", "--tokens", "1", "--deadline", due, "--start", want+":09")
		ask(t, &last, "forecast", s, "--job", "rebuild", "--tokens", "1", "--deadline", due)
		if last.Start != want || last.Tokens[0] != from.Tokens[0] ||
			!strings.Contains(strings.Join(last.Warnings, "; "), "2 runs a day: this is the one at "+want) {
			t.Errorf("by %s: %+v, from %s: %+v", due, last, want, from)
		}
	}
	// Without a clock time it is the next, as the runs of a day differ; a start chooses another.
	for _, tc := range [][]string{{"00:00"}, {"00:00", "--deadline", "45m"}, {"00:00", "--on", "2026-12-01"},
		{"12:00", "--start", "12:00"}} {
		var next, from result.Forecast
		ask(t, &from, "forecast", s, "--job", "rebuild", "--tokens", "1", "--deadline", "5m", "--start", tc[0])
		ask(t, &next, append([]string{"forecast", s, "--job", "rebuild", "--tokens", "1"}, tc[1:]...)...)
		if note := "this is the one at " + tc[0]; next.Start != tc[0] || next.Tokens[0].P50S != from.Tokens[0].P50S ||
			strings.Contains(strings.Join(next.Warnings, "; "), note) != !slices.Contains(tc, "--start") {
			t.Errorf("%q: %+v, from %s: %+v", tc[1:], next, tc[0], from)
		}
	}
	var doc result.Forecast
	ask(t, &doc, "forecast", s, "--job", "rebuild", "--tokens", "1", "--input", "20GB")
	if !strings.Contains(strings.Join(doc.Warnings, "; "), "inputs of past runs") {
		t.Errorf("warnings %q", doc.Warnings)
	}
}

// Where all jobs of a store become late after their first runs, a forecast is as wide as what fit learns, and the job
// read alone is narrower.
func TestForecastLearnsFromAllJobs(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	var runs strings.Builder
	for job := range 12 {
		for k := range 16 {
			took := 100 * math.Exp(0.03*rng.NormFloat64())
			if k > 3 {
				took *= math.Exp(0.2 * math.Abs(rng.NormFloat64()))
			}
			at := 3600 * k
			fmt.Fprintf(&runs, `{"id":"%c%d","name":"job-%c","submit_s":%d,"start_s":%d,"end_s":%f,`+
				`"status":"succeeded","stages":[{"name":"all","tasks":1,"start_s":%d,"end_s":%f}]}`+"\n",
				'a'+job, k, 'a'+job, at, at, float64(at)+took, at, float64(at)+took)
		}
	}
	dir := t.TempDir()
	file, s, models := put(t, dir, "late.jsonl", runs.String()), filepath.Join(dir, "s"), filepath.Join(dir, "m")
	for _, args := range [][]string{{"import", "-q", "--out", s, file}, {"fit", "-q", "--all", "--out", models, s}} {
		if status, _, stderr := call(t, args...); status != 0 {
			t.Fatalf("%v: status %d, %s", args, status, stderr)
		}
	}
	files, err := filepath.Glob(filepath.Join(models, "job-a*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var fitted modelfile.Profile
	if err := json.Unmarshal(text, &fitted); err != nil || fitted.Surprise == nil {
		t.Fatalf("fit learned %+v, %v", fitted.Surprise, err)
	}
	var with, without result.Forecast
	ask(t, &with, "forecast", s, "--job", "job-a", "--tokens", "2")
	one := filepath.Join(dir, "one")
	only := put(t, dir, "one.jsonl", lines(runs.String(), `"name":"job-a"`))
	if status, _, stderr := call(t, "import", "-q", "--out", one, only); status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	ask(t, &without, "forecast", one, "--job", "job-a", "--tokens", "2")
	model := jobmodel.DefaultOptions()
	model.Tokens = 2
	of, err := jobmodel.NewJob(&fitted).Complete(model)
	if err != nil {
		t.Fatal(err)
	}
	want := quantile.Quantile(of.Times, 0.9)
	if got := with.Tokens[0].P90S; math.Abs(got/want-1) > 1e-9 || !(got > 1.01*without.Tokens[0].P90S) {
		t.Errorf("p90 %v, of the model that was fitted %v; of the job alone %v", got, want, without.Tokens[0].P90S)
	}
}

// lines returns the lines of a text that hold something.
func lines(text, something string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, something) {
			out.WriteString(line)
		}
	}
	return out.String()
}

// A trace of programs that take all their processors at once does not tell their times on others: a forecast says so,
// also from the kept runs.
func TestForecastOfPrograms(t *testing.T) {
	var log strings.Builder
	for i := range 12 { // a job that takes 100 s on 8 processors
		fmt.Fprintf(&log, "%d %d 0 100 8 -1 -1 8 200 -1 1 1 1 7 1 -1 -1 -1\n", i+1, 3600*i)
	}
	store := filepath.Join(t.TempDir(), "s")
	if status, _, stderr := call(t, "import", "-q", "--out", store, put(t, t.TempDir(), "x.swf", log.String())); status !=
		ExitDone {
		t.Fatal(stderr)
	}
	for range 2 {
		status, out, stderr := call(t, "forecast", store, "--job", "app-7", "--tokens", "1,8")
		if want := "12 of 12 runs are one program on several cores at once"; status != ExitDone ||
			!strings.Contains(out+stderr, want) {
			t.Errorf("status %d, want %q:\n%s%s", status, want, out, stderr)
		}
	}
}

// Twelve runs of 4 tasks of 10 s, 2 of 5 s and one of 1 s, on 2 tokens, with a second before and after, whose stages have
// no times: 53, 28 and 18 s on 1, 2 and 4 tokens. The driver's seconds depend on no tokens.
func TestForecastOfTasksAlone(t *testing.T) {
	var lines strings.Builder
	for i := range 12 {
		at := 86400 * i
		line := map[string]any{"id": fmt.Sprint("r", i), "name": "etl", "submit_s": at, "start_s": at, "end_s": at + 28,
			"status": "succeeded", "guaranteed": 2, "stages": []any{
				map[string]any{"tasks": 4}, map[string]any{"tasks": 2, "parents": []int{0}},
				map[string]any{"tasks": 1, "parents": []int{1}}}}
		var tasks []any
		for _, x := range [][4]int{{0, 0, 1, 11}, {0, 1, 1, 11}, {0, 2, 11, 21}, {0, 3, 11, 21}, {1, 0, 21, 26},
			{1, 1, 21, 26}, {2, 0, 26, 27}} {
			tasks = append(tasks, map[string]any{"stage": x[0], "task": x[1], "start_s": at + x[2], "end_s": at + x[3],
				"status": "succeeded"})
		}
		line["tasks"] = tasks
		b, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(b, '\n'))
	}
	status, stdout, stderr := call(t, "forecast", importJSONL(t, lines.String()), "--job", "etl", "--tokens", "1,2,4",
		"--json")
	var got result.Forecast
	if err := json.Unmarshal([]byte(stdout), &got); status != ExitDone || err != nil {
		t.Fatalf("status %d, %v: %s", status, err, stderr)
	}
	for i, want := range []float64{53, 28, 18} {
		if half := got.Tokens[i].P50S; math.Abs(half/want-1) > 0.02 {
			t.Errorf("on %v cores half end in %v s, want %v", got.Tokens[i].Tokens, half, want)
		}
	}
}

// Ten runs each night, submitted together, that differ at random: the longest ends last, and is not the newest. The next
// run is forecast as if there had been one a day.
func TestForecastOfRunsSubmittedTogether(t *testing.T) {
	half := map[int]float64{}
	for _, perNight := range []int{1, 10} {
		rng, lines := rand.New(rand.NewPCG(1, 2)), ""
		for i := range 100 {
			at := 86400 * (i / perNight)
			end := float64(at) + math.Round(1e3*400*math.Exp(0.4*rng.NormFloat64()))/1e3
			lines += fmt.Sprintf(`{"id":"r%02d","name":"fan","submit_s":%d,"start_s":%d,"end_s":%v,"status":"succeeded",`+
				`"guaranteed":4,"stages":[{"tasks":1}]}`+"\n", i, at, at, end)
		}
		status, stdout, stderr := call(t, "forecast", importJSONL(t, lines), "--job", "fan", "--tokens", "4", "--json")
		var got result.Forecast
		if err := json.Unmarshal([]byte(stdout), &got); status != ExitDone || err != nil {
			t.Fatalf("status %d, %v: %s", status, err, stderr)
		}
		half[perNight] = got.Tokens[0].P50S
	}
	if math.Abs(half[10]/half[1]-1) > 0.1 || math.Abs(half[10]/400-1) > 0.2 {
		t.Errorf("half end in %v s together and %v s one a night, want about 400 s", half[10], half[1])
	}
}

// A stage whose tasks take no time in any run is simulated as such; its tasks are over when those of the next stage start,
// and need no tokens beside them.
func TestForecastOfTasksWithoutLength(t *testing.T) {
	var lines strings.Builder
	for i := range 12 {
		at, tasks := 86400*i, ""
		for k := range 4 {
			tasks += fmt.Sprintf(`{"stage":0,"task":%d,"start_s":%d,"end_s":%d,"status":"succeeded"},`+
				`{"stage":1,"task":%d,"start_s":%d,"end_s":%d,"status":"succeeded"},`, k, at+1, at+1, k, at+1, at+6)
		}
		fmt.Fprintf(&lines, `{"id":"r%d","name":"etl","submit_s":%d,"start_s":%d,"end_s":%d,"status":"succeeded",`+
			`"guaranteed":4,"stages":[{"tasks":4},{"tasks":4,"parents":[0]}],"tasks":[%s]}`+"\n", i, at, at, at+7,
			strings.TrimSuffix(tasks, ","))
	}
	status, stdout, stderr := call(t, "forecast", importJSONL(t, lines.String()), "--job", "etl", "--tokens", "2,4", "--json")
	var got result.Forecast
	if err := json.Unmarshal([]byte(stdout), &got); status != ExitDone || err != nil {
		t.Fatalf("status %d, %v: %s", status, err, stderr)
	}
	if got.TokensSeen != [2]result.Number{4, 4} || math.Abs(got.Tokens[1].P50S-7) > 0.1 ||
		math.Abs(got.Tokens[0].P50S-12) > 0.3 {
		t.Errorf("%+v, want 12 s on 2 cores and 7 s on the 4 that past runs had", got)
	}
}

// A forecast speaks of tokens where a token is not a core, with the cores of a token where the trace states them, and
// its core-hours count these.
func TestForecastSpeaksOfTokens(t *testing.T) {
	for _, tc := range []struct {
		name, run, stage, head, note string
		cores                        float64
	}{
		{"cores of stages", `"guaranteed":4,`, `"cpu":3,`, "TOKENS", "a token is 3 cores", 3},
		{"one core", `"guaranteed":4,`, `"cpu":1,`, "CORES", "", 1},
		{"executors", `"guaranteed":4,`, "", "TOKENS", "does not state the cores of a token", 1},
		{"tasks at once", "", "", "CORES", "", 1},
	} {
		var b strings.Builder
		for i := range 6 {
			fmt.Fprintf(&b, `{"id":"r%d","name":"a","submit_s":%d,"end_s":%d,%s"stages":[{%s"durations_s":[9,9,9,9]}]}`+"\n", i,
				100*i, 100*i+9, tc.run, tc.stage)
		}
		store := importJSONL(t, b.String())
		args := []string{"forecast", store, "--job", "a", "--tokens", "4"}
		text := must(t, args...)
		told := strings.Contains(text, "a token")
		if !strings.Contains(text, "\n"+tc.head+" ") || told != (tc.note != "") || !strings.Contains(text, tc.note) {
			t.Errorf("%s: %s", tc.name, text)
		}
		var d result.Forecast
		if err := json.Unmarshal([]byte(must(t, append(args, "--json")...)), &d); err != nil {
			t.Fatal(err)
		}
		if want := 4 * tc.cores * 9 / 3600; math.Abs(d.Tokens[0].CoreH-want) > want/20 {
			t.Errorf("%s: %v core-hours, want %v", tc.name, d.Tokens[0].CoreH, want)
		}
	}
}

// Without times of runs nothing is forecast, though their tasks have durations: the error says what is not known.
func TestForecastWithoutTimesOfRuns(t *testing.T) {
	s := importJSONL(t, `{"id":"r","name":"a","stages":[{"durations_s":[1,2]}]}`+"\n")
	status, _, stderr := call(t, "forecast", s, "--job", "a", "--tokens", "2")
	if status != ExitFailed || !strings.Contains(stderr, "how long past runs took is not known") ||
		!strings.Contains(stderr, "`racecard whatif`") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

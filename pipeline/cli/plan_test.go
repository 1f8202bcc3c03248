package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/models/deadlines/agenda"
	forecasts "racecard/models/deadlines/forecast"
)

// A program always held 16 tokens at once: fewer are not said to suffice. It starts at 01:00 beside a job on eight: on
// 24 tokens a small job behind them is late, on 16 it is not; on 24 the plan tells a larger number.
func TestFewestTokensOfPrograms(t *testing.T) {
	var lines strings.Builder
	for d := range 20 {
		at := 1_792_972_800 + 86_400*d
		fmt.Fprintf(&lines, `{"id":"p%d","name":"mpi","submit_s":%d,"start_s":%[2]d,"end_s":%d,"guaranteed":16}`+"\n", d,
			at+3600, at+4800)
		for _, j := range []struct {
			name           string
			tokens, in, to int
		}{{"bg", 8, 3300, 4500}, {"small", 1, 3660, 3720}} {
			var tasks []string
			for k := range j.tokens {
				tasks = append(tasks, fmt.Sprintf(`{"stage":0,"task":%d,"start_s":%d,"end_s":%d,"status":"succeeded"}`, k, at+j.in,
					at+j.to))
			}
			fmt.Fprintf(&lines, `{"id":"%s%d","name":"%[1]s","submit_s":%[3]d,"start_s":%[3]d,"end_s":%d,"guaranteed":%d,`+
				`"stages":[{"tasks":%[5]d}],"tasks":[%s]}`+"\n", j.name, d, at+j.in, at+j.to, j.tokens, strings.Join(tasks, ","))
		}
	}
	s := importJSONL(t, lines.String())
	for tokens, want := range map[string]string{"16": " tokens (40 days", "30": "; 16 suffice",
		"24": "not every deadline is met with a chance of 95% on 24 tokens; 25 suffice"} {
		_, got, _ := call(t, "plan", s, "-q", "--days", "40", "--tokens", tokens, "mpi@02:00", "small@01:05", "bg@02:00")
		if first, _, _ := strings.Cut(got, "\n"); !strings.Contains(first, want) {
			t.Errorf("%s tokens: %q, want %q", tokens, first, want)
		}
	}
}

// Three jobs at once: with the fewest cores all are in time, with one fewer they are not and the exit status says so. A
// job that waits for another starts when that has ended.
func TestPlanNights(t *testing.T) {
	store := nights(t, "nights", "240", "1")
	plan := func(cores int, jobs ...string) (d result.Agenda, status int) {
		status, stdout, stderr := call(t, append([]string{"plan", store, "--json", "-q", "--tokens",
			strconv.Itoa(cores)}, jobs...)...)
		if err := json.Unmarshal([]byte(stdout), &d); err != nil {
			t.Fatalf("%v: %s", err, stderr)
		}
		return d, status
	}
	jobs := []string{"nightly-join@01:10,start=01:00", "nightly-growth@01:12,start=01:00",
		"nightly-steady@01:13,start=01:02"}
	d, status := plan(24, jobs...)
	if status != ExitDone || !d.Fits || d.Fewest < 8 || d.Fewest > 24 {
		t.Fatalf("status %d, %+v", status, d)
	}
	if few, status := plan(d.Fewest-1, jobs...); status != ExitRefused || few.Fits {
		t.Errorf("%d cores: status %d, fits %v", d.Fewest-1, status, few.Fits)
	}
	if enough, status := plan(d.Fewest, jobs...); status != ExitDone || !enough.Fits ||
		enough.Jobs[1].P95EndS > float64(enough.Jobs[1].DeadlineS) {
		t.Errorf("%d cores: status %d, %+v", d.Fewest, status, enough.Jobs)
	}
	d, _ = plan(24, "nightly-join", "nightly-growth@01:12,start=01:00,after=nightly-join")
	if d.Jobs[1].StartS != d.Jobs[0].P50EndS || d.Jobs[1].After[0] != "nightly-join" ||
		d.Jobs[1].Start != d.Jobs[0].P50End {
		t.Errorf("%+v", d.Jobs)
	}
	// On the other side of midnight: the day begins with the job at 23:50.
	if d, _ = plan(24, "nightly-join@00:10,start=23:50", "nightly-growth@00:40,start=00:20"); !d.Fits ||
		!strings.Contains(d.Jobs[1].Start, "next day") {
		t.Errorf("%+v", d.Jobs)
	}
	for _, tc := range [][2]string{{"nightly-join@25:00", "clock time"},
		{"nightly-join@07:00,after=nightly-growth", "not in the plan"},
		{"nightly-join@07:00,after=a,b,start=01:00", "waits for a,b, which is not in the plan"},
		{"nightly-join@07:00,after=nightly-join", "waits for"}, {"@07:00", "no name"},
		{"nightly-join@07:00:30,foo=1", "unknown field \"foo=1\""}} {
		if status, _, stderr := call(t, "plan", store, "--tokens", "8", tc[0]); status != ExitUsage ||
			!strings.Contains(stderr, tc[1]) {
			t.Errorf("%s: status %d, %s", tc[0], status, stderr)
		}
	}
}

// A job never starts before the written end of the job that it waits for, and its start is written to the nearest minute
// where that is possible.
func TestClockTimesOfAPlanAreInOrder(t *testing.T) {
	for _, tc := range []struct {
		end, start float64
		want       string
	}{{3620, 3620, "01:01"}, {3620, 3640, "01:01"}, {3600.2, 3600.2, "01:00"}, {3540, 3620, "01:00"},
		{86_390, 86_395, "00:00 on the next day"}} {
		d := result.Agenda{Jobs: []result.AgendaJob{{Job: "b", After: []string{"a"}, StartS: tc.start, P50EndS: 9e4,
			P95EndS: 9e4}, {Job: "a", P50EndS: tc.end, P95EndS: tc.end}}}
		if writeClocks(&d); d.Jobs[0].Start != tc.want {
			t.Errorf("%v: start %s after the end %s", tc, d.Jobs[0].Start, d.Jobs[1].P50End)
		}
	}
}

// A plan makes jobs wait for others anew: the waits of past nights are neither a part of the start-up of a job that the
// clock submits, nor of the submission of a job that the end of another submits. A job that waits for nobody keeps its
// times.
func TestPastWaitsAreNotRepeated(t *testing.T) {
	const second = 1_000_000
	nan := clock(math.NaN())
	first := plannedJob{name: "first", deadline: nan, start: nan, usual: 3600}
	sensor := plannedJob{name: "sensor", deadline: nan, start: nan, usual: 3660, after: []string{"first"}}
	trigger := plannedJob{name: "trigger", deadline: nan, start: nan, usual: 4300, after: []string{"first"}}
	alone := plannedJob{name: "alone", deadline: nan, start: nan, usual: 3660}
	for i := range trace.Instant(8) {
		night, took := (i*86400+3600)*second, (300+100*i)*second
		end := night + took
		first.runs = append(first.runs, plannedRun{fmt.Sprint("first", i), night, 3600, end, agenda.Run{Tokens: 1}})
		sensor.runs = append(sensor.runs, plannedRun{fmt.Sprint(i), night + 60*second, 3660, end + 90*second,
			agenda.Run{Tokens: 1, StartUp: int64(took) - 60*second + 2*second}})
		alone.runs = append(alone.runs, plannedRun{fmt.Sprint(i), night + 60*second, 3660, end + 90*second,
			agenda.Run{Tokens: 1, StartUp: int64(took)}})
		trigger.runs = append(trigger.runs, plannedRun{fmt.Sprint(i), end + 5*second, clock(3605 + took/second), end + 90*second,
			agenda.Run{Tokens: 1, StartUp: 2 * second}})
	}
	planned := []plannedJob{first, sensor, trigger, alone}
	for k := range planned {
		j, of := &planned[k], modelfile.Plan{}
		for _, r := range j.runs {
			took, end := r.end.Since(r.at).Seconds(), r.end.Seconds()
			of.RunFactors = append(of.RunFactors, modelfile.RunFactor{RunID: r.id, Factor: 1, Weight: 1, EndS: &end,
				CompletionS: &took})
		}
		j.past = &fittedRuns{Past: &forecasts.Fitted{Profile: &modelfile.Profile{Plans: []modelfile.Plan{of}}, Usual: 1}}
	}
	jobs, _, err := new(env).arrange(planned, "")
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range map[int]float64{1: 90, 2: 90} { // the end of each is 90 s after that of the first job
		runs := slices.Clone(jobs[k].Runs)
		next, err := planned[k].next(3600, "", time.UTC, planned[k].withoutWaits([]*plannedJob{&planned[0]}, runs, []float64{3600}))
		if n := len(next.Times); err != nil || n == 0 || math.Abs(next.Times[n/2]-want) > 1 {
			t.Errorf("%s: forecast %+v, want %v s; %v", planned[k].name, next, want, err)
		}
	}
	for i := range 8 {
		if r := jobs[1].Runs[i]; r.StartUp != 2*second || r.At != 3660*second {
			t.Errorf("sensor, night %d: start-up %d at %d", i, r.StartUp, r.At)
		}
		if r := jobs[2].Runs[i]; r.StartUp != 7*second || r.At != 3600*second {
			t.Errorf("trigger, night %d: start-up %d at %d", i, r.StartUp, r.At)
		}
		if r := jobs[3].Runs[i]; r.StartUp != int64(300+100*i)*second || r.At != 3660*second {
			t.Errorf("alone, night %d: start-up %d at %d", i, r.StartUp, r.At)
		}
	}
}

// A job that is submitted every two hours has all its runs of the day in the plan, a nightly one has one. The deadline is
// for the last run before it, and the nightly job waits for the last run whose output it reads. Jobs without usual times
// have one run, and the plan says which are left out. From a start, plan and forecast take the runs at about that time.
func TestAllRunsOfTheDayArePlanned(t *testing.T) {
	var b strings.Builder
	line := func(id, name string, at, length int, more string) {
		fmt.Fprintf(&b, `{"id":%q,"name":%q,"submit_s":%d,"end_s":%d,"guaranteed":2,"stages":[{"durations_s":[%d,%d]}]%s}`+"\n",
			id, name, at, at+length, length, length, more)
	}
	const monday = 1_772_409_600 // 2026-03-02 00:00 UTC
	rng := rand.New(rand.NewPCG(1, 1))
	for d := range 12 {
		for h := 0; h < 24; h += 2 {
			length := 100
			if h == 4 {
				length = 1000
			}
			line(fmt.Sprintf("a%d-%d", d, h), "often", monday+d*day+h*3600+600+rng.IntN(20), length+rng.IntN(9),
				`,"writes":["out"]`)
		}
		for k := range 1 + rng.IntN(6) {
			line(fmt.Sprintf("c%d-%d", d, k), "anytime", monday+d*day+rng.IntN(day), 50, "")
		}
		line(fmt.Sprintf("b%d", d), "nightly", monday+d*day+5*3600+rng.IntN(20), 300, `,"reads":["out"]`)
	}
	store := importJSONL(t, b.String())
	plan := func(args ...string) (d result.Agenda) {
		text := must(t, append([]string{"plan", store, "--json", "-q", "--tokens", "8"}, args...)...)
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := plan("often@05:30", "nightly@06:00")
	if len(d.Jobs) != 13 || len(d.Warnings) > 0 {
		t.Fatalf("%d runs, warnings %q: %+v", len(d.Jobs), d.Warnings, d.Jobs)
	}
	for i, j := range d.Jobs[:12] {
		long := 100.0
		if h := int(math.Mod(j.StartS, day)) / 3600; h == 4 {
			long = 1000
		}
		if due := !math.IsNaN(float64(j.DeadlineS)); math.Abs(float64(clock(j.StartS).after(clock(2*i*3600+609)))) > 15 || due != (long == 1000) ||
			math.Abs(j.P50EndS-j.StartS-long) > 20 {
			t.Errorf("run %d: %+v, want %v s", i, j, long)
		}
	}
	if last := d.Jobs[12]; last.Job != "nightly" || len(last.After) != 1 || last.Runs != 12 ||
		math.Abs(last.StartS-5*3600-10) > 20 && math.Abs(last.StartS-29*3600-10) > 20 {
		t.Errorf("%+v", last)
	}
	if d = plan("often@05:30,start=04:10"); len(d.Jobs) != 1 || len(d.Warnings) != 1 ||
		!strings.Contains(d.Warnings[0], "often every 2 h") || !strings.Contains(d.Warnings[0], "left out") {
		t.Errorf("with a start: %+v, %q", d.Jobs, d.Warnings)
	}
	var all []string
	for h := range 12 {
		all = append(all, fmt.Sprintf("often,start=%02d:10", 2*h))
	}
	if d = plan(all...); len(d.Jobs) != 12 || len(d.Warnings) > 0 {
		t.Errorf("with a start each: %+v, %q", d.Jobs, d.Warnings)
	}
	for start, long := range map[string]float64{"04:10": 1000, "02:10": 100, "05:10": 100} { // no run is at about 05:10
		var f result.Forecast
		ask(t, &f, "forecast", store, "--job", "often", "--tokens", "2", "--deadline", "1h", "--start", start)
		d = plan("often,start=" + start)
		planned := d.Jobs[0].P50EndS - d.Jobs[0].StartS
		if half := f.Tokens[0].P50S; math.Abs(half/long-1) > 0.1 || math.Abs(planned/half-1) > 0.01 ||
			(f.Runs == 12) != (start != "05:10") || math.Abs(float64(f.UsualS)/long-1) > 0.1 {
			t.Errorf("from %s: the forecast of %d runs, usually %v s, is %v s, the plan %v s; want %v", start, f.Runs, f.UsualS,
				half, planned, long)
		}
	}
	if d = plan("anytime", "nightly"); len(d.Jobs) != 2 || len(d.Warnings) != 1 ||
		!strings.Contains(d.Warnings[0], "anytime every") || !strings.Contains(d.Warnings[0], "left out") {
		t.Errorf("%+v, %q", d.Jobs, d.Warnings)
	}
}

// A plan and a forecast give the same time of a job that has the tokens for itself: where runs took longer than their
// tasks, where they became slower lately, grow from run to run, or take longer on some day of the week.
func TestPlanTakesTheForecastTime(t *testing.T) {
	const sunday = 1_772_323_200 // 2026-03-01 00:00 UTC
	took := map[string]func(night int) float64{
		"steady": func(int) float64 { return 200 },
		"slower": func(night int) float64 { return 100 * (1 + math.Floor(float64(night)/27)) },
		"grows":  func(night int) float64 { return 100 * math.Pow(1.02, float64(night)) },
		"weekly": func(night int) float64 { return 100 + 200*float64(max(0, 1-night%7)) },
	}
	want := map[string]float64{"steady": 200, "slower": 200, "grows": 100 * math.Pow(1.02, 35), "weekly": 300}
	var lines strings.Builder
	for night := range 35 {
		for name, of := range took {
			seconds := of(night) * (1 + 0.01*math.Sin(float64(7*night*night)))
			at := sunday + night*day + 3600
			fmt.Fprintf(&lines, `{"id":"%s-%d","name":"%[1]s","submit_s":%[3]d,"start_s":%[3]d,"end_s":%f,"guaranteed":2,`+
				`"stages":[{"durations_s":[%f,%f,%[5]f]}]}`+"\n", name, night, at, float64(at)+seconds, seconds/3, seconds/5)
		}
	}
	store := importJSONL(t, lines.String())
	for name := range took {
		var f result.Forecast
		ask(t, &f, "forecast", store, "--job", name, "--tokens", "2", "--on", "2026-04-05", "--start", "01:00")
		var p result.Agenda
		ask(t, &p, "plan", store, "--tokens", "9", "--on", "2026-04-05", name+"@23:00,start=01:00")
		half, most := p.Jobs[0].P50EndS-p.Jobs[0].StartS, p.Jobs[0].P95EndS-p.Jobs[0].StartS
		if of := f.Tokens[0]; math.Abs(half/of.P50S-1) > 0.005 || math.Abs(most/of.P95S-1) > 0.01 ||
			math.Abs(half/want[name]-1) > 0.05 {
			t.Errorf("%s: half of the runs take %v s in the plan, %v s in the forecast, want %v; 95%% take %v and %v", name,
				half, of.P50S, want[name], most, of.P95S)
		}
	}
}

// A job without tasks, and a program that takes all its processors at once, have the time and the tokens of their
// forecast in a plan. They hold no tokens while they wait.
func TestPlanOfRunsWithoutTasks(t *testing.T) {
	const ofFewer = ": a run holds all of its "
	var lines, log strings.Builder
	for i := range 24 {
		took := 100 + 7*(i*i%11)
		fmt.Fprintf(&lines, `{"id":"b%d","name":"bare","submit_s":%[2]d,"start_s":%d,"end_s":%d,"guaranteed":8}`+"\n", i,
			86_400*i, 86_400*i+40, 86_400*i+40+took)
		fmt.Fprintf(&log, "%d %d 40 %d 8 -1 -1 8 200 -1 1 1 1 7 1 -1 -1 -1\n", i+1, 86_400*i, took)
	}
	program := filepath.Join(t.TempDir(), "s")
	must(t, "import", "-q", "--out", program, put(t, t.TempDir(), "x.swf", log.String()))
	for job, store := range map[string]string{"bare": importJSONL(t, lines.String()), "app-7": program} {
		var f result.Forecast
		ask(t, &f, "forecast", store, "--job", job, "--tokens", "8")
		for _, tokens := range []int{8, 100} {
			var p result.Agenda
			ask(t, &p, "plan", store, "--tokens", strconv.Itoa(tokens), job+"@23:00,start=01:00")
			half, most := p.Jobs[0].P50EndS-p.Jobs[0].StartS, 0.0
			for _, u := range p.Use {
				most = max(most, u.Mean)
			}
			if math.Abs(half/f.Tokens[0].P50S-1) > 0.01 || p.Use[0].Mean > 0 || math.Abs(most-8) > 1e-6 {
				t.Errorf("%s on %d tokens: half take %v s, at most %v tokens, %v at first; the forecast says %v s on 8", job,
					tokens, half, most, p.Use[0].Mean, f.Tokens[0].P50S)
			}
			if notes := strings.Join(p.Warnings, "; "); strings.Contains(notes, ofFewer) {
				t.Errorf("%s on %d tokens: notes %q", job, tokens, notes)
			}
		}
		var p result.Agenda
		ask(t, &p, "plan", store, "--tokens", "4", job+"@23:00,start=01:00")
		if notes := strings.Join(p.Warnings, "; "); !strings.Contains(notes, job+ofFewer) {
			t.Errorf("%s on 4 tokens: notes %q", job, notes)
		}
	}
}

// --tokens, and tokens= of a job, were called cores in earlier versions: the command line and recipes take both names,
// help and recipes' schema state the new one.
func TestTokensWereCalledCores(t *testing.T) {
	t.Parallel()
	store := nights(t, "nights", "20", "1")
	ask := func(flag, entry string) (d result.Agenda) {
		ask(t, &d, "plan", store, flag, "8", "nightly-join@23:00,start=01:00,"+entry+"=2")
		return d
	}
	if a, b := ask("--tokens", "tokens"), ask("--cores", "cores"); a.Tokens != 8 || !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\n%+v", a, b)
	}
	if help := must(t, "forecast", "--help"); !strings.Contains(help, "--tokens ints") || strings.Contains(help, "--cores") {
		t.Errorf("help:\n%s", help)
	}
	for name, want := range map[string]int{"tokens": ExitDone, "cores": ExitDone, "scores": ExitUsage} {
		dir := t.TempDir()
		put(t, dir, "x.jsonl", `{"id":"r","name":"a","submit_s":0,"end_s":9,"stages":[{"durations_s":[9]}]}`+"\n")
		recipe := put(t, dir, "racecard.yaml", "out: results\ntraces: {web: {paths: x.jsonl}}\nsteps:\n  f: {forecast: store, "+
			"job: a, "+name+": 8}\n")
		if status, _, stderr := call(t, "run", recipe, "--dry-run"); status != want {
			t.Errorf("a recipe with %s: status %d, %s", name, status, stderr)
		}
	}
}

// A plan counts tokens as forecasts do: where a token is two cores, text and JSON say tokens and tell their size. Of
// jobs whose tokens have different cores it says so.
func TestPlanCountsTokens(t *testing.T) {
	var runs strings.Builder
	for k := range 12 {
		for name, cpu := range map[string]int{"large": 2, "small": 1} {
			at := 1_790_000_000 + 86_400*k
			fmt.Fprintf(&runs, `{"id":"%s-%d","name":"%[1]s","submit_s":%[3]d,"start_s":%[3]d,"end_s":%d,`+
				`"guaranteed":2,"stages":[{"name":"a","cpu":%d,"tasks":2,"durations_s":[10,10]}]}`+"\n", name, k, at, at+10, cpu)
		}
	}
	s := importJSONL(t, runs.String())
	for _, tc := range []struct {
		jobs []string
		size result.Number
		says string
	}{
		{[]string{"large"}, 2, "when jobs end that share 4 tokens"},
		{[]string{"small"}, 1, "when jobs end that share 4 cores"},
		{[]string{"large", "small"}, 2, "the jobs share tokens, whose cores differ: 1 for small, 2 for large"},
	} {
		args := append([]string{"plan", s, "--tokens", "4"}, tc.jobs...)
		if got := must(t, args...); !strings.Contains(got, tc.says) {
			t.Errorf("%v: no %q in:\n%s", tc.jobs, tc.says, got)
		}
		var doc result.Agenda
		ask(t, &doc, args...)
		if doc.Tokens != 4 || doc.Jobs[0].PerToken != tc.size || !doc.Jobs[0].Stated {
			t.Errorf("%v: %+v", tc.jobs, doc)
		}
	}
}

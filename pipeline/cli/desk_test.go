package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"racecard/datasets/result"
	"racecard/reports/page/pagetest"
)

// deskPage makes the page of a store and returns its address and the folder that it lies in.
func deskPage(t *testing.T, store string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "desk.html")
	must(t, append([]string{"desk", store, "--quiet", "--out", file}, args...)...)
	return file
}

// sheet is rows of a panel, as its button saves them: a heading, then one row per line.
type sheet [][]any

func (s sheet) number(t *testing.T, row int, column string) float64 {
	t.Helper()
	for i, head := range s[0] {
		if head == column {
			switch x := s[row][i].(type) {
			case float64:
				return x
			case nil:
				return math.NaN()
			}
			t.Fatalf("%s of row %d is %v", column, row, s[row][i])
		}
	}
	t.Fatalf("no column %s in %v", column, s[0])
	return 0
}

// named returns the row that begins with a text.
func (s sheet) named(t *testing.T, name string) int {
	t.Helper()
	for i, row := range s {
		if row[0] == name {
			return i
		}
	}
	t.Fatalf("no row %q", name)
	return 0
}

func panelRows(d *pagetest.Driver, name string) (s sheet) {
	d.Eval(fmt.Sprintf("desk.exports[%q]()", name), &s)
	return s
}

// printed runs the command of a panel that begins so, as the page shows it, and decodes its output as JSON.
func printed(t *testing.T, d *pagetest.Driver, panel, begin string, to any) {
	t.Helper()
	var all []string
	d.Eval(fmt.Sprintf("[...document.querySelectorAll('#%s .command code')].map(c => c.textContent)", panel), &all)
	for _, line := range all {
		if !strings.HasPrefix(line, begin) {
			continue
		}
		args, err := shellSplit(strings.TrimPrefix(line, "racecard "))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		status, stdout, stderr := call(t, append(args, "--json", "--quiet")...)
		if status != ExitDone && status != ExitRefused {
			t.Fatalf("%s: status %d: %s", line, status, stderr)
		}
		if err := json.Unmarshal([]byte(stdout), to); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return
	}
	t.Fatalf("%s: no command begins with %q: %q", panel, begin, all)
}

// same fails unless a number of the page equals a command's, to the digits that pages hold.
func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) && math.IsNaN(want) {
		return
	}
	if !(math.Abs(got-want) <= 1e-5*math.Abs(want)+1e-9) {
		t.Errorf("%s: the page has %v, the command prints %v", what, got, want)
	}
}

// TestDeskHasTheNumbersOfCommands opens the page of 60 nights of four jobs from the disk, without a network, and runs
// the commands that its panels show: they print the page's numbers, also after a period was dragged and sliders
// were moved.
func TestDeskHasTheNumbersOfCommands(t *testing.T) {
	t.Parallel()
	store := plantedNights(t)
	d := pagetest.Drive(t)
	page := deskPage(t, store, "--price", "cpu=0.04/h", "--deadline", "nightly-join=01:10", "--deadline",
		"nightly-steady=02:25")
	d.Look(1280, "light", "screen")
	d.Offline()
	d.Open("file://" + page)
	d.Await("window.desk")

	var waste result.Waste
	printed(t, d, "today", "racecard waste", &waste)
	today := panelRows(d, "today")
	same(t, "held", today[today.named(t, "held_core_h")][1].(float64), waste.HeldCoreH)
	same(t, "wasted", today[today.named(t, "wasted_core_h")][1].(float64), waste.WastedCoreH)
	same(t, "cost", today[today.named(t, "cost")][1].(float64), float64(waste.Cost))
	same(t, "idle", today[today.named(t, "barrier_idle_core_h")][1].(float64), waste.Classes.BarrierIdle)
	var check result.Check
	printed(t, d, "today", "racecard check", &check)
	var says, want []string
	for _, row := range today[1:] {
		if strings.HasPrefix(row[0].(string), "breach: ") {
			says = append(says, fmt.Sprint(row[0], ": ", row[1]))
		}
	}
	for _, b := range check.Breaches {
		want = append(want, "breach: "+b.Rule+": "+b.Job+": "+b.What)
	}
	if slices.Sort(says); !slices.Equal(says, slices.Sorted(slices.Values(want))) {
		t.Errorf("breaches %q, want %q", says, want)
	}
	var shown int
	if d.Eval("desk.data.today.breaches.length", &shown); shown != len(check.Breaches) || shown == 0 {
		t.Errorf("%d breaches on the page, %d found by the check", shown, len(check.Breaches))
	}

	held := 0.0
	demand := panelRows(d, "demand")
	for i, row := range demand[1:] {
		for k, head := range demand[0] {
			if strings.HasPrefix(head.(string), "held_") {
				held += row[k].(float64) * demand.number(t, i+1, "seconds") / 3600
			}
		}
	}
	same(t, "held over time", held, waste.HeldCoreH)

	compareJobs := func(waste *result.Waste) {
		t.Helper()
		jobs := panelRows(d, "jobs")
		if len(jobs) != 1+len(waste.Jobs) {
			t.Errorf("%d jobs on the page, %d of the command", len(jobs)-1, len(waste.Jobs))
		}
		for _, j := range waste.Jobs {
			at := jobs.named(t, j.Job)
			same(t, j.Job+" runs", jobs.number(t, at, "runs"), float64(j.Runs))
			same(t, j.Job+" held", jobs.number(t, at, "held_core_h"), j.HeldCoreH)
			same(t, j.Job+" wasted", jobs.number(t, at, "wasted_core_h"), j.WastedCoreH)
			same(t, j.Job+" cost", jobs.number(t, at, "cost"), float64(j.Cost))
		}
	}
	compareJobs(&waste)
	var changes result.Comparison
	printed(t, d, "jobs", "racecard compare", &changes)
	jobs := panelRows(d, "jobs")
	for i := range changes.Jobs {
		if j := &changes.Jobs[i]; j.Changed {
			same(t, j.Job+" change", jobs.number(t, jobs.named(t, j.Job), "change"), float64(j.Change))
		}
	}

	// The command below the demand prints the tasks that ran over time: here one to a core.
	var load struct{ Workload result.Workload }
	printed(t, d, "demand", "racecard analyze", &load)
	var usedS, taskS float64
	for i, row := range demand[1:] {
		if at := row[0].(string); len(at) != len("2026-09-01 01:00:00") {
			t.Errorf("a bin begins at %s: not to the second", at)
		}
		usedS += demand.number(t, i+1, "used_cores") * demand.number(t, i+1, "seconds")
	}
	ran := load.Workload.Concurrency.Tasks.Series
	for _, n := range ran.Values {
		taskS += n * ran.BinS
	}
	if math.Abs(usedS/taskS-1) > 0.01 { // one counts the cores that attempts take, the other attempts
		t.Errorf("%v core-seconds used in the panel, %v task-seconds in the analysis", usedS, taskS)
	}

	// A drag over a part of the drawing chooses whole nights.
	var box struct{ X, Y, W, H float64 }
	d.Eval(`(() => { const s = document.querySelector('#demand svg'); s.scrollIntoView({block: 'center', behavior: 'instant'});
		const b = s.getBoundingClientRect(); return {x: b.left, y: b.top, w: b.width, h: b.height} })()`, &box)
	d.Drag(box.X+0.3*box.W, box.Y+0.5*box.H, box.X+0.6*box.W, box.Y+0.5*box.H)
	var period result.Waste
	printed(t, d, "jobs", "racecard waste", &period)
	if period.Runs == 0 || period.Runs >= waste.Runs {
		t.Errorf("%d runs in the period, %d in all", period.Runs, waste.Runs)
	}
	compareJobs(&period)
	today = panelRows(d, "today")
	same(t, "held in the period", today[today.named(t, "held_core_h")][1].(float64), period.HeldCoreH)

	// Sliders move with the keyboard.
	d.Eval("document.querySelector('#demand [data-key=all]').click()", nil)
	for _, job := range []string{"nightly-join", "nightly-steady"} {
		d.Eval(fmt.Sprintf("[...document.querySelectorAll('#jobs tbody a')].find(a => a.textContent === %q).click()",
			job), nil)
		for _, key := range []string{"cores", "due"} {
			d.Eval(fmt.Sprintf("document.querySelector('#job input[data-key=%s]').focus()", key), nil)
			d.Key("ArrowLeft")
		}
		var f result.Forecast
		printed(t, d, "job", "racecard forecast "+store+" --job "+job, &f)
		rows := panelRows(d, "forecast")
		if len(rows) != 1+len(f.Tokens) {
			t.Fatalf("%d rows, %d numbers of cores", len(rows)-1, len(f.Tokens))
		}
		for i, c := range f.Tokens {
			for name, want := range map[string]float64{"tokens": float64(c.Tokens), "p50_s": c.P50S, "p90_s": c.P90S,
				"p95_s": c.P95S, "core_h": c.CoreH} {
				same(t, fmt.Sprintf("%s %s on %d cores", job, name, c.Tokens), rows.number(t, i+1, name), want)
			}
		}
		var lines []string
		d.Eval("[...document.querySelectorAll('#job .command code')].map(c => c.textContent).filter(c => "+
			"c.includes('--deadline'))", &lines)
		var due result.Forecast
		args, err := shellSplit(strings.TrimPrefix(lines[0], "racecard "))
		if err != nil {
			t.Fatal(err)
		}
		_, stdout, _ := call(t, append(args, "--json", "--quiet")...)
		if err := json.Unmarshal([]byte(stdout), &due); err != nil {
			t.Fatal(err)
		}
		table := panelRows(d, "deadline")
		found := false
		for i := 1; i < len(table); i++ {
			if table.number(t, i, "deadline_s") == float64(due.DeadlineS) {
				found = true
				for _, c := range due.Tokens {
					same(t, fmt.Sprintf("%s chance on %d", job, c.Tokens),
						table.number(t, i, fmt.Sprintf("chance_on_%d", c.Tokens)), float64(c.Chance))
				}
				if due.Fewest != nil {
					same(t, job+" fewest", table.number(t, i, "fewest_tokens"), float64(due.Fewest.Tokens))
				}
			}
		}
		if !found {
			t.Errorf("%s: no deadline of %v s on the page", job, due.DeadlineS)
		}
		var cursor string
		d.Eval("document.querySelector('#job .readout dd').textContent", &cursor)
		var i int
		d.Eval("desk.state.cores", &i)
		var text string
		if d.Eval(fmt.Sprintf("desk.seconds(%v)", f.Tokens[i].P50S), &text); text != cursor {
			t.Errorf("%s: half end in %s on the page, %s", job, cursor, text)
		}
		var e result.Explanation
		printed(t, d, "run", "racecard explain", &e)
		parts := panelRows(d, "run")
		same(t, "usual", parts.number(t, parts.named(t, "usual"), "seconds"), e.UsualS)
		same(t, "took", parts.number(t, parts.named(t, "took"), "seconds"), e.TookS)
		for i, p := range e.Parts {
			same(t, p.What+" "+p.Stage, parts.number(t, i+1, "seconds"), p.Seconds)
		}
		// Panels of runs and stages have a command for every job, whether it changed or not.
		for _, panel := range []string{"runs", "stages"} {
			var command string
			d.Eval(fmt.Sprintf("[...document.querySelectorAll('#job footer')].find(f => f.querySelector('[data-csv=%s]'))."+
				"querySelector('.command code').textContent", panel), &command)
			want := "racecard compare " + store + " "
			if job == "nightly-steady" {
				want = "racecard explain " + store + " --job nightly-steady"
			}
			if !strings.HasPrefix(command, want) {
				t.Errorf("%s of %s: the command is %q, want %q", panel, job, command, want)
			}
		}
		if job == "nightly-steady" {
			var latest result.Explanation
			if err := json.Unmarshal([]byte(must(t, "explain", store, "--job", job, "--json", "-q")), &latest); err != nil {
				t.Fatal(err)
			}
			runs := panelRows(d, "runs")
			same(t, "latest run", runs.number(t, runs.named(t, latest.Run), "took_s"), latest.TookS)
		}
	}

	var plan result.Agenda
	printed(t, d, "plan", "racecard plan", &plan)
	days := panelRows(d, "plan")
	for _, j := range plan.Jobs {
		at := days.named(t, j.Job)
		if days[at][2] != j.P50End || days[at][3] != j.P95End {
			t.Errorf("%s ends by %v and %v on the page, want %s and %s", j.Job, days[at][2], days[at][3], j.P50End,
				j.P95End)
		}
		same(t, j.Job+" chance", days.number(t, at, "chance"), float64(j.Chance))
	}
	var queues result.Eagle
	printed(t, d, "machines", "racecard simulate eagle", &queues)
	sizes := panelRows(d, "schedulers")
	for _, p := range queues.Experiments[0].Points {
		for i := 1; i < len(sizes); i++ {
			if sizes[i][0] == p.Scheduler && sizes.number(t, i, "machines") == p.X {
				same(t, p.Scheduler, sizes.number(t, i, "short_p95_s"), float64(p.S["short_p95"].Median))
				same(t, p.Scheduler+", long", sizes.number(t, i, "long_p95_s"), float64(p.S["long_p95"].Median))
			}
		}
	}
	if others := d.Quiet("file://" + page); len(others) > 0 {
		t.Errorf("the page asks for %q", others)
	}
}

// The remaining times of a page are those that table lookup prints after the commands of the panel.
func TestDeskRemainingTimes(t *testing.T) {
	d := pagetest.Drive(t)
	d.Look(1280, "light", "screen")
	d.Open(nightsDesk(t))
	d.Await("window.desk")
	var lines []string
	d.Eval("[...document.querySelectorAll('#job .command code')].map(c => c.textContent).filter(c => c.includes(' "+
		"models'))", &lines)
	if len(lines) != 2 {
		t.Fatalf("commands %q", lines)
	}
	t.Chdir(t.TempDir())
	var out string
	for _, line := range strings.Split(strings.Join(lines, " && "), " && ") {
		args, err := shellSplit(strings.TrimPrefix(line, "racecard "))
		if err != nil {
			t.Fatal(err)
		}
		out = must(t, append(args, "--json", "--quiet")...)
	}
	var got struct {
		Progress, Allocation float64
		Remaining            map[string]float64 `json:"remaining_s"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	fan := panelRows(d, "fan")
	found := false
	for i := 1; i < len(fan); i++ {
		if fan.number(t, i, "tokens") == got.Allocation && fan.number(t, i, "progress") == got.Progress {
			found = true
			same(t, "p50", fan.number(t, i, "p50_s"), got.Remaining["p50"])
			same(t, "p90", fan.number(t, i, "p90_s"), got.Remaining["p90"])
		}
	}
	if !found {
		t.Errorf("no cell for %v cores at %v", got.Allocation, got.Progress)
	}
}

// TestDeskServed drives the page that is served: jobs, runs and plans are read when they are asked for, and have the
// numbers of commands. Pages of other sites and other machines' names are refused.
func TestDeskServed(t *testing.T) {
	t.Parallel()
	store := plantedNights(t)
	d := pagetest.Drive(t)
	url := serveDeskOf(t, store)
	d.Look(1280, "dark", "screen")
	d.Open(url)
	d.Await("window.desk")
	d.Eval("[...document.querySelectorAll('#jobs tbody a')].find(a => a.textContent === 'nightly-cores').click()", nil)
	d.Eval(`new Promise((done, no) => { let n = 0; const look = () => document.querySelector('#job input[data-key=cores]') ? done(1) : ++n > 600 ? no('no forecast') : setTimeout(look, 100); look() })`, nil)
	var f result.Forecast
	printed(t, d, "job", "racecard forecast", &f)
	rows := panelRows(d, "forecast")
	for i, c := range f.Tokens {
		same(t, "p95", rows.number(t, i+1, "p95_s"), c.P95S)
	}
	var e result.Explanation
	printed(t, d, "run", "racecard explain", &e)
	same(t, "took", panelRows(d, "run").number(t, panelRows(d, "run").named(t, "took"), "seconds"), e.TookS)
	d.Eval(`(() => { const f = document.querySelector('#plan form'); f.jobs.value = 'nightly-cores@02:05 nightly-join'; f.tokens.value = 6; f.requestSubmit() })()`, nil)
	d.Eval(`new Promise((done, no) => { let n = 0; const look = () => desk.exports.plan ? done(1) : ++n > 600 ? no('no plan') : setTimeout(look, 100); look() })`, nil)
	var plan result.Agenda
	printed(t, d, "plan", "racecard plan", &plan)
	days := panelRows(d, "plan")
	if plan.Tokens != 6 || len(days) != 3 {
		t.Errorf("%d cores, rows %v", plan.Tokens, days)
	}
	same(t, "chance", days.number(t, days.named(t, "nightly-cores"), "chance"), float64(plan.Jobs[0].Chance))
	d.Await("!desk.data.pending")
	var waste result.Waste
	printed(t, d, "today", "racecard waste", &waste)
	today := panelRows(d, "today")
	same(t, "held", today[today.named(t, "held_core_h")][1].(float64), waste.HeldCoreH)
	same(t, "idle", today[today.named(t, "barrier_idle_core_h")][1].(float64), waste.Classes.BarrierIdle)
	var changes result.Comparison
	printed(t, d, "jobs", "racecard compare", &changes)
	jobs := panelRows(d, "jobs")
	for i := range changes.Jobs {
		if j := &changes.Jobs[i]; j.Changed {
			at := jobs.named(t, j.Job)
			same(t, j.Job+" change", jobs.number(t, at, "change"), float64(j.Change))
			if cause := why(&j.Cause, time.UTC); !strings.HasPrefix(cause, jobs[at][8].(string)) {
				t.Errorf("%s: cause %v, want %s", j.Job, jobs[at][8], cause)
			}
		}
	}
	if others := d.Quiet(url); len(others) > 0 {
		t.Errorf("the page asks for %q", others)
	}
}

// TestDeskLooks opens the page at three widths, light, dark and printed: nothing is wider than the window. Without
// scripts its tables can be read.
func TestDeskLooks(t *testing.T) {
	t.Parallel()
	d := pagetest.Drive(t)
	page := nightsDesk(t)
	sample := "file://" + deskPage(t, sampleStore(t))
	for _, look := range []struct {
		width          int
		scheme, medium string
	}{{390, "light", "screen"}, {390, "dark", "screen"}, {1280, "light", "screen"}, {1280, "dark", "screen"},
		{1920, "light", "screen"}, {1920, "dark", "screen"}, {794, "light", "print"}} {
		d.Look(look.width, look.scheme, look.medium)
		d.Open("about:blank")
		d.Open(page)
		d.Await("window.desk")
		var wide []string
		d.Eval(`[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, #contents, .unseen, .command, .skip, noscript') && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('svg')).map(e => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 60))`, &wide)
		var scroll int
		if d.Eval("document.documentElement.scrollWidth", &scroll); scroll > look.width || len(wide) > 0 {
			t.Errorf("%+v: the page is %d wide: %q", look, scroll, wide)
		}
		for _, of := range []string{page, sample} { // jobs of one hour of a night, and of many hours of a day
			d.Open(of)
			d.Await("window.desk")
			var outside []string
			d.Eval(`[...document.querySelectorAll('svg.chart')].flatMap((s) => { const all = s.getBoundingClientRect(); return [...s.querySelectorAll('rect, path, line, circle, text')].filter((e) => { if (e.closest('pattern')) return false;
				const b = e.getBoundingClientRect(); return b.left < all.left - 1 || b.right > all.right + 1 || b.top < all.top - 2 || b.bottom > all.bottom + 2; })
				.map((e) => e.closest('section').id + ': ' + e.tagName + '.' + e.getAttribute('class') + ' ' + e.textContent.slice(0, 40)); })`, &outside)
			if len(outside) > 0 {
				t.Errorf("%+v: %s draws outside: %q", look, of, outside)
			}
		}
		if dir := os.Getenv("RACECARD_SHOTS"); dir != "" {
			d.Open(page)
			d.Await("window.desk")
			d.Shoot(filepath.Join(dir, fmt.Sprintf("desk-%d-%s-%s.png", look.width, look.scheme, look.medium)))
		}
	}
	d.Quiet(page)
	d.Scripts(false)
	d.Open("about:blank")
	d.Open(page)
	var text string
	d.Eval("document.querySelector('main').innerText", &text)
	for _, want := range []string{"nightly-growth", "stage join: work x2.2", "Core-hours held, by use", "95% in",
		"extrapolated", "racecard waste", "Fewest tokens", "Stages, core time", "Remaining time", "nightly-join-0059"} {
		if !strings.Contains(text, want) {
			t.Errorf("without scripts the page lacks %q", want)
		}
	}
}

// Without scripts a page that is served leads to all tables, and from the names of jobs to their details.
func TestDeskServedWithoutScripts(t *testing.T) {
	t.Parallel()
	url := serveDeskOf(t, plantedNights(t))
	d := pagetest.Drive(t)
	d.Scripts(false)
	d.Look(1280, "light", "screen")
	d.Open(url)
	follow := func(link string) {
		t.Helper()
		var to string
		d.Eval(fmt.Sprintf("[...document.querySelectorAll('main a')].find(a => a.textContent.includes(%q)).href", link),
			&to)
		d.Open(to)
	}
	has := func(words ...string) {
		t.Helper()
		var text string
		d.Eval("document.querySelector('main').innerText", &text)
		for _, want := range words {
			if !strings.Contains(text, want) {
				t.Errorf("without scripts the page lacks %q: %.3000s", want, text)
			}
		}
	}
	has("nightly-growth", "the store is read first")
	follow("With what they held")
	has("Core-hours held, by use", "stage join: work x2.2", "racecard waste")
	follow("nightly-cores")
	has("The next run on other numbers of tokens", "Fewest tokens", "nightly-cores-0059", "nightly-cores-0000")
}

// The page of a trace without names of jobs, without ends and without states says so.
func TestDeskOfNamelessRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var b strings.Builder
	for k := range 12 {
		at := 1_788_220_800 + k*3600
		fmt.Fprintf(&b, `{"id":"r%d","submit_s":%d,"stages":[{"tasks":1}],"tasks":[{"stage":0,"task":0,`+
			`"duration_s":20}]}`+"\n", k, at)
	}
	store := filepath.Join(dir, "nameless.store")
	must(t, "import", "--quiet", "--out", store, put(t, dir, "nameless.jsonl", b.String()))
	d := pagetest.Drive(t)
	d.Look(1280, "light", "screen")
	for _, page := range []string{"file://" + deskPage(t, store), serveDeskOf(t, store)} {
		d.Open(page)
		d.Await("window.desk && !document.querySelector('p.busy')")
		var text string
		d.Eval("document.querySelector('main').innerText", &text)
		for _, want := range []string{"The trace names no jobs", "none is known to have failed",
			"what was held is not known", "their idle time is not known", "how runs ended is not known"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q: %.2000s", page, want, text)
			}
		}
		if strings.Contains(text, "all succeeded") {
			t.Errorf("%s says that runs of unknown ends succeeded", page)
		}
	}
}

// A page that is served does not say that runs without tasks held nothing.
func TestDeskOfRunsWithoutTasks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := filepath.Join(dir, "stages.store")
	must(t, "import", "--quiet", "--out", store, put(t, dir, "stages.jsonl", `{"id":"a","name":"n","submit_s":0,"end_s":9,`+
		`"stages":[{"tasks":1,"start_s":1,"end_s":9}]}`))
	d := pagetest.Drive(t)
	d.Look(1280, "light", "screen")
	d.Open(serveDeskOf(t, store))
	d.Await("window.desk && !document.querySelector('p.busy')")
	var text string
	d.Eval("document.querySelector('.stats').innerText", &text)
	if !strings.HasPrefix(text, "Core-hours of tasks\n–\n") {
		t.Errorf("%q", text)
	}
}

// Jobs whose waste is not known have details, too: those whose runs took longest together. As their cores are not known,
// neither are the fewest for a deadline. Runs of which the trace does not say how they ended count as succeeded.
func TestDeskDetailsWithoutUse(t *testing.T) {
	for name, status := range map[string]string{"succeeded": `,"status":"succeeded"`, "unknown": ""} {
		t.Run(name, func(t *testing.T) { detailsWithoutUse(t, status) })
	}
}

// detailsWithoutUse looks at the details of jobs whose runs have a status, as a field of their JSON.
func detailsWithoutUse(t *testing.T, status string) {
	dir := t.TempDir()
	var b strings.Builder
	for k := range 24 {
		at := 1_788_220_800 + k*3600
		fmt.Fprintf(&b, `{"id":"r%d","name":"%s","submit_s":%d,"start_s":%d,"end_s":%d%s}`+"\n", k,
			[]string{"short", "long"}[k%2], at, at, at+20+k%2*100, status)
	}
	store := filepath.Join(dir, "times.store")
	must(t, "import", "--quiet", "--out", store, put(t, dir, "times.jsonl", b.String()))
	data := deskData(t, deskPage(t, store, "--jobs", "1"))
	var page struct {
		Jobs struct {
			Job []string
			P50 []float64 `json:"p50_s"`
		}
		Details []*struct {
			Runs     struct{ ID []string }
			Forecast struct {
				Knee    int
				Fewest  []int
				P50     []float64 `json:"p50_s"`
				Extreme []*int    `json:"tokens_seen"`
			}
		}
	}
	if err := json.Unmarshal(data, &page); err != nil {
		t.Fatal(err)
	}
	if len(page.Details) != 2 || page.Jobs.Job[0] != "long" || page.Details[0] == nil || page.Details[1] != nil ||
		len(page.Details[0].Runs.ID) != 12 {
		t.Fatalf("jobs %q, details %+v", page.Jobs.Job, page.Details)
	}
	if !slices.Equal(page.Jobs.P50, []float64{120, 20}) {
		t.Errorf("medians %v s, want 120 and 20", page.Jobs.P50)
	}
	f := page.Details[0].Forecast
	if len(f.Fewest) == 0 || slices.Max(f.Fewest) != -1 || f.Knee != -1 || f.Extreme[0] != nil || f.P50[0] != 120 {
		t.Errorf("forecast of runs of 120 s on unknown cores: %+v", f)
	}
}

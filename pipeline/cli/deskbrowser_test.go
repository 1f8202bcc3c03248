package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/page/pagetest"
)

// serveDeskOf serves the desk of a store until the test ends, and returns its address.
func serveDeskOf(t *testing.T, store string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	from, to := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, append([]string{"desk", store, "--json", "--quiet"}, args...), to, io.Discard)
		_ = to.Close() // of a pipe
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	var line json.RawMessage
	var said servedDesk
	if err := json.NewDecoder(from).Decode(&line); err != nil {
		t.Fatalf("the desk says no address: %v", err)
	}
	newValidator(t).check(t, "desk-served", "the first line of racecard desk", line)
	if err := json.Unmarshal(line, &said); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, from) }()
	return said.URL
}

// A desk answers this machine only, and no page of another site.
func TestDeskRefusesOthers(t *testing.T) {
	store := plantedNights(t)
	for _, listen := range []string{"0.0.0.0:0", ":0", "nowhere"} {
		if status, _, stderr := call(t, "desk", store, "--listen", listen); status != ExitUsage ||
			!strings.Contains(stderr, "--listen") {
			t.Errorf("--listen %s: status %d: %s", listen, status, stderr)
		}
	}
	url := serveDeskOf(t, store)
	for _, test := range []struct {
		method, path, host, site string
		want                     int
	}{
		{"GET", "", "", "", http.StatusOK}, {"GET", "", "evil.example", "", http.StatusForbidden},
		{"GET", "job?job=nightly-join", "", "cross-site", http.StatusForbidden},
		{"POST", "plan", "", "", http.StatusMethodNotAllowed}, {"GET", "job?job=../../etc/passwd", "", "",
			http.StatusUnprocessableEntity}, {"GET", "etc", "", "", http.StatusNotFound},
		{"GET", "plan?jobs=nightly-join%4025:99&tokens=8", "", "", http.StatusUnprocessableEntity},
		{"GET", "plan?jobs=nightly-join&tokens=-1", "", "", http.StatusUnprocessableEntity},
		{"GET", "plan?jobs='nightly&tokens=1", "", "", http.StatusUnprocessableEntity},
		{"GET", "run?job=nightly-join&run=no", "", "", http.StatusUnprocessableEntity},
	} {
		r, err := http.NewRequestWithContext(t.Context(), test.method, url+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = test.host
		r.Header.Set("Sec-Fetch-Site", test.site)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close() // it was read
		if answer.StatusCode != test.want {
			t.Errorf("%+v: %d: %.200s", test, answer.StatusCode, body)
		}
	}
}

// manyJobs has more jobs than a page lists, each of one run that wastes most of what it held, and job needle, which
// wastes nothing: it is the last.
func manyJobs(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	line := func(name string, k, slots int) {
		at, took := 1_788_220_800+k*3600, 20+k%7
		fmt.Fprintf(&b, `{"id":"%s-%d","name":"%s","submit_s":%d,"start_s":%d,"end_s":%d,"status":"succeeded",`+
			`"guaranteed":%d,"stages":[{"name":"s","tasks":1}],"tasks":[{"stage":0,"task":0,"attempt":0,"start_s":%d,`+
			`"end_s":%d,"status":"succeeded","machine":"m"}]}`+"\n", name, k, name, at, at, at+took, slots, at, at+took)
	}
	for i := range mostRows + 30 {
		line("job"+string([]byte{byte('a' + i/676), byte('a' + i/26%26), byte('a' + i%26)}), i%48, 3)
	}
	for k := range 12 {
		line("needle", k, 1)
	}
	dir := t.TempDir()
	store := filepath.Join(dir, "many.store")
	must(t, "import", "--quiet", "--out", store, put(t, dir, "many.jsonl", b.String()))
	return store
}

// A page that is served begins with the times of runs; what they held follows. Jobs beyond those that it lists are
// found and sorted by the server, and have the numbers of commands.
func TestDeskServesMoreJobsThanItLists(t *testing.T) {
	t.Parallel()
	store := manyJobs(t)
	url := serveDeskOf(t, store)
	var early struct {
		Detail struct {
			Forecast struct {
				Runs int `json:"runs"`
			} `json:"forecast"`
		} `json:"detail"`
	}
	// Before the overview.
	ask, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"job?job=needle", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		t.Fatal(err)
	}
	err = json.NewDecoder(answer.Body).Decode(&early)
	_ = answer.Body.Close() // it was read
	if err != nil || early.Detail.Forecast.Runs != 12 {
		t.Fatalf("%d runs of needle: %v", early.Detail.Forecast.Runs, err)
	}
	d := pagetest.Drive(t)
	d.Look(1280, "light", "screen")
	d.Open(url)
	d.Await("window.desk && !desk.data.pending")
	var listed struct {
		Rows   int
		More   int
		Needle bool
	}
	d.Eval("({rows: desk.data.jobs.job.length, more: desk.data.jobs.more, "+
		"needle: desk.data.jobs.job.includes('needle')})", &listed)
	if listed.Rows != mostRows || listed.More != 31 || listed.Needle {
		t.Fatalf("listed %+v", listed)
	}
	search := func(text string) {
		d.Eval(fmt.Sprintf("(() => { const s = document.getElementById('search'); s.value = %q; "+
			"s.dispatchEvent(new Event('input')) })()", text), nil)
	}
	search("NEEDL")
	d.Await("document.querySelectorAll('#jobs tbody tr').length === 1 && " +
		"document.querySelector('#jobs tbody a').textContent === 'needle'")
	d.Eval("document.querySelector('#jobs tbody a').click()", nil)
	d.Await("!document.querySelector('p.busy')")
	var waste result.Waste
	printed(t, d, "jobs", "racecard waste", &waste)
	rows := panelRows(d, "jobs")
	for i := range waste.Jobs {
		if j := &waste.Jobs[i]; j.Job == "needle" {
			at := rows.named(t, "needle")
			same(t, "runs", rows.number(t, at, "runs"), float64(j.Runs))
			same(t, "held", rows.number(t, at, "held_core_h"), j.HeldCoreH)
			same(t, "wasted", rows.number(t, at, "wasted_core_h"), j.WastedCoreH)
		}
	}
	today := panelRows(d, "today")
	same(t, "held by all", today[today.named(t, "held_core_h")][1].(float64), waste.HeldCoreH)
	same(t, "wasted by all", today[today.named(t, "wasted_core_h")][1].(float64), waste.WastedCoreH)
	var f result.Forecast
	printed(t, d, "job", "racecard forecast", &f)
	forecast := panelRows(d, "forecast")
	for i, c := range f.Tokens {
		same(t, "p95", forecast.number(t, i+1, "p95_s"), c.P95S)
	}
	if f.Job != "needle" || len(f.Tokens) == 0 {
		t.Errorf("a forecast of %q on %d numbers of cores", f.Job, len(f.Tokens))
	}
	var e result.Explanation
	printed(t, d, "run", "racecard explain", &e)
	run := panelRows(d, "run")
	same(t, "took", run.number(t, run.named(t, "took"), "seconds"), e.TookS)

	// All jobs of the store are sorted, and a period is one of all of them.
	search("")
	d.Eval("document.querySelector('#jobs [data-key=sort-job]').click()", nil)
	d.Eval("document.querySelector('#jobs [data-key=sort-job]').click()", nil)
	d.Await("document.querySelector('#jobs tbody a').textContent === 'needle'")
	d.Eval("(() => { const s = document.querySelector('[data-key=to]'); s.value = 1; "+
		"s.dispatchEvent(new Event('change')) })()", nil)
	var period result.Waste
	printed(t, d, "jobs", "racecard waste", &period)
	d.Await(fmt.Sprintf("document.getElementById('found').textContent.startsWith('%s of ')",
		words.Count(len(period.Jobs))))
	address := url + "#job=needle"
	d.Open("about:blank")
	d.Open(address)
	d.Await("window.desk && !document.querySelector('p.busy') && " +
		"document.querySelector('.jobname').textContent === 'needle'")
}

// hostileStore has jobs whose names try to be HTML, scripts, formulas and commands, turn text around, or are very long.
func hostileStore(t *testing.T) (string, []string) {
	t.Helper()
	names := []string{
		`<script>document.title='owned'</script>`, `"><img src=x onerror="document.title='owned'">`,
		`</script><script>document.title='owned'</script>`, `<!--<script>`, `it's "quoted" & 'so' \`,
		"abc\u202e\u2066gnp.exe", `=HYPERLINK("http://x","y")`, `$(touch /tmp/owned); rm -rf ~`,
		strings.Repeat("långt namn ", 909) + "z", "nightly\nindex\tx", "__proto__", "constructor",
	}
	var b strings.Builder
	for i, name := range names {
		for k := range 12 {
			at := 1_788_220_800 + k*86400 + i*600
			line, err := json.Marshal(map[string]any{"id": fmt.Sprintf("%s-%d-%d", name[:min(20, len(name))], i, k),
				"name": name, "user": name, "group": name, "submit_s": at, "start_s": at + 1, "end_s": at + 30 + k +
					i, "status": "succeeded", "guaranteed": 4,
				"stages": []map[string]any{{"name": name[:min(len(name), 200)], "tasks": 2}},
				"tasks": []map[string]any{{"stage": 0, "task": 0, "attempt": 0, "queued_s": at, "start_s": at +
					1, "end_s": at + 20 + i, "status": "succeeded", "machine": name[:min(len(name), 50)]},
					{"stage": 0, "task": 1, "attempt": 0, "queued_s": at, "start_s": at + 1, "end_s": at + 30 + k +
						i, "status": "succeeded", "machine": "m"}}})
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
	}
	dir := t.TempDir()
	store := filepath.Join(dir, `h "o<b>s'tile.store`)
	must(t, "import", "--quiet", "--out", store, put(t, dir, "h.jsonl", b.String()))
	return store, names
}

// Hostile names are text: no element, script or request comes of them, commands quote them, and spreadsheets do not
// compute them.
func TestDeskHostileNames(t *testing.T) {
	t.Parallel()
	store, names := hostileStore(t)
	d := pagetest.Drive(t)
	page := "file://" + strings.NewReplacer("%", "%25").Replace(deskPage(t, store))
	for _, served := range []bool{false, true} {
		if served {
			page = serveDeskOf(t, store)
		}
		d.Look(390, "light", "screen")
		d.Open(page)
		d.Await("window.desk")
		var got struct {
			Title           string
			Images, Scripts int
			Width           int
			Listed          int
		}
		d.Eval(`({title: document.title, images: document.images.length, scripts: document.scripts.length, width: document.documentElement.scrollWidth, listed: document.querySelectorAll('#jobs tbody tr').length})`, &got)
		if strings.Contains(got.Title, "owned") || got.Images != 0 || got.Scripts != 3 || got.Width > 390 ||
			got.Listed != len(names) {
			t.Errorf("served %t: %+v, want %d jobs", served, got, len(names))
		}
		var bad string
		d.Eval(`document.querySelector('main').textContent.match(/[\u202a-\u202e\u2066-\u2069]/g)?.join() ?? ''`, &bad)
		for i := range names { // every job is opened
			d.Eval(fmt.Sprintf("document.querySelectorAll('#jobs tbody a')[%d].click()", i), nil)
			d.Eval(`new Promise((done, no) => { let n = 0; const look = () => !document.querySelector('p.busy') ? done(1) : ++n > 1200 ? no(new Error(document.querySelector('p.busy').textContent)) : setTimeout(look, 50); look() })`, nil)
			var title string
			if d.Eval("document.title", &title); strings.Contains(title, "owned") {
				t.Errorf("job %d ran a script", i)
			}
			var line string
			d.Eval("[...document.querySelectorAll('#run .command code')].map(c => c.textContent).find(c => "+
				"c.includes('explain')) ?? ''", &line)
			args, err := shellSplit(strings.TrimPrefix(line, "racecard "))
			if err != nil && !strings.Contains(line, `'\''`) {
				t.Errorf("job %d: %s: %v", i, line, err)
			}
			if err == nil && len(args) > 1 && args[0] != "explain" {
				t.Errorf("job %d: %q", i, args)
			}
		}
		var csv string
		d.Eval("desk.csv(desk.exports.jobs())", &csv)
		for _, line := range strings.Split(csv, "\r\n") {
			if strings.HasPrefix(line, "=") || strings.HasPrefix(line, `"=`) {
				t.Errorf("a spreadsheet computes %.60s", line)
			}
		}
		var policy string
		d.Eval("document.querySelector('meta[http-equiv]').content", &policy)
		if !strings.HasPrefix(policy, "default-src 'none'; script-src 'sha256-") || strings.Contains(policy, "unsafe") {
			t.Errorf("policy %q", policy)
		}
		if others := d.Quiet(page, "file:"); len(others) > 0 {
			t.Errorf("the page asks for %q", others)
		}
	}
	if _, err := os.Stat("/tmp/owned"); err == nil {
		t.Error("a name became a command")
	}
}

// The policy forbids scripts that a page does not hold itself: one that is added does not run.
func TestDeskPolicyForbidsOthers(t *testing.T) {
	d := pagetest.Drive(t)
	d.Look(1280, "light", "screen")
	d.Open(nightsDesk(t))
	d.Await("window.desk")
	var ran bool
	d.Eval(`(() => { const s = document.createElement('script'); s.textContent = 'window.ran = true'; document.body.append(s);
		const i = document.createElement('div'); i.innerHTML = '<img src=x onerror="window.ran = true">'; document.body.append(i); return new Promise((d) => setTimeout(() => d(!!window.ran), 300)) })()`, &ran)
	if ran {
		t.Error("a script that was added ran")
	}
}

// axe-core, which npm fetches, finds nothing to mend, light and dark, for wide and narrow windows.
func TestDeskAccessibility(t *testing.T) {
	t.Parallel()
	d := pagetest.Drive(t)
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if said, err := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts",
		"--prefix", dir, "axe-core@4.10.3").CombinedOutput(); err != nil {
		t.Skipf("axe-core is not to be had: %v: %.300s", err, said)
	}
	axe, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	page := nightsDesk(t)
	for _, look := range []struct {
		width  int
		scheme string
	}{{1280, "light"}, {1280, "dark"}, {390, "light"}, {390, "dark"}, {1920, "light"}, {1920, "dark"}} {
		d.Look(look.width, look.scheme, "screen")
		d.Open("about:blank")
		d.Open(page)
		d.Await("window.desk")
		d.Eval(string(axe)+"; 1", nil)
		var found []struct {
			ID, Help string
			Nodes    []struct{ HTML, FailureSummary string }
		}
		d.Eval("axe.run().then(r => r.violations.map(v => ({id: v.id, help: v.help, nodes: v.nodes.slice(0, 3).map(n "+
			"=> ({html: n.html.slice(0, 200), failureSummary: n.failureSummary}))})))", &found)
		for _, v := range found {
			t.Errorf("%+v: %s: %s: %+v", look, v.ID, v.Help, v.Nodes)
		}
	}
}

// The page is worked at with the keyboard: search, contents, sorting and opening a job.
func TestDeskKeyboard(t *testing.T) {
	t.Parallel()
	d := pagetest.Drive(t)
	d.Look(1280, "light", "screen")
	page := nightsDesk(t)
	d.Open(page)
	d.Await("window.desk")
	var text string
	first := func() string { d.Eval("document.querySelector('#jobs tbody th').textContent", &text); return text }
	d.Eval("document.querySelector('#jobs [data-key=sort-job]').focus()", nil)
	d.Key("Enter")
	if got := first(); got != "nightly-cores" {
		t.Errorf("sorted by name, the first job is %s", got)
	}
	d.Key("Enter")
	if got := first(); got != "nightly-steady" {
		t.Errorf("sorted backwards, the first job is %s", got)
	}
	if d.Eval("document.querySelector('#jobs th[aria-sort]').getAttribute('aria-sort')", &text); text != "descending" {
		t.Errorf("aria-sort is %s", text)
	}
	d.Eval("document.querySelector('#jobs tbody a').focus()", nil)
	d.Key("Enter")
	if d.Eval("document.activeElement.textContent + ' ' + document.querySelector('.jobname').textContent",
		&text); text != "One job nightly-steady" {
		t.Errorf("after Enter on a job: %s", text)
	}
	d.Key("/")
	if d.Eval("document.activeElement.id", &text); text != "search" {
		t.Errorf("/ leads to %q", text)
	}
	d.Eval("(() => { const s = document.getElementById('search'); s.value = 'grow'; s.dispatchEvent(new "+
		"Event('input')) })()", nil)
	if got := first(); got != "nightly-growth" {
		t.Errorf("the search finds %s", got)
	}
	d.Eval("location.hash", &text)
	if !strings.Contains(text, "q=grow") || !strings.Contains(text, "job=nightly-steady") ||
		!strings.Contains(text, "sort=job.down") {
		t.Errorf("the address holds %s", text)
	}
	address := page + text
	d.Open("about:blank")
	d.Open(address)
	d.Await("window.desk")
	if got := first(); got != "nightly-growth" {
		t.Errorf("opened again, the search finds %s", got)
	}
	if d.Eval("document.querySelector('.jobname').textContent", &text); text != "nightly-steady" {
		t.Errorf("opened again, the job is %s", text)
	}
}

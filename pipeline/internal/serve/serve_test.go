package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"racecard/datasets/tablefile"
	"racecard/pipeline/internal/livetest"
	"racecard/pipeline/live"
)

// rig is a server over a real socket, of tables in a folder.
type rig struct {
	*Server
	url string
	dir string
}

func newRig(t testing.TB, change func(*Options)) *rig {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tables")
	livetest.Publish(t, dir, livetest.Table("a", 1, 1, 2, 4, 8), livetest.Table("b/c", 1, 1, 2, 4, 8))
	return rigOf(t, dir, change)
}

func rigOf(t testing.TB, dir string, change func(*Options)) *rig {
	t.Helper()
	tables, err := live.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	if change != nil {
		change(&o)
	}
	s := New(tables, o)
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return &rig{s, h.URL, dir}
}

// ask sends a request, with a JSON body unless that is empty, and returns the status and the body of the answer.
func (r *rig) ask(t testing.TB, method, path, body string, header ...string) (int, string) {
	t.Helper()
	q, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		q.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		q.Header.Set(header[i], header[i+1])
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	data, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(data)
}

// decision asks for one and decodes it.
func (r *rig) decision(t testing.TB, body string) Decision {
	t.Helper()
	status, text := r.ask(t, "POST", "/v1/decide", body)
	var d Decision
	if err := json.Unmarshal([]byte(text), &d); status != http.StatusOK || err != nil {
		t.Fatalf("status %d, %s", status, text)
	}
	return d
}

// step is a request of an application of job a on 2 executors of 1 slot, with so many tasks of its first stage done.
func step(app string, nowS float64, mapped int) string {
	return fmt.Sprintf(
		`{"app":%q,"job":"a","now_s":%g,"deadline_s":80,"executors":2,"slots":1,"max_executors":8,"stages":[`+
			`{"id":3,"name":"map at job.py:3","tasks":20,"done":%d,"submitted":true}]}`,
		app,
		nowS,
		mapped,
	)
}

func TestPaths(t *testing.T) {
	r := newRig(t, nil)
	// With 2 tokens 50 s remain at the start, half as long and half longer: p50 is 50, the largest 75. Half-way (from 2
	// to 4
	// tokens, 50 and 25 s) it is 37.5.
	batch := `{"queries":[{"job":"a","progress":0,"tokens":3,"quantile":0.5},{"job":"x","progress":0,"tokens":1},` +
		`{"job":"a","tokens":3}]}`
	for _, test := range []struct {
		method, path, body string
		status             int
		want               []string
	}{
		{"GET", "/v1/jobs", "", 200, []string{`"job":"a"`, `"job":"b/c"`, `"generation":1`, `"failed":[]`}},
		{"GET", "/v1/tables/b%2Fc", "", 200, []string{`"job":"b/c"`, `"allocations":[1,2,4,8]`, `"slack":1.05`}},
		{"GET", "/v1/remaining?job=a&progress=0&tokens=2", "", 200, []string{`"p50":50,`, `"max":75`, `"clamped":false`}},
		{"GET", "/v1/remaining?job=a&progress=0&tokens=0.5", "", 200, []string{`"p50":200,`, `"clamped":true`}},
		{"GET", "/v1/remaining?job=a&progress=0&tokens=9", "", 200, []string{`"p50":12.5,`, `"clamped":true`}},
		{"GET", "/v1/remaining?job=a&progress=0&tokens=2&quantile=0.5&elapsed_s=0.25", "", 200,
			[]string{`"p50":49.75`}},
		{"GET", "/v1/remaining?progress=0&tokens=2", "", 400, []string{"job: want the name of a job"}},
		{"GET", "/v1/remaining?job=x&progress=0&tokens=2", "", 404, []string{"GET /v1/jobs lists all"}},
		{"POST", "/v1/remaining", batch, 200, []string{`"p50":37.5`, `"error":"no table`,
			`"error":"progress: want 0 to 1"`}},
		{"POST", "/v1/decide", step("x", 0, 0), 200, []string{`"hold":false`, `"progress":0`, `"end_s":50,`}},
		{"POST", "/v1/decide/batch", `{"decisions":[` + step("y", 0, 0) + `,{"app":"z","job":"q","now_s":0}]}`, 200,
			[]string{`"app":"y"`, `"error":"no table`}},
		{"GET", "/v1/apps", "", 200, []string{`"app":"x"`, `"app":"y"`}},
		{"POST", "/v1/admit", `{"tokens":8,"jobs":[{"job":"a","deadline_s":100},{"job":"b/c","deadline_s":10}]}`, 200,
			[]string{`"fits":true`, `"fits":false`}},
		{"DELETE", "/v1/apps/x", "", 200, []string{`"ended":true`}},
		{"DELETE", "/v1/apps/x", "", 404, []string{"no control loop"}},
		{"GET", "/healthz", "", 200, []string{"ok"}},
		{"GET", "/readyz", "", 200, []string{"ok"}},
		{"GET", "/metrics", "", 200, []string{`racecard_decisions_total{result="decide"} 2`, "racecard_generation 1",
			"racecard_apps 1"}},
		{"GET", "/openapi.json", "", 200, []string{`"openapi": "3.1.0"`, "/v1/decide"}},
		{"GET", "/v1/tables/..%2F..%2Fetc%2Fpasswd", "", 404, []string{"no table"}},
		{"GET", "/nope", "", 404, []string{"openapi.json"}},
		{"PUT", "/v1/jobs", "{}", 405, []string{"no method PUT, but GET, HEAD"}},
		{"DELETE", "/v1/remaining", "", 405, []string{"GET, HEAD, POST"}},
		{"GET", "/v1/apps/x", "", 405, []string{"but DELETE"}},
	} {
		status, text := r.ask(t, test.method, test.path, test.body)
		for _, want := range test.want {
			if status != test.status || !strings.Contains(text, want) {
				t.Errorf(
					"%s %s: status %d, %s; want %d with %s",
					test.method,
					test.path,
					status,
					text,
					test.status,
					want,
				)
			}
		}
	}
}

// A deadline and bounds that a later request leaves out stay as they were; the first request must state a deadline.
func TestWhatLaterRequestsLeaveOut(t *testing.T) {
	r := newRig(t, nil)
	if status, text := r.ask(t, "POST", "/v1/decide", `{"app":"x","job":"a","now_s":0,"progress":0}`); status != 400 ||
		!strings.Contains(text, "deadline_s") {
		t.Errorf("status %d, %s", status, text)
	}
	first := r.decision(t, `{"app":"x","job":"a","now_s":0,"deadline_s":20,"slots":4,"min_tokens":5,"max_tokens":6,"progress":0}`)
	later := r.decision(t, `{"app":"x","job":"a","now_s":1,"slots":4,"progress":0}`)
	if later.DeadlineS != 20 || later.Executors != first.Executors || first.Executors != 1 {
		t.Errorf("%+v, then %+v", first, later)
	}
}

// An answer that holds keeps the executors that the application has, however it states them: none are taken away.
func TestHeldExecutors(t *testing.T) {
	r := newRig(t, nil)
	ask := func(app, held string) Decision {
		body := fmt.Sprintf(`{"app":%q,"job":"a","now_s":%%d,"deadline_s":80,"slots":2,"max_executors":6%s%%s}`,
			app, held)
		r.decision(t, fmt.Sprintf(body, 5, `,"stages":[{"id":3,"name":"map at job.py:3","tasks":20,"done":2,"submitted":true}]`))
		return r.decision(t, fmt.Sprintf(body, 7, "")) // progress is not known any more
	}
	for held, want := range map[string]int{`,"held":5`: 3, `,"executors":3`: 3, `,"executors":3,"held":5`: 3} {
		if d := ask("app"+held, held); !d.Hold || d.Executors != want {
			t.Errorf("%s: %+v, want %d executors held", held, d, want)
		}
	}
	if d := ask("app", ""); !d.Hold || d.Executors < 1 {
		t.Errorf("%+v, want the executors that were asked for last", d)
	}
}

// Tables are the files that were published, byte by byte.
func TestTableFiles(t *testing.T) {
	r := newRig(t, nil)
	x, err := tablefile.ReadIndex(os.DirFS(r.dir))
	if err != nil {
		t.Fatal(err)
	}
	for kind, name := range map[string]string{arrowType: x.Tables[0].File, parquetType: x.Tables[0].Parquet} {
		want, err := os.ReadFile(filepath.Join(r.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if status, got := r.ask(t, "GET", "/v1/tables/a", "", "Accept", kind); status != 200 || got != string(want) {
			t.Errorf("%s: status %d, %d bytes, want %d", kind, status, len(got), len(want))
		}
	}
	if status, _ := r.ask(t, "GET", "/v1/tables/a", "", "Accept", arrowType, "If-None-Match", `"`+x.Tables[0].SHA256+
		`"`); status != http.StatusNotModified {
		t.Errorf("a table that the client has: status %d", status)
	}
}

func TestRefusals(t *testing.T) {
	r := newRig(t, func(o *Options) { o.MaxBody, o.MaxBatch, o.MaxApps = 4096, 2, 2 })
	r.decision(t, step("first", 0, 0))
	for _, test := range []struct {
		name, method, path, body string
		status                   int
		want                     string
	}{
		{"another job", "POST", "/v1/decide", strings.Replace(step("first", 0, 0), `"job":"a"`, `"job":"b/c"`, 1), 409,
			"another job"},
		{"unknown job", "POST", "/v1/decide", strings.Replace(step("x", 0, 0), `"job":"a"`, `"job":"q"`, 1), 404,
			"no table"},
		{"no name", "POST", "/v1/decide", step("", 0, 0), 400, "app:"},
		{"no UTF-8", "POST", "/v1/decide", strings.Replace(step("x", 0, 0), `"x"`, "\"\xff\"", 1), 400, "app: want a name in UTF-8"},
		{"half of a character", "POST", "/v1/decide", strings.Replace(step("x", 0, 0), `"x"`, `"\ud800"`, 1), 400, "in UTF-8"},
		{"cut off", "POST", "/v1/decide", `{"app":"x`, 400, "body:"},
		{"unknown field", "POST", "/v1/decide", `{"application":"x"}`, 400, "unknown field"},
		{"two documents", "POST", "/v1/decide", step("x", 0, 0) + "{}", 400, "more than one"},
		{"no text", "POST", "/v1/decide", `{"app":7}`, 400, "body: app is a JSON number; want a string"},
		{"no number", "POST", "/v1/decide", `{"now_s":"1"}`, 400, "now_s is a JSON string; want a number"},
		{"half a token", "POST", "/v1/decide", `{"held":3.5}`, 400, "held is a JSON number 3.5; want a whole number"},
		{"no list", "POST", "/v1/decide/batch", `{"decisions":{}}`, 400, "decisions is a JSON object; want an array"},
		{"no document", "POST", "/v1/decide", `[]`, 400, "the document is a JSON array; want an object"},
		{"time below 0", "POST", "/v1/decide", step("x", -1, 0), 400, "now_s"},
		{"no time", "POST", "/v1/decide", `{"app":"x","job":"a","deadline_s":9,"progress":0.5}`, 400, "now_s"},
		{"deadline far away", "POST", "/v1/decide", strings.Replace(step("x", 0, 0), "80", "1e300", 1), 400,
			"deadline_s"},
		{"bounds of tokens and executors", "POST", "/v1/decide",
			`{"app":"x","job":"a","now_s":0,"deadline_s":9,"min_executors":3,"slots":2,"max_tokens":4}`, 400, "more than the most"},
		{"bounds", "POST", "/v1/decide", `{"app":"x","job":"a","now_s":0,"deadline_s":9,"min_executors":5,"max_executors":2}`,
			400, "more than the most"},
		{"too large", "POST", "/v1/decide", `{"app":"` + strings.Repeat("x", 5000) + `"}`, 413, "too large"},
		{"large batch", "POST", "/v1/remaining", `{"queries":[{},{},{}]}`, 413, "3 queries"},
		{"progress", "GET", "/v1/remaining?job=a&progress=NaN&tokens=1", "", 400, "progress"},
		{"tokens", "GET", "/v1/remaining?job=a&progress=0&tokens=Inf", "", 400, "tokens"},
		{"parameter", "GET", "/v1/remaining?job=a&progress=0&tokens=1&path=/etc", "", 400, "no parameter"},
		{"parameter twice", "GET", "/v1/remaining?job=a&progress=0&progress=1&tokens=1", "", 400, "progress is there 2"},
		{"semicolon", "GET", "/v1/remaining?job=a&progress=0&tokens=1&elapsed_s=300;since_s=0", "", 400, "parameters"},
		{"escape", "GET", "/v1/remaining?job=a&progress=0&tokens=1&elapsed_s=3%", "", 400, "parameters"},
		{"elapsed time", "GET", "/v1/remaining?job=a&progress=0&tokens=1&elapsed_s=1e9", "", 400, "0 to 864000000"},
		{"admission of nothing", "POST", "/v1/admit", `{"tokens":1,"jobs":[]}`, 400, "at least one"},
	} {
		status, text := r.ask(t, test.method, test.path, test.body)
		var p Problem
		if err := json.Unmarshal([]byte(text), &p); err != nil || status != test.status || p.Status != status ||
			!strings.Contains(p.Detail, test.want) {
			t.Errorf("%s: status %d, %s; want %d with %q", test.name, status, text, test.status, test.want)
		}
	}
	if status, text := r.ask(t, "POST", "/v1/decide", step("x", 0, 0), "Content-Type", "text/plain"); status != 415 {
		t.Errorf("a form of another site: status %d, %s", status, text)
	}
	r.decision(t, step("second", 0, 0))
	if status, text := r.ask(t, "POST", "/v1/decide", step("third", 0, 0)); status != 429 {
		t.Errorf("a third application of two: status %d, %s", status, text)
	}
}

func TestCredentials(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	c, err := parseCredentials(
		[]byte("# ours\n\n0123456789abcdef read\nfedcba9876543210 read,decide 2026-11-22T13:00:00Z\n"),
	)
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *Options) { o.Credentials, o.Now = &c, func() time.Time { return now } })
	for _, test := range []struct {
		token, method, path string
		after               time.Duration
		want                int
	}{
		{"", "GET", "/v1/jobs", 0, 401},
		{"Bearer 0123456789abcdee", "GET", "/v1/jobs", 0, 401},
		{"Bearer ", "GET", "/v1/jobs", 0, 401},
		{"Basic 0123456789abcdef", "GET", "/v1/jobs", 0, 401},
		{"Bearer 0123456789abcdef", "GET", "/v1/jobs", 0, 200},
		{"bearer 0123456789abcdef", "GET", "/v1/jobs", 0, 200},
		{"Bearer0123456789abcdef", "GET", "/v1/jobs", 0, 401},
		{"Bearer 0123456789abcdef", "GET", "/metrics", 0, 200},
		{"Bearer 0123456789abcdef", "POST", "/v1/decide", 0, 403},
		{"Bearer fedcba9876543210", "POST", "/v1/decide", 0, 200},
		{"Bearer fedcba9876543210", "POST", "/v1/decide", time.Hour, 401},
		{"", "GET", "/healthz", 0, 200},
		{"", "GET", "/readyz", 0, 200},
	} {
		now = now.Add(test.after)
		body := ""
		if test.method == "POST" {
			body = step("x", 0, 0)
		}
		if status, text := r.ask(t, test.method, test.path, body, "Authorization", test.token); status != test.want {
			t.Errorf("%q %s %s: status %d, want %d: %s", test.token, test.method, test.path, status, test.want, text)
		}
		now = now.Add(-test.after)
	}
	for _, bad := range []string{"", "short read", "0123456789abcdef", "0123456789abcdef write",
		"0123456789abcdef read tomorrow"} {
		if _, err := parseCredentials([]byte(bad)); err == nil || strings.Contains(err.Error(), "0123456789abcdef") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestRestore: a server that starts again decides as one that never stopped, whatever line its journal broke off in.
func TestRestore(t *testing.T) {
	var journal memory
	first := newRig(t, func(o *Options) { o.Journal = &journal })
	for k := range 6 {
		first.decision(t, step("x", float64(10*k), k))
	}
	first.decision(t, step("gone", 0, 0))
	first.ask(t, "DELETE", "/v1/apps/gone", "")
	kept := journal.String()

	again := rigOf(t, first.dir, nil)
	restored, broken, err := again.Restore(
		strings.NewReader(kept[:len(kept)/2] + "\n" + kept[:0] + `{"event":` + "\n" + kept[:0]),
	)
	if err != nil || restored != 1 || broken != 2 {
		t.Errorf("a journal that is cut off: %d restored, %d broken, %v", restored, broken, err)
	}
	again = rigOf(t, first.dir, nil)
	if restored, broken, err := again.Restore(strings.NewReader(kept)); err != nil || restored != 1 || broken != 0 {
		t.Fatalf("%d restored, %d broken, %v; want one application and no broken line", restored, broken, err)
	}
	for k := 6; k < 9; k++ {
		want, got := first.decision(t, step("x", float64(10*k), k)), again.decision(t, step("x", float64(10*k), k))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("after a restart %+v, want %+v", got, want)
		}
	}
	if d := again.decision(t, step("x", 90, 9)); d.Slower <= 1 || d.Steps != 10 {
		t.Errorf("a loop that has learned nothing: %+v", d)
	}
	late := rigOf(t, first.dir, func(o *Options) { o.Now = func() time.Time { return time.Now().Add(48 * time.Hour) } })
	if restored, _, err := late.Restore(strings.NewReader(kept)); err != nil || restored != 0 {
		t.Errorf("two days later: %d restored, %v", restored, err)
	}
}

// The bounds of a run may change with every request, also in the journal; one that is left out stays as it was.
func TestBoundsChange(t *testing.T) {
	var journal memory
	r := newRig(t, func(o *Options) { o.Journal = &journal })
	for i, c := range []struct {
		bounds                string
		fewest, most, allowed int // tokens, executors
	}{
		{``, 1, 8, 8},
		{`,"max_tokens":5,"slots":4`, 1, 5, 1},
		{``, 1, 5, 5},
		{`,"max_executors":2`, 1, 2, 2},
		{`,"min_tokens":4,"max_tokens":6`, 4, 6, 6},
		{`,"max_tokens":3`, 3, 3, 3},
		{`,"max_tokens":8`, 3, 8, 8},
		{`,"max_tokens":4,"max_executors":3`, 3, 3, 3},
		{`,"max_tokens":4,"max_executors":3,"slots":2`, 3, 4, 2},
	} {
		d := r.decision(t, fmt.Sprintf(`{"app":"x","job":"a","now_s":%d,"deadline_s":1,"progress":0%s}`, i, c.bounds))
		if d.Tokens < c.fewest || d.Tokens > c.most || d.Executors > c.allowed || d.Tokens != c.most {
			t.Errorf("%s: %d tokens, %d executors; want %d tokens, at most %d executors", c.bounds, d.Tokens, d.Executors,
				c.most, c.allowed)
		}
		if d.MinTokens != c.fewest || d.MaxTokens != c.most {
			t.Errorf("%s: the answer states bounds of %d to %d tokens, want %d to %d", c.bounds, d.MinTokens, d.MaxTokens,
				c.fewest, c.most)
		}
		if d.PeriodS <= 0 {
			t.Errorf("%s: the next decision after %v s", c.bounds, d.PeriodS)
		}
	}
	for bounds, want := range map[string]string{
		`,"min_executors":7`:                   "at least 7 tokens, and 4 at most, as an earlier request",
		`,"min_executors":2,"slots":3`:         "at least 6 tokens, and 4 at most, as an earlier request",
		`,"min_executors":7,"max_executors":6`: "are more than the most",
	} {
		status, text := r.ask(t, "POST", "/v1/decide", `{"app":"x","job":"a","now_s":9,"deadline_s":70,"progress":0`+bounds+`}`)
		if status != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("%s: status %d, %s; want an error with %q", bounds, status, text, want)
		}
	}
	if d := r.decision(t, `{"app":"x","job":"a","now_s":9,"progress":0}`); d.DeadlineS != 1 || d.Tokens != 4 ||
		d.Executors != 4 {
		t.Errorf("after requests that were refused: %+v, want the deadline and bounds as they were", d)
	}
	// Without a stated bound the largest allocation of the table is the most, and gives way to a larger least number.
	for i, c := range []struct {
		bounds string
		tokens int
	}{{``, 8}, {`,"min_executors":3,"slots":4`, 12}, {`,"min_tokens":1`, 8}} {
		if d := r.decision(t, fmt.Sprintf(`{"app":"free","job":"a","now_s":%d,"deadline_s":1,"progress":0%s}`, i,
			c.bounds)); d.Tokens != c.tokens {
			t.Errorf("%s: %d tokens, want %d", c.bounds, d.Tokens, c.tokens)
		}
	}
	runs, _, err := ReadRuns(strings.NewReader(journal.String()))
	if err != nil || len(runs) != 2 {
		t.Fatal(len(runs), err)
	}
	tables, err := live.Open(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	same, err := runs[0].Replay(tables.Current().Table("a"), live.Goal{})
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range same {
		if d.Tokens != runs[0].Records[i].Tokens {
			t.Errorf("replayed decision %d: %d tokens, were %d", i, d.Tokens, runs[0].Records[i].Tokens)
		}
	}
	if d := r.decision(t, `{"app":"late","job":"a","now_s":0,"deadline_s":-1,"progress":0}`); d.PeriodS <= 0 {
		t.Errorf("a deadline that is over: the next decision after %v s", d.PeriodS)
	}
}

// memory is a journal in memory.
type memory struct{ bytes.Buffer }

func (m *memory) Size() int64 { return int64(m.Len()) }

func (m *memory) Rotate(first []byte) error {
	m.Reset()
	_, err := m.Write(first)
	return err
}

// A server that drains says so, answers all the same, and keeps no connection: its end would cut a request off. That it
// is not ready is no error for the log.
func TestDrain(t *testing.T) {
	log := &lockedBuffer{}
	r := newRig(t, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(log, nil)) })
	for _, draining := range []bool{false, true} {
		a, err := http.Post(r.url+"/v1/decide", jsonType, strings.NewReader(step("x", 0, 0)))
		if err != nil || a.StatusCode != http.StatusOK || a.Close != draining {
			t.Errorf("draining %t: %v, %v", draining, a, err)
		}
		a.Body.Close()
		r.Drain()
	}
	if status, _ := r.ask(t, "GET", "/readyz", ""); status != 503 {
		t.Errorf("readyz says %d", status)
	}
	if strings.Contains(log.String(), "level=ERROR") {
		t.Error(log)
	}
}

// Every answer is counted, also those that no route gives.
func TestEveryAnswerIsCounted(t *testing.T) {
	r := newRig(t, func(o *Options) { o.LocalOnly, o.MaxBody = true, 4096 })
	want := map[string]int{}
	for _, q := range []struct{ method, path, host, body, counted string }{
		{"GET", "/healthz", "", "", `code="200",route="GET /healthz"`},
		{"GET", "/healthz", "evil.example", "", `code="403",route="other"`},
		{"GET", "/nope", "", "", `code="404",route="other"`},
		{"PUT", "/v1/jobs", "", "{}", `code="405",route="other"`},
		{"GET", "//v1/jobs", "", "", `code="307",route="GET /v1/jobs"`},
		{"GET", "/v1/tables/x", "", "", `code="404",route="GET /v1/tables/{job}"`},
		{"POST", "/v1/decide", "", strings.Repeat(" ", 5000), `code="413",route="POST /v1/decide"`},
		{"POST", "/v1/decide", "LOCALHOST:80", "{", `code="400",route="POST /v1/decide"`},
	} {
		for range 3 {
			request, err := http.NewRequest(q.method, r.url+q.path, strings.NewReader(q.body))
			if err != nil {
				t.Fatal(err)
			}
			request.Host = q.host
			request.Header.Set("Content-Type", jsonType)
			a, err := http.DefaultTransport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			a.Body.Close()
			want[q.counted]++
		}
	}
	_, text := r.ask(t, "GET", "/metrics", "")
	for counted, n := range want {
		if line := fmt.Sprintf("racecard_http_requests_total{%s} %d\n", counted, n); !strings.Contains(text, line) {
			t.Errorf("no %s", line)
		}
	}
}

// Health checks of load balancers speak HTTP/1.0 and name no host; pages in browsers always do.
func TestNoHost(t *testing.T) {
	r := newRig(t, func(o *Options) { o.LocalOnly = true })
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.0 200 OK") {
		t.Errorf("%s, %v", answer, err)
	}
}

// The description has every field of every document, and every reference leads somewhere.
func TestOpenAPI(t *testing.T) {
	r := newRig(t, nil)
	_, text := r.ask(t, "GET", "/openapi.json", "")
	var doc struct {
		Paths      map[string]map[string]any
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Paths) != 12 {
		t.Errorf("%d paths", len(doc.Paths))
	}
	for schema, field := range map[string]string{"DecideRequest": "max_executors", "Decision": "risk",
		"LiveStage": "submitted", "RemainingStage": "work_s",
		"BatchOfRemaining": "answers", "AdmitAnswer": "jobs", "LiveAdmitted": "granted_tokens"} {
		if doc.Components.Schemas[schema].Properties[field] == nil {
			t.Errorf("schema %s has no %s", schema, field)
		}
	}
	for rest := text; ; {
		_, after, found := strings.Cut(rest, `#/components/schemas/`)
		if !found {
			break
		}
		name, next, _ := strings.Cut(after, `"`)
		if _, ok := doc.Components.Schemas[name]; !ok {
			t.Errorf("no schema %s", name)
		}
		rest = next
	}
}

// FuzzDecide: whatever a body holds the server answers, and lives.
func FuzzDecide(f *testing.F) {
	f.Add(step("x", 3, 4))
	f.Add(`{"decisions":[` + step("x", 3, 4) + `]}`)
	f.Add(`{"queries":[{"job":"a","progress":0.5,"tokens":2}]}`)
	f.Add(`{"tokens":3,"jobs":[{"job":"a","deadline_s":9,"start_s":-4,"worth":2}],"arrange":true}`)
	f.Add(`{"app":"x","job":"a","now_s":1,"deadline_s":-5,"done":[0.5,2],"held":3}`)
	r := newRig(f, func(o *Options) { o.AdmitTime = 100 * time.Millisecond })
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/v1/decide", "/v1/decide/batch", "/v1/remaining", "/v1/admit"} {
			q := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
			q.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			r.ServeHTTP(w, q)
			if w.Code >= 500 || !json.Valid(w.Body.Bytes()) {
				t.Fatalf("%s: status %d, %s", path, w.Code, w.Body)
			}
		}
	})
}

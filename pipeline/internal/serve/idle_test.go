package serve

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// idleConnections is how many connections TestIdleConnections leaves idle, in a process of their own.
const idleConnections = 10_000

// TestMain is that process where the environment names an address.
func TestMain(m *testing.M) {
	address := os.Getenv("RACECARD_TEST_IDLE")
	if address == "" {
		os.Exit(m.Run())
	}
	open := make([]net.Conn, 0, idleConnections)
	for range idleConnections {
		c, err := net.Dial("tcp", address)
		if err != nil {
			fmt.Println(len(open), err)
			os.Exit(0)
		}
		if _, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			fmt.Println(len(open), err)
			os.Exit(0)
		}
		if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
			fmt.Println(len(open), err)
			os.Exit(0)
		}
		open = append(open, c)
	}
	fmt.Println(len(open))
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test is done
	runtime.KeepAlive(open)
	os.Exit(0)
}

// Ten thousand connections that were used once and are left idle keep nobody out, and cost little memory.
func TestIdleConnections(t *testing.T) {
	r := start(t, func(c *Config) { c.MaxConnections = idleConnections + 100 })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	before := inUse()
	idle := exec.Command(self)
	idle.Env = append(os.Environ(), "RACECARD_TEST_IDLE="+strings.TrimPrefix(r.url, "http://"))
	hold, err := idle.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := idle.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := idle.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		hold.Close()
		_ = idle.Wait() // ends when its input does
	}()
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if line = strings.TrimSpace(line); line != fmt.Sprint(idleConnections) {
		if strings.Contains(line, "too many open files") {
			t.Skipf("this system opens fewer files: %s", line)
		}
		t.Fatalf("opened %s of %d connections", line, idleConnections)
	}
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{}}
	for range 100 {
		a, err := client.Get(r.url + "/v1/jobs")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, a.Body) // to use the connection again
		a.Body.Close()
		if a.StatusCode != http.StatusOK {
			t.Fatal(a.Status)
		}
	}
	each := (inUse() - before) / idleConnections
	t.Logf("%d bytes of heap and stacks per idle connection", each)
	if each > 64<<10 {
		t.Errorf("%d bytes per idle connection, want at most 64 KiB", each)
	}
}

// More connections than may be open, used once and left idle, shut out no new ones: those that are idle for longest make
// room. A request that is under way is answered.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	const most = 10
	r := start(t, func(c *Config) { c.MaxConnections = most })
	dial := func(request string) (net.Conn, *bufio.Reader) {
		t.Helper()
		c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if err := c.SetDeadline(time.Now().Add(bodyTime)); err != nil { // before the server gives up
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		return c, bufio.NewReader(c)
	}
	const get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
	const post = "POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
		"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
	under, answer := dial(post)
	if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "100") {
		t.Fatal(line, err)
	}
	for k := range 3 * most {
		_, idle := dial(get)
		if line, err := idle.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
			t.Fatalf("connection %d, of %d at once: %q, %v", k, most, line, err)
		}
	}
	if _, err := io.WriteString(under, "{}"); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(io.LimitReader(answer, 40))
	if err != nil || !strings.Contains(string(rest), "400 Bad Request") {
		t.Errorf("the request that was under way: %q, %v", rest, err)
	}
}

func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse) //nolint:gosec // far below 2^63
}

// A clock that is stepped back neither forgets control loops nor makes them decide for the past.
func TestClockSteppedBack(t *testing.T) {
	now := time.Date(2026, 3, 29, 3, 0, 0, 0, time.UTC)
	r := newRig(t, func(o *Options) { o.Now, o.IdleApp, o.MaxApps = func() time.Time { return now }, time.Hour, 1 })
	if code, body := r.ask(t, http.MethodPost, "/v1/decide", step("x", 20, 4)); code != http.StatusOK {
		t.Fatal(code, body)
	}
	now = now.Add(-48 * time.Hour)
	if code, body := r.ask(t, http.MethodPost, "/v1/decide", step("x", 10, 4)); code != http.StatusOK ||
		!strings.Contains(body, `"now_s":20`) {
		t.Errorf("a run whose own clock went back from 20 s to 10 s: %d %s, want the answer at 20 s", code, body)
	}
	if code, _ := r.ask(t, http.MethodPost, "/v1/decide", step("y", 0, 0)); code != http.StatusTooManyRequests &&
		code != http.StatusServiceUnavailable {
		t.Errorf("another run beyond the most at once: %d, want it refused: the first is not idle", code)
	}
}

// A time that cannot be right is refused, with the reason, and does not stick; runs may be simulated.
func TestTimesOfTheRun(t *testing.T) {
	now := time.Date(2026, 3, 29, 3, 0, 0, 0, time.UTC)
	r := newRig(t, func(o *Options) { o.Now = func() time.Time { return now } })
	for _, c := range []struct {
		passes time.Duration
		nowS   float64
		status int
		want   string
	}{
		{0, 500_000, 200, `"now_s":500000,`}, // a driver may ask late for the first time
		{5 * time.Second, 500_005, 200, `"now_s":500005,`},
		{time.Second, 500_006 + 3700, 400, "500005 at the last decision, 1s ago; want at most 503606 seconds"},
		{0, 8e8, 400, "too far from 500005"},
		{time.Second, 500_007, 200, `"now_s":500007,`},
		{0, 503_600, 200, `"now_s":503600,`}, // simulated: no time has passed
		{2 * time.Hour, 510_799, 200, `"now_s":510799,`},
		{time.Second, 510_740, 200, `"now_s":510799,`}, // a clock that was set back
		{time.Second, 30, 409, "another name, or DELETE"},
		{-48 * time.Hour, 510_802, 200, `"now_s":510802,`},
	} {
		now = now.Add(c.passes)
		if status, text := r.ask(t, "POST", "/v1/decide", step("x", c.nowS, 4)); status != c.status ||
			!strings.Contains(text, c.want) {
			t.Errorf("now_s %v, %v later: status %d, %s; want %d with %s", c.nowS, c.passes, status, text, c.status, c.want)
		}
	}
	r.ask(t, "DELETE", "/v1/apps/x", "")
	if d := r.decision(t, step("x", 30, 4)); d.NowS != 30 || d.Steps != 1 {
		t.Errorf("a run that begins again: %+v", d)
	}
}

// A control loop without requests ends, in the journal, too; one that is asked stays.
func TestIdleApps(t *testing.T) {
	now := time.Date(2026, 3, 29, 3, 0, 0, 0, time.UTC)
	var journal memory
	r := newRig(t, func(o *Options) { o.Now, o.Journal = func() time.Time { return now }, &journal })
	r.decision(t, step("gone", 0, 0))
	r.decision(t, step("here", 0, 0))
	now = now.Add(40 * time.Minute)
	r.decision(t, step("here", 2400, 20))
	now = now.Add(20 * time.Minute)
	r.EndIdle() // both have an hour
	now = now.Add(time.Minute)
	r.EndIdle()
	if _, text := r.ask(t, "GET", "/v1/apps", ""); strings.Contains(text, `"gone"`) || !strings.Contains(text,
		`"idle_s":1260}`) {
		t.Errorf("%s, want the application that was asked 21 minutes ago", text)
	}
	if _, text := r.ask(t, "GET", "/metrics", ""); !strings.Contains(text, "racecard_idle_apps_total 1\n") ||
		!strings.Contains(text, "racecard_apps 1\n") {
		t.Error(text)
	}
	runs, _, err := ReadRuns(&journal.Buffer)
	if err != nil || len(runs) != 2 || !runs[0].Ended || runs[1].Ended {
		t.Errorf("%d runs, %v", len(runs), err)
	}

	served := start(t, func(c *Config) { c.Options.IdleApp = 20 * time.Millisecond })
	a, err := http.Post(served.url+"/v1/decide", jsonType, strings.NewReader(step("x", 0, 0)))
	if err != nil || a.StatusCode != http.StatusOK {
		t.Fatal(a, err)
	}
	a.Body.Close()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if strings.Contains(served.log.String(), "ended without requests") {
			return
		}
	}
	t.Errorf("nothing in the log: %s", served.log)
}

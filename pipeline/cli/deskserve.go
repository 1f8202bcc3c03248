package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"racecard/datasets/fault"
	"racecard/datasets/result"
	"racecard/models/deadlines/sim"
	"racecard/pipeline/internal/desk"
	desks "racecard/reports/desk"
)

// deskServer serves a desk on this machine. Jobs, runs and plans are read and simulated on request, one after the
// other.
type deskServer struct {
	store *deskStore
	page  []byte
	data  *desks.Data
	mu    sync.Mutex        // one request at a time: each may take all cores
	jobs  map[string][]byte // answers about jobs; guarded by mu
}

// mostAnswers bounds the cached answers about jobs.
const mostAnswers = 200

// serveDesk serves a desk until the context ends.
func (e *env) serveDesk(ctx context.Context, d *deskStore) error {
	host, _, err := net.SplitHostPort(d.plan.listen)
	if err != nil {
		return usageError{fmt.Errorf("--listen %s: want a host and port, such as 127.0.0.1:8080", d.plan.listen)}
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return usageError{fmt.Errorf("--listen %s: a desk is served on this machine only: want 127.0.0.1, ::1 or "+
			"localhost; --out writes a page to pass on", d.plan.listen)}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", d.plan.listen)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	server, err := newDeskServer(ctx, d)
	if err != nil {
		return err
	}
	url := "http://" + listener.Addr().String() + "/"
	if e.json {
		err = e.printJSON(servedDesk{url})
	} else {
		e.printf("%s\n", url)
		e.say("Ctrl-C ends it")
	}
	if err != nil {
		return err
	}
	web := &http.Server{Handler: server, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    slog.NewLogLogger(slog.NewTextHandler(e.stderr, nil), slog.LevelWarn)}
	go func() {
		defer fault.Trap()
		<-ctx.Done()
		_ = web.Close() // Serve returns the same error
	}()
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// newDeskServer reads the data of the first page.
func newDeskServer(ctx context.Context, d *deskStore) (*deskServer, error) {
	data, err := d.data(ctx, false)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := desks.Write(&b, data); err != nil {
		return nil, err
	}
	return &deskServer{store: d, page: b.Bytes(), data: data, jobs: map[string][]byte{}}, nil
}

// thisMachine reports whether a Host header names this machine. Other names that resolve here (DNS rebinding) are
// refused.
func thisMachine(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ServeHTTP implements [http.Handler].
func (s *deskServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer fault.Trap()
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case !thisMachine(r.Host):
		answer(w, http.StatusForbidden, failure("this page is for this machine only"))
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		answer(w, http.StatusMethodNotAllowed, failure("want GET"))
		return
	case r.Header.Get("Sec-Fetch-Site") == "cross-site":
		answer(w, http.StatusForbidden, failure("asked for by another site"))
		return
	}
	ask := map[string]func(context.Context, *http.Request) (any, error){"/job": s.job, "/run": s.run,
		"/plan": s.plan}[r.URL.Path]
	switch {
	case r.URL.Path == "/":
		h.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(s.page) // a browser that went away has all it needs
	case ask == nil:
		answer(w, http.StatusNotFound, failure("nothing is there"))
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		doc, err := ask(r.Context(), r)
		if err != nil {
			answer(w, http.StatusUnprocessableEntity, failure(plainWords(err.Error())))
			return
		}
		answer(w, http.StatusOK, doc)
	}
}

func failure(text string) map[string]string { return map[string]string{"error": text} }

// answer writes a document.
func answer(w http.ResponseWriter, status int, doc any) {
	data, err := json.Marshal(doc)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"the answer holds a number that JSON cannot"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // a browser that went away has all it needs
}

// asked returns the job of a request.
func (s *deskServer) asked(r *http.Request) (string, error) {
	name := r.URL.Query().Get("job")
	if !slices.Contains(s.data.Jobs.Job, name) {
		return "", errors.New("no such job")
	}
	return name, nil
}

// job returns the details of a job. It reads the runs of the job only.
func (s *deskServer) job(ctx context.Context, r *http.Request) (any, error) {
	name, err := s.asked(r)
	if err != nil {
		return nil, err
	}
	if known, ok := s.jobs[name]; ok {
		return json.RawMessage(known), nil
	}
	d := *s.store
	d.s = ofJob(s.store.s, name)
	only := map[string]bool{name: true}
	o := d.options(only, only)
	o.Kept, o.Explained = 1000, 12
	c := desk.New(o)
	for run, err := range d.e.eachRun(ctx, "read", d.s, d.path, fitted) {
		if err != nil {
			return nil, err
		}
		if isJob(run, false, name) {
			c.Add(run)
		}
	}
	data := &desks.Data{}
	data.Jobs.Job, data.Jobs.Risk = []string{name}, desks.Column{math.NaN()}
	if err := d.details(ctx, c, data); err != nil {
		return nil, err
	}
	out, err := json.Marshal(struct {
		Detail *desks.Detail `json:"detail"`
		Risk   result.Number `json:"risk"`
	}{data.Details[0], result.Number(data.Jobs.Risk[0])})
	if err != nil {
		return nil, err
	}
	if len(s.jobs) >= mostAnswers {
		clear(s.jobs)
	}
	s.jobs[name] = out
	return json.RawMessage(out), nil
}

// run explains a run.
func (s *deskServer) run(ctx context.Context, r *http.Request) (any, error) {
	name, err := s.asked(r)
	if err != nil {
		return nil, err
	}
	return s.store.e.explainRun(ctx, ofJob(s.store.s, name), s.store.path, chosenRun{id: r.URL.Query().Get("run")})
}

// plan simulates a day.
func (s *deskServer) plan(ctx context.Context, r *http.Request) (any, error) {
	if !s.store.unix {
		return nil, errors.New("times of this trace have no calendar")
	}
	cores, err := strconv.Atoi(r.URL.Query().Get("cores"))
	if err != nil || cores < 1 || cores > sim.MaxTokens {
		return nil, fmt.Errorf("cores %q: want a whole number from 1 on", r.URL.Query().Get("cores"))
	}
	args, err := shellSplit(r.URL.Query().Get("jobs"))
	if err != nil {
		return nil, err
	}
	if len(args) == 0 || len(args) > 50 {
		return nil, errors.New("want 1 to 50 jobs, such as nightly-index@07:00 audit@06:30")
	}
	day, err := s.store.planOn(ctx, args, cores)
	if err != nil {
		return nil, err
	}
	return &desks.Plan{Args: args, Days: []*result.Agenda{day}}, nil
}

// shellSplit splits words at spaces; names with spaces stand in quotes.
func shellSplit(text string) ([]string, error) {
	var out []string
	var word strings.Builder
	var quote rune
	begun := false
	for _, c := range text {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, begun = c, true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if begun {
				out = append(out, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if begun {
		out = append(out, word.String())
	}
	return out, nil
}

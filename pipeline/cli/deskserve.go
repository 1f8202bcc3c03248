package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"racecard/analyses/periods"
	"racecard/analyses/waste"
	"racecard/datasets/fault"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/models/deadlines/jobmodel"
	"racecard/pipeline/internal/desk"
	desks "racecard/reports/desk"
)

// deskServer serves a desk on this machine. The page begins with the times of runs, from columns of the tables of runs
// and allocations. The cores that runs held are read when the page asks for them. So are jobs, runs and plans, from the
// parts of the store that hold them, one after the other.
type deskServer struct {
	ctx     context.Context //nolint:containedctx // the overview outlives the question that begins it
	store   *deskStore
	page    []byte
	mu      sync.Mutex // one question at a time: each may take all cores; guards the fields below
	c       *desk.Collector
	both    *periods.Comparison // nil where jobs are not compared
	changed map[string]bool     // jobs whose causes are looked for
	jobs    map[string][]byte   // answers about jobs
	summary *deskSummary        // nil until it was asked for
}

// deskSummary is the overview of held resources. Its fields may be read when done is closed.
type deskSummary struct {
	done chan struct{}
	page *desks.Data
	data []byte // as JSON
	err  error
}

const (
	mostAnswers  = 200     // answers about jobs that a server keeps
	mostFound    = 500     // rows that a search returns
	mostAttempts = 200_000 // of a job, with which its runs are kept while it is answered for; else they are read twice
)

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
	ctx, cancel := context.WithCancel(ctx)
	server, err := newDeskServer(ctx, d)
	if err != nil {
		cancel()
		return err
	}
	defer server.wait()
	defer cancel()
	url := "http://" + listener.Addr().String() + "/"
	if e.printf("%s\n", url); !e.json {
		e.say("Ctrl-C ends it")
	}
	if err := e.printJSON(servedDesk{url}); err != nil {
		return err
	}
	e.quiet = true // answers are no progress
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
	s := &deskServer{ctx: ctx, store: d, c: desk.New(d.options(nil, nil)), changed: map[string]bool{},
		jobs: map[string][]byte{}}
	if err := s.times(ctx); err != nil {
		return nil, err
	}
	d.waste = &result.Waste{}
	data := d.header()
	data.Served, data.Pending, data.Today.Waste = true, true, &result.Waste{}
	s.c.Overview(data, d.changes(), nil, mostRows)
	d.today(data, &result.Check{})
	var b bytes.Buffer
	if err := desks.Write(&b, data); err != nil {
		return nil, err
	}
	s.page = b.Bytes()
	return s, nil
}

// times reads when runs were submitted and ended, and compares jobs before and after their own changes.
func (s *deskServer) times(ctx context.Context) error {
	d := s.store
	compared := d.comparing(d.s)
	if compared != nil {
		s.both = periods.New(compared.opts)
	}
	p := d.e.progress("read")
	defer p.done()
	part := 0
	for run, err := range runsAhead(ctx, d.s, allParts(d.s), jobmodel.PeerColumns(),
		func() { part++; p.count(part, d.s.Parts(), "parts") }) {
		if err != nil {
			return fmt.Errorf("%s: %w", d.path, err)
		}
		s.c.AddTimes(run, part)
		if compared == nil {
			continue
		}
		if period, ok := compared.period(0, run); ok {
			s.both.Add(period, run.JobName(false), run)
		}
	}
	if s.both == nil {
		return nil
	}
	changed, err := s.both.Changed(ctx)
	if err != nil {
		return err
	}
	for _, name := range changed {
		s.changed[name] = true
	}
	d.change, err = s.both.Finish(ctx) // without causes
	return err
}

// wait waits for an overview that is being read; the context of the server has ended.
func (s *deskServer) wait() {
	s.mu.Lock()
	began := s.summary
	s.mu.Unlock()
	if began != nil {
		<-began.done
	}
}

// overview returns the second part of the page: held resources, breached rules, warnings and causes. The first question
// reads the store, for all who ask.
func (s *deskServer) overview(ctx context.Context) (*deskSummary, error) {
	s.mu.Lock()
	mine := s.summary
	if mine == nil {
		mine = &deskSummary{done: make(chan struct{})}
		s.summary = mine
		go func() {
			defer fault.Trap()
			defer close(mine.done)
			mine.page, mine.err = s.summarize(s.ctx)
			if mine.err == nil {
				mine.data, mine.err = json.Marshal(mine.page)
			}
			if mine.err != nil { // the next question tries again
				s.mu.Lock()
				s.summary = nil
				s.mu.Unlock()
			}
		}()
	}
	s.mu.Unlock()
	select {
	case <-mine.done:
		return mine, mine.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// summarize reads the attempts of all runs, once for the analysis of their health and once for everything else.
func (s *deskServer) summarize(ctx context.Context) (*desks.Data, error) {
	d := s.store
	docs, err := d.analyze(ctx, "health")
	if err != nil {
		return nil, err
	}
	columns := append(slices.Clone(store.Projection(waste.Also())), "tasks.start", "tasks.end", "tasks.duration")
	if len(s.changed) > 0 {
		columns = append(columns, measured...)
	}
	compared := d.comparing(d.s)
	for run, err := range runsAhead(ctx, d.s, allParts(d.s), columns, nil) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.path, err)
		}
		s.use(compared, run)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.waste, err = s.c.Waste(ctx); err != nil {
		return nil, err
	}
	if s.both != nil {
		if d.change, err = s.both.Finish(ctx); err != nil {
			return nil, err
		}
	}
	out := d.header()
	out.Served = true
	if err := d.overview(ctx, s.c, out, docs); err != nil {
		return nil, err
	}
	s.both = nil // its runs are not looked at again
	clear(s.jobs)
	return out, nil
}

// use takes into account what a run held, and how the time of a changed job's run is divided.
func (s *deskServer) use(compared *comparing, run *trace.Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.c.AddUse(run)
	if name := run.JobName(false); s.changed[name] {
		if period, ok := compared.period(0, run); ok {
			s.both.Measure(context.Background(), period, name, run)
		}
	}
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
	ask := map[string]func(context.Context, *http.Request) (any, error){"/job": s.job, "/jobs": s.search,
		"/run": s.run, "/plan": s.plan}[r.URL.Path]
	switch {
	case r.URL.Path == "/":
		h.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(s.page) // a browser that went away has all it needs
	case r.URL.Path == "/overview":
		doc, err := s.overview(r.Context())
		if err != nil {
			answer(w, http.StatusUnprocessableEntity, failure(plainWords(err.Error())))
			return
		}
		answer(w, http.StatusOK, json.RawMessage(doc.data))
	case r.URL.Path == "/plain":
		page, err := s.plain(r)
		if err != nil {
			answer(w, http.StatusUnprocessableEntity, failure(plainWords(err.Error())))
			return
		}
		h.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page) // a browser that went away has all it needs
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

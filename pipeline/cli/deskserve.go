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

	"racecard/analyses/periods"
	"racecard/analyses/waste"
	"racecard/datasets/fault"
	"racecard/datasets/jobname"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/deadlines/sim"
	"racecard/pipeline/internal/desk"
	desks "racecard/reports/desk"
)

// deskServer serves a desk on this machine. The page begins with the times of runs, from columns of their table and of
// that of allocations. What they held is read when the page asks for it; jobs, runs and plans likewise, from the parts
// of the store that hold them, one after the other.
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
	data []byte
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
	if e.json {
		err = e.printJSON(servedDesk{url})
	} else {
		e.printf("%s\n", url)
		e.say("Ctrl-C ends it")
	}
	if err != nil {
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
func (s *deskServer) overview(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	mine := s.summary
	if mine == nil {
		mine = &deskSummary{done: make(chan struct{})}
		s.summary = mine
		go func() {
			defer fault.Trap()
			defer close(mine.done)
			mine.data, mine.err = s.summarize(s.ctx)
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
		return mine.data, mine.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// summarize reads the attempts of all runs, once for the analysis of their health and once for everything else.
func (s *deskServer) summarize(ctx context.Context) ([]byte, error) {
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
	return json.Marshal(out)
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
		answer(w, http.StatusOK, json.RawMessage(doc))
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
	if !s.c.Has(name) {
		return "", errors.New("no such job")
	}
	return name, nil
}

// of returns the store with only the parts that hold runs of jobs; whole if one of them is not known.
func (s *deskServer) of(jobs ...string) *store.Store {
	for i, name := range jobs {
		if !s.c.Has(name) {
			jobs[i] = jobname.Normalize(name)
		}
		if !s.c.Has(jobs[i]) {
			return s.store.s
		}
	}
	return s.store.s.Only(s.c.Parts(jobs...))
}

// foundJobs is the answer to a search: rows of the table of jobs.
type foundJobs struct {
	Matches int        `json:"matches"` // jobs of the store that match
	Jobs    desks.Jobs `json:"jobs"`    // the first of them
}

// search looks for jobs among all of the store: the page lists only some of many.
func (s *deskServer) search(_ context.Context, r *http.Request) (any, error) {
	values := r.URL.Query()
	if values.Has("job") {
		name, err := s.asked(r)
		if err != nil {
			return nil, err
		}
		return foundJobs{1, s.c.Row(name, s.store.changes())}, nil
	}
	q := desk.Query{Text: values.Get("q"), Most: 1}
	column, way, _ := strings.Cut(values.Get("sort"), ".")
	q.Sort, q.Down = column, way == "down"
	for key, to := range map[string]*int{"from": &q.From, "to": &q.To, "most": &q.Most} {
		if text := values.Get(key); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 {
				return nil, fmt.Errorf("%s %q: want a whole number", key, text)
			}
			*to = n
		}
	}
	q.Most = min(q.Most, mostFound)
	rows, matches := s.c.Search(q, s.store.changes())
	return foundJobs{matches, rows}, nil
}

// job returns the details of a job: only parts with its runs are read.
func (s *deskServer) job(ctx context.Context, r *http.Request) (any, error) {
	name, err := s.asked(r)
	if err != nil {
		return nil, err
	}
	if known, ok := s.jobs[name]; ok {
		return json.RawMessage(known), nil
	}
	d := *s.store
	d.s = ofJob(s.of(name), name)
	if d.change, err = s.changeOf(ctx, &d, name); err != nil {
		return nil, err
	}
	only := map[string]bool{name: true}
	o := d.options(only, only)
	o.Kept, o.Explained, o.Surprise = 1000, 12, s.c.Surprise
	c := desk.New(o)
	var kept []*trace.Run
	attempts := 0
	for run, err := range d.e.eachRun(ctx, "read", d.s, d.path, fitted) {
		if err != nil {
			return nil, err
		}
		if !isJob(run, false, name) {
			continue
		}
		c.Add(run)
		if attempts += len(run.Attempts); attempts <= mostAttempts {
			kept = append(kept, run.Clone())
		}
	}
	again := d.e.eachRun(ctx, "explain", d.s, d.path, measured)
	if attempts <= mostAttempts {
		again = func(yield func(*trace.Run, error) bool) {
			for _, run := range kept {
				if !yield(run, nil) {
					return
				}
			}
		}
	}
	data := &desks.Data{}
	data.Jobs.Job, data.Jobs.Risk = []string{name}, desks.Column{math.NaN()}
	if err := d.details(ctx, c, data, again); err != nil {
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

// changeOf returns the change of a job with its cause, for which its runs are read if the overview has not looked for
// it yet. d is the desk of the job's runs.
func (s *deskServer) changeOf(ctx context.Context, d *deskStore, name string) (*result.Comparison, error) {
	change := s.store.change
	if s.both == nil || !s.changed[name] {
		return change, nil
	}
	own, err := d.compare(ctx)
	if err != nil {
		return nil, err
	}
	out := &result.Comparison{}
	for i := range change.Jobs {
		if change.Jobs[i].Job == name {
			out.Jobs = append(out.Jobs, change.Jobs[i])
		}
	}
	for i := range own.Jobs {
		if own.Jobs[i].Job == name && len(out.Jobs) > 0 {
			out.Jobs[0].Cause = own.Jobs[i].Cause
		}
	}
	return out, nil
}

// run explains a run.
func (s *deskServer) run(ctx context.Context, r *http.Request) (any, error) {
	name, err := s.asked(r)
	if err != nil {
		return nil, err
	}
	return s.store.e.explainRun(ctx, ofJob(s.of(name), name), s.store.path, chosenRun{id: r.URL.Query().Get("run")})
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
	var names []string
	for _, text := range args {
		if j, err := parsePlanned(text); err == nil {
			names = append(names, j.name)
		}
	}
	d := *s.store
	d.s = s.of(names...)
	day, err := d.planOn(ctx, args, cores)
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

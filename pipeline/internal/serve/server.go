package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"racecard/pipeline/live"
)

// Options of a server.
type Options struct {
	Logger      *slog.Logger
	Credentials *Credentials     // nil: every request is allowed
	LocalOnly   bool             // answer only requests for a loopback host: keeps pages of other sites out
	Journal     Journal          // of decisions; nil: none
	JournalSize int64            // bytes at which the journal begins anew
	MaxBody     int64            // bytes of a request
	MaxBatch    int              // look-ups or decisions of a request
	MaxApps     int              // control loops at once
	IdleApp     time.Duration    // a control loop without requests for this long ends
	MaxAdmits   int              // concurrent searches for admissions
	AdmitTime   time.Duration    // timeout of one search
	Now         func() time.Time // the clock; nil: the system's
	Version     string           // of racecard
}

// DefaultOptions returns limits for a cluster of thousands of jobs.
func DefaultOptions() Options {
	return Options{
		Logger:      slog.New(slog.DiscardHandler),
		MaxBody:     4 << 20,
		MaxBatch:    1000,
		MaxApps:     10_000,
		IdleApp:     time.Hour,
		JournalSize: 64 << 20,
		MaxAdmits:   2,
		AdmitTime:   10 * time.Second,
		Version:     "unknown",
	}
}

// Server answers requests from tables. It is an [http.Handler].
type Server struct {
	o           Options
	tables      *live.Tables
	apps        apps
	journal     journal
	outage      outage // of the journal
	metrics     *metrics
	admits      chan struct{}
	draining    atomic.Bool
	credentials atomic.Pointer[Credentials]
	handler     http.Handler
	description []byte // the OpenAPI document
}

// New makes a server of tables.
func New(tables *live.Tables, o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{
		o:       o,
		tables:  tables,
		apps:    apps{byName: map[string]*app{}, most: o.MaxApps},
		journal: journal{to: o.Journal, most: o.JournalSize, open: map[string]*Record{}},
		admits:  make(chan struct{}, max(1, o.MaxAdmits)),
	}
	s.credentials.Store(o.Credentials)
	s.metrics = newMetrics(s)
	mux := http.NewServeMux()
	s.route(mux)
	s.handler = s.guard(mux)
	s.loaded()
	return s
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Drain makes /readyz fail, so that clients send no new work; requests are still answered.
func (s *Server) Drain() { s.draining.Store(true) }

// SetCredentials replaces the accepted tokens, for requests from now on.
func (s *Server) SetCredentials(c *Credentials) { s.credentials.Store(c) }

// Reload loads newly published tables. Errors are logged and counted; the current tables stay in use.
func (s *Server) Reload() error {
	changed, err := s.tables.Reload()
	switch {
	case err != nil:
		s.metrics.reloads.WithLabelValues("failed").Inc()
		s.o.Logger.Error("tables not reloaded", "error", err)
	case changed:
		s.metrics.reloads.WithLabelValues("changed").Inc()
		s.loaded()
	default:
		s.metrics.reloads.WithLabelValues("same").Inc()
	}
	return err
}

// loaded logs the generation that is served from now on.
func (s *Server) loaded() {
	g := s.tables.Current()
	s.o.Logger.Info("tables loaded", "generation", g.Number(), "tables", len(g.Jobs()), "failed", len(g.Failed()))
	for _, err := range g.Failed() {
		s.o.Logger.Error("table not served", "error", err)
	}
}

// Restore resumes the control loops of a journal from their last records. Applications that ended, were idle for long
// or have no table any more are left out. It returns the number of restored applications and of broken lines.
func (s *Server) Restore(r io.Reader) (restored, broken int, err error) {
	if broken, err = readJournal(r, s.journal.keep); err != nil {
		return 0, broken, err
	}
	g, oldest := s.tables.Current(), unix(s.o.Now().Add(-s.o.IdleApp))
	for _, name := range slices.Sorted(maps.Keys(s.journal.open)) {
		var one *app
		rec := s.journal.open[name]
		err := errors.New("without requests for long")
		if rec.At >= oldest {
			one, err = rec.resumed(g)
		}
		if err == nil {
			err = s.apps.add(name, one)
		}
		if err != nil {
			s.o.Logger.Info("control loop not resumed", "app", name, "reason", err)
			delete(s.journal.open, name)
		}
	}
	return s.apps.count(), broken, nil
}

// Listen limits of the connections of a server.
const (
	headerTime = 5 * time.Second
	bodyTime   = 15 * time.Second
	answerTime = 30 * time.Second
	idleTime   = 2 * time.Minute
	mostHeader = 16 << 10
)

// httpServer returns a server of connections for a handler, with limits on time, headers and connections.
func httpServer(h http.Handler, mostConnections int, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ConnState:         newConnections(mostConnections).changed,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       bodyTime,
		WriteTimeout:      answerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    mostHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// retryPeriods is how many periods of Watch pass before tables that could not be loaded are tried again.
const retryPeriods = 60

// Watch reloads the tables at first, whenever stamp, which describes the folder, changes, and on every signal, until
// ctx is done. If some tables could not be loaded, it tries again later, as the folder may be as it was and readable.
func (s *Server) Watch(ctx context.Context, every time.Duration, stamp func() string, signals <-chan struct{}) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	seen, failed, last := "", false, time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
		case <-tick.C:
			if stamp() == seen && (!failed || time.Since(last) <= retryPeriods*every) {
				continue
			}
		}
		seen, last = stamp(), time.Now()
		failed = s.Reload() != nil || len(s.tables.Current().Failed()) > 0 // logged
	}
}

// EndIdle ends the control loops that have had no request for Options.IdleApp: a run that failed, or whose client went
// away, never tells its end.
func (s *Server) EndIdle() {
	now := s.o.Now()
	for _, name := range s.apps.endIdle(now.Add(-s.o.IdleApp)) {
		s.metrics.idle.Inc()
		s.o.Logger.Info("control loop ended without requests", "app", name, "for", s.o.IdleApp.String())
		s.journalEnd(name, now)
	}
}

// idlePart is the share of Options.IdleApp by which the end of an idle control loop may be late, up to a minute.
const idlePart = 20

// watchIdle calls EndIdle until ctx is done.
func (s *Server) watchIdle(ctx context.Context) {
	tick := time.NewTicker(min(max(s.o.IdleApp/idlePart, time.Millisecond), time.Minute))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.EndIdle()
		}
	}
}

// errTooLarge is the error for a request above the limit on size.
var errTooLarge = errors.New("the request is too large")

// statusError is an error with its HTTP status.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

func refuse(status int, format string, args ...any) error {
	return &statusError{status, fmt.Errorf(format, args...)}
}

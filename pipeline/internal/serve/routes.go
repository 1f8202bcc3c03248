package serve

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"runtime/debug"
	"strings"
	"time"
)

// endpoints lists every path.
func (s *Server) endpoints() []endpoint {
	look := []string{"job*", "progress*", "tokens*", "quantile", "elapsed_s", "since_s"}
	metrics := func(w http.ResponseWriter, r *http.Request) error {
		s.metrics.handler().ServeHTTP(w, r)
		return nil
	}
	description := func(w http.ResponseWriter, _ *http.Request) error { return raw(w, jsonType, s.description) }
	alive := func(w http.ResponseWriter, _ *http.Request) error { return raw(w, "text/plain", []byte("ok\n")) }
	return []endpoint{
		{"GET /v1/jobs", ScopeRead, "Jobs that have a table", nil, nil, JobList{}, s.jobs},
		{"GET /v1/tables/{job}", ScopeRead, "The table of a job", nil, nil, TableInfo{}, s.table},
		{"GET /v1/remaining", ScopeRead, "Remaining time of a run, in seconds by quantile", look, nil, Remaining{},
			s.remaining},
		{"POST /v1/remaining", ScopeRead, "Look-ups that are all answered from one generation", nil, QueryBatch{},
			batchOf[Remaining]{}, s.remainingBatch},
		{"POST /v1/decide", ScopeDecide, "One step of the control loop of an application", nil, DecideRequest{},
			Decision{}, s.decide},
		{"POST /v1/decide/batch", ScopeDecide, "Steps of the control loops of several applications", nil,
			DecideBatch{}, batchOf[DecideAnswer]{}, s.decideBatch},
		{"GET /v1/apps", ScopeRead, "Applications with a control loop, and their last decisions", nil, nil, AppList{},
			s.listApps},
		{"DELETE /v1/apps/{app}", ScopeDecide, "End the control loop of an application", nil, nil, endedApp{}, s.endApp},
		{"POST /v1/admit", ScopeRead, "Whether jobs fit next to each other in so many tokens", nil, AdmitRequest{},
			admitAnswer{}, s.admit},
		{"GET /metrics", ScopeRead, "Metrics in the format of Prometheus", nil, nil, nil, metrics},
		{"GET /openapi.json", "", "This document", nil, nil, nil, description},
		{"GET /healthz", "", "Whether the process lives", nil, nil, nil, alive},
		{"GET /readyz", "", "Whether the server takes work", nil, nil, nil, s.ready},
	}
}

// route registers every path.
func (s *Server) route(mux *http.ServeMux) {
	all := s.endpoints()
	s.description = openAPI(s.o.Version, all)
	for _, e := range all {
		mux.Handle(e.pattern, s.handle(e.pattern, e.scope, e.do))
	}
	mux.Handle("/", s.handle("/", "", func(w http.ResponseWriter, r *http.Request) error {
		allowed := methods(mux, r)
		if allowed == "" {
			return refuse(http.StatusNotFound, "no such path; /openapi.json lists them")
		}
		w.Header().Set("Allow", allowed)
		return refuse(http.StatusMethodNotAllowed, "this path has no method %.20s, but %s", r.Method, allowed)
	}))
}

// methods lists the methods that the path of a request has, "" for none.
func methods(mux *http.ServeMux, r *http.Request) string {
	var all []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
		other := r.WithContext(r.Context())
		other.Method = method
		if _, pattern := mux.Handler(other); pattern != "/" {
			all = append(all, method)
		}
	}
	return strings.Join(all, ", ")
}

// recorder keeps the status of an answer, and the error that it tells.
type recorder struct {
	http.ResponseWriter
	status int
	err    error
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.ResponseWriter.Write(b)
}

// handle wraps a route: permission, limits and errors. A panic is answered with 500 and logged.
func (s *Server) handle(route string, scope Scope, do func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := s.permit(r, scope)
		if err == nil {
			err = s.protected(w, r, route, do)
		}
		if err != nil {
			s.fail(w, err)
		}
	})
}

func (s *Server) protected(w http.ResponseWriter, r *http.Request, route string,
	do func(http.ResponseWriter, *http.Request) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.o.Logger.Error("a fault in racecard", "route", route, "fault", p, "stack", string(debug.Stack()))
			err = refuse(http.StatusInternalServerError, "a fault in racecard; see its log")
		}
	}()
	r.Body = http.MaxBytesReader(w, r.Body, s.o.MaxBody)
	return do(w, r)
}

// permit checks a request against the credentials and the scope of a route.
func (s *Server) permit(r *http.Request, scope Scope) error {
	c := s.credentials.Load()
	if c == nil || scope == "" {
		return nil
	}
	switch status := c.check(r.Header.Get("Authorization"), scope, s.o.Now()); status {
	case 0:
		return nil
	case http.StatusForbidden:
		return refuse(status, "the token lacks the scope %q", scope)
	default:
		return refuse(status, "want a bearer token that is known and has not expired")
	}
}

// guard wraps every request: headers, metrics and the log. It refuses requests that a page of another site may have
// sent; a browser always names the host.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		begin, w := time.Now(), &recorder{ResponseWriter: to}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		if s.draining.Load() { // a request on a connection that is kept would meet its end
			w.Header().Set("Connection", "close")
		}
		if s.o.LocalOnly && r.Host != "" && !isLoopback(r.Host) {
			s.fail(w, refuse(http.StatusForbidden, "this server answers requests for a loopback address only"))
		} else {
			next.ServeHTTP(w, r)
		}
		s.observe(w, r, time.Since(begin))
	})
}

// observe counts and logs an answer. Faults are logged as errors; not to be ready is none.
func (s *Server) observe(w *recorder, r *http.Request, took time.Duration) {
	route := r.Pattern
	if route == "/" || route == "" {
		route = "other"
	}
	s.metrics.observe(route, w.status, took)
	level := s.o.Logger.Debug
	if w.status >= http.StatusInternalServerError && w.status != http.StatusServiceUnavailable {
		level = s.o.Logger.Error
	}
	level("request", "route", route, "status", w.status, "seconds", took.Seconds(), "from", r.RemoteAddr, "error", w.err)
}

// fail answers an error with a problem document.
func (s *Server) fail(to http.ResponseWriter, err error) {
	w, ok := to.(*recorder)
	if !ok {
		w = &recorder{ResponseWriter: to}
	}
	w.err = err
	if w.status != 0 {
		return // too late: part of the answer is sent
	}
	status := http.StatusBadRequest
	var known *statusError
	switch {
	case errors.As(err, &known):
		status = known.status
	case errors.As(err, new(*http.MaxBytesError)), errors.Is(err, errTooLarge):
		status = http.StatusRequestEntityTooLarge
	case errors.Is(err, errNoTable):
		status = http.StatusNotFound
	case errors.Is(err, errOtherJob), errors.Is(err, errBack):
		status = http.StatusConflict
	case errors.Is(err, errCrowded):
		status = http.StatusTooManyRequests
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	doc, _ := json.Marshal(Problem{Title: http.StatusText(status), Status: status, Detail: err.Error()}) // cannot fail
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = w.Write(doc) // an error means that the client has gone
}

// read decodes the JSON body of a request, strictly.
func read(r *http.Request, into any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != jsonType {
		return refuse(http.StatusUnsupportedMediaType, "want Content-Type: application/json")
	}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return explain(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return refuse(http.StatusBadRequest, "more than one JSON document")
	}
	return nil
}

// explain turns an error of decoding into one for the client.
func explain(err error) error {
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return err
	case errors.As(err, &other):
		return refuse(http.StatusBadRequest, "body: %s is a JSON %s; want %s", cmp.Or(other.Field, "the document"),
			other.Value, wanted(other.Type))
	}
	return refuse(http.StatusBadRequest, "body: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// wanted names the JSON value of a type.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}

// answer writes a JSON document.
func answer(w http.ResponseWriter, doc any) error {
	data, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	return raw(w, jsonType, append(data, '\n'))
}

func raw(w http.ResponseWriter, kind string, data []byte) error {
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(data) // an error means that the client has gone
	return nil
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	switch g := s.tables.Current(); {
	case s.draining.Load():
		return refuse(http.StatusServiceUnavailable, "draining")
	case len(g.Jobs()) == 0:
		return refuse(http.StatusServiceUnavailable, "no table is served")
	}
	return raw(w, "text/plain", []byte("ok\n"))
}

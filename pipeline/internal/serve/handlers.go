package serve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"racecard/models/deadlines/jockey"
	"racecard/models/deadlines/sim"
	"racecard/pipeline/live"
)

func (s *Server) jobs(w http.ResponseWriter, _ *http.Request) error {
	g := s.tables.Current()
	list := JobList{Generation: g.Number(), Jobs: []JobInfo{}, Failed: []string{}}
	for _, job := range g.Jobs() {
		t := g.Table(job)
		a := t.About()
		arrow, parquet := t.Sums()
		list.Jobs = append(list.Jobs, JobInfo{Job: job, Generation: t.Generation(), Plan: a.Plan, Stages: a.Stages,
			Indicator: a.Indicator, Allocations: t.Allocations(), Runs: a.Runs, Synthetic: a.Synthetic, Arrow: arrow,
			Parquet: parquet})
	}
	for _, err := range g.Failed() {
		list.Failed = append(list.Failed, err.Error())
	}
	return answer(w, list)
}

// Media types of tables.
const (
	jsonType    = "application/json"
	arrowType   = "application/vnd.apache.arrow.file"
	parquetType = "application/vnd.apache.parquet"
)

func (s *Server) table(w http.ResponseWriter, r *http.Request) error {
	g := s.tables.Current()
	t := g.Table(r.PathValue("job"))
	if t == nil {
		return errNoTable
	}
	w.Header().Set("Vary", "Accept")
	arrow, parquet := t.Sums()
	var sum string
	var encode func() ([]byte, error)
	kind := accepted(r, jsonType, arrowType, parquetType)
	switch kind {
	case jsonType:
		return answer(w, TableInfo{Generation: t.Generation(), Allocations: t.Allocations(), About: t.About()})
	case arrowType:
		sum, encode = arrow, t.Arrow
	case parquetType:
		sum, encode = parquet, t.Parquet
	default:
		return refuse(http.StatusNotAcceptable, "Accept: there are %s, %s and %s", jsonType, arrowType, parquetType)
	}
	tag := strconv.Quote(sum)
	w.Header().Set("ETag", tag)
	if unchanged(r, tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	data, err := encode()
	if err != nil {
		return refuse(http.StatusInternalServerError, "%w", err)
	}
	return raw(w, kind, data)
}

// parseQuery reads a look-up from the parameters of an address.
func parseQuery(values url.Values) (Query, error) {
	q := Query{Job: values.Get("job")}
	numbers := map[string]func(float64){
		"progress": func(x float64) { q.Progress = &x }, "tokens": func(x float64) { q.Tokens = x },
		"quantile": func(x float64) { q.Quantile = &x }, "elapsed_s": func(x float64) { q.ElapsedS = &x },
		"since_s": func(x float64) { q.SinceS = &x },
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		set := numbers[name]
		switch {
		case set == nil && name != "job":
			return q, fmt.Errorf("%.40q is no parameter; there are job, progress, tokens, quantile, elapsed_s and since_s",
				name)
		case len(values[name]) > 1:
			return q, fmt.Errorf("%s is there %d times", name, len(values[name]))
		case set == nil:
			continue
		}
		x, err := strconv.ParseFloat(values.Get(name), 64)
		if err != nil {
			return q, fmt.Errorf("%s: want a number", name)
		}
		set(x)
	}
	return q, nil
}

// levels are the quantiles of an answer, by their names.
var levels = []struct {
	name string
	q    float64
}{{"p50", .5}, {"p75", .75}, {"p90", .9}, {"p95", .95}, {"p99", .99}, {"max", 1}}

// lookUp answers one look-up.
func lookUp(g *live.Generation, q *Query) (*Remaining, error) {
	t := g.Table(q.Job)
	switch {
	case q.Job == "":
		return nil, errors.New("job: want the name of a job; GET /v1/jobs lists all")
	case t == nil:
		return nil, errNoTable
	case q.Progress == nil || !(*q.Progress >= 0 && *q.Progress <= 1):
		return nil, fmt.Errorf("progress: want 0 to 1")
	case !(q.Tokens > 0 && q.Tokens <= sim.MaxTokens):
		return nil, fmt.Errorf("tokens: want a number above 0, at most %d", sim.MaxTokens)
	case q.Quantile != nil && !(*q.Quantile >= 0 && *q.Quantile <= 1):
		return nil, fmt.Errorf("quantile: want 0 to 1")
	case q.ElapsedS != nil && !(*q.ElapsedS >= 0 && *q.ElapsedS <= mostSeconds):
		return nil, fmt.Errorf("elapsed_s: want seconds, 0 to %d", mostSeconds)
	case q.SinceS != nil && (q.ElapsedS == nil || !(*q.SinceS >= 0 && *q.SinceS <= *q.ElapsedS)):
		return nil, fmt.Errorf("since_s: want at least 0, at most elapsed_s")
	}
	at := func(level float64) float64 {
		if q.ElapsedS == nil {
			return t.Remaining(*q.Progress, q.Tokens, level)
		}
		state := live.State{Progress: *q.Progress, ElapsedS: *q.ElapsedS, SinceS: math.NaN()}
		if q.SinceS != nil {
			state.SinceS = *q.SinceS
		}
		return t.Conditioned(state, q.Tokens, level)
	}
	grid := t.Allocations()
	out := &Remaining{
		Job:             t.Job(),
		Generation:      g.Number(),
		TableGeneration: t.Generation(),
		RemainingS:      map[string]float64{},
		Clamped:         q.Tokens < float64(grid[0]) || q.Tokens > float64(grid[len(grid)-1]),
	}
	if q.Quantile != nil {
		out.RemainingS["p"+strconv.FormatFloat(100**q.Quantile, 'g', 6, 64)] = at(*q.Quantile)
		return out, nil
	}
	for _, l := range levels {
		out.RemainingS[l.name] = at(l.q)
	}
	return out, nil
}

func (s *Server) remaining(w http.ResponseWriter, r *http.Request) error {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return fmt.Errorf("the parameters of the address: %w", err)
	}
	q, err := parseQuery(values)
	if err != nil {
		return err
	}
	out, err := lookUp(s.tables.Current(), &q)
	if err != nil {
		return err
	}
	s.metrics.lookups.Inc()
	return answer(w, out)
}

func (s *Server) remainingBatch(w http.ResponseWriter, r *http.Request) error {
	var b QueryBatch
	if err := read(r, &b); err != nil {
		return err
	}
	if len(b.Queries) > s.o.MaxBatch {
		return fmt.Errorf("%d queries, at most %d are taken: %w", len(b.Queries), s.o.MaxBatch, errTooLarge)
	}
	g := s.tables.Current()
	out := make([]Remaining, len(b.Queries))
	for i := range b.Queries {
		found, err := lookUp(g, &b.Queries[i])
		if err != nil {
			found = &Remaining{Job: b.Queries[i].Job, Generation: g.Number(), Error: err.Error()}
		}
		out[i] = *found
	}
	s.metrics.lookups.Add(float64(len(out)))
	return answer(w, batchOf[Remaining]{g.Number(), out})
}

// decideOne takes one step of one application, and journals it.
func (s *Server) decideOne(q *DecideRequest, g *live.Generation) (*Decision, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	now := s.o.Now()
	least, most := q.bounds()
	goal := live.Goal{DeadlineS: q.DeadlineS, MinTokens: least, MaxTokens: most}
	one, err := s.apps.get(g, q.App, q.Job, goal, now)
	if err != nil {
		return nil, err
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	d, err := one.step(q, g, now)
	if err != nil {
		return nil, err
	}
	result := "decide"
	if d.Hold {
		result = "hold"
	}
	s.metrics.decisions.WithLabelValues(result).Inc()
	s.keep(one.record(q))
	return d, nil
}

func (s *Server) decide(w http.ResponseWriter, r *http.Request) error {
	var q DecideRequest
	if err := read(r, &q); err != nil {
		return err
	}
	d, err := s.decideOne(&q, s.tables.Current())
	if err != nil {
		return err
	}
	return answer(w, d)
}

func (s *Server) decideBatch(w http.ResponseWriter, r *http.Request) error {
	var b DecideBatch
	if err := read(r, &b); err != nil {
		return err
	}
	if len(b.Decisions) > s.o.MaxBatch {
		return fmt.Errorf("%d decisions, at most %d are taken: %w", len(b.Decisions), s.o.MaxBatch, errTooLarge)
	}
	g := s.tables.Current()
	out := make([]DecideAnswer, len(b.Decisions))
	for i := range b.Decisions {
		d, err := s.decideOne(&b.Decisions[i], g)
		if out[i].Decision = d; err != nil {
			out[i].Error = err.Error()
		}
	}
	return answer(w, batchOf[DecideAnswer]{g.Number(), out})
}

func (s *Server) listApps(w http.ResponseWriter, _ *http.Request) error {
	list, now := AppList{Apps: []AppInfo{}}, s.o.Now()
	for _, name := range s.apps.names() {
		if one := s.apps.named(name); one != nil {
			one.mu.Lock()
			if one.last != nil {
				list.Apps = append(list.Apps, AppInfo{one.last, max(0, now.Sub(one.asked)).Seconds()})
			}
			one.mu.Unlock()
		}
	}
	return answer(w, list)
}

func (s *Server) endApp(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("app")
	if !s.apps.end(name) {
		return refuse(http.StatusNotFound, "no control loop of that application")
	}
	s.journalEnd(name, s.o.Now())
	return answer(w, endedApp{name, true})
}

// journalEnd journals the end of a control loop.
func (s *Server) journalEnd(name string, now time.Time) {
	s.keep(&Record{At: unix(now), Event: EventEnd, App: name})
}

// keep journals a record. Of errors in a row, as on a full disk, it logs the first, every other one, and the end.
func (s *Server) keep(rec *Record) {
	err := s.journal.append(rec)
	if err != nil {
		s.metrics.unwritten.Inc()
	}
	switch fresh, lost := s.outage.note(err); {
	case err != nil && fresh:
		s.o.Logger.Error("journal not written; decisions go on", "app", rec.App, "error", err)
	case err == nil && lost > 0:
		s.o.Logger.Info("journal is written again", "lost", lost)
	}
}

// outage follows errors in a row.
type outage struct {
	mu   sync.Mutex
	text string // of the last error; "" while there is none
	lost int    // errors up to now
}

// note takes the outcome of one more attempt. It reports whether it is another error than the last one. After a
// success, lost is the number of errors in a row before it.
func (o *outage) note(err error) (fresh bool, lost int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err == nil {
		lost, o.lost, o.text = o.lost, 0, ""
		return false, lost
	}
	fresh = o.text != err.Error()
	o.lost++
	o.text = err.Error()
	return fresh, 0
}

func (s *Server) admit(w http.ResponseWriter, r *http.Request) error {
	var q AdmitRequest
	if err := read(r, &q); err != nil {
		return err
	}
	switch {
	case q.Tokens < 1 || q.Tokens > sim.MaxTokens || q.MaxTokens < 0 || q.MaxTokens > sim.MaxTokens:
		return fmt.Errorf("tokens: want 1 to %d", sim.MaxTokens)
	case len(q.Jobs) == 0:
		return fmt.Errorf("jobs: want at least one")
	case len(q.Jobs) > s.o.MaxBatch:
		return fmt.Errorf("%d jobs, at most %d are taken: %w", len(q.Jobs), s.o.MaxBatch, errTooLarge)
	}
	for i, j := range q.Jobs {
		if !(math.Abs(j.DeadlineS) <= mostSeconds && math.Abs(j.StartS) <= mostSeconds && j.Progress >= 0 &&
			j.Progress <= 1 && j.Worth >= 0 && j.Worth <= 1e9) {
			return fmt.Errorf("jobs[%d]: want times of at most %d s, a progress of 0 to 1 and a worth of 0 to 1e9", i,
				mostSeconds)
		}
	}
	select {
	case s.admits <- struct{}{}:
		defer func() { <-s.admits }()
	default:
		return refuse(http.StatusTooManyRequests, "too many admissions at once: try again")
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.o.AdmitTime)
	defer cancel()
	o := jockey.DefaultOptions()
	if o.Max = q.MaxTokens; o.Max == 0 {
		o.Max = q.Tokens
	}
	g := s.tables.Current()
	for _, j := range q.Jobs {
		if g.Table(j.Job) == nil {
			return fmt.Errorf("%.100q: %w", j.Job, errNoTable)
		}
	}
	a, err := g.Admit(ctx, jockey.Cluster{Tokens: q.Tokens, Options: o}, q.Jobs, q.Arrange)
	if err != nil {
		return err
	}
	return answer(w, admitAnswer{g.Number(), a})
}

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"racecard/datasets/glob"
	"racecard/datasets/jobname"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/models/deadlines/sim"
	"racecard/pipeline/internal/desk"
	desks "racecard/reports/desk"
)

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

// plain returns the whole page for readers without scripts, with the details of one job where it is asked for.
func (s *deskServer) plain(r *http.Request) ([]byte, error) {
	done, err := s.overview(r.Context())
	if err != nil {
		return nil, err
	}
	data := *done.page
	if r.URL.Query().Has("job") {
		s.mu.Lock()
		defer s.mu.Unlock()
		name, err := s.asked(r)
		if err != nil {
			return nil, err
		}
		detail, risk, err := s.detail(r.Context(), name)
		if err != nil {
			return nil, err
		}
		at := slices.Index(data.Jobs.Job, name)
		if at < 0 { // it is not listed
			data.Jobs, at = s.c.Row(name, s.store.changes()), 0
		}
		data.Details = make([]*desks.Detail, len(data.Jobs.Job))
		data.Details[at], data.Jobs.Risk = detail, slices.Clone(data.Jobs.Risk)
		data.Jobs.Risk[at] = risk
	}
	var b bytes.Buffer
	err = desks.Write(&b, &data)
	return b.Bytes(), err
}

// job returns the details of a job as JSON.
func (s *deskServer) job(ctx context.Context, r *http.Request) (any, error) {
	name, err := s.asked(r)
	if err != nil {
		return nil, err
	}
	if known, ok := s.jobs[name]; ok {
		return json.RawMessage(known), nil
	}
	detail, risk, err := s.detail(ctx, name)
	if err != nil {
		return nil, err
	}
	out, err := json.Marshal(struct {
		Detail *desks.Detail `json:"detail"`
		Risk   result.Number `json:"risk"`
	}{detail, result.Number(risk)})
	if err != nil {
		return nil, err
	}
	if len(s.jobs) >= mostAnswers {
		clear(s.jobs)
	}
	s.jobs[name] = out
	return json.RawMessage(out), nil
}

// detail returns the details of a job, and the chance that it misses its deadline: only parts with its runs are read.
func (s *deskServer) detail(ctx context.Context, name string) (*desks.Detail, float64, error) {
	d := *s.store
	d.s = ofJob(s.of(name), name)
	var err error
	if d.change, err = s.changeOf(ctx, &d, name); err != nil {
		return nil, 0, err
	}
	only := map[string]bool{name: true}
	o := d.options(only, only)
	o.Kept, o.Explained, o.Surprise = 1000, 12, s.c.Surprise
	c := desk.New(o)
	var kept []*trace.Run
	attempts := 0
	for run, err := range d.e.eachRun(ctx, "read", d.s, d.path, fitted) {
		if err != nil {
			return nil, 0, err
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
		return nil, 0, err
	}
	return data.Details[0], data.Jobs.Risk[0], nil
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
	tokens, err := strconv.Atoi(r.URL.Query().Get("tokens"))
	if err != nil || tokens < 1 || tokens > sim.MaxTokens {
		return nil, fmt.Errorf("tokens %q: want a whole number from 1 on", r.URL.Query().Get("tokens"))
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
	if !slices.ContainsFunc(names, glob.IsPattern) {
		d.s = s.of(names...)
	}
	plan, err := d.planOf(ctx, args, s.c)
	if err != nil {
		return nil, err
	}
	day, err := plan(tokens)
	if err != nil {
		return nil, err
	}
	return &desks.Plan{Args: args, Unit: day.Unit(), Days: []*result.Agenda{day}}, nil
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

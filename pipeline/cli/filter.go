package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // --timezone works where the machine has no time zones

	"github.com/spf13/pflag"

	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/pipeline/internal/quantity"
)

// runFilter is the flags that choose runs of a store. Points in time are kept as text: some are relative to the store.
type runFilter struct {
	since, until, zone  string
	jobs, users, groups []string
}

// filterFlags declares the flags that choose runs, which every command that reads a store has. Commands whose --job
// chooses one job to work on declare that themselves and pass false.
func (e *env) filterFlags(f *pflag.FlagSet, job bool) {
	const at = "2026-10-30, 2026-10-30T05:00, 7d before the last instant of the trace, or +7d after its first"
	parsedBy(f, &e.runs.since, "since", "time", utcPoint, "only runs submitted at or after this: "+at)
	parsedBy(f, &e.runs.until, "until", "time", utcPoint, "only runs submitted before this, written likewise")
	if job {
		f.StringSliceVar(&e.runs.jobs, "job", nil, "only runs of this job; may be given again")
	}
	f.StringSliceVar(&e.runs.users, "user", nil, "only runs of this user; may be given again")
	f.StringSliceVar(&e.runs.groups, "group", nil, "only runs of this group; may be given again")
	e.zoneFlag(f)
}

// zoneFlag declares the flag for the time zone of dates and clock times.
func (e *env) zoneFlag(f *pflag.FlagSet) {
	parsedBy(f, &e.runs.zone, "timezone", "zone", location, "time zone of dates and clock times, such as "+
		"Europe/Berlin; UTC when left out")
}

// openStore opens the store at a path, for the runs that the flags choose.
func (e *env) openStore(path string) (*store.Store, error) {
	s, err := openStore(path)
	if err != nil {
		return nil, err
	}
	f, err := e.runs.filter(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	e.sayZone(s)
	if f.IsAll() {
		return s, nil
	}
	whole := s
	s = s.Where(f)
	chosen, all, err := s.Selected()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if chosen == 0 {
		hint, err := e.unmatched(whole, path)
		if err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: none of %s match %s%s%s", path, words.Of(all, "run", "runs"),
			strings.Join(e.runs.given(), " "), hint, e.runs.divided())
	}
	if err := e.warnMissing(whole, path); err != nil {
		return nil, err
	}
	e.say("%s: %s of %s match %s", path, words.Count(chosen), words.Of(all, "run", "runs"), strings.Join(e.runs.given(),
		" "))
	return s, nil
}

// given lists the flags that choose runs, as they were given.
func (r *runFilter) given() []string {
	var out []string
	add := func(name, value string) {
		if value != "" {
			out = append(out, "--"+name+" "+words.Shell(value))
		}
	}
	add("since", r.since)
	add("until", r.until)
	names := func(name string, all []string) {
		if len(all) > 0 {
			add(name, quoteCSV(all))
		}
	}
	names("job", r.jobs)
	names("user", r.users)
	names("group", r.groups)
	add("timezone", r.zone)
	return out
}

// unmatched tells which names are nearest to the first given one that no run of a store has, or where its times are.
func (e *env) unmatched(s *store.Store, path string) (string, error) {
	missing, err := e.missing(s, path)
	switch {
	case err != nil:
		return "", err
	case len(missing) > 0:
		return missing[0].hint, nil
	case e.runs.since+e.runs.until == "":
		return "", nil
	}
	return fmt.Sprintf("; see `racecard inspect %s` for times", words.Shell(path)), nil
}

// missingName is a name given with a flag that no run of a store has, and a hint at the names that there are.
type missingName struct{ flag, name, hint string }

// missing returns the given names that no run of a store has.
func (e *env) missing(s *store.Store, path string) (out []missingName, err error) {
	r, named := &e.runs, store.Projection{"jobs.name", "jobs.job", "jobs.user", "jobs.group"}
	for _, given := range []struct {
		flag, what string
		names      []string
		of         func(*trace.Run) string
	}{
		{"job", "name", r.jobs, func(run *trace.Run) string { return run.JobName(false) }},
		{"user", "user", r.users, func(run *trace.Run) string { return run.User }},
		{"group", "group", r.groups, func(run *trace.Run) string { return run.Group }},
	} {
		if len(given.names) == 0 {
			continue
		}
		seen, read := map[string]int{}, map[string]bool{}
		for run, err := range e.eachRun(context.Background(), "find", s, path, named) {
			if err != nil {
				return nil, err
			}
			seen[strings.Clone(given.of(run))]++
			read[strings.Clone(run.Name)] = given.flag == "job"
		}
		delete(seen, "")
		for _, name := range given.names {
			if seen[name] > 0 || read[name] {
				continue
			}
			hint := "; no run has a " + given.what
			if len(seen) > 0 {
				hint = nearest(name, seen)
			}
			out = append(out, missingName{given.flag, name, hint})
		}
	}
	return out, nil
}

// warnMissing warns of given names that no run of a store has, where runs have others that were given with them.
func (e *env) warnMissing(s *store.Store, path string) error {
	if max(len(e.runs.jobs), len(e.runs.users), len(e.runs.groups)) < 2 {
		return nil
	}
	missing, err := e.missing(s, path)
	for _, m := range missing {
		fmt.Fprintf(e.stderr, "warning: %s: no run matches --%s %s%s%s\n", path, m.flag, words.Shell(m.name),
			words.Printable(m.hint), e.runs.divided())
	}
	return err
}

// divided tells how one name with a comma is written, if a list of names was given; "" otherwise.
func (r *runFilter) divided() string {
	for _, f := range []struct {
		name string
		all  []string
	}{{"job", r.jobs}, {"user", r.users}, {"group", r.groups}} {
		if len(f.all) > 1 {
			return fmt.Sprintf("; one name with a comma is written --%s %s", f.name,
				words.Shell(quoteCSV([]string{strings.Join(f.all, ",")})))
		}
	}
	return ""
}

// filter resolves the flags for a store.
func (r *runFilter) filter(s *store.Store) (f trace.Filter, err error) {
	f = trace.Filter{Since: trace.None, Until: trace.None, Jobs: r.jobs, Users: r.users, Groups: r.groups}
	f.Zone = r.location()
	for _, p := range []struct {
		name, text string
		to         *trace.Instant
	}{{"since", r.since, &f.Since}, {"until", r.until, &f.Until}} {
		if p.text == "" {
			continue
		}
		if *p.to, err = pointIn(s, p.text, f.Zone); err != nil {
			return f, fmt.Errorf("--%s %s: %w", p.name, p.text, err)
		}
	}
	if f.Since.Known() && f.Until.Known() && f.Since >= f.Until {
		return f, usageError{fmt.Errorf("--since %s is not before --until %s", r.since, r.until)}
	}
	return f, nil
}

// pointIn returns the instant in a store that a text stands for.
func pointIn(s *store.Store, text string, zone *time.Location) (trace.Instant, error) {
	p, err := parsePoint(text, zone)
	if err != nil {
		return trace.None, err
	}
	from, to := s.Span()
	switch {
	case p.date && s.Manifest().TimeBase != source.TimeBaseUnix:
		return trace.None, errors.New("the trace has no calendar: want a time relative to it, such as +2h after its " +
			"first instant or 2h before its last")
	case p.date:
		return p.at, nil
	case !from.Known():
		return trace.None, errors.New("the trace has no times")
	case p.after:
		return from + p.at, nil
	}
	return to - p.at, nil
}

// point is a point in time as written: a date, or a distance from an end of the trace.
type point struct {
	at    trace.Instant // or a distance, in microseconds
	date  bool
	after bool // a distance from the first instant, not from the last
}

// pointLayouts are the forms of dates, without and with a zone of their own.
var pointLayouts = []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04:05", time.DateTime,
	time.RFC3339}

// parsePoint reads a point in time. Dates without a zone of their own are in the given one.
func parsePoint(text string, zone *time.Location) (point, error) {
	text = strings.TrimSpace(text)
	for _, layout := range pointLayouts {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return point{at: trace.Instant(t.UnixMicro()), date: true}, nil
		}
	}
	distance, after := strings.CutPrefix(text, "+")
	r := quantity.Range{Unit: quantity.Duration, High: 36500 * day}
	s, err := r.Parse(distance)
	if err != nil {
		return point{}, errors.New("want a date or time, such as 2026-10-30 or 2026-10-30T05:00, a duration before " +
			"the last instant of the trace, such as 7d, or +7d after its first")
	}
	return point{at: trace.Instant(s * 1e6), after: after}, nil
}

func utcPoint(text string) (point, error) { return parsePoint(text, time.UTC) }

// sayZone says in which zone the header of a trace has its clock times, where no --timezone is given: then they are in
// UTC.
func (e *env) sayZone(s *store.Store) {
	if e.runs.zone != "" || s.Manifest().TimeBase != source.TimeBaseUnix {
		return
	}
	if zone := statedZone(s.Manifest().Header); zone != "" {
		e.say("the header of the trace states the time zone %s: --timezone %[1]s takes dates and clock times there, not "+
			"in UTC", zone)
	}
}

// statedZone returns the time zone that a header of SWF states; "" where it is UTC or not known, or where several logs
// state different ones.
func statedZone(header []string) (zone string) {
	for _, line := range header {
		_, name, ok := strings.Cut(line, "TimeZoneString:")
		if !ok {
			continue
		}
		if name = strings.TrimSpace(name); zone != "" && name != zone {
			return ""
		}
		zone = name
	}
	if at, err := location(zone); err != nil || at.String() == "Local" || at.String() == time.UTC.String() {
		return ""
	}
	return zone
}

// location returns the time zone of clock times. The flag was checked.
func (r *runFilter) location() *time.Location {
	zone, _ := location(r.zone)
	return zone
}

// location returns a time zone; "" is UTC.
func location(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, errors.New("want the name of a time zone, such as Europe/Berlin or UTC")
	}
	return zone, nil
}

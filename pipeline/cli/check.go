package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"racecard/analyses/breach"
	"racecard/datasets/glob"
	"racecard/datasets/lists"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// The rules of check besides the rules of package breach.
const (
	ruleSlower  = "slower"
	ruleStale   = "stale"
	ruleDamaged = "damaged"
)

func checkCommand(e *env) *cobra.Command {
	var rulesFile, state, format, out, now string
	var deadlines []string
	var all bool
	format = "text"
	cmd := &cobra.Command{
		Use:   "check STORE",
		Short: "Hold a store against rules: exit status 4 where one is breached",
		Args:  exactly(1, "one store"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if e.json && cmd.Flags().Changed("format") && format != "json" {
				return usageError{fmt.Errorf("--json and --format %s contradict each other", format)}
			}
			if e.json {
				format = "json"
			}
			zone := e.runs.location()
			r, err := readRules(rulesFile, deadlines)
			if err != nil {
				return usageError{err}
			}
			r.breach.Zone, r.state = zone, state
			if r.now, err = momentOf(now, zone); err != nil {
				return usageError{fmt.Errorf("--now: %w", err)}
			}
			doc, err := e.check(cmd.Context(), args[0], r)
			if err != nil {
				return err
			}
			return e.checked(doc, format, out, r, all)
		},
	}
	f := cmd.Flags()
	f.StringVar(&rulesFile, "rules", "", "file of rules")
	f.StringSliceVar(&deadlines, "deadline", nil, "deadline of a job: nightly-index=07:00 for a clock time, "+
		"audit=45m after submission, '*=06:00' for all others; may be given again")
	f.StringVar(&state, "state", "", "file that keeps what was told, so that only what is new counts")
	choice(f, &format, "format", []string{"text", "json", "junit", "github", "prometheus"},
		"text, json, junit (XML), github (annotations) or prometheus (textfile)")
	f.BoolVar(&all, "all", false, "list all breaches as text, not the 10 worst of every rule")
	f.StringVarP(&out, "out", "o", "", "file to write the result to, in one step, instead of standard output")
	parsedBy(f, &now, "now", "time", func(text string) (time.Time, error) { return momentOf(text, time.UTC) },
		"the time by which data are stale: a date or time, or end for the last instant of the trace; the clock when "+
			"left out")
	e.filterFlags(f, true)
	return cmd
}

// momentOf reads --now: the zero time is the end of the trace.
func momentOf(text string, zone *time.Location) (time.Time, error) {
	switch text {
	case "":
		return time.Now(), nil
	case "end":
		return time.Time{}, nil
	}
	p, err := parsePoint(text, zone)
	if err != nil || !p.date {
		return time.Time{}, errors.New("want a date or time, such as 2026-10-30 or 2026-10-30T05:00, or end")
	}
	return time.UnixMicro(int64(p.at)), nil
}

// check applies rules to a store.
func (e *env) check(ctx context.Context, dir string, r *rules) (*result.Check, error) {
	known, err := readState(r.state)
	if err != nil {
		return nil, err
	}
	doc := &result.Check{Store: publish.Name(dir)}
	found, err := e.damage(ctx, dir, r)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 || r.readable { // a damaged store cannot be read
		more, err := e.breaches(ctx, dir, r)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	doc.Rules = r.names()
	found = slices.DeleteFunc(found, func(b result.Breach) bool {
		return slices.ContainsFunc(r.Ignore, func(pattern string) bool {
			return b.Job != "" && glob.Match(pattern, b.Job)
		})
	})
	same := func(b result.Breach) func(result.Breach) bool {
		return func(o result.Breach) bool { return o.Rule == b.Rule && o.Job == b.Job }
	}
	doc.Breaches, doc.Known, doc.Ended = []result.Breach{}, []result.Breach{}, []result.Breach{}
	for _, b := range found {
		if slices.ContainsFunc(known, same(b)) {
			doc.Known = append(doc.Known, b)
		} else {
			doc.Breaches = append(doc.Breaches, b)
		}
	}
	for _, b := range known {
		if !slices.ContainsFunc(found, same(b)) {
			doc.Ended = append(doc.Ended, b)
		}
	}
	return doc, nil
}

// damage applies the rule damaged.
func (e *env) damage(ctx context.Context, dir string, r *rules) ([]result.Breach, error) {
	r.readable = true
	if r.Damaged.off {
		return nil, nil
	}
	s, err := openStore(dir)
	if err == nil {
		err = s.Verify(ctx)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, context.Canceled):
		return nil, err
	case err != nil:
		if _, there := publish.Stat(publish.Join(dir, store.ManifestName)); there != nil {
			return nil, err // no store at all
		}
		r.readable = false
		return []result.Breach{{Rule: ruleDamaged, What: err.Error()}}, nil
	}
	m := s.Manifest()
	var out []result.Breach
	if n := lists.Total(m.Rejected); n > 0 && float64(n) > r.Damaged.value*float64(m.Read) {
		out = append(out, result.Breach{Rule: ruleDamaged, What: fmt.Sprintf("%s of %s were rejected; `racecard "+
			"inspect %s` shows them", words.Count(n), words.Of(m.Read, "record", "records"), dir)})
	}
	return out, nil
}

// breaches applies the rules about runs.
func (e *env) breaches(ctx context.Context, dir string, r *rules) ([]result.Breach, error) {
	s, err := e.openStore(dir)
	if err != nil {
		return nil, err
	}
	var out []result.Breach
	first, last := s.Span()
	if r.untimed = !last.Known(); r.untimed {
		e.say("%s: no run has a time: rules about times of runs do not apply", dir)
	}
	unix := s.Manifest().TimeBase == source.TimeBaseUnix
	if age := r.now.Sub(time.UnixMicro(int64(last))); !r.Stale.off && unix && last.Known() && !r.now.IsZero() &&
		age.Seconds() > r.Stale.value {
		out = append(out, result.Breach{Rule: ruleStale, What: "the last instant of the trace is " +
			words.Seconds(age.Seconds()) + " ago: " +
			time.UnixMicro(int64(last)).In(r.breach.Zone).Format("2006-01-02 15:04 MST")})
	}
	if !s.Has("jobs.name") {
		e.say("%s: runs have no names: rules about jobs do not apply", dir)
		return out, nil
	}
	if !unix && slices.ContainsFunc(r.clocks(), func(breach.Deadline) bool { return true }) {
		return nil, fmt.Errorf("%s has no calendar: want deadlines after submission, such as 45m", dir)
	}
	r.breach.First, r.breach.Last = first, last
	jobs := breach.New(r.breach)
	for run, err := range e.eachRun(ctx, "check", s, dir, breach.Needs()) {
		if err != nil {
			return nil, err
		}
		jobs.Add(run.JobName(false), run)
	}
	found, err := jobs.Breaches(ctx)
	if err != nil {
		return nil, err
	}
	out = append(slices.Concat(out, e.neverMet(dir, jobs)), found...)
	slower, err := e.slower(ctx, dir, s, r)
	return append(out, slower...), err
}

// neverMet returns a breach for every deadline of a job without runs, which may be misspelt. Where the flags choose
// runs, the job may be among the others: this is only said.
func (e *env) neverMet(dir string, jobs *breach.Jobs) (out []result.Breach) {
	r := e.runs
	r.zone = ""
	unknown, all := jobs.Unknown(), len(r.given()) == 0
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		what := words.Either(glob.IsPattern(name), "no job matches", "no run of this job") + nearest(name, jobs.Runs())
		if job := unknown[name]; job != "" {
			what = "runs of this name belong to the job " + words.Shorten(job, longName) + ": want its deadline"
		} else if jobs.Untimed(name) {
			what = "no run has a time of submission"
		}
		if !all {
			e.say("%s: the deadline of %s is not checked: %s", dir, words.Shorten(name, longName), what)
			continue
		}
		out = append(out, result.Breach{Rule: breach.Missed, Job: name, What: what})
	}
	return out
}

// slower applies the rule slower: jobs with a rise of the median at their likeliest change.
func (e *env) slower(ctx context.Context, dir string, s *store.Store, r *rules) ([]result.Breach, error) {
	if r.Slower.off || !s.Has("jobs.end") {
		return nil, nil
	}
	c := ownChanges(s, dir, 4)
	if from, _ := s.Span(); !from.Known() {
		return nil, nil
	}
	var zone *time.Location
	if c.opts.Unix {
		zone = cmp.Or(r.breach.Zone, time.UTC)
	}
	d := r.compared
	if d == nil {
		var err error
		if d, err = e.compare(ctx, c); err != nil {
			return nil, err
		}
	}
	var out []result.Breach
	for i := range d.Jobs {
		j := &d.Jobs[i]
		change := float64(j.Change)
		if !j.Changed || math.IsNaN(change) || change < r.Slower.value {
			continue
		}
		out = append(out, result.Breach{Rule: ruleSlower, Job: j.Job, What: fmt.Sprintf("median %s, was %s (%s); %s",
			words.Seconds(j.After.P50), words.Seconds(j.Before.P50), figure.SignedShare(change), why(&j.Cause, zone))})
	}
	return out, nil
}

// checked shows what a check found and keeps it. A new breach is an error.
func (e *env) checked(doc *result.Check, format, out string, r *rules, all bool) error {
	var b bytes.Buffer
	write := checkFormats[format]
	if format == "text" && all {
		write = checkAll
	}
	if err := write(&b, doc); err != nil {
		return err
	}
	switch {
	case out != "":
		if err := writeFile(out, b.Bytes()); err != nil {
			return err
		}
	case format == "json":
		if err := e.stdout.json(b.Bytes()); err != nil {
			return err
		}
	default:
		if _, err := e.stdout.Write(b.Bytes()); err != nil {
			return err
		}
	}
	if r.state != "" {
		if err := writeState(r.state, slices.Concat(doc.Breaches, doc.Known)); err != nil {
			return err
		}
	}
	if n := len(doc.Breaches); n > 0 {
		return refusedError{fmt.Errorf("%s: %s", doc.Store, words.Of(n, "new breach of a rule",
			"new breaches of rules"))}
	}
	return nil
}

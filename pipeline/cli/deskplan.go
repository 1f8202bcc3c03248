package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/models/deadlines/agenda"
	"racecard/models/limit"
	"racecard/models/queues/distributed"
	"racecard/models/queues/distributed/study"
	"racecard/pipeline/internal/desk"
	desks "racecard/reports/desk"
)

// A desk plans at most mostPlanned jobs, those with deadlines first. It simulates at most mostQueued task attempts
// under schedulers; the smallest cluster is busy for a share of mostBusy. Simulations with longer queues than mostLooks
// allows are left out.
const (
	mostPlanned = 8
	mostQueued  = 400_000
	mostBusy    = 0.9
	mostLooks   = 300_000_000
)

// planned returns the jobs of a desk's plan, as racecard plan takes them.
func (d *deskStore) planned(rows *desks.Data) []string {
	var due, rest []string
	for i, name := range rows.Jobs.Job {
		if i >= len(rows.Details) || rows.Details[i] == nil || rows.Details[i].Forecast == nil {
			continue
		}
		text, until := name, rows.Jobs.Due[i]
		if !strings.Contains(until, ":") { // which is no clock time
			until = ""
		}
		if until != "" || strings.Contains(name, "@") {
			text += "@" + until
		}
		if j, err := parsePlanned(text); err != nil || j.name != name {
			continue // a part of the name is a field of a plan, such as ,start=
		}
		if until != "" {
			due = append(due, text)
		} else {
			rest = append(rest, text)
		}
	}
	all := slices.Concat(due, rest)
	return all[:min(len(all), mostPlanned)]
}

// planDays simulates a day of the jobs of a desk on several numbers of tokens; nil if that is not possible. c has the
// runs of all jobs.
func (d *deskStore) planDays(ctx context.Context, rows *desks.Data, c *desk.Collector) (*desks.Plan, error) {
	args := d.planned(rows)
	if !d.unix || len(args) == 0 {
		return nil, nil
	}
	widest := 1
	for _, x := range rows.Details {
		if x != nil && x.Forecast != nil {
			widest = max(widest, x.Forecast.Tokens[x.Forecast.Usual])
		}
	}
	plan, err := d.planOf(ctx, args, c)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		d.e.say("no plan: %v", err)
		return nil, nil
	}
	first, err := plan(2 * widest)
	if err != nil {
		return nil, err
	}
	p := &desks.Plan{Args: args}
	sizes := []int{max(1, widest/2), widest, widest * 3 / 2, 2 * widest, 3 * widest}
	if first.Fewest > 0 && first.Due() {
		sizes = append(sizes, first.Fewest)
	}
	slices.Sort(sizes)
	for _, n := range slices.Compact(sizes) {
		day, err := plan(n)
		if err != nil {
			return nil, err
		}
		p.Days, p.Unit = append(p.Days, day), day.Unit()
	}
	return p, nil
}

// planOf returns a function that simulates a day of jobs on some tokens, as racecard plan does.
func (d *deskStore) planOf(ctx context.Context, args []string, c *desk.Collector) (
	func(tokens int) (*result.Agenda, error), error) {
	var planned []plannedJob
	for _, text := range args {
		j, err := parsePlanned(text)
		if err != nil {
			return nil, usageError{err}
		}
		planned = append(planned, j)
	}
	planned, notes, err := d.e.matched(ctx, d.s, d.path, planned, recurringRuns)
	if err != nil {
		return nil, err
	}
	planned, err = d.e.readPlanned(ctx, d.s, d.path, planned, mostRepeated,
		func() (*modelfile.Surprise, error) { return c.Surprise(), nil })
	if err != nil {
		return nil, err
	}
	planned, days, err := d.e.onDate(planned, "")
	if err != nil {
		return nil, err
	}
	notes = append(notes, days...)
	jobs, deadlines, err := d.e.arrange(planned, "")
	return func(tokens int) (*result.Agenda, error) {
		o := agenda.DefaultOptions()
		o.Tokens = tokens
		doc, err := d.e.plan(ctx, jobs, deadlines, o)
		if err == nil {
			doc.Warnings = append(doc.Warnings, notes...)
			doc.Synthetic = d.s.Manifest().Synthetic
		}
		return doc, err
	}, err
}

// machines compares schedulers on clusters of several sizes; nil if the store is too large or has nothing to simulate.
func (d *deskStore) machines(ctx context.Context) (*desks.Machines, error) {
	if d.s.Manifest().Rows["tasks"] > mostQueued {
		return nil, nil
	}
	s := study.Default()
	k := &distributed.Collector{Stages: true, Seed: s.Options.Seed}
	if err := d.e.collect(ctx, d.s, d.path, k); err != nil {
		if large := new(limit.Error); errors.As(err, &large) {
			return nil, nil
		}
		return nil, err
	}
	if s.Workload = k.Workload(); len(s.Workload.Jobs) == 0 {
		return nil, nil
	}
	base := max(2, s.Workload.WorkersFor(mostBusy, false))
	var sizes []string
	for n := base; n <= 16*base; n *= 2 {
		s.Sizes, sizes = append(s.Sizes, n), append(sizes, fmt.Sprint(n))
	}
	s.Options.Workers, s.Options.MostLooks, s.Runs = base, mostLooks, 1
	s.Options.Cutoff = study.Cutoff(s.Workload)
	s.Options.General = study.General(s.Workload, s.Options.Cutoff)
	if s.Validate() != nil {
		return nil, nil //nolint:nilerr // a workload that cannot be compared is left out
	}
	experiments, err := study.Named([]string{"sweep"})
	if err != nil {
		return nil, err
	}
	m := &desks.Machines{Title: "Completion times of jobs by number of machines", Sizes: s.Sizes,
		Jobs: len(s.Workload.Runs().Jobs), Notes: remarks(k),
		Command: fmt.Sprintf("racecard simulate eagle %s --stages --experiment sweep --machines %d --sizes %s --runs 1",
			words.Shell(d.path), base, strings.Join(sizes, ","))}
	if flags := d.flags(); flags != "" {
		m.Command += " " + flags
	}
	x, err := experiments[0].Run(ctx, s)
	if err != nil {
		m.Sizes, m.Why = []int{}, err.Error()
		return m, ctx.Err()
	}
	for i := range x.Points {
		if name := x.Points[i].Scheduler; !slices.Contains(m.Names, name) {
			m.Names = append(m.Names, name)
		}
	}
	for _, name := range m.Names {
		cols := make([]desks.Column, 4)
		for _, n := range s.Sizes {
			values := [4]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
			for i := range x.Points {
				if p := &x.Points[i]; p.Scheduler == name && p.X == float64(n) {
					for c, key := range []string{"short_p50", "short_p95", "long_p95"} {
						if v, ok := p.S[key]; ok {
							values[c] = float64(v.Median)
						}
					}
					values[3] = float64(p.Utilization.Median)
				}
			}
			for c := range cols {
				cols[c] = append(cols[c], values[c])
			}
		}
		m.P50, m.P95, m.LongP95, m.Busy = append(m.P50, cols[0]), append(m.P95, cols[1]), append(m.LongP95, cols[2]),
			append(m.Busy, cols[3])
	}
	return m, nil
}

package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/models/deadlines/whatif"
	"racecard/reports/page"
)

func whatIfCommand(e *env) *cobra.Command {
	o := whatif.DefaultOptions()
	var id, out string
	cmd := &cobra.Command{
		Use:   "whatif STORE --run ID",
		Short: "Simulate a finished run with other numbers of tokens",
		Args:  exactly(1, "one store"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if id == "" {
				return usageError{errors.New("want --run ID: the job_id of a run")}
			}
			if err := o.Validate(); err != nil {
				return usageError{err}
			}
			s, err := e.openStore(args[0])
			if err != nil {
				return err
			}
			if err := e.checkOut(out, args[0], "whatif"); err != nil {
				return err
			}
			run, err := e.find(cmd.Context(), s, args[0], id)
			if err != nil {
				return err
			}
			answer, err := whatif.Ask(run, o)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			doc := whatIfDocument(answer, run)
			doc.Store, doc.Synthetic = publish.Name(args[0]), s.Manifest().Synthetic
			command := "racecard whatif " + args[0] + changedFlags(cmd, "out", "quiet", "json")
			if err := e.writeResults(out, args[0], command, s, doc); err != nil {
				return err
			}
			return e.whatIf(doc)
		},
	}
	f := cmd.Flags()
	f.StringVar(&id, "run", "", "job_id of the run")
	e.filterFlags(f, true)
	numbers(f, &o.Allocations, "allocations", tokenRange(), "numbers of tokens, ascending; a grid up to the widest "+
		"stage when left out")
	number(f, &o.Within, "within", shares(0, 100), "share of the shortest time that is good enough, for the "+
		"recommendation")
	outFlag(f, &out)
	return cmd
}

// find returns a run of a store by its id.
func (e *env) find(ctx context.Context, s *store.Store, path, id string) (*trace.Run, error) {
	seen := map[string]int{}
	p := e.progress("find")
	defer p.done()
	for part := range s.Parts() {
		for run, err := range s.Runs(ctx, part, store.Projection{"jobs.job_id"}) {
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			if run.ID != id {
				if len(seen) < maxNearest {
					seen[run.ID] = 1
				}
				continue
			}
			for whole, err := range s.Runs(ctx, part, fitted) {
				if err != nil {
					return nil, fmt.Errorf("%s: %w", path, err)
				}
				if whole.ID == id {
					return whole.Clone(), nil
				}
			}
		}
		p.count(part+1, s.Parts(), "parts")
	}
	if len(seen) == 0 {
		return nil, fmt.Errorf("%s: no runs", path)
	}
	return nil, fmt.Errorf("%s: no run %q%s", path, id, nearest(id, seen))
}

func whatIfDocument(a *whatif.Answer, run *trace.Run) *result.WhatIf {
	point := func(p whatif.Point) result.WhatIfPoint {
		return result.WhatIfPoint{Tokens: p.Tokens, TimeS: p.TimeS, CostS: p.CostS, Utilisation: p.Utilisation,
			WorkS: p.WorkS, BarriersS: p.BarriersS, SkewS: p.SkewS, DriverS: p.DriverS}
	}
	doc := &result.WhatIf{Header: result.Header{Available: true, Needs: fitted, Warnings: a.Warnings}, Run: run.ID,
		Job: run.Name, ObservedS: result.Number(a.ObservedS), Tokens: a.PeakObserved, ReplayS: result.Number(a.ReplayS),
		Unlimited: point(a.Unlimited), Recommended: point(a.Recommended), Within: a.Within, Widest: a.WidestStage}
	for _, p := range a.Points {
		doc.Points = append(doc.Points, point(p))
	}
	return doc
}

// whatIf prints an answer.
func (e *env) whatIf(doc *result.WhatIf) error {
	e.printf("run %s", doc.Run)
	if doc.Job != "" {
		e.printf(" of %s", doc.Job)
	}
	e.printf("%s\n%s\n", marked(doc.Synthetic), page.WhatIfObserved(doc))
	t := page.WhatIfTable(doc)
	t.Title = ""
	e.table(t)
	e.notes("warning", doc.Warnings)
	e.printf("%s\n", page.WhatIfAdvice(doc))
	return e.printJSON(result.Form(doc))
}

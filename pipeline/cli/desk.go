package cli

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"racecard/datasets/words"
	desks "racecard/reports/desk"
)

// newDeskPlan returns the options of a desk if no flag is given.
func newDeskPlan() deskPlan {
	return deskPlan{listen: "127.0.0.1:0", jobs: 1000, fans: 20, workers: min(runtime.GOMAXPROCS(0), maxWorkers)}
}

// deskPage returns the page of a store for the front of a report, with a link to the long form.
func (e *env) deskPage(ctx context.Context, path string, p deskPlan) ([]byte, error) {
	d, err := e.openDesk(ctx, path, p)
	if err != nil {
		return nil, err
	}
	data, err := d.data(ctx)
	if err != nil {
		return nil, err
	}
	data.Paper = paperPage
	var b bytes.Buffer
	err = desks.Write(&b, data)
	return b.Bytes(), err
}

func deskCommand(e *env) *cobra.Command {
	p := newDeskPlan()
	cmd := &cobra.Command{
		Use:   "desk STORE [--out FILE]",
		Short: "Open the planner's desk: one page over cost, demand, jobs, deadlines and plans",
		Args:  exactly(1, "one store"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if p.prices, err = parsePrices(p.price); err != nil {
				return usageError{fmt.Errorf("--price: %w", err)}
			}
			e.withinLimits()
			d, err := e.openDesk(cmd.Context(), args[0], p)
			if err != nil {
				return err
			}
			return e.desk(cmd.Context(), d)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&p.out, "out", "o", "", "file to write the page to; served when left out")
	f.StringVar(&p.listen, "listen", p.listen, "host and port of this machine to serve at; port 0 is a free one")
	priceFlag(f, &p.price)
	f.StringSliceVar(&p.deadlines, "deadline", nil, "deadline of a job: nightly-index=07:00 for a clock time, "+
		"audit=45m after submission; may be given again")
	number(f, &p.jobs, "jobs", whole(1, mostRows), "jobs with details in a file, those that waste most")
	workersFlag(f, &p.workers, "parts of the store to read, and jobs to simulate, at once")
	e.filterFlags(f, false)
	return cmd
}

// desk writes or serves a desk.
func (e *env) desk(ctx context.Context, d *deskStore) error {
	if d.plan.out == "" {
		return e.serveDesk(ctx, d)
	}
	data, err := d.data(ctx)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := desks.Write(&b, data); err != nil {
		return err
	}
	if err := writeFile(d.plan.out, b.Bytes()); err != nil {
		return err
	}
	e.printf("%s (%s, %s)\n", filepath.Clean(d.plan.out), words.Of(len(data.Jobs.Job), "job", "jobs"),
		words.Bytes(b.Len()))
	return e.printJSON(drawnDesk{filepath.Clean(d.plan.out)})
}

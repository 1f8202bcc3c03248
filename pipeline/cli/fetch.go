package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"racecard/datasets/catalogue"
	"racecard/datasets/fetch"
	"racecard/datasets/lists"
)

// fetchFlags are the flags of fetch.
type fetchFlags struct {
	out, parts, from string
	files            []string
	yes, dryRun      bool
}

func fetchCommand(e *env) *cobra.Command {
	var f fetchFlags
	cmd := &cobra.Command{
		Use:   "fetch [NAME]",
		Short: "Download a public trace, or list the available ones",
		Long:  longText("fetch", "{record}", fetch.RecordFile),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return exactly(1, "the name of one trace")(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return e.listTraces()
			}
			entry, err := catalogue.Named(args[0])
			if err != nil {
				return unknownArgument("trace", args[0], traceNames())
			}
			return e.fetch(cmd.Context(), entry, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "out", "o", "", "folder for the files; NAME when left out")
	flags.StringSliceVar(&f.files, "files", nil, "patterns of the files to fetch, such as 'job_events/*', separated "+
		"by commas; '*' is all")
	flags.StringVar(&f.parts, "parts", "", "parts of numbered files to fetch, such as 0-9,20")
	flags.StringVar(&f.from, "from", "", "mirror to fetch from: an address below which the files lie as they will in "+
		"the folder")
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask before downloading more than 1 GB")
	flags.BoolVar(&f.dryRun, "dry-run", false, "list the files and addresses, and do nothing")
	return cmd
}

// fetch downloads the part of a trace that the flags select.
func (e *env) fetch(ctx context.Context, entry *catalogue.Entry, f fetchFlags) error {
	plan, err := newPlan(entry, f)
	if err != nil {
		return usageError{err}
	}
	if len(plan.files) == 0 {
		return fmt.Errorf("%s cannot be fetched by racecard. By hand: %s See %s", entry.Name, entry.ByHand, entry.Home)
	}
	if f.dryRun {
		return e.showPlan(plan)
	}
	o := fetch.DefaultOptions()
	o.UserAgent = "racecard/" + Version
	if err := plan.measure(ctx, o); err != nil {
		return interrupted(err)
	}
	e.introduce(plan)
	if err := e.consent(ctx, plan, f.yes); err != nil {
		return interrupted(err)
	}
	p := e.progress("fetch")
	o.Notice = func(text string) {
		p.done()
		e.say("fetch: %s", text)
	}
	doc, err := download(ctx, plan, p, o)
	p.done()
	if err != nil {
		return interrupted(err)
	}
	return e.fetched(plan, doc)
}

// resumableError marks an error after which the same command resumes.
type resumableError struct {
	error
	kept string // the part that is done and kept, such as "2 of 5 steps are done; "
}

func (r resumableError) Unwrap() error { return r.error }

func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return resumableError{error: err}
	}
	return err
}

// traceNames lists the names of the catalogue.
func traceNames() []string {
	return lists.Map(catalogue.All(), func(t catalogue.Entry) string { return t.Name })
}

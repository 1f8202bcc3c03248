package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"racecard/datasets/plainfile"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/words"
	"racecard/models/limit"
	"racecard/pipeline/internal/local"
	"racecard/pipeline/internal/stage"
	"racecard/reports/page"
)

// reportKind is the kind of folder that holds a report, which lists the files of its figures and tables.
func reportKind() publish.Kind {
	const marker, page = "report.json", "index.html"
	return publish.Kind{Marker: marker, What: "a report", Own: func(fsys fs.FS) ([]string, error) {
		names := []string{marker, page, paperPage}
		data, err := plainfile.Read(fsys, marker)
		if errors.Is(err, fs.ErrNotExist) {
			return names, nil
		}
		var report struct {
			Figures []struct{ SVG, PNG string }
			Tables  []struct{ CSV string }
		}
		if err == nil {
			err = json.Unmarshal(data, &report)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", marker, err)
		}
		for _, f := range report.Figures {
			names = append(names, f.SVG, f.PNG)
		}
		for _, t := range report.Tables {
			names = append(names, t.CSV)
		}
		return names, nil
	}}
}

// paperPage is the long form of a report whose index.html is the planner's desk.
const paperPage = "paper.html"

func reportCommand(e *env) *cobra.Command {
	var out, title string
	var paper bool
	cmd := &cobra.Command{
		Use:   "report STORE|RESULTS... --out REPORT",
		Short: "Draw figures and a page from results",
		Args:  atLeastOne("a store, or directories of results"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && isStore(args[0]) {
				return e.reportStore(cmd.Context(), args[0], out, title, paper)
			}
			b, err := load(args)
			if err != nil {
				return err
			}
			b.Provenance.Zone = cmp.Or(e.runs.zone, b.Provenance.Zone)
			if err := e.checkKind(out, reportKind(), "it"); err != nil {
				return err
			}
			if err := writeReport(cmd.Context(), out, b, page.Options{Title: title}, nil); err != nil {
				return err
			}
			return e.reported(out, b.Faults)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "directory of the report")
	cmd.Flags().BoolVar(&paper, "paper", false, "the long form alone, also of a store")
	e.zoneFlag(cmd.Flags())
	cmd.Flags().StringVar(&title, "title", "", "title of the page; made from the trace when left out")
	_ = cmd.MarkFlagRequired("out") // fails only for a flag that is not there
	return cmd
}

// load reads directories of results of one trace into one bundle, or the experiments over cluster sizes of several
// traces.
func load(dirs []string) (*result.Bundle, error) {
	var all *result.Bundle
	var bundles []*result.Bundle
	several := ""
	for _, dir := range dirs {
		fsys, err := folder(dir, resultsFolder.name, resultsFolder.how)
		if err != nil {
			return nil, err
		}
		b, err := result.Load(fsys)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, orOther(fsys, dir, resultsFolder, err))
		}
		bundles = append(bundles, b)
		if all == nil {
			all = b
			continue
		}
		if all.Provenance.Store != b.Provenance.Store {
			several = fmt.Sprintf("%s is about %s, %s about %s", dirs[0], all.Provenance.Store, dir, b.Provenance.Store)
		}
	}
	if several != "" {
		joined, err := result.JoinSweeps(bundles)
		if err != nil {
			return nil, fmt.Errorf("%s: a report is about one trace, or compares what `racecard simulate eagle "+
				"--experiment sweep` says of each: %w", several, err)
		}
		return joined, nil
	}
	for i, b := range bundles[1:] {
		all.Faults = append(all.Faults, b.Faults...)
		all.Provenance.Contents = append(all.Provenance.Contents, b.Provenance.Contents...)
		for name, doc := range b.Documents {
			if _, twice := all.Documents[name]; twice {
				return nil, fmt.Errorf("%s: results of %s are in another directory, too; name one of them", dirs[1+i],
					name)
			}
			all.Documents[name] = doc
			if t := b.Tables[name]; t != nil {
				all.Tables[name] = t
			}
		}
	}
	return all, nil
}

// isStore reports whether a path is a store, and not a folder of results.
func isStore(path string) bool {
	_, err := os.Stat(filepath.Join(path, store.ManifestName))
	return err == nil
}

// reportStore analyses a store and draws its report; unless paper is set, with the planner's desk in front.
func (e *env) reportStore(ctx context.Context, path, out, title string, paper bool) (err error) {
	s, err := e.openStore(path)
	if err != nil {
		return err
	}
	if err := e.checkKind(out, reportKind(), "it"); err != nil {
		return err
	}
	o := stage.DefaultOptions()
	chosen, err := stage.Select(stage.Analyses(o), nil)
	if err != nil {
		return err
	}
	if err := stage.Fits(runnable(s, chosen), stage.SizeOf(s), o.Memory, true); err != nil {
		if large := (*limit.Error)(nil); errors.As(err, &large) {
			small := *large
			small.Instead = "take `racecard analyze STORE`, which draws nothing, or import a part of the files"
			err = &small
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	e.limitMemory(o.Memory - o.Memory/8) // near it the collector works harder
	var front []byte
	if !paper { // first: later there are results, which take memory
		plan := newDeskPlan()
		plan.title = title
		if front, err = e.deskPage(ctx, path, plan); err != nil && ctx.Err() == nil {
			fmt.Fprintf(e.stderr, "warning: no planner's desk: %s\n", words.Printable(err.Error()))
		} else if err != nil {
			return err
		}
	}
	docs, err := e.analyze(ctx, s, o, nil, local.Options{Memory: o.Memory})
	if err != nil {
		return err
	}
	dir, remove, err := publish.TemporaryFolder("racecard-report")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	results := filepath.Join(dir, "results")
	if err := e.writeResults(results, path, "racecard report "+filepath.Base(path)+words.When(e.runs.zone != "", " --timezone %s", e.runs.zone), s, docs...); err != nil {
		return err
	}
	b, err := load([]string{results})
	if err != nil {
		return err
	}
	if err := writeReport(ctx, out, b, page.Options{Title: title}, front); err != nil {
		return err
	}
	return e.reported(out, b.Faults)
}

// writeReport draws a report into a directory that it publishes atomically. With a front page, the long form is
// paper.html.
func writeReport(ctx context.Context, out string, b *result.Bundle, o page.Options, front []byte) (err error) {
	dir, err := publish.Begin(out, reportKind())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Abort()) }()
	sink := dir.Write
	if front != nil {
		sink = func(name string, data []byte) error {
			if name == "index.html" {
				return errors.Join(dir.Write(paperPage, data), dir.Write(name, front))
			}
			return dir.Write(name, data)
		}
	}
	if err := page.Write(ctx, sink, b, o); err != nil {
		return err
	}
	return dir.Publish(nil)
}

// reported ends `report`: it names the report, and the missing parts.
func (e *env) reported(report string, faults []result.Fault) error {
	var left []string
	for _, f := range faults {
		if f.Condition != result.Changed && !slices.Contains(left, f.Document) {
			left = append(left, f.Document)
		}
		fmt.Fprintf(e.stderr, "warning: %s; `%s` computes it again\n", words.Printable(f.Text),
			words.Printable(f.Command))
	}
	if err := e.wrote(report); err != nil || len(left) == 0 {
		return err
	}
	return fmt.Errorf("%s missing or damaged and left out of the report: %s; the rest is in %s",
		words.Of(len(left), "document is", "documents are"), words.Printable(words.List(left)), report)
}

// wrote prints the path of the report.
func (e *env) wrote(report string) error {
	index, err := publish.Locate(report, "index.html")
	if err != nil {
		return err
	}
	e.printf("%s\n", index)
	return e.printJSON(drawnReport{index})
}

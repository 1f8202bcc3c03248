package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"racecard/analyses/changepoint"
	"racecard/datasets/lists"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/words"
	"racecard/pipeline/internal/local"
	"racecard/pipeline/internal/stage"
	"racecard/reports/page"
)

func analyzeCommand(e *env) *cobra.Command {
	o := stage.DefaultOptions()
	var out string
	var only []string
	seed := uint64(1)
	var workers int
	o.Memory = 1 << 30
	cmd := &cobra.Command{
		Use:   "analyze STORE",
		Short: "Compute statistics of a trace",
		Long:  longText("analyze", "{analyses}", listAnalyses()),
		Args:  exactly(1, "one store"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.DAG.MinRuns, o.DAG.RawNames = o.Recurrence.MinRuns, o.Recurrence.RawNames
			o.Recurrence.Seed, o.Dependency.Seed, o.Allocation.Seed, o.DAG.Seed, o.Workload.Seed = seed, seed, seed,
				seed, seed
			if err := o.Validate(); err != nil {
				return usageError{err}
			}
			chosen, err := stage.Select(stage.Analyses(o), only)
			if err != nil {
				return usageError{fmt.Errorf("--only: %w", err)}
			}
			s, err := e.openStore(args[0])
			if err != nil {
				return err
			}
			if err := stage.Fits(runnable(s, chosen), stage.SizeOf(s), o.Memory, out != ""); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if err := e.checkOut(out, args[0], documents(chosen)...); err != nil {
				return err
			}
			e.limitMemory(max(stage.Reading, o.Memory-o.Memory/8)) // the collector works harder near it
			docs, err := e.analyze(cmd.Context(), s, o, only, local.Options{Workers: workers, Memory: o.Memory,
				NoTables: out == ""})
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			command := "racecard analyze " + publish.Name(args[0]) + flagsOf(cmd)
			if err := e.writeResults(out, args[0], command, s, docs...); err != nil {
				return err
			}
			if len(docs) > 1 && !e.json {
				e.first(docs, s.Manifest())
			}
			return e.findings(docs)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "out", "o", "", "directory to write results to")
	choices(f, &only, "only", analysisNames(), "analyses to run, separated by commas; all when left out")
	number(f, &o.Recurrence.MinRuns, "min-runs", whole(2, maxRuns), "succeeded runs that make a name a recurring job")
	namesFlag(f, &o.Recurrence.RawNames)
	f.StringVar(&o.Timeline.Run, "run", "", "id of the run that the timeline shows; picked when left out")
	seeded(f, &seed, "seed of the bootstrap intervals and tests")
	number(f, &o.Memory, "memory", memoryRange(), "memory to stay within: analyses that need more together run one "+
		"after the other, and numbers that need more are estimated")
	workersFlag(f, &workers, "parts of the store to read at once")
	e.filterFlags(f, true)
	return cmd
}

// runnable returns the analyses that a store has the columns for.
func runnable(s *store.Store, analyses []stage.Analysis) []stage.Analysis {
	return slices.DeleteFunc(slices.Clone(analyses), func(a stage.Analysis) bool { return len(a.Missing(s)) > 0 })
}

// analysisNames lists the names of all analyses.
func analysisNames() []string {
	return lists.Map(stage.Analyses(stage.DefaultOptions()), func(a stage.Analysis) string { return a.Name })
}

func listAnalyses() string {
	return listed(12, stage.Analyses(stage.DefaultOptions()),
		func(a stage.Analysis) (name, about string) { return a.Name, a.Summary })
}

// flagsOf writes the flags that were given, except those that do not change results.
func flagsOf(cmd *cobra.Command) string {
	var b strings.Builder
	for _, name := range []string{"only", "min-runs", "names", "run", "seed", "memory", "since", "until", "job", "user",
		"group", "timezone"} {
		if f := cmd.Flags().Lookup(name); f.Changed {
			fmt.Fprintf(&b, " --%s %s", name, strings.Trim(f.Value.String(), "[]"))
		}
	}
	return b.String()
}

// documents returns the names of the documents of analyses.
func documents(chosen []stage.Analysis) []string {
	var names []string
	for _, a := range chosen {
		names = append(names, a.Name)
		if a.Name == "recurrence" {
			names = append(names, "changes")
		}
	}
	return names
}

// analyze runs the named analyses, all for no names, with progress.
func (e *env) analyze(ctx context.Context, s *store.Store, o stage.Options, only []string,
	how local.Options) ([]result.Document, error) {
	o, err := o.About(s)
	if err != nil {
		return nil, err
	}
	o.Workload.Zone = e.runs.location()
	analyses, err := stage.Select(stage.Analyses(o), only)
	if err != nil {
		return nil, err
	}
	if e.runner != nil {
		docs, err := e.runner.analyze(ctx, s, analyses)
		if err != nil {
			return nil, err
		}
		return e.withChanges(ctx, s, docs, o)
	}
	p := e.progress("analyze")
	how.Progress = p.count
	docs, err := local.Analyze(ctx, s, analyses, how)
	p.done()
	if err != nil {
		return nil, err
	}
	return e.withChanges(ctx, s, docs, o)
}

// withChanges adds the document of changes, with dates and causes, if one of documents reports drift: the runs
// of drifting jobs are read a second time.
func (e *env) withChanges(ctx context.Context, s *store.Store, docs []result.Document,
	o stage.Options) ([]result.Document, error) {
	for _, d := range docs {
		r, ok := d.(*result.Recurrence)
		if !ok || !r.Available || r.Drifting == 0 {
			continue
		}
		c := ownChanges(s, "", changepoint.MinLength)
		c.raw = o.Recurrence.RawNames
		changes, err := e.compare(ctx, c)
		if err != nil {
			return nil, err
		}
		return append(docs, changes), nil
	}
	return docs, nil
}

// mostFindings bounds the findings that come before the tables.
const mostFindings = 8

// first prints the findings that matter most, if any does.
func (e *env) first(docs []result.Document, m *store.Manifest) {
	b := &result.Bundle{Provenance: e.provenance("", "", m), Documents: map[string]result.Document{}}
	for _, d := range docs {
		b.Documents[d.Analysis()] = d
	}
	findings := page.Findings(b)
	if !slices.ContainsFunc(findings, func(f page.Finding) bool { return f.Urgent > 0 || f.Stake > 0 }) {
		return
	}
	e.printf("%s\n", page.Ranking)
	for i, f := range findings {
		if i == mostFindings || f.Urgent == 0 && f.Stake == 0 {
			break
		}
		share := "!"
		if f.Urgent == 0 {
			share = words.Percent(f.Stake)
		}
		e.printf("  %5s  %s\n", share, f.Text)
	}
	e.printf("\n")
}

// findings prints documents: as one JSON object keyed by analysis, or as text.
func (e *env) findings(docs []result.Document) error {
	if e.json {
		all := map[string]any{}
		for _, d := range docs {
			all[d.Analysis()] = result.Versioned(result.Form(d))
		}
		return e.printPlain(all)
	}
	for i, d := range docs {
		if i > 0 {
			e.printf("\n")
		}
		if h := d.Head(); !h.Available {
			e.printf("%s: not available, the trace lacks %s\n", d.Analysis(), strings.Join(h.Missing, ", "))
			continue
		}
		e.describe(d)
		if _, own := d.(*result.Waste); !own { // waste prints them itself
			e.notes("warning", d.Head().Warnings)
		}
	}
	return nil
}

// describe prints one document as text.
func (e *env) describe(doc result.Document) {
	switch d := doc.(type) {
	case *result.Recurrence:
		e.printf("recurrence: %s, of which %s drift, %s of %s %s\n", words.Of(d.Recurring,
			"recurring job", "recurring jobs"), words.Count(d.Drifting), words.Percent(d.ShareOfRuns),
			words.Of(d.Succeeded+d.Unstated, "run", "runs"), result.Ended(d.Succeeded, d.Unstated))
		all := []metric{{"CoV", d.CoV}, {"CoV, similar input", d.CoVSimilarInput}, {"CoV without drift", d.CoVWithin}}
		for _, c := range d.Causes {
			if c.Jobs > 0 {
				all = append(all, metric{"variance by " + c.Cause, c.Share})
			}
		}
		e.summaries(all...)
	case *result.CoV:
		e.printf("cov: %s, %s of %s %s\n", words.Of(d.Recurring, "recurring job", "recurring jobs"),
			words.Percent(d.ShareOfRuns), words.Of(d.Succeeded+d.Unstated, "run", "runs"),
			result.Ended(d.Succeeded, d.Unstated))
		e.summaries(metric{"CoV", d.CoV})
	case *result.Dependency:
		e.printf("dependency: %s of %s depend on another or feed one, in %s of which %s\n",
			words.Percent(d.ShareWithDependency), words.Of(d.Jobs, "run", "runs"), words.Of(d.Pairs, "pair", "pairs"),
			words.Count(d.Overlapping)+" "+words.Noun(d.Overlapping, "overlaps", "overlap"))
		e.summaries(metric{"gap (min)", d.GapMin}, metric{"chain length", d.ChainLength},
			metric{"indirect dependents", d.IndirectDependents}, metric{"dependent groups", d.DependentGroups})
	case *result.Allocation:
		e.printf("allocation: %s with a guarantee, %s never used all of it, %s exceeded it tenfold\n", words.Of(d.Jobs,
			"run", "runs"), words.Percent(d.ShareBelowGuarantee), words.Percent(d.ShareAbove10x))
		e.summaries(metric{"tasks at once / guarantee", d.Ratio}, metric{"… sustained", d.SustainedRatio},
			metric{"tasks at once", d.MaxParallelism}, metric{"guarantee unused", d.Unused},
			metric{"work beyond it", d.Beyond})
	case *result.DAG:
		e.printf("dag: %s with stages, %s without; %s\n", words.Of(d.Jobs, "run", "runs"), words.Count(d.WithoutStages),
			words.Of(d.Plans.Distinct, "plan", "plans"))
		e.summaries(metric{"stages", d.Stages}, metric{"barriers", d.Barriers},
			metric{"synchronisations", d.Synchronisations}, metric{"critical path (stages)", d.CriticalPathStages},
			metric{"critical path (s)", d.CriticalPathS}, metric{"disjoint paths", d.DisjointPaths},
			metric{"width", d.Width}, metric{"input work", d.InputWork},
			metric{"critical path, mean tasks (s)", d.CriticalPathMeanS}, metric{"tasks per level", d.LevelTasksMean})
	case *result.Leftover:
		e.leftover(d)
	case *result.Workload:
		e.describeWorkload(d)
	case *result.Timeline:
		e.printf("timeline: run %s%s, %s, %s\n", d.JobID, words.When(d.Name != "", " (%s)", d.Name), d.Why,
			words.Of(len(d.Attempts), "attempt", "attempts"))
	case *result.Waste:
		e.wasted(d, 10)
	case *result.Comparison:
		e.printf("changes: %s of %s; `racecard compare` dates them, and compares jobs with fewer runs, too\n",
			words.Count(d.Changed()), words.Of(d.Compared, "recurring job", "recurring jobs"))
	case *result.Health:
		e.printf("health: %s; `racecard inspect` explains each\n", verdict(page.Diagnose(d, e.runs.location())))
	default:
		e.printf("%s:\n", doc.Analysis())
		for _, t := range page.AnyTables(doc) {
			t.Title = ""
			e.table(t)
		}
	}
}

// metric is a number that many runs or jobs have.
type metric struct {
	name string
	of   result.Summary
}

// summaries prints a line per metric.
func (e *env) summaries(all ...metric) {
	e.rows([]string{"METRIC", "N", "MEAN", "MIN", "P10", "P50", "P90", "P95", "P99", "MAX"},
		lists.Map(all, func(m metric) []string {
			s := m.of
			values := []float64{s.Mean, s.Min, s.P10, s.P50, s.P90, s.P95, s.P99, s.Max}
			return append([]string{"  " + m.name, words.Count(s.N)}, lists.Map(values, words.Number)...)
		}))
}

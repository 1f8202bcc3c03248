package cli

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/remaining"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/models/deadlines/cpa"
	"racecard/models/deadlines/jockey"
	indicators "racecard/models/deadlines/progress"
	"racecard/models/deadlines/sim"
	"racecard/pipeline/internal/quantity"
)

func tableExplainCommand(e *env) *cobra.Command {
	p := newTablePlan()
	trial := cpa.DefaultTrial(0)
	var out string
	allocation, replicates := 0, 200
	cmd := &cobra.Command{
		Use:   "explain MODELS --job NAME",
		Short: "Show how remaining times of a job fan out, and which progress indicator tells them best",
		Args:  exactly(1, "one folder of models"),
		RunE: func(cmd *cobra.Command, args []string) error {
			trial.Tokens, p.simulated.Replicates = int32(allocation), replicates
			if err := e.checkOut(out, traceOf(args), "remaining"); err != nil {
				return err
			}
			from, doc, err := e.explain(cmd.Context(), args[0], p, trial)
			if err != nil {
				return err
			}
			from.Command = "racecard table explain " + args[0] + changedFlags(cmd, "out", "quiet", "json")
			if err := writeDocuments(out, from, doc); err != nil {
				return err
			}
			return e.explained(doc)
		},
	}
	f := cmd.Flags()
	outFlag(f, &out)
	f.StringVar(&p.job, "job", "", "the job, named as read or normalised; may be left out where there is one model")
	number(f, &allocation, "allocation", quantity.Range{Unit: quantity.Whole, Low: 1, High: sim.MaxTokens, Zero: true},
		"tokens of the runs that indicators are tried on; the middle of the grid when left out")
	number(f, &replicates, "replicates", whole(1, 1e6), "runs to simulate at every allocation")
	number(f, &trial.Runs, "runs", whole(1, 10_000), "runs to try indicators on")
	seeded(f, &p.simulated.Seed, "seed of the simulations")
	return cmd
}

// explain builds the table of a job, and tries indicators.
func (e *env) explain(ctx context.Context, models string, p tablePlan, trial cpa.Trial) (*result.Provenance,
	*result.Remaining, error) {
	x, entries, fsys, err := modelEntries(models, p.job)
	if err != nil {
		return nil, nil, err
	}
	if len(entries) > 1 {
		return nil, nil, usageError{fmt.Errorf("%s holds %d models: say which with --job", models, len(entries))}
	}
	profile, err := modelfile.Load(fsys, entries[0])
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", models, err)
	}
	p.store, p.synthetic = x.Store, x.Synthetic
	doc, err := e.explainModel(ctx, profile, entries[0].SHA256, p, trial)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", models, err)
	}
	return fromModels(models, x, entries), doc, nil
}

// explainModel does so for a profile from a file with a checksum.
func (e *env) explainModel(ctx context.Context, profile *modelfile.Profile, sha256 string, p tablePlan,
	trial cpa.Trial) (*result.Remaining, error) {
	p.simulated.Crew = cpa.NewCrew(p.workers)
	bar := e.progress("explain")
	defer bar.done()
	p.simulated.Report = func(done, of int64) {
		bar.show(float64(done), float64(of), words.Of(done, "run", "runs")+" simulated")
	}
	t, err := buildTable(ctx, profile, sha256, p)
	if err != nil {
		return nil, err
	}
	doc := remainingDocument(t)
	if trial.Tokens == 0 {
		trial.Tokens = t.Allocations[len(t.Allocations)/2]
	}
	job, _, err := cpa.Of(profile, p.inputBytes)
	if err != nil {
		return nil, err
	}
	p.simulated.Report = nil
	told, end, err := cpa.Indicators(ctx, job, p.simulated, trial)
	if err != nil {
		return nil, err
	}
	doc.Tokens, doc.Tried, doc.TracedS, doc.Predicted = trial.Tokens, trial.Runs, end, "median"
	for _, x := range told {
		u := result.IndicatorUse{Name: x.Indicator.String(), Jumps: x.Jumps, Still: x.Still, Off: x.Off}
		for _, y := range x.Trace {
			u.Trace = append(u.Trace, result.IndicatorTell{AtS: y.At, Progress: y.Progress, EndS: y.End})
		}
		doc.Indicators = append(doc.Indicators, u)
		if u.Name == doc.Indicator {
			aged := &jockey.Aged{Table: t}
			for _, y := range u.Trace {
				aged.Observe(y.AtS, y.Progress)
				y.EndS = y.AtS + aged.Remaining(y.Progress, float64(trial.Tokens), 0.5)
				doc.Aged = append(doc.Aged, y)
			}
		}
	}
	if left := int(indicators.Count) - len(told); left > 0 {
		doc.Warnings = append(doc.Warnings, words.Of(left, "indicator", "indicators")+
			" left out: past runs spent no time that it could tell by")
	}
	return doc, nil
}

// remainingDocument returns the document of a table for readers.
func remainingDocument(t *remaining.Table) *result.Remaining {
	a := &t.About
	doc := &result.Remaining{Header: result.Header{Available: true, Needs: fitted, Warnings: a.Warnings}, Job: a.Job,
		Method:    a.Method,
		Indicator: a.Indicator, Runs: a.Runs, Simulated: a.Simulated, MostTokens: result.Number(math.NaN()),
		Changed: a.Monotone.Changed, Quantiles: result.RemainingQuantiles()}
	if a.MostTokens != nil {
		doc.MostTokens = result.Number(*a.MostTokens)
	}
	for _, tokens := range t.Allocations {
		at := result.RemainingAt{Tokens: tokens}
		for _, q := range []float64{0.05, 0.25, 0.5, 0.75, 0.95} {
			var s []float64
			for i := range remaining.Steps {
				s = append(s, t.Remaining(remaining.Progress(i), float64(tokens), q))
			}
			at.S = append(at.S, s)
		}
		doc.At = append(doc.At, at)
	}
	return doc
}

// explained prints a document.
func (e *env) explained(doc *result.Remaining) error {
	e.printf("%s: %s simulated, by a model of %s; progress by %s\n", e.stdout.paint(bold, words.Printable(doc.Job)),
		words.Of(doc.Simulated, "run", "runs"), words.Of(doc.Runs, "past run", "past runs"), doc.Indicator)
	head := append([]string{"TOKENS", "HALFWAY p50"}, lists.Map(doc.Quantiles, strings.ToUpper)...)
	e.rows(head, lists.Map(doc.At, func(a result.RemainingAt) []string {
		row := []string{words.Count(a.Tokens), words.Seconds(a.S[2][len(a.S[2])/2])}
		return append(row, lists.Map(a.S, func(s []float64) string { return words.Seconds(s[0]) })...)
	}))
	e.printf("p5 to p95: of a whole run\n")
	e.heading("indicators, on %s", words.Of(doc.Tokens, "token", "tokens"))
	head = []string{"  INDICATOR", "ERROR OF THE END", "DELTA T", "LONGEST STANDSTILL"}
	e.rows(head, lists.Map(doc.Indicators, func(u result.IndicatorUse) []string {
		return []string{"  " + u.Name, words.Percent(u.Off), words.Percent(u.Jumps), words.Percent(u.Still)}
	}))
	e.notes("warning", doc.Warnings)
	e.printf("shares of a run's duration, means over %s\n", words.Of(doc.Tried, "simulated run", "simulated runs"))
	return e.printJSON(result.Form(doc))
}

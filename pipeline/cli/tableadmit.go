package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"racecard/datasets/lists"
	"racecard/datasets/words"
	"racecard/models/deadlines/jockey"
	"racecard/pipeline/internal/quantity"
	"racecard/pipeline/live"
)

func tableAdmitCommand(e *env) *cobra.Command {
	o := jockey.DefaultOptions()
	o.Max = 0
	var tokens int
	var arrange bool
	cmd := &cobra.Command{
		Use:   "admit TABLES JOB=DEADLINE...",
		Short: "Check whether jobs with deadlines fit together into a number of tokens",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usageError{fmt.Errorf("%s wants a folder of tables, and jobs with deadlines; see `%s --help`",
					cmd.Name(), cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Max == 0 {
				o.Max = tokens
			}
			if err := o.Validate(); err != nil {
				return usageError{err}
			}
			var jobs []live.Wanted
			for _, text := range args[1:] {
				w, err := parseWanted(text)
				if err != nil {
					return usageError{err}
				}
				jobs = append(jobs, w)
			}
			a, err := admit(cmd.Context(), args[0], jockey.Cluster{Tokens: tokens, Options: o}, jobs, arrange)
			if err != nil {
				return err
			}
			if err := e.admission(a); err != nil {
				return err
			}
			return refused(a)
		},
	}
	f := cmd.Flags()
	number(f, &tokens, "tokens", tokenRange(), "tokens that can be guaranteed at once")
	number(f, &o.Max, "max-tokens", tokenRange(), "most tokens of one job; all when left out")
	f.BoolVar(&arrange, "arrange", false, "put all jobs at once, so that they are worth most")
	number(f, &o.Slack, "slack", slackRange(), "factor on the times of the tables")
	number(f, &o.Quantile, "quantile", unitRange(), "of the times that counts")
	_ = cmd.MarkFlagRequired("tokens") // fails only for a flag that is not there
	return cmd
}

// parseWanted reads NAME=DEADLINE[,start=TIME][,progress=SHARE][,worth=NUMBER].
func parseWanted(text string) (live.Wanted, error) {
	w := live.Wanted{Worth: 1}
	bad := func(why string) (live.Wanted, error) {
		return w, fmt.Errorf("%q: %s; want NAME=DEADLINE[,start=TIME][,progress=SHARE][,worth=NUMBER], such as "+
			"nightly-index=45m,start=10m", text, why)
	}
	parts := strings.Split(text, ",")
	for i := len(parts) - 1; i > 0; i-- { // a name may hold commas
		key, value, _ := strings.Cut(parts[i], "=")
		var err error
		switch key {
		case "start":
			w.StartS, err = quantity.Range{Unit: quantity.Duration, Low: -maxSeconds, High: maxSeconds}.Parse(value)
		case "progress":
			w.Progress, err = unitRange().Parse(value)
		case "worth":
			w.Worth, err = plain(1e-6, 1e9).Parse(value)
		default:
			continue
		}
		if err != nil {
			return bad(key + ": " + err.Error())
		}
		parts = slices.Delete(parts, i, i+1)
	}
	rest := strings.Join(parts, ",")
	at := strings.LastIndex(rest, "=")
	if at < 1 {
		return bad("no deadline")
	}
	var err error
	if w.DeadlineS, err = deadlineRange().Parse(rest[at+1:]); err != nil {
		return bad("deadline " + rest[at+1:] + ": " + err.Error())
	}
	w.Job = rest[:at]
	return w, nil
}

// admit answers with the tables of a folder, or of a file.
func admit(ctx context.Context, path string, c jockey.Cluster, jobs []live.Wanted, arrange bool) (*live.Admission,
	error) {
	s, err := openTables(path)
	if err != nil {
		return nil, err
	}
	a, err := live.Admit(ctx, c, jobs, arrange, func(job string) (jockey.Estimator, error) {
		return s.table(job)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

// refused is the error of an answer that refuses some job.
func refused(a *live.Admission) error {
	var names []string
	for _, j := range a.Jobs {
		if !j.Fits {
			names = append(names, words.Shorten(j.Job, longName))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return refusedError{fmt.Errorf("%s of %s %s not fit: %s", words.Count(len(names)),
		words.Of(len(a.Jobs), "job", "jobs"), words.Noun(len(names), "does", "do"),
		words.List(names[:min(5, len(names))]))}
}

// admission prints an answer.
func (e *env) admission(a *live.Admission) error {
	head := []string{"JOB", "DEADLINE", "ANSWER", "TOKENS", "FROM", "TO"}
	e.rows(head, lists.Map(a.Jobs, func(j live.Admitted) []string {
		answer, granted := "fits", words.Count(j.Tokens)
		switch {
		case j.Rearranged:
			answer = "fits, others give way"
		case !j.Fits && j.Tokens > 0:
			answer = "given up: late"
			if float64(j.ToS) <= j.DeadlineS {
				answer = "given up: too near its deadline"
			}
		case !j.Fits && math.IsNaN(float64(j.EarliestS)):
			answer, granted = "refused", words.None
		case !j.Fits:
			answer, granted = "does not fit; earliest deadline "+words.Deadline(j.EarliestS)+" as the others stand",
				words.None
		}
		return []string{words.Printable(j.Job), words.Seconds(j.DeadlineS), answer, granted, words.Seconds(j.FromS),
			words.Seconds(j.ToS)}
	}))
	if !a.Exact && !math.IsNaN(float64(a.Bound)) {
		e.printf("worth %s together; there may be an arrangement worth up to %s\n", words.Number(a.Utility),
			words.Number(a.Bound))
	}
	return e.printJSON(a)
}

package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"racecard/datasets/result"
	"racecard/models/jockey"
	"racecard/pipeline/quantity"
	"racecard/reports/style"
)

// wanted is a job that wants to be in time.
type wanted struct {
	job               string
	deadlineS, startS float64 // from now
	progress, worth   float64
}

// admission is what `table admit` answers.
type admission struct {
	Tokens   int           `json:"tokens"`
	Jobs     []admittedJob `json:"jobs"`
	Utility  float64       `json:"utility"`       // of all jobs that have tokens
	Bound    result.Number `json:"utility_bound"` // with --arrange: no arrangement has more
	Exact    bool          `json:"exact"`         // with --arrange: none has more than this one
	contract []jockey.Contract
}

// admittedJob is the answer for one job. Times are seconds from now.
type admittedJob struct {
	Job        string        `json:"job"`
	DeadlineS  float64       `json:"deadline_s"`
	StartS     float64       `json:"start_s"`
	Fits       bool          `json:"fits"`
	Rearranged bool          `json:"rearranged"` // grants of jobs before it had to change
	EarliestS  result.Number `json:"earliest_deadline_s"`
	Tokens     int           `json:"granted_tokens"` // 0 for a job that is refused
	FromS      result.Number `json:"from_s"`
	ToS        result.Number `json:"to_s"`
}

func tableAdmitCommand(e *env) *cobra.Command {
	o := jockey.DefaultOptions()
	o.Max = 0
	var tokens int
	var arrange bool
	cmd := &cobra.Command{
		Use:   "admit TABLES JOB=DEADLINE...",
		Short: "Say whether jobs with deadlines fit beside each other, over time, in so many tokens",
		Long: "Admits jobs in the order in which they are given: each gets the fewest tokens with which it is in time, from the first\n" +
			"instant at which they are free until it ends, so that at no instant more than --tokens are granted. Where a job does\n" +
			"not fit beside the others as they are, all are arranged anew; where that does not help it is refused, with the\n" +
			"earliest deadline that it could have. How long jobs take on how many tokens is looked up in tables; plans have the slack\n" +
			"and the dead zone of Jockey's loop, which then asks for as many tokens or fewer.\n\n" +
			"With --arrange all are put at once, so that their worth together is greatest: when not all can be in time, that says whose\n" +
			"deadlines are given up. In time a job is worth 1, or what its worth says, and the less the later it is.\n\n" +
			"The exit status is 4 when a job is refused or late, 0 when all are in time.\n\n" +
			"A job is written NAME=DEADLINE[,start=TIME][,progress=SHARE][,worth=NUMBER], with times from now: nightly-index=45m,start=10m.",
		Example: "  racecard table admit web.tables --tokens 100 nightly-index=1h audit=25m\n" +
			"  racecard table admit web.tables --tokens 100 --arrange nightly-index=1h audit=25m,worth=3 report=25m,start=5m --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usageError{fmt.Errorf("%s wants a folder of tables, and jobs with deadlines; see `%s --help`", cmd.Name(), cmd.CommandPath())}
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
			var jobs []wanted
			for _, text := range args[1:] {
				w, err := parseWanted(text)
				if err != nil {
					return usageError{err}
				}
				jobs = append(jobs, w)
			}
			a := &admission{Tokens: tokens, Bound: result.Number(math.NaN())}
			if err := a.contracts(args[0], jobs); err != nil {
				return err
			}
			c := jockey.Cluster{Tokens: tokens, Options: o}
			answer := a.admit
			if arrange {
				answer = a.arrange
			}
			if err := answer(cmd.Context(), c); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if err := e.admission(a); err != nil {
				return err
			}
			return a.refused()
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
func parseWanted(text string) (wanted, error) {
	w := wanted{worth: 1}
	bad := func(why string) (wanted, error) {
		return w, fmt.Errorf("%q: %s; want NAME=DEADLINE[,start=TIME][,progress=SHARE][,worth=NUMBER], such as nightly-index=45m,start=10m", text, why)
	}
	parts := strings.Split(text, ",")
	for i := len(parts) - 1; i > 0; i-- { // a name may hold commas
		key, value, _ := strings.Cut(parts[i], "=")
		var err error
		switch key {
		case "start":
			w.startS, err = quantity.Range{Unit: quantity.Duration, Low: -maxSeconds, High: maxSeconds}.Parse(value)
		case "progress":
			w.progress, err = unitRange().Parse(value)
		case "worth":
			w.worth, err = plain(1e-6, 1e9).Parse(value)
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
	if w.deadlineS, err = deadlineRange().Parse(rest[at+1:]); err != nil {
		return bad("deadline " + rest[at+1:] + ": " + err.Error())
	}
	w.job = rest[:at]
	return w, nil
}

// contracts looks the jobs up.
func (a *admission) contracts(path string, jobs []wanted) error {
	s, err := openTables(path)
	if err != nil {
		return err
	}
	for _, w := range jobs {
		entry, err := s.named(w.job)
		if err != nil {
			return err
		}
		t, err := s.load(entry, false)
		if err != nil {
			return err
		}
		u, err := worth(w.deadlineS, w.worth)
		if err != nil {
			return err
		}
		a.contract = append(a.contract, jockey.Contract{Name: w.job, Estimate: t, Utility: u, ReleaseS: w.startS, Progress: w.progress})
		a.Jobs = append(a.Jobs, admittedJob{Job: w.job, DeadlineS: w.deadlineS, StartS: w.startS, EarliestS: result.Number(math.NaN()),
			FromS: result.Number(math.NaN()), ToS: result.Number(math.NaN())})
	}
	return nil
}

// worth is the utility of a deadline, so many times that of the paper.
func worth(deadlineS, times float64) (jockey.Utility, error) {
	return jockey.NewUtility(jockey.Knot{AtS: deadlineS, Value: times}, jockey.Knot{AtS: deadlineS + 600, Value: -times},
		jockey.Knot{AtS: deadlineS + 60_000, Value: -1000 * times})
}

// admit admits the jobs one after the other.
func (a *admission) admit(ctx context.Context, c jockey.Cluster) error {
	var in []int // jobs that were admitted
	var contracts []jockey.Contract
	var grants []jockey.Grant
	for i := range a.Jobs {
		answer, err := c.Admit(ctx, contracts, grants, a.contract[i])
		if err != nil {
			return err
		}
		j := &a.Jobs[i]
		j.Fits, j.Rearranged = answer.Fits, answer.Rearranged
		if e := answer.EarliestS; !math.IsInf(e, 1) {
			j.EarliestS = result.Number(e)
		}
		if answer.Fits {
			in, contracts, grants = append(in, i), append(contracts, a.contract[i]), answer.Grants
		}
	}
	for k, i := range in {
		a.grant(i, grants[k])
	}
	return nil
}

// arrange puts all jobs at once.
func (a *admission) arrange(ctx context.Context, c jockey.Cluster) error {
	plan, err := c.Arrange(ctx, a.contract)
	if err != nil {
		return err
	}
	for i, g := range plan.Grants {
		a.Jobs[i].Fits = !g.Late
		a.grant(i, g)
	}
	a.Bound, a.Exact = result.Number(plan.Bound), plan.Exact
	return nil
}

func (a *admission) grant(i int, g jockey.Grant) {
	j := &a.Jobs[i]
	j.Tokens, j.FromS, j.ToS = g.Tokens, result.Number(g.FromS), result.Number(g.ToS)
	a.Utility += g.Utility
}

// refused is the error of an answer that is not yes to every job.
func (a *admission) refused() error {
	var names []string
	for _, j := range a.Jobs {
		if !j.Fits {
			names = append(names, style.Shorten(j.Job, longName))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return refusedError{fmt.Errorf("%s of %s cannot be in time: %s", style.Count(int64(len(names))), style.Of(int64(len(a.Jobs)), "job", "jobs"),
		style.List(names[:min(5, len(names))]))}
}

// admission prints an answer.
func (e *env) admission(a *admission) error {
	if e.json {
		return e.printJSON(a)
	}
	rows := [][]string{{"JOB", "DEADLINE", "ANSWER", "TOKENS", "FROM", "TO"}}
	for _, j := range a.Jobs {
		answer, granted := "fits", style.Count(int64(j.Tokens))
		switch {
		case j.Rearranged:
			answer = "fits, others give way"
		case !j.Fits && j.Tokens > 0:
			answer = "given up: late"
		case !j.Fits && math.IsNaN(float64(j.EarliestS)):
			answer, granted = "refused", style.None
		case !j.Fits:
			answer, granted = "refused; not before "+style.Seconds(float64(j.EarliestS)), style.None
		}
		rows = append(rows, []string{style.Printable(j.Job), style.Seconds(j.DeadlineS), answer, granted, style.Seconds(float64(j.FromS)), style.Seconds(float64(j.ToS))})
	}
	if err := table(e.stdout, rows); err != nil {
		return err
	}
	if !a.Exact && !math.IsNaN(float64(a.Bound)) {
		e.printf("worth %s together; there may be an arrangement worth up to %s\n", style.Number(a.Utility), style.Number(float64(a.Bound)))
	}
	return nil
}

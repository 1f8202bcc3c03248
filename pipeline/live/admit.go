package live

import (
	"context"
	"fmt"
	"math"

	"racecard/datasets/result"
	"racecard/models/deadlines/jockey"
)

// Wanted is a job that asks for admission with a deadline. Times are seconds from now.
type Wanted struct {
	Job       string  `json:"job"`
	DeadlineS float64 `json:"deadline_s"`
	StartS    float64 `json:"start_s"`  // when it can start; at or before 0 for one that can, or runs
	Progress  float64 `json:"progress"` // it has made
	Worth     float64 `json:"worth"`    // of being in time; 0 for 1
}

// Admission answers whether jobs fit next to each other.
type Admission struct {
	Tokens  int           `json:"tokens"`
	Jobs    []Admitted    `json:"jobs"`          // in the order of the question
	Utility float64       `json:"utility"`       // of all jobs that have tokens
	Bound   result.Number `json:"utility_bound"` // when arranged: no arrangement has more
	Exact   bool          `json:"exact"`         // when arranged: none has more than this one
}

// Admitted is the answer for one job. Times are seconds from now.
type Admitted struct {
	Job        string        `json:"job"`
	DeadlineS  float64       `json:"deadline_s"`
	StartS     float64       `json:"start_s"`
	Fits       bool          `json:"fits"`
	Rearranged bool          `json:"rearranged"`          // grants of jobs before it had to change
	EarliestS  result.Number `json:"earliest_deadline_s"` // while the others keep their tokens
	Tokens     int           `json:"granted_tokens"`      // 0 for a job that is refused
	FromS      result.Number `json:"from_s"`
	ToS        result.Number `json:"to_s"`
}

// Admit is the function [Admit] with the tables of a generation. A job without a table is an error.
func (g *Generation) Admit(ctx context.Context, c jockey.Cluster, jobs []Wanted, arrange bool) (*Admission, error) {
	return Admit(ctx, c, jobs, arrange, func(job string) (jockey.Estimator, error) {
		if t := g.Table(job); t != nil {
			return t, nil
		}
		return nil, fmt.Errorf("no table of job %q", job)
	})
}

// Admit answers whether jobs fit next to each other in a cluster: one after the other in the given order, or, with
// arrange, all at once so that their total utility is greatest. table finds the estimator of a job.
func Admit(
	ctx context.Context,
	c jockey.Cluster,
	jobs []Wanted,
	arrange bool,
	table func(job string) (jockey.Estimator, error),
) (*Admission, error) {
	a := &Admission{Tokens: c.Tokens, Bound: result.Number(nan)}
	var contracts []jockey.Contract
	for _, w := range jobs {
		e, err := table(w.Job)
		if err != nil {
			return nil, err
		}
		if w.Worth == 0 {
			w.Worth = 1
		}
		u, err := worth(w.DeadlineS, w.Worth)
		if err != nil {
			return nil, fmt.Errorf("job %q: %w", w.Job, err)
		}
		contracts = append(contracts, jockey.Contract{Name: w.Job, Estimate: e, Utility: u, ReleaseS: w.StartS,
			Progress: w.Progress})
		a.Jobs = append(a.Jobs, Admitted{Job: w.Job, DeadlineS: w.DeadlineS, StartS: w.StartS,
			EarliestS: result.Number(nan), FromS: result.Number(nan), ToS: result.Number(nan)})
	}
	if arrange {
		return a, a.arrange(ctx, c, contracts)
	}
	return a, a.admit(ctx, c, contracts)
}

// worth is the utility of a deadline, as a multiple of the paper's utility.
func worth(deadlineS, times float64) (jockey.Utility, error) {
	return jockey.NewUtility(
		jockey.Knot{AtS: deadlineS, Value: times},
		jockey.Knot{AtS: deadlineS + 600, Value: -times},
		jockey.Knot{AtS: deadlineS + 60_000, Value: -1000 * times},
	)
}

// admit admits the jobs one after the other.
func (a *Admission) admit(ctx context.Context, c jockey.Cluster, jobs []jockey.Contract) error {
	var in []int // jobs that were admitted
	var contracts []jockey.Contract
	var grants []jockey.Grant
	for i := range a.Jobs {
		answer, err := c.Admit(ctx, contracts, grants, jobs[i])
		if err != nil {
			return err
		}
		j := &a.Jobs[i]
		j.Fits, j.Rearranged = answer.Fits, answer.Rearranged
		if e := answer.EarliestS; !math.IsInf(e, 1) {
			j.EarliestS = result.Number(e)
		}
		if answer.Fits {
			in, contracts, grants = append(in, i), append(contracts, jobs[i]), answer.Grants
		}
	}
	for k, i := range in {
		a.grant(i, grants[k])
	}
	return nil
}

// arrange puts all jobs at once.
func (a *Admission) arrange(ctx context.Context, c jockey.Cluster, jobs []jockey.Contract) error {
	plan, err := c.Arrange(ctx, jobs)
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

func (a *Admission) grant(i int, g jockey.Grant) {
	j := &a.Jobs[i]
	j.Tokens, j.FromS, j.ToS = g.Tokens, result.Number(g.FromS), result.Number(g.ToS)
	a.Utility += g.Utility
}

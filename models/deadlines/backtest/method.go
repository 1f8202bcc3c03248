package backtest

import (
	"racecard/analyses/quantile"
	"racecard/datasets/lists"
	"racecard/datasets/modelfile"
	"racecard/datasets/trace"
	"racecard/models/deadlines/profile"
)

// method predicts the completion time of a run from past runs of its job. Racecard's model and all baselines are
// methods: the same code asks them and scores their answers. A method must be safe for concurrent use.
type method interface {
	// name is the key of the method in results.
	name() string
	// predict returns the predictive distribution as equally likely times in seconds. One time is a point forecast. The
	// sample is empty if past runs lack what the method needs.
	predict(q *question) (quantile.Sorted, error)
}

// question is one run to predict, and all that a method may know of it.
type question struct {
	job  string
	next next
	past []past // that had ended when next was submitted, oldest first; at least one
	o    *Options

	builder profile.Builder // of all runs of the job
	// surprise was learned from the runs of all jobs that had ended when next was submitted; nil for none
	surprise *modelfile.Surprise
}

// next is a run at its submission. Unknown numbers are NaN.
type next struct {
	id         string
	submit     trace.Instant
	tokens     float64 // the most that it will hold
	inputBytes float64
}

// profile fits a profile to the past runs, with what the other jobs tell.
func (q *question) profile() (*modelfile.Profile, error) {
	known := map[int]bool{}
	for i := range q.past {
		known[q.past[i].index] = true
	}
	fitted, err := q.builder.Only(func(i int) bool { return known[i] }).Fit(q.job, q.o.Profile)
	if err != nil {
		return nil, err
	}
	fitted.Tell(q.surprise)
	return fitted, nil
}

// last returns the newest past run.
func (q *question) last() *past { return &q.past[len(q.past)-1] }

// model is racecard's own method: a profile is fitted to past runs and simulated.
type model struct{}

func (model) name() string { return Racecard }

func (model) predict(q *question) (quantile.Sorted, error) {
	fitted, err := q.profile()
	if err != nil {
		return quantile.Sorted{}, err
	}
	return complete(fitted, &q.next, q.o.Without)
}

// Racecard is the name of our own method among the baselines.
const Racecard = "racecard"

// methods returns all methods, racecard's first, in the order in which they are listed.
func methods() []method {
	all := []method{model{}}
	for _, b := range baselines() {
		all = append(all, b)
	}
	return all
}

// names returns the names of all methods.
func names() []string {
	return lists.Map(methods(), func(m method) string { return m.name() })
}

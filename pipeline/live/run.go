package live

import (
	"errors"
	"fmt"
	"math"

	"racecard/datasets/remaining"
	"racecard/models/deadlines/jockey"
)

var nan = math.NaN()

// Goal is the deadline of a run and the bounds on its tokens.
type Goal struct {
	DeadlineS float64            // since the start of the run
	MinTokens int                // 0 for 1
	MaxTokens int                // 0 for the largest allocation of the table
	Control   *remaining.Control // parameters of the loop; nil for those of the table
}

// Observation is the state of a run at an instant. The first given one of Stages, Done and Progress counts.
type Observation struct {
	NowS     float64   // since the start of the run
	Held     int       // tokens that the run holds; 0 where that is not known
	Stages   []Stage   // as the engine names them: see [Table.Match]
	Done     []float64 // fraction of tasks done of every stage of the plan
	Progress *float64  // in [0, 1], by the indicator of the table
}

// MostSeconds bounds the time since the start of a run: 10,000 days, 27 years. No run lasts as long, but a time since
// 1970, which is the usual mistake, is more, and so is one in milliseconds.
const MostSeconds = 10_000 * 86400

// Decision is the answer of the control loop. Times are seconds since the start of the run. If Hold is set, the run
// should keep the tokens that it holds; Why is the reason, and the other numbers may be NaN.
type Decision struct {
	NowS     float64
	Progress float64 // NaN where it is not known
	Tokens   int     // to request
	Hold     bool
	Why      string
	EarlyS   float64 // predicted end with the tokens held: a tenth of runs end earlier
	EndS     float64 // half of runs end earlier
	LateS    float64 // nine tenths of runs end earlier
	Risk     float64 // chance that the run misses its deadline with the tokens held, in [0, 1]
	// EarliestS is the earliest deadline that could be promised now.
	EarliestS float64
	Slower    float64   // learned factor of slowness, at least 1
	Done      []float64 // fraction of tasks done of every stage of the plan; nil where that is not known
}

// Run is the control loop of one run, after the loop of Jockey (EuroSys 2012, section 4.3) as package jockey extends
// it. Time without progress counts. If the stages are known, it blends the table with Amdahl's law. The loop learns the
// slowness of a run from its first finished task on, since start-up is not slowness. The predicted ends come from the
// table.
type Run struct {
	table *Table
	goal  Goal
	loop  *jockey.Controller
	aged  *jockey.Aged
	mixed *jockey.Staged
	o     jockey.Options
	last  Decision
	begun bool // a task has ended
	steps int  // decisions so far
}

// NewRun makes the loop of a run that begins, with the parameters of the table.
func (t *Table) NewRun(goal Goal) (*Run, error) {
	goal = t.bounded(goal)
	control := t.t.About.Control
	if goal.Control != nil {
		control = *goal.Control
	}
	o, err := options(control, goal.MinTokens, goal.MaxTokens)
	if err != nil {
		return nil, fmt.Errorf("table of %q: %w", t.Job(), err)
	}
	r := &Run{table: t, goal: goal, o: o, aged: &jockey.Aged{Table: t.t}}
	r.mixed = &jockey.Staged{Table: r.aged, Weight: control.Blend}
	if t.plan != nil {
		r.mixed.Stages = jockey.NewAmdahl(t.plan, len(t.t.About.Graph.Stages))
	}
	u, err := jockey.Deadline(goal.DeadlineS)
	if err != nil {
		return nil, err
	}
	r.loop, err = jockey.NewController(r.mixed, u, o)
	return r, err
}

// bounded returns a goal with both bounds.
func (t *Table) bounded(goal Goal) Goal {
	if goal.MinTokens == 0 {
		goal.MinTokens = 1
	}
	if grid := t.t.Allocations; goal.MaxTokens == 0 {
		goal.MaxTokens = max(goal.MinTokens, int(grid[len(grid)-1]))
	}
	return goal
}

// SetBounds changes the bounds on the tokens from the next decision on; 0 is as in [Goal].
func (r *Run) SetBounds(minTokens, maxTokens int) error {
	goal := r.goal
	goal.MinTokens, goal.MaxTokens = minTokens, maxTokens
	if goal = r.table.bounded(goal); goal.MinTokens == r.goal.MinTokens && goal.MaxTokens == r.goal.MaxTokens {
		return nil
	}
	if err := r.loop.SetBounds(goal.MinTokens, goal.MaxTokens); err != nil {
		return err
	}
	r.goal = goal
	return nil
}

// SetDeadline changes the deadline from the next decision on.
func (r *Run) SetDeadline(deadlineS float64) error {
	u, err := jockey.Deadline(deadlineS)
	if err != nil {
		return err
	}
	r.goal.DeadlineS = deadlineS
	r.loop.SetUtility(u)
	return nil
}

// Table returns the table of the loop, from the generation in which the run began.
func (r *Run) Table() *Table { return r.table }

// Goal returns the deadline and the bounds of the run.
func (r *Run) Goal() Goal { return r.goal }

// Last returns the last decision.
func (r *Run) Last() Decision { return r.last }

// Steps is the number of decisions so far.
func (r *Run) Steps() int { return r.steps }

// PeriodS is the time until the next decision, in seconds. A deadline that was over before the run began does not make
// it 0.
func (r *Run) PeriodS() float64 {
	if r.goal.DeadlineS <= 0 {
		return r.o.PeriodS
	}
	return r.o.Period(r.goal.DeadlineS)
}

// Decide answers an observation. It never fails: if the state of the run is not known, it holds and gives the reason.
// An earlier instant than the last one, such as after a clock was set back, counts as the last one. At an instant after
// [MostSeconds] it holds, and the loop forgets the instant. A decision takes time proportional to the stages.
func (r *Run) Decide(o Observation) Decision {
	r.steps++
	d := Decision{
		NowS:      max(o.NowS, r.last.NowS),
		Progress:  nan,
		EarlyS:    nan,
		EndS:      nan,
		LateS:     nan,
		Risk:      nan,
		EarliestS: nan,
		Slower:    1,
	}
	absurd := o.NowS > MostSeconds
	if math.IsNaN(o.NowS) || absurd {
		d.NowS = r.last.NowS
	}
	p, done, err := r.progress(&o)
	if absurd {
		err = fmt.Errorf("the time %g: want seconds since the start of the run, at most %d", o.NowS, MostSeconds)
	}
	if err != nil {
		d.Hold, d.Why, d.Tokens = true, err.Error(), r.held(&o)
		r.last = d
		return d
	}
	r.aged.Observe(d.NowS, p)
	r.mixed.Observe(done)
	if left := r.table.tasksLeft(done); left > 0 {
		r.loop.SetLimit(int(min(left, math.MaxInt32)))
	}
	answer := r.loop.Decide(d.NowS, p)
	if r.begun = r.begun || p > 0; !r.begun {
		r.loop.Forget()
	}
	d.Progress, d.Tokens, d.EarliestS, d.Slower, d.Done = p, answer.Tokens, answer.EarliestS, answer.Slower, done
	r.predict(&d, r.held(&o))
	r.last = d
	return d
}

// held returns the tokens that a run holds, or the tokens of the last decision.
func (r *Run) held(o *Observation) int {
	switch {
	case o.Held > 0:
		return o.Held
	case r.last.Tokens > 0:
		return r.last.Tokens
	}
	return r.goal.MinTokens
}

// mostNamed is how many fractions of stages an error names.
const mostNamed = 20

// progress returns the progress of a run, and the fractions of its stages where they are known.
func (r *Run) progress(o *Observation) (p float64, done []float64, err error) {
	done = o.Done
	switch {
	case o.Stages != nil:
		if done, err = r.table.Match(o.Stages); err != nil {
			return nan, nil, err
		}
	case done == nil && o.Progress != nil:
		if p = *o.Progress; !(p >= 0 && p <= 1) {
			return nan, nil, fmt.Errorf("progress %v: want 0 to 1", p)
		}
		return p, nil, nil
	case done == nil:
		return nan, nil, errors.New("no stages, fractions or progress given")
	}
	if n := len(r.table.t.About.Graph.Stages); len(done) != n {
		return nan, nil, fmt.Errorf("%w: %d fractions of stages, the plan has %d", ErrPlan, len(done), n)
	}
	if p = r.table.Progress(done); math.IsNaN(p) {
		return nan, nil, fmt.Errorf("fractions of stages %v: want 0 to 1", done[:min(len(done), mostNamed)])
	}
	return p, done, nil
}

// predict sets the predicted end and the risk, for a run that keeps its tokens.
func (r *Run) predict(d *Decision, held int) {
	end := func(q float64) float64 { return d.NowS + d.Slower*r.aged.Remaining(d.Progress, float64(held), q) }
	d.EarlyS, d.EndS, d.LateS = end(.1), end(.5), end(.9)
	low, high := 0.0, 1.0
	switch {
	case end(1) <= r.goal.DeadlineS:
		d.Risk = 0
		return
	case end(0) > r.goal.DeadlineS:
		d.Risk = 1
		return
	}
	for high-low > 0.005 {
		if middle := (low + high) / 2; end(middle) <= r.goal.DeadlineS {
			low = middle
		} else {
			high = middle
		}
	}
	d.Risk = 1 - low
}

package serve

import (
	"cmp"
	"io"
	"slices"

	"racecard/datasets/result"
	"racecard/pipeline/live"
)

// Journaled is a run read from a journal.
type Journaled struct {
	App     string
	Records []*Record // its decisions, in order
	Cut     bool      // earlier ones are no longer in the journal
	Ended   bool
}

// ReadRuns returns the runs of a journal, ordered by their last records. A name that was used again after its end is
// another run. broken counts lines that are not records.
func ReadRuns(r io.Reader) (runs []*Journaled, broken int, err error) {
	open := map[string]*Journaled{}
	broken, err = readJournal(r, func(rec *Record) {
		one := open[rec.App]
		switch {
		case rec.Event == EventEnd:
			if one != nil {
				one.Ended = true
				delete(open, rec.App)
			}
			return
		case one == nil:
			one = &Journaled{App: rec.App, Cut: rec.Event == EventCarry}
			open[rec.App] = one
			runs = append(runs, one)
		case rec.Event == EventCarry: // its decision is there already
			return
		}
		one.Records = append(one.Records, rec)
	})
	slices.SortStableFunc(runs, func(a, b *Journaled) int {
		return cmp.Compare(a.Records[len(a.Records)-1].At, b.Records[len(b.Records)-1].At)
	})
	return runs, broken, err
}

// Steered returns the run as a document. journal is the name of the file.
func (j *Journaled) Steered(journal string) *result.Steered {
	s := &result.Steered{App: j.App, Journal: journal, Cut: j.Cut, Ended: j.Ended}
	for i := range j.Records {
		r := j.Records[i]
		s.Job, s.DeadlineS, s.LastS, s.Watch, s.Lost = r.Job, r.DeadlineS, max(s.LastS, r.NowS), r.Watch, r.Lost
		s.Steps = append(s.Steps, result.SteeredStep{AtS: r.NowS, DeadlineS: r.DeadlineS, Progress: r.Progress,
			Outlook: r.Outlook, Slower: r.Slower, Held: r.Executors, Wanted: r.Wanted, Lost: r.Lost, Hold: r.Hold,
			Why: r.Why})
	}
	return s
}

// Replay returns the decisions of a control loop with another goal, at every decision of a run, from the same
// observations. The run itself does not change, although other decisions would have changed its course. A deadline of 0
// means the run's deadline. Executors are tokens divided by the slots of the run.
func (j *Journaled) Replay(t *live.Table, goal live.Goal) ([]live.Decision, error) {
	var run *live.Run
	var out []live.Decision
	for i := range j.Records {
		r := j.Records[i]
		own := goal
		if own.DeadlineS == 0 {
			own.DeadlineS = r.DeadlineS
		}
		if own.MinTokens == 0 {
			own.MinTokens = r.MinTokens
		}
		if own.MaxTokens == 0 {
			own.MaxTokens = r.MaxTokens
		}
		var err error
		if run, err = aimed(t, run, own); err != nil {
			return nil, err
		}
		out = append(out, run.Decide(r.Observation()))
	}
	return out, nil
}

// aimed returns a run with a goal for its next decision, a new one for nil.
func aimed(t *live.Table, run *live.Run, goal live.Goal) (*live.Run, error) {
	if run == nil {
		return t.NewRun(goal)
	}
	if goal.DeadlineS != run.Goal().DeadlineS {
		if err := run.SetDeadline(goal.DeadlineS); err != nil {
			return nil, err
		}
	}
	return run, run.SetBounds(goal.MinTokens, goal.MaxTokens)
}

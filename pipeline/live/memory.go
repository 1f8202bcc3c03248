package live

import "racecard/models/deadlines/jockey"

// Memory is the state of a [Run] between two decisions. With it another process goes on with the run.
type Memory struct {
	NowS     float64       `json:"now_s"`
	Tokens   int           `json:"tokens"`
	Steps    int           `json:"steps"`
	Begun    bool          `json:"begun"` // a task has ended
	Progress float64       `json:"progress"`
	ElapsedS float64       `json:"elapsed_s"` // when the progress was last known
	SinceS   float64       `json:"since_s"`   // when it was reached
	Loop     jockey.Memory `json:"loop"`
}

// Memory returns what the next decision needs of the last ones.
func (r *Run) Memory() Memory {
	s := r.aged.State()
	return Memory{NowS: r.last.NowS, Tokens: r.last.Tokens, Steps: r.steps, Begun: r.begun, Progress: s.Progress,
		ElapsedS: s.ElapsedS, SinceS: s.SinceS, Loop: r.loop.Memory()}
}

// Resume makes a loop that goes on as the one that had a memory.
func (t *Table) Resume(goal Goal, m Memory) (*Run, error) {
	r, err := t.NewRun(goal)
	if err != nil {
		return nil, err
	}
	r.last.NowS, r.last.Tokens, r.steps, r.begun = m.NowS, m.Tokens, m.Steps, m.Begun
	r.aged.Resume(State{Progress: m.Progress, ElapsedS: m.ElapsedS, SinceS: m.SinceS})
	r.loop.Resume(m.Loop)
	return r, nil
}

package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"racecard/datasets/result"
	"racecard/pipeline/live"
)

// Events of a journal.
const (
	EventDecide = "decide"
	EventCarry  = "carry" // the last decision of a control loop, at the beginning of a journal that began anew
	EventEnd    = "end"
)

// Record is a line of a journal: one step of a control loop, with everything needed to repeat it and to go on after it.
type Record struct {
	At         float64       `json:"at"` // Unix time in seconds
	Event      string        `json:"event"`
	App        string        `json:"app"`
	Job        string        `json:"job"`
	Generation int64         `json:"generation"` // of the table
	Table      string        `json:"table"`      // SHA-256 of its file
	DeadlineS  float64       `json:"deadline_s"`
	MinTokens  int           `json:"min_tokens"`
	MaxTokens  int           `json:"max_tokens"`
	Unbounded  bool          `json:"unbounded"` // no request has stated the most tokens
	NowS       float64       `json:"now_s"`
	Held       int           `json:"held"`
	Slots      int           `json:"slots"` // tokens of one executor
	Executors  int           `json:"executors"`
	Lost       int           `json:"lost_executors"` // since the start of the run
	Done       []float64     `json:"done"`           // per stage of the plan; null where it was not known
	Progress   result.Number `json:"progress"`
	Tokens     int           `json:"tokens"`
	Wanted     int           `json:"wanted_executors"`
	Hold       bool          `json:"hold"`
	Why        string        `json:"why"`
	result.Outlook
	Slower result.Number `json:"slower"`
	Watch  bool          `json:"watch"`          // the application only watches: tokens are not requested
	Loop   *live.Memory  `json:"loop,omitempty"` // after the decision
}

// record returns the line of the journal for the last step of an application.
func (one *app) record(q *DecideRequest) *Record {
	d, goal, loop := one.last, one.run.Goal(), one.run.Memory()
	sum, _ := one.run.Table().Sums()
	return &Record{At: unix(one.asked), Event: EventDecide, App: q.App, Job: q.Job, Generation: d.TableGeneration,
		Table: sum, DeadlineS: goal.DeadlineS, MinTokens: goal.MinTokens, MaxTokens: goal.MaxTokens,
		Unbounded: one.most == 0, NowS: *q.NowS, Held: q.held(), Slots: max(1, q.Slots), Executors: q.Executors,
		Lost: q.Lost, Done: slices.Clone(d.done), Progress: d.Progress, Tokens: d.Tokens, Wanted: d.Executors,
		Hold: d.Hold, Why: d.Why, Outlook: d.Outlook,
		Slower: result.Number(d.Slower), Watch: q.Watch, Loop: &loop}
}

// resumed returns the application of a record, with the control loop as it was after the decision.
func (r *Record) resumed(g *live.Generation) (*app, error) {
	table := g.Table(r.Job)
	if table == nil {
		return nil, errNoTable
	}
	if r.Loop == nil {
		return nil, errors.New("a line of another version of racecard")
	}
	least, most := r.MinTokens, r.MaxTokens
	if r.Unbounded {
		most = 0
	}
	run, err := table.Resume(live.Goal{DeadlineS: r.DeadlineS, MinTokens: least, MaxTokens: most}, *r.Loop)
	if err != nil {
		return nil, err
	}
	at := time.UnixMicro(int64(r.At * 1e6))
	return &app{job: r.Job, run: run, least: least, most: most, seen: at, asked: at, last: &Decision{
		App: r.App, Job: table.Job(), Generation: g.Number(), TableGeneration: r.Generation, Tokens: r.Tokens,
		Executors: r.Wanted, Hold: r.Hold, Why: r.Why, NowS: r.Loop.NowS, DeadlineS: r.DeadlineS, Progress: r.Progress,
		Outlook: r.Outlook, Slower: float64(r.Slower), PeriodS: run.PeriodS(), Steps: run.Steps(),
		MinTokens: run.Goal().MinTokens, MaxTokens: run.Goal().MaxTokens, done: r.Done,
	}}, nil
}

// Observation returns the observation of the step.
func (r *Record) Observation() live.Observation {
	o := live.Observation{NowS: r.NowS, Held: r.Held, Done: r.Done}
	if p := float64(r.Progress); r.Done == nil && !math.IsNaN(p) {
		o.Progress = &p
	}
	return o
}

// longestRecord bounds a line of a journal.
const longestRecord = 16 << 20

// readJournal calls do with every record, and returns the number of broken lines: a full disk or a crash leaves some.
func readJournal(r io.Reader, do func(*Record)) (broken int, err error) {
	lines := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for {
		part, err := lines.ReadSlice('\n')
		if len(line) <= longestRecord {
			line = append(line, part...)
		}
		ended := errors.Is(err, io.EOF)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !ended:
			return broken, fmt.Errorf("journal: %w", err)
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			rec := &Record{}
			if len(text) > longestRecord || json.Unmarshal(text, rec) != nil || rec.App == "" ||
				!slices.Contains([]string{EventDecide, EventCarry, EventEnd}, rec.Event) {
				broken++
			} else {
				do(rec)
			}
		}
		if line = line[:0]; ended {
			return broken, nil
		}
	}
}

// Journal keeps lines: see [racecard/datasets/publish.Log].
type Journal interface {
	io.Writer
	Size() int64
	Rotate(first []byte) error
}

// journal appends records, and begins the journal anew when it has grown: with the last records of the control loops.
type journal struct {
	mu    sync.Mutex
	to    Journal            // nil: none is kept
	most  int64              // bytes
	limit int64              // bytes at which it begins anew; 0: most
	open  map[string]*Record // the last record of every control loop
}

// append appends a record. The error may be that the journal did not begin anew: then it goes on as it was.
func (j *journal) append(rec *Record) error {
	if j.to == nil {
		return nil
	}
	line, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.keep(rec)
	if _, err := j.to.Write(append(line, '\n')); err != nil {
		return err
	}
	if j.to.Size() <= max(j.most, j.limit) {
		return nil
	}
	return j.rotate()
}

// keep notes a record as the last one of its application.
func (j *journal) keep(rec *Record) {
	if rec.Event == EventEnd {
		delete(j.open, rec.App)
		return
	}
	j.open[rec.App] = rec
}

// rotate begins the journal anew. If it cannot, or if the control loops fill most of it, it tries again later.
func (j *journal) rotate() error {
	var first bytes.Buffer
	for _, app := range slices.Sorted(maps.Keys(j.open)) {
		rec := *j.open[app]
		rec.Event = EventCarry
		line, err := json.Marshal(&rec)
		if err != nil {
			return err
		}
		first.Write(append(line, '\n'))
	}
	if err := j.to.Rotate(first.Bytes()); err != nil {
		j.limit = j.to.Size() + j.most
		return fmt.Errorf("the journal does not begin anew: %w", err)
	}
	j.limit = 2 * int64(first.Len())
	return nil
}

// size is the number of bytes of the journal.
func (j *journal) size() int64 {
	if j.to == nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.to.Size()
}

package serve

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"racecard/datasets/result"
)

// Events of a journal.
const (
	EventDecide = "decide"
	EventEnd    = "end"
)

// Record is a line of a journal: one step of a control loop, with everything needed to repeat it.
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
	EarlyS     result.Number `json:"early_s"`
	EndS       result.Number `json:"end_s"`
	LateS      result.Number `json:"late_s"`
	Risk       result.Number `json:"risk"`
	Slower     result.Number `json:"slower"`
	Watch      bool          `json:"watch"` // the application only watches: tokens are not requested
}

// longestRecord bounds a line of a journal.
const longestRecord = 16 << 20

// readJournal calls do with every record, and returns the number of broken lines: a crash may have cut off a line.
func readJournal(r io.Reader, do func(Record) error) (broken int, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), longestRecord)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var rec Record
		if json.Unmarshal(lines.Bytes(), &rec) != nil || rec.App == "" ||
			rec.Event != EventDecide && rec.Event != EventEnd {
			broken++
			continue
		}
		if err := do(rec); err != nil {
			return broken, err
		}
	}
	if err := lines.Err(); err != nil {
		return broken, fmt.Errorf("journal: %w", err)
	}
	return broken, nil
}

// journal appends records to a file. A nil writer keeps none.
type journal struct {
	mu sync.Mutex
	to io.Writer
}

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
	_, err = j.to.Write(append(line, '\n'))
	return err
}

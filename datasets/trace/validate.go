package trace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// MaxRows bounds the stages, edges, attempts, allocations and accesses of a run each: a run is in memory as a whole.
const MaxRows = 1 << 23

// MaxTokens bounds the tokens, spare tokens and machines that a run is said to hold, so that their sums fit 64 bits.
const MaxTokens = math.MaxInt32

// Validate checks the invariants that consumers of runs rely on and returns the first breach, or nil:
//
//   - the run has an id; all text is UTF-8; byte counts are null or not negative
//   - tokens and machines are null, or from 0 to [MaxTokens]
//   - instants are null or within [MaxSeconds] of 0, and durations at most that
//   - no known end lies before its known start, and no run ends before it was submitted
//   - edges are sorted and unique, join existing stages, and point from a lower to a higher index, so the graph has no
//     cycle
//   - attempts are sorted, unique and lie in existing stages; their duration is End - Start where both are known
//   - a stage has at least one task, and no more than 32 bits hold; demands are NaN or finite and not negative
//   - no list is longer than [MaxRows]
//
// Readers reject runs that are not valid, so that no store holds one; a store that another program wrote is held to the
// same when it is read. It costs O(size of the run) and allocates nothing unless it fails.
func (r *Run) Validate() error {
	if err := r.validateJob(); err != nil {
		return err
	}
	if n := max(len(r.Stages), len(r.Edges), len(r.Attempts), len(r.Allocations), len(r.IO)); n > MaxRows {
		return fmt.Errorf("run %q: %d stages, edges, attempts, allocations or accesses, at most %d are taken", r.ID, n,
			MaxRows)
	}
	for i := range r.Stages {
		if err := r.Stages[i].validate(); err != nil {
			return fmt.Errorf("run %q: stage %d: %w", r.ID, i, err)
		}
	}
	for i, e := range r.Edges {
		switch {
		case e.Parent < 0 || int(e.Child) >= len(r.Stages):
			return fmt.Errorf("run %q: edge %d->%d: no such stage", r.ID, e.Parent, e.Child)
		case e.Parent >= e.Child:
			return fmt.Errorf("run %q: edge %d->%d: not in topological order", r.ID, e.Parent, e.Child)
		case i > 0 && CompareEdges(r.Edges[i-1], e) >= 0:
			return fmt.Errorf("run %q: edge %d->%d: not sorted or not unique", r.ID, e.Parent, e.Child)
		}
	}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		if err := a.validate(len(r.Stages)); err != nil {
			return fmt.Errorf("run %q: stage %d task %d attempt %d: %w", r.ID, a.Stage, a.Task, a.Attempt, err)
		}
		if i > 0 && compareAttempts(&r.Attempts[i-1], a) >= 0 {
			return fmt.Errorf("run %q: stage %d task %d attempt %d: not sorted or not unique", r.ID, a.Stage, a.Task,
				a.Attempt)
		}
	}
	if !slices.IsSortedFunc(r.Allocations, func(a, b Allocation) int { return cmp.Compare(a.At, b.At) }) {
		return fmt.Errorf("run %q: allocations are not sorted by time", r.ID)
	}
	for i := range r.Allocations {
		a := &r.Allocations[i]
		if !inTime(a.At) {
			return fmt.Errorf("run %q: allocation %d: %w", r.ID, i, errTime)
		}
		for _, of := range [...]int64{a.Tokens, a.Spare, a.Machines} {
			if !tokensOK(of) {
				return fmt.Errorf("run %q: allocation %d: %d tokens or machines, not 0 to %d", r.ID, i, of, MaxTokens)
			}
		}
	}
	for i := range r.IO {
		if a := &r.IO[i]; !inTime(a.At) || a.Dataset == "" || !utf8.ValidString(a.Dataset) || !countOK(a.Bytes) {
			return fmt.Errorf("run %q: io %d: bad dataset, time or byte count", r.ID, i)
		}
	}
	return nil
}

func (r *Run) validateJob() error {
	if r.ID == "" {
		return fmt.Errorf("run without id")
	}
	for _, s := range [...]string{r.ID, r.Name, r.Job, r.User, r.Group, r.Cluster} {
		if !utf8.ValidString(s) {
			return fmt.Errorf("run %q: text is not UTF-8: %q", r.ID, s)
		}
	}
	if !countOK(r.InputBytes) || !countOK(r.ShuffleBytes) || !countOK(r.OutputBytes) ||
		!countOK(r.ExecutorMem) || !countOK(r.ExecutorPeakMem) {
		return fmt.Errorf("run %q: negative byte count", r.ID)
	}
	for _, of := range [...]int64{r.Guaranteed, r.ExecutorCores} {
		if !tokensOK(of) {
			return fmt.Errorf("run %q: %d guaranteed tokens or cores of an executor, not 0 to %d", r.ID, of, MaxTokens)
		}
	}
	if r.Seq < 0 {
		return fmt.Errorf("run %q: number %d in the input", r.ID, r.Seq)
	}
	if !inTime(r.Submit) || !inTime(r.Start) || !inTime(r.End) {
		return fmt.Errorf("run %q: a time further than %d s from 0", r.ID, int64(MaxSeconds))
	}
	if reversed(r.Start, r.End) || reversed(r.Submit, r.End) {
		return fmt.Errorf("run %q: ends before it starts", r.ID)
	}
	return nil
}

func (s *Stage) validate() error {
	switch {
	case s.Tasks != None && (s.Tasks < 1 || s.Tasks > math.MaxInt32):
		return fmt.Errorf("%d tasks", s.Tasks)
	case !inTime(s.Submit) || !inTime(s.Start) || !inTime(s.End):
		return errTime
	case !utf8.ValidString(s.Name):
		return fmt.Errorf("name is not UTF-8: %q", s.Name)
	case !utf8.ValidString(s.Description) || !utf8.ValidString(s.Plan):
		return fmt.Errorf("description or plan is not UTF-8: %q, %q", s.Description, s.Plan)
	case reversed(s.Start, s.End):
		return fmt.Errorf("ends before it starts")
	case s.EstimateS < 0 || math.IsInf(s.EstimateS, 0):
		return fmt.Errorf("estimate of %v s", s.EstimateS)
	}
	return s.Demand.validate()
}

func (a *Attempt) validate(stages int) error {
	switch {
	case a.Stage < 0 || int(a.Stage) >= stages:
		return fmt.Errorf("no such stage")
	case a.Task < 0 || a.Attempt < 0:
		return fmt.Errorf("negative number")
	case !inTime(a.Queued) || !inTime(a.Start) || !inTime(a.End):
		return errTime
	case a.Duration != None && (a.Duration < 0 || a.Duration > maxMicros):
		return fmt.Errorf("duration of %d us", a.Duration)
	case a.Start.Known() && a.End.Known() && a.End.Since(a.Start) != a.Duration:
		return fmt.Errorf("duration %d us is not end - start = %d us", a.Duration, a.End.Since(a.Start))
	case !countOK(a.InputBytes) || !countOK(a.SpillBytes) || !countOK(a.PeakMem):
		return fmt.Errorf("negative byte count")
	case a.GC != None && (a.GC < 0 || a.GC > maxMicros):
		return fmt.Errorf("%d us of garbage collection", a.GC)
	case !utf8.ValidString(a.Machine) || !utf8.ValidString(a.Reason):
		return fmt.Errorf("machine or reason is not UTF-8: %q, %q", a.Machine, a.Reason)
	}
	return a.Demand.validate()
}

func (d *Demand) validate() error {
	for i, v := range d {
		if v < 0 || v > math.MaxFloat64 {
			return fmt.Errorf("%v of %v", Resource(i), v)
		}
	}
	return nil
}

// Validate checks that a machine has a name, that its capacities are NaN or finite and not negative, and that
// its times are in the range for runs.
func (m *Machine) Validate() error {
	capacity := Demand{m.CPU, m.Mem, m.Disk, m.Net, m.GPU}
	switch {
	case m.Name == "" || !utf8.ValidString(m.Name):
		return fmt.Errorf("machine %q: no name, or not UTF-8", m.Name)
	case !inTime(m.From) || !inTime(m.To):
		return fmt.Errorf("machine %q: %w", m.Name, errTime)
	case reversed(m.From, m.To):
		return fmt.Errorf("machine %q: leaves before it comes", m.Name)
	}
	if err := capacity.validate(); err != nil {
		return fmt.Errorf("machine %q: %w", m.Name, err)
	}
	return nil
}

// maxMicros is [MaxSeconds] in the unit of instants.
const maxMicros = MaxSeconds * microsPerSecond

var errTime = fmt.Errorf("a time further than %d s from 0", int64(MaxSeconds))

func inTime(t Instant) bool { return t == None || t >= -maxMicros && t <= maxMicros }

func countOK(n int64) bool { return n == None || n >= 0 }

func tokensOK(n int64) bool { return countOK(n) && n <= MaxTokens }

func reversed(start, end Instant) bool { return start.Known() && end.Known() && end < start }

// CompareEdges orders edges by child, then parent, then kind, as [Run.Edges] is sorted.
func CompareEdges(a, b Edge) int {
	switch {
	case a.Child != b.Child:
		return cmp.Compare(a.Child, b.Child)
	case a.Parent != b.Parent:
		return cmp.Compare(a.Parent, b.Parent)
	default:
		return cmp.Compare(a.Kind, b.Kind)
	}
}

func compareAttempts(a, b *Attempt) int {
	switch {
	case a.Stage != b.Stage:
		return cmp.Compare(a.Stage, b.Stage)
	case a.Task != b.Task:
		return cmp.Compare(a.Task, b.Task)
	default:
		return cmp.Compare(a.Attempt, b.Attempt)
	}
}

// NumberAttempts numbers the attempts of every task from 0, in the order they have.
func NumberAttempts(attempts []Attempt) {
	for i := range attempts {
		a := &attempts[i]
		a.Attempt = 0
		if i > 0 {
			if b := &attempts[i-1]; b.Stage == a.Stage && b.Task == a.Task {
				a.Attempt = b.Attempt + 1
			}
		}
	}
}

// SortAttempts sorts attempts by stage, task and attempt, as [Run.Attempts] is sorted.
func SortAttempts(attempts []Attempt) {
	if !slices.IsSortedFunc(attempts, func(a, b Attempt) int { return compareAttempts(&a, &b) }) {
		slices.SortFunc(attempts, func(a, b Attempt) int { return compareAttempts(&a, &b) })
	}
}

package source

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"maps"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/trace"
)

// maxRaw bounds the bytes of a rejected record that are kept with it.
const maxRaw = 4096

// Reject is a record that could not be used. It is an error only so that it can travel in a stream of runs.
type Reject struct {
	File   string // as the user named it, with the member of an archive after a colon
	Line   int64  // from 1; 0 when the record is not a line
	Field  string // "" when the whole record is at fault
	Reason string // short and constant, so that rejects can be counted by it
	Detail string // the found and the expected value
	Raw    []byte // the record, cut after 4 KiB
}

// NewReject returns a reject that keeps a copy of the first 4 KiB of raw.
func NewReject(file string, line int64, field, reason, detail string, raw []byte) *Reject {
	return &Reject{File: file, Line: line, Field: field, Reason: reason, Detail: detail,
		Raw: slices.Clone(raw[:min(len(raw), maxRaw)])}
}

// Error names file, line, field, reason and detail.
func (r *Reject) Error() string {
	s := r.File
	if r.Line > 0 {
		s += fmt.Sprintf(":%d", r.Line)
	}
	if r.Field != "" {
		s += fmt.Sprintf(": field %q", r.Field)
	}
	s += ": " + r.Reason
	if r.Detail != "" {
		s += ": " + r.Detail
	}
	return s
}

// CutOff makes r the reject of a last line that is incomplete in its file. The fault of the line moves to
// Detail.
func (r *Reject) CutOff() {
	r.Detail = r.Reason + ": " + r.Detail
	r.Reason = ReasonTruncated
}

// maxWarnings bounds the warnings of one kind that are kept word for word.
const maxWarnings = 3

// Tally counts the records of an input by outcome. The zero value is not usable: see [NewTally].
type Tally struct {
	Read     int64             // records met
	Used     int64             // records that are in the tables
	Ignored  map[string]int64  // records left out on purpose, per kind
	Rejected map[string]int64  // records that could not be used, per reason
	Repairs  map[string]int64  // values mended, per kind; the records are in the tables
	Warnings []string          // for people: at most three of a kind, then a count
	Gathered int64             // records that were taken but count only when their jobs are made
	Machines []trace.Machine   // machines of the cluster that the input names
	Units    map[string]string // of columns that keep the trace's own unit
	Header   []string          // description in the input, such as the header comments of SWF
	Totals   map[string]Total  // that descriptions in the input state, by what they count

	HeaderFull bool // Header lacks lines, since more would have exceeded a reader's bound

	kinds  []string // of Warnings
	warned map[string]int64
	once   map[string]bool // kinds of WarnOnce

	repaired int64
	origin   func() Origin
	before   *Tally // as it was at Begin, as far as Drop takes back; nil before the first Begin
}

// Total is a number that descriptions state.
type Total struct {
	Stated []float64 // by each description
	Found  float64   // in the runs that were made
}

// WarnTotals is the kind of warnings about totals.
const WarnTotals = "other totals than stated"

// State notes a total that a description states.
func (t *Tally) State(what string, n float64) {
	total := t.Totals[what]
	total.Stated = append(total.Stated, n)
	t.Totals[what] = total
}

// Find adds n to what the runs that were made have of a total.
func (t *Tally) Find(what string, n float64) {
	total := t.Totals[what]
	total.Found += n
	t.Totals[what] = total
}

// totals warns where other totals were found than stated.
func (t *Tally) totals() {
	for _, what := range slices.Sorted(maps.Keys(t.Totals)) {
		total := t.Totals[what]
		sum := lists.Sum(total.Stated)
		if len(total.Stated) > 0 && sum != total.Found {
			t.Warn(WarnTotals, "the description says %v %s; there are %v", sum, what, total.Found)
		}
	}
}

// Origin is where records come from.
type Origin struct {
	File string
	Line int64  // from 1; 0 when the record is not a line
	Raw  []byte // valid until the next record
}

// NewTally returns an empty Tally.
func NewTally() *Tally {
	return &Tally{
		Ignored: map[string]int64{}, Rejected: map[string]int64{}, Repairs: map[string]int64{},
		Units: map[string]string{}, Totals: map[string]Total{}, warned: map[string]int64{}, once: map[string]bool{},
	}
}

// Use counts a record that is in the tables.
func (t *Tally) Use() { t.Read++; t.Used++ }

// UseMany counts n records that are in the tables.
func (t *Tally) UseMany(n int) { t.Read += int64(n); t.Used += int64(n) }

// IgnoreMany counts n records that are left out on purpose.
func (t *Tally) IgnoreMany(kind string, n int64) { t.Read += n; t.Ignored[kind] += n }

// Ignore counts a record that is left out on purpose.
func (t *Tally) Ignore(kind string) { t.Read++; t.Ignored[kind]++ }

// Reject counts a record that could not be used.
func (t *Tally) Reject(reason string) { t.Read++; t.Rejected[reason]++ }

// RejectMany counts n records that could not be used for one reason, with one reject as their example.
func (t *Tally) RejectMany(reason string, n int64) { t.Read += n; t.Rejected[reason] += n }

// WarnEndsEarly is the kind of the warning that a file is cut off.
const WarnEndsEarly = "file ends early"

// Account counts a reject under its reason, and warns if a file ended early.
func (t *Tally) Account(r *Reject) {
	t.Reject(r.Reason)
	if r.Reason == ReasonTruncated {
		t.Warn(WarnEndsEarly, "%s: %s; what came before line %d is kept", r.File, r.Detail, r.Line)
	}
}

// Unuse turns n used records into rejected ones, for a run whose records were taken before the run proved unusable.
func (t *Tally) Unuse(n int64, reason string) { t.Used -= n; t.Rejected[reason] += n }

// PassOver turns n used records into ignored ones, for a run that is left out on purpose.
func (t *Tally) PassOver(n int64, kind string) { t.Used -= n; t.Ignored[kind] += n }

// Begin says that the warnings, repairs and machines from here on belong to the run that is yielded next.
func (t *Tally) Begin() {
	t.before = &Tally{Repairs: maps.Clone(t.Repairs), Warnings: t.Warnings, Machines: t.Machines, kinds: t.kinds,
		warned: maps.Clone(t.warned), once: maps.Clone(t.once), repaired: t.repaired}
}

// Drop takes back the warnings, repairs and machines since Begin, for a run that is left out. It does nothing for a
// reader that does not call Begin.
func (t *Tally) Drop() {
	if b := t.before; b != nil {
		t.Repairs, t.Warnings, t.Machines, t.kinds = b.Repairs, b.Warnings, b.Machines, b.kinds
		t.warned, t.once, t.repaired = b.warned, b.once, b.repaired
		t.Begin()
	}
}

// Repair counts a value that was mended.
func (t *Tally) Repair(kind string) {
	t.Repairs[kind]++
	t.repaired++
}

// SetOrigin sets the function behind [Tally.Origin]; nil for none.
func (t *Tally) SetOrigin(origin func() Origin) { t.origin = origin }

// Origin returns the source of the current run's records, for a caller that refuses a run the reader accepted.
// For several records the place is the first record's place, and Raw holds them line by line. Fields that the
// reader does not track are empty.
func (t *Tally) Origin() Origin {
	if t.origin == nil {
		return Origin{}
	}
	return t.origin()
}

// Repaired returns how many repairs there were, of all kinds.
func (t *Tally) Repaired() int64 { return t.repaired }

// plainTally is a Tally without methods, so that gob writes its fields.
type plainTally Tally

// tallyForm is a Tally as it is written.
type tallyForm struct {
	Tally    plainTally
	Kinds    []string
	Warned   map[string]int64
	Once     map[string]bool
	Repaired int64
}

// MarshalBinary writes the tally, so that an import that was interrupted can go on with it.
func (t *Tally) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(tallyForm{plainTally(*t), t.kinds, t.warned, t.once, t.repaired})
	return b.Bytes(), err
}

// UnmarshalBinary is the inverse of MarshalBinary.
func (t *Tally) UnmarshalBinary(data []byte) error {
	var f tallyForm
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&f); err != nil {
		return err
	}
	fresh := NewTally()
	for into, from := range map[*map[string]int64]map[string]int64{
		&fresh.Ignored: f.Tally.Ignored, &fresh.Rejected: f.Tally.Rejected, &fresh.Repairs: f.Tally.Repairs,
		&fresh.warned: f.Warned,
	} {
		maps.Copy(*into, from)
	}
	maps.Copy(fresh.Units, f.Tally.Units)
	maps.Copy(fresh.Totals, f.Tally.Totals)
	maps.Copy(fresh.once, f.Once)
	fresh.Read, fresh.Used, fresh.repaired, fresh.kinds = f.Tally.Read, f.Tally.Used, f.Repaired, f.Kinds
	fresh.Warnings, fresh.Machines, fresh.Header = f.Tally.Warnings, f.Tally.Machines, f.Tally.Header
	fresh.HeaderFull = f.Tally.HeaderFull
	*t = *fresh
	return nil
}

// Warn adds a warning. The first three of each kind are kept; [Tally.Close] adds the number of the others.
func (t *Tally) Warn(kind, format string, args ...any) {
	t.warned[kind]++
	if t.warned[kind] <= maxWarnings {
		t.Warnings = append(t.Warnings, kind+": "+fmt.Sprintf(format, args...))
		t.kinds = append(t.kinds, kind)
	}
}

// WarnOnce keeps a finding that is the same wherever it is met.
func (t *Tally) WarnOnce(kind, format string, args ...any) {
	if !t.once[kind] {
		t.once[kind] = true
		t.Warn(kind, format, args...)
	}
}

// Merge adds the counts of another tally, as if they came after t's. Neither may be closed.
func (t *Tally) Merge(other *Tally) {
	t.Read += other.Read
	t.Used += other.Used
	t.repaired += other.repaired
	lists.Add(t.Ignored, other.Ignored)
	lists.Add(t.Rejected, other.Rejected)
	lists.Add(t.Repairs, other.Repairs)
	for i, w := range other.Warnings {
		if kind := other.kinds[i]; !t.once[kind] && t.warned[kind]+int64(count(other.kinds[:i], kind)) < maxWarnings {
			t.Warnings, t.kinds = append(t.Warnings, w), append(t.kinds, kind)
		}
	}
	for kind, n := range other.warned {
		if !t.once[kind] {
			t.warned[kind] += n
		}
	}
	maps.Copy(t.once, other.once)
	t.Machines = append(t.Machines, other.Machines...)
	maps.Copy(t.Units, other.Units)
	for what, total := range other.Totals {
		of := t.Totals[what]
		t.Totals[what] = Total{append(of.Stated, total.Stated...), of.Found + total.Found}
	}
	if !t.HeaderFull {
		t.Header = append(t.Header, other.Header...)
	}
	t.HeaderFull = t.HeaderFull || other.HeaderFull
}

// BoundHeader drops the header's last lines from the first one on that exceeds limit bytes in all.
func (t *Tally) BoundHeader(limit int) {
	for i, line := range t.Header {
		if limit -= len(line); limit < 0 {
			t.Header, t.HeaderFull = t.Header[:i:i], true
			return
		}
	}
}

func count(kinds []string, kind string) int {
	n := 0
	for _, k := range kinds {
		if k == kind {
			n++
		}
	}
	return n
}

// Close ends the tally: it warns of totals, adds the numbers of unlisted warnings of each kind to Warnings, and fails
// if a record is not accounted for.
func (t *Tally) Close() error {
	t.totals()
	for _, kind := range slices.Sorted(maps.Keys(t.warned)) {
		if n := t.warned[kind] - maxWarnings; n > 0 {
			t.Warnings = append(t.Warnings, fmt.Sprintf("%s: %d more", kind, n))
		}
	}
	clear(t.warned)
	if got := t.Used + lists.Total(t.Ignored) + lists.Total(t.Rejected); got != t.Read {
		return fmt.Errorf("%d records were read but %d are accounted for", t.Read, got)
	}
	return nil
}

package google2019

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"racecard/datasets/internal/borg"
	"racecard/datasets/internal/decimal"
	"racecard/datasets/source"
)

// The fields that are read.
const (
	colTime = iota
	colType
	colCollection
	colIndex
	colMachine
	colRequest // a structure as text
	colCPU
	colMem
	colUser
	colName
	colLogical
	colParent
	colAlloc
	colAfter
	colKind
	colMissing
	colWindow // of instance_usage
	numColumns
)

// fieldNames are the names of each field, the likeliest first.
var fieldNames = [numColumns][]string{
	colTime: {"time"},
	colType: {"type", "instance_events_type", "instance_event_type", "collections_events_type",
		"collection_events_type", "collection_event_type"},
	colCollection: {"collection_id"},
	colIndex:      {"instance_index"},
	colMachine:    {"machine_id"},
	colRequest:    {"resource_request"},
	colCPU:        {"resource_request.cpus", "resource_request_cpus"},
	colMem:        {"resource_request.memory", "resource_request_memory"},
	colUser:       {"user"},
	colName:       {"collection_name"},
	colLogical:    {"collection_logical_name"},
	colParent:     {"parent_collection_id"},
	colAlloc:      {"alloc_collection_id"},
	colAfter:      {"start_after_collection_ids"},
	colKind:       {"collection_type"},
	colMissing:    {"missing_type"},
	colWindow:     {"start_time"},
}

// place is the field that a column goes into, and how likely its name is for it, 0 being the likeliest.
type place struct{ col, rank int }

// places returns where the columns of all known names go.
func places() map[string]place {
	all := map[string]place{}
	for col, names := range fieldNames {
		for rank, name := range names {
			all[name] = place{col, rank}
		}
	}
	return all
}

// cells are the fields of a record as text, "" where they are null. They are valid until the next record.
type cells struct {
	text [numColumns]string
	rank [numColumns]int // of the name under which the text was found

	field, reason, detail string // of the first fault
}

func (c *cells) reset() { *c = cells{} }

// set stores a field under one of its names; a likelier name of the same field wins.
func (c *cells) set(col, rank int, text string) {
	switch text {
	case "null", "None", "NULL", "NaN", "nan", "<NA>":
		text = ""
	}
	if c.text[col] == "" || rank <= c.rank[col] && text != "" {
		c.text[col], c.rank[col] = text, rank
	}
}

func (c *cells) fault(col int, reason, format string, args ...any) {
	if c.reason == "" {
		c.field, c.reason, c.detail = fieldNames[col][min(c.rank[col], len(fieldNames[col])-1)], reason,
			fmt.Sprintf(format, args...)
	}
}

// record is an event of a collection or of an instance.
type record struct {
	instance      bool
	event         borg.Happening
	user          string
	name, logical string
	parent, alloc bool // it has one
	reconstructed bool
	after         []int64
}

// parse reads the fields. A kind that is not empty says as what the record is to be ignored; otherwise there may be a
// fault.
func (c *cells) parse(rec *record) (collection int64, kind string) {
	*rec = record{after: rec.after[:0]}
	switch {
	case c.text[colCollection] == "" && c.text[colMachine] != "":
		return 0, ignoredMachine
	case c.text[colCollection] == "":
		c.fault(colCollection, source.ReasonNoID, "the record has none")
		return 0, ""
	case c.text[colType] == "" && c.text[colTime] == "" && c.text[colWindow] != "":
		return 0, ignoredUsage
	}
	switch strings.ToUpper(c.text[colKind]) {
	case "", "0", "0.0", "JOB":
	case "1", "1.0", "ALLOC_SET":
		return 0, ignoredAlloc
	default:
		c.fault(colKind, source.ReasonBadEvent, "%.40q, want JOB or ALLOC_SET", c.text[colKind])
	}
	collection = c.integer(colCollection, 0, math.MaxInt64)
	rec.event = borg.Happening{Time: c.time(), Event: c.event(), CPU: c.share(colCPU), Mem: c.share(colMem)}
	if c.text[colRequest] != "" {
		c.request(&rec.event)
	}
	if c.text[colIndex] != "" {
		rec.instance = true
		rec.event.Task = int32(c.integer(colIndex, 0, math.MaxInt32))
	}
	if m := c.text[colMachine]; m != "" {
		if n := c.integer(colMachine, -1, math.MaxInt64); n > 0 {
			rec.event.Machine = strconv.FormatInt(n, 10)
		}
	}
	rec.user, rec.name, rec.logical = c.text[colUser], c.text[colName], c.text[colLogical]
	for _, col := range [...]int{colUser, colName, colLogical} {
		if !utf8.ValidString(c.text[col]) {
			c.fault(col, source.ReasonNotUTF8, "bytes that are no UTF-8")
		}
	}
	rec.parent = c.text[colParent] != "" && c.integer(colParent, 0, math.MaxInt64) > 0
	rec.alloc = c.text[colAlloc] != "" && c.integer(colAlloc, 0, math.MaxInt64) > 0
	rec.reconstructed = c.text[colMissing] != "" && c.text[colMissing] != "0" && c.text[colMissing] != "0.0" &&
		c.text[colMissing] != "MISSING_TYPE_NONE"
	rec.after = c.ids(colAfter, rec.after)
	return collection, ""
}

// integer parses a whole number, which other tools may have written as a floating-point one.
func (c *cells) integer(col int, least, most int64) int64 {
	n, ok := wholeNumber(c.text[col])
	if !ok || n < least || n > most {
		c.fault(col, source.ReasonBadNumber, "%.40q, want a whole number of at least %d", c.text[col], least)
	}
	return n
}

func wholeNumber(s string) (int64, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	x, ok := decimal.Parse(s)
	switch {
	case !ok || x != math.Trunc(x):
		return 0, false
	case x == 1<<63: // what is left of 2^63-1
		return math.MaxInt64, true
	default:
		return int64(x), math.Abs(x) <= 1<<53
	}
}

func (c *cells) time() int64 {
	if c.text[colTime] == "" {
		c.fault(colTime, source.ReasonMissing, "every event has a time")
		return 0
	}
	t := c.integer(colTime, 0, math.MaxInt64)
	if !borg.ValidTime(t) {
		c.fault(colTime, source.ReasonBadNumber, "%.40q, want microseconds", c.text[colTime])
	}
	return t
}

// eventNames are the names of events, by their number.
var eventNames = [borg.NumEvents]string{
	"SUBMIT", "QUEUE", "ENABLE", "SCHEDULE", "EVICT", "FAIL", "FINISH", "KILL", "LOST", "UPDATE_PENDING",
	"UPDATE_RUNNING",
}

func (c *cells) event() borg.Event {
	s := c.text[colType]
	if s == "" {
		c.fault(colType, source.ReasonMissing, "every event has a type")
		return 0
	}
	if n, ok := wholeNumber(s); ok && n >= 0 && n < borg.NumEvents {
		return borg.Event(n)
	}
	for n, name := range eventNames {
		if strings.EqualFold(s, name) {
			return borg.Event(n)
		}
	}
	c.fault(colType, source.ReasonBadEvent, "%.40q, want a number below %d or a name such as SUBMIT", s, borg.NumEvents)
	return 0
}

// maxShare bounds amounts, which are shares of a machine; sums of them stay finite.
const maxShare = 1e9

// share parses a normalised amount, NaN where there is none.
func (c *cells) share(col int) float64 {
	if c.text[col] == "" {
		return math.NaN()
	}
	x, ok := decimal.Parse(c.text[col])
	if !ok || x < 0 || x > maxShare {
		c.fault(col, source.ReasonBadNumber, "%.40q, want a share: a number of at least 0", c.text[col])
		return math.NaN()
	}
	return x
}

// request reads a structure as Python or JSON prints it: {'cpus': 0.02, 'memory': None}.
func (c *cells) request(h *borg.Happening) {
	for _, part := range []struct {
		key  string
		col  int
		into *float64
	}{{"cpus", colCPU, &h.CPU}, {"memory", colMem, &h.Mem}} {
		_, rest, ok := strings.Cut(c.text[colRequest], part.key)
		if !ok || c.text[part.col] != "" {
			continue
		}
		rest = strings.TrimLeft(rest, `'": `)
		end := strings.IndexAny(rest, ",}")
		if end < 0 {
			c.fault(colRequest, source.ReasonBadNumber, "%.80q, want {'cpus': NUMBER, 'memory': NUMBER}",
				c.text[colRequest])
			return
		}
		c.set(part.col, 0, strings.TrimSpace(rest[:end]))
		*part.into = c.share(part.col)
	}
}

// maxIDs bounds the ids of a list. Each of them is kept in memory.
const maxIDs = 1 << 16

// ids appends the ids of a list: [1, 2], [1 2], ["1","2"] or 1 2.
func (c *cells) ids(col int, to []int64) []int64 {
	for rest := c.text[col]; ; {
		rest = strings.TrimLeft(rest, " \t\r\n,[]\"'")
		if rest == "" {
			return to
		}
		end := strings.IndexAny(rest, " \t\r\n,[]\"'")
		if end < 0 {
			end = len(rest)
		}
		n, ok := wholeNumber(rest[:end])
		if !ok || n < 0 {
			c.fault(col, source.ReasonBadNumber, "%.40q, want ids of collections", rest[:end])
			return to
		}
		if len(to) == maxIDs {
			c.fault(col, source.ReasonTooMany, "more than %d ids", maxIDs)
			return to
		}
		to, rest = append(to, n), rest[end:]
	}
}

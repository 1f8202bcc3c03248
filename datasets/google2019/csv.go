package google2019

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"racecard/datasets/lists"
	"racecard/datasets/source"
)

const (
	// maxRecord bounds the bytes of a CSV record.
	maxRecord = 256 << 10
	// maxTail is how many lines the record may have on which a file ends early. A quote that is open for longer was not
	// cut off; it should not be there.
	maxTail = 64
)

// physical is a line of a file, kept until its record is whole.
type physical struct {
	number  int64
	text    string // the beginning of it, when it is too long
	tooLong bool   // longer than maxRecord
	last    bool   // the file ended with it, without a line end
}

// csvRecord is the lines of a record, which goes on while the quotes in it are odd in number.
type csvRecord struct {
	lines []physical
	text  string
	open  bool // it does not end within maxRecord
	cut   bool // it does not end before the file does
}

// csvRecords splits a file into records.
type csvRecords struct {
	lines  *source.Lines
	window []physical // the lines of the record, and those behind it that were read before
	taken  int        // how many of them are the record's
}

// line takes one more line into the record.
func (r *csvRecords) line() bool {
	if r.taken == len(r.window) {
		if !r.lines.Next() || r.lines.Cut() {
			return false
		}
		r.window = append(r.window,
			physical{r.lines.Number(), string(r.lines.Bytes()), r.lines.TooLong(), r.lines.Last()})
	}
	r.taken++
	return true
}

// next returns the next record.
func (r *csvRecords) next(rec *csvRecord) bool {
	r.window, r.taken = r.window[r.taken:], 0
	*rec = csvRecord{}
	for size, quotes := 0, 0; r.taken == 0 || quotes%2 != 0; {
		if !r.line() {
			if r.taken == 0 {
				return false
			}
			rec.cut, rec.open = r.taken <= maxTail, r.taken > maxTail
			break
		}
		l := &r.window[r.taken-1]
		if size += len(l.text) + 1; size > maxRecord+1 || l.tooLong {
			rec.open = true
			break
		}
		quotes += strings.Count(l.text, `"`)
	}
	rec.lines = r.window[:r.taken]
	rec.text = rec.lines[0].text
	if len(rec.lines) > 1 {
		texts := lists.Map(rec.lines, func(l physical) string { return l.text })
		rec.text = strings.Join(texts, "\n")
	}
	return true
}

// giveUp leaves only the first line in a record that is none: the next record begins with the second.
func (r *csvRecords) giveUp(rec *csvRecord) {
	r.taken = 1
	rec.lines = rec.lines[:1]
	rec.text = rec.lines[0].text
}

// last reports whether the file ended with the record, without a line end.
func (rec *csvRecord) last() bool { return rec.cut || rec.lines[len(rec.lines)-1].last }

// splitter is a csv.Reader that is fed one record at a time.
type splitter struct {
	feed bytes.Reader
	buf  []byte
	csv  *csv.Reader
}

// split returns the fields of a record, valid until the next.
func (s *splitter) split(record string) ([]string, error) {
	if s.csv == nil {
		s.csv = csv.NewReader(&s.feed)
		s.csv.FieldsPerRecord, s.csv.ReuseRecord = -1, true
	}
	s.buf = append(append(s.buf[:0], record...), '\n')
	s.feed.Reset(s.buf)
	from := s.csv.InputOffset()
	row, err := s.csv.Read()
	if err == nil && s.csv.InputOffset()-from != int64(len(s.buf)) {
		err = errors.New("text behind the record")
	}
	if err != nil { // what is left of a bad record must not come before the next
		s.csv = nil
	}
	return row, err
}

// csv takes the records of a file.
func (r *reader) csv(f *source.File, number int32, in io.Reader) bool {
	recs := &csvRecords{lines: source.NewLines(in, maxRecord)}
	var rec csvRecord
	var split splitter
	var places []place // nil before the header
	var header string
	for recs.next(&rec) {
		if err := r.Ctx.Err(); err != nil {
			return r.Fail(err)
		}
		reason, detail := "", ""
		var row []string
		var err error
		switch {
		case rec.cut && recs.lines.Err() != nil: // the stream broke off: see below
			continue
		case rec.text == "":
			r.Tally.Ignore(ignoredBlank)
			continue
		case places != nil && rec.text == header: // files that were put one behind the other
			r.Tally.Ignore(ignoredHeader)
			continue
		case rec.lines[0].tooLong:
			reason, detail = source.ReasonLineTooLong, fmt.Sprintf("more than %d bytes", maxRecord)
		case rec.open:
			reason, detail = ReasonQuote, fmt.Sprintf("not within %d bytes or before the file ends", maxRecord)
		case rec.cut:
			reason, detail = ReasonQuote, "before the file ends"
		case !utf8.ValidString(rec.text) || strings.IndexByte(rec.text, 0) >= 0:
			reason, detail = source.NotText([]byte(rec.text))
		default:
			if row, err = split.split(rec.text); err != nil {
				reason, detail = ReasonBadCSV, err.Error()
			} else if places != nil && len(row) != len(places) {
				reason, detail = source.ReasonFields, fmt.Sprintf("%d, the header has %d", len(row), len(places))
			}
		}
		more := true
		switch {
		case reason != "":
			damaged := reason == source.ReasonNotUTF8 || reason == source.ReasonNotText ||
				reason == source.ReasonLineTooLong
			if rec.last() && !damaged {
				reason, detail = source.ReasonTruncated, reason+": "+detail
			} else {
				recs.giveUp(&rec)
			}
			more = r.Reject(source.NewReject(f.Name, rec.lines[0].number, "", reason, detail, []byte(rec.text)))
		case places == nil:
			if places = r.header(row); places == nil {
				return r.Fail(fmt.Errorf("%s: neither JSON Lines nor Parquet, and its first line names no column %s",
					f.Name, fieldNames[colCollection][0]))
			}
			header = rec.text
			r.Tally.Ignore(ignoredHeader)
		default:
			r.cells.reset()
			for i, p := range places {
				if p.col >= 0 {
					r.cells.set(p.col, p.rank, row[i])
				}
			}
			more = r.take(f, number, rec.lines[0].number, rec.last(), func() []byte { return []byte(rec.text) })
		}
		if !more {
			return false
		}
	}
	return r.Ended(f, recs.lines)
}

// header returns the columns of a file, nil if they belong to no known table.
func (r *reader) header(row []string) []place {
	found := make([]place, len(row))
	some := false
	for i, name := range row {
		found[i] = place{-1, 0}
		if p, ok := r.places[strings.ToLower(strings.TrimSpace(name))]; ok {
			found[i] = p
			some = some || p.col == colCollection || p.col == colMachine
		}
	}
	if !some {
		return nil
	}
	return found
}

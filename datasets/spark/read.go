package spark

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Kinds of ignored lines, besides events of other classes.
const (
	IgnoredBlank     = "blank line"
	IgnoredCut       = "cut-off line"
	IgnoredCompacted = "replaced by compaction"
	IgnoredMarker    = "application status"
)

// Read yields one run per application attempt in files, in the order of the first file of each log. A yielded run is
// not used again by the reader. Memory is bounded by the largest application.
//
// Lines that are not JSON, lack a field without which they mean nothing, or are longer than [source.MaxLine] are
// yielded as rejects. So is, once, a log whose run cannot be used: its id occurred before, or its parts contradict each
// other; all its events become rejected. A file that cannot be opened or read ends the stream.
func Read(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
	return readKeyed(ctx, files, tally, "")
}

// readKeyed is Read with the property that names the recurring job of a run, "" for none.
func readKeyed(ctx context.Context, files []*source.File, tally *source.Tally, jobKey string) iter.Seq2[*trace.Run,
	error] {
	return func(yield func(*trace.Run, error) bool) {
		r := reader{Output: source.Output{Ctx: ctx, Tally: tally, Yield: yield, IDs: source.NewIDs()}, jobKey: jobKey}
		tally.SetOrigin(func() source.Origin { return source.Origin{File: r.log.parts[0].file.Name} })
		defer tally.SetOrigin(nil)
		for _, l := range logsOf(files) {
			if !r.readLog(l) {
				return
			}
		}
	}
}

// reader goes through logs. Its methods report whether the caller wants more.
type reader struct {
	source.Output
	jobKey string // property that names the recurring job; "" for none

	log   *log
	app   *app
	lines int64 // of the log, blank ones left out
}

func (r *reader) readLog(l *log) bool {
	r.log, r.app, r.lines = l, newApp(r.jobKey), 0
	r.Tally.Begin()
	for _, f := range l.markers {
		if !r.pass(f, IgnoredMarker) {
			return false
		}
	}
	for _, f := range l.passed {
		if !r.pass(f, IgnoredCompacted) {
			return false
		}
	}
	for _, p := range l.parts {
		if !r.readFile(p.file) {
			return false
		}
	}
	if r.app.events == 0 && r.lines > 0 {
		r.Tally.Warn(WarnNoApplication, "%s: no line is an event of an application", l.parts[0].file.Name)
	}
	return r.finish()
}

// pass counts the lines of a file that holds nothing for the tables.
func (r *reader) pass(f *source.File, kind string) bool {
	in, ok := r.Open(f)
	if !ok {
		return false
	}
	defer in.Close()
	lines := source.NewLines(in, 0)
	for lines.Next() {
		r.Tally.Ignore(kind)
	}
	return r.ended(f, lines)
}

// ended looks at why there are no more lines.
func (r *reader) ended(f *source.File, lines *source.Lines) bool {
	switch err := lines.Err(); {
	case err == nil:
		return true
	case source.IsTruncated(err):
		r.Tally.Warn(WarnEndsEarly, "%s: the compressed log breaks off after line %d", f.Name, lines.Number())
		return true
	default:
		return r.Fail(fmt.Errorf("%s: after line %d: %w", f.Name, lines.Number(), err))
	}
}

func (r *reader) readFile(f *source.File) bool {
	in, ok := r.Open(f)
	if !ok {
		return false
	}
	defer in.Close()
	lines := source.NewLines(in, 0)
	for lines.Next() {
		if lines.Number()%1024 == 1 && r.Ctx.Err() != nil {
			return r.Fail(r.Ctx.Err())
		}
		if !r.readLine(f, lines) {
			return false
		}
	}
	return r.ended(f, lines)
}

// readLine accounts for one line.
func (r *reader) readLine(f *source.File, lines *source.Lines) bool {
	line := lines.Bytes()
	if lines.TooLong() {
		r.lines++
		return r.Refuse(f.Name, lines.Number(),
			source.NewFault("", source.ReasonLineTooLong, "more than %d bytes", source.MaxLine), line)
	}
	if len(bytes.TrimSpace(line)) == 0 {
		r.Tally.Ignore(IgnoredBlank)
		return true
	}
	r.lines++
	name, bad := eventName(line)
	e := eventOf(name)
	if e == logStart && r.app.started && len(r.log.parts) == 1 && !r.finish() { // another log follows in the same file
		return false
	}
	if bad == nil {
		bad = r.take(e, name, line)
	}
	cut := bad != nil && bad.Reason == source.ReasonBadJSON && lines.Last() &&
		bytes.HasPrefix(bytes.TrimSpace(line), []byte{'{'})
	switch {
	case bad == nil:
		return true
	case lines.Cut(): // why will be told at the end of the file
		r.Tally.Ignore(IgnoredCut)
		return true
	case cut:
		r.Tally.Ignore(IgnoredCut)
		r.Tally.Warn(WarnEndsEarly, "%s: line %d, the last, is cut off; what came before it is kept", f.Name,
			lines.Number())
		return true
	}
	return r.Refuse(f.Name, lines.Number(), bad, line)
}

// take reads one event and counts it, or returns its fault.
func (r *reader) take(e event, name, line []byte) *source.Fault {
	if e == otherEvent {
		if !closed(line) {
			return source.NewFault("", source.ReasonBadJSON, "the line does not end with '}'")
		}
		r.Tally.Ignore(className(name))
		return nil
	}
	mended := !utf8.Valid(line)
	if mended {
		line = bytes.ToValidUTF8(line, []byte("\ufffd"))
	}
	if bad := r.app.take(e, scan(line)); bad != nil {
		return bad
	}
	if mended {
		r.app.findings.repairs[RepairUTF8]++
	}
	r.Tally.Use()
	return nil
}

// finish yields the run of the application that was read, or the reject it becomes, and starts another.
func (r *reader) finish() bool {
	a := r.app
	if a.events == 0 {
		return true
	}
	r.app = newApp(r.jobKey)
	file := r.log.parts[0].file.Name
	id, stated := a.runID(strings.ToValidUTF8(r.log.name, "\ufffd"))
	run, err := a.build(id)
	if err != nil {
		return r.Withdraw(file, a.events, source.NewFault("", source.ReasonInconsistent, "%v", err))
	}
	if bad := r.Admit(run, "App ID", ": is this a copy of another log?"); bad != nil {
		return r.Withdraw(file, a.events, bad)
	}
	if !stated {
		r.Tally.Warn(WarnNoID, "%s: no App ID: the run is called %q after the file", file, id)
	}
	a.report(file, len(run.Stages), r.Tally)
	r.Tally.Machines = append(r.Tally.Machines, machines(a.resources(), a.end)...)
	defer r.Tally.Begin() // another application may follow in the log
	return r.Yield(run, nil)
}

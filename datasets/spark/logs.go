package spark

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"racecard/datasets/source"
)

// log is the event log of one application attempt: one file, or several that follow each other.
type log struct {
	name    string         // base name of the file, or the application that the names of rolling files state
	parts   []part         // to read one after the other
	passed  []*source.File // replaced by a compacted part
	markers []*source.File // without events
}

type part struct {
	file    *source.File
	number  int64
	compact bool
}

const (
	rollingPrefix = "events_"
	markerPrefix  = "appstatus_"
	folderPrefix  = "eventlog_v2_"
	compactEnding = ".compact"
)

// logsOf groups files into logs, in the order of the first file of each.
func logsOf(files []*source.File) []*log {
	var logs []*log
	byKey := map[string]*log{}
	of := func(key, name string) *log {
		if key != "" && byKey[key] != nil {
			return byKey[key]
		}
		l := &log{name: name}
		logs = append(logs, l)
		if key != "" {
			byKey[key] = l
		}
		return l
	}
	for _, f := range files {
		folder, base := split(f.Name)
		if app, ok := strings.CutPrefix(base, markerPrefix); ok {
			app = trimEndings(app)
			l := of(folder+"\x00"+app, app)
			l.markers = append(l.markers, f)
			continue
		}
		if number, app, compact, ok := rolling(base); ok {
			l := of(folder+"\x00"+app, app)
			l.parts = append(l.parts, part{f, number, compact})
			continue
		}
		l := of("", f.Base())
		l.parts = append(l.parts, part{file: f})
	}
	for _, l := range logs {
		l.arrange()
	}
	return logs
}

// together names the rolling log that a file belongs to, "" for a file that is a whole log.
func together(f *source.File) string {
	folder, base := split(f.Name)
	if app, ok := strings.CutPrefix(base, markerPrefix); ok {
		return folder + trimEndings(app)
	}
	if _, app, _, ok := rolling(base); ok {
		return folder + app
	}
	return ""
}

// arrange puts the parts in the order of their numbers, and drops those that the last compacted part replaces.
func (l *log) arrange() {
	slices.SortStableFunc(l.parts, func(x, y part) int {
		return cmp.Or(cmp.Compare(x.number, y.number), cmp.Compare(btoi(x.compact), btoi(y.compact)))
	})
	for i := len(l.parts) - 1; i > 0; i-- {
		if l.parts[i].compact {
			for _, p := range l.parts[:i] {
				l.passed = append(l.passed, p.file)
			}
			l.parts = l.parts[i:]
			return
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rolling takes apart the name of a rolling file: events_<number>_<application>[.codec][.compact].
func rolling(base string) (number int64, app string, compact, ok bool) {
	rest, ok := strings.CutPrefix(base, rollingPrefix)
	if !ok {
		return 0, "", false, false
	}
	digits, app, ok := strings.Cut(rest, "_")
	number, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || number < 0 {
		return 0, "", false, false
	}
	name := trimEndings(app)
	return number, name, strings.Contains(app[len(name):], compactEnding), true
}

// trimEndings removes suffixes from the name of a log, after the application's id.
func trimEndings(name string) string {
	for {
		dot := strings.LastIndexByte(name, '.')
		if dot <= 0 {
			return name
		}
		switch name[dot:] {
		case compactEnding, ".inprogress", ".lz4", ".lzf", ".snappy", ".zstd", ".zst", ".gz", ".bz2":
			name = name[:dot]
		default:
			return name
		}
	}
}

// split separates the name of a file from the folders and archives before it.
func split(name string) (folder, base string) {
	i := strings.LastIndexAny(name, `/\:`) + 1
	return name[:i], name[i:]
}

package source

import (
	"iter"
	"slices"
	"sync"
)

// Note is something that was noticed while a file was read and is no fault of a record.
type Note struct {
	File string // its name
	Kind string // short and constant, as for [Tally.Warn]
	Text string
}

// Kinds of notes.
const (
	NoteShrank   = "file shrank while it was read"
	NoteGrew     = "file grew while it was read"
	NoteChanged  = "file changed while it was read"
	NoteTrailing = "bytes behind compressed content ignored"
	NoteBehind   = "bytes behind an archive ignored"
)

// notes are the notes on a file, one of a kind. A nil notes keeps none.
type notes struct {
	mu  sync.Mutex
	all []Note
}

func (n *notes) add(kind, text string) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.ContainsFunc(n.all, func(o Note) bool { return o.Kind == kind }) {
		n.all = append(n.all, Note{Kind: kind, Text: text})
	}
}

// Notes returns the notes on files, and on the archives that hold them, made while they were read: at most one
// note of a kind for each.
func Notes(files []*File) []Note {
	var all []Note
	for f := range withArchives(files) {
		f.notes.mu.Lock()
		for _, n := range f.notes.all {
			n.File = f.Name
			all = append(all, n)
		}
		f.notes.mu.Unlock()
	}
	return all
}

// Missing returns the number of raw bytes that were listed or opened but could not be read, since files or their
// archives shrank. name is the name of the first such file.
func Missing(files []*File) (n int64, name string) {
	for f := range withArchives(files) {
		m := f.missing.Load()
		if n == 0 && m > 0 {
			name = f.Name
		}
		n += m
	}
	return n, name
}

// withArchives yields files, and before the members of an archive the archive.
func withArchives(files []*File) iter.Seq[*File] {
	return func(yield func(*File) bool) {
		var last *File
		for _, f := range files {
			if a := f.archive; a != nil && a != last {
				if last = a; !yield(a) {
					return
				}
			}
			if !yield(f) {
				return
			}
		}
	}
}

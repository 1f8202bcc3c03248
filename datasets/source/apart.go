package source

import "slices"

// Among tells files that they are part of a larger input whose files have the names given, the first of them at index
// from: then the part has the same [Labels] and [IDPrefixes] as in the whole input. Processes that read an input batch
// by batch use it.
func Among(files []*File, names []string, from int) {
	whole := &among{from: from, of: make([]*File, len(names))}
	for i, name := range names {
		whole.of[i] = &File{Name: name}
	}
	for _, f := range files {
		f.among = whole
	}
}

// among is the input that a file is part of.
type among struct {
	of   []*File // with names only
	from int     // index of the first file of the part
}

// FileState is the record of a file that was read, for the process that merges the parts of others.
type FileState struct {
	Read    int64 // raw bytes
	Missing int64 // bytes that it had and that could not be read
	SHA256  string
	Notes   []Note
}

// State returns the record of a file. It must not be a member of an archive.
func (f *File) State() FileState {
	f.notes.mu.Lock()
	defer f.notes.mu.Unlock()
	return FileState{Read: f.raw.Load(), Missing: f.missing.Load(), SHA256: f.sha256, Notes: slices.Clone(f.notes.all)}
}

// Restore makes a file as if it had been read here.
func (f *File) Restore(s FileState) {
	f.raw.Store(s.Read)
	f.missing.Store(s.Missing)
	f.sha256 = s.SHA256
	f.notes.mu.Lock()
	defer f.notes.mu.Unlock()
	f.notes.all = slices.Clone(s.Notes)
}

// Member reports whether the file lies in an archive.
func (f *File) Member() bool { return f.archive != nil }

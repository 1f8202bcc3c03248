package source

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"
)

// File is one input: something with a name that can be opened and read from the start. All but streams ([NewStream])
// can be opened more than once.
type File struct {
	Name string // as the user named it; members of archives follow a colon
	Size int64  // raw bytes, before decompression; -1 when not known

	// Modified is when the file was written, in nanoseconds of Unix time; 0 when not known.
	Modified int64

	// Readable are the permission bits of the file, 0 if unknown. Members of an archive have the archive's bits.
	Readable fs.FileMode

	// Transient reports that no later process can read the content again, as with a pipe.
	Transient bool

	open    func(context.Context) (io.ReadCloser, error)
	stream  *stream      // nil if it can be opened more than once
	archive *File        // that it is a member of; nil for none
	raw     atomic.Int64 // raw bytes read so far by the latest Open
	missing atomic.Int64 // bytes that it had and that could not be read
	sha256  string
	notes   notes
	lineEnd bool    // see [File.WantLineEnd]
	among   *among  // nil for a file of an input that one process reads
	prefix  *string // see [File.SetIDPrefix]; nil where the names of the files decide
}

// WantLineEnd says that the file may still grow: plain content breaks off inside its last line, unless that has an end.
// Compressed files and members of archives are whole when they can be read to their ends.
func (f *File) WantLineEnd() { f.lineEnd = f.archive == nil }

// NewFile returns an input that open can open any number of times, for sources that are not in a file system.
func NewFile(name string, size int64, open func() (io.ReadCloser, error)) *File {
	return &File{Name: name, Size: size, open: func(ctx context.Context) (io.ReadCloser, error) {
		raw, err := open()
		if err != nil {
			return nil, err
		}
		return &stoppable{ctx, raw}, nil
	}}
}

// BytesFile returns an input of the given content, for samples in memory and tests.
func BytesFile(name string, content []byte) *File {
	return NewFile(name, int64(len(content)), func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	})
}

// Base returns the last element of the name without the endings that only tell the compression.
func (f *File) Base() string {
	base := path.Base(strings.ReplaceAll(f.Name[strings.LastIndexByte(f.Name, ':')+1:], "\\", "/"))
	return Uncompressed(base)
}

// Labels returns names for files where ids must tell them apart: the base name of each and, if other files have
// the same name, as many of its folders as distinguish it. Bytes that are not UTF-8 are replaced. See [Among] for files
// that are part of a larger input.
func Labels(files []*File, name func(*File) string) []string {
	if len(files) > 0 && files[0].among != nil {
		whole := files[0].among
		return Labels(whole.of, name)[whole.from : whole.from+len(files)]
	}
	labels := make([]string, len(files))
	folders := make([]string, len(files)) // not yet used
	for i, f := range files {
		folders[i] = path.Dir(strings.ToValidUTF8(strings.NewReplacer("\\", "/", ":", "/").Replace(f.Name), "\ufffd"))
		labels[i] = strings.ToValidUTF8(name(f), "\ufffd")
	}
	for {
		count := map[string]int{}
		for _, label := range labels {
			count[label]++
		}
		changed := false
		for i, label := range labels {
			if folder := path.Base(folders[i]); count[label] > 1 && folder != "." && folder != "/" {
				labels[i] = folder + "/" + label
				folders[i] = path.Dir(folders[i])
				changed = true
			}
		}
		if !changed {
			return labels
		}
	}
}

// IDPrefixes returns the prefix of run ids for each file, for formats whose ids count from 1 in every file:
// nothing if there is one file, otherwise its label and a colon. [File.SetIDPrefix] goes before.
func IDPrefixes(files []*File) []string {
	prefixes := idPrefixes(files)
	for i, f := range files {
		if f.prefix != nil {
			prefixes[i] = *f.prefix
		}
	}
	return prefixes
}

// RunIDs returns the id of the run of each file, for formats whose files are one run each: what name returns, behind
// folders where other files have that name. [File.SetIDPrefix] goes before.
func RunIDs(files []*File, name func(*File) string) []string {
	ids := Labels(files, name)
	for i, f := range files {
		if f.prefix != nil {
			ids[i] = *f.prefix
		}
	}
	return ids
}

// SetIDPrefix sets the prefix of the ids of the runs in a file, or the id of its one run, which [IDPrefixes] and
// [RunIDs] return. A store that is appended to has runs of the same file already, under the prefix that it had then.
func (f *File) SetIDPrefix(prefix string) { f.prefix = &prefix }

func idPrefixes(files []*File) []string {
	if len(files) == 1 && (files[0].among == nil || len(files[0].among.of) == 1) {
		return []string{""}
	}
	prefixes := Labels(files, (*File).Base)
	for i := range prefixes {
		prefixes[i] += ":"
	}
	return prefixes
}

var compressionEndings = []string{".gz", ".zst", ".zstd", ".bz2", ".lz4", ".snappy", ".inprogress"}

// Uncompressed returns the name of a file without the endings that only tell the compression.
func Uncompressed(base string) string {
	for {
		ext := path.Ext(base)
		if ext == base || !slices.Contains(compressionEndings, strings.ToLower(ext)) {
			return base
		}
		base = strings.TrimSuffix(base, ext)
	}
}

// peeker returns a reader with access to the first bytes before they are read.
func peeker(r io.Reader) *bufio.Reader {
	if b, ok := r.(*bufio.Reader); ok {
		return b
	}
	return bufio.NewReaderSize(r, 64<<10)
}

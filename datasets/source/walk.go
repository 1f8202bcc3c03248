package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"
)

// Found lists the files to read, and the files passed over.
type Found struct {
	Files  []*File
	Passed []Passed
}

// Passed is something that is not read.
type Passed struct{ Name, Reason string }

func (f *Found) pass(name, reason string) { f.Passed = append(f.Passed, Passed{name, reason}) }

// Add appends the files of another search.
func (f *Found) Add(other Found) {
	f.Files, f.Passed = append(f.Files, other.Files...), append(f.Passed, other.Passed...)
}

// Reasons why something in a folder or an archive is passed over.
const (
	kindPipe     = "a pipe: name it itself to read it"
	kindSocket   = "a socket"
	kindDevice   = "a device"
	kindOther    = "no plain file"
	kindLink     = "a link inside an archive"
	kindDangling = "a link that leads nowhere"
	kindFolder   = "a link to a folder: name the folder itself to read it"
	kindVanished = "gone since the folder was listed"
)

// SpecialKind names the kind of a file that is neither a plain file nor a folder, and returns "" for these two.
func SpecialKind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular() || mode.IsDir():
		return ""
	case mode&fs.ModeNamedPipe != 0:
		return kindPipe
	case mode&fs.ModeSocket != 0:
		return kindSocket
	case mode&fs.ModeDevice != 0:
		return kindDevice
	}
	return kindOther
}

// Walk finds the files at and below root in fsys, in lexical order of their names, members of tar archives
// included. Each name is appended to prefix. Hidden files, checksum files (.crc) and markers such as _SUCCESS
// are left out below root, but not root itself. Special files, such as pipes, are passed over without being
// opened. A damaged archive is one file, which cannot be opened.
func Walk(ctx context.Context, fsys fs.FS, root, prefix string) (Found, error) {
	var found Found
	err := fs.WalkDir(fsys, root, func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		at := prefix
		if name != root {
			at = shown(below(prefix, strings.TrimPrefix(strings.TrimPrefix(name, root), "/")))
		}
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) && name != root {
				found.pass(at, kindVanished)
				return nil
			}
			return err
		}
		if name != root && skipped(d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		info, reason, err := follow(fsys, name, d)
		if err != nil {
			return err
		}
		if reason != "" {
			found.pass(at, reason)
			return nil
		}
		f := &File{Name: at, Size: info.Size(), Modified: info.ModTime().UnixNano(), Readable: info.Mode().Perm()}
		f.open = func(ctx context.Context) (io.ReadCloser, error) {
			in, err := fsys.Open(name)
			if err != nil {
				return nil, err
			}
			s, err := newSteady(in, f)
			if err != nil {
				return nil, errors.Join(err, in.Close())
			}
			return &stoppableFile{stoppable{ctx, s}, s}, nil
		}
		members, err := f.Members(ctx)
		if errors.As(err, new(*DamagedError)) { // it is reported when it is read
			fault := err
			f.open = func(context.Context) (io.ReadCloser, error) { return nil, fault }
			members, err = Found{Files: []*File{f}}, nil
		}
		found.Add(members)
		return err
	})
	return found, err
}

// below returns the name of a file in a folder, which may be a URL.
func below(folder, name string) string {
	if scheme, rest, ok := strings.Cut(folder, "://"); ok {
		return scheme + "://" + path.Join(rest, name)
	}
	return path.Join(folder, name)
}

// follow returns the file behind a name, with links followed, or the reason why it is skipped.
func follow(fsys fs.FS, name string, d fs.DirEntry) (info fs.FileInfo, reason string, err error) {
	link := d.Type()&fs.ModeSymlink != 0
	info, err = fs.Stat(fsys, name)
	switch {
	case err != nil && link:
		return nil, kindDangling, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, kindVanished, nil
	case err != nil:
		return nil, "", err
	case info.IsDir():
		return nil, kindFolder, nil
	}
	return info, SpecialKind(info.Mode()), nil
}

// FromFS is [Walk] for trees whose every file can be read: a file that would be passed over is an error.
func FromFS(fsys fs.FS, root, prefix string) ([]*File, error) {
	found, err := Walk(context.Background(), fsys, root, prefix)
	if err == nil && len(found.Passed) > 0 {
		err = fmt.Errorf("%s: %s", found.Passed[0].Name, found.Passed[0].Reason)
	}
	return found.Files, err
}

// shown is a name for people: bytes that are no UTF-8 are written as %FF.
func shown(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, "%%%02X", name[i])
		} else {
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	return b.String()
}

func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".crc") || name == "_SUCCESS"
}

package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"racecard/datasets/publish"
	"racecard/datasets/source"
)

// Standard is the path that means standard input, and StandardName its name in messages and manifests.
const (
	Standard     = "-"
	StandardName = "stdin"
)

// standardPaths are other paths of standard input.
var standardPaths = []string{"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}

// Finder finds the inputs behind paths.
type Finder struct {
	Stdin *os.File          // the file that [Standard] stands for
	Keep  bool              // streams are kept in temporary files, so that they can be read more than once
	Dir   string            // for temporary files
	Say   func(text string) // called with messages about kept streams; may be nil
}

// maxKept bounds the size of a temporary file for a stream.
const maxKept = 256 << 30

// Find returns the inputs behind paths, including those in folders and archives. A pipe or standard input is a stream,
// which is read once. A stream with an archive or a Parquet file, which need random access, is kept in a temporary
// file. A path that is neither file, folder nor pipe is an error; inside a folder it is skipped.
func (r *Finder) Find(ctx context.Context, paths []string) (source.Found, error) {
	var all source.Found
	var empty error
	standard := false
	for _, p := range paths {
		var found source.Found
		var info fs.FileInfo
		var err error
		if !publish.Remote(p) {
			info, err = os.Stat(p)
		}
		switch isStandard := p == Standard || slices.Contains(standardPaths, p); {
		case publish.Remote(p):
			found, err = r.remote(ctx, p)
		case isStandard && standard:
			return all, fmt.Errorf("%s: standard input can be read only once", p)
		case p == Standard || isStandard && (err != nil || !info.Mode().IsRegular()):
			standard = true
			found, err = r.standard(ctx)
		case errors.Is(err, fs.ErrNotExist):
			return all, missing(p)
		case err != nil:
			return all, err
		case info.Mode()&fs.ModeNamedPipe != 0:
			found, err = r.stream(ctx, filepath.ToSlash(filepath.Clean(p)), func() (io.ReadCloser, error) {
				return os.Open(p)
			})
		case source.SpecialKind(info.Mode()) != "":
			return all, fmt.Errorf("%s is %s: name a file, a folder or a pipe, or send the trace to "+
				"standard input and name %s", p, source.SpecialKind(info.Mode()), Standard)
		default:
			found, err = r.tree(ctx, p, info.IsDir())
		}
		if errors.As(err, new(*NothingYetError)) {
			empty = cmp.Or(empty, err)
			found.Passed = append(found.Passed, source.Passed{Name: publish.Shown(p), Reason: "a folder without files"})
		} else if err != nil {
			return all, err
		}
		all.Add(found)
	}
	if len(all.Files) == 0 {
		return all, empty
	}
	return all, nil
}

// remote returns the objects at and below a URL.
func (r *Finder) remote(ctx context.Context, p string) (source.Found, error) {
	fsys, root, err := publish.OpenTree(p)
	if err != nil {
		return source.Found{}, err
	}
	found, err := source.Walk(ctx, fsys, root, publish.Shown(p))
	if err == nil && len(found.Files) == 0 {
		err = nothingYet("%s: the folder holds no files", publish.Shown(p))
	}
	return found, err
}

// missing returns the error of a path without anything behind it.
func missing(p string) error {
	if to, err := os.Readlink(p); err == nil {
		return fmt.Errorf("%s is a link to %s, which is not there", p, to)
	}
	return fmt.Errorf("%s: there is no such file or folder", p)
}

// tree returns the files of a folder, or a file.
func (r *Finder) tree(ctx context.Context, p string, folder bool) (source.Found, error) {
	dir, root := filepath.Dir(p), filepath.Base(p)
	if folder {
		dir, root = p, "."
	}
	found, err := source.Walk(ctx, disk(dir), root, filepath.ToSlash(filepath.Clean(p)))
	switch {
	case err != nil && ctx.Err() != nil:
		return found, err
	case err != nil:
		return found, fmt.Errorf("%s: %w", p, err)
	case len(found.Files) == 0 && len(found.Passed) > 0:
		return found, fmt.Errorf("%s: the folder holds no files: %s is %s", p, found.Passed[0].Name,
			found.Passed[0].Reason)
	case len(found.Files) == 0:
		return found, nothingYet("%s: the folder holds no files", p)
	}
	return found, nil
}

// standard returns standard input.
func (r *Finder) standard(ctx context.Context) (source.Found, error) {
	info, err := r.Stdin.Stat()
	if err != nil {
		return source.Found{}, fmt.Errorf("standard input: %w", err)
	}
	if mode := info.Mode(); mode&fs.ModeDevice != 0 || mode.IsDir() {
		return source.Found{}, errors.New("standard input is a terminal or a device, not a pipe or a file: " +
			"send a trace to it, as in `zcat FILE | racecard ...`")
	}
	return r.stream(ctx, StandardName, func() (io.ReadCloser, error) { return io.NopCloser(r.Stdin), nil })
}

// stream returns a stream as an input, or the files of an archive in it.
func (r *Finder) stream(ctx context.Context, name string, open func() (io.ReadCloser, error)) (source.Found, error) {
	f := source.NewStream(name, open)
	head, err := f.Head(ctx)
	if err != nil {
		return source.Found{}, err
	}
	if !r.Keep && !source.IsArchive(head) {
		return source.Found{Files: []*source.File{f}}, nil
	}
	dir := existing(r.Dir)
	if r.Say != nil {
		r.Say(fmt.Sprintf("%s is kept in a temporary file in %s, since it must be read more than once", name, dir))
	}
	room, err := publish.TemporaryFile(dir, ".racecard-stream-")
	if err != nil {
		return source.Found{}, fmt.Errorf("temporary file for %s: %w", name, err)
	}
	if err := f.Keep(ctx, room, maxKept); err != nil {
		return source.Found{}, errors.Join(err, room.Close())
	}
	return f.Members(ctx)
}

// existing returns the innermost folder at or above dir that is there.
func existing(dir string) string {
	for {
		up := filepath.Dir(dir)
		if _, err := os.Stat(dir); err == nil || up == dir {
			return dir
		}
		dir = up
	}
}

// disk is a folder with files of any name, including names that are not UTF-8, which [os.DirFS] refuses.
type disk string

// Open opens a file. It does not block if the file has become a pipe since it was listed.
func (d disk) Open(name string) (fs.File, error) {
	return os.OpenFile(d.path(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// ReadDir lists a folder in the order of names.
func (d disk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(d.path(name)) }

// Stat follows links.
func (d disk) Stat(name string) (fs.FileInfo, error) { return os.Stat(d.path(name)) }

func (d disk) path(name string) string { return filepath.Join(string(d), filepath.FromSlash(name)) }

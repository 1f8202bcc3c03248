package ingest_test

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"racecard/datasets/generate"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/pipeline/internal/ingest"
)

// find returns the inputs behind paths, with a pipe as standard input that write writes.
func find(ctx context.Context, t *testing.T, write func(io.Writer) error, paths ...string) (source.Found, error) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if write != nil {
			_ = write(w) // nobody reads the rest when the test fails
		}
		w.Close()
	}()
	t.Cleanup(func() { r.Close() })
	return (&ingest.Finder{Stdin: r, Dir: t.TempDir()}).Find(ctx, paths)
}

// into imports inputs and returns the manifest.
func into(t *testing.T, in source.Found) (*store.Manifest, error) {
	t.Helper()
	o := ingest.DefaultOptions()
	o.Synthetic = true
	return ingest.Import(t.Context(), in, filepath.Join(t.TempDir(), "store"), o)
}

// packed writes the files of a folder as a tar archive.
func packed(folder string) func(io.Writer) error {
	return func(w io.Writer) error {
		archive := tar.NewWriter(w)
		return errors.Join(archive.AddFS(os.DirFS(folder)), archive.Close())
	}
}

// Every format through a pipe gives the store that the file gives, byte for byte, with the same checksum of the input.
func TestPipesGiveTheSameStore(t *testing.T) {
	rows := int64(700)
	if testing.Short() {
		rows = 100
	}
	for _, kind := range generate.Kinds() {
		dir := t.TempDir()
		path := filepath.Join(dir, "trace")
		create := func(name string) (io.WriteCloser, error) {
			to := path
			if kind.Folder() {
				to = filepath.Join(path, name)
			}
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return nil, err
			}
			return os.Create(to)
		}
		if _, err := kind.Write(t.Context(), create, rows, 3, nil); err != nil {
			t.Fatal(err)
		}
		found, err := find(t.Context(), t, nil, path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := into(t, found)
		if err != nil {
			t.Fatalf("%s: %v", kind.Name, err)
		}
		send := packed(path)
		if !kind.Folder() {
			send = func(w io.Writer) error {
				in, err := os.Open(path)
				if err != nil {
					return err
				}
				defer in.Close()
				_, err = io.Copy(w, in)
				return err
			}
		}
		if found, err = find(t.Context(), t, send, ingest.Standard); err != nil {
			t.Fatalf("%s: %v", kind.Name, err)
		}
		got, err := into(t, found)
		if err != nil {
			t.Errorf("%s: %v", kind.Name, err)
			continue
		}
		if !reflect.DeepEqual(got.Files, want.Files) || got.Read != want.Read || got.Used != want.Used {
			t.Errorf("%s: %d records of %d through a pipe, or other parts", kind.Name, got.Read, want.Read)
		}
		for i := range want.Sources {
			if got.Sources[i].SHA256 != want.Sources[i].SHA256 || got.Sources[i].Bytes != want.Sources[i].Bytes {
				t.Errorf("%s: the pipe is said to be %+v, the file %+v", kind.Name, got.Sources[i], want.Sources[i])
			}
		}
	}
}

// What is no file inside a folder is passed over without waiting for it, and counted.
func TestOddFilesInAFolder(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(
		os.WriteFile(in("a.tr"), []byte("0 1 1 1\n"), 0o644), os.WriteFile(in("b\xff.tr"), []byte("1 1 1 1\n"), 0o644),
		syscall.Mkfifo(in("pipe"), 0o644), os.Symlink("nowhere", in("dangling")), os.Symlink("self", in("self")),
		os.Symlink("/dev/zero", in("device")), os.Mkdir(in("sub"), 0o755), os.Symlink("sub", in("folder")),
		os.Symlink("a.tr", in("c.tr")),
	)
	if err != nil {
		t.Skipf("the file system does not take such files: %v", err)
	}
	found, err := find(t.Context(), t, nil, dir)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, f := range found.Files {
		files = append(files, filepath.Base(f.Name))
	}
	if got := strings.Join(files, " "); got != "a.tr b%FF.tr c.tr" {
		t.Errorf("files %s", got)
	}
	passed := map[string]string{}
	for _, p := range found.Passed {
		passed[filepath.Base(p.Name)] = p.Reason
	}
	for name, want := range map[string]string{
		"pipe": "pipe", "dangling": "nowhere", "self": "nowhere", "device": "device", "folder": "folder",
	} {
		if !strings.Contains(passed[name], want) {
			t.Errorf("%s is passed over as %q, want %q", name, passed[name], want)
		}
	}
	m, err := into(t, found)
	if err != nil || m.Rows["jobs"] != 3 {
		t.Fatalf("%v, %+v", err, m)
	}
	if all := strings.Join(m.Warnings, "\n"); !strings.Contains(all, "file passed over: 2 more") {
		t.Errorf("five files were passed over; warnings:\n%s", all)
	}
}

// What is named itself and cannot be read is an error that says what it is.
func TestInputsThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("nowhere", filepath.Join(dir, "dangling")); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{
		"/dev/zero": "is a device", filepath.Join(dir, "dangling"): "is a link to nowhere, which is not there",
		filepath.Join(dir, "x"): "there is no such file",
	} {
		if _, err := find(t.Context(), t, nil, path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	send := func(w io.Writer) error { _, err := io.WriteString(w, "0 1 1 1\n"); return err }
	if _, err := find(t.Context(), t, send, "-", "/dev/stdin"); err == nil ||
		!strings.Contains(err.Error(), "only once") {
		t.Errorf("standard input twice: %v", err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Skip(err)
	}
	defer null.Close()
	if _, err := (&ingest.Finder{Stdin: null}).Find(t.Context(), []string{"-"}); err == nil ||
		!strings.Contains(err.Error(), "terminal or a device") {
		t.Errorf("%s as standard input: %v", os.DevNull, err)
	}
}

// An import that waits for a pipe ends as soon as it is told to, whether nobody opened the pipe, nothing comes, or too
// much.
func TestWaitingForAPipeEnds(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Skip(err)
	}
	block := make(chan struct{})
	defer close(block)
	endless := func(text string) func(io.Writer) error {
		return func(w io.Writer) error {
			for {
				if _, err := io.WriteString(w, strings.Repeat(text, 1000)); err != nil {
					return err
				}
			}
		}
	}
	for name, test := range map[string]struct {
		path string
		send func(io.Writer) error
	}{
		"nobody writes": {fifo, nil},
		"nothing comes": {"-", func(io.Writer) error { <-block; return nil }},
		"it stops coming": {"-", func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Repeat("0 1 1 1\n", 20_000))
			<-block
			return err
		}},
		"it never ends":     {"-", endless("0 1 1 1\n")},
		"one line for ever": {"-", endless("0 1 1 1 ")},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			found, err := find(ctx, t, test.send, test.path)
			if err == nil {
				o := ingest.DefaultOptions()
				o.Format = "tr"
				_, err = ingest.Import(ctx, found, filepath.Join(t.TempDir(), "store"), o)
			}
			done <- err
		}()
		time.Sleep(200 * time.Millisecond)
		cancel()
		select {
		case err := <-done:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: it goes on", name)
		}
	}
}

// A file that shrank, as by log rotation, is never imported without a word: beyond what may be rejected there is no
// store.
func TestAFileThatShrinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.tr")
	if err := os.WriteFile(path, []byte(strings.Repeat("0 1 1 1\n", 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, limit := range []float64{0.01, 1} {
		found, err := find(t.Context(), t, nil, path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 4000); err != nil {
			t.Fatal(err)
		}
		found.Files[0].Size = 8000 // as it was listed
		o := ingest.DefaultOptions()
		o.MaxRejects, o.Format = limit, "tr"
		m, err := ingest.Import(t.Context(), found, filepath.Join(t.TempDir(), "store"), o)
		if limit < 1 {
			var shrank *ingest.ShrankError
			if !errors.As(err, &shrank) || shrank.Missing != 4000 || shrank.All != 8000 {
				t.Errorf("half of the file is missing: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if m.Rows["jobs"] != 500 || m.Rejected[source.ReasonTruncated] != 1 ||
			!strings.Contains(strings.Join(m.Warnings, ";"), source.NoteShrank) {
			t.Errorf("%d runs, rejects %v, warnings %v", m.Rows["jobs"], m.Rejected, m.Warnings)
		}
	}
}

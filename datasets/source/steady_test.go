package source_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"racecard/datasets/source"
)

// numbered returns lines that say their numbers, from one number to before another.
func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "line %d of a log\n", i)
	}
	return b.String()
}

// onDisk writes a file and returns it as an input, and its path.
func onDisk(t *testing.T, content string) (*source.File, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "night.log")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := source.FromFS(os.DirFS(filepath.Dir(path)), filepath.Base(path), "night.log")
	if err != nil {
		t.Fatal(err)
	}
	return files[0], path
}

// A file that is written to while it is read: its reader has taken the first bytes, and will ask for the rest.
func TestFilesThatChangeWhileTheyAreRead(t *testing.T) {
	const lines = 400_000 // more than is read ahead
	whole := numbered(0, lines)
	later := time.Now().Add(time.Hour) // changes show in the time, however coarse that is
	for name, test := range map[string]struct {
		change  func(path string) error
		note    string
		breaks  bool // the content does
		lines   int  // at least so many whole ones are kept
		content bool // and no byte is another than before
	}{
		"nothing happens": {func(string) error { return nil }, "", false, lines, true},
		"it is appended to": {func(path string) error {
			return appendTo(path, numbered(lines, lines+1000))
		}, source.NoteGrew, false, lines, true},
		"it is cut in half": {func(path string) error {
			return os.Truncate(path, int64(len(whole)/2))
		}, source.NoteShrank, true, lines / 3, true},
		"it is emptied, as by copytruncate": {func(path string) error {
			return os.Truncate(path, 0)
		}, source.NoteShrank, true, 100, true},
		"it is emptied and grows larger than it was": {func(path string) error {
			return errors.Join(os.Truncate(path, 0), appendTo(path, numbered(lines, 3*lines)),
				os.Chtimes(path, later, later))
		}, "", false, 100, false}, // it depends on how far the reader is whether the file shrank or changed
		"it is written anew with the same size": {func(path string) error {
			out, err := os.OpenFile(path, os.O_WRONLY, 0) // never shorter
			if err != nil {
				return err
			}
			_, err = io.WriteString(out, strings.ToUpper(whole))
			return errors.Join(err, out.Close(), os.Chtimes(path, later, later))
		}, source.NoteChanged, false, 100, false},
	} {
		f, path := onDisk(t, whole)
		in, err := f.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		first := make([]byte, 1000)
		if _, err := io.ReadFull(in, first); err != nil {
			t.Fatal(err)
		}
		if err := test.change(path); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(in)
		in.Close()
		noted := source.Notes([]*source.File{f})
		if name == "it is emptied and grows larger than it was" {
			if len(noted) != 1 || noted[0].Kind != source.NoteShrank && noted[0].Kind != source.NoteChanged {
				t.Errorf("%s: notes %+v", name, noted)
			}
			continue
		}
		if source.IsTruncated(err) != test.breaks || err != nil && !test.breaks {
			t.Errorf("%s: error %v", name, err)
		}
		got := string(first) + string(rest)
		if test.content && !strings.HasPrefix(whole, got) || strings.Count(got, "\n") < test.lines {
			t.Errorf("%s: %d lines, want %d at least, of those that were there", name, strings.Count(got, "\n"),
				test.lines)
		}
		if test.note == "" && len(noted) > 0 || test.note != "" && (len(noted) != 1 || noted[0].Kind != test.note ||
			noted[0].File != f.Name) {
			t.Errorf("%s: notes %+v, want %q", name, noted, test.note)
		}
	}
}

func appendTo(path, content string) error {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, content)
	return errors.Join(err, out.Close())
}

// Of a file that grows in the middle of a line the part of the line is no line: its number could be half of one.
func TestAFileThatGrowsInTheMiddleOfALine(t *testing.T) {
	whole := numbered(0, 400_000)
	f, path := onDisk(t, whole+"line 40")
	in, err := f.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := appendTo(path, "0000 of a log\n"); err != nil {
		t.Fatal(err)
	}
	lines := source.NewLines(in, 0)
	n := 0
	for lines.Next() && !lines.Cut() {
		n++
	}
	if n != 400_000 || !source.IsTruncated(lines.Err()) || !strings.Contains(lines.Err().Error(), "grew") {
		t.Errorf("%d lines, %v; want 400000 and the file to break off inside the next", n, lines.Err())
	}
}

// A file that is smaller when it is opened than when it was listed shrank, too.
func TestAFileThatShrinksBeforeItIsOpened(t *testing.T) {
	f, path := onDisk(t, numbered(0, 1000))
	if err := os.WriteFile(path, []byte(numbered(5000, 5010)), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := content(f)
	if !source.IsTruncated(err) || strings.Count(string(got), "\n") != 10 {
		t.Errorf("%d lines, %v", strings.Count(string(got), "\n"), err)
	}
	if notes := source.Notes([]*source.File{f}); len(notes) != 1 || notes[0].Kind != source.NoteShrank {
		t.Errorf("notes %+v", notes)
	}
}

// Behind gzip and bzip2 content zeros are padding and other bytes are noted, as gzip(1) and bzip2(1) do.
func TestTrailingBytes(t *testing.T) {
	want := numbered(0, 1000)
	packed := gzipped([]byte(want))
	for name, test := range map[string]struct {
		behind string
		note   bool
		breaks bool
	}{
		"nothing": {"", false, false}, "one zero": {"\x00", false, false},
		"a block of zeros": {strings.Repeat("\x00", 100_000), false, false},
		"garbage":          {"garbage\n", true, false}, "zeros and garbage": {"\x00\x00garbage", true, false},
		"one byte":            {"x", true, false},
		"half a magic number": {"\x1f", false, true}, "half a header": {"\x1f\x8b\x08\x00", false, true},
	} {
		f := source.BytesFile("x.gz", append(bytes.Clone(packed), test.behind...))
		got, err := content(f)
		if string(got) != want || source.IsTruncated(err) != test.breaks || err != nil && !test.breaks {
			t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(want), err)
		}
		if notes := source.Notes([]*source.File{f}); (len(notes) > 0) != test.note {
			t.Errorf("%s: notes %+v", name, notes)
		}
		if f.SHA256() == "" || f.RawRead() != int64(len(packed)+len(test.behind)) {
			t.Errorf("%s: the checksum is not that of the whole file", name)
		}
	}
	// "a" packed by bzip2 1.0.8.
	const a = "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x19\x93\x9b\x6b\x00\x00\x00\x01\x00\x20\x00\x20\x00\x21\x18\x46\x82\xee\x48\xa7\x0a\x12\x03\x32\x73\x6d\x60"
	f := source.BytesFile("x.bz2", []byte(a+"garbage"))
	if got, err := content(f); err != nil || string(got) != "a" || len(source.Notes([]*source.File{f})) != 1 {
		t.Errorf("bzip2: %q, %v, notes %+v", got, err, source.Notes([]*source.File{f}))
	}
	for cut := len("BZh"); cut < len(a); cut++ {
		if _, err := content(source.BytesFile("x.bz2", []byte(a[:cut]))); !source.IsTruncated(err) {
			t.Errorf("%d bytes of bzip2: %v", cut, err)
		}
	}
}

// Behind frames of zstd and LZ4, too. A stream that is none from its beginning is an error.
func TestBytesBehindFrames(t *testing.T) {
	want := numbered(0, 1000)
	skippable := []byte("\x57\x2a\x4d\x18\x05\x00\x00\x00hello")
	for name, packed := range map[string][]byte{
		"zstd": zstdOf([]byte(want)), "zstd, streamed": zstdStream(t, []byte(want)),
		"zstd, skippable": append(zstdOf([]byte(want)), skippable...),
		"lz4":             lz4Of(t, []byte(want)), "lz4, checksums": lz4Of(t, []byte(want),
			lz4.BlockChecksumOption(true), lz4.SizeOption(uint64(len(want)))),
		"lz4, no checksum": lz4Of(t, []byte(want), lz4.ChecksumOption(false), lz4.BlockSizeOption(lz4.Block64Kb)),
	} {
		for _, test := range []struct {
			behind string
			note   bool
		}{
			{"", false}, {strings.Repeat("\x00", 4), false}, {strings.Repeat("\x00", 100_000), false},
			{"garbage\n", true}, {"\x00\x00\x00\x00g", true},
			{"\x00", false}, {"\x00\x00\x00", false}, {"\n", true}, {"ab", true}, {"abc", true},
		} {
			f := source.BytesFile("x", append(bytes.Clone(packed), test.behind...))
			got, err := content(f)
			if string(got) != want || err != nil {
				t.Errorf("%s and %.10q: %d bytes of %d, %v", name, test.behind, len(got), len(want), err)
			}
			if notes := source.Notes([]*source.File{f}); (len(notes) > 0) != test.note {
				t.Errorf("%s and %.10q: notes %+v", name, test.behind, notes)
			}
			if f.SHA256() == "" || f.RawRead() != int64(len(packed)+len(test.behind)) {
				t.Errorf("%s and %.10q: the checksum is not that of the whole file", name, test.behind)
			}
		}
		for _, cut := range []int{len(packed) / 2, len(packed) - 1, len(packed) - 3} {
			if _, err := content(source.BytesFile("x", packed[:cut])); !source.IsTruncated(err) {
				t.Errorf("%d of %d bytes of %s: %v", cut, len(packed), name, err)
			}
		}
		for n := 1; n < 4; n++ { // of another frame
			if _, err := content(source.BytesFile("x", append(bytes.Clone(packed),
				packed[:n]...))); !source.IsTruncated(err) {
				t.Errorf("%s and %d bytes of a second frame: %v", name, n, err)
			}
		}
	}
}

// zstdStream packs data as one frame of zstd whose size is not known at its beginning, in blocks.
func zstdStream(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderCRC(false))
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(data, 1000) {
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// lz4Of packs data as one frame of LZ4.
func lz4Of(t *testing.T, data []byte, options ...lz4.Option) []byte {
	t.Helper()
	var b bytes.Buffer
	w := lz4.NewWriter(&b)
	if err := w.Apply(options...); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// archive packs files of some lines each.
func archive(t *testing.T, files, lines int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := range files {
		content := numbered(i*lines, (i+1)*lines)
		if err := w.WriteHeader(&tar.Header{Name: fmt.Sprint(i, ".log"), Size: int64(len(content)), Mode: 0o644,
			Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An archive that breaks off keeps what comes before the break, wherever it is, and one member says that it breaks off.
func TestArchivesThatBreakOff(t *testing.T) {
	const files, lines = 4, 20_000
	want := numbered(0, files*lines)
	plain := archive(t, files, lines)
	for name, raw := range map[string][]byte{"tar": plain, "tar.gz": gzipped(plain), "tar.zst": zstdOf(plain)} {
		for _, share := range []int{20, 40, 60, 80, 95} {
			f := source.BytesFile("x."+name, raw[:len(raw)*share/100])
			found, err := f.Members(t.Context())
			if err != nil {
				t.Errorf("%s cut at %d%%: %v", name, share, err)
				continue
			}
			got, broken := "", 0
			for _, m := range found.Files {
				data, err := content(m)
				got += string(data)
				if err != nil && !source.IsTruncated(err) {
					t.Errorf("%s cut at %d%%: %v", name, share, err)
				}
				if err != nil {
					broken++
				}
			}
			least := len(want) * (share - 20) / 100
			if name == "tar.zst" { // whole blocks, of which the first take more room
				least = min(least, 1)
			}
			if !strings.HasPrefix(want, got) || len(got) < least || broken != 1 {
				t.Errorf("%s cut at %d%%: %d of %d bytes, %d members break off, want 1", name, share, len(got),
					len(want), broken)
			}
		}
	}
	// Between two members, in the middle of a header.
	at := bytes.LastIndex(plain, []byte("3.log")) + 100
	found, err := source.BytesFile("x.tar", plain[:at]).Members(t.Context())
	if err != nil || len(found.Files) != 3 {
		t.Fatalf("%d members, %v", len(found.Files), err)
	}
	if data, err := content(found.Files[2]); !source.IsTruncated(err) || string(data) != numbered(2*lines, 3*lines) {
		t.Errorf("the last member has %d bytes and ends with %v", len(data), err)
	}
	if _, err := source.BytesFile("x.tar.gz", gzipped(plain)[:40]).Members(context.Background()); err != nil {
		t.Errorf("an archive whose first header is cut off is no archive: %v", err)
	}
}

// The checksum of the compression is behind the end of an archive, and shows damage to its members. Appended bytes are
// there, too.
func TestTheEndOfArchives(t *testing.T) {
	plain := archive(t, 2, 100)
	stored := func() []byte {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(plain); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}()
	damaged := bytes.Replace(stored, []byte("line 150 "), []byte("line 950 "), 1)
	if _, err := source.BytesFile("x.tgz", damaged).Members(t.Context()); !errors.Is(err, gzip.ErrChecksum) {
		t.Errorf("a damaged member: %v", err)
	}
	found, err := source.BytesFile("x.tgz", stored[:len(stored)-4]).Members(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if data, err := content(found.Files[1]); !source.IsTruncated(err) || string(data) != numbered(100, 200) {
		t.Errorf("without its checksum: %d bytes, %v", len(data), err)
	}
	for name, raw := range map[string][]byte{
		"x.tar": append(bytes.Clone(plain), plain...), "x.tgz": append(bytes.Clone(stored), gzipped(plain)...),
	} {
		found, err := source.BytesFile(name, raw).Members(t.Context())
		if notes := source.Notes(found.Files); err != nil || len(found.Files) != 2 || len(notes) != 1 ||
			notes[0].Kind != source.NoteBehind {
			t.Errorf("two %s: %d members, notes %+v, %v", name, len(found.Files), notes, err)
		}
	}
}

// Members of an archive can be read in any order, also when an earlier one was read under a context that is done.
func TestMembersUnderAContextThatIsDone(t *testing.T) {
	found, err := source.BytesFile("x.tar", archive(t, 3, 100)).Members(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 2, 1} {
		ctx, cancel := context.WithCancel(t.Context())
		in, err := found.Files[i].Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if want := numbered(i*100, (i+1)*100); err != nil || string(data) != want {
			t.Errorf("member %d: %d bytes of %d, %v", i, len(data), len(want), err)
		}
		in.Close()
		cancel()
	}
}

// Nothing is read of a file once its context is done, however much there is.
func TestCloseOfAnInterruptedFileReadsNoMore(t *testing.T) {
	endless := source.NewFile("x", -1, func() (io.ReadCloser, error) {
		return io.NopCloser(&repeated{what: []byte("line\n")}), nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	in, err := endless.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	done := make(chan error, 1)
	go func() { done <- in.Close() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("it reads on")
	}
	if endless.SHA256() != "" {
		t.Error("a file of which only a part was read has a checksum")
	}
}

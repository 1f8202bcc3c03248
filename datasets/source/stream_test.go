package source_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"racecard/datasets/source"
)

// piped returns a stream of some bytes that come as a reader of them gives them.
func piped(raw []byte, slow func(io.Reader) io.Reader) *source.File {
	return source.NewStream("pipe", func() (io.ReadCloser, error) {
		return io.NopCloser(slow(bytes.NewReader(raw))), nil
	})
}

// A stream has the content, the head and the checksum of a file, however its bytes come and whether its head is asked
// for.
func TestStreamsAreAsFiles(t *testing.T) {
	ways := map[string]func(io.Reader) io.Reader{
		"at once": func(r io.Reader) io.Reader { return r }, "by halves": iotest.HalfReader,
		"by bytes":     iotest.OneByteReader,
		"with its end": iotest.DataErrReader,
	}
	rapid.Check(t, func(t *rapid.T) {
		plain := bytes.Repeat(rapid.SliceOfN(rapid.ByteRange('\n', 'f'), 2, 300).Draw(t, "content"),
			rapid.IntRange(1, 400).Draw(t, "times"))
		codec := rapid.SampledFrom([]string{"plain", "gzip", "zstd", "lz4 frame", "two gzip members",
			"snappy blocks"}).Draw(t, "codec")
		way := rapid.SampledFrom([]string{"at once", "by halves", "by bytes", "with its end"}).Draw(t, "way")
		raw := codecs[codec](plain)
		file, stream := source.BytesFile("file", raw), piped(raw, ways[way])
		want, _ := file.Head(context.Background())
		for range rapid.IntRange(0, 2).Draw(t, "looks") {
			if head, err := stream.Head(context.Background()); err != nil || !bytes.Equal(head, want) {
				t.Fatalf("%s %s: the head has %d bytes, %v, want %d", codec, way, len(head), err, len(want))
			}
		}
		if rapid.Bool().Draw(t, "keep") {
			room, err := os.CreateTemp("", "racecard-test-")
			if err != nil {
				t.Fatal(err)
			}
			defer os.Remove(room.Name())
			defer room.Close()
			if err := stream.Keep(context.Background(), room, 1<<30); err != nil || stream.Size != int64(len(raw)) {
				t.Fatalf("%v, %d bytes, want %d", err, stream.Size, len(raw))
			}
		}
		got, err := content(stream)
		plainGot, _ := content(file)
		if err != nil || !bytes.Equal(got, plainGot) || stream.SHA256() != file.SHA256() ||
			stream.RawRead() != int64(len(raw)) {
			t.Fatalf("%s %s: %d bytes, %v, want %d", codec, way, len(got), err, len(plainGot))
		}
	})
}

// Nobody reads a stream twice without an error.
func TestStreamsAreReadOnce(t *testing.T) {
	stream := piped([]byte("content"), func(r io.Reader) io.Reader { return r })
	if _, err := content(stream); err != nil || !stream.Once() || !stream.Transient {
		t.Fatal(err)
	}
	var reopened *source.ReopenedError
	_, err := content(stream)
	_, headErr := stream.Head(t.Context())
	_, sumErr := stream.Sum(t.Context())
	for what, err := range map[string]error{"open": err, "head": headErr, "sum": sumErr} {
		if !errors.As(err, &reopened) {
			t.Errorf("%s a second time: %v", what, err)
		}
	}
}

func TestKeepHasALimit(t *testing.T) {
	room, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer room.Close()
	if err := piped(make([]byte, 1000), iotest.HalfReader).Keep(t.Context(), room, 999); err == nil {
		t.Error("1000 bytes were kept where 999 may")
	}
}

// A head that is nowhere to be found is not looked for without end.
func TestHeadOfEmptyMembersWithoutEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and starts no goroutine")
	}
	empty := gzipped(nil)
	endless := source.NewStream("pipe", func() (io.ReadCloser, error) {
		return io.NopCloser(&repeated{what: empty}), nil
	})
	if head, err := endless.Head(t.Context()); err == nil {
		t.Errorf("a head of %d bytes", len(head))
	}
}

// repeated is the same bytes again and again.
type repeated struct {
	what []byte
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p, r.what[r.at:])
	r.at = (r.at + n) % len(r.what)
	return n, nil
}

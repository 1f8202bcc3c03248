package formats_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"racecard/datasets/formats"
	"racecard/datasets/lists"
	"racecard/datasets/source"
)

// mostHeap bounds by how much the heap, garbage included, may grow while a hostile file is read: a line of
// source.MaxLine that is collected takes up to three times its length while its buffer grows.
const mostHeap = 300 << 20

// beyond is more than the longest line that is taken.
const beyond = source.MaxLine + 1<<20

// repeated reads a text again and again, n bytes of it.
type repeated struct {
	text string
	n    int64
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && r.n > 0 {
		k := min(copy(p[n:], r.text[r.at:]), int(min(r.n, 1<<30)))
		n, r.n, r.at = n+k, r.n-int64(k), (r.at+k)%len(r.text)
	}
	return n, nil
}

// again returns a text repeated up to n bytes.
func again(text string, n int64) io.Reader {
	return &repeated{text: strings.Repeat(text, 1+(32<<10)/len(text)), n: n}
}

// bomb compresses what it is given.
func bomb(t *testing.T, compress func(io.Writer) (io.WriteCloser, error), content ...io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := compress(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, io.MultiReader(content...)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestSpeed) }

func zstandard(w io.Writer) (io.WriteCloser, error) {
	return zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
}

// joined returns an input of parts that are compressed one by one, which makes one stream of them.
func joined(name string, parts ...[]byte) *source.File {
	return source.BytesFile(name, bytes.Join(parts, nil))
}

// verdict is what a reader made of a file, without keeping it.
type verdict struct {
	runs, rejects int
	first         *source.Reject
	warnings      int
	ignored       int64
	err           error
	heap          uint64 // by how much the heap grew
}

func (v verdict) String() string {
	return fmt.Sprintf("%d runs, %d rejects, first %.200v, error %v, %d MB", v.runs, v.rejects, v.first, v.err,
		v.heap>>20)
}

// judge detects the format of a file, which must not fail, and reads it with that of a sample.
func judge(t *testing.T, s *sample, f *source.File) (v verdict) {
	t.Helper()
	format, err := formats.Named(s.format, 0)
	if err != nil {
		t.Fatal(err)
	}
	v.heap = heapGrowth(func() {
		if _, _, err := formats.Detect(t.Context(), f, 0); err != nil {
			t.Errorf("%s: detection: %v", f.Name, err)
		}
		tally := source.NewTally()
		for _, err := range format.Read(context.Background(), []*source.File{f}, tally) {
			var rej *source.Reject
			switch {
			case errors.As(err, &rej):
				if v.rejects++; v.first == nil {
					v.first = rej
				}
			case err != nil:
				v.err = err
			default:
				v.runs++
			}
		}
		v.warnings, v.ignored = len(tally.Warnings), lists.Total(tally.Ignored)
		if err := tally.Close(); err != nil && v.err == nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	})
	if v.heap > mostHeap {
		t.Errorf("%s %s: %v", s.format, f.Name, v)
	}
	if v.err != nil && !strings.Contains(v.err.Error(), f.Name) || v.first != nil && v.first.File != f.Name {
		t.Errorf("%s %s: the reason does not name the file: %v", s.format, f.Name, v)
	}
	return v
}

// heapGrowth runs f and returns by how much the heap was larger than before, at most.
func heapGrowth(f func()) uint64 {
	heap := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	runtime.GC()
	before := heap()
	most := before
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			most = max(most, heap())
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	f()
	close(done)
	<-stopped
	return most - before
}

// halves parts a sample of lines behind a record in its middle. It returns that record, too.
func (s *sample) halves() (before, record, after string) {
	lines := strings.SplitAfter(s.content, "\n")
	k := len(lines) / 2
	return strings.Join(lines[:k+1], ""), lines[k], strings.Join(lines[k+1:], "")
}

// skipShort skips a test that takes minutes under the race detector; `go test ./...` runs it.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("reads hundreds of megabytes")
	}
}

// One bad line among good ones is rejected, with its file and its number, and costs nothing but itself.
func TestHostileLines(t *testing.T) {
	skipShort(t)
	const zeros = "\x00\x00\x00\x00"
	small := map[string]string{
		"NUL bytes":       zeros,
		"100,000 columns": strings.Repeat("x,", 100_000),
		"100,000 tabs":    strings.Repeat("1\t", 100_000),
		"deep lists":      strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000),
		"deep objects":    strings.Repeat(`{"a":`, 1_000_000) + "1" + strings.Repeat("}", 1_000_000),
		"UTF-16":          "\xff\xfea\x00,\x00b\x00",
	}
	// An endless line, in a bomb of 1/1000 of its size.
	endless := []struct {
		name     string
		compress func(io.Writer) (io.WriteCloser, error)
		content  []byte
	}{
		{"zeros", gzipped, bomb(t, gzipped, again("\x00", beyond), strings.NewReader("\n"))},
		{"commas", zstandard, bomb(t, zstandard, again("a,", beyond), strings.NewReader("\n"))},
		{"a quote", zstandard, bomb(t, zstandard, strings.NewReader(`"`), again("text ", beyond),
			strings.NewReader("\n"))},
	}
	// A quote that never closes, over many lines.
	quote := bomb(t, zstandard, strings.NewReader(`"`), again(strings.Repeat("text ", 2000)+"\n", beyond),
		strings.NewReader("\n"))
	for i, s := range samples(t) {
		if !s.lines {
			continue
		}
		before, record, after := s.halves()
		line := int64(strings.Count(before, "\n")) + 1
		want := judge(t, &s, source.BytesFile(s.name, []byte(s.content))).runs
		check := func(name string, v verdict) {
			if v.runs != want || v.rejects == 0 || v.first.Line != line || v.first.Reason == "" || v.err != nil {
				t.Errorf("%s %s, %s in line %d: %v; want %d runs", s.format, s.name, name, line, v, want)
			}
		}
		for name, bad := range small {
			check(name, judge(t, &s, source.BytesFile(s.name, []byte(before+bad+"\n"+after))))
		}
		e := endless[i%len(endless)]
		check("endless "+e.name, judge(t, &s, joined(s.name, bomb(t, e.compress, strings.NewReader(before)), e.content,
			bomb(t, e.compress, strings.NewReader(after)))))
		check("open quote", judge(t, &s, joined(s.name, bomb(t, zstandard, strings.NewReader(before)), quote,
			bomb(t, zstandard, strings.NewReader(after)))))
		if at := strings.IndexAny(record, "abcdefghijklmnopqrstuvwxyz"); at >= 0 { // in a name, or a key
			check("NUL in a row", judge(t, &s, source.BytesFile(s.name, []byte(before+record[:at]+"\x00"+record[at:]+
				after))))
		}
	}
}

// A file that holds nothing else ends with a reason, too, and so does one whose only record goes on and on. A reason is
// a reject or an error, a warning where what comes early to its end is none (Spark logs), or that nothing was used: an
// import fails then.
func TestHostileFiles(t *testing.T) {
	skipShort(t)
	bad := map[string][]byte{
		"a header of 100,000": []byte(strings.Repeat("name,", 100_000) + "\n1,2,3\n"),
		"objects in objects": []byte(`{"workflow":{"specification":{"tasks":` +
			strings.Repeat(`[{"id":`, 300_000)),
		"stages in stages": []byte(`{"id":"a","stages":` + strings.Repeat("[", 300_000)),
		"empty stages":     []byte(`{"id":"a","stages":[{}` + strings.Repeat(",{}", 600_000) + `]}`),
		"many durations": []byte(`{"id":"a","stages":[{"durations_s":[1` + strings.Repeat(",1", 1_100_000) +
			`]}]}`),
		"many durations of a job": []byte("1 1100000 1.5" + strings.Repeat(" 1.5", 1_100_000) + "\n"),
		"empty tasks": []byte(`{"workflow":{"specification":{"tasks":[{}` + strings.Repeat(",{}", 600_000) +
			`]}}}`),
		"empty maps": []byte(`{"jobID":"job_1_1","mapTasks":[{}` + strings.Repeat(",{}", 1_500_000) + `]}`),
		"many collections": []byte(`{"time":1,"type":0,"collection_id":1,"start_after_collection_ids":[1` +
			strings.Repeat(",1", 200_000) + `]}`),
		"many stages": []byte(`{"Event":"SparkListenerJobStart","Job ID":0,"Stage IDs":[1` +
			strings.Repeat(",1", 200_000) + `]}`),
	}
	for _, s := range samples(t) {
		for name, content := range bad {
			v := judge(t, &s, source.BytesFile(name, content))
			if v.rejects == 0 && v.err == nil && v.warnings == 0 && v.ignored == 0 || v.runs > 0 {
				t.Errorf("%s %s: %v", s.format, name, v)
			}
		}
	}
}

// Bombs cost no more than a line, or an object, of the longest that is taken.
func TestHostileBombs(t *testing.T) {
	skipShort(t)
	bad := map[string][]byte{
		"zeros":                    bomb(t, zstandard, again("\x00", 256<<20)),
		"columns":                  bomb(t, gzipped, again("a,", beyond)),
		"brackets":                 bomb(t, zstandard, again("[", beyond)),
		"open objects":             bomb(t, zstandard, again(`{"a":`, beyond)),
		"a name that never ends":   bomb(t, zstandard, strings.NewReader(`{"name":"`), again("x", beyond)),
		"a job id that never ends": bomb(t, zstandard, strings.NewReader(`[{"jobid":"`), again("x", beyond)),
	}
	for _, s := range samples(t) {
		switch s.name {
		// one of each way to take a file apart
		case "runs.jsonl", "slice.csv", "trace.json", "blast.json", "cluster_job_log":
			for name, content := range bad {
				if v := judge(t, &s, source.BytesFile(name, content)); v.rejects == 0 && v.err == nil || v.runs > 0 {
					t.Errorf("%s %s: %v", s.format, name, v)
				}
			}
		}
	}
}

// Text in UTF-16 or UTF-32 is called that, with the way out of it.
func TestHostileEncodings(t *testing.T) {
	for _, s := range samples(t) {
		units := utf16.Encode([]rune(s.content))
		little, big := encodeUTF16(binary.LittleEndian, units), encodeUTF16(binary.BigEndian, units)
		for name, content := range map[string][]byte{
			"UTF-16":   append([]byte{0xff, 0xfe}, little...),
			"UTF-16be": append([]byte{0xfe, 0xff}, big...),
			"UTF-16LE": little,
			"UTF-16BE": big,
			"UTF-32":   {0xff, 0xfe, 0, 0, 'a', 0, 0, 0},
		} {
			want := strings.TrimSuffix(name, "be")
			var packed bytes.Buffer
			packed.Write(bomb(t, gzipped, bytes.NewReader(content)))
			for _, f := range []*source.File{source.BytesFile(s.name, content), source.BytesFile(s.name+
				".gz", packed.Bytes())} {
				var e *source.EncodingError
				if _, _, err := formats.Detect(t.Context(), f, 0); !errors.As(err, &e) || e.Encoding != want ||
					!strings.Contains(err.Error(), "iconv -f "+want+" -t UTF-8") ||
					!strings.HasPrefix(err.Error(), f.Name) {
					t.Errorf("%s in %s is detected: %v", f.Name, name, err)
				}
				r := s.read(t, f)
				if !errors.As(r.Err, &e) || len(r.Runs) > 0 || !strings.HasPrefix(r.Err.Error(), f.Name) {
					t.Errorf("%s in %s is read: %d runs, %v", f.Name, name, len(r.Runs), r.Err)
				}
			}
		}
	}
}

func encodeUTF16(order binary.AppendByteOrder, units []uint16) []byte {
	var b []byte
	for _, u := range units {
		b = order.AppendUint16(b, u)
	}
	return b
}

// A line of 300 MB is kept up to what a reject shows of it.
func TestHostileLongLine(t *testing.T) {
	skipShort(t)
	var numbers []int64
	heap := heapGrowth(func() {
		lines := source.NewLines(io.MultiReader(again("x", 300<<20), strings.NewReader("\nnext\n")), 0)
		for lines.Next() {
			numbers = append(numbers, lines.Number())
			if lines.TooLong() != (lines.Number() == 1) || len(lines.Bytes()) > 4096 {
				t.Errorf("line %d: too long %t, %d bytes", lines.Number(), lines.TooLong(), len(lines.Bytes()))
			}
		}
	})
	if len(numbers) != 2 || heap > mostHeap {
		t.Errorf("lines %v, %d MB", numbers, heap>>20)
	}
}

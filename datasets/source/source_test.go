package source_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/OneOfOne/xxhash"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"pgregory.net/rapid"

	"racecard/datasets/lists"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

func gzipped(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(content)
	w.Close()
	return b.Bytes()
}

func zstdOf(content []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return w.EncodeAll(content, nil)
}

func lz4Frame(content []byte) []byte {
	var b bytes.Buffer
	w := lz4.NewWriter(&b)
	if err := w.Apply(lz4.BlockSizeOption(lz4.Block64Kb)); err != nil {
		panic(err)
	}
	w.Write(content)
	w.Close()
	return b.Bytes()
}

// lz4Blocks writes what lz4-java's LZ4BlockOutputStream does: compressed blocks, raw ones where compression gains
// nothing, and an empty block in the end.
func lz4Blocks(content []byte, size int) []byte {
	var out []byte
	block := func(method byte, packed, plain []byte) {
		out = append(out, "LZ4Block"...)
		out = append(out, method|5)
		for _, n := range []int{len(packed), len(plain), int(xxhash.Checksum32S(plain, 0x9747b28c) & 0x0fffffff)} {
			out = append(out, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
		}
		out = append(out, packed...)
	}
	for part := range slices.Chunk(content, size) {
		packed := make([]byte, lz4.CompressBlockBound(len(part)))
		n, err := lz4.CompressBlock(part, packed, nil)
		if err != nil || n == 0 || n >= len(part) {
			block(0x10, part, part)
		} else {
			block(0x20, packed[:n], part)
		}
	}
	block(0x10, nil, nil)
	return out
}

// snappyBlocks writes what snappy-java's SnappyOutputStream does.
func snappyBlocks(content []byte, size int) []byte {
	out := []byte("\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01")
	for part := range slices.Chunk(content, size) {
		packed := s2.EncodeSnappy(nil, part)
		n := len(packed)
		out = append(out, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
		out = append(out, packed...)
	}
	return out
}

func snappyFrame(content []byte) []byte {
	var b bytes.Buffer
	w := s2.NewWriter(&b, s2.WriterSnappyCompat())
	w.Write(content)
	w.Close()
	return b.Bytes()
}

// codecs are all compressions that are read, and none.
var codecs = map[string]func([]byte) []byte{
	"plain": slices.Clone[[]byte], "gzip": gzipped, "zstd": zstdOf, "lz4 frame": lz4Frame, "snappy frame": snappyFrame,
	"lz4 blocks":    func(b []byte) []byte { return lz4Blocks(b, 100) },
	"snappy blocks": func(b []byte) []byte { return snappyBlocks(b, 100) },
	"two gzip members": func(b []byte) []byte {
		return append(gzipped(b[:len(b)/2]), gzipped(b[len(b)/2:])...)
	},
	"two zstd frames": func(b []byte) []byte { return append(zstdOf(b[:len(b)/2]), zstdOf(b[len(b)/2:])...) },
	"two lz4 streams": func(b []byte) []byte {
		return append(lz4Blocks(b[:len(b)/2], 64), lz4Blocks(b[len(b)/2:], 64)...)
	},
}

func content(f *source.File) ([]byte, error) {
	r, err := f.Open(context.Background())
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

func TestDecompress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.ByteRange('a', 'f'), 2, 2000).Draw(t, "content")
		for name, compress := range codecs {
			raw := compress(want)
			f := source.BytesFile("x", raw)
			got, err := content(f)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: got %d bytes, %v, want %d", name, len(got), err, len(want))
			}
			if sum := sha256.Sum256(raw); f.SHA256() != hex.EncodeToString(sum[:]) || f.RawRead() != int64(len(raw)) {
				t.Errorf("%s: checksum or size of the raw bytes is wrong", name)
			}
		}
	})
}

func TestDecompressTruncated(t *testing.T) {
	var want []byte
	for i := range 20_000 {
		want = fmt.Appendf(want, "line %d\n", i*i)
	}
	for name, compress := range codecs {
		if name == "plain" {
			continue
		}
		raw := compress(want)
		got, err := content(source.BytesFile("x", raw[:len(raw)*3/4]))
		if !source.IsTruncated(err) {
			t.Errorf("%s: error %v, want one that says truncated", name, err)
		}
		if len(got) == 0 || !bytes.HasPrefix(want, got) {
			t.Errorf("%s: what came before the break is lost or wrong (%d bytes)", name, len(got))
		}
	}
}

func TestDamageIsNoTruncation(t *testing.T) {
	raw := lz4Blocks(bytes.Repeat([]byte("abcdefgh"), 100), 64)
	raw[200] ^= 0xff
	if _, err := content(source.BytesFile("x", raw)); err == nil || source.IsTruncated(err) {
		t.Errorf("damaged lz4: %v", err)
	}
	for name, magic := range map[string]string{"xz": "\xfd7zXZ\x00", "zip": "PK\x03\x04", "lzf": "ZV\x01\x00\x10"} {
		if _, err := content(source.BytesFile("x", []byte(magic+"rest"))); err == nil ||
			!strings.Contains(err.Error(), name+" compression is not supported") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func lines(content string, most int) (got []string, l *source.Lines) {
	l = source.NewLines(strings.NewReader(content), most)
	for l.Next() {
		s := string(l.Bytes())
		if l.TooLong() {
			s = "too long: " + s[:4]
		}
		got = append(got, fmt.Sprintf("%d:%s", l.Number(), s))
	}
	return got, l
}

func TestLines(t *testing.T) {
	for _, test := range []struct {
		content string
		want    []string
	}{
		{"", nil},
		{"\n", []string{"1:"}},
		{"a\nb", []string{"1:a", "2:b"}},
		{"a\r\nb\r\n\r\n", []string{"1:a", "2:b", "3:"}},
		{"\ufeffa\n\ufeffb\n", []string{"1:a", "2:b"}},
		{"abcdefgh\nx\n", []string{"1:abcdefgh", "2:x"}},
		{"abcdefghijkl\nx\n", []string{"1:too long: abcd", "2:x"}},
		{strings.Repeat("z", 1<<20) + "\ny", []string{"1:too long: zzzz", "2:y"}},
	} {
		got, l := lines(test.content, 8)
		if !slices.Equal(got, test.want) || l.Err() != nil {
			t.Errorf("%.20q: got %q, %v, want %q", test.content, got, l.Err(), test.want)
		}
	}
}

func TestLinesThatBreakOff(t *testing.T) {
	raw := gzipped(bytes.Repeat([]byte("0123456789abcde\n"), 100_000))
	f := source.BytesFile("x.gz", raw[:len(raw)/2])
	r, err := f.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	l := source.NewLines(r, 0)
	n := 0
	for l.Next() {
		if !l.Cut() && string(l.Bytes()) != "0123456789abcde" {
			t.Fatalf("line %d is %q", l.Number(), l.Bytes())
		}
		n++
	}
	if n == 0 || !source.IsTruncated(l.Err()) {
		t.Errorf("%d lines, error %v", n, l.Err())
	}
}

func TestFromFS(t *testing.T) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for name, content := range map[string]string{"d/one.tr": "1 1 1 1\n"} {
		w.WriteHeader(&tar.Header{Name: name, Size: int64(len(content)), Mode: 0o644, Typeflag: tar.TypeReg})
		w.Write([]byte(content))
	}
	packed := gzipped([]byte("packed"))
	w.WriteHeader(&tar.Header{Name: "d/two.gz", Size: int64(len(packed)), Mode: 0o644, Typeflag: tar.TypeReg})
	w.Write(packed)
	w.Close()
	fsys := fstest.MapFS{
		"b.tr": {Data: []byte("b")}, "a/c.tr.gz": {Data: gzipped([]byte("c"))}, "a/.hidden": {Data: []byte("x")},
		"a/_SUCCESS": {},
		"a/x.crc":    {Data: []byte("x")}, "z.tar.gz": {Data: gzipped(archive.Bytes())},
		".git/config": {Data: []byte("x")},
	}
	files, err := source.FromFS(fsys, ".", "top")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"top/a/c.tr.gz": "c", "top/b.tr": "b", "top/z.tar.gz:d/one.tr": "1 1 1 1\n",
		"top/z.tar.gz:d/two.gz": "packed"}
	if len(files) != len(want) {
		t.Errorf("%d files, want %d", len(files), len(want))
	}
	for range 2 { // twice: archives are opened again
		for _, f := range files {
			got, err := content(f)
			if err != nil || string(got) != want[f.Name] {
				t.Errorf("%s: %q, %v, want %q", f.Name, got, err, want[f.Name])
			}
		}
	}
	if base := files[0].Base(); base != "c.tr" {
		t.Errorf("base name %q, want c.tr", base)
	}
	if base := files[len(files)-1].Base(); base != "two" {
		t.Errorf("base name of a member %q, want two", base)
	}
}

// testParser takes lines that hold an id each; "bad" is no id, and "-" is none.
type testParser struct{ runs []*trace.Run }

func (p *testParser) Reset() {
	for _, run := range p.runs {
		run.ID = "used after Reset"
	}
	p.runs = nil
}

func (p *testParser) Parse(l *source.Line, tally *source.Tally) (*trace.Run, *source.Reject) {
	id := string(l.Bytes)
	switch {
	case strings.HasPrefix(id, "bad"):
		return nil, l.Reject("id", "bad", "is bad")
	case strings.HasPrefix(id, "odd"):
		tally.Repair("odd")
		tally.Warn("odd", "%s", id)
	case id == "-":
		id = ""
	}
	p.runs = append(p.runs, trace.NewRun(id))
	return p.runs[len(p.runs)-1], nil
}

// readTest reads lines with a testParser.
func readTest(t *testing.T, files ...*source.File) (ids []string, rejects []*source.Reject, tally *source.Tally,
	err error) {
	tally = source.NewTally()
	for run, e := range source.ReadLines(context.Background(), files, tally, func() source.LineParser {
		return &testParser{}
	}) {
		var r *source.Reject
		switch {
		case errors.As(e, &r):
			rejects = append(rejects, r)
		case e != nil:
			err = e
		default:
			ids = append(ids, run.ID)
		}
	}
	if err == nil {
		if err := tally.Close(); err != nil {
			t.Error(err)
		}
	}
	return ids, rejects, tally, err
}

func TestReadLinesAccountsForEveryLine(t *testing.T) {
	ids, rejects, tally, err := readTest(t, source.BytesFile("a", []byte("x\n\nbad\ny\nx\n\xff\n")),
		source.BytesFile("b", []byte("y\nz")))
	if err != nil || !slices.Equal(ids, []string{"x", "y", "z"}) {
		t.Errorf("ids %v, %v", ids, err)
	}
	var got []string
	for _, r := range rejects {
		got = append(got, r.Error())
	}
	want := []string{
		`a:3: field "id": bad: is bad`, `a:5: field "id": duplicate id: "x" occurred before`,
		`a:6: not UTF-8: bytes that are no UTF-8`, `b:1: field "id": duplicate id: "y" occurred before`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("rejects %q, want %q", got, want)
	}
	if tally.Read != 8 || tally.Used != 3 || tally.Ignored["blank line"] != 1 || lists.Total(tally.Rejected) != 4 {
		t.Errorf("tally %+v", tally)
	}
}

func TestReadLinesOfATruncatedFile(t *testing.T) {
	var all []byte
	for i := range 50_000 {
		all = fmt.Appendf(all, "id-%d-%x\n", i, sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
	}
	raw := gzipped(all)
	ids, rejects, tally, err := readTest(t, source.BytesFile("a.gz", raw[:len(raw)/2]))
	if err != nil || len(ids) < 1000 {
		t.Fatalf("%d ids, %v: the lines before the break are lost", len(ids), err)
	}
	if len(rejects) != 1 || rejects[0].Reason != source.ReasonTruncated || len(tally.Warnings) != 1 {
		t.Errorf("rejects %v, warnings %q: want one of each", rejects, tally.Warnings)
	}
	if !strings.HasPrefix(string(all), strings.Join(ids, "\n")+"\n") {
		t.Error("the ids are not the first lines of the file")
	}
}

func TestEncodings(t *testing.T) {
	for content, want := range map[string]string{
		"": "", "a": "", "\xff": "", "\xff\xfe": "UTF-16", "\xfe\xff\x00a": "UTF-16", "\xff\xfe\x00\x00": "UTF-32",
		"\x00\x00\xfe\xff":      "UTF-32",
		"a\x00,\x00b\x00\n\x00": "UTF-16LE", "\x00a\x00,\x00b\x00\n": "UTF-16BE", "a\x00b\x00": "",
		"a\x00\x00\x00b\x00\x00\x00": "", "\xff\xd8\xff": "", "PAR1\x00\x01": "",
		"\ufeffabc": "",
	} {
		for name, raw := range map[string][]byte{"plain": []byte(content), "gzip": gzipped([]byte(content))} {
			f := source.BytesFile("x", raw)
			_, headErr := f.Head(t.Context())
			got, err := text(f)
			var e *source.EncodingError
			switch {
			case want == "" && (err != nil || headErr != nil || got != content):
				t.Errorf("%q in %s: %q, %v, %v", content, name, got, err, headErr)
			case want != "" && (!errors.As(err, &e) || e.Encoding != want || !errors.As(headErr, &e) ||
				!strings.HasPrefix(err.Error(), "x: ")):
				t.Errorf("%q in %s: %v, %v, want %s", content, name, err, headErr, want)
			}
		}
	}
}

func text(f *source.File) (string, error) {
	got, err := content(f)
	return string(got), err
}

func TestCarriageReturns(t *testing.T) {
	for in, want := range map[string]string{
		"a\rb\r": "a\nb\n", "a\r\nb\rc": "a\r\nb\rc", "a\rb\x00": "a\rb\x00", "a\nb\rc": "a\nb\rc", "\r": "\n",
		strings.Repeat("row\r", 40_000): strings.Repeat("row\n", 40_000),
	} {
		if got, err := text(source.BytesFile("x", []byte(in))); err != nil || got != want {
			t.Errorf("%.40q: got %.40q, %v, want %.40q", in, got, err, want)
		}
	}
}

func TestLabels(t *testing.T) {
	for _, test := range []struct{ names, want, prefixes []string }{
		{[]string{"d/a.tr"}, []string{"a.tr"}, []string{""}},
		{[]string{"d/a.tr", "e/b.tr.GZ"}, []string{"a.tr", "b.tr"}, []string{"a.tr:", "b.tr:"}},
		{[]string{"1/d/a.tr", "2/d/a.tr", "a.tr"}, []string{"1/d/a.tr", "2/d/a.tr", "a.tr"},
			[]string{"1/d/a.tr:", "2/d/a.tr:", "a.tr:"}},
		{[]string{"x.tar:d/a.tr", "a.tr", "a.tr"}, []string{"d/a.tr", "a.tr", "a.tr"}, []string{"d/a.tr:", "a.tr:",
			"a.tr:"}},
		{[]string{"\xff.tr", "b"}, []string{"\ufffd.tr", "b"}, []string{"\ufffd.tr:", "b:"}},
	} {
		var files []*source.File
		for _, n := range test.names {
			files = append(files, source.BytesFile(n, nil))
		}
		if got := source.Labels(files, (*source.File).Base); !slices.Equal(got, test.want) {
			t.Errorf("%q: got %q, want %q", test.names, got, test.want)
		}
		if got := source.IDPrefixes(files); !slices.Equal(got, test.prefixes) {
			t.Errorf("%q: got %q, want %q", test.names, got, test.prefixes)
		}
	}
}

func TestText(t *testing.T) {
	for line, want := range map[string]string{"": "", "aä": "", "a\xff": source.ReasonNotUTF8,
		"a\x00": source.ReasonNotText, "\x00\xff": source.ReasonNotUTF8} {
		if got, detail := source.NotText([]byte(line)); got != want || (got == "") != (detail == "") {
			t.Errorf("%q: %q, %q, want %q", line, got, detail, want)
		}
	}
	for line, want := range map[string]bool{"": true, " \t": true, "\r": true, " a": false, "a ": false,
		"\u00a0": false} {
		if got := source.Blank([]byte(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	for text, want := range map[string]bool{
		"[{}]": false, strings.Repeat("{", source.MaxObjects): false, strings.Repeat("{", source.MaxObjects+1): true,
		strings.Repeat(",", source.MaxValues-1): false, strings.Repeat(",", source.MaxValues): true,
	} {
		if got, _ := source.TooManyValues([]byte(text)); (got != "") != want {
			t.Errorf("%d times %.1q: %q", len(text), text, got)
		}
	}
}

func TestTallyWarnsAtMostThreeTimesOfAKind(t *testing.T) {
	tally := source.NewTally()
	for i := range 10 {
		tally.Warn("kind", "number %d", i)
	}
	if err := tally.Close(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"kind: number 0", "kind: number 1", "kind: number 2",
		"kind: 7 more"}; !slices.Equal(tally.Warnings, want) {
		t.Errorf("warnings %q, want %q", tally.Warnings, want)
	}
}

func TestTallyMissesALostRecord(t *testing.T) {
	tally := source.NewTally()
	tally.Use()
	tally.Read++
	if err := tally.Close(); err == nil {
		t.Error("a lost record went unnoticed")
	}
}

func FuzzDecompress(f *testing.F) {
	for _, compress := range codecs {
		f.Add(compress([]byte("some text, some text, some more text")))
	}
	f.Add([]byte("LZ4Block\x25\xff\xff\xff\x7f\xff\xff\xff\x7f\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := source.BytesFile("fuzz", raw).Open(t.Context())
		if err != nil {
			return
		}
		defer r.Close()
		if _, err := io.Copy(io.Discard, io.LimitReader(r, 64<<20)); err != nil {
			return
		}
	})
}

func TestBlocksSplitAsLinesDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.StringMatching(`(\x{feff})?([ab]{0,9}(\r?\n)?){0,12}`).Draw(t, "content")
		size := rapid.IntRange(1, 12).Draw(t, "size")
		var r io.Reader = strings.NewReader(content)
		broken := rapid.Bool().Draw(t, "broken")
		end := func() io.Reader {
			r = iotest.OneByteReader(strings.NewReader(content))
			if broken {
				r = io.MultiReader(r, iotest.ErrReader(io.ErrUnexpectedEOF))
			}
			return r
		}
		var want, got []string
		l := source.NewLines(end(), 5)
		for l.Next() {
			line := l.Bytes()
			if l.TooLong() {
				line = line[:5] // how much is kept of it differs
			}
			want = append(want, fmt.Sprintf("%d %q long %v last %v cut %v", l.Number(), line, l.TooLong(), l.Last() &&
				!l.TooLong(), l.Cut() && !l.TooLong()))
		}
		blocks := source.SmallBlocks(end(), 5, size)
		for block, ok := blocks.Next(); ok; block, ok = blocks.Next() {
			for block.Next() {
				line := block.Line
				if block.Long {
					line = line[:5]
				}
				got = append(got, fmt.Sprintf("%d %q long %v last %v cut %v", block.Number, line, block.Long,
					block.Last && !block.Long, block.Cut && !block.Long))
			}
			block.Free()
		}
		if !slices.Equal(got, want) || (blocks.Err() == nil) != (l.Err() == nil) {
			t.Errorf("%q in blocks of %d:\ngot  %q\nwant %q\n%v, %v", content, size, got, want, blocks.Err(), l.Err())
		}
	})
}

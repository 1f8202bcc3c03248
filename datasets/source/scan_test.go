package source_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/source"
)

// lineNumbers notes the lines of a block as "file:number:line".
func lineNumbers() func(int, *source.Block) []string {
	return func(file int, b *source.Block) (out []string) {
		for b.Next() {
			out = append(out, fmt.Sprintf("%d:%d:%s", file, b.Number, b.Line))
		}
		return out
	}
}

func TestScanBlocksInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var files []*source.File
		var want []string
		for i := range rapid.IntRange(1, 3).Draw(t, "files") {
			lines := rapid.SliceOfN(rapid.StringMatching("[a-z]{0,40}"), 0, 30).Draw(t, "lines")
			for k, line := range lines {
				want = append(want, fmt.Sprintf("%d:%d:%s", i, k+1, line))
			}
			want = append(want, fmt.Sprintf("end of %d after %d lines: true, <nil>", i, len(lines)))
			content := strings.Join(lines, "\n")
			if len(lines) > 0 {
				content += "\n"
			}
			files = append(files, source.BytesFile(fmt.Sprint(i), []byte(content)))
		}
		for _, workers := range []int{0, 1, 3} {
			var got []string
			for s := range source.ScanBlocks(context.Background(), files, workers, rapid.IntRange(1, 50).Draw(t,
				"size"), lineNumbers) {
				if s.End {
					got = append(got, fmt.Sprintf("end of %d after %d lines: %v, %v", s.File, s.Lines, s.Opened, s.Err))
				}
				got = append(got, s.Result...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d workers: got %q, want %q", workers, got, want)
			}
		}
	})
}

func TestScanBlocksStops(t *testing.T) {
	content := []byte(strings.Repeat("line\n", 10_000))
	for _, workers := range []int{0, 1, 3} {
		files := []*source.File{source.BytesFile("a", content), source.BytesFile("b", content)}
		n := 0
		for range source.ScanBlocks(context.Background(), files, workers, 100, lineNumbers) {
			if n++; n == 5 {
				break
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		for range source.ScanBlocks(ctx, files, workers, 100, lineNumbers) {
			cancel()
			if n++; n > 100 {
				t.Fatalf("%d workers: it goes on", workers)
			}
		}
		cancel()
	}
}

func TestScanBlocksOfFilesThatFail(t *testing.T) {
	whole := gzipped([]byte("x\n"))
	files := []*source.File{
		source.BytesFile("cut.gz", whole[:5]), source.BytesFile("utf16", []byte("\xff\xfea\x00")),
		source.BytesFile("after", []byte("x\n")),
	}
	var ends []string
	for s := range source.ScanBlocks(context.Background(), files, 2, 0, lineNumbers) {
		if s.End {
			var e *source.EncodingError
			ends = append(ends, fmt.Sprint(s.File, s.Opened, source.IsTruncated(s.Err), errors.As(s.Err, &e)))
		}
	}
	// The first is cut off in its header, the second cannot be read at all, the third is not looked at.
	if want := []string{"0 true true false", "1 false false true"}; !slices.Equal(ends, want) {
		t.Errorf("ends %q, want %q", ends, want)
	}
}

// Runs are numbered, ids claimed and findings kept in the order of the lines, wherever blocks end.
func TestReadLinesOverManyBlocks(t *testing.T) {
	var content strings.Builder
	const n = 60_000
	for i := range n {
		switch {
		case i%1000 == 7:
			content.WriteString("bad\n")
		case i%1000 == 8:
			fmt.Fprintf(&content, "odd %d\n", i)
		case i%1000 == 9:
			content.WriteString("\n")
		case i%2 == 0:
			content.WriteString("-\n")
		default:
			fmt.Fprintf(&content, "id %d\n", i)
		}
	}
	ids, rejects, tally, err := readTest(t, source.BytesFile("a", []byte(content.String())))
	if err != nil || len(ids) != n-2*n/1000 || len(rejects) != n/1000 || tally.Repairs["odd"] != n/1000 ||
		tally.Ignored["blank line"] != n/1000 {
		t.Fatalf("%d ids, %d rejects, repairs %v, ignored %v, %v", len(ids), len(rejects), tally.Repairs, tally.Ignored,
			err)
	}
	// Of the first 59 000 lines 59 are blank; the line of index 59 000 is the 59 001st, and has no id of its own.
	at := slices.Index(ids, "58942")
	if at < 0 || ids[at+1] != "id 59001" {
		t.Errorf("the line behind 59 blank lines of 59 001 has not the number 58942 before %q", ids[at+1])
	}
	if !strings.HasPrefix(tally.Warnings[0], "odd: odd 8") || !strings.HasPrefix(tally.Warnings[2], "odd: odd 2008") ||
		len(tally.Warnings) != 4 {
		t.Errorf("warnings %q", tally.Warnings)
	}
}

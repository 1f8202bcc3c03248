package parquetio

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// counting counts the reads of a file and their bytes.
type counting struct {
	r            io.ReaderAt
	reads, bytes int
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	c.reads++
	c.bytes += len(p)
	return c.r.ReadAt(p, at)
}

// twenty is a file of twenty columns of numbers that do not compress.
func twenty(t *testing.T, rows int) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var columns []Column
	for i := range 20 {
		c := Column{Field: Field{fmt.Sprint("c", i), Float64}, Len: rows}
		for range rows {
			c.Float64s = append(c.Float64s, r.Float64())
		}
		columns = append(columns, c)
	}
	var b bytes.Buffer
	if err := Write(&b, "t", nil, columns, []Range{{0, rows}}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Three of twenty columns cost less than a fifth of the bytes, in few requests.
func TestRangedReadsCostTheirBytes(t *testing.T) {
	data := twenty(t, 20_000)
	c := &counting{r: bytes.NewReader(data)}
	f, err := OpenRanged(c, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	want, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"c3", "c4", "c17"}
	if err := f.Fetch(names); err != nil {
		t.Fatal(err)
	}
	reads := c.reads
	for _, name := range names {
		got, err := f.Column(name)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := want.Column(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range whole.Float64s {
			if got.Float64s[i] != whole.Float64s[i] {
				t.Fatalf("%s: row %d is %v, want %v", name, i, got.Float64s[i], whole.Float64s[i])
			}
		}
	}
	if c.reads != reads || reads > 4 {
		t.Errorf("%d requests, %d of them for pages one by one", c.reads, c.reads-reads)
	}
	if share := float64(c.bytes) / float64(len(data)); share > 0.2 {
		t.Errorf("%.3f of the bytes were read", share)
	}
}

// A page that was changed on its way is noticed.
func TestRangedReadsVerifyPages(t *testing.T) {
	data := twenty(t, 1000)
	whole, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	_, end, err := checkChunk(int64(len(data)), &whole.file.Metadata().RowGroups[0].Columns[5])
	if err != nil {
		t.Fatal(err)
	}
	data[end-100] ^= 4
	f, err := OpenRanged(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Column("c5"); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("%v", err)
	}
	if _, err := f.Column("c6"); err != nil {
		t.Error(err)
	}
}

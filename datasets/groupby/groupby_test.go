package groupby

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// jobsOf yields every key with its records, in the order of the input. The order of keys depends on the keys alone. A job
// is valid until the next one. Jobs that are too large for the memory are errors: see [Chunk.Jobs].
func jobsOf(ctx context.Context, g *Grouper) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		chunks, err := g.Chunks()
		if err != nil {
			yield(Job{}, err)
			return
		}
		for _, c := range chunks {
			for job, err := range c.Jobs(ctx) {
				var large *TooLargeError
				if !yield(job, err) || err != nil && !errors.As(err, &large) {
					return
				}
			}
		}
	}
}

// collect adds records and returns what comes out, as text.
func collect(t interface{ Fatal(...any) }, g *Grouper, keys []string) []string {
	for i, k := range keys {
		if err := g.Add([]byte(k), Record{Tag: uint8(i), File: int32(i % 3), Line: int64(i),
			Bytes: []byte(fmt.Sprint("record ", i))}); err != nil {
			t.Fatal(err)
		}
	}
	var out []string
	for job, err := range jobsOf(context.Background(), g) {
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%q:", job.Key)
		for _, r := range job.Records {
			line += fmt.Sprintf(" %d/%d/%d/%s", r.Tag, r.File, r.Line, r.Bytes)
		}
		out = append(out, line)
	}
	return out
}

func TestEveryRecordComesOutOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.StringN(0, 3, 6)).Draw(t, "keys")
		want := map[string]string{}
		for i, k := range keys {
			want[k] += fmt.Sprintf(" %d/%d/%d/record %d", uint8(i), i%3, i, i)
		}
		for _, memory := range []int64{0, 64} { // all in memory, nearly all on disk
			g := New(memory)
			defer g.Close()
			got := collect(t, g, keys)
			if len(got) != len(want) {
				t.Errorf("%d jobs, want %d", len(got), len(want))
			}
			for _, line := range got {
				var key string
				fmt.Sscanf(line, "%q", &key)
				if line != fmt.Sprintf("%q:", key)+want[key] {
					t.Errorf("got %s, want %s", line, want[key])
				}
			}
		}
	})
}

func TestMemoryDoesNotChangeTheOrder(t *testing.T) {
	var keys []string
	for i := range 5000 {
		keys = append(keys, fmt.Sprint("job ", i*7919%613))
	}
	roomy, tight := New(0), New(10_000)
	defer roomy.Close()
	defer tight.Close()
	if a, b := collect(t, roomy, keys), collect(t, tight, keys); !slices.Equal(a, b) {
		t.Error("the order of jobs or records depends on the memory")
	}
	if tight.spilled.plain == 0 || roomy.spilled.plain != 0 {
		t.Errorf("spilled %d and %d bytes: the test wants the first on disk only", tight.spilled.plain, roomy.spilled.plain)
	}
}

func TestCloseRemovesFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	g := New(64)
	for i := range 1000 {
		if err := g.Add(fmt.Append(nil, i), Record{Bytes: make([]byte, 100)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v was left", left)
	}
}

func BenchmarkGather(b *testing.B) {
	keys := make([][]byte, 100_000)
	for i := range keys {
		keys[i] = fmt.Append(nil, "j_", i*2654435761%100_000)
	}
	record := []byte("R2_1,23.0,j_1527842,,Terminated,87076,87099,100.0,0.39")
	n := 0
	for b.Loop() {
		g := New(0)
		for i := range 1_000_000 {
			if err := g.Add(keys[i*7%len(keys)], Record{Line: int64(i), Bytes: record}); err != nil {
				b.Fatal(err)
			}
		}
		for _, err := range jobsOf(b.Context(), g) {
			if err != nil {
				b.Fatal(err)
			}
		}
		n += 1_000_000
		g.Close()
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}

package groupby

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/source"
)

// Jobs that are too large are said to be so, with all their records, and the others come out as ever.
func TestLargeJobsAreRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 12), 1, 8).Draw(t, "sizes")
		limit := rapid.IntRange(0, 12).Draw(t, "limit")
		const each = worstCost + recordHeader + 10
		g := New(rapid.SampledFrom([]int64{0, 1 << 10}).Draw(t, "memory"))
		defer g.Close()
		g.bounds.job, g.bounds.keep, g.bounds.group = int64(limit*each+1), 0, 3*each
		line := int64(0)
		for round := range slices.Max(sizes) {
			for k, size := range sizes {
				if round < size {
					if err := g.Add([]byte{byte(k)}, Record{File: 1, Line: line, Bytes: fmt.Appendf(nil, "%10d",
						line)}); err != nil {
						t.Fatal(err)
					}
					line++
				}
			}
		}
		got := make([]int, len(sizes))
		for job, err := range jobsOf(context.Background(), g) {
			var large *TooLargeError
			switch {
			case errors.As(err, &large):
				k := large.Key[0]
				if sizes[k] <= limit || large.Records != int64(sizes[k]) || large.First.Line != int64(k) &&
					sizes[k] > 0 && large.First.Line >= int64(len(sizes)) {
					t.Fatalf("key %d of %d records, limit %d: %+v", k, sizes[k], limit, large)
				}
				tally := source.NewTally()
				files := []*source.File{source.BytesFile("a", nil), source.BytesFile("b", nil)}
				if r := large.Reject(files, []int64{0, 0}, tally); r.File != "b" || tally.Read != large.Records ||
					tally.Close() != nil {
					t.Fatalf("reject %v, tally %+v", r, tally)
				}
				got[k] += int(large.Records)
			case err != nil:
				t.Fatal(err)
			default:
				k := job.Key[0]
				if sizes[k] > limit {
					t.Fatalf("key %d has %d records, the limit is %d", k, sizes[k], limit)
				}
				got[k] += len(job.Records)
				for i := range job.Records {
					if i > 0 && job.Records[i].Line <= job.Records[i-1].Line ||
						string(job.Records[i].Bytes) != fmt.Sprintf("%10d", job.Records[i].Line) {
						t.Fatalf("key %d: records %+v", k, job.Records)
					}
				}
			}
		}
		if !slices.Equal(got, sizes) {
			t.Fatalf("records %v, want %v", got, sizes)
		}
	})
}

// Reading a partition in several passes, from frames that are read again each time, changes nothing.
func TestPassesDoNotChangeTheOrder(t *testing.T) {
	var keys []string
	for i := range 3_000 {
		keys = append(keys, fmt.Sprint("job ", i*7919%613))
	}
	roomy, tight := New(0), New(50_000)
	defer roomy.Close()
	defer tight.Close()
	tight.bounds.group, tight.bounds.keep = 40_000, 0
	if a, b := collect(t, roomy, keys), collect(t, tight, keys); !slices.Equal(a, b) {
		t.Error("the order of jobs or records depends on the passes")
	}
}

// A share never gives out more than there is, and more than all is all.
func TestShare(t *testing.T) {
	s := newShare(10)
	var wait sync.WaitGroup
	var mu sync.Mutex
	out := int64(0)
	for i := range int64(30) {
		wait.Go(func() {
			n := s.take(i)
			mu.Lock()
			if out += n; out > 10 || n > 10 {
				t.Errorf("%d of 10 are taken", out)
			}
			mu.Unlock()
			mu.Lock()
			out -= n
			mu.Unlock()
			s.give(n)
		})
	}
	wait.Wait()
	if s.free != 10 {
		t.Errorf("%d of 10 are left", s.free)
	}
}

// Where rows of a job lie together, each block is for other partitions: room for one does not stay.
func TestRoomOfPartitions(t *testing.T) {
	var b blockBuilder
	line := bytes.Repeat([]byte{'x'}, 1000)
	for job := range 2 * partitions {
		key := fmt.Appendf(nil, "j_%d", job)
		for i := range 300 {
			b.add(key, line, 0, uint32(i))
		}
		if got := b.finish(); got.len() != 300 || len(got.data) < 300*len(line) {
			t.Fatalf("a block of %d records in %d bytes", got.len(), len(got.data))
		}
	}
	room := 0
	for i := range b.parts {
		room += cap(b.parts[i].data)
	}
	if room > partitions*maxPart {
		t.Errorf("%d bytes of room are kept", room)
	}
}

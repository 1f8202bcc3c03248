package live

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"racecard/datasets/remaining"
	"racecard/pipeline/internal/livetest"
)

func BenchmarkLookUp(b *testing.B) {
	tables, _ := opened(b, livetest.Files(b, nil, livetest.Table("a", 1, 1, 2, 4, 8, 16, 32)))
	b.ReportAllocs()
	p, sum := 0.0, 0.0
	for b.Loop() {
		sum += tables.Current().Table("a").Remaining(p, 11.5, .925)
		if p += .0137; p > 1 {
			p = 0
		}
	}
	runtime.KeepAlive(sum)
}

func BenchmarkDecide(b *testing.B) {
	var grid []int32
	for a := range int32(100) {
		grid = append(grid, a+1)
	}
	tables, _ := opened(b, livetest.Files(b, nil, livetest.Table("a", 1, grid...)))
	r, err := tables.Current().Table("a").NewRun(Goal{DeadlineS: 60})
	if err != nil {
		b.Fatal(err)
	}
	done := []float64{.5, 0}
	now := 0.0
	b.ReportAllocs()
	for b.Loop() {
		now += 1e-3
		done[0] += 1e-7
		r.Decide(Observation{NowS: now, Held: 10, Done: done})
	}
}

// BenchmarkTables opens folders of 10 and of 10,000 tables (500 with -short) of two allocations, and looks them up.
func BenchmarkTables(b *testing.B) {
	many := 10_000
	if testing.Short() {
		many = 50
	}
	for _, n := range []int{10, many} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var all []*remaining.Table
			for i := range n {
				all = append(all, livetest.Table(fmt.Sprintf("job-%d", i), 1+float64(i%7), 1, 4))
			}
			files := livetest.Files(b, nil, all...)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			begin := time.Now()
			tables, _ := opened(b, files)
			opening := time.Since(begin)
			runtime.GC()
			runtime.ReadMemStats(&after)
			jobs := tables.Current().Jobs()
			i := 0
			for b.Loop() {
				i += 7919
				tables.Current().Table(jobs[i%n]).Remaining(.5, 2.5, .9)
			}
			b.ReportMetric(opening.Seconds(), "s-open")
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n)/1e3, "kB/table")
		})
	}
}

package local_test

import (
	"context"
	"os"
	"sync"
	"testing"

	"racecard/datasets/store"
)

func BenchmarkRows(b *testing.B) {
	dir := os.Getenv("STORE")
	if dir == "" {
		b.Skip()
	}
	s, err := store.Open(os.DirFS(dir))
	if err != nil {
		b.Fatal(err)
	}
	p := store.Projection{"jobs.name", "jobs.submit", "jobs.start", "jobs.end", "jobs.status"}
	for _, rows := range []bool{false, true} {
		b.Run(map[bool]string{true: "rows", false: "columns"}[rows], func(b *testing.B) {
			for b.Loop() {
				parts := make(chan int, s.Parts())
				for i := range s.Parts() {
					parts <- i
				}
				close(parts)
				var wg sync.WaitGroup
				for range 2 {
					wg.Go(func() {
						for i := range parts {
							if rows {
								for _, err := range s.Runs(context.Background(), i, p) {
									if err != nil {
										panic(err)
									}
								}
							} else {
								s.Batch(i, p)
							}
						}
					})
				}
				wg.Wait()
			}
		})
	}
}

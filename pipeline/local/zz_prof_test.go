package local_test

import (
	"context"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"racecard/datasets/store"
	"racecard/pipeline/local"
	"racecard/pipeline/stage"
)

func BenchmarkProf(b *testing.B) {
	dir := os.Getenv("STORE")
	if dir == "" {
		b.Skip()
	}
	debug.SetMemoryLimit(1536 << 20)
	s, err := store.Open(os.DirFS(dir))
	if err != nil {
		b.Fatal(err)
	}
	o := stage.DefaultOptions()
	o, _ = o.About(s)
	var only []string
	if v := os.Getenv("ONLY"); v != "" {
		only = strings.Split(v, ",")
	}
	for b.Loop() {
		as, err := stage.Select(stage.Analyses(o), only)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := local.Analyze(context.Background(), s, as, local.Options{Workers: 2}); err != nil {
			b.Fatal(err)
		}
	}
}

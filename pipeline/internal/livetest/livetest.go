// Package livetest makes tables of synthetic jobs, for tests of their readers.
package livetest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"racecard/datasets/publish"
	"racecard/datasets/remaining"
	"racecard/datasets/tablefile"
)

// Table is the table of a job of two stages, map (20 tasks, 60 s of work) and sum (10 tasks, 40 s), for some
// allocations. With a tokens and progress p (1-p)·100·slower/a seconds remain; the quantile q is 0.5+q times that.
func Table(job string, slower float64, allocations ...int32) *remaining.Table {
	t := remaining.New(remaining.About{
		Job: job, Method: remaining.Simulated, Resolution: "attempt", Plan: "p", Stages: 2, Tasks: 30, Runs: 12,
		Synthetic: true,
		Indicator: "totalwork", Sampling: remaining.ByProgress, Replicates: []int64{10}, Simulated: 10, Version: "test",
		Warnings: []string{},
		Graph: remaining.Graph{Stages: []remaining.Stage{
			{Name: "map at /home/ann/job.py:3", Tasks: 20, WorkS: 60, LongestS: 4, End: .6, InfEnd: .6},
			{
				Name:     "sum at /home/ann/job.py:9",
				Tasks:    10,
				WorkS:    40,
				LongestS: 5,
				Begin:    .6,
				End:      1,
				InfBegin: .6,
				InfEnd:   1,
			},
		}, Edges: []remaining.Edge{{Parent: 0, Child: 1, Kind: "all_to_all"}}},
		Control: remaining.Control{Loop: remaining.Loop{PeriodS: 60, PeriodShare: 1. / 30, Slack: 1.05, Hysteresis: .2,
			Rise: 1, DeadZoneS: 180, DeadZoneShare: .05, Jump: true, Learn: .1, Quantile: .9}, Blend: .6},
	}, allocations)
	for c := range t.Cells() {
		middle := (1 - remaining.Progress(c%remaining.Steps)) * 100 * slower / float64(t.Allocations[c/remaining.Steps])
		for q := range t.Quantiles {
			t.Quantiles[q][c] = middle * (0.5 + float64(q)/100)
		}
		t.Mean[c], t.Samples[c] = middle, 10
	}
	return t
}

// Files returns a folder of tables with the generation that follows old, which may be nil.
func Files(t testing.TB, old fs.FS, tables ...*remaining.Table) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	for name, data := range encode(t, old, tables) {
		out[name] = &fstest.MapFile{Data: data}
	}
	return out
}

func encode(t testing.TB, old fs.FS, tables []*remaining.Table) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	x := tablefile.Index{Racecard: "test", Models: "m"}
	for _, table := range tables {
		e, files, err := tablefile.Files(table)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			out[f.Name] = f.Data
		}
		x.Tables = append(x.Tables, e)
	}
	x, kept, err := x.Join(old)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range kept {
		for _, name := range []string{e.File, e.Parquet} {
			data, err := fs.ReadFile(old, name)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = data
		}
	}
	f, err := tablefile.EncodeIndex(x)
	if err != nil {
		t.Fatal(err)
	}
	out[f.Name] = f.Data
	return out
}

// Publish publishes tables in a folder, as `racecard table build` does.
func Publish(t testing.TB, dir string, tables ...*remaining.Table) {
	t.Helper()
	var old fs.FS
	if _, err := os.Stat(filepath.Join(dir, tablefile.IndexFile)); err == nil {
		old = os.DirFS(dir)
	}
	files := encode(t, old, tables)
	f, err := publish.Begin(dir, tablefile.FolderKind())
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := f.Write(name, data); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Publish(nil); err != nil {
		t.Fatal(fmt.Errorf("publish: %w", err))
	}
}

// Package sample holds real event logs of recurring Spark applications, recorded for racecard, so that every
// user has a trace to look at. The README in this folder describes the applications, the machine and the time;
// record.py records the logs again.
package sample

import (
	"embed"
	"io/fs"
)

//go:embed logs
var files embed.FS

// Logs holds one file per run, compressed with zstd, at its top, and nothing else.
var Logs = mustSub(files, "logs")

// Runs lists, in JSON, the deliberate variation of every run.
//
//go:embed runs.json
var Runs []byte

func mustSub(fsys fs.FS, dir string) fs.FS {
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		panic(err) // dir is a constant and valid
	}
	return sub
}

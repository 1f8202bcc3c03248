// Package sample holds real event logs of recurring Spark applications, recorded for racecard, so that everybody who has
// racecard has a trace to look at. The README in this folder says what ran, how, when and on what; record.py records the
// logs again.
package sample

import (
	"embed"
	"io/fs"
)

//go:embed logs
var files embed.FS

// Logs holds one file per run, compressed with zstd, at its top.
var Logs = mustSub(files, "logs")

// ManifestFile is the file in [Logs] that says, for every run, what was varied on purpose. It is not an event log.
const ManifestFile = "manifest.json"

func mustSub(fsys fs.FS, dir string) fs.FS {
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		panic(err) // dir is a constant and valid
	}
	return sub
}

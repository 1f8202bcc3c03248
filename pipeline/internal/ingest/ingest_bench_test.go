package ingest_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"

	"racecard/datasets/sample"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/store"
	"racecard/pipeline/internal/ingest"
)

// trLines makes the text of a trace of that many jobs in the form of the Yahoo traces: a mean of 42 tasks a job, 17
// digits a number.
func trLines(jobs int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b []byte
	for i := range jobs {
		tasks := 1 + int(rng.ExpFloat64()*42)
		mean := rng.ExpFloat64() * 30
		b = fmt.Appendf(b, "%v %d %v ", float64(i)*7.5, tasks, mean)
		for range tasks {
			b = fmt.Appendf(b, " %v", mean*(0.5+rng.Float64()))
		}
		b = append(b, " \n"...)
	}
	return b
}

// benchImport imports files again and again and reports rows (of the larger of tasks and stages) and input bytes per
// second, and how large the store is beside the gzipped input.
func benchImport(b *testing.B, format string, files []*source.File) {
	b.Helper()
	plain := 0
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	for _, f := range files {
		r, err := f.Open(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		var content bytes.Buffer
		if _, err := content.ReadFrom(r); err != nil {
			b.Fatal(err)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
		plain += content.Len()
		if _, err := w.Write(content.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	o := ingest.DefaultOptions()
	o.Format, o.Replace, o.MaxRejects = format, true, 1
	out := filepath.Join(b.TempDir(), "store")
	var m *store.Manifest
	n := 0
	for b.Loop() {
		var err error
		if m, err = ingest.Import(b.Context(), source.Found{Files: files}, out, o); err != nil {
			b.Fatal(err)
		}
		n++
	}
	var size int64
	for _, f := range m.Files {
		size += f.Bytes
	}
	rows := float64(max(m.Rows["tasks"], m.Rows["stages"]))
	seconds := b.Elapsed().Seconds() / float64(n)
	b.ReportMetric(rows/seconds, "rows/s")
	b.ReportMetric(float64(plain)/1e6/seconds, "MB/s")
	b.ReportMetric(float64(size)/rows, "store-B/row")
	b.ReportMetric(float64(zipped.Len())/rows, "gzip-B/row")
}

func BenchmarkImportTr(b *testing.B) {
	benchImport(b, "tr", []*source.File{source.BytesFile("bench.tr", trLines(25_000))})
}

func BenchmarkImportSparkSample(b *testing.B) {
	files, err := source.FromFS(sample.Logs, ".", "sample")
	if err != nil {
		b.Fatal(err)
	}
	benchImport(b, "spark", files)
}

// BenchmarkImportShared imports the real traces beside the project, where there are any.
func BenchmarkImportShared(b *testing.B) {
	for _, name := range []string{"hawk-eagle-tr/GOOG_subtrace.tr.gz", "hawk-eagle-tr/YH1_sub.tr.gz",
		"spark-eventlogs/rapids-tools/nds_q72_dataproc_2_2.gz"} {
		b.Run(filepath.Base(name), func(b *testing.B) {
			path := sourcetest.Shared(b, name)
			found, err := (&ingest.Finder{}).Find(b.Context(), []string{path})
			if err != nil {
				b.Fatal(err)
			}
			benchImport(b, "", found.Files)
		})
	}
}

// BenchmarkImportBatchTask imports a generated batch_task file, whose rows of one job lie apart.
func BenchmarkImportBatchTask(b *testing.B) {
	rows := int64(2_000_000)
	if testing.Short() {
		rows /= 20
	}
	benchImport(b, "alibaba2018", []*source.File{generated(b, "alibaba2018", rows)})
}

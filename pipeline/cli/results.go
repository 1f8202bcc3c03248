package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"racecard/datasets/indexed"
	"racecard/datasets/modelfile"
	"racecard/datasets/parallel"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/words"
)

// checkOut returns an error if documents about a store cannot be written to a folder, and prints the documents that
// will be replaced. Long commands call it before they begin. storePath is "" if the store is not known yet.
func (e *env) checkOut(out, storePath string, documents ...string) error {
	if out == "" {
		return nil
	}
	dir, err := publish.Begin(out, result.FolderKind())
	if err != nil {
		return err
	}
	if err := dir.Abort(); err != nil {
		return err
	}
	old, err := provenanceAt(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w: racecard cannot tell what it may replace; remove the folder or choose another --out",
			out, err)
	}
	fresh := &result.Provenance{Store: old.Store}
	if storePath != "" {
		fresh.Store = publish.Name(storePath)
	}
	var replaced []string
	for _, name := range documents {
		fresh.Add(name)
		if old.Has(name) {
			replaced = append(replaced, name)
		}
	}
	if len(documents) > 0 {
		if _, err := fresh.Join(old); err != nil {
			return fmt.Errorf("%s: %w", out, err)
		}
	}
	if len(replaced) > 0 {
		e.say("%s holds results of %s: %s will be replaced", out, words.Printable(old.Store), words.List(replaced))
	}
	return nil
}

// provenanceAt reads the provenance of a folder of results.
func provenanceAt(path string) (*result.Provenance, error) {
	fsys, err := publish.Open(path)
	if err != nil {
		return nil, err
	}
	return result.ReadProvenance(fsys)
}

// checkKind returns an error if a folder of a kind cannot be written, and prints the parts of an existing one that will
// be replaced.
func (e *env) checkKind(out string, kind publish.Kind, replaced string) error {
	dir, err := publish.Begin(out, kind)
	if err != nil {
		return err
	}
	if _, err := publish.Stat(publish.Join(dir.Place(), kind.Marker)); err == nil {
		e.say("%s holds %s: %s will be replaced", out, kind.What, replaced)
	}
	return dir.Abort()
}

// publishJoined publishes a folder of models or tables with an index of all: join adds the entries of other jobs that
// are in the folder already. They stay, with their files, and are named.
func publishJoined[I, E any](e *env, dir *publish.Folder, out, what string, join func(old fs.FS) (I, []E, error),
	encode func(I) (indexed.File, error), of func(E) (job string, files []string)) error {
	var kept []string
	err := dir.Publish(func(old fs.FS) error {
		all, others, err := join(old)
		if err != nil {
			return fmt.Errorf("%s: %w", out, err)
		}
		kept = nil
		for _, other := range others {
			job, files := of(other)
			kept = append(kept, job)
			for _, file := range files {
				if err := dir.Keep(file); err != nil {
					return err
				}
			}
		}
		file, err := encode(all)
		if err != nil {
			return err
		}
		return dir.Write(file.Name, file.Data)
	})
	if err == nil {
		e.sayKept(out, what, kept)
	}
	return err
}

// maxKept bounds the names of jobs in a message.
const maxKept = 5

// sayKept names the jobs whose files in a folder are kept.
func (e *env) sayKept(out, what string, jobs []string) {
	if len(jobs) == 0 {
		return
	}
	names := jobs[:min(len(jobs), maxKept)]
	if more := len(jobs) - len(names); more > 0 {
		names = append(slices.Clone(names), words.Of(more, "more", "more"))
	}
	e.say("%s keeps the %s of other jobs: %s", out, what, words.Printable(words.List(names)))
}

// traceOf returns the name of the store behind the input of a command, "" if unknown.
func traceOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	if fsys, err := publish.Open(args[0]); err == nil {
		if x, err := modelfile.ReadIndex(fsys); err == nil {
			return x.Store
		}
	}
	return args[0]
}

// writeResults writes the results of analyses of a store to a folder.
func (e *env) writeResults(out, storePath, command string, s *store.Store, docs ...result.Document) error {
	return writeDocuments(out, e.provenance(storePath, command, s.Manifest()), docs...)
}

// outFlag defines the folder that a command about a store writes its document to.
func outFlag(f *pflag.FlagSet, out *string) {
	f.StringVarP(out, "out", "o", "", "directory to write results to, from which a report is drawn")
}

// keep writes the document of a command about a store to a folder, if there is to be one.
func (e *env) keep(cmd *cobra.Command, out string, args []string, s *store.Store, doc result.Document) error {
	parts := []string{cmd.CommandPath()}
	for _, a := range args {
		parts = append(parts, words.Shell(a))
	}
	command := strings.Join(parts, " ") + changedFlags(cmd, "out", "quiet", "json", "workers")
	return e.writeResults(out, args[0], command, s, doc)
}

// writeDocuments writes documents, tables and provenance to a folder, if there is to be one. Other documents in the
// folder are kept.
func writeDocuments(out string, from *result.Provenance, docs ...result.Document) (err error) {
	if out == "" {
		return nil
	}
	dir, err := publish.Begin(out, result.FolderKind())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Abort()) }()
	files := make([][]result.File, len(docs))
	o := parallel.Options{Workers: min(mostWritten, runtime.GOMAXPROCS(0))}
	if err := parallel.Each(context.Background(), len(docs), o, func(_ context.Context, i int) (err error) {
		files[i], err = writeDocument(dir, docs[i])
		return err
	}); err != nil {
		return err
	}
	for i, doc := range docs {
		from.Add(doc.Analysis(), files[i]...)
	}
	return dir.Publish(func(old fs.FS) error { return complete(dir, from, old) })
}

// mostWritten bounds the documents that are in memory as files at once: of a million runs they have 37 MB each.
const mostWritten = 4

// writeDocument writes a document, and its table if it has one.
func writeDocument(dir *publish.Folder, doc result.Document) ([]result.File, error) {
	name := doc.Analysis() + ".json"
	data, err := json.MarshalIndent(result.Versioned(result.Form(doc)), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	data = append(data, '\n')
	files := []result.File{result.NewFile(name, data)}
	if err := dir.Write(name, data); err != nil {
		return nil, err
	}
	t := doc.Table()
	if t == nil || t.Len() == 0 {
		return files, nil
	}
	var b bytes.Buffer
	if err := t.WriteParquet(&b); err != nil {
		return nil, err
	}
	name = doc.Analysis() + ".parquet"
	return append(files, result.NewFile(name, b.Bytes())), dir.Write(name, b.Bytes())
}

// complete copies the other documents of the folder's older version, and writes the provenance of all.
func complete(dir *publish.Folder, from *result.Provenance, old fs.FS) error {
	fresh := *from
	from = &fresh // Publish may call again
	if old != nil {
		before, err := result.ReadProvenance(old)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", dir.Place(), err)
		}
		if err == nil {
			kept, err := from.Join(before)
			if err != nil {
				return fmt.Errorf("%s: %w", dir.Place(), err)
			}
			for _, c := range kept {
				for _, f := range c.Files {
					if err := dir.Keep(f.Name); err != nil {
						return err
					}
				}
			}
		}
	}
	data, err := from.Encode()
	if err != nil {
		return err
	}
	return dir.Write(result.ProvenanceFile, data)
}

// provenance returns the origin of results.
func (e *env) provenance(storePath, command string, m *store.Manifest) *result.Provenance {
	p := &result.Provenance{
		Store: publish.Name(storePath), Format: m.Format, Synthetic: m.Synthetic, Note: m.Note,
		TimeBase: string(m.TimeBase), From: micros(m.From), To: micros(m.To), Rows: m.Rows, Read: m.Read, Used: m.Used,
		Ignored: m.Ignored, Rejected: m.Rejected, Repairs: m.Repairs, Warnings: m.Warnings, Columns: m.Columns,
		Units: m.Units, Version: version(), Command: command, Trace: m.Checksum,
		Zone: e.runs.zone,
	}
	for _, f := range m.Sources {
		p.Sources = append(p.Sources, result.Source{Name: f.Name, Bytes: f.Bytes, SHA256: f.SHA256})
	}
	return p
}

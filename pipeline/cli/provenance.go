package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"racecard/datasets/plainfile"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/words"
	"racecard/pipeline/internal/run"
)

// lineage is the origin of a file.
type lineage struct {
	Path       string             `json:"path"`
	Steps      []*run.Result      `json:"steps,omitempty"`      // of a run, the last one first
	Provenance *result.Provenance `json:"provenance,omitempty"` // of results, or of those that a report shows
	Manifest   *store.Manifest    `json:"manifest,omitempty"`   // of a store
	Faults     []result.Fault     `json:"faults,omitempty"`     // of files that are not what they were
}

func provenanceCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "provenance FILE",
		Short: "Show the inputs, options and program behind a result",
		Args:  exactly(1, "one file or folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := trail(args[0])
			if err != nil {
				return err
			}
			e.lineage(found)
			if err = e.printJSON(found); err == nil && len(found.Faults) > 0 {
				err = fmt.Errorf("%s: %s", args[0], found.Faults[0].Text)
			}
			return err
		},
	}
}

// trail finds the origin of a file: the nearest provenance records in the folders above it.
func trail(path string) (*lineage, error) {
	dir, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s", path)
	}
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	found := &lineage{Path: path}
	const levels = 4 // a Parquet file of a store in an object of a run
	for range levels {
		fsys := os.DirFS(dir)
		if p, err := result.ReadProvenance(fsys); err == nil && found.Provenance == nil {
			found.Provenance = p
			if _, faults, _, err := p.Check(fsys); err == nil {
				found.Faults = slices.DeleteFunc(faults, func(f result.Fault) bool { return f.Condition == result.Changed })
			}
		}
		if found.Provenance == nil {
			found.Provenance = provenanceOfReport(fsys)
		}
		if s, err := store.Open(fsys); err == nil && found.Manifest == nil {
			found.Manifest = s.Manifest()
		}
		if steps := run.Trail(dir); steps != nil {
			found.Steps = steps
			return found, nil
		}
		dir = filepath.Dir(dir)
	}
	if found.Provenance == nil && found.Manifest == nil {
		for _, record := range []string{path, filepath.Join(path, run.RecordFile)} {
			if _, err := os.Stat(record); err == nil && filepath.Base(record) == run.RecordFile {
				return nil, fmt.Errorf("%s is the record of a run: name the result of a step in its folder, such as %s", record,
					filepath.Join(filepath.Dir(record), "TRACE", "STEP"))
			}
		}
		return nil, fmt.Errorf("%s: neither a manifest, a provenance.json nor a record of `racecard run` is in its "+
			"folder or above it", path)
	}
	return found, nil
}

// provenanceOfReport returns the origin of the results that a report in a folder shows; nil if there is none.
func provenanceOfReport(fsys fs.FS) *result.Provenance {
	data, err := plainfile.Read(fsys, reportKind().Marker)
	var report struct {
		Provenance *result.Provenance `json:"provenance"`
	}
	if err != nil || json.Unmarshal(data, &report) != nil {
		return nil
	}
	return report.Provenance
}

// maxInputs bounds the inputs of a step that are listed.
const maxInputs = 10

func (e *env) lineage(l *lineage) {
	for _, s := range l.Steps {
		e.printf("%s  %s\n", s.Step, s.ID)
		e.printf("  %s\n", strings.Join(s.Command, " "))
		if s.Started != nil {
			e.printf("  %s, in %s\n", s.Started.Format("2006-01-02 15:04:05 UTC"), words.Seconds(s.Seconds))
		}
		e.printf("  racecard build %s\n", s.Key.Build)
		for i, in := range s.Key.Inputs {
			if i == maxInputs {
				e.printf("  and %s\n", words.Of(len(s.Key.Inputs)-i, "more input", "more inputs"))
				break
			}
			e.printf("  reads %s  %s\n", in.Name, in.ID)
		}
	}
	if p := l.Provenance; p != nil && len(l.Steps) == 0 {
		e.printf("results of %s (%s), racecard %s\n  trace %s\n", p.Store, p.Format, p.Version, p.Trace)
		for _, c := range p.Contents {
			e.printf("%s\n  %s\n", words.Printable(c.Document), words.Printable(c.Command))
			if c.Version != p.Version {
				e.printf("  racecard %s\n", words.Printable(c.Version))
			}
			if c.Trace != "" && c.Trace != p.Trace {
				e.printf("  trace %s\n", words.Printable(c.Trace))
			}
			for _, f := range c.Files {
				e.printf("  writes %s  %s\n", words.Printable(f.Name), words.Printable(f.SHA256))
			}
		}
	}
	if m := l.Manifest; m != nil && len(l.Steps) == 0 {
		e.printf("store of %s, %s, %s\n", m.Format, words.Of(m.Rows["jobs"], "run", "runs"), m.Checksum)
		for i, s := range m.Sources {
			if i == maxInputs {
				e.printf("  and %s\n", words.Of(len(m.Sources)-i, "more file", "more files"))
				break
			}
			e.printf("  reads %s  %s\n", s.Name, s.SHA256)
		}
	}
}

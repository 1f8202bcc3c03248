// Package work divides a command into units that may run on any machine, in any order, more than once.
//
// A plan lists the units. A unit's id is the hash of everything it depends on: its kind, the build of racecard, its
// arguments and the checksum of its input. Its output is one self-describing object that ends with its checksum. It is
// published atomically, so that running a unit twice does no harm. Outputs are merged in the order of units once all
// exist, so that the result has the same bytes on any engine and on a single machine.
//
//	plan.json       the plan
//	done/ID.unit    outputs
//	failed/ID.json  the last error of units that failed
package work

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/publish"
)

// PlanFile is the name of the plan in its folder.
const PlanFile = "plan.json"

// Plan is a command in units.
type Plan struct {
	Version  int      `json:"racecard_work"`
	Racecard string   `json:"racecard"`
	Build    string   `json:"build"`   // SHA-256 of the program
	Command  []string `json:"command"` // such as table build
	Args     []string `json:"args"`    // of the command: what it reads, and its options
	Input    string   `json:"input"`   // SHA-256 of the manifest or index of what it reads
	Units    []Unit   `json:"units"`

	// Division is a command-specific description of the work, if any.
	Division json.RawMessage `json:"division,omitempty"`
}

// Unit is a part of a plan.
type Unit struct {
	ID    string   `json:"id"`
	Label string   `json:"label"`
	From  int      `json:"from,omitempty"` // partitions of a store, up to To
	To    int      `json:"to,omitempty"`
	Args  []string `json:"args,omitempty"` // after those of the plan
	Wave  int      `json:"wave,omitempty"` // units read the outputs of all units of the wave before theirs
}

// Before returns the units of the wave before a unit's.
func (p *Plan) Before(u Unit) []Unit {
	return lists.Kept(p.Units, func(v Unit) bool { return v.Wave == u.Wave-1 })
}

// Identify sets the ids of units.
func (p *Plan) Identify() {
	for i := range p.Units {
		u := &p.Units[i]
		u.ID = ""
		text, err := json.Marshal([]any{p.Version, p.Build, p.Command, p.Args, p.Input, u})
		if err != nil {
			panic(err) // strings and numbers have a form in JSON
		}
		sum := sha256.Sum256(text)
		u.ID = hex.EncodeToString(sum[:16])
	}
}

// kind is the kind of folder that holds a plan.
func kind() publish.Kind {
	return publish.Kind{Marker: PlanFile, What: "units of work", Own: func(fs.FS) ([]string, error) {
		return []string{PlanFile}, nil
	}}
}

// Create writes a plan to a folder. Existing outputs of the same units are kept.
func Create(dir string, p *Plan) (err error) {
	folder, err := publish.Begin(dir, kind())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Abort()) }()
	text, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return err
	}
	if err := folder.Write(PlanFile, append(text, '\n')); err != nil {
		return err
	}
	return folder.Publish(nil)
}

// Remove removes the plan in a folder, and the outputs of its units. There may be none.
func Remove(dir string) error {
	return publish.RemoveFolder(dir, kind(), "done", "failed", SparkDriver)
}

// Open reads the plan in a folder.
func Open(dir string) (*Plan, error) {
	text, err := publish.ReadFile(publish.Join(dir, PlanFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no %s: make one with `racecard work plan`", dir, PlanFile)
	}
	if err != nil {
		return nil, err
	}
	var p Plan
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("%s: %w", publish.Join(dir, PlanFile), err)
	}
	if p.Version != 1 {
		return nil, fmt.Errorf("%s: version %d; this racecard reads version 1", publish.Join(dir, PlanFile), p.Version)
	}
	ids := map[string]bool{}
	for _, u := range p.Units {
		if raw, err := hex.DecodeString(u.ID); err != nil || len(raw) != 16 || ids[u.ID] {
			return nil, fmt.Errorf("%s: %q is not the id of one unit", publish.Join(dir, PlanFile), u.ID)
		}
		ids[u.ID] = true
	}
	return &p, nil
}

func outputPath(dir, id string) string { return publish.Join(dir, "done/"+id+".unit") }
func failedPath(dir, id string) string { return publish.Join(dir, "failed/"+id+".json") }

// Put publishes an output, and removes the record of an earlier failure of the unit.
func Put(dir string, o *Output) error {
	slices.SortFunc(o.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	if err := putFile(outputPath(dir, o.Unit.ID), o.writeTo); err != nil {
		return err
	}
	return publish.RemoveFile(failedPath(dir, o.Unit.ID))
}

// putFile publishes a file written by write.
func putFile(path string, write func(w io.Writer) error) (err error) {
	const name = "unit"
	folder, err := publish.BeginFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Abort()) }()
	f, err := folder.Create(name)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return err
	}
	if err := folder.Sync(name); err != nil {
		return err
	}
	return folder.PublishFile(name)
}

// Failure is the last error of a unit.
type Failure struct {
	Unit  Unit   `json:"unit"`
	Error string `json:"error"`
	Host  string `json:"host"`
}

// PutFailure records the error of a failed unit, unless it has succeeded elsewhere.
func PutFailure(dir string, f Failure) error {
	if there, _, err := listed(dir, f.Unit); there || err != nil {
		return err
	}
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return err
	}
	return putFile(failedPath(dir, f.Unit.ID), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// Status counts the units of a plan by state.
type Status struct {
	Units   int       `json:"units"`
	Done    int       `json:"done"`
	Bytes   int64     `json:"bytes"` // of outputs
	Failed  []Failure `json:"failed"`
	Left    []Unit    `json:"left"` // not done, in the order of the plan; those that failed among them
	Waiting []Unit    `json:"-"`    // neither done nor failed
}

// Done reports whether the output of a unit is there, and its bytes. It reads the whole output: a damaged one does not
// count, and its unit is to be run again.
func Done(dir string, u Unit) (there bool, size int64, err error) {
	return done(dir, u, (*Reader).verify)
}

// listed is [Done] for callers that read the output later, or where another one does: it reads the header alone.
func listed(dir string, u Unit) (there bool, size int64, err error) {
	return done(dir, u, func(*Reader) error { return nil })
}

func done(dir string, u Unit, check func(*Reader) error) (there bool, size int64, err error) {
	r, err := OpenOutput(dir, u)
	if err == nil {
		size, err = r.size, errors.Join(check(r), r.Close())
	}
	switch {
	case err == nil:
		return true, size, nil
	case errors.Is(err, fs.ErrNotExist) || errors.As(err, new(*DamagedError)):
		return false, 0, nil
	}
	return false, 0, err
}

// Ready reports whether all units of the wave before a unit's are done.
func Ready(dir string, p *Plan, u Unit) (bool, error) {
	for _, v := range p.Before(u) {
		if there, _, err := listed(dir, v); !there || err != nil {
			return false, err
		}
	}
	return true, nil
}

// Survey returns the status of a plan. It reads all outputs.
func Survey(dir string, p *Plan) (*Status, error) { return survey(dir, p, Done) }

// Glance is [Survey] without the content of outputs, for those who are about to read it.
func Glance(dir string, p *Plan) (*Status, error) { return survey(dir, p, listed) }

func survey(dir string, p *Plan, done func(string, Unit) (bool, int64, error)) (*Status, error) {
	s := &Status{Units: len(p.Units), Failed: []Failure{}, Left: []Unit{}}
	for _, u := range p.Units {
		there, size, err := done(dir, u)
		if err != nil {
			return nil, err
		}
		if there {
			s.Done++
			s.Bytes += size
			continue
		}
		s.Left = append(s.Left, u)
		text, err := publish.ReadFile(failedPath(dir, u.ID))
		var f Failure
		if err == nil && json.Unmarshal(text, &f) == nil {
			s.Failed = append(s.Failed, f)
			continue
		}
		s.Waiting = append(s.Waiting, u)
	}
	return s, nil
}

// Partials returns files with the encodings of partial results of a partition, one per analysis.
func Partials(part int, states []any) ([]File, error) {
	var files []File
	for i, s := range states {
		data, err := Encode(s)
		if err != nil {
			return nil, err
		}
		files = append(files, File{Name: partialName(part, i), Data: data})
	}
	return files, nil
}

// ReadPartials reads the partial results of a partition into fresh ones.
func ReadPartials(o *Output, part int, states []any) error {
	for i, s := range states {
		at := slices.IndexFunc(o.Files, func(f File) bool { return f.Name == partialName(part, i) })
		if at < 0 {
			return fmt.Errorf("unit %s: %s is missing", o.Unit.ID, partialName(part, i))
		}
		if err := Decode(o.Files[at].Data, s); err != nil {
			return fmt.Errorf("unit %s: %s: %w", o.Unit.ID, partialName(part, i), err)
		}
	}
	return nil
}

func partialName(part, analysis int) string { return fmt.Sprintf("part-%05d-%02d", part, analysis) }

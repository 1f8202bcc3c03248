package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"racecard/datasets/plainfile"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/pipeline/internal/recipe"
)

// publishedFile is the file in a published folder with the address of the result and the list of its files.
const publishedFile = "published.json"

type publication struct {
	ID    string   `json:"id"`
	Step  string   `json:"step"`
	Files []string `json:"files"`
	publisher
}

// publisher is a recipe that published results. Older versions of racecard did not record it.
type publisher struct {
	Recipe string `json:"recipe,omitempty"` // path of its file
	Out    string `json:"out,omitempty"`    // folder of its results
}

// publisher returns the publisher that this run is.
func (x *runner) publisher() publisher {
	return publisher{Recipe: within(x.recipe.Dir, x.Recipe), Out: x.vault.Dir()}
}

// current returns the publication at the place of a step, and an empty one where none can be read: publishing meets the
// same error.
func (x *runner) current(s *recipe.Step) publication {
	at, err := publish.Open(x.place(s))
	if err != nil {
		return publication{}
	}
	p, err := readPublication(at)
	if err != nil {
		return publication{}
	}
	return p
}

// claim returns an error if the place of a publish step holds results of another recipe that publishes there still,
// unless the step is forced. If that recipe is gone, was moved, or may be on another machine, r tells whose results
// give way.
func (x *runner) claim(s *recipe.Step, r *Result) error {
	p := x.current(s)
	mine := x.publisher()
	if p.ID == r.ID || p.Recipe == "" || samePath(p.Recipe, mine.Recipe) || samePath(p.Out, mine.Out) {
		return nil
	}
	if p.publishesTo(p.Step, x.place(s)) && !x.forced(s) {
		return fmt.Errorf("%s holds results of another recipe, step %s of %s, which publishes there, too: choose "+
			"another place for one of them; `--force %s` replaces these results", s.To, p.Step, p.Recipe, s.Name)
	}
	r.Replaced = fmt.Sprintf("step %s of %s", p.Step, p.Recipe)
	return nil
}

// publishesTo reports whether the recipe is there and published to a place in its last run, or tried to with a step.
func (p publisher) publishesTo(step, place string) bool {
	last, err := lastRecord(p.Out)
	if err != nil || !exists(p.Recipe) {
		return false
	}
	return slices.ContainsFunc(last.Steps, func(r *Result) bool {
		if r.Key == nil { // it was skipped
			return r.Step == step
		}
		return r.Key.To != "" && samePath(placeOf(filepath.Dir(p.Recipe), r.Key.To), place)
	})
}

// samePath reports whether two paths or URLs lead to one place.
func samePath(a, b string) bool {
	if a == b || publish.Remote(a) || publish.Remote(b) {
		return a == b
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// publications is the kind of folder that a publish step writes.
func publications() publish.Kind {
	return publish.Kind{Marker: publishedFile, What: "published results", Own: func(fsys fs.FS) ([]string, error) {
		p, err := readPublication(fsys)
		if errors.Is(err, fs.ErrNotExist) {
			return []string{publishedFile}, nil
		}
		return append(p.Files, publishedFile), err
	}}
}

func readPublication(fsys fs.FS) (publication, error) {
	var p publication
	text, err := plainfile.Read(fsys, publishedFile)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("%s: %w", publishedFile, err)
	}
	return p, nil
}

// place returns the destination of a publish step.
func (x *runner) place(s *recipe.Step) string { return placeOf(x.recipe.Dir, s.To) }

// placeOf returns the destination that a recipe in a folder names.
func placeOf(dir, to string) string {
	if publish.Remote(to) {
		return to
	}
	return within(dir, to)
}

// published returns an error if a place does not hold the result with an address. Of a folder of this machine all files
// must be there.
func (x *runner) published(s *recipe.Step, id string) error {
	at, err := publish.Open(x.place(s))
	if err != nil {
		return err
	}
	p, err := readPublication(at)
	if err == nil && p.ID != id {
		err = errors.New("another result is published")
	}
	if err != nil || publish.Remote(s.To) {
		return err
	}
	for _, name := range p.Files {
		if _, err := fs.Stat(at, name); err != nil {
			return err
		}
	}
	return nil
}

// copyOut publishes the input of a step.
func (x *runner) copyOut(s *recipe.Step, r *Result) (err error) {
	if _, err := x.vault.Work(r.ID); err != nil {
		return err
	}
	if err := x.claim(s, r); err != nil {
		return err
	}
	in := s.Inputs[0]
	from := within(x.recipe.Dir, in.Path)
	if in.Step != nil {
		from = filepath.Join(x.vault.Object(x.results[in.Step].ID), in.Step.File())
	}
	r.Command = []string{"publish", s.To}
	dir, err := publish.Begin(x.place(s), publications())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Abort()) }()
	p := publication{ID: r.ID, Step: s.Name, publisher: x.publisher()}
	err = filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if rel == "." {
			rel = filepath.Base(name)
		}
		p.Files = append(p.Files, filepath.ToSlash(rel))
		n, err := copyFile(dir, filepath.ToSlash(rel), name)
		r.BytesOut += n
		return err
	})
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(result.Versioned(p), "", "  ")
	if err != nil {
		return err
	}
	if err := dir.Write(publishedFile, append(text, '\n')); err != nil {
		return err
	}
	return dir.Publish(nil)
}

func copyFile(dir *publish.Folder, name, from string) (int64, error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := dir.Create(name)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(out, in)
	return n, errors.Join(err, out.Sync(), out.Close())
}

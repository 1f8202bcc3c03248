package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"racecard/datasets/publish"
)

// Collected tells what [Collect] removed, or would remove.
type Collected struct {
	Runs    []string // their numbers, from the oldest
	Results int      // that no other run shows
	Bytes   int64    // of the results
}

// Collect keeps the newest runs of a recipe's results, and removes all that only older runs show. With dry it removes
// nothing, and needs no lock. Where there was no run, it makes no folder for results.
func Collect(out string, keep int, holder string, dry bool) (c Collected, err error) {
	if dry || !exists(filepath.Join(out, "runs")) {
		v, err := publish.PeekVault(out)
		if err != nil {
			return c, err
		}
		return collect(v, keep, true)
	}
	v, err := publish.OpenVault(out, holder)
	if err != nil {
		return c, err
	}
	c, err = collect(v, keep, false)
	return c, errors.Join(err, v.Close())
}

// collect keeps the newest views of whole runs, as many of runs in which a step failed, and the objects that they show.
// It removes the others: nights that fail do not push out results.
func collect(v *publish.Vault, keep int, dry bool) (c Collected, err error) {
	c.Runs = []string{}
	live, kept := map[string]bool{}, map[bool]int{} // by whether the run was whole
	err = views(v, func(view string, r *Record) error {
		whole := !slices.ContainsFunc(r.Steps, func(s *Result) bool { return s.State == Failed || s.State == Skipped })
		if kept[whole]++; kept[whole] <= keep {
			r.show(live)
			return nil
		}
		c.Runs = append(c.Runs, view)
		if dry {
			return nil
		}
		return v.DropView(view)
	})
	slices.Reverse(c.Runs)
	if err != nil {
		return c, err
	}
	if c.Results, c.Bytes, err = drop(v, live, dry); err != nil || dry {
		return c, err
	}
	return c, sweep(v, func(id string) bool { return live[id] })
}

// newest returns the number of the newest view, 0 for none.
func newest(v *publish.Vault) (number int) {
	entries, _ := os.ReadDir(filepath.Join(v.Dir(), "runs")) // the new view meets the same error
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			number = max(number, n)
		}
	}
	return number
}

// views calls do with the records of all views, the newest first.
func views(v *publish.Vault, do func(view string, r *Record) error) error {
	entries, err := os.ReadDir(filepath.Join(v.Dir(), "runs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range slices.Backward(entries) {
		view := e.Name()
		if _, err := strconv.Atoi(view); err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(v.Dir(), "runs", view, RecordFile))
		var r Record
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			return fmt.Errorf("old results are kept: %s is damaged: %w; remove this folder",
				filepath.Join(v.Dir(), "runs", view), err)
		}
		if err := do(view, &r); err != nil {
			return err
		}
	}
	return nil
}

// show adds the objects that the view of a run shows.
func (r *Record) show(live map[string]bool) {
	for _, s := range r.Steps {
		live[s.ID] = true
	}
}

// drop removes the objects that are not live, and returns their number and bytes. With dry it removes nothing.
func drop(v *publish.Vault, live map[string]bool, dry bool) (n int, freed int64, err error) {
	objects, err := os.ReadDir(filepath.Join(v.Dir(), "objects"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, 0, err
	}
	for _, o := range objects {
		if live[o.Name()] {
			continue
		}
		n++
		freed += sizeOf(v.Object(o.Name()))
		if dry {
			continue
		}
		if err := v.Drop(o.Name()); err != nil {
			return n, freed, err
		}
	}
	return n, freed, nil
}

// sizeOf returns the bytes of the files in a folder, or of a file.
func sizeOf(dir string) int64 {
	var n int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

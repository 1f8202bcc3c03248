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
// nothing, and needs no lock.
func Collect(out string, keep int, holder string, dry bool) (c Collected, err error) {
	if dry {
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
	live := map[string]bool{}
	if c.Runs, err = old(v, keep, live); err != nil {
		return c, err
	}
	if !dry {
		for _, view := range c.Runs {
			if err := v.DropView(view); err != nil {
				return c, err
			}
		}
	}
	objects, err := os.ReadDir(filepath.Join(v.Dir(), "objects"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	for _, o := range objects {
		if live[o.Name()] {
			continue
		}
		c.Bytes += sizeOf(v.Object(o.Name()))
		c.Results++
		if dry {
			continue
		}
		if err := v.Drop(o.Name()); err != nil {
			return c, err
		}
	}
	if dry {
		return c, nil
	}
	return c, sweep(v, func(id string) bool { return live[id] })
}

// old returns the views that are not kept, from the oldest, and adds the objects that the others show to live.
func old(v *publish.Vault, keep int, live map[string]bool) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(v.Dir(), "runs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	gone := []string{}
	kept := map[bool]int{} // by whether the run was whole
	for _, e := range slices.Backward(entries) {
		view := e.Name()
		if _, err := strconv.Atoi(view); err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(v.Dir(), "runs", view, RecordFile))
		if err != nil {
			return nil, err
		}
		var r Record
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", view, err)
		}
		whole := !slices.ContainsFunc(r.Steps, func(s *Result) bool { return s.State == Failed || s.State == Skipped })
		if kept[whole]++; kept[whole] > keep {
			gone = append(gone, view)
			continue
		}
		for _, s := range r.Steps {
			live[s.ID] = true
		}
	}
	slices.Reverse(gone)
	return gone, nil
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

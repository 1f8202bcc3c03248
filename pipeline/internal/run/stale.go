package run

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"racecard/datasets/lists"
	"racecard/datasets/plainfile"
	"racecard/pipeline/internal/recipe"
)

// staleFile lists the results of a vault whose inputs have changed since. That happens when a forced step makes other
// bytes: the address of a later result hashes the keys of the steps before it, not their bytes.
const staleFile = "stale.json"

// staleness is the content of staleFile.
type staleness struct {
	mu  sync.Mutex
	ids map[string]bool
}

func (x *runner) readStale() {
	x.stale.ids = map[string]bool{}
	text, err := os.ReadFile(filepath.Join(x.vault.Dir(), staleFile))
	var ids []string
	if err == nil && json.Unmarshal(text, &ids) == nil {
		for _, id := range ids {
			x.stale.ids[id] = true
		}
	}
}

// mark records results as stale, or as not stale. The record is synced to disk when mark returns.
func (x *runner) mark(stale bool, ids ...string) error {
	x.stale.mu.Lock()
	defer x.stale.mu.Unlock()
	before := len(x.stale.ids)
	for _, id := range ids {
		if delete(x.stale.ids, id); stale {
			x.stale.ids[id] = true
		}
	}
	if len(x.stale.ids) == before && !stale {
		return nil
	}
	text, err := json.Marshal(slices.Sorted(maps.Keys(x.stale.ids)))
	if err != nil {
		return err
	}
	return x.vault.Write(staleFile, text)
}

// isStale reports whether the result of a step is there and stale.
func (x *runner) isStale(id string) bool {
	x.stale.mu.Lock()
	defer x.stale.mu.Unlock()
	return x.stale.ids[id]
}

// after returns the steps that read the result of a step.
func (x *runner) after(s *recipe.Step) []*recipe.Step {
	return lists.Kept(x.recipe.Steps, func(t *recipe.Step) bool {
		return slices.ContainsFunc(t.Inputs, func(in recipe.Input) bool { return in.Step == s }) && x.results[t].ID != ""
	})
}

// contentOf returns the hash of the names and contents of the files in a folder, or of a file.
func contentOf(path string) (string, error) {
	sum := sha256.New()
	err := plainfile.Walk(path, func(name, below string, _ fs.FileInfo) error {
		one, err := hashFile(name)
		fmt.Fprintf(sum, "%q %s\n", below, one)
		return err
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

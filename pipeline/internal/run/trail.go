package run

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Trail returns the steps behind the object in a folder, from its own step back to the imports; nil if the folder holds
// no object.
func Trail(object string) []*Result {
	var steps []*Result
	seen := map[string]bool{}
	var follow func(dir string)
	follow = func(dir string) {
		text, err := os.ReadFile(filepath.Join(dir, stepFile))
		var r Result
		if err != nil || seen[dir] || json.Unmarshal(text, &r) != nil || r.Key == nil {
			return
		}
		seen[dir] = true
		steps = append(steps, &r)
		for _, in := range r.Key.Inputs {
			if filepath.Base(in.ID) == in.ID {
				follow(filepath.Join(filepath.Dir(dir), in.ID))
			}
		}
	}
	follow(object)
	return steps
}

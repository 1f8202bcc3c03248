package jobname

import (
	"maps"
	"slices"

	"racecard/datasets/glob"
)

// Grouped returns values by name with those of names as read for their jobs, too: the value of etl-2026-10-02 is also
// for etl-#, unless that has its own. Of several names of a job the first counts. A pattern stays as it is.
func Grouped[V any](of map[string]V) map[string]V {
	out := make(map[string]V, len(of))
	maps.Copy(out, of)
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if glob.IsPattern(name) {
			continue
		}
		job := Normalize(name)
		if _, has := out[job]; !has {
			out[job] = of[name]
		}
	}
	return out
}

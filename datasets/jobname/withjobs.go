package jobname

import (
	"maps"
	"slices"

	"racecard/datasets/glob"
)

// WithJobs returns values by name, and adds one for each job of which a run is named: the value of etl-2026-10-02 is
// also for etl-#, unless etl-# has its own. Where several runs of a job are named, the first in order of names counts.
// A pattern stays as it is.
func WithJobs[V any](of map[string]V) map[string]V {
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

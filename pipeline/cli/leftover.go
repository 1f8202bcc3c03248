package cli

import (
	"racecard/datasets/result"
	"racecard/datasets/words"
)

// leftover prints the leftover of runs.
func (e *env) leftover(d *result.Leftover) {
	e.printf("leftover: %s, %s, %s\n", words.Of(d.Runs, "run", "runs"), words.Of(d.Attempts, "attempt", "attempts"),
		words.Of(d.Events, "event", "events"))
	var all []metric
	for _, name := range d.Names() {
		if r := d.Resources[name]; r.Available {
			all = append(all, metric{name + ", over time", r.TimeWeighted},
				metric{name + ", over events", r.EventWeighted})
		}
	}
	e.summaries(all...)
}

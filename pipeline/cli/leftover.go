package cli

import (
	"racecard/datasets/result"
	"racecard/datasets/words"
)

// leftover prints the leftover of runs.
func (e *env) leftover(d *result.Leftover) {
	e.printf("leftover: %s, %s, %s\n", words.Of(d.Runs, "run", "runs"), words.Of(d.Attempts, "attempt",
		"attempts"),
		words.Of(d.Events, "event", "events"))
	of, names := map[string]result.Summary{}, []string(nil)
	for _, name := range d.Names() {
		r := d.Resources[name]
		if !r.Available {
			continue
		}
		byTime, byEvent := name+", over time", name+", over events"
		of[byTime], of[byEvent] = r.TimeWeighted, r.EventWeighted
		names = append(names, byTime, byEvent)
	}
	summaries(e, of, names)
}

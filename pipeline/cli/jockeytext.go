package cli

import (
	"racecard/datasets/result"
	"racecard/reports/page"
)

// comparison prints the results of policies.
func (e *env) comparison(doc *result.Jockey) error {
	for _, t := range page.JockeyTables(doc) {
		e.table(t)
		e.printf("\n")
	}
	e.notes("warning", doc.Warnings)
	if doc.Generated {
		e.printf("SYNTHETIC: the jobs were made up after published statistics.\n")
	}
	e.printf("above oracle: share of the requested token-time that lies above work / time to the deadline, mean over " +
		"runs\n")
	return e.printJSON(doc)
}

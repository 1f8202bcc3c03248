package cli

import (
	"runtime/debug"

	"racecard/datasets/words"
	"racecard/models/limit"
)

// limits are the largest inputs of commands, as shown in their help.
func limits() map[string]string {
	n := words.Count[int]
	recurring := "runs of at most " + n(limit.Profile) + " stages; " + n(limit.Models) + " jobs, "
	return map[string]string{
		"fit":         recurring + "each with " + n(limit.Runs) + " runs.",
		"backtest":    recurring + "all together with " + n(limit.Predicted) + " runs.",
		"table build": "models of at most " + n(limit.Table) + " stages.",
		"simulate jockey": "runs of at most " + n(limit.Profile) + " stages, models of at most " + n(limit.Table) +
			".",
		"simulate carbyne": n(limit.Jobs) + " runs, of at most " + n(limit.Replay) +
			" stages; of more, --jobs draws from " + n(limit.Pool) + ".",
		"simulate eagle": n(limit.Bags) + " runs, or with --stages " + n(limit.StageBags) + " stages.",
		"whatif":         "a run of at most " + n(limit.WhatIf) + " stages.",
	}
}

// limitMemory has the collector work harder near so many bytes, up to the end of the process, if that is the command's.
func (e *env) limitMemory(bytes int64) {
	if e.alone {
		debug.SetMemoryLimit(bytes)
	}
}

// withinLimits has the collector work harder near a gigabyte, below which commands with limits are to stay.
func (e *env) withinLimits() { e.limitMemory(1<<30 - 1<<30/8) }

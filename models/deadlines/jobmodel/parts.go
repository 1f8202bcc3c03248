package jobmodel

import (
	"fmt"
	"slices"
	"strings"

	"racecard/models/deadlines/internal/law"
)

// Parts returns the parts of the law of completion times that [Options].Without can leave out, in this order:
//
//   - effects of the input and of tokens
//   - the simulation of other tokens, and the contention of tasks in it
//   - the larger noise of outermost tokens, and the noise that grows with tokens
//   - tokens that stay unused, the least width beyond the most tokens, and the critical path and work as bounds
//   - the prior of replays
//   - the surprises of other jobs, the level that all jobs share, and past times alone where these are better
//   - the parts of the Gaussian process
func Parts() []string {
	return append([]string{"input", "tokens", "simulation", "contention", "outermost", "scatter", "unused", "farther",
		"path", "replays", "surprise", "shared", "plain"}, law.Parts()...)
}

// ValidParts reports a name that is none of [Parts].
func ValidParts(parts []string) error {
	for _, p := range parts {
		if !slices.Contains(Parts(), p) {
			return fmt.Errorf("no part %q of the law: want %s", p, strings.Join(Parts(), ", "))
		}
	}
	return nil
}

func (o *Options) without(part string) bool { return slices.Contains(o.Without, part) }

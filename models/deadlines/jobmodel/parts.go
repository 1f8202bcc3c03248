package jobmodel

import (
	"fmt"
	"slices"
	"strings"

	"racecard/models/deadlines/internal/law"
)

// Parts returns the parts of the law of completion times that [Options].Without can leave out, in this order:
//
//   - input, tokens: their effects.
//   - simulation: of other tokens. contention: of tasks in it.
//   - outermost: more noise on the fewest and the most tokens. scatter: noise that grows with tokens.
//   - unused: tokens that a run leaves idle. farther: the least width beyond past tokens and inputs. path: no time is
//     below the critical path, nor below the work over the tokens.
//   - replays: their prior.
//   - surprise: of other jobs' forecasts. shared: the level of all jobs.
//   - plain: past times alone where these are better.
//   - the parts of the Gaussian process ([law.Parts]).
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

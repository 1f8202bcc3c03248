package live

import (
	"fmt"

	"racecard/datasets/remaining"
	"racecard/models/deadlines/jockey"
)

// Control returns the options of a control loop in the form stored in a table, with the weight of Amdahl's law. It
// leaves out the statistic and the bounds on tokens.
func Control(o jockey.Options, blend float64) remaining.Control {
	return remaining.Control{Loop: o.Loop, Blend: blend}
}

// options is the inverse of Control, for a run that may request least to most tokens. Invalid options are an error.
func options(c remaining.Control, least, most int) (jockey.Options, error) {
	o := jockey.Options{Loop: c.Loop, Min: least, Max: most}
	if !(c.Blend >= 0 && c.Blend <= 1) {
		return o, fmt.Errorf("a weight of %v of Amdahl's law: want 0 to 1", c.Blend)
	}
	return o, o.Validate()
}

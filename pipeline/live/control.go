package live

import (
	"racecard/datasets/remaining"
	"racecard/models/deadlines/jockey"
)

// Control returns the options of a control loop as a table keeps them. It leaves out the statistic and the bounds on
// tokens.
func Control(o jockey.Options) remaining.Control {
	return remaining.Control{
		PeriodS:       o.PeriodS,
		PeriodShare:   o.PeriodShare,
		Slack:         o.Slack,
		Hysteresis:    o.Hysteresis,
		Rise:          o.Rise,
		DeadZoneS:     o.DeadZoneS,
		DeadZoneShare: o.DeadZoneShare,
		Hold:          o.Hold,
		Jump:          o.Jump,
		Learn:         o.Learn,
		Gain:          o.Gain,
		Quantile:      o.Quantile,
	}
}

// options is the inverse of Control, for a run that may request least to most tokens. Options that make no sense are an
// error.
func options(c remaining.Control, least, most int) (jockey.Options, error) {
	o := jockey.Options{
		PeriodS:       c.PeriodS,
		PeriodShare:   c.PeriodShare,
		Slack:         c.Slack,
		Hysteresis:    c.Hysteresis,
		Rise:          c.Rise,
		DeadZoneS:     c.DeadZoneS,
		DeadZoneShare: c.DeadZoneShare,
		Hold:          c.Hold,
		Jump:          c.Jump,
		Learn:         c.Learn,
		Gain:          c.Gain,
		Quantile:      c.Quantile,
		Min:           least,
		Max:           most,
	}
	return o, o.Validate()
}

package trial

import (
	"math"
	"slices"
	"strconv"

	"racecard/datasets/result"
	"racecard/models/deadlines/jockey"
	"racecard/models/deadlines/progress"
)

// variant is the loop with one parameter changed.
type variant struct {
	parameter, value string
	base             bool // the value is that of the base
	policy           policy
}

// tuned is the change of a variant.
type tuned struct {
	jockey.Options
	how
}

// variants returns the base, then every parameter with other values, one at a time, then the loop of the paper and what
// the paper changes of it.
func variants(o Options) []variant {
	base := tuned{o.Loop, o.how(o.Blend)}
	var out []variant
	add := func(parameter, value string, t tuned) {
		out = append(out, variant{parameter, value, parameter != "" && t == base,
			policy{"jockey", "", looping(t.Options, t.how)}})
	}
	add("", "base", base)
	number := func(parameter string, of func(t *tuned) *float64, values ...float64) {
		if x := *of(&base); !slices.Contains(values, x) {
			values = append(values, x)
			slices.Sort(values)
		}
		for _, x := range values {
			t := base
			*of(&t) = x
			add(parameter, strconv.FormatFloat(x, 'g', 4, 64), t)
		}
	}
	number("slack", func(t *tuned) *float64 { return &t.Slack }, 1, 1.05, 1.1, 1.2, 1.4)
	number("hysteresis", func(t *tuned) *float64 { return &t.Hysteresis }, 0.02, 0.05, 0.1, 0.2, 0.5, 1)
	number("rise", func(t *tuned) *float64 { return &t.Rise }, 0.1, 0.2, 0.5, 1)
	number("dead-zone-s", func(t *tuned) *float64 { return &t.DeadZoneS }, 0, 60, 180, 600)
	number("dead-zone-share", func(t *tuned) *float64 { return &t.DeadZoneShare }, 0.02, 0.05, 0.1, 0.2)
	number("period-s", func(t *tuned) *float64 { return &t.PeriodS }, 10, 60, 300)
	number("period-share", func(t *tuned) *float64 { return &t.PeriodShare }, 1./120, 1./60, 1./30, 1./15, 1./6)
	number("quantile", func(t *tuned) *float64 { return &t.Quantile }, 0.5, 0.75, 0.9, 0.95, 1)
	number("learn", func(t *tuned) *float64 { return &t.Learn }, 0, 0.05, 0.1, 0.2, 0.5)
	number("gain", func(t *tuned) *float64 { return &t.Gain }, 0, 0.03, 0.1)
	number("blend", func(t *tuned) *float64 { return &t.blend }, 0, 0.2, 0.4, 0.6, 0.8, 1)
	for _, share := range []float64{0.7, 0.85, 1} {
		t := base
		t.Max = max(t.Min, int(math.Round(share*float64(base.Max))))
		add("max-tokens", strconv.Itoa(t.Max), t)
	}
	for _, s := range []jockey.Statistic{jockey.AtQuantile, jockey.Expected} {
		t := base
		t.Statistic = s
		add("utility", s.String(), t)
	}
	for _, x := range []struct {
		name string
		of   func(t *tuned) *bool
	}{
		{"hold", func(t *tuned) *bool { return &t.Hold }}, {"jump", func(t *tuned) *bool { return &t.Jump }},
		{"dwell", func(t *tuned) *bool { return &t.dwell }},
		{"limit", func(t *tuned) *bool { return &t.limit }},
	} {
		for _, on := range []bool{false, true} {
			t := base
			*x.of(&t) = on
			add(x.name, strconv.FormatBool(on), t)
		}
	}
	for k := range progress.Count {
		t := base
		t.indicator = k
		add("progress", k.String(), t)
	}
	paper := tuned{published(o), how{indicator: o.Indicator}}
	for _, v := range []struct {
		name   string
		change func(t *tuned)
	}{
		{"as published", func(*tuned) {}},
		{"no hysteresis, no dead zone", func(t *tuned) { t.Hysteresis, t.DeadZoneS = 1, 0 }},
		{"no dead zone", func(t *tuned) { t.DeadZoneS = 0 }},
		{"no slack, less hysteresis", func(t *tuned) { t.Slack, t.Hysteresis = 1, 0.5 }},
		{"5-minute period", func(t *tuned) { t.PeriodS = 300 }},
		{"minstage progress", func(t *tuned) { t.indicator = progress.MinStage }},
		{"cp progress", func(t *tuned) { t.indicator = progress.CP }},
		{"median, not largest", func(t *tuned) { t.Quantile = 0.5 }},
		{"p90, not largest", func(t *tuned) { t.Quantile = 0.9 }},
		{"expected utility", func(t *tuned) { t.Statistic = jockey.Expected }},
	} {
		t := paper
		v.change(&t)
		add("published loop", v.name, t)
	}
	return out
}

// sensitivity sums up what every variant did.
func (c *comparison) sensitivity() []result.JockeySetting {
	out := []result.JockeySetting{}
	for i, v := range c.variants {
		var runs []result.JockeyRun
		for n := range c.outcomes {
			if all := c.outcomes[n].sensitive; all != nil {
				runs = append(runs, all[i])
			}
		}
		out = append(out, result.JockeySetting{Parameter: v.parameter, Value: v.value, Base: v.base,
			JockeyScore: score(runs)})
	}
	return out
}

package jobmodel

import (
	"math"
	"strings"
	"testing"

	"racecard/datasets/modelfile"
)

// nights returns the profile of a job that runs each night, for 300 s on one day of the week and else for about 100 s.
// plan is the plan of that day's runs.
func nights(n int, plan string) *modelfile.Profile {
	p := history(strings.Repeat("aaa"+plan+"aaa", n/7+1)[:n])
	for i := range p.Plans {
		for k := range p.Plans[i].RunFactors {
			f := &p.Plans[i].RunFactors[k]
			night := *f.EndS
			took := 100 + math.Mod(night, 3)
			if math.Mod(night, 7) == 3 {
				took = 300
			}
			end := 86400*night + took
			f.EndS, f.CompletionS = &end, &took
		}
	}
	return p
}

// Without a date the forecast is for the coming night, and says so. With a date it is for that date.
func TestCompleteOnADay(t *testing.T) {
	for _, c := range []struct {
		name   string
		past   *modelfile.Profile
		submit float64
		want   float64
		warned bool
	}{
		{"the usual night", nights(36, "a"), math.NaN(), 100, true},
		{"the long night", nights(38, "a"), math.NaN(), 300, true},
		{"the long night, asked for", nights(36, "a"), 38 * 86400, 300, false},
		{"the long night, of another plan", nights(38, "b"), math.NaN(), 300, false},
		{"a night after it", nights(39, "b"), math.NaN(), 100, false},
	} {
		o := DefaultOptions()
		o.Submit = c.submit
		got, err := NewJob(c.past).Complete(o)
		if err != nil {
			t.Fatal(err)
		}
		if middle := got.Times.Values()[got.Times.Len()/2]; math.Abs(middle/c.want-1) > 0.1 {
			t.Errorf("%s: %.0f s, want about %v", c.name, middle, c.want)
		}
		if c.warned && !strings.Contains(got.Warning, "1 d after the newest") {
			t.Errorf("%s: warning %q", c.name, got.Warning)
		}
	}
}

package figure

import (
	"math"
	"strings"
	"testing"

	"racecard/datasets/result"
)

// A run of three decisions: the state is not known at one of them, and an executor is lost at another.
func TestSteerRun(t *testing.T) {
	nan := result.Number(math.NaN())
	s := &result.Steered{
		App:       "app-1",
		Job:       "nightly",
		Journal:   "j",
		DeadlineS: 90,
		LastS:     60,
		Lost:      1,
		Ended:     true,
		Steps: []result.SteeredStep{
			{
				AtS:       0,
				DeadlineS: 100,
				Progress:  0,
				Outlook:   result.Outlook{EarlyS: 60, EndS: 80, LateS: 120, Risk: .3},
				Slower:    1,
				Held:      2,
				Wanted:    3,
			},
			{
				AtS:       30,
				DeadlineS: 100,
				Progress:  nan,
				Outlook:   result.Outlook{EarlyS: nan, EndS: nan, LateS: nan, Risk: nan},
				Slower:    1,
				Held:      3,
				Wanted:    3,
				Hold:      true,
				Why:       "no plan",
			},
			{
				AtS:       60,
				DeadlineS: 90,
				Progress:  .9,
				Outlook:   result.Outlook{EarlyS: 62, EndS: 65, LateS: 70, Risk: 0},
				Slower:    1.2,
				Held:      2,
				Wanted:    5,
				Lost:      1,
			},
		},
	}
	f := SteerRun(s)
	if want := []Value{{"run", "deadline, s", 90}, {"run", "last decision, s", 60},
		{"run", "executors lost", 1}}; len(f.Values) != len(want) ||
		f.Values[0] != want[0] || f.Values[1] != want[1] ||
		f.Values[2] != want[2] {
		t.Errorf("%v", f.Values)
	}
	if !strings.Contains(f.Caption, "steered with 3 decisions") ||
		!strings.Contains(f.Alt, "3 executors at first and 5 at most") {
		t.Errorf("%s\n%s", f.Caption, f.Alt)
	}
	for name, s := range map[string]*result.Steered{"three decisions": s, "none": {App: "x"},
		"nothing known": {App: "y", Steps: s.Steps[1:2]}} {
		if svg := string(SteerRun(s).SVG()); strings.Contains(svg, "NaN") || !strings.Contains(svg, "</svg>") {
			t.Errorf("%s: %.200s", name, svg)
		}
	}
}

package page

import (
	"testing"

	"racecard/datasets/result"
)

// The answer begins with the number of machines fewer, and warns of means over times that hide peaks.
func TestFleetAnswerLeadsWithMachines(t *testing.T) {
	f := result.Fleet{Machines: 10, PeakCores: 40, Cores: 28, BusyCores: 20, Share: 0.99, Enough: 7, EnoughBusy: 5,
		BinS: 8}
	rest := "; cores held at once: at most 40, at most 28 for 99% of the time in use, with tasks on 20 (means of 8 s)"
	for _, c := range []struct {
		machines, enough, busy int
		want                   string
	}{
		{10, 7, 5, "machines: 3 fewer would do (7 of 10) for 99% of the time in use, 5 fewer if runs held only cores on which tasks run" + rest},
		{10, 7, 7, "machines: 3 fewer would do (7 of 10) for 99% of the time in use" + rest},
		{10, 10, 5, "machines: all 10 were needed, 5 fewer if runs held only cores on which tasks run" + rest},
		{1, 1, 1, "machines: all ran on one" + rest},
		{50, 0, 0, "machines: 50, less than a core of each was held at once: how many would do is not known" + rest},
		{0, 0, 0, rest[2:]},
	} {
		f.Machines, f.Enough, f.EnoughBusy = c.machines, c.enough, c.busy
		if got := FleetAnswer(&f); got != c.want {
			t.Errorf("%+v:\n%s, want\n%s", c, got, c.want)
		}
	}
	f.Machines, f.BinS = 0, 2048
	want := "cores held at once: at most 40, at most 28 for 99% of the time in use, with tasks on 20 " +
		"(means of 34 min 8 s, which hide shorter peaks)"
	if got := FleetAnswer(&f); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	f.CoresAre, f.BusyAre = result.CoresExact, result.CoresBound
	want = "cores held at once: at most 40, at most 28 for 99% of the time in use, with tasks on 20 or fewer " +
		"(exact; with tasks: an upper bound)"
	if got := FleetAnswer(&f); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	f.CoresAre, f.LeastPeak = result.CoresBound, 38
	want = "cores held at once: at most 40 (at least 38), at most 28 for 99% of the time in use, with tasks on 20 " +
		"(upper bounds: the many changes of some runs are rounded up)"
	if got := FleetAnswer(&f); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

// Where the trace does not tell how runs ended, no answer says that nothing failed.
func TestWasteAnswerWithoutEnds(t *testing.T) {
	for _, c := range []struct {
		basis   string
		unknown int
		want    string
	}{
		{"use", 0, "8 core-hours ran, none of them for nothing; the trace does not tell what was held and idle"},
		{"use", 2, "8 core-hours ran; the trace does not tell what was held and idle, nor how runs ended"},
		{"guarantee", 1, "0 of 8 core-hours (0%) did no useful work"},
		{"guarantee", 2, "0 of 8 core-hours (0%) did no useful work, as far as is known: the trace does not tell how " +
			"runs ended"},
	} {
		w := result.Waste{WasteAmount: result.WasteAmount{Runs: 2, HeldCoreH: 8}, ByBasis: map[string]int{c.basis: 2},
			StatusUnknown: c.unknown}
		if got := WasteAnswer(&w); got != c.want {
			t.Errorf("%+v:\n%s, want\n%s", c, got, c.want)
		}
	}
}

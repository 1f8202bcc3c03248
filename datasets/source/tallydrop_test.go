package source_test

import (
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// Drop takes back the findings since Begin, and no others.
func TestTallyDropsARun(t *testing.T) {
	tally := source.NewTally()
	tally.Drop() // of a reader that does not call Begin
	say := func(machine string) {
		tally.Repair("mended")
		tally.Warn("odd", "%s", machine)
		tally.WarnOnce("once", "that")
		tally.Machines = append(tally.Machines, trace.NewMachine(machine))
	}
	say("a")
	tally.Begin()
	for _, machine := range []string{"b", "c", "d", "e"} {
		say(machine)
		tally.Drop()
	}
	say("f")
	if err := tally.Close(); err != nil {
		t.Fatal(err)
	}
	if len(tally.Machines) != 2 || tally.Machines[1].Name != "f" || tally.Repairs["mended"] != 2 ||
		tally.Repaired() != 2 || len(tally.Warnings) != 3 {
		t.Errorf("machines %v, repairs %v, warnings %q", tally.Machines, tally.Repairs, tally.Warnings)
	}
}

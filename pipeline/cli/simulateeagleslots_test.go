package cli

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/trace"
	"racecard/models/queues/distributed"
)

func TestSlotsOfMachinesAreTheirCores(t *testing.T) {
	machine := func(name string, cpu float64) trace.Machine {
		m := trace.NewMachine(name)
		m.CPU = cpu
		return m
	}
	got, err := slotsOf([]trace.Machine{machine("a", 4), machine("b", 0.5), machine("a", 16), machine("c", 7.9)}, 1,
		"x.store")
	if want := []int{4, 1, 7}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v: the first row of every machine, at least 1, rounded down", got, err, want)
	}
	if got, err := slotsOf([]trace.Machine{machine("a", 64), machine("b", 94)}, 16, "x.store"); err != nil ||
		!slices.Equal(got, []int{4, 5}) {
		t.Errorf("of 16 cores each: got %v, %v", got, err)
	}
	for _, test := range []struct {
		machines []trace.Machine
		want     string
	}{
		{nil, "x.store: the machines table is empty"},
		{[]trace.Machine{machine("a", 4), machine("b", math.NaN())}, "machines.cpu of b is unknown"},
		{[]trace.Machine{machine("a", 1), machine("b", 0.25)}, "a share of the largest machine"},
	} {
		if _, err := slotsOf(test.machines, 1, "x.store"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %q", err, test.want)
		}
	}
}

func TestSlotsAreRead(t *testing.T) {
	for _, test := range []struct {
		text     string
		slots    int
		capacity []int
		cores    float64
	}{{"3", 3, nil, 0}, {"4,4, 16", 1, []int{4, 4, 16}, 0}, {"machines", 9, nil, 1}, {"machines/2.5", 9, nil, 2.5}} {
		o := distributed.Options{Slots: 9}
		if cores, err := readSlots(test.text, &o); err != nil || cores != test.cores || o.Slots != test.slots ||
			!slices.Equal(o.Capacity, test.capacity) {
			t.Errorf("%s: got %d, %v, %v", test.text, o.Slots, o.Capacity, err)
		}
	}
	for _, text := range []string{"", "0", "2,", "2,-1", "few", "machines/", "machines/0", "machines16",
		"machines/NaN"} {
		if _, err := readSlots(text, &distributed.Options{}); err == nil ||
			!strings.Contains(err.Error(), "want 1 to 64") {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestSimulateEagleOnDifferentWorkers(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "three.tr")
	if err := os.WriteFile(trace, []byte(threeJobs), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := simulated(t, ExitDone, trace, "--slots", "1,3", "--machines", "40", "--schedulers", "hawk,lwl", "--json")
	var doc result.Eagle
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if o := doc.Options; o.Slots != 0 || o.SlotsLeast != 1 || o.SlotsMost != 3 || o.SlotsInAll != 80 {
		t.Errorf("got %+v", o)
	}
	out, _ = simulated(t, ExitDone, trace, "--slots", "1,3", "--machines", "40", "--schedulers", "lwl")
	if want := "40 workers of 1 to 3 slots, 80 in all"; !strings.Contains(out, want) {
		t.Errorf("got %s, want %q", out, want)
	}
	if _, err := simulated(t, ExitFailed, trace, "--slots", "machines"); !strings.Contains(err,
		"machines table is empty") {
		t.Errorf("got %s", err)
	}
	out, _ = simulated(t, ExitDone, trace, "--slots", "2", "--machines", "2", "--explain", "1", "--schedulers", "lwl",
		"--json")
	doc = result.Eagle{}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Slow) != 1 || len(doc.Slow[0].Tasks) != doc.Slow[0].All || !slices.ContainsFunc(doc.Slow[0].Tasks,
		func(x result.EagleSlowTask) bool { return x.Slot == 1 }) {
		t.Errorf("on workers of two slots a job is explained so: %+v", doc.Slow)
	}
}

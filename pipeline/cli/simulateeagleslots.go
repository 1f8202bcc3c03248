package cli

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/models/queues/distributed"
)

// slotsOfMachines is the value of --slots that takes them from the machines of the trace; the cores of a slot may
// follow.
const slotsOfMachines = "machines"

// readSlots reads --slots: one number, one for every worker in turn, or "machines", for which it returns the
// cores of a slot, else 0.
func readSlots(text string, o *distributed.Options) (cores float64, err error) {
	wrong := errors.New("want 1 to 64, several numbers for workers in turn, machines, or, for every 16 cores a slot, " +
		"machines/16")
	if each, found := strings.CutPrefix(text, slotsOfMachines); found {
		if each == "" {
			return 1, nil
		}
		if !strings.HasPrefix(each, "/") {
			return 0, wrong
		}
		if cores, err = plain(0.001, 1e6).Parse(each[1:]); err != nil {
			return 0, wrong
		}
		return cores, nil
	}
	var all []int
	for _, field := range strings.Split(text, ",") {
		n, err := whole(1, 64).Parse(field)
		if err != nil {
			return 0, wrong
		}
		all = append(all, int(n))
	}
	if o.Slots = all[0]; len(all) > 1 {
		o.Slots, o.Capacity = 1, all
	}
	return 0, nil
}

// slotsOf returns the slots of each machine: one per so many cores, at least 1. If a machine has several rows because
// it changed, the first one counts.
func slotsOf(machines []trace.Machine, cores float64, path string) ([]int, error) {
	var all []int
	seen, most := map[string]bool{}, 0.0
	for i := range machines {
		m := &machines[i]
		if seen[m.Name] {
			continue
		}
		seen[m.Name] = true
		if math.IsNaN(m.CPU) {
			return nil, fmt.Errorf("%s: machines.cpu of %s is unknown: --slots machines needs the cores of all; give "+
				"--slots a number", path, m.Name)
		}
		most = max(most, m.CPU)
		all = append(all, max(1, int(min(m.CPU/cores, 1<<20))))
	}
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("%s: the machines table is empty: --slots machines needs it; give --slots a number",
			path)
	case most <= 1:
		return nil, fmt.Errorf("%s: machines.cpu is at most %g, as where it is a share of the largest machine, not "+
			"cores; give --slots a number", path, most)
	}
	return all, nil
}

// chooseSlots takes slots from the machines of a store if asked to, and the number of workers unless that is given.
func (f *eagleFlags) chooseSlots(s *store.Store, path string, sized bool, o *distributed.Options) error {
	if f.slotCores == 0 {
		return nil
	}
	if o.EPFL {
		return usageError{errors.New("--slots machines: the published simulator has workers of one slot")}
	}
	machines, err := s.Machines()
	if err != nil {
		return err
	}
	all, err := slotsOf(machines, f.slotCores, path)
	if err != nil {
		return err
	}
	if o.Capacity = all; !sized {
		o.Workers = len(all)
	}
	return nil
}

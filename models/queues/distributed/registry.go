package distributed

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is a scheduler that can be named.
type Kind struct {
	Name string
	// About is a line for people.
	About string
	// EPFL is set if the simulator that was published with Eagle has the scheduler.
	EPFL bool
	New  func(o Options) Scheduler
}

// Kinds returns the schedulers, in the order in which results list them.
func Kinds() []Kind {
	two := batch{least: 2}
	return []Kind{
		{"sparrow", "batch sampling: all jobs probe random workers", true, func(Options) Scheduler {
			return &sparrow{two}
		}},
		{"hawk", "long jobs central, short ones probe, idle workers steal", true, func(Options) Scheduler {
			return &hawk{batch: two}
		}},
		{"eagle", "long jobs central; short ones avoid them, stick to workers, shortest first", true,
			func(Options) Scheduler { return &orderedEagle{eagle: eagle{sticky: true}} }},
		{"eagle-fifo", "eagle, first come first served", true, func(Options) Scheduler { return &eagle{sticky: true} }},
		{"eagle-nosbp", "eagle that only shares where long tasks are", true, func(Options) Scheduler {
			return &eagle{}
		}},
		{"eagle-nosss", "eagle that does not share where long tasks are", true, func(o Options) Scheduler {
			return &blindEagle{batch: batch{int32(o.MinProbes)}}
		}},
		{"ideal-eagle", "eagle that always knows where long tasks are; first come first served following EPFL", true,
			func(o Options) Scheduler {
				if o.EPFL {
					return &idealEagle{}
				}
				return &orderedIdeal{}
			}},
		{"lwl", "all jobs central, by least waiting time", true, func(Options) Scheduler { return &lwl{} }},
		{"dlwl", "all jobs by least waiting time as of the last heartbeat, shortest first", true,
			func(Options) Scheduler { return &dlwl{} }},
		{"mercury", "long jobs central, short ones queued where least is to do, and shed from there", false,
			func(Options) Scheduler { return &mercury{} }},
		{"yaq-c", "one scheduler, queues of bounded length, shortest first", false, func(Options) Scheduler {
			return &yaqC{}
		}},
		{"yaq-d", "all jobs by estimated wait as of the last heartbeat, shortest first, no partitions", false,
			func(Options) Scheduler { return &yaqD{} }},
		{"srpt", "one queue, shortest remaining job first, no messages: a bound", false, func(Options) Scheduler {
			return &srpt{}
		}},
	}
}

// New returns the named scheduler.
func New(name string, o Options) (Scheduler, error) {
	var names []string
	for _, k := range Kinds() {
		if k.Name == name {
			if o.EPFL && !k.EPFL {
				return nil, fmt.Errorf("the published simulator has no %s to be compatible with", name)
			}
			return k.New(o), nil
		}
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return nil, fmt.Errorf("no scheduler %q; there are %s", name, strings.Join(names, ", "))
}

package rumen

import (
	"racecard/datasets/mapreduce"
	"racecard/datasets/trace"
)

// topologyRoot is Rumen's name for the root of a LoggedNetworkTopology.
const topologyRoot = "<root>"

// node is a rack, or a machine when it has no children.
type node struct {
	Name     string `json:"name"`
	Children []node `json:"children"`
}

// machines hands the leaves below nodes to add.
func machines(nodes []node, add func(name string)) {
	for i := range nodes {
		if n := &nodes[i]; len(n.Children) > 0 {
			machines(n.Children, add)
		} else if name := mapreduce.Host(n.Name); name != "" {
			add(name)
		}
	}
}

// topology adds the machines of a topology to the tally, each name once.
func (r *reader) topology(o *object) {
	machines(o.Children, func(name string) {
		if !r.known[name] {
			r.known[name] = true
			r.Tally.Machines = append(r.Tally.Machines, trace.NewMachine(name))
		}
	})
}

package result

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"racecard/datasets/lists"
)

// EagleSweep is the name of the experiment that varies the size of the cluster.
const EagleSweep = "sweep"

// EagleTraces are the experiments over cluster sizes of several traces, for figures that compare them. A report
// joins it from the results of each; no file holds it.
type EagleTraces struct {
	Header
	Traces []EagleTrace
}

// EagleTrace is one of [EagleTraces].
type EagleTrace struct {
	Store, Format string
	Synthetic     bool // generated, not measured
	Options       EagleOptions
	Workload      EagleWorkload
	Sweep         *EagleExperiment
}

// Analysis implements [Document].
func (*EagleTraces) Analysis() string { return "eagle-traces" }

// Table implements [Document]: there is none.
func (*EagleTraces) Table() *Table { return nil }

// Sweep returns the experiment over cluster sizes, nil where it was not made.
func (d *Eagle) Sweep() *EagleExperiment {
	i := slices.IndexFunc(d.Experiments, func(x EagleExperiment) bool { return x.Name == EagleSweep })
	if i < 0 {
		return nil
	}
	return &d.Experiments[i]
}

// JoinSweeps makes a bundle of [EagleTraces] of bundles about different traces, in their order. It fails when one of
// them holds no experiment over cluster sizes, and when two are about the same trace.
func JoinSweeps(of []*Bundle) (*Bundle, error) {
	all := &EagleTraces{Header: Header{Available: true}}
	p := &Provenance{Synthetic: true}
	var names, commands []string
	synthetic := 0
	for _, b := range of {
		doc, _ := b.Documents["eagle"].(*Eagle)
		if doc == nil || doc.Sweep() == nil {
			return nil, fmt.Errorf("the results of %s hold no experiment over cluster sizes", b.Provenance.Store)
		}
		if slices.Contains(names, b.Provenance.Store) {
			return nil, fmt.Errorf("%s is there twice", b.Provenance.Store)
		}
		t := EagleTrace{Store: b.Provenance.Store, Format: b.Provenance.Format, Synthetic: b.Provenance.Synthetic ||
			doc.Synthetic, Options: doc.Options, Workload: doc.Workload, Sweep: doc.Sweep()}
		all.Traces, names, commands = append(all.Traces, t), append(names, t.Store),
			append(commands, b.Provenance.Command)
		all.Needs = doc.Needs
		p.Sources, p.Synthetic, p.Version = append(p.Sources, b.Provenance.Sources...), p.Synthetic && t.Synthetic,
			b.Provenance.Version
		p.Read, p.Used = p.Read+b.Provenance.Read, p.Used+b.Provenance.Used
		p.Ignored, p.Rejected, p.Repairs = sum(p.Ignored, b.Provenance.Ignored), sum(p.Rejected, b.Provenance.Rejected),
			sum(p.Repairs, b.Provenance.Repairs)
		if t.Synthetic {
			synthetic++
		}
	}
	p.Store, p.Command = strings.Join(names, ", "), strings.Join(commands, "; ")
	p.Note = fmt.Sprintf("Simulated clusters of several sizes on %d traces, of which %d were generated: SYNTHETIC.",
		len(names), synthetic)
	if synthetic == 0 {
		p.Note = fmt.Sprintf("Simulated clusters of several sizes on %d traces.", len(names))
	}
	return &Bundle{Provenance: p, Documents: map[string]Document{all.Analysis(): all}, Tables: map[string]*Table{}}, nil
}

// sum returns counts with others added to them.
func sum(counts, others map[string]int64) map[string]int64 {
	all := maps.Clone(counts)
	if all == nil {
		all = map[string]int64{}
	}
	lists.Add(all, others)
	return all
}

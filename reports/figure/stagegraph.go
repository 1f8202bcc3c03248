package figure

import (
	"cmp"
	"fmt"
	"slices"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// Limits of what a stage graph draws one by one.
const (
	maxBoxed    = 60   // stages with their name
	maxNumbered = 120  // stages with their number
	maxDotted   = 1200 // stages as dots; more become a profile
)

// detail is how much of each stage a drawing shows.
type detail uint8

const (
	boxes   detail = iota // a box with number, name, tasks and seconds
	numbers               // a disc with the number
	dots                  // a dot
	profile               // no single stages, a bar per layer
)

// StageGraph draws the stage graph of one run in layers: every edge runs from an earlier to a later layer. Small graphs
// name every stage, larger ones number them, still larger ones show them as dots, and the largest only how many stages
// each layer has; the caption says which.
func StageGraph(g *result.StageGraph, source Source) *Figure {
	name := words.Shorten(cmp.Or(g.Name, g.JobID), 48)
	d := newGraphDrawing(g)
	return &Figure{Name: "stage-graph", Title: "Stage graph of the largest run: " + name,
		Caption: d.caption(d.choose(style.WideWidth)) + " " + source.String(), Alt: d.alt(), Values: d.values(),
		source: source, plan: d.sheet}
}

// graphDrawing is a stage graph with the state that its drawings share.
type graphDrawing struct {
	graph    *result.StageGraph
	edges    []graphEdge
	perLayer []int // stages per layer
	barrier  map[int]bool
	driver   int // edges of the driver
	sync     int // all-to-all edges
	plain    int // other edges
	critical int // stages
}

func newGraphDrawing(g *result.StageGraph) *graphDrawing {
	d := &graphDrawing{graph: g, edges: edgesOf(g), barrier: map[int]bool{}}
	for _, layer := range layersOf(len(g.Stages), d.edges) {
		for len(d.perLayer) <= layer {
			d.perLayer = append(d.perLayer, 0)
		}
		d.perLayer[layer]++
	}
	waits := map[int]bool{} // for a stage
	for _, e := range d.edges {
		switch {
		case e.driver:
			d.driver++
			continue
		case e.all:
			d.sync++
		default:
			d.plain++
		}
		if waits[e.child] {
			d.barrier[e.child] = true
		}
		waits[e.child] = true
	}
	for _, s := range d.graph.Stages {
		d.critical += count(s.Critical)
	}
	return d
}

func (d *graphDrawing) key(f form) legend {
	barrier := entry{"barrier", func(p *pen, r rect) {
		p.stroke(line{width: 3}, point{r.x + r.w/2, r.y + 2}, point{r.x + r.w/2, r.y + r.h - 2})
	}}
	return slices.Concat(given(d.sync > 0, lineEntry("all-to-all", plain(style.Muted()))),
		given(d.plain > 0, lineEntry("one-to-one or unknown", plain(style.Muted()).thin(0.6))),
		given(d.driver > 0, lineEntry("started by the driver afterwards", dashedLook(style.Muted()))),
		given(d.critical > 0, lineEntry("critical path", lookAt(0).heavy())),
		given(len(d.barrier) > 0 && f.detail != dots, barrier))
}

func (d *graphDrawing) caption(f form) string {
	n := int64(len(d.graph.Stages))
	text := fmt.Sprintf("Run %s: %s in %s, %s, %s of all-to-all exchange", words.Shorten(d.graph.JobID, 60),
		words.Of(n, "stage", "stages"), words.Of(len(d.perLayer), "layer", "layers"),
		words.Of(len(d.barrier), "barrier", "barriers"), words.Of(d.sync, "edge", "edges"))
	text += words.When(d.driver > 0, ", %s that only the driver imposes", words.Of(d.driver, "edge", "edges"))
	text += "."
	switch {
	case f.detail == boxes || f.detail == numbers && n <= maxBoxed:
		text += " Of each stage: number, name, tasks and the seconds of its longest successful attempt."
	case f.detail == numbers:
		text += " Stages are too many to be named: the numbers are those of the table of stages."
	case f.detail == dots:
		text += " Stages are too many for names or numbers: each dot is a stage."
	default:
		text += " Stages are too many to be drawn: each bar is a layer, its height the number of stages in it."
	}
	text += " A stage lies one layer beyond the last that it waits for."
	text += words.When(f.perRow > 0, " Layers that do not fit one row continue in the next: an edge that leaves at "+
		"the right enters at the left.")
	text += words.When(d.critical > 0, " Blue: the critical path in seconds, %s long.",
		words.Of(d.critical, "stage", "stages"))
	return text
}

func (d *graphDrawing) alt() string {
	if len(d.graph.Stages) == 0 {
		return "The graph has no stages."
	}
	return fmt.Sprintf("Graph of %s in %s with %s; %s on the critical path, %s.", words.Of(len(d.graph.Stages), "stage",
		"stages"), words.Of(len(d.perLayer), "layer", "layers"), words.Of(len(d.edges), "edge", "edges"),
		words.Of(d.critical, "stage lies", "stages lie"), words.Of(len(d.barrier), "is a barrier", "are barriers"))
}

func (d *graphDrawing) values() []Value {
	out := []Value{
		{"graph", "stages", float64(len(d.graph.Stages))}, {"graph", "layers", float64(len(d.perLayer))},
		{"graph", "barriers", float64(len(d.barrier))}, {"graph", "all_to_all", float64(d.sync)},
		{"graph", "driver", float64(d.driver)}, {"graph", "other edges", float64(d.plain)},
		{"graph", "critical stages", float64(d.critical)},
	}
	for i, n := range d.perLayer[:min(len(d.perLayer), 200)] {
		out = append(out, Value{fmt.Sprintf("layer %d", i), "stages", float64(n)})
	}
	return out
}

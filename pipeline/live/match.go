package live

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"racecard/datasets/indexed"
	"racecard/datasets/remaining"
	"racecard/datasets/trace"
)

// Stage is a stage of a live run. Engines number stages anew in every run, and adaptive execution skips some.
type Stage struct {
	ID      int64   `json:"id"`
	Name    string  `json:"name"`
	Tasks   int     `json:"tasks"`
	Done    int     `json:"done"` // distinct tasks that ended well
	Parents []int64 `json:"parents"`
	// Dataset is the engine's number of the computed dataset; 0 if unknown. A skipped stage has the number of the stage
	// that it reuses.
	Dataset   int64 `json:"dataset"`
	Submitted bool  `json:"submitted"` // false: announced, skipped or not yet begun
}

// ErrPlan reports that the stages of a live run do not match the plan. The run may still be fine, but the table
// does not apply.
var ErrPlan = errors.New("the run does not follow the plan of the table")

// farTasks is the factor by which the number of tasks of a stage may differ from the plan's.
const farTasks = 8

// Match returns the fraction of tasks done of every stage of the plan, given the stages of a live run. A live stage
// corresponds to the stage of the plan with the same name and shape (the names of all ancestors); of several, the
// number of tasks and then the order decides. A submitted stage without counterpart, or with 8 times as many or as few
// tasks, is an [ErrPlan].
func (t *Table) Match(live []Stage) ([]float64, error) {
	if t.plan == nil {
		return nil, fmt.Errorf("%w: the table has no plan", ErrPlan)
	}
	run := newLiveGraph(live)
	if run.err != nil {
		return nil, run.err
	}
	groups := map[string][]*Stage{}
	var order []string
	for _, s := range run.submitted {
		shape := run.shape(s, 0)
		if run.err != nil {
			return nil, run.err
		}
		if groups[shape] == nil {
			order = append(order, shape)
		}
		groups[shape] = append(groups[shape], s)
	}
	done := make([]float64, len(t.t.About.Graph.Stages))
	for _, shape := range order {
		if err := t.assign(groups[shape], t.shapes[shape], done); err != nil {
			return nil, err
		}
	}
	return done, nil
}

// assign matches every live stage to a stage of the plan with its shape.
func (t *Table) assign(live []*Stage, plan []int, done []float64) error {
	if len(live) > len(plan) {
		s := live[len(plan)]
		return fmt.Errorf("%w: stage %d (%.80q) is not in it, or not so often", ErrPlan, s.ID, s.Name)
	}
	left := slices.Clone(plan)
	var rest []*Stage
	take := func(s *Stage, k int) error {
		of := t.t.About.Graph.Stages[left[k]].Tasks
		if of > 1 && (float64(s.Tasks) > of*farTasks || float64(s.Tasks) < of/farTasks) {
			return fmt.Errorf("%w: stage %d (%.80q) has %d tasks, the plan %.0f", ErrPlan, s.ID, s.Name, s.Tasks, of)
		}
		done[left[k]] = float64(min(s.Done, s.Tasks)) / float64(s.Tasks)
		left = slices.Delete(left, k, k+1)
		return nil
	}
	for _, s := range live {
		k := slices.IndexFunc(left, func(i int) bool {
			return math.Round(t.t.About.Graph.Stages[i].Tasks) == float64(s.Tasks)
		})
		if k < 0 {
			rest = append(rest, s)
			continue
		}
		if err := take(s, k); err != nil {
			return err
		}
	}
	for _, s := range rest {
		if err := take(s, 0); err != nil {
			return err
		}
	}
	return nil
}

// Bounds on a live run: its stages, and the looks at parents that it takes to find those that were submitted. A second
// or so is enough for all of them; each of thousands of stages might have the same thousands of skipped ancestors.
const (
	maxLiveStages = 100_000
	maxLooks      = 2_000_000
)

// liveGraph finds the parents of live stages and their shapes.
type liveGraph struct {
	byID      map[int64]*Stage
	submitted []*Stage            // by id
	computed  map[int64][]*Stage  // submitted stages by dataset, by id
	parents   map[*Stage][]*Stage // submitted ones
	shapes    map[*Stage]string   // found so far
	looks     int
	err       error
}

func newLiveGraph(live []Stage) *liveGraph {
	g := &liveGraph{
		byID:     map[int64]*Stage{},
		computed: map[int64][]*Stage{},
		parents:  map[*Stage][]*Stage{},
		shapes:   map[*Stage]string{},
	}
	if len(live) > maxLiveStages {
		g.err = fmt.Errorf("%d stages, at most %d are taken", len(live), maxLiveStages)
		return g
	}
	for i := range live {
		s := &live[i]
		if g.byID[s.ID] != nil {
			g.err = fmt.Errorf("stage %d is there twice", s.ID)
			return g
		}
		g.byID[s.ID] = s
		if !s.Submitted {
			continue
		}
		if s.Tasks < 1 || s.Done < 0 {
			g.err = fmt.Errorf("stage %d: %d of %d tasks done; want at least one task", s.ID, s.Done, s.Tasks)
			return g
		}
		g.submitted = append(g.submitted, s)
	}
	slices.SortFunc(g.submitted, func(a, b *Stage) int { return cmp.Compare(a.ID, b.ID) })
	for _, s := range g.submitted {
		if s.Dataset != 0 {
			g.computed[s.Dataset] = append(g.computed[s.Dataset], s)
		}
	}
	for _, s := range g.submitted {
		if g.walk(s); g.looks > maxLooks {
			g.err = fmt.Errorf("%d stages with too many skipped ancestors each: more than %d looks at parents", len(live),
				maxLooks)
			break
		}
	}
	return g
}

// walk finds the submitted parents of a stage. A skipped parent stands for the stage that computed its dataset before,
// or, if there is none, for its own parents, as in package datasets/spark.
func (g *liveGraph) walk(child *Stage) {
	seen := map[int64]bool{child.ID: true}
	open := slices.Clone(child.Parents)
	for ; len(open) > 0 && g.looks <= maxLooks; g.looks++ {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		parent := g.byID[id]
		if seen[id] || parent == nil {
			continue
		}
		seen[id] = true
		if parent.Submitted {
			g.parents[child] = append(g.parents[child], parent)
			continue
		}
		made := g.before(parent.Dataset, min(parent.ID, child.ID))
		switch {
		case made == nil:
			open = append(open, parent.Parents...)
		case !seen[made.ID]:
			open = append(open, made.ID)
		}
	}
}

// before returns the last stage that computed a dataset, of those with a smaller id.
func (g *liveGraph) before(dataset, id int64) *Stage {
	for _, s := range slices.Backward(g.computed[dataset]) {
		if s.ID < id {
			return s
		}
	}
	return nil
}

// shape returns the shape of a stage: see [shapeOf]. depth guards against cycles.
func (g *liveGraph) shape(s *Stage, depth int) string {
	if shape, ok := g.shapes[s]; ok {
		return shape
	}
	if depth > len(g.submitted) {
		g.err = fmt.Errorf("stage %d is on a cycle", s.ID)
		return ""
	}
	var above []string
	for _, p := range g.parents[s] {
		above = append(above, g.shape(p, depth+1))
		if g.err != nil {
			return ""
		}
	}
	g.shapes[s] = shapeOf(s.Name, above)
	return g.shapes[s]
}

// shapeOf returns a name for a stage and all its ancestors, given the shapes of its parents.
func shapeOf(name string, parents []string) string {
	slices.Sort(parents)
	return indexed.Sum([]byte(plainName(name) + "\x00" + strings.Join(slices.Compact(parents), "\x00")))
}

// plainName drops the folder of a file from the name of a stage, such as "count at /home/ann/job.py:12".
func plainName(name string) string {
	operation, place, ok := strings.Cut(name, " at ")
	if !ok {
		return name
	}
	return operation + " at " + path.Base(place)
}

// planShapes returns the stages of a plan by shape. Edges of the driver do not count.
func planShapes(g *remaining.Graph) map[string][]int {
	parents := make([][]string, len(g.Stages))
	shapes := map[string][]int{}
	children := make([][]int32, len(g.Stages))
	for _, e := range g.Edges {
		if e.Kind != trace.Driver.String() {
			children[e.Parent] = append(children[e.Parent], e.Child)
		}
	}
	for i, s := range g.Stages { // in topological order
		shape := shapeOf(s.Name, parents[i])
		shapes[shape] = append(shapes[shape], i)
		for _, c := range children[i] {
			parents[c] = append(parents[c], shape)
		}
	}
	return shapes
}

package generate

import (
	"fmt"
	"math/rand/v2"
)

// wfFamilies is how many workflows there are that run again and again.
const wfFamilies = 30

// wfTask is a task of a workflow: its level, and its parents, which are tasks of the level above.
type wfTask struct {
	level   int
	parents []int
	reads   int64 // bytes of each of its inputs that no task wrote
	writes  int64 // bytes of its output
	seconds float64
}

// wfformat writes executions of scientific workflows (WfFormat 1.5), one file each, until there are as many tasks as
// rows are wanted.
//
// A workflow has two to eight levels of tasks, some wide and some of one task that joins all of the level above, as the
// ones have that WfCommons publishes (T. Coleman et al., "WfCommons: A Framework for Enabling Scientific Workflow
// Research and Development", FGCS 128, 2022). The thirty families run again and again on inputs that vary. Runtimes are
// lognormal, one in fifty is 0; the makespan is well above the longest path, since workers are waited for. In traces of
// more than 200,000 rows levels are wider.
func wfformat(t *traceWriter) {
	rng := source(t.seed, "wfformat")
	next := arrivals{interval: 1800}
	for n := int64(1); t.more(); n++ {
		family := skewed(rng, wfFamilies)
		tasks := wfTasks(t.seed, family, rng, t.growth(40), t.left(), max(20, t.want/20))
		o := t.file(fmt.Sprintf("family%02d-%06d.json", family, n))
		o.workflow(rng, tasks, family, next.next(rng))
		o.close()
	}
}

// wfTasks draws the tasks of a run of a family, at most as many as there are rows left.
func wfTasks(root uint64, family int64, rng *rand.Rand, growth float64, left, most int64) []wfTask {
	shape := sourceOf(root, "wfformat family", family)
	scale := 0.7 + 0.6*rng.Float64()
	var tasks []wfTask
	above := 0 // first task of the level above
	for level := range 2 + shape.IntN(7) {
		width, seconds := lognormal(shape, 6, 1.2), lognormal(shape, 20, 1.2)
		if width *= growth; chance(shape, 0.3) {
			width = 1
		}
		from := len(tasks)
		for range int(min(max(1, width*scale), float64(most))) {
			if int64(len(tasks)) == left {
				return tasks
			}
			task := wfTask{level: level, seconds: lognormal(rng, seconds*scale, 0.3), writes: count(rng, 1e6, 2, 1e12)}
			if chance(rng, 0.02) {
				task.seconds = 0
			}
			switch {
			case level == 0:
				task.reads = count(rng, 1e7, 2, 1e12)
			case width == 1:
				for p := above; p < from; p++ {
					task.parents = append(task.parents, p)
				}
			default:
				p := above + (len(tasks)-from)%(from-above)
				task.parents = append(task.parents, p)
				if q := above + rng.IntN(from-above); q != p {
					task.parents = append(task.parents, q)
				}
			}
			tasks = append(tasks, task)
		}
		above = from
	}
	return tasks
}

// workflow writes the file of an execution that began at some second of the trace.
func (o *output) workflow(rng *rand.Rand, tasks []wfTask, family int64, second float64) {
	children := make([][]int, len(tasks))
	for i := range tasks {
		for _, p := range tasks[i].parents {
			children[p] = append(children[p], i)
		}
	}
	o.field(`{"name":"family`, family)
	o.text(`","description":"synthetic, written by racecard generate","schemaVersion":"1.5","workflow":{"specification":{"tasks":[`)
	for i := range tasks {
		o.comma(i)
		o.specification(i, &tasks[i], children[i])
	}
	o.text("\n" + `],"files":[`)
	for i := range tasks {
		o.comma(i)
		if tasks[i].level == 0 {
			o.field(`{"id":"in`, int64(i))
			o.field(`","sizeInBytes":`, tasks[i].reads)
			o.text("},")
		}
		o.field(`{"id":"out`, int64(i))
		o.field(`","sizeInBytes":`, tasks[i].writes)
		o.text("}")
		o.flush()
	}
	makespan, longest := 60*rng.ExpFloat64(), 0.0
	for i := range tasks {
		if i > 0 && tasks[i].level != tasks[i-1].level {
			makespan, longest = makespan+longest, 0
		}
		longest = max(longest, tasks[i].seconds*(1+rng.Float64()))
	}
	o.text("\n" + `]},"execution":{"makespanInSeconds":`)
	o.round(makespan+longest+1, 3)
	o.text(`,"executedAt":"`)
	o.dateTime(second)
	o.line[len(o.line)-len(" 15:04:05")] = 'T'
	o.text(`+00:00","tasks":[`)
	for i := range tasks {
		o.comma(i)
		o.execution(rng, i, &tasks[i])
	}
	o.text("\n" + `],"machines":[`)
	for m := range wfMachines {
		o.comma(m)
		o.field(`{"nodeName":"worker-`, int64(m))
		o.text(`","system":"linux","architecture":"x86_64","cpu":{"vendor":"none","coreCount":48,"speedInMHz":2300},"memoryInBytes":131795984000}`)
	}
	o.text(`]}},"runtimeSystem":{"name":"synthetic","version":"1","url":"https://none.invalid"}}`)
	o.end()
}

const wfMachines = 4

// comma separates the elements of a list, one per line.
func (o *output) comma(i int) {
	if i > 0 {
		o.text(",")
	}
	o.text("\n")
}

// names writes a list of names that end in numbers.
func (o *output) names(before, prefix string, numbers []int) {
	o.text(before)
	for k, n := range numbers {
		if k > 0 {
			o.text(",")
		}
		o.field(`"`+prefix, int64(n))
		o.text(`"`)
	}
	o.text("]")
}

func (o *output) specification(i int, t *wfTask, children []int) {
	o.field(`{"name":"step`, int64(t.level))
	o.field(`","id":"task`, int64(i))
	o.names(`","parents":[`, "task", t.parents)
	o.names(`,"children":[`, "task", children)
	if t.level == 0 {
		o.field(`,"inputFiles":["in`, int64(i))
		o.text(`"]`)
	} else {
		o.names(`,"inputFiles":[`, "out", t.parents)
	}
	o.field(`,"outputFiles":["out`, int64(i))
	o.text(`"]}`)
	o.flush()
}

func (o *output) execution(rng *rand.Rand, i int, t *wfTask) {
	o.field(`{"id":"task`, int64(i))
	o.text(`","runtimeInSeconds":`)
	o.round(t.seconds, 3)
	o.field(`,"command":{"program":"step`, int64(t.level))
	o.text(`","arguments":[]},"coreCount":1,"avgCPU":`)
	o.round(40+60*rng.Float64(), 4)
	o.field(`,"readBytes":`, t.reads)
	o.field(`,"writtenBytes":`, t.writes)
	o.field(`,"memoryInBytes":`, count(rng, 2e8, 1, 1e11))
	o.field(`,"machines":["worker-`, rng.Int64N(wfMachines))
	o.text(`"]}`)
	o.flush()
	o.trace.row()
}

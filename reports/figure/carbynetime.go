package figure

import (
	"math"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
)

// CarbyneOverTime draws the used share of every resource over time, the running tasks, and the running tasks of
// one job.
func CarbyneOverTime(c *result.Carbyne, source Source) *Figure {
	job := followed(c)
	names := lists.Kept(few(c.Order), func(name string) bool { return c.Schedulers[name] != nil })
	ch := &chart{about: "Lines over time of the use of resources", nothing: "the tasks that ran are not known"}
	for _, r := range c.Resources() {
		used := func(s *result.CarbyneScheduler) []point { return bins(s.BinS, s.Used[r]) }
		p := panel{title: ResourceTitle(r), y: axis{write: words.Percent[float64]}, high: 56}
		ch.add(schedulerLines(c, names, p, 1, used))
	}
	tasks := func(s *result.CarbyneScheduler) []point { return bins(s.BinS, s.Tasks) }
	ch.add(schedulerLines(c, names, panel{title: "tasks", y: axis{write: words.Number[float64]}, high: 56}, 0, tasks))
	ch.panels = append(overTime(ch.panels), overTime(jobLines(c, names, "tasks of "+job))...)
	text := "Share of all machines that is held, as schedulers believe it."
	text += words.When(job != "", " Below, the running tasks of %s, which is of median size unless another was "+
		"asked for; by right: those of them that carbyne started as the job’s own, the others from resources that "+
		"others left.", job)
	return ch.figure("carbyne-over-time", "The cluster, and one job, over time", text+OfSeed(c), source,
		ch.tellUse(c, names)...)
}

// tellUse returns the use of resources under schedulers, and adds their ends to the lines of the first panel.
func (c *chart) tellUse(of *result.Carbyne, names []string) (values []Value) {
	for _, name := range names {
		s, name := of.Schedulers[name], words.Shorten(name, 30)
		for _, r := range of.Resources() {
			if u, ok := s.Utilization[r]; ok {
				values = append(values, Value{name, r + " used", float64(u)})
			}
		}
		if len(c.panels) == 0 || !finite(s.MakespanS) {
			continue
		}
		for _, l := range c.panels[0].layers {
			if l := l.(*lineLayer); l.name == name {
				l.says = name + " until " + words.Seconds(s.MakespanS)
			}
		}
	}
	return values
}

// schedulerLines adds to a panel a line over time for each of some schedulers, on an axis up to at least most; nil
// where nothing is known of any.
func schedulerLines(c *result.Carbyne, names []string, n panel, most float64,
	of func(*result.CarbyneScheduler) []point) *panel {
	order := ordered(c)
	for _, name := range names {
		l := newLine(words.Shorten(name, 30), schedulerLook(order, name).thin(1.1), of(c.Schedulers[name])...)
		if len(l.points) > 1 {
			l.steps, most = true, max(most, slices.Max(l.ys()))
			n.layers = append(n.layers, l)
		}
	}
	if len(n.layers) == 0 {
		return nil
	}
	n.y = linear(most, most > 5).in(n.y.write)
	n.y.steps = []float64{0, most}
	return &n
}

// jobLines draws the running tasks of the job that was followed, and the tasks that carbyne started by right. It draws
// them under the schedulers that the paper compares, or under the given ones where those are not among them. It returns
// no panel where the job is not known.
func jobLines(c *result.Carbyne, names []string, title string) []panel {
	if slices.Contains(names, "drf") && slices.Contains(names, "carbyne") {
		names = []string{"drf", "carbyne"}
	}
	n := schedulerLines(c, names, panel{title: title, y: axis{write: words.Number[float64]}, high: 130}, 0,
		func(s *result.CarbyneScheduler) []point {
			return stepsOf(s.Followed, func(f *result.CarbyneFollowed) []int { return f.All })
		})
	if n == nil {
		return nil
	}
	if s := c.Schedulers["carbyne"]; s != nil {
		l := newLine("carbyne, started by right", look{colour: schedulerLook(ordered(c), "carbyne").colour,
			dash: dashes(), width: 1.1}, stepsOf(s.Followed, func(f *result.CarbyneFollowed) []int { return f.Own })...)
		if l.steps = true; len(l.points) > 1 {
			n.layers = append(n.layers, l)
			n.y = linear(slices.Max(n.ys()), true)
		}
	}
	return []panel{*n}
}

// overTime gives panels a common time axis, from 0 if there are several panels; the last one is labelled.
func overTime(panels []panel) []panel {
	from, to := math.Inf(1), 1e-6
	for i := range panels {
		xs := panels[i].xs()
		from, to = min(from, slices.Min(xs)), max(to, slices.Max(xs))
	}
	if len(panels) != 1 {
		from = 0
	}
	to = max(to, from+max(1e-6, 1e-9*from)) // a single instant needs some width, however late it is
	return stacked(panels, spanAxis(from, to, 6, "from the first arrival"))
}

// few returns the schedulers with lines over time: all, or, if there are more than five, the ones that the paper
// compares.
func few(order []string) []string {
	if len(order) <= 5 {
		return order
	}
	out := lists.Kept(order, func(name string) bool {
		return slices.Contains([]string{"drf", "tetris", "sjf", "carbyne"}, name)
	})
	if len(out) == 0 {
		return order[:5]
	}
	return out
}

// followed returns the id and the name of the job whose running tasks were recorded, "" if there is none.
func followed(c *result.Carbyne) string {
	for _, name := range c.Order {
		if s := c.Schedulers[name]; s != nil && s.Followed != nil {
			id, name := words.Shorten(s.Followed.Job, 30), words.Shorten(s.Followed.Name, 40)
			return words.Either(name == "" || name == id, "job "+id, "job "+name+" ("+id+")")
		}
	}
	return ""
}

// bins returns the values of equal bins with their starts.
func bins(width float64, values []float64) (out []point) {
	for k, v := range values {
		if finite(width, v) && width > 0 && v >= 0 {
			out = append(out, point{float64(k) * width, v})
		}
	}
	return out
}

// stepsOf returns the recorded steps of a followed job.
func stepsOf(f *result.CarbyneFollowed, of func(f *result.CarbyneFollowed) []int) (out []point) {
	if f == nil {
		return nil
	}
	for k, n := range of(f) {
		if k < len(f.AtS) && finite(f.AtS[k]) && f.AtS[k] >= 0 && n >= 0 && (k == 0 || f.AtS[k] >= f.AtS[k-1]) {
			out = append(out, point{f.AtS[k], float64(n)})
		}
	}
	return out
}

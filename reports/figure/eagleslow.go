package figure

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// slowJob is a job under one scheduler, as far as it can be drawn.
type slowJob struct {
	of     *result.EagleSlow
	lanes  []slowLane // those that are drawn
	behind float64    // longest time behind one long task
}

// slowLane is what a worker has to do with the job.
type slowLane struct {
	worker int
	tasks  []result.EagleSlowTask
	end    float64
	slots  int // up to the last one that matters
}

// mostSlots is how many slots of a worker are drawn; none has more.
const mostSlots = 64

// lanesOf returns the workers of a job that were done last, at most so many lines of slots, but one, in the order in which they were.
func lanesOf(s *result.EagleSlow, most int) []slowLane {
	var all []slowLane
	for _, t := range s.Tasks {
		if !finite(t.QueuedS) || !finite(t.StartS) || !finite(t.EndS) || !(t.QueuedS <= t.StartS && t.StartS <= t.EndS) || t.Slot < 0 || t.Slot >= mostSlots {
			continue
		}
		t.Before = slices.DeleteFunc(slices.Clone(t.Before), func(b result.EagleOn) bool {
			return !finite(b.FromS) || !finite(b.ToS) || b.ToS <= b.FromS || b.Slot < 0 || b.Slot >= mostSlots
		})
		i := slices.IndexFunc(all, func(l slowLane) bool { return l.worker == t.Worker })
		if i < 0 {
			i, all = len(all), append(all, slowLane{worker: t.Worker})
		}
		all[i].tasks, all[i].end, all[i].slots = append(all[i].tasks, t), max(all[i].end, t.EndS), max(all[i].slots, t.Slot+1)
		for _, b := range t.Before {
			all[i].slots = max(all[i].slots, b.Slot+1)
		}
	}
	slices.SortStableFunc(all, func(a, b slowLane) int { return cmp.Compare(a.end, b.end) })
	lines := 0
	for i, l := range slices.Backward(all) {
		if lines += l.slots; lines > most && i < len(all)-1 {
			return all[i+1:]
		}
	}
	return all
}

// EagleSlow draws what the tasks of one job waited for, one row per worker, under one scheduler after the other on the same scale. name is
// that of the figure.
func EagleSlow(name string, all []result.EagleSlow, source Source) *Figure {
	f := &Figure{Name: name, Title: "What a job waits for", source: source, Alt: "Rows of workers."}
	var jobs []slowJob
	end, left, several := 0.0, false, false
	for i := range all {
		s := &all[i]
		x := slowJob{of: s, lanes: lanesOf(s, max(6, 36/len(all)))}
		drawn := 0
		for _, l := range x.lanes {
			end, drawn, several = max(end, l.end), drawn+len(l.tasks), several || l.slots > 1
			for _, t := range l.tasks {
				for _, b := range t.Before {
					if b.Long {
						x.behind = max(x.behind, b.ToS-b.FromS)
					}
				}
			}
		}
		left = left || drawn < s.All
		scheduler := style.Shorten(s.Scheduler, 40)
		if finite(s.JCTS) {
			f.Values = append(f.Values, Value{scheduler, "completion", s.JCTS})
		}
		f.Values = append(f.Values, Value{scheduler, "longest behind one long task", x.behind})
		f.Alt += fmt.Sprintf(" Under %s it takes %s, the longest time behind one long task is %s.", scheduler, style.Seconds(s.JCTS), style.Seconds(x.behind))
		jobs = append(jobs, x)
	}
	f.Caption = "A row is a worker that runs tasks of it, from when the first probe, or task, came."
	if several {
		f.Caption = "A row is a worker that runs tasks of it, with a line for each of its slots, from when the first probe, or task, came."
	}
	if len(all) > 0 {
		s := &all[0]
		class, of := "short", "job"
		if s.Long {
			class = "long"
		}
		if s.Stage > 0 {
			of = "stage"
		}
		f.Title = fmt.Sprintf("What job %s waits for", style.Shorten(s.Name(), 60))
		f.Values = append(f.Values, Value{"job", "tasks", float64(s.All)})
		f.Caption = fmt.Sprintf("A %s %s of %s of %s on average. ", class, of, style.Of(int64(s.All), "task", "tasks"), style.Seconds(s.EstimateS)) + f.Caption
	}
	if left {
		f.Caption += " Only the workers that are done last are shown."
	}
	f.Caption += " " + source.String()
	f.plan = func(width float64) sheet { return slowSheet(width, jobs, end) }
	return f
}

// why says in a line what a job met with.
func (x *slowJob) why() string {
	m, n := &x.of.EagleMet, float64(max(1, x.of.All))
	text := ""
	if finite(m.QueuedS) && m.QueuedS > 0 {
		text += fmt.Sprintf("a task waits %s on average", style.Seconds(m.QueuedS/n))
		if m.BehindLongS > 0 {
			text += fmt.Sprintf(", %s of it behind long ones", style.Seconds(m.BehindLongS/n))
		}
	}
	for _, of := range []struct {
		n         int
		one, many string
	}{{m.Rejected, "probe rejected", "probes rejected"}, {m.Stolen, "probe stolen", "probes stolen"}, {m.Stuck, "task by sticking", "tasks by sticking"},
		{m.Passed, "time passed by another job", "times passed by other jobs"}} {
		if of.n > 0 {
			if text != "" {
				text += "; "
			}
			text += style.Of(int64(of.n), of.one, of.many)
		}
	}
	return text
}

func slowSheet(width float64, jobs []slowJob, end float64) sheet {
	own, long, short := style.SeriesAt(0).Light, style.SeriesAt(1).Light, style.SeriesAt(1).Alpha(0.35)
	k := key{{keyBox, own, "a task of it runs"}, {keyBox, long, "waits, its worker runs a long task"}, {keyBox, short, "waits, it runs a short one"}, {keyThin, style.Muted().Light, "waits for other reasons"}}
	const left, head, foot = 84.0, 34.0, 6.0
	rows, apart := 0, 0.0 // apart is between workers
	for i := range jobs {
		for _, l := range jobs[i].lanes {
			rows += l.slots
			apart += l.apart()
		}
	}
	row := min(16, max(5, 320/float64(max(1, rows))))
	top := k.height(newFaces(), width) + style.Gap
	body := row*float64(rows) + apart
	for i := range jobs {
		if len(jobs[i].lanes) > 0 {
			body += head + foot
		}
	}
	body = max(40, body)
	return sheet{height: top + body + scaleBelow, draw: func(p *pen) {
		k.draw(p, width)
		if rows == 0 {
			p.text("no task is known", width/2, top+20, centred())
			return
		}
		g := graph{rect{left, top, width - left - style.Gap, body}, duration(end), axis{0, 1, plot.LinearScale{}, nil, 0}}
		g.frame(p, "time since the submission of the job", style.Seconds, style.Number)
		y := top
		for i := range jobs {
			x := &jobs[i]
			if len(x.lanes) == 0 {
				continue
			}
			name := fmt.Sprintf("%s: %s", style.Shorten(x.of.Scheduler, 40), style.Seconds(x.of.JCTS))
			if x.of.Stage > 0 {
				name = fmt.Sprintf("%s: done after %s", style.Shorten(x.of.Scheduler, 40), style.Seconds(x.of.JCTS))
			}
			p.text(name, left, y+13, text{bold: true})
			p.text(p.fit(x.why(), width-left, smallText()), left, y+26, text{size: style.SmallSize, colour: style.Muted().Light})
			y += head
			for i := range x.lanes {
				slowRow(p, g, &x.lanes[i], y, row)
				y += row*float64(x.lanes[i].slots) + x.lanes[i].apart()
			}
			y += foot
		}
	}}
}

// apart is the space below a worker that has several lines.
func (l *slowLane) apart() float64 {
	if l.slots > 1 {
		return 5
	}
	return 0
}

// slowRow draws a worker, a line below another for each slot.
func slowRow(p *pen, g graph, l *slowLane, y, row float64) {
	h := min(10, row-1.5)
	if l.slots > 1 {
		h = row - 0.5 // of one worker they belong together
		if row >= 10 {
			h = row - 2
		}
	}
	middle := func(slot int) float64 { return y + row*(float64(slot)+0.5) }
	box := func(slot int, from, to float64) rect {
		a, b := g.at(from, 0).x, g.at(to, 0).x
		return rect{a, middle(slot) - h/2, max(b-a, 0.8), h}
	}
	for _, t := range l.tasks {
		p.stroke(line{colour: style.Muted().Light, width: 1}, point{g.at(t.QueuedS, 0).x, middle(t.Slot)}, point{g.at(t.StartS, 0).x, middle(t.Slot)})
	}
	for _, t := range l.tasks {
		for _, b := range t.Before {
			colour := style.SeriesAt(1).Alpha(0.35)
			if b.Long {
				colour = style.SeriesAt(1).Light
			}
			p.fill(style.Paper().Light, box(b.Slot, b.FromS, b.ToS))
			p.fill(colour, box(b.Slot, b.FromS, b.ToS))
		}
	}
	for _, t := range l.tasks {
		b := box(t.Slot, t.StartS, t.EndS)
		if len(l.tasks) > 1 && b.w > 2 { // tasks of one worker stay apart
			b.w -= 0.7
		}
		p.fill(style.SeriesAt(0).Light, b)
	}
	if row*float64(l.slots) >= 10 {
		small := smallText()
		small.align = 1
		p.text("worker "+style.Count(int64(l.worker)), g.rect.x-8, y+row*float64(l.slots)/2+3.5, small)
	}
}

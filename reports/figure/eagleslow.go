package figure

import (
	"fmt"

	"gonum.org/v1/plot"

	"racecard/datasets/result"
	"racecard/reports/style"
)

// EagleSlow draws what the tasks of a slow job waited for, one row per task.
func EagleSlow(s *result.EagleSlow, source Source) *Figure {
	f := &Figure{Name: "eagle-slow-" + Slug(s.Scheduler), Title: fmt.Sprintf("What job %s waits for under %s", style.Shorten(s.JobID, 40), style.Shorten(s.Scheduler, 40)), source: source}
	var tasks []result.EagleSlowTask
	end, behind := 0.0, 0.0
	for _, t := range s.Tasks {
		if !finite(t.QueuedS) || !finite(t.StartS) || !finite(t.EndS) || !(t.QueuedS <= t.StartS && t.StartS <= t.EndS) {
			continue
		}
		tasks = append(tasks, t)
		end = max(end, t.EndS)
		for _, b := range t.Before {
			if b.Long && b.ToS > b.FromS {
				behind = max(behind, b.ToS-b.FromS)
			}
		}
	}
	if finite(s.JCTS) {
		f.Values = append(f.Values, Value{"job", "completion", s.JCTS})
	}
	f.Values = append(f.Values, Value{"job", "tasks", float64(s.All)}, Value{"job", "longest behind one long task", behind})
	shown := ""
	if len(tasks) < s.All {
		shown = fmt.Sprintf(" The %d that ended last are shown.", len(tasks))
	}
	f.Caption = fmt.Sprintf("Its %s take %s on average; the job takes %s.%s A row is a task, from when its probe came to the worker that ran it. %s", style.Of(int64(s.All), "task", "tasks"),
		style.Seconds(s.EstimateS), style.Seconds(s.JCTS), shown, source)
	f.Alt = fmt.Sprintf("Rows of tasks. The longest time behind one long task is %s, of a completion time of %s.", style.Seconds(behind), style.Seconds(s.JCTS))
	f.plan = func(width float64) sheet { return slowSheet(width, tasks, end) }
	return f
}

func slowSheet(width float64, tasks []result.EagleSlowTask, end float64) sheet {
	own, long, short := style.SeriesAt(0).Light, style.SeriesAt(1).Light, style.SeriesAt(1).Alpha(0.35)
	k := key{{keyBox, own, "the task runs"}, {keyBox, long, "a long task runs at its worker"}, {keyBox, short, "a short one does"}, {keyThin, style.Muted().Light, "its probe waits"}}
	const left = 84.0
	row := min(16, max(5, 320/float64(max(1, len(tasks)))))
	top := k.height(newFaces(), width) + style.Gap
	body := max(40, row*float64(len(tasks)))
	return sheet{height: top + body + scaleBelow, draw: func(p *pen) {
		k.draw(p, width)
		if len(tasks) == 0 {
			p.text("no task is known", width/2, top+20, centred())
			return
		}
		g := graph{rect{left, top, width - left - style.Gap, body}, duration(end), axis{0, 1, plot.LinearScale{}, nil, 0}}
		g.frame(p, "time since the submission of the job", style.Seconds, style.Number)
		small := smallText()
		small.align = 1
		for i, t := range tasks {
			y := top + (float64(i)+0.5)*row
			h := min(10, row-1.5)
			box := func(from, to float64) rect {
				a, b := g.at(from, 0).x, g.at(to, 0).x
				return rect{a, y - h/2, max(b-a, 0.8), h}
			}
			p.stroke(line{colour: style.Muted().Light, width: 1}, point{g.at(t.QueuedS, 0).x, y}, point{g.at(t.StartS, 0).x, y})
			for _, b := range t.Before {
				if !finite(b.FromS) || !finite(b.ToS) || b.ToS <= b.FromS {
					continue
				}
				colour := short
				if b.Long {
					colour = long
				}
				p.fill(colour, box(b.FromS, b.ToS))
			}
			p.fill(own, box(t.StartS, t.EndS))
			if row >= 10 {
				p.text("worker "+style.Count(int64(t.Worker)), left-8, y+3.5, small)
			}
		}
	}}
}

package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// slowJob is the drawn part of a job under one scheduler.
type slowJob struct {
	of      *result.EagleSlow
	workers []slowWorker // those that are drawn
	tasks   int          // of these workers
	slots   int          // of these workers, that are drawn
	end     float64      // of the last task
}

// slowWorker is the row of a worker that ran or queued tasks of the job.
type slowWorker struct {
	worker int
	tasks  []result.EagleSlowTask
	end    float64
	slots  int // number of drawn slots, up to the last one in use
}

// mostSlots bounds the drawn slots of a worker, and equals the largest number of slots.
const mostSlots = 64

// workersOf returns the workers of a job that finished last, in order, with at most so many rows of slots in all, but
// at least one worker.
func workersOf(s *result.EagleSlow, most int) []slowWorker {
	var tasks []result.EagleSlowTask
	for _, t := range s.Tasks {
		if !finite(t.QueuedS, t.StartS, t.EndS) || !(t.QueuedS <= t.StartS && t.StartS <= t.EndS) || t.Slot < 0 ||
			t.Slot >= mostSlots {
			continue
		}
		t.Before = lists.Kept(t.Before, func(b result.EagleOn) bool {
			return finite(b.FromS, b.ToS) && b.ToS > b.FromS && b.Slot >= 0 && b.Slot < mostSlots
		})
		tasks = append(tasks, t)
	}
	var all []slowWorker
	for _, own := range grouped(tasks, func(a, b result.EagleSlowTask) bool { return a.Worker == b.Worker }) {
		l := slowWorker{worker: own[0].Worker, tasks: own}
		for _, t := range own {
			l.end, l.slots = max(l.end, t.EndS), max(l.slots, t.Slot+1)
			for _, b := range t.Before {
				l.slots = max(l.slots, b.Slot+1)
			}
		}
		all = append(all, l)
	}
	slices.SortStableFunc(all, func(a, b slowWorker) int { return cmp.Compare(a.end, b.end) })
	lines := 0
	for i, l := range slices.Backward(all) {
		if lines += l.slots; lines > most && i < len(all)-1 {
			return all[i+1:]
		}
	}
	return all
}

// newSlowJob returns a job with at most so many rows of slots.
func newSlowJob(s *result.EagleSlow, rows int) slowJob {
	x := slowJob{of: s, workers: workersOf(s, rows)}
	for _, l := range x.workers {
		x.end, x.tasks, x.slots = max(x.end, l.end), x.tasks+len(l.tasks), x.slots+l.slots
	}
	return x
}

// EagleSlow draws the waiting of one job's tasks, one row per worker, under one scheduler after the other on the
// same scale. name is the name of the figure.
func EagleSlow(name string, all []result.EagleSlow, source Source) *Figure {
	jobs := make([]slowJob, len(all))
	end, slots := 0.0, 0
	for i := range all {
		jobs[i] = newSlowJob(&all[i], max(6, 36/len(all)))
		end, slots = max(end, jobs[i].end), slots+jobs[i].slots
	}
	c := &chart{about: "Rows of workers", nothing: "no task is known"}
	for i := range jobs {
		if len(jobs[i].workers) > 0 {
			c.panels = append(c.panels, jobs[i].panel(min(16, max(5, 320/float64(slots)))))
		}
	}
	c.panels = stacked(c.panels, duration(end).labelled("time since the submission of the job"))
	title := "What a job waits for"
	var values []Value
	if len(all) > 0 {
		title = fmt.Sprintf("What job %s waits for", words.Shorten(all[0].Name(), 60))
		values = []Value{{"job", "tasks", float64(all[0].All)}}
	}
	return c.figure(name, title, slowCaption(jobs), source, values...)
}

func slowCaption(jobs []slowJob) string {
	text := ""
	if len(jobs) > 0 {
		s := jobs[0].of
		text = fmt.Sprintf("A %s %s of %s of %s on average. ", words.Either(s.Long, "long", "short"),
			words.Either(s.Stage > 0, "stage", "job"), words.Of(s.All, "task", "tasks"), words.Seconds(s.EstimateS))
	}
	several := slices.ContainsFunc(jobs, func(x slowJob) bool { return x.slots > len(x.workers) })
	left := slices.ContainsFunc(jobs, func(x slowJob) bool { return x.tasks < x.of.All })
	return text + "A row is a worker that runs tasks of it, " + words.When(several, "with a line for each of its slots, ") +
		"from when the first probe, or task, came." +
		words.When(left, " Only the workers that are done last are shown.")
}

// why states the causes of a job's delay in a line.
func (x *slowJob) why() string {
	m, n := &x.of.EagleMet, float64(max(1, x.of.All))
	parts := given(finite(m.QueuedS) && m.QueuedS > 0, fmt.Sprintf("a task waits %s on average",
		words.Seconds(m.QueuedS/n))+words.When(m.BehindLongS > 0, ", %s of it behind long ones",
		words.Seconds(m.BehindLongS/n)))
	for _, of := range []struct {
		n         int
		one, many string
	}{{m.Rejected, "probe rejected", "probes rejected"}, {m.Stolen, "probe stolen", "probes stolen"}, {m.Stuck,
		"task by sticking", "tasks by sticking"},
		{m.Passed, "time passed by another job", "times passed by other jobs"}} {
		parts = append(parts, given(of.n > 0, words.Of(of.n, of.one, of.many))...)
	}
	return strings.Join(parts, "; ")
}

// panel draws the workers of a job, a row for each of their slots.
func (x *slowJob) panel(row float64) panel {
	title := words.Shorten(x.of.Scheduler, 40) + words.Either(x.of.Stage > 0, ": done after ", ": ") +
		words.Seconds(x.of.JCTS)
	why := x.why()
	n := panel{title: title, notes: given(why != "", why), rowHeight: row, upright: true}
	thick := min(10, row-1)
	own := newBars("a task of it runs", lookAt(0), thick)
	own.gap = 0.7
	long := newBars("waits, its worker runs a long task", lookAt(1).solid(), thick)
	short := newBars("waits, it runs a short one", lookAt(1).solid().faded(0.35), thick)
	short.opaque = true
	waits := rowSpans("waits for other reasons", plain(style.Muted()))
	waits.width, waits.rank = 1, levelArea
	behind := 0.0 // the longest time behind one long task
	for _, l := range x.workers {
		first := len(n.rows)
		for slot := range l.slots {
			c := category{}
			if slot == 0 && row*float64(l.slots) >= 10 {
				c.name = "worker " + words.Count(l.worker)
			}
			n.rows = append(n.rows, c)
		}
		for _, t := range l.tasks {
			waits.spans = append(waits.spans, span{rowAt(first + t.Slot), t.QueuedS, t.StartS})
			own.bar(first+t.Slot, t.StartS, t.EndS)
			for _, b := range t.Before {
				of := short
				if b.Long {
					of, behind = long, max(behind, b.ToS-b.FromS)
				}
				of.bar(first+b.Slot, b.FromS, b.ToS)
			}
		}
	}
	own.says = fmt.Sprintf("it takes %s, the longest time behind one long task is %s", words.Seconds(x.of.JCTS),
		words.Seconds(behind))
	own.values = []Value{{words.Shorten(x.of.Scheduler, 40), "completion", x.of.JCTS},
		{words.Shorten(x.of.Scheduler, 40), "longest behind one long task", behind}}
	n.layers = []layer{own, long, short, waits}
	return n
}

package figure

import (
	"fmt"
	"math"
	"slices"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/papers"
	"racecard/reports/style"
)

// Cutoff draws the division of jobs into short and long ones: as the cutoff on the mean task duration falls, more jobs
// are long and hold more of the task-seconds. The suggested cutoff is marked, and the shares that Hawk published for
// its traces.
func Cutoff(c *result.Cutoff, source Source) *Figure {
	share := func(x float64) bool { return finite(x) && x >= 0 && x <= 1 }
	line := newLine(fmt.Sprintf("this trace (%s)", words.Of(c.Jobs, "job", "jobs")), lookAt(0).heavy())
	for _, r := range c.Curve {
		if share(r.ShareOfJobs) && r.ShareOfJobs > 0 && share(r.ShareOfTime) {
			line.add(r.ShareOfJobs, r.ShareOfTime)
		}
	}
	low := 0.01
	if len(line.points) > 0 {
		low = min(low, max(line.points[0].x, 1e-6))
	}
	n := panel{notes: []string{"share of the task-seconds that long jobs hold"}, y: shareSteps(), high: 260,
		x: logarithmic(low, 1, []float64{1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1}).
			in(func(s float64) string { return words.Either(s < 0.0099, oneIn(s), words.Percent(s)) }).
			labelled("share of jobs that are long")}
	n.y.max = 1.04
	even := newLine("equal shares", dashedLook(style.Muted()))
	for i := range 41 {
		x := low + (1-low)*float64(i*i)/1600
		even.add(x, x)
	}
	printed := rings("published for Hawk", plain(style.Muted()))
	names := &nameLayer{}
	s := c.Suggested
	known := s != nil && share(s.ShareOfJobs) && s.ShareOfJobs > 0 && finite(s.ShareOfTime, s.CutoffS)
	if known {
		names.names = append(names.names, named{at: point{s.ShareOfJobs, s.ShareOfTime}})
		n.suggest(s)
	}
	for _, h := range papers.HawkLong() {
		at := point{h.Jobs, h.Time}
		printed.points, names.names = append(printed.points, at), append(names.names, named{at: at, words: h.Name})
		printed.values = append(printed.values, Value{h.Name + ", published", "share of jobs", h.Jobs},
			Value{h.Name + ", published", "share of task-seconds", h.Time})
	}
	n.layers = append(n.layers, line, even, printed, names)
	ch := &chart{about: "A rising curve", nothing: "no cutoff divides the jobs", panels: []panel{n}}
	if len(line.points) == 0 {
		ch.panels[0].notes = append(ch.panels[0].notes, ch.nothing)
	}
	return ch.figure("cutoff", "Short and long jobs", cutoffCaption(c, known), source,
		Value{"jobs", "n", float64(c.Jobs)})
}

// suggest marks the suggested cutoff, and states it above the plot.
func (n *panel) suggest(s *result.CutoffRow) {
	at, cutoff := point{s.ShareOfJobs, s.ShareOfTime}, words.Seconds(s.CutoffS)
	jobs, time := words.Percent(s.ShareOfJobs), words.Percent(s.ShareOfTime)
	mark := newMarks("", lookAt(0), at)
	mark.radius = style.DotRadius + 1
	mark.values = []Value{{"suggested", "cutoff, s", s.CutoffS}, {"suggested", "share of jobs", s.ShareOfJobs},
		{"suggested", "share of task-seconds", s.ShareOfTime}}
	mark.says = fmt.Sprintf("with a cutoff of %s, %s of the jobs are long and hold %s of the task-seconds", cutoff, jobs,
		time)
	drop := newRule("", dashedLook(style.SeriesAt(0)), at, point{at.x, math.Inf(-1)})
	drop.words = cutoff
	n.layers = append(n.layers, mark, drop)
	n.notes = slices.Insert(n.notes, 0, fmt.Sprintf("suggested: mean task > %s, %s of the jobs, %s of the task-seconds",
		cutoff, jobs, time))
}

func cutoffCaption(c *result.Cutoff, suggested bool) string {
	text := fmt.Sprintf("%s with known task durations, divided by a cutoff on their mean task duration: a job is long "+
		"when its mean exceeds the cutoff. "+
		"The curve is drawn from high cutoffs, at the left, to low ones.", words.Of(c.Jobs, "job", "jobs"))
	text += words.When(suggested, " Suggested (disc): %s.", words.Printable(c.Reason))
	return text + " Open marks: shares published for the traces of Hawk (ATC 2015)."
}

package figure

import (
	"fmt"
	"math"

	"racecard/datasets/result"
	"racecard/datasets/words"
)

// Drift draws the completion times of some recurring jobs over time, those that drift first, with the levels between
// which they change.
func Drift(r *result.Recurrence, source Source) *Figure {
	rows := map[string]*result.RecurringJob{}
	for i := range r.Jobs {
		rows[r.Jobs[i].Name] = &r.Jobs[i]
	}
	c := &chart{about: "Scatters of completion time over time", nothing: "no recurring job has runs at known times",
		columns: 3}
	left := ""
	for _, s := range r.Shown {
		if len(c.panels) == result.MostShown {
			break
		}
		n, dropped := driftPanel(&s, rows[s.Name])
		if n == nil {
			continue
		}
		c.panels = append(c.panels, *n)
		left += words.When(dropped > 0, " %s: %s without a finite value left out.", words.Shorten(s.Name, 40),
			words.Of(dropped, "run", "runs"))
	}
	drifting := words.Either(r.Drifting == 0, "No job drifts.",
		words.Of(r.Drifting, "job drifts", "jobs drift")+": the level changes, or there is a trend.")
	if n := len(c.panels); n < 3 || n == 4 {
		c.columns = 2
	}
	return c.figure("drift", "Completion time over time",
		fmt.Sprintf("%s of %s, those that drift first, then those of the greatest impact (variance × cost). Each dot "+
			"is a run, at the time it was submitted or, where that is not known, started; lines are the medians "+
			"between changes of level, or the trend where it leaves less. %s", words.Count(len(c.panels)),
			words.Of(len(r.Jobs), "recurring job", "recurring jobs"), drifting)+left, source)
}

// driftPanel draws the runs of one job over time; nil where none can be drawn.
func driftPanel(s *result.ShownJob, row *result.RecurringJob) (n *panel, dropped int) {
	dots := newMarks("run", lookAt(0).faded(0.75))
	first, last, most := math.Inf(1), math.Inf(-1), 0.0
	for _, at := range s.Points {
		if !finite(at.AtS, at.Seconds) || at.Seconds < 0 {
			dropped++
			continue
		}
		first, last, most = min(first, at.AtS), max(last, at.AtS), max(most, at.Seconds)
		dots.points = append(dots.points, point{at.AtS, at.Seconds})
	}
	if len(dots.points) == 0 || len(s.Points) > 10*result.MostPoints {
		return nil, dropped
	}
	name := words.Shorten(s.Name, 60)
	per, unit := clockUnit(last - first)
	length, seconds := clockUnit(most)
	for i, q := range dots.points {
		dots.points[i] = point{(q.x - first) / per, q.y / length}
	}
	if dots.specks = 2.4; len(dots.points) <= 100 { // smaller where there are many
		dots.specks = 4
	}
	most, last = most/length, (last-first)/per
	note := "in " + seconds
	line := newLine("median between changes of level, or trend", lookAt(1).solid().heavy())
	if row != nil {
		line.points, line.steps = levels(row, first, last, per, length)
		note += fmt.Sprintf("; n = %s, CoV %s", words.Count(row.Runs), words.Percent(row.CoV))
		note += words.When(row.Drift.Drifting && finite(row.Drift.CoVWithin), ", without drift %s",
			words.Percent(row.Drift.CoVWithin))
	}
	dots.values = []Value{{name, "dots", float64(len(dots.points))}}
	points := line.points
	if n := len(points); line.steps && n > 0 {
		points = points[:n-1] // the last one only ends the line
	}
	line.values = []Value{{name, "points of the line", float64(len(points))}}
	for i, q := range points {
		line.values = append(line.values, Value{name, fmt.Sprintf("point %d", i+1), q.y})
	}
	line.says = note
	return &panel{title: name, notes: []string{note}, high: 140,
		x: upTo(last, false).labelled(unit + " since the first run"), y: upTo(max(most, largest(line.ys()...)), false),
		layers: []layer{line, dots}}, dropped
}

// levels returns the levels of a job as steps, one, its median, for a job without changes; or the ends of its trend.
// last is where its runs end.
func levels(row *result.RecurringJob, first, last, per, length float64) (out []point, steps bool) {
	if from, to := float64(row.Drift.TrendFromS), float64(row.Drift.TrendToS); from > 0 && to > 0 && finite(from, to) {
		return []point{{0, from / length}, {last, to / length}}, false
	}
	changes := row.Drift.Changes
	level := row.P50S
	if len(changes) > 0 {
		level = float64(changes[0].Before)
	}
	add := func(x, y float64) {
		if finite(x, y) && y >= 0 && x >= 0 {
			out = append(out, point{x, y / length})
		}
	}
	add(0, level)
	for _, c := range changes[:min(len(changes), 50)] {
		add((c.AtS-first)/per, float64(c.After))
	}
	if n := len(out); n > 0 {
		out = append(out, point{max(last, out[n-1].x), out[n-1].y})
	}
	return out, true
}

package figure

import (
	"cmp"
	"fmt"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// JockeyRun draws one controlled run over time: the predicted end and the deadline, progress, and the tokens needed,
// requested and used.
func JockeyRun(t *result.JockeyTimeline, source Source) *Figure {
	d := &jockeyRun{JockeyTimeline: t, to: cmp.Or(largest(t.EndS), 1)}
	d.points = lists.Kept(t.Points, func(x result.JockeyTick) bool { return finite(x.AtS) && x.AtS >= 0 && x.AtS <= d.to })
	title := "One run over time: " + strings.ReplaceAll(words.Shorten(t.Scenario, 40), "-", " ")
	switch t.Scenario {
	case "everything":
		title = "One run in which everything goes wrong"
	case "deadline-halved", "deadline-doubled":
		title = "One run whose deadline is " + strings.TrimPrefix(t.Scenario, "deadline-")
	}
	c := &chart{about: "Lines over time", nothing: "no decision is known",
		panels: d.controlled().panels(d.tokensPanel(), "job")}
	return c.figure("jockey-run-"+strings.Map(safe('_'), t.Scenario), title, d.caption(), source, d.values()...)
}

type jockeyRun struct {
	*result.JockeyTimeline
	points []result.JockeyTick // at instants that can be drawn
	to     float64             // end of the time axis
}

// due returns the final deadline.
func (d *jockeyRun) due() float64 {
	if s := float64(d.ChangedS); finite(s) {
		return s
	}
	return d.DeadlineS
}

// controlled returns the predictions, the deadline and the end as it was.
func (d *jockeyRun) controlled() *controlled {
	c := newControlled(d.to, d.EndS, "5–95%", fmt.Sprintf("deadline %s, ended after %s", words.Seconds(d.due()),
		words.Seconds(d.EndS)))
	for _, t := range d.points {
		c.predict(t.AtS, t.Low, t.Middle, t.High)
		c.progress.add(t.AtS, t.Progress)
	}
	c.progress.add(d.EndS, 1)
	c.deadline.add(0, d.DeadlineS)
	if at := float64(d.ChangeAtS); finite(at) && at >= 0 && at <= d.to {
		c.deadline.add(at, d.DeadlineS)
		c.deadline.add(at, d.due())
		c.changes = []layer{changedAt(at)}
	}
	c.deadline.add(d.to, c.deadline.last().y)
	if len(d.points) > 0 {
		c.deadline.says = fmt.Sprintf("the run ended after %s, its deadline was %s", words.Seconds(d.EndS),
			words.Seconds(d.due()))
	}
	return c
}

// tokensPanel draws the running tasks, the tokens that would have sufficed, the requested tokens, and the oracle.
func (d *jockeyRun) tokensPanel() panel {
	granted := newLine("tokens requested", lookAt(0).heavy())
	needed := newLine("smallest that would do", lookAt(1).thin(1.3))
	ran := newArea("tasks that ran, also on spare tokens", look{colour: style.SeriesAt(2), opacity: 0.35})
	for _, t := range d.points {
		granted.add(t.AtS, float64(t.Tokens))
		needed.add(t.AtS, float64(t.Raw))
		ran.add(t.AtS, 0, float64(t.Running))
	}
	if len(d.points) > 0 { // the last decision holds until the end
		granted.says = fmt.Sprintf("it requested %s at first and %s at most, the oracle has %s",
			words.Of(int64(granted.points[0].y), "token", "tokens"),
			words.Count(int64(largest(granted.ys()...))), words.Count(d.Oracle))
		granted.add(d.EndS, granted.last().y)
		needed.add(d.EndS, needed.last().y)
	}
	granted.steps, needed.steps = true, true
	rule := given[layer](d.Oracle > 0, across("oracle", dashedLook(style.Ink()), float64(d.Oracle)))
	return panel{title: "tokens", y: counts(), high: 140, layers: append([]layer{granted, needed, ran}, rule...),
		notes: []string{fmt.Sprintf("oracle %s: work of this run / time to the deadline", words.Count(d.Oracle))}}
}

func (d *jockeyRun) caption() string {
	text := fmt.Sprintf("A simulated run of job %s under the policy %s, with %s.", words.Shorten(d.Job, 40),
		words.Shorten(d.Policy, 40), words.Of(len(d.points), "decision", "decisions"))
	text += words.When(finite(d.ChangeAtS), " After %s (dashed) its deadline changed from %s to %s.",
		words.Seconds(d.ChangeAtS), words.Seconds(d.DeadlineS), words.Seconds(d.ChangedS))
	return text + " Above: the end that its table of remaining times predicts at every decision, for the tokens then " +
		"requested, without slack; the disc is the end as it was. Below: the smallest allocation that meets the " +
		"deadline with slack and dead zone, the tokens requested, and the tasks that ran at that instant."
}

func (d *jockeyRun) values() []Value {
	out := []Value{{"run", "deadline, s", d.DeadlineS}, {"run", "deadline changes at, s", float64(d.ChangeAtS)},
		{"run", "deadline then, s", float64(d.ChangedS)}, {"run", "end, s", d.EndS},
		{"run", "oracle", float64(d.Oracle)}, {"run", "decisions", float64(len(d.points))}}
	if len(d.points) == 0 {
		return out
	}
	for what, i := range []int{0, len(d.points) / 2, len(d.points) - 1} {
		t, what := &d.points[i], []string{"first", "middle", "last"}[what]
		out = append(out, Value{"run", what + " decision, s", t.AtS}, Value{"run", what + " tokens", float64(t.Tokens)},
			Value{"run", what + " predicted end, s", float64(t.Middle)})
	}
	return out
}

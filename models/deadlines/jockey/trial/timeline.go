package trial

import (
	"math"
	"slices"

	"racecard/datasets/result"
	"racecard/models/deadlines/jockey"
	"racecard/models/deadlines/sim"
)

// show repeats runs of the job with the most work under the loop, and keeps their decisions: one run with all
// disturbances, and one for each change of the deadline.
func (c *comparison) show(doc *result.Jockey) error {
	job := 0
	for i, s := range c.subjects {
		if s.info.WorkS > c.subjects[job].info.WorkS {
			job = i
		}
	}
	for _, name := range []string{"everything", "deadline-halved", "deadline-doubled"} {
		k := slices.IndexFunc(scenarios(), func(s scenario) bool { return s.name == name })
		x, err := c.setting(((job+1)*c.o.deadlines()-1)*len(scenarios()) + k)
		if err != nil {
			return err
		}
		line, err := c.timeline(x, c.policies[0])
		if err != nil {
			return err
		}
		if line.Scenario = name; name == "everything" {
			doc.Shown = line
		} else {
			doc.Changed = append(doc.Changed, line)
		}
	}
	return nil
}

// timeline makes a controlled run and keeps the decisions.
func (c *comparison) timeline(x *setting, p policy) (*result.JockeyTimeline, error) {
	line := &result.JockeyTimeline{Job: x.subject.Name, Policy: p.name, DeadlineS: x.dueS,
		ChangeAtS: result.Number(math.NaN()), ChangedS: result.Number(math.NaN())}
	e := &execution{setting: x, line: line}
	r, err := e.run(p, sim.NewRunner(x.compiled))
	if err != nil {
		return nil, err
	}
	line.EndS, line.Oracle = r.EndS-r.DelayS, r.Oracle
	if !math.IsNaN(x.c.changeAtS) {
		line.ChangeAtS, line.ChangedS = result.Number(x.c.changeAtS), result.Number(x.newDueS)
	}
	table := x.subject.tables[c.o.Indicator]
	aged := jockey.Aged{Table: table}
	for i := range line.Points {
		t := &line.Points[i]
		aged.Observe(t.AtS, t.Progress)
		at := func(q float64) result.Number {
			left := table.Remaining(t.Progress, float64(t.Tokens), q)
			if c.o.Dwell {
				left = aged.Remaining(t.Progress, float64(t.Tokens), q)
			}
			return result.Number(t.AtS + float64(t.Slower)*left)
		}
		t.Low, t.Middle, t.High = at(0.05), at(0.5), at(0.95)
	}
	return line, nil
}

// note keeps a decision.
func (x *execution) note(d jockey.Decision, running int) {
	if x.line != nil {
		x.line.Points = append(x.line.Points, result.JockeyTick{AtS: d.NowS, Progress: d.Progress, Raw: d.Raw,
			Tokens: d.Tokens, Running: running, Slower: result.Number(d.Slower)})
	}
}

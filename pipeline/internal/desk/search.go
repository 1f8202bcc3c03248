package desk

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/reports/desk"
)

// Query chooses rows of the table of jobs, as the page does by itself where it has all of them.
type Query struct {
	Text     string // in the name or the cause; case does not matter
	Sort     string // a column: job, runs, cost, held, wasted, p50, p95, change or cause; otherwise by waste
	Down     bool   // the largest first; rows without a value come last in any case
	From, To int    // buckets in which a job has runs; both 0 for all
	Most     int    // rows
}

// ranked is a job and the values that it is sorted by.
type ranked struct {
	name string
	text string
	x    float64
}

// compare compares two jobs in ascending order of their values.
func (q *Query) compare(a, b *ranked) int {
	if none := math.IsNaN(a.x); none || math.IsNaN(b.x) {
		return b2i(none) - b2i(math.IsNaN(b.x))
	}
	c := cmp.Or(cmp.Compare(a.x, b.x), strings.Compare(a.text, b.text))
	if q.Down {
		c = -c
	}
	return c
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Search returns the first rows that a query chooses, in its order, and how many it chooses.
func (c *Collector) Search(q Query, changes Changes) (rows desk.Jobs, matches int) {
	text := strings.ToLower(strings.TrimSpace(q.Text))
	period := q.From != 0 || q.To != 0
	var all []ranked
	for _, name := range c.order() {
		j := c.jobs[name]
		why, change := "", math.NaN()
		if k := changes.Jobs[name]; k != nil && k.Changed {
			why, change = changes.Why(&k.Cause), float64(k.Change)
		}
		if text != "" && !strings.Contains(strings.ToLower(name), text) && !strings.Contains(strings.ToLower(why), text) {
			continue
		}
		runs, use := int(j.runs), j.all
		if period {
			runs, use = 0, amount{}
			for i := range j.cells {
				if x := &j.cells[i]; int(x.in) >= q.From && int(x.in) < q.To {
					runs += int(x.runs)
					use.held, use.wasted, use.cost = use.held+x.held, use.wasted+x.wasted, use.cost+x.cost
				}
			}
			if runs == 0 {
				continue
			}
		}
		use = c.amounts(j, use)
		r := ranked{name: name}
		switch q.Sort {
		case "job":
			r.text = strings.ToLower(name)
		case "runs":
			r.x = float64(runs)
		case "cost":
			r.x = use.cost
		case "held":
			r.x = use.held
		case "wasted":
			r.x = use.wasted
		case "p50":
			r.x = j.p50
		case "p95":
			r.x = j.p95
		case "change":
			r.x = change
		case "cause":
			if r.text = why; why == "" {
				r.x = math.NaN()
			}
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return q.compare(&a, &b) })
	names := lists.Map(all[:min(q.Most, len(all))], func(r ranked) string { return r.name })
	c.rows(&rows, changes, names)
	return rows, len(all)
}

// Row returns the row of one job.
func (c *Collector) Row(job string, changes Changes) (row desk.Jobs) {
	c.rows(&row, changes, []string{job})
	return row
}

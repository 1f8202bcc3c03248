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

// Limits of what a waterfall draws one by one.
const (
	maxBars   = 2500 // attempts; more are merged into cells
	maxRows   = 110  // slots; more are merged into rows
	maxNamed  = 28   // stages with a separate row and a name
	maxSpans  = 80   // stages with a separate row
	maxGroups = 24   // machines whose names are written
)

// waterfall is a run laid out for drawing.
type waterfall struct {
	attempts []attempt
	groups   []group
	slots    int
	end      float64 // of the time axis, in seconds; positive
	stages   []stageSpan
	tokens   []result.TimelineChange
	merge    int // slots per row
	cells    bool
	without  int // attempts without a known start
	failed   int
	marked   int // speculative
	open     int
}

// stageSpan is a stage from its first start to its last end.
type stageSpan struct {
	name       string
	start, end float64
	known      bool
}

// Waterfall draws one run as it happened: every stage from its first start to its last end, every task attempt
// on a slot of its machine, and its concurrency against the tokens that it held. attempts is the analysis's
// table, one row per attempt; it is read if the document itself holds no attempts.
func Waterfall(l *result.Timeline, attempts *result.Table, source Source) *Figure {
	w := newWaterfall(l, attempts)
	name := cmp.Or(words.Shorten(l.Name, 48), words.Shorten(l.JobID, 48), "one run")
	c := &chart{about: "Bars over time", nothing: "no task attempt of the run has a known time", key: w.key(),
		panels: given(len(w.attempts) > 0, w.panels(w.summary(l))...)}
	return c.figure("waterfall", "Tasks of one run: "+name, w.caption(l), source, w.values()...)
}

func newWaterfall(l *result.Timeline, table *result.Table) *waterfall {
	w := &waterfall{}
	w.attempts, w.without = attemptsOf(l, table)
	w.end = largest(float64(l.EndS))
	stages := len(l.Stages)
	for _, a := range w.attempts {
		w.end = max(w.end, a.end)
		if a.stage < 1<<20 {
			stages = max(stages, a.stage+1)
		}
		w.failed += count(a.failed)
		w.marked += count(a.speculative)
		w.open += count(a.open)
	}
	if w.end < 1e-6 {
		w.end = 1 // an axis needs a length
	}
	w.groups = pack(w.attempts, w.slack())
	if n := len(w.groups); n > 0 {
		w.slots = w.groups[n-1].to
	}
	w.stages = make([]stageSpan, stages)
	for i, s := range l.Stages {
		w.stages[i].name = s.Name
		w.stages[i].cover(float64(s.FirstS), float64(s.LastS))
	}
	for _, a := range w.attempts {
		if a.stage < stages {
			w.stages[a.stage].cover(a.start, a.end)
		}
	}
	w.tokens = lists.Kept(l.Allocations, func(c result.TimelineChange) bool { return finite(c.AtS) && c.Tokens >= 0 })
	w.merge = max(1, (w.slots+maxRows-1)/maxRows)
	w.cells = w.merge > 1 || len(w.attempts) > maxBars
	return w
}

// slack is the overlap of attempts, in seconds, that is too short to be seen.
func (w *waterfall) slack() float64 { return w.end / 1000 }

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *stageSpan) cover(start, end float64) {
	switch {
	case !finite(start, end) || end < start:
	case !s.known:
		s.start, s.end, s.known = start, end, true
	default:
		s.start, s.end = min(s.start, start), max(s.end, end)
	}
}

// stageLabel returns a stage's name for a drawing: without the place in the source that Spark appends to it.
func stageLabel(name string) string {
	name = words.Printable(name)
	if i := strings.LastIndex(name, " at "); i > 0 && strings.ContainsAny(name[i:], ".:") {
		return name[:i]
	}
	return name
}

func (w *waterfall) key() []entry {
	text := "task attempt, coloured by stage"
	text += words.When(len(w.stages) > len(style.Series())+1, " (colours repeat)")
	failed := entry{"failed, killed or lost", func(p *pen, r rect) { p.hatched(r.swatch()) }}
	copied := entry{"speculative copy", func(p *pen, r rect) {
		p.fill(style.SeriesAt(0).Light, r.swatch())
		p.speculative(r.swatch())
	}}
	return slices.Concat(given(len(w.stages) > 0, boxEntry(text, lookAt(0).solid())), given(w.failed > 0, failed),
		given(w.marked > 0 && !w.cells, copied))
}

func (w *waterfall) caption(l *result.Timeline) string {
	text := fmt.Sprintf("Run %s", words.Shorten(l.JobID, 60))
	text += words.When(l.Why != "", " (%s)", words.Shorten(l.Why, 200))
	text += fmt.Sprintf(": %s of %s on %s; time in seconds since the run's first event.",
		words.Of(len(w.attempts), "task attempt", "task attempts"), words.Of(len(w.stages), "stage", "stages"),
		words.Of(len(w.groups), "machine", "machines"))
	if len(w.groups) == 1 && w.groups[0].machine == "" {
		text = strings.Replace(text, "on 1 machine", "(machines not recorded)", 1)
	}
	text += words.When(len(w.stages) > 0 && len(w.stages) <= maxSpans, " Top: each stage from its first start to "+
		"its last end.")
	switch {
	case w.cells && w.merge > 1:
		text += fmt.Sprintf(" Middle: %s are too many to draw one by one, so %d of them share a row, coloured by the "+
			"stage that used most of it, paler where "+
			"fewer of them are busy.", words.Of(w.slots, "task slot", "task slots"), w.merge)
	case w.cells:
		text += " Middle: one row per task slot; attempts too short to be seen are merged with their neighbours."
	default:
		text += " Middle: one row per task slot of a machine, one bar per attempt."
	}
	text += " Bottom: attempts running at once, stacked by stage"
	text += words.When(len(w.tokens) > 0, ", and tokens held (line)")
	text += "."
	notes := slices.Concat(given(w.failed > 0, words.Of(w.failed, "attempt failed, was killed or was lost",
		"attempts failed, were killed or were lost")),
		given(w.marked > 0, words.Of(w.marked, "was a speculative copy", "were speculative copies")),
		given(w.open > 0, words.Count(w.open)+" had not ended when the trace did"),
		given(w.without > 0, words.Of(w.without, "without a known start is left out",
			"without a known start are left out")))
	text += words.When(len(notes) > 0, " %s.", words.Capital(words.List(notes)))
	return text
}

// summary describes the run in a few words.
func (w *waterfall) summary(l *result.Timeline) string {
	return fmt.Sprintf("run %s: %s of %s on %s over %s, %s of which failed, were killed or lost", words.Shorten(l.JobID,
		60), words.Of(len(w.attempts), "attempt", "attempts"), words.Of(len(w.stages), "stage", "stages"),
		words.Of(len(w.groups), "machine", "machines"), words.Seconds(w.end), words.Count(w.failed))
}

func (w *waterfall) values() []Value {
	out := []Value{
		{"run", "attempts", float64(len(w.attempts))}, {"run", "stages", float64(len(w.stages))},
		{"run", "machines", float64(len(w.groups))}, {"run", "slots", float64(w.slots)}, {"run", "end_s", w.end},
		{"run", "failed", float64(w.failed)}, {"run", "speculative", float64(w.marked)},
	}
	out = append(out, Value{"run", "most at once", float64(mostAtOnce(w.attempts, w.slack()))})
	for i, s := range w.stages {
		if s.known && i < 200 {
			of := fmt.Sprintf("stage %d", i)
			out = append(out, Value{of, "first_start_s", s.start}, Value{of, "last_end_s", s.end})
		}
	}
	return out
}

package workload

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"racecard/analyses/internal/uint128"
	"racecard/datasets/jobname"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// maxReasons bounds the number of distinct reasons. Beyond it, reasons are grouped by their first word, and then
// not at all. The choice depends on the texts alone.
const maxReasons = 5000

// detail is the level of detail at which reasons are distinguished.
type detail uint8

const (
	wholeLine detail = iota
	firstWord
	notAtAll
)

// reasons counts unsuccessful attempts by reason and status.
type reasons struct {
	detail detail
	of     map[reasonKey]*reasonCount
	texts  map[string]string // raw -> whole line, a cache
}

type reasonKey struct {
	text   string
	status trace.Status
}

type reasonCount struct {
	attempts int64
	time     uint128.Sum
	example  place
}

// place names an attempt. Places are ordered by run, then stage, task and attempt.
type place struct {
	run                  string
	stage, task, attempt int32
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.run, q.run), cmp.Compare(p.stage, q.stage), cmp.Compare(p.task, q.task),
		cmp.Compare(p.attempt, q.attempt))
}

func newReasons() *reasons {
	return &reasons{of: map[reasonKey]*reasonCount{}, texts: map[string]string{}}
}

// line returns the first line of a reason, with "#" for its variable parts.
func (r *reasons) line(raw string) string {
	if text, ok := r.texts[raw]; ok {
		return text
	}
	if len(r.texts) >= maxReasons {
		clear(r.texts)
	}
	const longest = 160
	text, _, _ := strings.Cut(strings.TrimSpace(raw), "\n")
	text = jobname.Normalize(strings.TrimSpace(text))
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest])
	}
	r.texts[strings.Clone(raw)] = text
	return text
}

// coarse reduces a line to a level of detail.
func (d detail) coarse(line string) string {
	switch d {
	case wholeLine:
		return line
	case firstWord:
		if i := strings.IndexAny(line, " :;,(["); i > 0 {
			return line[:i]
		}
		return line
	default:
		return "any of very many"
	}
}

// add counts an attempt that did not succeed.
func (r *reasons) add(run *trace.Run, a *trace.Attempt) {
	text := ""
	if a.Reason != "" {
		text = r.detail.coarse(r.line(a.Reason))
	}
	one := reasonCount{attempts: 1, example: place{run.ID, a.Stage, a.Task, a.Attempt}}
	if a.Duration.Known() {
		one.time.Add(uint64(a.Duration))
	}
	r.put(reasonKey{text, a.Status}, &one)
	r.bound()
}

func (r *reasons) put(key reasonKey, c *reasonCount) {
	have := r.of[key]
	if have == nil {
		key.text = strings.Clone(key.text)
		copied := *c
		r.of[key] = &copied
		return
	}
	have.attempts += c.attempts
	have.time.AddSum(c.time)
	if c.example.compare(have.example) < 0 {
		have.example = c.example
	}
}

// bound lowers the detail until there are few enough reasons.
func (r *reasons) bound() {
	for len(r.of) > maxReasons {
		r.lower(r.detail + 1)
	}
}

func (r *reasons) lower(to detail) {
	if r.detail >= to {
		return
	}
	r.detail = to
	fine := r.of
	r.of = map[reasonKey]*reasonCount{}
	for key, c := range fine {
		text := key.text
		if text != "" {
			text = to.coarse(text)
		}
		r.put(reasonKey{text, key.status}, c)
	}
}

func (r *reasons) merge(q *reasons) {
	r.lower(q.detail)
	q.lower(r.detail)
	for key, c := range q.of {
		r.put(key, c)
	}
	r.bound()
}

// list returns the reasons by descending attempts.
func (r *reasons) list() []result.Reason {
	out := []result.Reason{}
	for key, c := range maps.All(r.of) {
		out = append(out, result.Reason{
			Reason: key.text, Status: key.status.String(), Example: c.example.String(),
			Spent: result.Spent{Attempts: c.attempts, TaskSeconds: c.time.Float64() / 1e6},
		})
	}
	slices.SortFunc(out, func(a, b result.Reason) int {
		return cmp.Or(cmp.Compare(b.Attempts, a.Attempts), cmp.Compare(a.Reason, b.Reason),
			cmp.Compare(a.Status, b.Status))
	})
	return out
}

// note describes the level of detail of reasons.
func (r *reasons) note() string {
	switch r.detail {
	case firstWord:
		return "there are too many different reasons: they are told apart by their first word"
	case notAtAll:
		return "there are too many different reasons to tell them apart"
	}
	return ""
}

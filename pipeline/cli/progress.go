package cli

import (
	"math"
	"strings"
	"sync"
	"time"

	"racecard/datasets/words"
	"racecard/pipeline/internal/ingest"
)

// progress shows the progress of long work on standard error: a bar on a terminal, a line every few seconds elsewhere,
// nothing for short work.
type progress struct {
	env      *env
	what     string
	terminal bool
	began    time.Time
	mu       sync.Mutex
	shown    time.Time
	drawn    bool
}

// Least intervals between updates of the bar, and between lines.
const (
	everyBar  = 200 * time.Millisecond
	everyLine = 5 * time.Second
)

func (e *env) progress(what string) *progress {
	now := time.Now()
	return &progress{env: e, what: what, terminal: e.stderr.draws, began: now, shown: now}
}

// bytes shows bytes done of all bytes.
func (p *progress) bytes(done, of int64) {
	p.show(float64(done), float64(of), words.Bytes(done)+" of "+words.Bytes(of))
}

// imported shows the progress of an import: bytes while files are read, then the building of runs from gathered
// records.
func (p *progress) imported(at ingest.Progress) {
	text := words.Bytes(at.Read) + " of " + words.Bytes(at.Bytes) + " read"
	switch {
	case at.Bytes < 0:
		p.amount(at.Read)
		return
	case at.Read >= at.Bytes:
		text = "all read, the rest is written"
	}
	p.show(at.Done, 1, text)
}

// amount shows the bytes done when the total is unknown.
func (p *progress) amount(done int64) {
	p.show(float64(done), math.Inf(1), words.Bytes(done))
}

// count shows items done of all items. units is a plural that ends in s.
func (p *progress) count(done, of int, units string) {
	p.show(float64(done), float64(of), words.Count(done)+" of "+words.Of(of, strings.TrimSuffix(units, "s"), units))
}

// show shows done of all, which may be infinite, in words.
func (p *progress) show(done, of float64, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	every := everyLine
	if p.terminal {
		every = everyBar
	}
	if p.env.quiet || of <= 0 || time.Since(p.shown) < every {
		return
	}
	p.shown = time.Now()
	if math.IsInf(of, 1) {
		p.say("%s: %s", p.what, text)
		return
	}
	share := min(1, done/of)
	left := ""
	if share > 0.02 {
		remaining := time.Duration(float64(time.Since(p.began)) * (1 - share) / share)
		left = ", " + words.Seconds(remaining.Seconds()) + " left"
	}
	if !p.terminal {
		p.say("%s: %.0f%%, %s%s", p.what, 100*share, text, left)
		return
	}
	const width = 30
	filled := int(share * width)
	p.say("%s [%s%s] %.0f%%, %s%s", p.what, strings.Repeat("=", filled), strings.Repeat(" ", width-filled), 100*share,
		text, left)
}

// eraseLine moves the cursor to the beginning of the line, and clears it.
const eraseLine = "\r\033[K"

// say writes a line, on a terminal in place of the last one.
func (p *progress) say(format string, args ...any) {
	if p.terminal {
		p.env.stderr.raw(eraseLine)
		p.drawn = true
	} else {
		format += "\n"
	}
	p.env.stderr.printf(format, args...)
}

// done removes the bar.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		p.env.stderr.raw(eraseLine)
		p.drawn = false
	}
}

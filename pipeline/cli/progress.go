package cli

import (
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"racecard/reports/style"
)

// progress shows how far long work has come, on standard error: a bar on a terminal, a line every few seconds elsewhere,
// nothing for work that ends sooner.
type progress struct {
	env      *env
	what     string
	terminal bool
	began    time.Time
	mu       sync.Mutex
	shown    time.Time
	drawn    bool
}

// every is how often a bar is drawn, and a line is printed, at most.
const (
	everyBar  = 200 * time.Millisecond
	everyLine = 5 * time.Second
)

func (e *env) progress(what string) *progress {
	now := time.Now()
	return &progress{env: e, what: what, terminal: canDraw(e.stderr), began: now, shown: now}
}

// canDraw reports whether what is written to w is seen at once, on a terminal that can move the cursor and show colours.
func canDraw(w any) bool { return isTerminal(w) && os.Getenv("TERM") != "dumb" }

// bytes shows bytes done of all bytes, which may be -1 for not known.
func (p *progress) bytes(done, of int64) {
	if of < 0 {
		p.amount(done)
		return
	}
	p.show(float64(done), float64(of), style.Bytes(float64(done))+" of "+style.Bytes(float64(of)))
}

// amount shows bytes done where nobody knows of how many.
func (p *progress) amount(done int64) {
	p.show(float64(done), math.Inf(1), style.Bytes(float64(done)))
}

// count shows items done of all items.
func (p *progress) count(done, of int, unit string) {
	p.show(float64(done), float64(of), fmt.Sprintf("%d of %d %s", done, of, unit))
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
		begin, end := "", "\n"
		if p.terminal {
			begin, end, p.drawn = "\r\033[K", "", true
		}
		fmt.Fprintf(p.env.stderr, "%s%s: %s%s", begin, p.what, text, end)
		return
	}
	share := min(1, done/of)
	left := ""
	if share > 0.02 {
		remaining := time.Duration(float64(time.Since(p.began)) * (1 - share) / share)
		left = ", " + style.Seconds(remaining.Seconds()) + " left"
	}
	if !p.terminal {
		fmt.Fprintf(p.env.stderr, "%s: %.0f%%, %s%s\n", p.what, 100*share, text, left)
		return
	}
	const width = 30
	filled := int(share * width)
	fmt.Fprintf(p.env.stderr, "\r\033[K%s [%s%s] %.0f%%, %s%s", p.what, strings.Repeat("=", filled), strings.Repeat(" ", width-filled), 100*share, text, left)
	p.drawn = true
}

// done removes the bar.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprint(p.env.stderr, "\r\033[K")
		p.drawn = false
	}
}

// isTerminal reports whether someone may sit at f.
func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"racecard/datasets/words"
	"racecard/pipeline/internal/recipe"
	"racecard/pipeline/internal/run"
)

// board shows the steps of a run on standard error. On a terminal, it shows the running steps below one line per
// finished step; elsewhere, one line per begin and end; with --log-format json, one object per line.
type board struct {
	env     *env
	recipe  *recipe.Recipe
	explain bool
	json    bool
	began   time.Time
	shown   time.Time
	running []*run.Result
	said    map[string]string // progress of a step
	over    int
	drawn   int // lines to erase before the next drawing
}

func (e *env) board(o *runFlags) *board {
	return &board{env: e, recipe: o.recipe, explain: o.explain, json: o.format == "json", began: time.Now(),
		said: map[string]string{}}
}

// notify handles an event of a step.
func (b *board) notify(r *run.Result, text string) {
	if b.json {
		b.log(r, text)
		return
	}
	progress := r.State == run.Running && text != ""
	switch {
	case progress:
		b.said[r.Step] = text
	case r.State == run.Running:
		b.running = append(b.running, r)
		if !b.env.stderr.draws && !b.env.quiet {
			b.env.stderr.printf("%s begins%s\n", r.Step, b.why(r))
		}
	default:
		b.over++
		b.running = slices.DeleteFunc(b.running, func(x *run.Result) bool { return x.Step == r.Step })
		b.erase()
		b.ended(r)
	}
	if b.env.stderr.draws && !b.env.quiet && (!progress || time.Since(b.shown) > everyBar) {
		b.draw()
	}
}

func (b *board) why(r *run.Result) string {
	if !b.explain || len(r.Why) == 0 {
		return ""
	}
	return ": " + strings.Join(r.Why, "; ")
}

// ended writes the line of a finished step.
func (b *board) ended(r *run.Result) {
	e := b.env
	switch r.State {
	case run.Done:
		if !e.quiet {
			memory := ""
			if r.PeakBytes > 0 {
				memory = fmt.Sprintf(", %s of memory", words.Bytes(r.PeakBytes))
			}
			e.stderr.printf("%s %s in %s, %s in, %s out%s%s\n", e.stderr.paint("32", "done   "), r.Step,
				words.Seconds(r.Seconds), words.Bytes(r.BytesIn), words.Bytes(r.BytesOut), memory, b.why(r))
		}
		if len(r.ChangedInputs) > 0 {
			e.stderr.printf("%s %s: while it ran, %s; the next run takes it again\n", e.stderr.paint("33", "warning"), r.Step,
				words.Printable(words.List(r.ChangedInputs)))
		}
		if r.Replaced != "" {
			e.stderr.printf("%s %s: it replaced the results of another recipe, %s\n", e.stderr.paint("33", "warning"), r.Step,
				words.Printable(r.Replaced))
		}
	case run.Skipped:
		e.stderr.printf("%s %s: %s\n", e.stderr.paint("33", "skipped"), r.Step, strings.Join(r.Why, "; "))
	default:
		e.stderr.printf("%s %s: ", e.stderr.paint("31", fmt.Sprintf("%-7s", r.State)), r.Step)
		e.lines(r.Error)
	}
}

// lines writes a message that may have several lines to standard error.
func (e *env) lines(text string) {
	fmt.Fprintln(e.stderr, strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n        "))
}

// draw draws the running steps and the progress of the run.
func (b *board) draw() {
	b.erase()
	b.shown = time.Now()
	stderr := b.env.stderr
	width := stderr.width() - 1
	for i, r := range b.running {
		branch := "├─ "
		if i == len(b.running)-1 {
			branch = "└─ "
		}
		line := branch + r.Step + "  " + words.Seconds(time.Since(*r.Started).Seconds()) + "  " + b.said[r.Step]
		stderr.printf("%s\n", words.Shorten(line, width))
	}
	line := fmt.Sprintf("%d of %d steps over, %s", b.over, len(b.recipe.Steps),
		words.Seconds(time.Since(b.began).Seconds()))
	stderr.printf("%s\n", words.Shorten(line, width))
	b.drawn = len(b.running) + 1
}

// erase removes the drawn lines.
func (b *board) erase() {
	for range b.drawn {
		b.env.stderr.raw("\033[1A" + eraseLine)
	}
	b.drawn = 0
}

// log writes an event as a JSON object.
func (b *board) log(r *run.Result, text string) {
	line := map[string]any{"step": r.Step, "state": r.State}
	if text != "" {
		line["message"] = text
	}
	if r.State != run.Running {
		line["seconds"], line["cpu_s"], line["bytes_in"], line["bytes_out"] = r.Seconds, r.CPUSeconds, r.BytesIn,
			r.BytesOut
		if r.PeakBytes > 0 {
			line["peak_bytes"] = r.PeakBytes
		}
	}
	if len(r.Why) > 0 && text == "" {
		line["why"] = r.Why
	}
	if len(r.ChangedInputs) > 0 {
		line["changed_inputs"] = r.ChangedInputs
	}
	if r.Replaced != "" {
		line["replaced"] = r.Replaced
	}
	if r.Error != "" {
		line["error"] = r.Error
	}
	b.env.log(line)
}

// log writes a message with the time as an object of JSON to standard error.
func (e *env) log(line map[string]any) {
	line["time"] = time.Now().UTC().Format(time.RFC3339Nano)
	data, err := json.Marshal(line)
	if err == nil {
		_ = e.stderr.json(append(data, '\n')) // the screen keeps the error
	}
}

// summary reports the outcome of a run.
func (e *env) summary(o *runFlags, record *run.Record) {
	counts := map[run.State]int64{}
	for _, s := range record.Steps {
		counts[s.State]++
	}
	if e.logsJSON {
		e.log(map[string]any{"run": record.Run, "seconds": record.Seconds, "steps": counts, "results": shownOut(o.recipe)})
		return
	}
	if counts[run.Cached] == int64(len(record.Steps)) {
		e.printf("nothing to do: %s up to date\n", words.Of(counts[run.Cached], "step is", "steps are"))
		return
	}
	var parts []string
	for _, s := range []run.State{run.Done, run.Cached, run.Refused, run.Failed, run.Skipped} {
		if counts[s] > 0 {
			parts = append(parts, words.Count(counts[s])+" "+string(s))
		}
	}
	e.printf("run %d: %s, %s; results are in %s\n", record.Run, strings.Join(parts, ", "),
		words.Seconds(record.Seconds), shownOut(o.recipe))
}

// shownOut is the path of the results of the last run, from the working folder where that is shorter.
func shownOut(r *recipe.Recipe) string {
	path := filepath.Join(outOf(r), "latest")
	if here, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(here, path); err == nil && len(rel) < len(path) {
			path = rel
		}
	}
	return filepath.ToSlash(path)
}

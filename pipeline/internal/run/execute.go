package run

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"racecard/datasets/fault"
	"racecard/datasets/lists"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/pipeline/internal/recipe"
	"racecard/pipeline/internal/work"
)

// event is the progress or the outcome of a step.
type event struct {
	step *recipe.Step
	text string
	over *Result
}

// execute takes the waiting steps in the order of the recipe, a bounded number at once. It returns when all are
// finished.
func (x *runner) execute(ctx context.Context) {
	news := make(chan event)
	running := 0
	for {
		for _, s := range x.recipe.Steps {
			r := x.results[s]
			if r.State != Waiting || ctx.Err() != nil {
				continue
			}
			switch x.ready(s) {
			case Skipped:
				r.State = Skipped
				x.notify(r, "")
			case Running:
				if running == x.recipe.Jobs {
					continue
				}
				running++
				now := time.Now().UTC()
				r.State, r.Started = Running, &now
				x.notify(r, "")
				over := *r
				go func() {
					defer fault.Trap()
					x.take(ctx, s, &over, func(text string) { news <- event{s, text, nil} })
					news <- event{s, "", &over}
				}()
			}
		}
		if running == 0 {
			return
		}
		e := <-news
		if e.over != nil {
			running--
			*x.results[e.step] = *e.over
			if e.over.changed {
				for _, s := range x.after(e.step) {
					if r := x.results[s]; r.has() {
						r.State, r.Why = Waiting, []string{e.step.Name + " has other bytes"}
					}
				}
			}
		}
		x.notify(x.results[e.step], e.text)
	}
}

func (x *runner) notify(r *Result, text string) {
	if x.Notify != nil {
		x.Notify(r, text)
	}
}

// ready reports whether a step can begin (Running), never can (Skipped), or must wait.
func (x *runner) ready(s *recipe.Step) State {
	verdict := Running
	for _, b := range s.Before() {
		switch r := x.results[b]; r.State {
		case Failed, Skipped:
			x.results[s].Why = []string{b.Name + " " + string(r.State)}
			return Skipped
		case Waiting, Running:
			verdict = Waiting
		}
	}
	for _, n := range s.Needs {
		if r := x.results[n]; r.State == Refused || r.wasRefused {
			x.results[s].Why = []string{n.Name + " refused"}
			return Skipped
		}
	}
	return verdict
}

// take takes a step, and stores the outcome in r.
func (x *runner) take(ctx context.Context, s *recipe.Step, r *Result, say func(string)) {
	begin := time.Now()
	for _, in := range s.Inputs {
		if in.Step != nil {
			r.BytesIn += x.results[in.Step].BytesOut
		}
	}
	state, err := Done, error(nil)
	if s.Kind.Name == recipe.Publish {
		err = x.copyOut(s, r)
	} else {
		state, err = x.process(ctx, s, r, say)
	}
	r.Seconds = time.Since(begin).Seconds()
	if err == nil {
		r.ChangedInputs = x.changedInputs(s, r.Key)
		fresh := *r
		fresh.State = state
		err = x.commit(s, &fresh)
		r.changed = fresh.changed
	}
	if units := x.units(s, r.ID); err == nil && units != "" {
		_ = work.Remove(units) // they are merged
	}
	if err != nil {
		state, r.Error = Failed, err.Error()
	}
	r.State = state
}

// commit puts the result of a step in place.
func (x *runner) commit(s *recipe.Step, r *Result) error {
	text, err := json.MarshalIndent(result.Versioned(r), "", "  ")
	if err != nil {
		return err
	}
	old, was := x.vault.Object(r.ID), x.isStale(r.ID)
	if len(r.ChangedInputs) > 0 {
		if err := x.mark(true, r.ID); err != nil {
			return err
		}
	}
	if !exists(old) {
		return x.vault.Commit(r.ID, stepFile, append(text, '\n'))
	}
	if s.Kind.Name != recipe.Publish && (x.forced(s) || was) && exists(filepath.Join(old, s.File())) {
		if err := x.compare(s, r, filepath.Join(old, s.File())); err != nil {
			return err
		}
	}
	if err := x.vault.Replace(r.ID, stepFile, append(text, '\n')); err != nil {
		return err
	}
	return x.mark(len(r.ChangedInputs) > 0, r.ID)
}

// compare records whether a result differs from the one that it replaces. If so, the results of later steps are stale.
func (x *runner) compare(s *recipe.Step, r *Result, old string) error {
	before, err := contentOf(old)
	if err != nil {
		return err
	}
	now, err := contentOf(r.out)
	if err != nil || now == before {
		return err
	}
	r.changed = true
	ids := lists.Map(x.after(s), func(t *recipe.Step) string { return x.results[t].ID })
	return x.mark(true, ids...)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// patience is the time for a process to stop when the run is interrupted.
const patience = 10 * time.Second

// process runs the command of a step. Its messages are kept in log.txt next to its result.
func (x *runner) process(ctx context.Context, s *recipe.Step, r *Result, say func(string)) (State, error) {
	dir, err := x.vault.Work(r.ID)
	if err != nil {
		return Failed, err
	}
	log, err := x.vault.CreateWork(r.ID, "log.txt")
	if err != nil {
		return Failed, err
	}
	defer log.Close()
	out := filepath.Join(dir, s.File())
	r.out = out
	args, err := x.arguments(s, out)
	if err != nil {
		return Failed, err
	}
	r.Command = append([]string{"racecard"}, args...)
	r.Command = replaceAll(r.Command, dir+string(filepath.Separator), "")
	units := x.units(s, r.ID)
	if units != "" {
		if x.forced(s) {
			if err := work.Remove(units); err != nil {
				return Failed, err
			}
		}
		if err := x.vault.WriteWork(r.ID, unitsFile, []byte(units)); err != nil {
			return Failed, err
		}
		args = slices.Insert(args, len(strings.Fields(s.Kind.Name)), "--engine="+x.Engine, "--work="+units)
	}
	cmd := exec.CommandContext(ctx, x.Program, args...)
	cmd.Dir = x.recipe.Dir
	cmd.ExtraFiles = []*os.File{x.vault.Lock()} // the vault stays closed while the process lives
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = patience
	cmd.SysProcAttr = dieWithParent()
	var document io.WriteCloser = log
	if !s.Kind.Folder {
		if document, err = x.vault.CreateWork(r.ID, s.File()); err != nil {
			return Failed, err
		}
		defer document.Close()
	}
	cmd.Stdout = document
	messages := &watcher{log: log, say: say}
	cmd.Stderr = messages
	runtime.LockOSThread() // the parent death signal of the process is bound to this thread
	defer runtime.UnlockOSThread()
	err = cmd.Start()
	own := ownPeak()
	if err == nil {
		err = cmd.Wait()
	}
	if p := cmd.ProcessState; p != nil {
		r.CPUSeconds, r.PeakBytes = (p.UserTime() + p.SystemTime()).Seconds(), peak(p, own)
	}
	if ctx.Err() != nil {
		return Failed, errors.New("interrupted")
	}
	state := Done
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == refused && exists(out) {
		state, err = Refused, nil
		r.Error = messages.failure("refused")
	}
	if err != nil {
		return Failed, errors.New(messages.failure(ending(err)))
	}
	if !exists(out) {
		return Failed, fmt.Errorf("it wrote no %s", s.File())
	}
	r.BytesOut, r.Result = sizeOf(out), s.File()
	r.Rows = rows(out)
	return state, nil
}

// ending says how a process ended that has said nothing.
func ending(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			text := fmt.Sprintf("it was ended by signal %d (%s)", status.Signal(), status.Signal())
			if status.Signal() == syscall.SIGKILL {
				text += ", as the system does where memory is short: see --memory and the limits of this job"
			}
			return text
		}
	}
	return err.Error()
}

// refused is the exit status of a command whose answer is no.
const refused = 4

func replaceAll(all []string, old, fresh string) []string {
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], old, fresh)
	}
	return all
}

// rows returns the rows of a store, per table.
func rows(out string) map[string]int64 {
	text, err := os.ReadFile(filepath.Join(out, "racecard.json"))
	if err != nil {
		return nil
	}
	var m struct{ Rows map[string]int64 }
	if json.Unmarshal(text, &m) != nil {
		return nil
	}
	return m.Rows
}

// arguments are the arguments of a step's command.
func (x *runner) arguments(s *recipe.Step, out string) ([]string, error) {
	args := strings.Fields(s.Kind.Name)
	if s.Kind.Folder {
		args = append(args, "--out="+out)
	} else {
		args = append(args, "--json")
	}
	for _, o := range s.Options {
		for _, v := range o.Values {
			args = append(args, "--"+o.Name+"="+v)
		}
	}
	args = append(args, "--")
	for _, in := range s.Inputs {
		if in.Step != nil {
			args = append(args, filepath.Join(x.vault.Object(x.results[in.Step].ID), in.Step.File()))
			continue
		}
		paths, err := expand(x.recipe.Dir, in.Path)
		if err != nil {
			return nil, err
		}
		args = append(args, paths...)
	}
	return append(args, s.Args...), nil
}

// units returns the folder for the units of a step that runs on an engine, "" for a step that does not. The engine is
// not part of its key: it does not change the result.
func (x *runner) units(s *recipe.Step, id string) string {
	if x.Engine == "" || x.Engine == "local" || !s.Kind.Divides(s) {
		return ""
	}
	return publish.Join(x.Units, unitsName(x.vault, id))
}

// unitsName is the name of the folder for the units of a step. It differs between vaults: a run must not remove units
// that a run of a copy of its recipe merges.
func unitsName(v *publish.Vault, id string) string {
	sum := sha256.Sum256([]byte(v.Dir()))
	return id + "-" + hex.EncodeToString(sum[:4])
}

// unitsFile is the file in the work folder of an object with the folder of its units.
const unitsFile = "units.txt"

// sweep removes the work folders of steps that no run goes on with, with their units. Where the units cannot be
// removed now, the work folder stays for the next run.
func sweep(v *publish.Vault, keep func(id string) bool) error {
	return v.Sweep(func(id string) bool {
		if keep(id) {
			return true
		}
		units, err := v.ReadWork(id, unitsFile)
		name := publish.Name(string(units)) // of a vault that was moved meanwhile it ends otherwise
		whole := err == nil && strings.HasPrefix(name, id) && len(name) == len(unitsName(v, id))
		return whole && work.Remove(string(units)) != nil // else the run died before there was a unit
	})
}

// watcher keeps the standard error of a process, and reports its last line.
type watcher struct {
	log io.Writer
	say func(string)

	mu   sync.Mutex
	tail []byte // the last lines
	line []byte // that has not ended
}

// mostTail bounds the kept part of the last messages.
const mostTail = 16 << 10

// Write implements [io.Writer]. A log that cannot be written, as on a full disk, is cut off: an error here would end
// the standard error of the process, which then could not say why it fails.
func (w *watcher) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tail = append(w.tail, p...); len(w.tail) > 2*mostTail {
		w.tail = bytes.Clone(w.tail[len(w.tail)-mostTail:])
	}
	w.line = append(w.line, p...)
	for {
		line, rest, ok := bytes.Cut(w.line, []byte("\n"))
		if !ok {
			break
		}
		w.line = bytes.Clone(rest)
		w.say(string(line))
	}
	_, _ = w.log.Write(p)
	return len(p), nil
}

// failure returns the last message of a failed process.
func (w *watcher) failure(otherwise string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var said []string
	lines := bufio.NewScanner(bytes.NewReader(w.tail))
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "racecard: ")
		switch {
		case ok:
			said = append(said, text)
		case len(said) > 0 && strings.HasPrefix(text, "  "):
			said = append(said, strings.TrimSpace(text))
		}
	}
	if len(said) == 0 {
		return otherwise
	}
	return strings.Join(said, "\n")
}

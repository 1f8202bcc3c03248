// Package run takes the stale steps of a recipe, each as a separate process.
//
// The result of a step is an object in a vault, addressed by the hash of all its inputs (see [Key]): the build of
// racecard, the command with its options, and the input files by content. A step with an existing object is not taken
// again. A run ends with a view: a folder of links to the objects, with run.json, which records every step. So results
// appear atomically.
//
// A step is a process, not a call, to isolate it: a crash or a lack of memory ends one step only, memory limits, which
// Go sets per process, apply to one step, and the system measures its time and peak memory exactly. The parent checks
// all options with the flags of the same commands before anything runs, and passes them as a list of arguments.
package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"racecard/datasets/lists"
	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/pipeline/internal/recipe"
)

// State is the outcome of a step.
type State string

// The states of a step.
const (
	Waiting State = "waiting"
	Running State = "running"
	Done    State = "done"
	Cached  State = "cached"  // its result was there
	Refused State = "refused" // its result is there and says no: a breached check, a refused admission
	Failed  State = "failed"
	Skipped State = "skipped" // it waits for a step that did not succeed
)

// Result is the outcome of a step, as in run.json.
type Result struct {
	Step       string           `json:"step"`
	ID         string           `json:"id,omitempty"`
	State      State            `json:"state"`
	Why        []string         `json:"why,omitempty"` // it was taken, or could not be
	Command    []string         `json:"command,omitempty"`
	Error      string           `json:"error,omitempty"`
	Started    *time.Time       `json:"started,omitempty"`
	Seconds    float64          `json:"seconds"`
	CPUSeconds float64          `json:"cpu_s"`
	PeakBytes  int64            `json:"peak_bytes,omitempty"` // largest resident memory, if above that of the run itself
	BytesIn    int64            `json:"bytes_in"`
	BytesOut   int64            `json:"bytes_out"`
	Rows       map[string]int64 `json:"rows,omitempty"` // of a store, per table
	Result     string           `json:"result,omitempty"`
	// ChangedInputs are inputs that changed while the step ran. The next run takes it again.
	ChangedInputs []string `json:"changed_inputs,omitempty"`
	// Replaced is the step of another recipe whose published results gave way.
	Replaced   string `json:"replaced,omitempty"`
	Key        *Key   `json:"key,omitempty"`
	wasRefused bool
	out        string // of its command
	changed    bool   // it was taken again, and has other bytes
}

// Record is run.json: one run.
type Record struct {
	Run      int       `json:"run"`
	Racecard string    `json:"racecard"`
	Recipe   string    `json:"recipe"`
	Started  time.Time `json:"started"`
	Seconds  float64   `json:"seconds"`
	Steps    []*Result `json:"steps"`
	Error    string    `json:"error,omitempty"` // of a run that could not begin or end, which on_failure gets
}

// RecordFile is the name of a record in a view.
const RecordFile = "run.json"

// stepFile is the name of the last file of an object: its result.
const stepFile = "step.json"

// Options of a run.
type Options struct {
	Program string   // path of racecard
	Build   string   // id of the build: results of other builds are not reused
	Version string   // for the record
	Recipe  string   // name of the recipe's file, for the record
	Holder  string   // description of this run for others that wait for the same place
	Force   []string // steps that are taken in any case
	Engine  string   // engine for the units of divisible steps; "" or local for this machine
	Units   string   // folder for those units, shared by all machines
	// Now is the time of the run. Results that depend on the clock are taken again in another hour.
	Now time.Time
	// Notify is called for every change of a step, from one goroutine at a time. text is the progress of a running
	// step.
	Notify func(r *Result, text string)
}

// runner is a run.
type runner struct {
	Options
	recipe  *recipe.Recipe
	vault   *publish.Vault
	sums    *checksums
	results map[*recipe.Step]*Result
	stale   staleness
	earlier map[string]*Result // of the last run, by step
	last    *Record
}

// Plan lists the steps that a run would take, without taking them. It writes nothing, and needs no lock.
func Plan(r *recipe.Recipe, o Options) ([]*Result, error) {
	vault, err := publish.PeekVault(within(r.Dir, r.Out))
	if err != nil {
		return nil, err
	}
	x := newRunner(r, o, vault)
	x.plan()
	return x.all(), nil
}

// Run takes the stale steps. The record has every step; an error concerns the run itself, not a step. If nothing
// was stale, the record is the last run's record. If ctx ends, the finished steps are kept, no view shows them, and the
// record says which they are.
func Run(ctx context.Context, r *recipe.Recipe, o Options) (*Record, error) {
	begin := time.Now()
	vault, err := publish.OpenVault(within(r.Dir, r.Out), o.Holder)
	if err != nil {
		return nil, err
	}
	x := newRunner(r, o, vault)
	x.plan()
	unfinished := map[string]bool{} // ids that this run goes on with
	for _, r := range x.all() {
		unfinished[r.ID] = r.State != Cached
	}
	if err := sweep(x.vault, func(id string) bool { return unfinished[id] }); err != nil {
		return nil, errors.Join(err, x.close())
	}
	if err := x.dropUnshown(); err != nil {
		return nil, errors.Join(err, x.close())
	}
	for _, r := range x.all() {
		if r.State == Failed || r.State == Skipped { // before it began
			x.notify(r, "")
		}
	}
	x.execute(ctx)
	record := &Record{Run: 1, Racecard: o.Version, Recipe: o.Recipe, Started: begin.UTC(),
		Seconds: time.Since(begin).Seconds(), Steps: x.all()}
	if err := ctx.Err(); err != nil {
		return record, errors.Join(err, x.close())
	}
	if n := newest(x.vault); n > 0 { // a run that was killed may have left a view that is not the latest
		record.Run = n + 1
	}
	if err := x.publish(record); err != nil {
		return nil, errors.Join(err, x.close())
	}
	return record, x.close()
}

// newRunner returns a runner that knows what earlier runs left in a vault.
func newRunner(r *recipe.Recipe, o Options, vault *publish.Vault) *runner {
	x := &runner{Options: o, recipe: r, vault: vault, results: map[*recipe.Step]*Result{},
		earlier: map[string]*Result{}, sums: &checksums{Files: map[string]fileSum{}, used: map[string]fileSum{}}}
	x.readStale()
	if text, err := os.ReadFile(filepath.Join(vault.Dir(), "files.json")); err == nil {
		_ = json.Unmarshal(text, x.sums) // if it is damaged, files are read again
	}
	if last, err := lastRecord(vault.Dir()); err == nil {
		x.last = last
		for _, s := range last.Steps {
			x.earlier[s.Step] = s
		}
	}
	return x
}

// lastRecord returns the record of the last run in a vault.
func lastRecord(vault string) (*Record, error) {
	text, err := os.ReadFile(filepath.Join(vault, "latest", RecordFile))
	if err != nil {
		return nil, err
	}
	var last Record
	return &last, json.Unmarshal(text, &last)
}

// close saves the checksums and releases the lock.
func (x *runner) close() error {
	text, err := json.Marshal(checksums{Files: x.sums.used})
	if err == nil {
		err = x.vault.Write("files.json", text)
	}
	return errors.Join(err, x.vault.Close())
}

func (x *runner) all() []*Result {
	return lists.Map(x.recipe.Steps, func(s *recipe.Step) *Result { return x.results[s] })
}

// without says which step before a step will have no result.
func (x *runner) without(s *recipe.Step) []string {
	for _, b := range s.Before() {
		if r := x.results[b]; r.ID == "" {
			return []string{b.Name + " " + string(r.State)}
		}
	}
	return nil
}

// plan computes the address of every step's result, and finds the existing ones.
func (x *runner) plan() {
	for _, s := range x.recipe.Steps {
		r := &Result{Step: s.Name, State: Waiting}
		x.results[s] = r
		key, err := x.key(s)
		if err != nil {
			r.State, r.Error = Failed, err.Error()
			continue
		}
		if key == nil {
			r.State, r.Why = Skipped, x.without(s)
			continue
		}
		r.Key, r.ID = key, key.id()
		for _, in := range key.Inputs {
			r.BytesIn += in.Bytes
		}
		var old *Key
		if e := x.earlier[s.Name]; e != nil {
			old = e.Key
		}
		done, err := x.finished(s, r.ID)
		switch {
		case err == nil && !x.forced(s) && !x.isStale(r.ID):
			r.State, r.wasRefused = Cached, done.wasRefused
			r.adopt(done)
		case err == nil && x.forced(s):
			r.Why = []string{"--force"}
		case err == nil && len(done.ChangedInputs) > 0:
			r.Why = []string{"its input changed while it was made"}
		case err == nil:
			r.Why = []string{"its input was made again with other bytes"}
		default:
			if r.Why = key.changes(old); len(r.Why) == 0 {
				r.Why = []string{"its result is not there"}
				if e := x.earlier[s.Name]; e.State == Failed || e.State == Skipped {
					r.Why = []string{"last time it " +
						map[State]string{Failed: "failed", Skipped: "was skipped"}[e.State]}
				}
			}
		}
		if r.State == Waiting && s.Kind.Name == recipe.Publish {
			if err := x.claim(s, r); err != nil {
				r.State, r.Why, r.Error = Failed, nil, err.Error()
			}
		}
	}
}

// adopt takes over the record of an existing result.
func (r *Result) adopt(done *Result) {
	r.Command, r.Started, r.Seconds, r.CPUSeconds, r.PeakBytes = done.Command, done.Started, done.Seconds,
		done.CPUSeconds, done.PeakBytes
	r.BytesIn, r.BytesOut, r.Rows, r.Result, r.Error = done.BytesIn, done.BytesOut, done.Rows, done.Result, done.Error
}

// forced reports whether a step is to be taken in any case.
func (x *runner) forced(s *recipe.Step) bool {
	return slices.ContainsFunc(x.Force, func(name string) bool { return slices.Contains(x.recipe.Named(name), s) })
}

// finished returns the result of a step if it is there.
func (x *runner) finished(s *recipe.Step, id string) (*Result, error) {
	text, err := os.ReadFile(filepath.Join(x.vault.Object(id), stepFile))
	if err != nil {
		return nil, err
	}
	var r Result
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	r.wasRefused = r.State == Refused
	if s.Kind.Name == recipe.Publish {
		return &r, x.published(s, id)
	}
	_, err = os.Stat(filepath.Join(x.vault.Object(id), s.File()))
	return &r, err
}

// key returns the key of a step; nil if a step before it will have no result.
func (x *runner) key(s *recipe.Step) (*Key, error) {
	k := &Key{Build: x.Build, Kind: s.Kind.Name, Name: s.Name, Options: s.Options, Outside: s.Outside, Args: s.Args,
		To: s.To, Inputs: []KeyInput{}}
	if s.ReadsClock() {
		k.Hour = x.Now.UTC().Format("2006-01-02 15h")
	}
	for _, b := range s.Before() {
		if x.results[b].ID == "" {
			return nil, nil
		}
	}
	inputs, err := x.inputs(s, x.sums)
	if err != nil {
		return nil, err
	}
	files, err := x.optionFiles(s)
	if err != nil {
		return nil, err
	}
	k.Inputs, k.read = slices.Concat(k.Inputs, inputs, files), len(inputs)
	for _, n := range s.Needs {
		k.Needs = append(k.Needs, KeyInput{Name: n.Name, ID: x.results[n].ID})
	}
	return k, nil
}

// inputs returns the files that a step reads, and the steps.
func (x *runner) inputs(s *recipe.Step, sums *checksums) (all []KeyInput, err error) {
	for _, in := range s.Inputs {
		if in.Step != nil {
			all = append(all, KeyInput{Name: in.Step.Name, ID: x.results[in.Step].ID})
			continue
		}
		paths, err := expand(x.recipe.Dir, in.Path)
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			if err := x.readable(p); err != nil {
				return nil, err
			}
			files, err := sums.of(x.recipe.Dir, p)
			if errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("there is no %s", publish.Shown(p))
			}
			if err != nil {
				return nil, err
			}
			all = append(all, files...)
		}
	}
	return all, nil
}

// readable refuses inputs whose checksum does not tell whether a result is up to date: pipes, which give their content
// once, and folders that hold the results.
func (x *runner) readable(path string) error {
	if publish.Remote(path) {
		return nil
	}
	full, err := filepath.Abs(within(x.recipe.Dir, path))
	if err != nil {
		return err
	}
	info, err := os.Stat(full)
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file and no folder: a recipe reads those alone", path)
	}
	if below, err := filepath.Rel(full, x.vault.Dir()); err == nil && filepath.IsLocal(below) {
		return fmt.Errorf("%s holds %s, the results of this recipe: name the traces in it, or have out elsewhere", path,
			x.recipe.Out)
	}
	return nil // where it is not there, its checksum says so
}

// changedInputs describes the inputs of a step that differ from its key: they changed after the run began,
// and its result may be of the old content, of the new one, or of parts of both. A step reads files of options only
// when it begins, and may write one, as check its state: they do not count.
func (x *runner) changedInputs(s *recipe.Step, key *Key) []string {
	now, err := x.inputs(s, &checksums{Files: x.sums.used, used: map[string]fileSum{}})
	if err != nil {
		return []string{err.Error()}
	}
	return differences(idsOf(now), idsOf(key.Inputs[:key.read]), "")
}

// optionFiles returns the files that options of a step name, such as rules and prices: its result depends on their
// content. Values that name no file are left out.
func (x *runner) optionFiles(s *recipe.Step) (all []KeyInput, err error) {
	for _, o := range slices.Concat(s.Options, s.Outside) {
		for _, name := range o.Values {
			if info, err := os.Stat(within(x.recipe.Dir, name)); err != nil || !info.Mode().IsRegular() {
				continue
			}
			files, err := x.sums.of(x.recipe.Dir, name)
			if err != nil {
				return nil, err
			}
			all = append(all, files...)
		}
	}
	return all, nil
}

// publish makes the view of a run and removes old views. It changes nothing if no step was taken.
func (x *runner) publish(record *Record) error {
	links := map[string]string{}
	same := x.last != nil && len(x.last.Steps) == len(record.Steps)
	for i, s := range x.recipe.Steps {
		r := x.results[s]
		if same {
			before := x.last.Steps[i]
			same = r.State == Cached && before.Step == r.Step && before.ID == r.ID && (before.State == Cached ||
				before.State == Done || before.State == Refused)
		}
		if r.has() && s.Kind.Name != recipe.Publish {
			links[s.Link()] = path.Join("objects", r.ID, s.File())
		}
		if r.State == Cached && r.wasRefused {
			r.State = Refused
		}
	}
	if same {
		record.Run = x.last.Run
		return nil
	}
	text, err := json.MarshalIndent(result.Versioned(record), "", "  ")
	if err != nil {
		return err
	}
	if err := x.vault.View(viewName(record.Run), links, map[string][]byte{RecordFile: append(text, '\n')}); err != nil {
		return err
	}
	_, err = collect(x.vault, x.recipe.Keep, false)
	return err
}

// dropUnshown removes the finished results of runs that were interrupted: those that no view shows and that this run
// does not need. Runs that are interrupted night after night would fill the disk. Where a view is damaged, it removes
// nothing: the end of the run says so.
func (x *runner) dropUnshown() (err error) {
	live := lists.Set(lists.Map(x.all(), func(r *Result) string { return r.ID }))
	if damaged := views(x.vault, func(_ string, r *Record) error { r.show(live); return nil }); damaged == nil {
		_, _, err = drop(x.vault, live, false)
	}
	return err
}

// has reports whether a step has a result.
func (r *Result) has() bool { return r.State == Done || r.State == Cached || r.State == Refused }

func viewName(run int) string { return fmt.Sprintf("%06d", run) }

package cli

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/store"
	"racecard/pipeline/internal/ingest"
	"racecard/pipeline/internal/work"
)

// importRunner takes the place of the local import.
type importRunner interface {
	importFiles(ctx context.Context, e *env, paths []string, out string, o ingest.Options) (*store.Manifest, error)
}

// planImport divides an import into units: batches of files, and shards for formats that scatter the records of a run.
func (e *env) planImport(ctx context.Context, p *work.Plan, o *planFlags) error {
	task := &divideTask{batch: o.batch}
	if err := e.sub(ctx, task, p.Command, append([]string{"--out=x"}, p.Args...)...); !errors.Is(err, errPlanned) {
		return err
	}
	d := task.division
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	p.Division, p.Input = text, fmt.Sprintf("%x", sha256.Sum256(text))
	for unit := range d.Batches {
		from, to := d.Batch(unit)
		label := d.Files[from].Name
		if to > from+1 {
			label += " to " + d.Files[to-1].Name
		}
		p.Units = append(p.Units, work.Unit{Label: label, From: unit, To: unit + 1})
	}
	for shard := range d.Shards {
		p.Units = append(p.Units, work.Unit{Label: fmt.Sprintf("shard %d of %d", shard, d.Shards), From: shard,
			To: shard + 1, Wave: 1})
	}
	return nil
}

// divideTask divides an import.
type divideTask struct {
	runner
	batch    int
	division *ingest.Division
}

func (t *divideTask) importFiles(ctx context.Context, e *env, paths []string, _ string, o ingest.Options) (*store.Manifest, error) { //nolint:unparam // as the interface wants it
	in, err := e.inputs(ctx, paths, "", false)
	if err != nil {
		return nil, err
	}
	folder, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if t.division, err = ingest.Divide(ctx, in, folder, o, t.batch); err != nil {
		return nil, err
	}
	return nil, errPlanned
}

// division returns the division of an import.
func division(p *work.Plan) (*ingest.Division, error) {
	var d ingest.Division
	if err := json.Unmarshal(p.Division, &d); err != nil {
		return nil, fmt.Errorf("%s: %w", work.PlanFile, err)
	}
	return &d, nil
}

// importTask runs a unit of an import.
type importTask struct {
	runner
	dir   string
	plan  *work.Plan
	unit  work.Unit
	files []work.File
}

func (t *importTask) importFiles(ctx context.Context, _ *env, _ []string, _ string, o ingest.Options) (*store.Manifest, error) { //nolint:unparam // as the interface wants it
	d, err := division(t.plan)
	if err != nil {
		return nil, err
	}
	var blocks []ingest.Block
	if t.unit.Wave == 0 {
		blocks, err = d.Read(ctx, o, t.unit.From)
	} else {
		var first *firstWave
		if first, err = openFirst(t.dir, t.plan); err != nil {
			return nil, err
		}
		blocks, err = d.Gather(ctx, o, t.unit.From, func(unit int, name string) ([]byte, error) {
			return first.readers[unit].Block(name)
		})
		err = errors.Join(err, first.close())
	}
	if err != nil {
		return nil, err
	}
	for _, b := range blocks {
		t.files = append(t.files, work.File{Name: b.Name, Data: b.Data})
	}
	return nil, errPlanned
}

// firstWave returns the outputs of the first wave of a plan's units.
type firstWave struct{ readers []*work.Reader }

// openFirst opens the outputs of the first wave of a plan.
func openFirst(dir string, p *work.Plan) (*firstWave, error) {
	return openOutputs(dir, p.Before(work.Unit{Wave: 1}))
}

func openOutputs(dir string, units []work.Unit) (*firstWave, error) {
	var all firstWave
	for _, u := range units {
		r, err := work.OpenOutput(dir, u)
		if err != nil {
			return nil, errors.Join(err, all.close())
		}
		all.readers = append(all.readers, r)
	}
	return &all, nil
}

func (f *firstWave) close() error {
	errs := lists.Map(f.readers, func(r *work.Reader) error { return r.Close() })
	return errors.Join(errs...)
}

// uniteTask makes a store of the outputs of all units.
type uniteTask struct {
	runner
	dir  string
	plan *work.Plan
	to   *env // for messages
}

func (t *uniteTask) importFiles(ctx context.Context, _ *env, _ []string, out string,
	o ingest.Options) (m *store.Manifest, err error) {
	d, err := division(t.plan)
	if err != nil {
		return nil, err
	}
	all, err := openOutputs(t.dir, t.plan.Units)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, all.close()) }()
	outputs := lists.Map(all.readers, func(r *work.Reader) ingest.Output { return r })
	return d.Unite(ctx, out, o, outputs, func(text string) { t.to.say("%s", text) })
}

// leading splits arguments into those before the first option, and the rest.
func leading(args []string) (paths, rest []string) {
	for i, a := range args {
		if strings.HasPrefix(a, "-") && a != "-" {
			return args[:i], args[i:]
		}
	}
	return args, nil
}

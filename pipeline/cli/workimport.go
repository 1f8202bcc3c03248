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
	"racecard/pipeline/internal/ingest"
	"racecard/pipeline/internal/work"
)

// planImport divides an import into units: batches of files, and shards for formats that scatter the records of a run.
func (e *env) planImport(ctx context.Context, p *work.Plan, o *planFlags) error {
	var d *ingest.Division
	divide := func(ctx context.Context, inner *env, paths []string, _ string, options ingest.Options) error {
		in, err := inner.inputs(ctx, paths, "", false)
		if err != nil {
			return err
		}
		folder, err := os.Getwd()
		if err != nil {
			return err
		}
		if d, err = ingest.Divide(ctx, in, folder, options, o.batch); err != nil {
			return err
		}
		return errPlanned
	}
	err := e.sub(ctx, &runner{importFiles: divide}, p.Command, append([]string{"--out=x"}, p.Args...)...)
	if err != nil {
		return err
	}
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

// division returns the division of an import.
func division(p *work.Plan) (*ingest.Division, error) {
	var d ingest.Division
	if err := json.Unmarshal(p.Division, &d); err != nil {
		return nil, fmt.Errorf("%s: %w", work.PlanFile, err)
	}
	return &d, nil
}

// importedUnit returns a runner that imports the files of a unit, or brings together a shard, into an output.
func importedUnit(p *work.Plan, dir string, to *work.Output) *runner {
	return &runner{importFiles: func(ctx context.Context, _ *env, _ []string, _ string, o ingest.Options) error {
		d, err := division(p)
		if err != nil {
			return err
		}
		var blocks []ingest.Block
		if to.Unit.Wave == 0 {
			blocks, err = d.Read(ctx, o, to.Unit.From)
		} else {
			err = withOutputs(dir, p.Before(to.Unit), func(first []*work.Reader) (err error) {
				blocks, err = d.Gather(ctx, o, to.Unit.From, func(unit int, name string) ([]byte, error) {
					return first[unit].Block(name)
				})
				return err
			})
		}
		if err != nil {
			return err
		}
		for _, b := range blocks {
			to.Files = append(to.Files, work.File{Name: b.Name, Data: b.Data})
		}
		return errPlanned
	}}
}

// withOutputs calls do with the outputs of units, and closes them.
func withOutputs(dir string, units []work.Unit, do func(all []*work.Reader) error) (err error) {
	var all []*work.Reader
	defer func() {
		for _, r := range all {
			err = errors.Join(err, r.Close())
		}
	}()
	for _, u := range units {
		r, err := work.OpenOutput(dir, u)
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	return do(all)
}

// united returns a runner that makes a store of the outputs of all units. to shows its messages.
func united(p *work.Plan, dir string, to *env) *runner {
	return &runner{importFiles: func(ctx context.Context, _ *env, _ []string, out string, o ingest.Options) error {
		d, err := division(p)
		if err != nil {
			return err
		}
		return withOutputs(dir, p.Units, func(all []*work.Reader) error {
			outputs := lists.Map(all, func(r *work.Reader) ingest.Output { return r })
			_, err := d.Unite(ctx, out, o, outputs, func(text string) { to.say("%s", text) })
			return err
		})
	}}
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

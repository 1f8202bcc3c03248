package ingest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"

	"racecard/datasets/fault"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
)

// Output is the output of a unit, for [Division.Unite].
type Output interface {
	// Names returns the names of its blocks in ascending order, and Block a block.
	Names() []string
	Block(name string) ([]byte, error)
}

// errDuplicate is returned if runs of two units have the same id.
var errDuplicate = errors.New("two units have a run of the same id")

// Unite makes a store of the outputs of all units, in the order of waves. If runs of two units have the same id, the
// reject of the second one must quote its file: then Unite reads all files again and reports that to say. So it does
// after a [source.WholeError].
func (d *Division) Unite(ctx context.Context, out string, o Options, outputs []Output,
	say func(text string)) (*store.Manifest, error) {
	m, err := d.unite(ctx, out, o, outputs)
	var whole *source.WholeError
	switch {
	case errors.Is(err, errDuplicate):
		say("runs in files of different units have one id: all files are read again on this machine")
	case errors.As(err, &whole):
		say(whole.Why + ": all files are read again on this machine")
	default:
		return m, err
	}
	im, err := d.whole(ctx, o)
	if err != nil {
		return nil, err
	}
	return im.into(ctx, out, im.run)
}

// whole returns an importer of all files, with the warnings of their choice.
func (d *Division) whole(ctx context.Context, o Options) (*importer, error) {
	im, err := d.importer(ctx, o, 0, len(d.Files))
	if err != nil {
		return nil, err
	}
	return im, im.tally.UnmarshalBinary(d.Tally)
}

func (d *Division) unite(ctx context.Context, out string, o Options, outputs []Output) (*store.Manifest, error) {
	im, err := d.whole(ctx, o)
	if err != nil {
		return nil, err
	}
	var abouts []*about
	for unit := range d.Batches {
		a, err := loadAbout(unit, func(unit int, name string) ([]byte, error) { return outputs[unit].Block(name) })
		if err != nil {
			return nil, err
		}
		abouts = append(abouts, a)
		from, _ := d.Batch(unit)
		for i, s := range a.Files {
			im.files[from+i].Restore(s)
		}
	}
	im.united = true
	return im.into(ctx, out, func(ctx context.Context, _ string) (*store.Manifest, error) {
		flow := im.replay
		if im.format.Scatter != nil {
			flow = im.join
		}
		if err := flow(ctx, abouts, outputs); err != nil {
			return nil, err
		}
		return im.finish()
	})
}

// replay adds the runs and rejects of all units as if it had read them.
func (im *importer) replay(ctx context.Context, abouts []*about, outputs []Output) error {
	im.format.Read = func(ctx context.Context, _ []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
		return func(yield func(*trace.Run, error) bool) {
			ids, machines := source.NewIDs(), map[string]bool{}
			for unit, a := range abouts {
				for events, err := range ahead(ctx, outputs[unit]) {
					if err != nil {
						yield(nil, err)
						return
					}
					for _, e := range events {
						switch {
						case e.reject != nil:
							err = e.reject
						case !ids.Claim(e.run.ID):
							err = errDuplicate
						default:
							err = nil
						}
						if !yield(e.run, err) {
							return
						}
					}
				}
				for _, id := range a.Refused {
					if !ids.Claim(id) {
						yield(nil, errDuplicate)
						return
					}
				}
				from := len(tally.Machines)
				if err := mergeTally(tally, a.Tally); err != nil {
					yield(nil, err)
					return
				}
				im.dropMachines(tally, from, machines)
				if im.format.HeaderLimit > 0 {
					tally.BoundHeader(im.format.HeaderLimit)
				}
			}
		}
	}
	return im.serial(ctx, nil)
}

// dropMachines drops, of the machines of a unit, which begin at from, those that the format lists once and that were
// met in units before.
func (im *importer) dropMachines(tally *source.Tally, from int, met map[string]bool) {
	kind := im.format.ListedBefore
	if !im.format.OnceEach && kind == "" {
		return
	}
	fresh := slices.DeleteFunc(tally.Machines[from:], func(m trace.Machine) bool {
		row := m.Name
		if kind == "" {
			row = fmt.Sprint(m)
		}
		again := met[row]
		met[row] = true
		if again && kind != "" {
			tally.Used--
			tally.Ignored[kind]++
		}
		return again
	})
	tally.Machines = tally.Machines[:from+len(fresh)]
}

// ahead yields the events of an output, block by block, and decodes the next ones meanwhile.
func ahead(ctx context.Context, o Output) iter.Seq2[[]event, error] {
	return func(yield func([]event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		queue := make(chan chan outcome[[]event], runtime.GOMAXPROCS(0))
		go func() {
			defer fault.Trap()
			defer close(queue)
			for _, name := range o.Names() {
				if len(name) < len(blockEvents) || name[:len(blockEvents)] != blockEvents {
					continue
				}
				result := make(chan outcome[[]event], 1)
				select {
				case queue <- result:
				case <-ctx.Done():
					return
				}
				go func() {
					defer fault.Trap()
					block, err := o.Block(name)
					var events []event
					if err == nil {
						events, err = readEvents(block)
					}
					result <- outcome[[]event]{events, err}
				}()
			}
		}()
		for next := range queue {
			r := <-next
			if !yield(r.result, r.err) || r.err != nil {
				return
			}
		}
	}
}

// join puts the pieces of the units of the second wave into the store, and the rejects of the first wave behind them.
func (im *importer) join(ctx context.Context, abouts []*about, outputs []Output) error {
	chunks := source.NewTally()
	for _, o := range outputs[len(abouts):] {
		for _, name := range o.Names() {
			if err := ctx.Err(); err != nil {
				return err
			}
			data, err := o.Block(name)
			if err != nil {
				return err
			}
			if name == blockWhole {
				return &source.WholeError{Why: string(data)}
			}
			var g gathered
			if err := decodeGob(data, &g); err != nil {
				return err
			}
			if err := mergeTally(chunks, g.Tally); err != nil {
				return err
			}
			if err := im.add(piece{parts: g.Parts, memo: g.Memo}); err != nil {
				return err
			}
		}
	}
	apart := &packing{guard: im.guard(im.tally), packer: store.NewPacker()}
	for unit, a := range abouts {
		for events, err := range ahead(ctx, outputs[unit]) {
			if err != nil {
				return err
			}
			for _, e := range events {
				if _, err := apart.take(nil, e.reject, nil); err != nil {
					return err
				}
			}
		}
		if err := mergeTally(im.tally, a.Tally); err != nil {
			return err
		}
	}
	if err := apart.pack(); err != nil {
		return err
	}
	im.tally.Merge(chunks)
	return im.last(apart)
}

func mergeTally(into *source.Tally, data []byte) error {
	t := source.NewTally()
	if err := t.UnmarshalBinary(data); err != nil {
		return err
	}
	into.Merge(t)
	return nil
}

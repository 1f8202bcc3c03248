package google2019

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"racecard/datasets/groupby"
	"racecard/datasets/internal/borg"
	"racecard/datasets/packed"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// append encodes a record for the grouper.
func (rec *record) append(b []byte) []byte {
	flags := byte(0)
	for i, set := range [...]bool{rec.instance, rec.parent, rec.alloc, rec.reconstructed} {
		if set {
			flags |= 1 << i
		}
	}
	b = append(b, flags, byte(rec.event.Event))
	b = binary.AppendVarint(b, rec.event.Time)
	b = binary.AppendUvarint(b, uint64(rec.event.Task))
	b = packed.AppendBits(packed.AppendBits(b, rec.event.CPU), rec.event.Mem)
	for _, s := range [...]string{rec.event.Machine, rec.user, rec.name, rec.logical} {
		b = packed.AppendText(b, s)
	}
	b = binary.AppendUvarint(b, uint64(len(rec.after)))
	for _, id := range rec.after {
		b = binary.AppendVarint(b, id)
	}
	return b
}

// decode reads what append wrote, and nothing else: it checks nothing.
func (rec *record) decode(b []byte) {
	r := packed.Row(b)
	flags := r.Byte()
	rec.instance, rec.parent, rec.alloc, rec.reconstructed = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
	rec.event.Event = borg.Event(r.Byte())
	rec.event.Time, rec.event.Task = r.Int(), int32(r.Uint())
	rec.event.CPU, rec.event.Mem = r.Bits(), r.Bits()
	rec.event.Machine, rec.user, rec.name, rec.logical = r.Text(), r.Text(), r.Text(), r.Text()
	rec.after = rec.after[:0]
	for range r.Uint() {
		rec.after = append(rec.after, r.Int())
	}
}

// builder makes runs of gathered records.
type builder struct {
	tally     *source.Tally
	waitedFor []int64 // collections that others start after, ascending
	record    record
	job       borg.Job
}

// chunk yields the runs of a chunk. first is the number of the first record of each file.
func chunk(c groupby.Chunk, files []*source.File, first, waitedFor []int64) source.Chunk {
	return func(ctx context.Context, tally *source.Tally, yield func(*trace.Run, error) bool) {
		r := &builder{tally: tally, waitedFor: waitedFor}
		for group := range c.Whole(ctx, files, first, tally, yield) {
			collection, _ := binary.Varint(group.Key)
			run := r.build(collection, group.Records)
			if err := run.Validate(); err != nil {
				for i := range group.Records {
					rec := &group.Records[i]
					r.record.decode(rec.Bytes)
					rej := source.NewReject(files[rec.File].Name, rec.Line-first[rec.File]+1, "",
						source.ReasonInconsistent, err.Error(),
						fmt.Appendf(nil, "collection_id=%d %+v", collection, r.record))
					tally.Account(rej)
					if !yield(nil, rej) {
						return
					}
				}
				continue
			}
			tally.UseMany(len(group.Records))
			if !yield(run, nil) {
				return
			}
		}
	}
}

// dataset is the output of a collection, read by the collections that start after it.
func dataset(collection int64) string { return "collection:" + strconv.FormatInt(collection, 10) }

// build makes a run of the records of a collection.
func (r *builder) build(collection int64, records []groupby.Record) *trace.Run {
	job := &r.job
	job.Reset(strconv.FormatInt(collection, 10), records[0].Line, r.tally)
	run, rec := job.Run, &r.record
	var name string
	var after []int64
	parent, alloc, reconstructed := false, false, false
	for i := range records {
		rec.decode(records[i].Bytes)
		if rec.instance {
			job.Tasks = append(job.Tasks, rec.event)
		} else {
			job.Events = append(job.Events, rec.event)
		}
		keep(&run.User, rec.user)
		keep(&run.Name, rec.logical)
		keep(&name, rec.name)
		after = append(after, rec.after...)
		parent, alloc, reconstructed = parent || rec.parent, alloc || rec.alloc, reconstructed || rec.reconstructed
	}
	keep(&run.Name, name)
	job.Fold()
	slices.Sort(after)
	for _, id := range slices.Compact(after) {
		if id == collection {
			continue
		}
		run.IO = append(run.IO, trace.Access{Dataset: dataset(id), At: trace.None, Bytes: trace.None})
	}
	if _, ok := slices.BinarySearch(r.waitedFor, collection); ok {
		run.IO = append(run.IO, trace.Access{Dataset: dataset(collection), Write: true, At: trace.None,
			Bytes: trace.None})
	}
	for _, w := range []struct {
		kind string
		has  bool
	}{{WarnParent, parent}, {WarnAlloc, alloc}, {borg.WarnReconstructed, reconstructed}} {
		if w.has {
			r.tally.Warn(w.kind, "%s", run.ID)
		}
	}
	return run
}

// keep stores a text unless one was stored before.
func keep(into *string, s string) {
	if *into == "" {
		*into = s
	}
}

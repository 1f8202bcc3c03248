package swf

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// keyField is a field that a job key may name. Recurring jobs are called by that name and the value.
type keyField struct {
	name  string
	field int
}

// keyFields are all that a job key may name.
var keyFields = []keyField{
	{"user", fieldUser}, {"group", fieldGroup}, {"application", fieldApp}, {"queue", fieldQueue},
	{"partition", fieldPartition}, {"requested_processors", fieldReqProcs}, {"requested_time", fieldReqTime},
	{"requested_memory", fieldReqMemory},
}

// keyed returns the format with a reader that names the recurring job of a run by fields, separated by commas: many
// logs know no applications. By user,requested_time a job is user-7/requested_time-3600. Unknown fields are left out.
func keyed(fields string) (source.Format, error) {
	f := Format()
	var key []keyField
	for name := range strings.SplitSeq(fields, ",") {
		i := slices.IndexFunc(keyFields, func(k keyField) bool { return k.name == name })
		if i < 0 {
			return f, fmt.Errorf("%q is no field of format swf that names jobs: want some of %s, separated by commas",
				name, keyNames())
		}
		key = append(key, keyFields[i])
	}
	f.Read = func(ctx context.Context, files []*source.File, tally *source.Tally) iter.Seq2[*trace.Run, error] {
		return read(ctx, files, tally, key)
	}
	return f, nil
}

// keyNames lists them.
func keyNames() string {
	names := lists.Map(keyFields, func(k keyField) string { return k.name })
	return strings.Join(names, ", ")
}

// recurring returns the name of the recurring job by the fields of the key; "" where none is known.
func (p *parser) recurring() string {
	p.room, p.lacks = p.room[:0], p.lacks[:0]
	for _, k := range p.key {
		text := p.label(k.field, k.name+"-")
		if text == "" {
			p.lacks = append(p.lacks, k.name)
			continue
		}
		if len(p.room) > 0 {
			p.room = append(p.room, '/')
		}
		p.room = append(p.room, text...)
	}
	return string(p.room)
}

// Package formats lists the trace formats that racecard reads and recognises them.
package formats

import (
	"context"
	"fmt"
	"strings"

	"racecard/datasets/alibaba2017"
	"racecard/datasets/alibaba2018"
	"racecard/datasets/google2011"
	"racecard/datasets/google2019"
	"racecard/datasets/jhist"
	"racecard/datasets/jsonl"
	"racecard/datasets/pai"
	"racecard/datasets/philly"
	"racecard/datasets/rumen"
	"racecard/datasets/source"
	"racecard/datasets/spark"
	"racecard/datasets/swf"
	"racecard/datasets/swim"
	"racecard/datasets/tr"
	"racecard/datasets/wfformat"
	"racecard/datasets/wta"
)

// All returns the formats in the order in which they are tried: the ones that are hard to mistake first. memory is the
// budget in bytes of those that gather rows of a job from all over a trace; 0 is the default of [groupby.New].
func All(memory int64) []source.Format {
	return []source.Format{
		wta.Format(memory), spark.Format(), google2019.Format(memory), google2011.Format(memory), jsonl.Format(),
		wfformat.Format(), rumen.Format(), jhist.Format(), philly.Format(memory),
		// swf before tr, which would take most of its lines
		pai.Format(memory), alibaba2018.Format(memory), alibaba2017.Format(memory), swim.Format(), swf.Format(),
		tr.Format(),
	}
}

// Named returns the format of that name.
func Named(name string, memory int64) (source.Format, error) {
	var known []string
	for _, f := range All(memory) {
		if f.Name == name {
			return f, nil
		}
		known = append(known, f.Name)
	}
	return source.Format{}, fmt.Errorf("there is no format %q; racecard reads %s", name, strings.Join(known, ", "))
}

// Detect returns the format of a file, and false when it is of none that racecard knows. Files without content have
// none.
func Detect(ctx context.Context, f *source.File, memory int64) (source.Format, bool, error) {
	head, err := f.Head(ctx)
	if err != nil || len(head) == 0 {
		return source.Format{}, false, err
	}
	for _, format := range All(memory) {
		if format.Detect(f.Name, head) {
			return format, true, nil
		}
	}
	return source.Format{}, false, nil
}

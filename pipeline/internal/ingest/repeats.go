package ingest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/words"
)

// repeats counts, by file, the runs that were rejected because an earlier run has their id.
type repeats map[string]int64

// merge adds the counts of other files.
func (r *repeats) merge(other repeats) {
	if *r == nil && len(other) > 0 {
		*r = repeats{}
	}
	lists.Add(*r, other)
}

// maxNamed bounds the files that a message names.
const maxNamed = 5

// remedy advises which files to import separately, if repeated ids are most of the rejected records. Files of one
// folder may be overlapping samples of one trace, which would count its runs twice.
func (r repeats) remedy(rejected int64) string {
	n := lists.Total(r)
	if 2*n < rejected || n == 0 {
		return ""
	}
	files := slices.SortedFunc(maps.Keys(r), func(a, b string) int {
		return cmp.Or(cmp.Compare(r[b], r[a]), cmp.Compare(a, b))
	})
	more := ""
	if k := len(files) - maxNamed; k > 0 {
		files, more = files[:maxNamed], fmt.Sprintf(" and %d more", k)
	}
	return fmt.Sprintf("\n%s the id of a run read before, in %s%s: are these other samples of the same trace? Leave "+
		"them out, or import them one by one, each "+
		"with an --out of its own", words.Of(n, "record has", "records have"), strings.Join(files, ", "), more)
}

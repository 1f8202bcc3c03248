package arrowtab

import (
	"slices"

	"racecard/datasets/jobname"
	"racecard/datasets/lists"
	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// NameJobs fills the column job of runs that have a name and no job with their normalised names. A batch without names
// stays as it is. Time O(rows + distinct names).
func (b *Batch) NameJobs() {
	names, jobs := b.job("name"), b.job("job")
	lacks := func(i int) bool { return !names.IsNull(i) && (i >= jobs.Len || jobs.IsNull(i)) }
	first := 0
	for first < names.Len && !lacks(first) {
		first++
	}
	if first == names.Len {
		return
	}
	named := parquetio.Column{Field: parquetio.Field{Name: "job", Kind: parquetio.String}, Len: names.Len,
		Dict: slices.Clone(jobs.Dict)}
	place := map[string]int32{}
	for k, text := range named.Dict {
		place[text] = int32(k)
	}
	forms := make([]int32, len(names.Dict))
	for k, text := range names.Dict {
		form := jobname.Normalize(text)
		at, ok := place[form]
		if !ok {
			at = int32(len(named.Dict))
			named.Dict = append(named.Dict, form)
			place[form] = at
		}
		forms[k] = at
	}
	named.Index = make([]int32, names.Len)
	named.Valid = make([]byte, (names.Len+7)/8)
	for i := range named.Index {
		switch {
		case i < jobs.Len && !jobs.IsNull(i):
			named.Index[i] = jobs.Index[i]
		case !names.IsNull(i):
			named.Index[i] = forms[names.Index[i]]
		default:
			continue
		}
		named.Valid[i>>3] |= 1 << (i & 7)
	}
	held := slices.DeleteFunc(slices.Clone(b.tables[Jobs]), func(c parquetio.Column) bool { return c.Name == "job" })
	b.tables[Jobs] = append(held, named)
}

// Select leaves only the runs that a filter selects. The batch must hold the columns that the filter reads; one that it
// lacks is null. Time O(rows of the jobs table).
func (b *Batch) Select(f *trace.Filter) {
	if f.IsAll() {
		return
	}
	rows := b.rows()
	submit, start := instants(b.job("submit"), rows), instants(b.job("start"), rows)
	byJob := func(name string) bool { return f.HasJob(name, name) }
	names, jobs := b.chosen("name", rows, byJob), b.chosen("job", rows, byJob)
	users, groups := b.chosen("user", rows, f.HasUser), b.chosen("group", rows, f.HasGroup)
	b.keep = make([]bool, rows)
	for i := range b.keep {
		b.keep[i] = f.InPeriod(submit[i], start[i]) && (jobs[i] || names[i]) && users[i] && groups[i]
	}
}

// chosen reports, for every row, whether the text of a column is chosen; null is "".
func (b *Batch) chosen(column string, rows int, choose func(string) bool) []bool {
	c := b.job(column)
	words := lists.Map(c.Dict, choose)
	null := choose("")
	out := make([]bool, rows)
	for i := range out {
		if out[i] = null; i < c.Len && !c.IsNull(i) {
			out[i] = words[c.Index[i]]
		}
	}
	return out
}

// Selected returns how many runs the batch yields.
func (b *Batch) Selected() int {
	if b.keep == nil {
		return b.rows()
	}
	n := 0
	for _, keep := range b.keep {
		if keep {
			n++
		}
	}
	return n
}

// rows returns the number of rows of the jobs table.
func (b *Batch) rows() int {
	if jobs := b.tables[Jobs]; len(jobs) > 0 {
		return jobs[0].Len
	}
	return 0
}

// selected returns those entries of a column that belong to runs that the batch yields.
func selected[T any](b *Batch, column []T) []T {
	if b.keep == nil {
		return column
	}
	out := make([]T, 0, b.Selected())
	for i, keep := range b.keep {
		if keep {
			out = append(out, column[i])
		}
	}
	return out
}

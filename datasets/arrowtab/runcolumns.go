package arrowtab

import (
	"slices"

	"racecard/datasets/parquetio"
	"racecard/datasets/trace"
)

// RunIDs returns the ids of the runs in ascending order. They may share memory with the batch.
func (b *Batch) RunIDs() []string {
	ids := b.job("job_id")
	return texts(ids, ids.Len)
}

// RunColumns returns names, times and ends of the runs of the batch without making a run of each. Columns that the
// batch lacks are null. Time O(rows + distinct names); the result may share memory with the batch.
func (b *Batch) RunColumns() *trace.RunColumns {
	rows := b.rows()
	names, jobs := b.job("name"), b.job("job")
	return &trace.RunColumns{
		IDs:   selected(b, texts(b.job("job_id"), rows)),
		Texts: names.Dict, Names: selected(b, places(&names, rows)),
		JobTexts: jobs.Dict, Jobs: selected(b, places(&jobs, rows)),
		Status: selected(b, statuses(b.job("status"), rows)),
		Submit: selected(b, instants(b.job("submit"), rows)),
		Start:  selected(b, instants(b.job("start"), rows)),
		End:    selected(b, instants(b.job("end"), rows)),
	}
}

// job returns a column of the jobs table. A column that the batch lacks has no rows and reads as null.
func (b *Batch) job(name string) parquetio.Column {
	held := b.tables[Jobs]
	if i := slices.IndexFunc(held, func(c parquetio.Column) bool { return c.Name == name }); i >= 0 {
		return held[i]
	}
	return parquetio.Column{}
}

// texts returns the text of every row; null is "".
func texts(c parquetio.Column, rows int) []string {
	if len(c.Dict) == rows && c.Known() == rows && ascends(c.Index) {
		return c.Dict
	}
	out := make([]string, rows)
	for i := range min(rows, c.Len) {
		out[i] = c.Text(i)
	}
	return out
}

// ascends reports whether every place equals its row.
func ascends(index []int32) bool {
	for i, k := range index {
		if int(k) != i {
			return false
		}
	}
	return true
}

// places returns which text of the dictionary every row has, -1 for null.
func places(c *parquetio.Column, rows int) []int32 {
	if rows > 0 && c.Known() == rows {
		return c.Index
	}
	out := make([]int32, rows)
	for i := range out {
		if out[i] = -1; i < c.Len && !c.IsNull(i) {
			out[i] = c.Index[i]
		}
	}
	return out
}

// statuses returns the status of every row; null is [trace.StatusUnknown].
func statuses(c parquetio.Column, rows int) []trace.Status {
	codes := make([]trace.Status, len(c.Dict))
	for k, word := range c.Dict {
		codes[k], _ = trace.ParseStatus(word)
	}
	out := make([]trace.Status, rows)
	for i, k := range places(&c, rows) {
		if out[i] = trace.StatusUnknown; k >= 0 {
			out[i] = codes[k]
		}
	}
	return out
}

// instants returns the instant of every row; null is [trace.None].
func instants(c parquetio.Column, rows int) []trace.Instant {
	out := make([]trace.Instant, rows)
	all := c.Known() == rows
	for i := range out {
		if out[i] = trace.None; all || i < c.Len && !c.IsNull(i) {
			out[i] = trace.Instant(c.Int64s[i])
		}
	}
	return out
}

package cov

import (
	"errors"
	"hash/maphash"
	"math/bits"
	"slices"

	"racecard/datasets/jobname"
	"racecard/datasets/trace"
)

// chunk holds runs with a name, in the order in which they came.
type chunk struct {
	names []name
	text  []byte // of the names, end to end: normalised, followed by the name as read if it differs
	runs  []run
	ids   []string // of the runs

	// Once the chunk is divided, names and runs are sorted by the shard of the name: shard s has the range from
	// begin[s] up to begin[s+1]. Runs of a shard stay in order.
	divided             bool              `partial:"-"`
	beginName, beginRun [shards + 1]int32 `partial:"-"`
	rank                []int32           `partial:"-"` // of each id: how many runs before it count; nil when all do
	counts              int               // runs that count
}

// name is a name as read; a chunk may hold the same name more than once.
type name struct {
	hash uint64 `partial:"-"` // of the normalised form
	at   int    // where its text begins
	form int32  // length of the normalised form
	read int32  // length of the name as read, which is behind it; 0 when it is the same
}

// run is a run. It has no pointers, so that the garbage collector need not scan millions of them.
type run struct {
	seconds float64 // its completion time, or one of the marks below
	name    int32   // which of names; once a shard was grouped, its job there
	id      int32   // which of ids
}

// Marks in place of the completion time of runs that do not count.
const (
	incomplete = -1 // succeeded, and its completion time is not known
	failed     = -2
	open       = -3 // not known to have ended
)

// mark returns the completion time of a run, or the mark that tells why it does not count.
func mark(status trace.Status, completion trace.Duration) float64 {
	switch {
	case status.Well() && completion >= 0: // null is negative
		return completion.Seconds()
	case status == trace.Succeeded:
		return incomplete
	case status.Well() || status == trace.Running:
		return open
	default:
		return failed
	}
}

// shards is the number of groups into which a hash divides names, to be grouped on all cores. The look-up table
// of one group, with a million names in all, fits into a core's cache.
const shards = 64

// hashed is the seed of all hashes, which are compared between partial results. No result depends on it.
var hashed = maphash.MakeSeed()

// learn adds a name as read. Its form is the job, or the normalised name for no job.
func (c *chunk) learn(read, job string, form *jobname.Normalizer) {
	n := name{at: len(c.text)}
	if form != nil && job != "" {
		c.text = append(c.text, job...)
		n.form = int32(len(job))
		if job != read {
			c.text = append(c.text, read...)
			n.read = int32(len(read))
		}
	} else if form == nil {
		c.text = append(c.text, read...)
		n.form = int32(len(read))
	} else {
		normal := form.Form(read)
		c.text = append(c.text, normal...)
		n.form = int32(len(normal))
		if string(normal) != read {
			c.text = append(c.text, read...)
			n.read = int32(len(read))
		}
	}
	n.hash = maphash.Bytes(hashed, c.text[n.at:n.at+int(n.form)])
	c.names = append(c.names, n)
}

// add adds a run.
func (c *chunk) add(name int32, seconds float64, id int) {
	c.runs = append(c.runs, run{seconds, name, int32(id)})
	if seconds >= 0 {
		c.counts++
	}
}

// shardOf returns the shard of a hash: by its highest bits, since tables go by the lowest.
func shardOf(hash uint64) int { return int(hash >> (64 - bits.TrailingZeros(shards))) }

// divide puts names, their text, and runs in the order of their shards, so that the grouper of a shard reads them
// sequentially.
func (c *chunk) divide() {
	if c.divided {
		return
	}
	c.divided = true
	if c.counts < len(c.ids) {
		c.rank = make([]int32, len(c.ids))
		before := int32(0)
		for i := range c.runs {
			c.rank[c.runs[i].id] = before
			if c.runs[i].seconds >= 0 {
				before++
			}
		}
	}
	var text [shards + 1]int
	for i := range c.names {
		n := &c.names[i]
		s := shardOf(n.hash)
		c.beginName[s+1]++
		text[s+1] += int(n.form + n.read)
	}
	for i := range c.runs {
		c.beginRun[shardOf(c.names[c.runs[i].name].hash)+1]++
	}
	for s := range shards {
		c.beginName[s+1] += c.beginName[s]
		c.beginRun[s+1] += c.beginRun[s]
		text[s+1] += text[s]
	}
	names, moved, texts := make([]name, len(c.names)), make([]int32, len(c.names)), make([]byte, len(c.text))
	next := c.beginName
	for i, n := range c.names {
		s := shardOf(n.hash)
		from := n.at
		n.at = text[s]
		text[s] += copy(texts[n.at:], c.text[from:from+int(n.form+n.read)])
		names[next[s]], moved[i] = n, next[s]
		next[s]++
	}
	runs := make([]run, len(c.runs))
	next = c.beginRun
	for _, r := range c.runs {
		s := shardOf(c.names[r.name].hash)
		r.name = moved[r.name]
		runs[next[s]] = r
		next[s]++
	}
	c.names, c.text, c.runs = names, texts, runs
}

func (c *chunk) namesOf(shard int) []name { return c.names[c.beginName[shard]:c.beginName[shard+1]] }
func (c *chunk) runsOf(shard int) []run   { return c.runs[c.beginRun[shard]:c.beginRun[shard+1]] }

// texts returns the normalised form of a name, and the name as read, nil when it is the same.
func (c *chunk) texts(n *name) (form, read []byte) {
	form = c.text[n.at:][:n.form:n.form]
	if n.read > 0 {
		read = c.text[n.at+int(n.form):][:n.read:n.read]
	}
	return form, read
}

// builder adds runs one by one to a chunk.
type builder struct {
	chunk
	recent []int32  // cache of recent names, which often repeat: place + 1, by hash
	jobs   []string `partial:"-"` // of recent
}

// recentNames is the number of recent names in the cache.
const recentNames = 1 << 10

// place returns where a name as read, of a job, is in the chunk.
func (b *builder) place(read, job string, form *jobname.Normalizer) int32 {
	if b.recent == nil {
		b.recent, b.jobs = make([]int32, recentNames), make([]string, recentNames)
	}
	slot := maphash.String(hashed, read) % recentNames
	recent := &b.recent[slot]
	if *recent > 0 && b.jobs[slot] == job {
		n := &b.names[*recent-1]
		known, as := b.texts(n)
		if as == nil {
			as = known
		}
		if string(as) == read {
			return *recent - 1
		}
	}
	b.learn(read, job, form)
	*recent, b.jobs[slot] = int32(len(b.names)), job
	return *recent - 1
}

// reserve makes room for names and a number of runs.
func (c *chunk) reserve(names []string, runs int) {
	text := 0
	for _, name := range names {
		text += len(name)
	}
	c.names, c.runs, c.text = slices.Grow(c.names, len(names)), slices.Grow(c.runs, runs), slices.Grow(c.text, 2*text)
}

// Encodable returns an error if the chunk is divided: shards differ from process to process.
func (c *chunk) Encodable() error {
	if c.divided {
		return errors.New("cov: names are divided among shards already")
	}
	return nil
}

// Decoded computes the hashes of names that were read from an encoding.
func (c *chunk) Decoded() error {
	for i := range c.names {
		n := &c.names[i]
		if n.at < 0 || n.form < 0 || n.read < 0 || n.at+int(n.form)+int(n.read) > len(c.text) {
			return errors.New("it is damaged: a name lies outside of the names")
		}
		n.hash = maphash.Bytes(hashed, c.text[n.at:n.at+int(n.form)])
	}
	for _, r := range c.runs {
		if r.name < 0 || int(r.name) >= len(c.names) || r.id < 0 || int(r.id) >= len(c.ids) {
			return errors.New("it is damaged: a run has no name")
		}
	}
	return nil
}

// Package groupby brings together the records of a job that lie scattered through a trace, also when the trace is
// larger than memory.
//
// Records are added in the order of the input under the key of their job. They are dealt out to partitions by a hash of
// the key; when a budget of memory is used up, they move to a temporary file, partition by partition. In the end
// partitions are read back, some at a time, and their records come out job by job, each job's in the order of the
// input: the classic partitioned external sort (D. E. Knuth, The Art of Computer Programming 3, §5.4). What comes out,
// and in which order, depends on the records alone, not on the budget. The one exception is a job whose records alone
// would not fit the budget: it is a [TooLargeError].
package groupby

import (
	"math"

	"racecard/datasets/lists"
)

// DefaultMemory is the budget of [New] for 0: 1 GiB.
const DefaultMemory = 1 << 30

// chunkRecords is the least number of records in a chunk, except for the last chunk. Partitions are joined up to
// this number, which gives parts of a good size and bounds memory.
const chunkRecords = 1 << 19

// Record is one record of a job.
type Record struct {
	Tag   uint8  // what kind of record it is: the reader's own numbering
	File  int32  // number of the file it came from
	Line  int64  // where in the file
	Bytes []byte // the record itself
}

// Grouper collects records. The zero value is not usable: see [New].
type Grouper struct {
	budget  int64
	held    int64 // bytes in memory
	records [partitions]int64
	blocks  []*block
	spilled spilled
	load    func(partition int) ([]unit, error) // of records that other processes scattered; nil for none
	bounds  bounds
	share   *share // of bounds.all

	// The block that Add builds.
	open  blockBuilder
	room  []byte
	file  int32
	first int64
}

// New returns an empty Grouper. It keeps about memory bytes in memory (0: [DefaultMemory]; three eighths for
// records, the rest for the runs built from them) and spills the rest to a temporary file. The file has no name, so
// that it disappears with the process, even a killed one.
func New(memory int64) *Grouper {
	if memory <= 0 {
		memory = DefaultMemory
	}
	g := &Grouper{budget: memory / 8 * 3, bounds: boundsOf(memory)}
	g.share = newShare(g.bounds.all)
	return g
}

// roomBytes is how much Add copies before it makes a block of it.
const roomBytes = 1 << 20

// Add adds a record under a key. Neither is kept.
func (g *Grouper) Add(key []byte, r Record) error {
	line := r.Line - g.first
	if g.open.n > 0 &&
		(r.File != g.file || line < 0 || line > math.MaxUint32 || len(g.room)+len(key)+len(r.Bytes) > cap(g.room)) {
		if err := g.close(); err != nil {
			return err
		}
	}
	if g.open.n == 0 {
		g.room = make([]byte, 0, max(roomBytes, len(key)+len(r.Bytes)))
		g.file, g.first, line = r.File, r.Line, 0
	}
	at := len(g.room)
	g.room = append(append(g.room, key...), r.Bytes...)
	kept := g.room[at:]
	g.open.add(kept[:len(key)], kept[len(key):], r.Tag, uint32(line))
	return nil
}

// close makes a block of what Add was given.
func (g *Grouper) close() error {
	if g.open.n == 0 {
		return nil
	}
	b := g.open.finish()
	b.file, b.first = g.file, g.first
	return g.add(b)
}

// add adds a block, behind those before it.
func (g *Grouper) add(b *block) error {
	for p, n := range b.records {
		g.records[p] += int64(n)
	}
	g.blocks = append(g.blocks, b)
	g.held += int64(len(b.data))
	if g.held > g.budget {
		return g.spill()
	}
	return nil
}

// Len returns the number of records that were added.
func (g *Grouper) Len() int64 {
	n := int64(g.open.n)
	for _, m := range g.records {
		n += m
	}
	return n
}

// Memory returns the number of bytes that all structures built from the records may take.
func (g *Grouper) Memory() int64 { return g.bounds.all }

// Chunk is a number of keys with all their records. Chunks of one grouper can be read concurrently.
type Chunk struct {
	g        *Grouper
	from, to int // partitions
}

// Chunks returns chunks that together hold everything. No record can be added any more.
func (g *Grouper) Chunks() ([]Chunk, error) {
	if err := g.close(); err != nil {
		return nil, err
	}
	g.room = nil
	var chunks []Chunk
	from, n := 0, int64(0)
	for p := range partitions {
		n += g.records[p]
		if n >= chunkRecords || p == partitions-1 && n > 0 {
			chunks = append(chunks, Chunk{g, from, p + 1})
			from, n = p+1, 0
		}
	}
	return chunks, nil
}

// units returns the records of a partition.
func (g *Grouper) units(p int) ([]unit, error) {
	if g.load != nil {
		return g.load(p)
	}
	units := lists.Map(g.spilled.frames[p], func(f frame) unit { return unit{frame: f} })
	for _, b := range g.blocks {
		if data := b.part(p); len(data) > 0 {
			units = append(units, unit{piece: piece{b.file, b.first, data}})
		}
	}
	return units, nil
}

// Close gives memory and the temporary file back.
func (g *Grouper) Close() error {
	g.blocks, g.room, g.held = nil, nil, 0
	return g.spilled.close()
}

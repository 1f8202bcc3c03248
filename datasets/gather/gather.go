// Package gather brings together the records of a job that lie scattered through a trace, also when the trace is larger
// than memory.
//
// Records are added in the order of the input under the key of their job. They are dealt out to partitions by a hash of
// the key; when a budget of memory is used up, the fullest partitions move to temporary files. In the end each partition
// is read back, sorted by key, and its records come out job by job, each job's in the order of the input: the classic
// partitioned external sort (D. E. Knuth, The Art of Computer Programming 3, §5.4), with jobs in an order that depends on
// their keys alone.
package gather

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/klauspost/compress/s2"
)

// partitions is their number: with the default budget, traces of some hundred GB still have partitions that fit.
const partitions = 256

// DefaultMemory is the budget of [New] for 0: 1 GiB.
const DefaultMemory = 1 << 30

// Record is one record of a job.
type Record struct {
	Tag   uint8  // what kind of record it is: the reader's own numbering
	File  int32  // number of the file it came from
	Line  int64  // where in the file
	Bytes []byte // the record itself
}

// Gatherer collects records. The zero value is not usable: see [New].
type Gatherer struct {
	dir    string // of temporary files, made when the first is needed
	budget int64
	held   int64 // bytes in memory
	parts  [partitions]partition
	made   string
	added  int64
}

// partition holds encoded records: those that were moved to its file, then those in memory.
type partition struct {
	mem     []byte
	file    *os.File
	spilled int64 // bytes before compression
}

// New returns an empty Gatherer that keeps about memory bytes of records in memory (0: [DefaultMemory]; a third of it
// for records, the rest for what a reader makes of them) and the rest in a directory that it makes inside dir ("" is the system's place for
// temporary files) and removes on Close.
func New(dir string, memory int64) *Gatherer {
	if memory <= 0 {
		memory = DefaultMemory
	}
	return &Gatherer{dir: dir, budget: memory / 3}
}

// Add adds a record under a key. Neither is kept.
func (g *Gatherer) Add(key []byte, r Record) error {
	p := &g.parts[crc32.Checksum(key, castagnoli)%partitions]
	before := cap(p.mem)
	p.mem = binary.AppendUvarint(p.mem, uint64(len(key)))
	p.mem = append(p.mem, key...)
	p.mem = append(p.mem, r.Tag)
	p.mem = binary.AppendUvarint(p.mem, uint64(r.File))
	p.mem = binary.AppendUvarint(p.mem, uint64(r.Line))
	p.mem = binary.AppendUvarint(p.mem, uint64(len(r.Bytes)))
	p.mem = append(p.mem, r.Bytes...)
	g.held += int64(cap(p.mem) - before)
	g.added++
	if g.held > g.budget {
		return g.spill()
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Len returns the number of records that were added.
func (g *Gatherer) Len() int64 { return g.added }

// Spilled returns how many bytes of records went to temporary files.
func (g *Gatherer) Spilled() int64 {
	var n int64
	for i := range g.parts {
		n += g.parts[i].spilled
	}
	return n
}

// spill moves the fuller half of the partitions to their files.
func (g *Gatherer) spill() error {
	if g.made == "" {
		dir, err := os.MkdirTemp(g.dir, "racecard-gather-")
		if err != nil {
			return err
		}
		g.made = dir
	}
	order := make([]int, partitions)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(len(g.parts[b].mem), len(g.parts[a].mem)) })
	for _, i := range order[:partitions/2] {
		p := &g.parts[i]
		if len(p.mem) == 0 {
			break
		}
		if err := p.spill(g.made); err != nil {
			return fmt.Errorf("temporary file for rows of one job that lie apart: %w", err)
		}
		g.held -= int64(cap(p.mem))
		p.mem = nil
	}
	return nil
}

func (p *partition) spill(dir string) error {
	if p.file == nil {
		f, err := os.CreateTemp(dir, "part-")
		if err != nil {
			return err
		}
		// The file has no name any more: it goes with the process, also when that is killed.
		if err := os.Remove(f.Name()); err != nil {
			return errors.Join(err, f.Close())
		}
		p.file = f
	}
	packed := s2.Encode(nil, p.mem)
	var head [16]byte
	binary.LittleEndian.PutUint64(head[:], uint64(len(packed)))
	binary.LittleEndian.PutUint64(head[8:], uint64(len(p.mem)))
	if _, err := p.file.Write(head[:]); err != nil {
		return err
	}
	p.spilled += int64(len(p.mem))
	_, err := p.file.Write(packed)
	return err
}

// load returns all records of the partition, encoded.
func (p *partition) load() ([]byte, error) {
	if p.file == nil {
		return p.mem, nil
	}
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	all := make([]byte, 0, p.spilled+int64(len(p.mem)))
	in := bufio.NewReaderSize(p.file, 1<<20)
	var packed []byte
	for {
		var head [16]byte
		if _, err := io.ReadFull(in, head[:]); errors.Is(err, io.EOF) {
			return append(all, p.mem...), nil
		} else if err != nil {
			return nil, err
		}
		from, to := int(binary.LittleEndian.Uint64(head[:])), int(binary.LittleEndian.Uint64(head[8:]))
		packed = slices.Grow(packed[:0], from)[:from]
		if _, err := io.ReadFull(in, packed); err != nil {
			return nil, err
		}
		at := len(all)
		all = all[:at+to]
		if _, err := s2.Decode(all[at:], packed); err != nil {
			return nil, err
		}
	}
}

// entry is where a record lies in the bytes of a partition.
type entry struct {
	job      int32 // number of its key
	file     int32
	from, to int
	line     int64
	tag      uint8
}

// Jobs yields every key with its records, in the order of the input. The order of keys depends on the keys alone. The
// records are valid until the next key. The gatherer is empty afterwards.
func (g *Gatherer) Jobs(ctx context.Context) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		for i := range g.parts {
			if err := ctx.Err(); err != nil {
				yield(Job{}, err)
				return
			}
			data, err := g.parts[i].load()
			if err != nil {
				yield(Job{}, err)
				return
			}
			if !jobs(data, yield) {
				return
			}
			g.held -= int64(cap(g.parts[i].mem))
			g.parts[i].mem = nil
			if err := g.parts[i].close(); err != nil {
				yield(Job{}, err)
				return
			}
		}
	}
}

// Job is a key and its records.
type Job struct {
	Key     string
	Records []Record
}

// jobs yields the jobs of one partition, in the order of their keys.
func jobs(data []byte, yield func(Job, error) bool) bool {
	entries, keys, counts := decode(data)
	order := make([]int32, len(keys))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
	next := make([]int, len(keys)) // where the next record of a key goes
	at := 0
	for _, k := range order {
		next[k] = at
		at += counts[k]
	}
	records := make([]Record, len(entries)) // a counting sort: the records of a key keep their order
	for i := range entries {
		e := &entries[i]
		records[next[e.job]] = Record{Tag: e.tag, File: e.file, Line: e.line, Bytes: data[e.from:e.to:e.to]}
		next[e.job]++
	}
	for _, k := range order {
		n := counts[k]
		if !yield(Job{Key: keys[k], Records: records[:n:n]}, nil) {
			return false
		}
		records = records[n:]
	}
	return true
}

// decode finds the records in the bytes of a partition, which only Add has written, the distinct keys, and how many records
// each has.
func decode(data []byte) (entries []entry, keys []string, counts []int) {
	ids := map[string]int32{}
	at := 0
	number := func() int {
		n, size := binary.Uvarint(data[at:])
		at += size
		return int(n)
	}
	for at < len(data) {
		n := number()
		key := data[at : at+n]
		at += n
		id, ok := ids[string(key)]
		if !ok {
			id = int32(len(keys))
			keys = append(keys, string(key))
			ids[keys[id]] = id
			counts = append(counts, 0)
		}
		counts[id]++
		e := entry{job: id, tag: data[at]}
		at++
		e.file, e.line = int32(number()), int64(number())
		n = number()
		e.from, e.to = at, at+n
		at += n
		entries = append(entries, e)
	}
	return entries, keys, counts
}

func (p *partition) close() error {
	if p.file == nil {
		return nil
	}
	f := p.file
	p.file = nil
	return f.Close()
}

// Close gives memory and temporary files back.
func (g *Gatherer) Close() error {
	var errs []error
	for i := range g.parts {
		errs = append(errs, g.parts[i].close())
		g.parts[i].mem = nil
	}
	if g.made != "" {
		errs = append(errs, os.RemoveAll(g.made))
		g.made = ""
	}
	return errors.Join(errs...)
}

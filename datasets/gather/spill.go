package gather

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/klauspost/compress/s2"

	"racecard/datasets/fault"
	"racecard/datasets/publish"
)

// spilled is what lies in the temporary file.
type spilled struct {
	file   *os.File // nil when there is none
	size   int64
	plain  int64
	rounds []round
}

// round is what one call of spill wrote: for every partition its records, compressed.
type round struct {
	at    [partitions + 1]int64 // where they begin in the file
	plain [partitions]int       // bytes before compression
}

// spill moves all blocks to the temporary file.
func (g *Gatherer) spill() error {
	if err := g.spilled.write(g.dir, g.blocks); err != nil {
		return fmt.Errorf("temporary file for rows of one job that lie apart: %w; --memory sets how much of them stays in memory, TMPDIR where the file lies", err)
	}
	for _, b := range g.blocks {
		rooms.Put(&b.data)
	}
	clear(g.blocks)
	g.blocks, g.held = g.blocks[:0], 0
	return nil
}

func (s *spilled) write(dir string, blocks []*block) error {
	if s.file == nil {
		f, err := publish.TemporaryFile(dir, "racecard-gather-")
		if err != nil {
			return err
		}
		s.file = f
	}
	var r round
	workers := runtime.GOMAXPROCS(0)
	packed := make([][]byte, workers)
	for p := 0; p < partitions; p += workers {
		n := min(workers, partitions-p)
		var wait sync.WaitGroup
		for k := range n {
			wait.Go(func() {
				defer fault.Trap()
				all := join(blocks, p+k)
				r.plain[p+k] = len(all)
				packed[k] = s2.Encode(packed[k], all)
			})
		}
		wait.Wait()
		for k := range n {
			r.at[p+k] = s.size
			if _, err := s.file.Write(packed[k]); err != nil {
				return err
			}
			s.size += int64(len(packed[k]))
			s.plain += int64(r.plain[p+k])
		}
	}
	r.at[partitions] = s.size
	s.rounds = append(s.rounds, r)
	return nil
}

// join puts the records of a partition in all blocks one behind the other, each block's behind its file, first line and
// length.
func join(blocks []*block, p int) []byte {
	size := 0
	for _, b := range blocks {
		size += len(b.part(p)) + 3*binary.MaxVarintLen64
	}
	out := make([]byte, 0, size)
	for _, b := range blocks {
		data := b.part(p)
		if len(data) == 0 {
			continue
		}
		out = binary.AppendUvarint(out, uint64(b.file))
		out = binary.AppendUvarint(out, uint64(b.first))
		out = binary.AppendUvarint(out, uint64(len(data)))
		out = append(out, data...)
	}
	return out
}

// piece is the records of one partition in one block.
type piece struct {
	file  int32
	first int64
	data  []byte
}

// pieces appends the pieces of a partition in the file to all, in the order of the input.
func (s *spilled) pieces(all []piece, p int) ([]piece, error) {
	for i := range s.rounds {
		r := &s.rounds[i]
		packed := make([]byte, r.at[p+1]-r.at[p])
		if _, err := s.file.ReadAt(packed, r.at[p]); err != nil {
			return nil, err
		}
		plain, err := s2.Decode(make([]byte, r.plain[p]), packed)
		if err != nil {
			return nil, err
		}
		for len(plain) > 0 {
			d := decoder{data: plain}
			file, first, n := d.uvarint(), d.uvarint(), int(d.uvarint())
			all = append(all, piece{int32(file), int64(first), plain[d.at : d.at+n]})
			plain = plain[d.at+n:]
		}
	}
	return all, nil
}

func (s *spilled) close() error {
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	return f.Close()
}

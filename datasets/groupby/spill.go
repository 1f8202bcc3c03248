package groupby

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/klauspost/compress/s2"

	"racecard/datasets/parallel"
	"racecard/datasets/publish"
)

// spilled describes the content of the temporary file.
type spilled struct {
	file   *os.File // nil when there is none
	size   int64
	plain  int64
	frames [partitions][]frame // in the order of the input
}

// frame is some records of one partition, compressed.
type frame struct {
	at            int64 // in the file
	packed, plain int
}

// frameBytes is about how many bytes a frame has before compression; a block has more where its records are long.
const frameBytes = 1 << 20

// spill moves all blocks to the temporary file.
func (g *Grouper) spill() error {
	if err := g.spilled.write(g.blocks); err != nil {
		return fmt.Errorf("temporary file for rows of one job that lie apart: %w; more memory keeps more of them "+
			"there, TMPDIR says where the file lies", err)
	}
	for _, b := range g.blocks {
		rooms.Put(&b.data)
	}
	clear(g.blocks)
	g.blocks, g.held = g.blocks[:0], 0
	return nil
}

func (s *spilled) write(blocks []*block) error {
	if s.file == nil {
		f, err := publish.TemporaryFile("", "racecard-gather-")
		if err != nil {
			return err
		}
		s.file = f
	}
	workers := runtime.GOMAXPROCS(0)
	packed, plain := make([][]byte, workers), make([][]byte, workers)
	parts := partsOf(blocks)
	for len(parts) > 0 {
		n := min(workers, len(parts))
		_ = parallel.Do(context.Background(), n, func(k int) { // never fails
			plain[k] = join(plain[k][:0], parts[k].blocks, parts[k].partition)
			packed[k] = s2.Encode(packed[k], plain[k])
		})
		for k, part := range parts[:n] {
			if _, err := s.file.Write(packed[k]); err != nil {
				return err
			}
			s.frames[part.partition] = append(s.frames[part.partition], frame{s.size, len(packed[k]), len(plain[k])})
			s.size += int64(len(packed[k]))
			s.plain += int64(len(plain[k]))
		}
		parts = parts[n:]
	}
	return nil
}

// part is the records of a partition in consecutive blocks of one frame.
type part struct {
	partition int
	blocks    []*block
}

// partsOf divides blocks into the parts that become frames, partition by partition.
func partsOf(blocks []*block) []part {
	var parts []part
	for p := range partitions {
		from, size := 0, 0
		for i, b := range blocks {
			n := len(b.part(p))
			if size > 0 && size+n > frameBytes {
				parts = append(parts, part{p, blocks[from:i]})
				from, size = i, 0
			}
			size += n
		}
		if size > 0 {
			parts = append(parts, part{p, blocks[from:]})
		}
	}
	return parts
}

// join appends the records of a partition in blocks one behind the other, each block's behind its file, first line and
// length.
func join(out []byte, blocks []*block, p int) []byte {
	for _, b := range blocks {
		data := b.part(p)
		if len(data) == 0 {
			continue
		}
		out = appendPiece(out, piece{b.file, b.first, data})
	}
	return out
}

// piece is the records of one partition in one block.
type piece struct {
	file  int32
	first int64
	data  []byte
}

// unit is some records of one partition: a piece, or, without data, a frame of the file.
type unit struct {
	piece
	frame frame
	plain []byte // of the frame, where it is kept
}

// scratch is room for one frame.
type scratch struct{ packed, plain []byte }

// each hands the pieces of a unit to visit. A frame is read into room, or into memory that the unit keeps.
func (s *spilled) each(u *unit, room *scratch, keep bool, visit func(piece)) error {
	if u.data != nil {
		visit(u.piece)
		return nil
	}
	plain := u.plain
	if plain == nil {
		room.packed = slices.Grow(room.packed[:0], u.frame.packed)[:u.frame.packed]
		if _, err := s.file.ReadAt(room.packed, u.frame.at); err != nil {
			return err
		}
		var to []byte // s2 makes it
		if !keep {
			room.plain = slices.Grow(room.plain[:0], u.frame.plain)
			to = room.plain[:cap(room.plain)]
		}
		var err error
		if plain, err = s2.Decode(to, room.packed); err != nil {
			return err
		}
		if keep {
			u.plain = plain
		}
	}
	for len(plain) > 0 {
		file, at := uvarint(plain, 0)
		first, at := uvarint(plain, at)
		n, at := uvarint(plain, at)
		end := at + int(n)
		visit(piece{int32(file), int64(first), plain[at:end]})
		plain = plain[end:]
	}
	return nil
}

func (s *spilled) close() error {
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	return f.Close()
}

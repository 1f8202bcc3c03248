package source

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"sync"
)

// blockBytes is the size of blocks: large enough to be worth handing to another goroutine, small enough for its cache.
const blockBytes = 1 << 20

// Block is a stretch of a file: whole lines, so that blocks can be parsed by several goroutines at once. [Block.Next]
// takes its lines one after the other.
type Block struct {
	First int64 // number of its first line in the file, from 1
	End   error // why no block follows: io.EOF, or the error that the stream broke off with; nil when one follows

	Line   []byte // without its end; of a line that is too long the first 4 KiB
	Number int64  // of the line
	Long   bool   // the line is longer than the limit
	Last   bool   // the file ends with the line, without a line end
	Cut    bool   // the stream broke off inside the line

	rest []byte
	long bool // rest is the beginning of one line that is too long
	max  int
	size int // of rooms that are used again
	room []byte
	pool *sync.Pool
}

// Next moves to the next line and reports whether there is one.
func (b *Block) Next() bool {
	if len(b.rest) == 0 {
		return false
	}
	b.Number++
	i := bytes.IndexByte(b.rest, '\n')
	length := i + 1
	if i < 0 {
		length = len(b.rest)
		b.Line, b.rest = b.rest, nil
		b.Last = b.End != nil && !b.long
		b.Cut = b.Last && !errors.Is(b.End, io.EOF)
	} else {
		b.Line, b.rest = b.rest[:i], b.rest[i+1:]
	}
	if n := len(b.Line); n > 0 && b.Line[n-1] == '\r' { // bytes.TrimSuffix calls a function for it
		b.Line = b.Line[:n-1]
	}
	if len(b.Line) > 0 && b.Line[0] == byteOrderMark[0] {
		b.Line = bytes.TrimPrefix(b.Line, byteOrderMark)
	}
	if b.Long = b.long || length > b.max+len("\r\n"); b.Long {
		b.Line = b.Line[:min(len(b.Line), maxRaw)]
	}
	return true
}

// Rest returns the lines that Next has not taken yet, with their ends.
func (b *Block) Rest() []byte { return b.rest }

// Free gives the memory of the block back for later ones. Its lines must not be used any more.
func (b *Block) Free() {
	if room := b.room; cap(room) == b.size {
		b.pool.Put(&room)
	}
	b.room, b.rest, b.Line = nil, nil, nil
}

// Blocks splits a stream into blocks of lines, by the same rules as [Lines].
type Blocks struct {
	r      io.Reader
	max    int
	size   int
	number int64  // of the next line
	ragged bool   // the last line has no end
	room   []byte // bytes that were read and are in no block yet
	skip   bool   // up to the end of a line that is too long
	end    error
	pool   sync.Pool
}

// newBlocks returns a splitter that takes lines of at most max bytes; 0 means [MaxLine].
func newBlocks(r io.Reader, max, size int) *Blocks {
	if max == 0 {
		max = MaxLine
	}
	b := &Blocks{r: r, max: max, size: size, number: 1}
	b.room = b.fresh()
	return b
}

func (b *Blocks) fresh() []byte {
	if p, ok := b.pool.Get().(*[]byte); ok {
		return (*p)[:0]
	}
	return make([]byte, 0, b.size)
}

// Next returns the next block, and false when there is none: a stream without content has none, and the error of one
// that breaks off between two lines is in [Blocks.Err].
func (b *Blocks) Next() (Block, bool) {
	whole, searched := 0, 0 // bytes of the room that are whole lines, and that were searched for line ends
	for {
		if i := bytes.LastIndexByte(b.room[searched:], '\n'); i >= 0 {
			whole = searched + i + 1
		}
		searched = len(b.room)
		switch {
		case b.skip && whole > 0: // behind the line end that was looked for
			b.room = append(b.room[:0], b.room[bytes.IndexByte(b.room, '\n')+1:]...)
			b.skip, whole, searched = false, 0, 0
		case b.skip && b.end == nil:
			b.room, searched = b.room[:0], 0
			b.read()
		case b.skip:
			b.room, b.skip, searched = b.room[:0], false, 0
		case b.end != nil:
			return b.block(len(b.room), false)
		case whole > 0 && len(b.room) >= b.size:
			return b.block(whole, false)
		case whole == 0 && len(b.room) > b.max+len("\r\n"):
			b.skip = true
			return b.block(len(b.room), true)
		default:
			b.read()
		}
	}
}

// Err returns the error that the stream broke off with, nil while there is none and when it simply ended.
func (b *Blocks) Err() error {
	if errors.Is(b.end, io.EOF) {
		return nil
	}
	return b.end
}

// Lines returns the number of lines in the blocks so far.
func (b *Blocks) Lines() int64 {
	if b.ragged {
		return b.number
	}
	return b.number - 1
}

// read calls Read once to fill the buffer, which doubles when it is full.
func (b *Blocks) read() {
	if len(b.room) == cap(b.room) {
		b.room = slices.Grow(b.room, max(cap(b.room), 1))
	}
	var n int
	n, b.end = b.r.Read(b.room[len(b.room):cap(b.room)])
	b.room = b.room[:len(b.room)+n]
}

// block makes a block of the first n bytes of the room.
func (b *Blocks) block(n int, long bool) (Block, bool) {
	if n == 0 {
		return Block{}, false
	}
	out := Block{
		First: b.number, Number: b.number - 1, End: b.end, rest: b.room[:n], long: long, max: b.max, size: b.size,
		room: b.room, pool: &b.pool,
	}
	b.room = append(b.fresh(), b.room[n:]...)
	b.number += int64(bytes.Count(out.rest, []byte{'\n'}))
	b.ragged = !long && out.rest[n-1] != '\n'
	if long {
		b.room, out.End = b.room[:0], nil
		b.number++
	}
	return out, true
}

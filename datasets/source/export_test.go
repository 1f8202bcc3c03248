package source

import "io"

// SmallBlocks is NewBlocks with blocks of another size.
func SmallBlocks(r io.Reader, max, size int) *Blocks {
	b := NewBlocks(r, max)
	b.size, b.room = size, make([]byte, 0, size)
	return b
}

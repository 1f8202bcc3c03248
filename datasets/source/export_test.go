package source

import "io"

// SmallBlocks is NewBlocks with blocks of another size.
func SmallBlocks(r io.Reader, max, size int) *Blocks {
	return newBlocks(r, max, size)
}

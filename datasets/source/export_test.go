package source

import "io"

// SmallBlocks splits a stream into blocks of the given size.
func SmallBlocks(r io.Reader, max, size int) *Blocks {
	return newBlocks(r, max, size)
}

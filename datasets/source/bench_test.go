package source

import (
	"bytes"
	"testing"
	"testing/iotest"
)

// BenchmarkEndlessLine reads a line of 64 MB that never ends in blocks of a megabyte: each byte is searched for its end once.
func BenchmarkEndlessLine(b *testing.B) {
	line := bytes.Repeat([]byte("a,"), 32<<20)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		blocks := newBlocks(iotest.HalfReader(bytes.NewReader(line)), len(line), blockBytes)
		for {
			block, ok := blocks.Next()
			if !ok {
				break
			}
			block.Free()
		}
	}
}

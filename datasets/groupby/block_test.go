package groupby

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestBlocksKeepRecords adds records whose lengths lie on both sides of what a header's byte holds, with keys inside
// and outside of their bytes.
func TestBlocksKeepRecords(t *testing.T) {
	lengths := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(250, 260), rapid.IntRange(0, 70_000))
	rapid.Check(t, func(t *rapid.T) {
		type record struct {
			key, bytes []byte
			tag        uint8
			line       uint32
		}
		want := map[string][]record{}
		var b blockBuilder
		line := uint32(0)
		for i := range rapid.IntRange(1, 20).Draw(t, "records") {
			r := record{key: []byte{byte(i % 3)}, bytes: bytes.Repeat([]byte{'x'}, lengths.Draw(t, "length")),
				tag: rapid.Uint8().Draw(t, "tag")}
			r.key = append(r.key, bytes.Repeat([]byte{'k'}, lengths.Draw(t, "key"))...)
			if rapid.Bool().Draw(t, "inside") {
				at := lengths.Draw(t, "at")
				r.bytes = append(append(bytes.Repeat([]byte{'-'}, at), r.key...), r.bytes...)
				r.key = r.bytes[at : at+len(r.key)]
			}
			line += rapid.OneOf(rapid.Uint32Max(300), rapid.Uint32Max(1<<26)).Draw(t, "lines")
			r.line = line
			b.add(r.key, r.bytes, r.tag, r.line)
			want[string(r.key)] = append(want[string(r.key)], r)
		}
		block := b.finish()
		for p := range partitions {
			n := int32(0)
			for d := (decoder{data: block.part(p)}); d.next(); n++ {
				of := want[string(d.key)]
				if len(of) == 0 {
					t.Fatalf("a record of a key of %d bytes, want none", len(d.key))
				}
				if w := of[0]; !bytes.Equal(d.bytes, w.bytes) || d.tag != w.tag || d.line != w.line {
					t.Fatalf("line %d, tag %d, %d bytes, want line %d, tag %d, %d bytes", d.line, d.tag, len(d.bytes),
						w.line, w.tag, len(w.bytes))
				}
				want[string(d.key)] = of[1:]
			}
			if n != block.records[p] {
				t.Fatalf("%d records of partition %d, want %d", n, p, block.records[p])
			}
		}
		for _, left := range want {
			if len(left) > 0 {
				t.Fatalf("%d records are missing", len(left))
			}
		}
	})
}

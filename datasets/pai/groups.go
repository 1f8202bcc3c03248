package pai

import (
	"bytes"
	"crypto/sha256"
	"maps"
	"slices"
)

// groups remembers the first group tag of every inst_id, which is known by 128 bits of its SHA-256.
type groups struct {
	tag   map[hash]int32 // index into names
	index map[string]int32
	names []string
}

type hash [16]byte

func newGroups() groups { return groups{tag: map[hash]int32{}, index: map[string]int32{}} }

func hashOf(id []byte) hash {
	sum := sha256.Sum256(id)
	return hash(sum[:len(hash{})])
}

// add notes a group tag, unless the inst_id has one.
func (g *groups) add(id, tag []byte) {
	if key := hashOf(id); !g.has(key) {
		g.tag[key] = g.number(string(tag))
	}
}

func (g *groups) has(key hash) bool {
	_, ok := g.tag[key]
	return ok
}

// number returns the index of a tag in names.
func (g *groups) number(tag string) int32 {
	n, ok := g.index[tag]
	if !ok {
		n = int32(len(g.names))
		g.names = append(g.names, tag)
		g.index[tag] = n
	}
	return n
}

// of returns the group tag of an inst_id, "" when it has none.
func (g *groups) of(id []byte) string {
	if len(g.tag) == 0 {
		return ""
	}
	if n, ok := g.tag[hashOf(id)]; ok {
		return g.names[n]
	}
	return ""
}

// groupsForm is groups for another process.
type groupsForm struct {
	Names []string
	Keys  []byte  // the hashes in ascending order, one behind the other
	Tags  []int32 // of each
}

func (g *groups) form() groupsForm {
	f := groupsForm{Names: g.names}
	keys := slices.SortedFunc(maps.Keys(g.tag), func(a, b hash) int { return bytes.Compare(a[:], b[:]) })
	for _, key := range keys {
		f.Keys, f.Tags = append(f.Keys, key[:]...), append(f.Tags, g.tag[key])
	}
	return f
}

// merge adds the group tags of another process, whose files come behind those so far. It reports whether they are
// well-formed.
func (g *groups) merge(f groupsForm) bool {
	size := len(hash{})
	if len(f.Keys) != size*len(f.Tags) {
		return false
	}
	for i, tag := range f.Tags {
		if tag < 0 || int(tag) >= len(f.Names) {
			return false
		}
		if key := hash(f.Keys[size*i : size*(i+1)]); !g.has(key) {
			g.tag[key] = g.number(f.Names[tag])
		}
	}
	return true
}

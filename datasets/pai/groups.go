package pai

import (
	"bytes"
	"crypto/sha256"
	"maps"
	"slices"
	"sort"
)

// groups remembers the first group tag of every inst_id, which is known by 128 bits of its SHA-256.
type groups struct {
	tag   map[hash]int32 // index into names
	index map[string]int32
	names []string
	after []groupsForm // of other processes, whose files come behind
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
	if len(g.tag) == 0 && len(g.after) == 0 {
		return ""
	}
	key := hashOf(id)
	if n, ok := g.tag[key]; ok {
		return g.names[n]
	}
	for i := range g.after {
		f := &g.after[i]
		n := sort.Search(len(f.Tags), func(n int) bool { return bytes.Compare(f.key(n), key[:]) >= 0 })
		if n < len(f.Tags) && bytes.Equal(f.key(n), key[:]) {
			return f.Names[f.Tags[n]]
		}
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

// key returns the hash of a number.
func (f *groupsForm) key(n int) []byte {
	const size = len(hash{})
	return f.Keys[size*n : size*(n+1)]
}

// merge adds the group tags of another process, whose files come behind those so far. It reports whether they are
// well-formed. They stay as they are: every unit of the second wave holds them, and a map takes three times the memory.
func (g *groups) merge(f groupsForm) bool {
	if len(f.Keys) != len(hash{})*len(f.Tags) {
		return false
	}
	for i, tag := range f.Tags {
		if tag < 0 || int(tag) >= len(f.Names) || i > 0 && bytes.Compare(f.key(i-1), f.key(i)) >= 0 {
			return false
		}
	}
	if len(f.Tags) > 0 {
		g.after = append(g.after, f)
	}
	return true
}

package pai

import "hash/maphash"

// groups remembers the group tag of every job, by 128-bit hashes of its inst_id.
type groups struct {
	seeds [2]maphash.Seed
	tag   map[[2]uint64]int32 // index into names
	index map[string]int32
	names []string
}

func newGroups() groups {
	return groups{
		seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		tag:   map[[2]uint64]int32{}, index: map[string]int32{},
	}
}

func (g *groups) hash(id []byte) [2]uint64 {
	return [2]uint64{maphash.Bytes(g.seeds[0], id), maphash.Bytes(g.seeds[1], id)}
}

// add notes a group tag. It reports false, and changes nothing, when the job has another one.
func (g *groups) add(id, tag []byte) bool {
	if id == nil || tag == nil {
		return true
	}
	n, ok := g.index[string(tag)]
	if !ok {
		n = int32(len(g.names))
		g.names = append(g.names, string(tag))
		g.index[g.names[n]] = n
	}
	key := g.hash(id)
	if had, ok := g.tag[key]; ok {
		return had == n
	}
	g.tag[key] = n
	return true
}

// of returns the group tag of a job, "" when it has none.
func (g *groups) of(id []byte) string {
	if n, ok := g.tag[g.hash(id)]; ok {
		return g.names[n]
	}
	return ""
}

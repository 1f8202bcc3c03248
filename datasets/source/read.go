package source

import (
	"fmt"
	"hash/maphash"
)

// Line is one line of a file, for readers of formats that hold one run per line.
type Line struct {
	File   *File
	Number int64  // from 1
	Bytes  []byte // valid until the next line
	Record int64  // number of the non-empty line, from 1; not for a LineParser
	Prefix string // of ids that count from 1 in every file: see [IDPrefixes]
}

// Reject returns a reject at this line.
func (l *Line) Reject(field, reason, format string, args ...any) *Reject {
	return NewReject(l.File.Name, l.Number, field, reason, fmt.Sprintf(format, args...), l.Bytes)
}

// IDs remembers which ids were met, by 128-bit hashes: about 40 bytes an id, and a false alarm is less likely than a
// memory error.
type IDs struct {
	seeds [2]maphash.Seed
	seen  map[[2]uint64]struct{}
}

// NewIDs returns an empty set.
func NewIDs() *IDs {
	return &IDs{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, seen: map[[2]uint64]struct{}{}}
}

// Claim adds id and reports whether it is new.
func (s *IDs) Claim(id string) bool {
	key := [2]uint64{maphash.String(s.seeds[0], id), maphash.String(s.seeds[1], id)}
	if _, ok := s.seen[key]; ok {
		return false
	}
	s.seen[key] = struct{}{}
	return true
}

// Has reports whether id was claimed.
func (s *IDs) Has(id string) bool {
	_, ok := s.seen[[2]uint64{maphash.String(s.seeds[0], id), maphash.String(s.seeds[1], id)}]
	return ok
}

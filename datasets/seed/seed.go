// Package seed turns one seed into independent streams of random numbers, so that results do not depend on the order in
// which work items are done, nor on how many workers do them.
package seed

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Stream returns the stream of work item number item of the given purpose, a fixed name such as "bootstrap cov". The
// key of the ChaCha8 generator is the SHA-256 of all three, so streams of different items or purposes are independent
// and two calls with the same arguments give the same numbers on any machine.
func Stream(seed uint64, purpose string, item uint64) *rand.ChaCha8 {
	h := sha256.New()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], seed)
	binary.LittleEndian.PutUint64(b[8:], item)
	h.Write(b[:])
	h.Write([]byte(purpose))
	return rand.NewChaCha8([32]byte(h.Sum(nil)))
}

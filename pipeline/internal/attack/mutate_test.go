package attack

import (
	"bytes"
	"math/rand/v2"
	"slices"
)

// mutate returns data that is damaged in one of several ways, and says in which. other is content of the same or
// another kind.
func mutate(rng *rand.Rand, data, other []byte) (changed []byte, how string) {
	out := bytes.Clone(data)
	if len(out) == 0 {
		return other, "replaced"
	}
	at := rng.IntN(len(out))
	switch rng.IntN(9) {
	case 0:
		out[at] ^= 1 << rng.IntN(8)
		return out, "a bit flipped"
	case 1:
		for i := at; i < min(at+8, len(out)); i++ {
			out[i] = 0xff
		}
		return out, "eight bytes of ones"
	case 2:
		for range 1 + rng.IntN(20) {
			out[rng.IntN(len(out))] = byte(rng.Uint32())
		}
		return out, "bytes changed"
	case 3:
		return out[:at], "cut off"
	case 4:
		return other, "replaced by another"
	case 5:
		to := min(len(out), at+1+rng.IntN(200))
		return slices.Concat(out[:to], out[at:to], out[to:]), "a part twice"
	case 6:
		return slices.Delete(out, at, min(len(out), at+1+rng.IntN(50))), "a part missing"
	case 7:
		return number(rng, out), "a number changed"
	default:
		if len(other) == 0 {
			return nil, "emptied"
		}
		from := rng.IntN(len(other))
		n := copy(out[at:], other[from:min(len(other), from+200)])
		return out[:min(len(out), at+n+rng.IntN(len(out)))], "spliced with another"
	}
}

// numbers are values that readers should not take for granted.
var numbers = []string{
	"-1", "0", "999", "9223372036854775807", "-9223372036854775808", "1e308", "-1e-308", "4294967296", "1099511627776",
	"null", `"x"`, "[]", "{}", "[[[[[[", "true", "0.5", "NaN",
}

// number replaces a number in text, if there is any.
func number(rng *rand.Rand, data []byte) []byte {
	isDigit := func(b byte) bool { return b >= '0' && b <= '9' }
	start := rng.IntN(len(data))
	for i := range data {
		at := (start + i) % len(data)
		if !isDigit(data[at]) {
			continue
		}
		to := at
		for to < len(data) && isDigit(data[to]) {
			to++
		}
		return slices.Concat(data[:at], []byte(numbers[rng.IntN(len(numbers))]), data[to:])
	}
	return data[:start]
}

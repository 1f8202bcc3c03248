// Package lists has functions on slices that package slices of the standard library lacks.
package lists

// Map returns the values of a function of all elements; nil for none.
func Map[T, U any](all []T, of func(T) U) []U {
	var out []U
	for _, x := range all {
		out = append(out, of(x))
	}
	return out
}

// full is the number of elements of a chunk that is not added to.
const full = 1 << 13

// Push appends an element to the last of chunks, or to a new chunk. Unlike a slice of millions of elements, chunks are
// not copied to grow.
func Push[T any](chunks [][]T, x T) [][]T {
	last := len(chunks) - 1
	switch {
	case last < 0:
		return append(chunks, []T{x})
	case len(chunks[last]) >= full:
		return append(chunks, append(make([]T, 0, full), x))
	}
	chunks[last] = append(chunks[last], x)
	return chunks
}

// Thin returns at most n elements, evenly spaced, the first and the last among them.
func Thin[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	out := make([]T, n)
	for i := range out {
		out[i] = all[i*(len(all)-1)/(n-1)]
	}
	return out
}

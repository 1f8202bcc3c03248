// Package lists has functions on slices and maps that the standard library lacks.
package lists

import (
	"cmp"
	"slices"
)

// Map returns the values of a function of all elements; nil for none.
func Map[T, U any](all []T, of func(T) U) []U {
	if len(all) == 0 {
		return nil
	}
	out := make([]U, len(all))
	for i, x := range all {
		out[i] = of(x)
	}
	return out
}

// Kept returns the elements that pass a test, in their order; nil for none.
func Kept[T any](all []T, holds func(T) bool) []T {
	var out []T
	for _, x := range all {
		if holds(x) {
			out = append(out, x)
		}
	}
	return out
}

// Indexed returns n values of a function of their index.
func Indexed[T any](n int, of func(i int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = of(i)
	}
	return out
}

// Union appends those of more that are not among all, each once.
func Union[T comparable](all []T, more ...T) []T {
	for _, x := range more {
		if !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}

// Set returns the elements as keys of a map.
func Set[T comparable](all []T) map[T]bool {
	out := make(map[T]bool, len(all))
	for _, x := range all {
		out[x] = true
	}
	return out
}

// Count returns how many elements pass a test.
func Count[T any](all []T, holds func(T) bool) (n int) {
	for _, x := range all {
		if holds(x) {
			n++
		}
	}
	return n
}

// Sum returns the sum of values, added in their order.
func Sum[T ~int | ~int64 | ~float64](all []T) (sum T) {
	for _, x := range all {
		sum += x
	}
	return sum
}

// SumOf returns the sum of a function of all elements, added in their order.
func SumOf[T any, N ~int | ~int64 | ~float64](all []T, of func(T) N) (sum N) {
	for _, x := range all {
		sum += of(x)
	}
	return sum
}

// Add adds counts to those of a map.
func Add[K comparable, N ~int | ~int64](into, counts map[K]N) {
	for what, n := range counts {
		into[what] += n
	}
}

// Total returns the sum of the counts of a map.
func Total[K comparable, T ~int | ~int64](counts map[K]T) (sum T) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// Order returns the indices of n elements in the order of a comparison, equal ones by index. Time O(n log n).
func Order[I ~int | ~int32](n int, compare func(a, b I) int) []I {
	out := make([]I, n)
	for i := range out {
		out[i] = I(i)
	}
	slices.SortFunc(out, func(a, b I) int { return cmp.Or(compare(a, b), cmp.Compare(a, b)) })
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

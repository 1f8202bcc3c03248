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

// Package lists makes lists of lists, for what package slices of the standard library lacks.
package lists

// Each returns what a function makes of every element; nil for none.
func Each[T, U any](all []T, of func(T) U) []U {
	var out []U
	for _, x := range all {
		out = append(out, of(x))
	}
	return out
}

// Spread returns n elements at most, the first and the last among them.
func Spread[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	out := make([]T, n)
	for i := range out {
		out[i] = all[i*(len(all)-1)/(n-1)]
	}
	return out
}

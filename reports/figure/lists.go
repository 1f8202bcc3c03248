package figure

import "slices"

// each converts every element.
func each[T, U any](all []T, of func(T) U) []U {
	out := make([]U, len(all))
	for i, x := range all {
		out[i] = of(x)
	}
	return out
}

// kept returns the elements that pass a test.
func kept[T any](all []T, holds func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !holds(x) })
}

// given returns the elements, such as panels of a chart or entries of a key, if holds is set, and otherwise none.
func given[T any](holds bool, all ...T) []T {
	if !holds {
		return nil
	}
	return all
}

// grouped divides elements into groups of the same, in the order of their first members.
func grouped[T any](all []T, same func(a, b T) bool) (groups [][]T) {
	for _, x := range all {
		i := slices.IndexFunc(groups, func(g []T) bool { return same(g[0], x) })
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	return groups
}

// spread returns n elements at most, the first and the last among them.
func spread[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	var out []T
	for i := range n {
		out = append(out, all[i*(len(all)-1)/(n-1)])
	}
	return out
}

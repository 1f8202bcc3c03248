package figure

import "slices"

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

package indexed

import (
	"slices"
	"strings"
)

// Join returns the entries of a folder, by job, after mine have replaced those before of the same jobs, and the entries
// that stay. Neither argument is modified.
func Join[E any](mine, before []E, job func(E) string) (all, kept []E) {
	kept = slices.DeleteFunc(slices.Clone(before), func(e E) bool {
		return slices.ContainsFunc(mine, func(m E) bool { return job(m) == job(e) })
	})
	all = slices.Concat(mine, kept)
	slices.SortFunc(all, func(a, b E) int { return strings.Compare(job(a), job(b)) })
	return all, kept
}

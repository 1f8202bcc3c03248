package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/words"
)

// unknownWord is the error for an unknown word: it names the nearest known word, or all.
func unknownWord(word string, known []string) error {
	if near := closest(word, known); near != "" {
		return fmt.Errorf("did you mean %s? There are %s", near, strings.Join(known, ", "))
	}
	if len(known) <= 2 {
		return fmt.Errorf("want %s", strings.Join(known, " or "))
	}
	return fmt.Errorf("want one of %s", strings.Join(known, ", "))
}

// unknownArgument is the usage error for an unknown argument.
func unknownArgument(what, word string, known []string) error {
	return usageError{fmt.Errorf("there is no %s %q: %w", what, word, unknownWord(word, known))}
}

// sameFlags lists words that mean the same flag.
var sameFlags = [][]string{
	{"cores", "tokens", "allocations", "allocation", "max-tokens", "slots", "executors"},
	{"machines", "nodes", "hosts", "servers"},
	{"out", "output", "directory", "folder"},
	{"on", "date", "day"},
	{"deadline", "due"},
	{"workers", "threads", "parallel"},
}

// meantFlag suggests a known flag for an unknown one, if one is like it.
func meantFlag(name string, known []string) string {
	if flag := likeFlag(name, known); flag != "" {
		return "; did you mean --" + flag + "?"
	}
	return ""
}

// likeFlag returns another word for a flag, the only flag that begins with it, or the nearest; "" if none is near.
func likeFlag(name string, known []string) string {
	for _, same := range sameFlags {
		i := slices.IndexFunc(same, func(word string) bool { return slices.Contains(known, word) })
		if i >= 0 && slices.Contains(same, name) {
			return same[i]
		}
	}
	longer := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !strings.HasPrefix(k, name) })
	if len(longer) == 1 && name != "" {
		return longer[0]
	}
	return closest(name, known)
}

// meant suggests the known word nearest to an unknown one, if any is near.
func meant(word string, known []string) string {
	if near := closest(word, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// closest returns the known word that is fewest edits away, at most a third of its length and one; "" if none is.
func closest(word string, known []string) string {
	best, least := "", 1<<30
	if len(word) > 100 {
		return ""
	}
	for _, k := range known {
		if d := edits(strings.ToLower(word), strings.ToLower(k)); d < least && d <= 1+len(k)/3 && d < len(k) {
			best, least = k, d
		}
	}
	return best
}

// maxNearest bounds the names that are searched for suggestions.
const maxNearest = 10_000

// nearest lists the names most like one, for an error.
func nearest(name string, all map[string]int) string {
	names := slices.Sorted(maps.Keys(all))
	if len(names) == 0 {
		return ": no run has a name"
	}
	name = words.Shorten(strings.ToLower(name), longName)
	distance := map[string]int{}
	for _, n := range names {
		distance[n] = edits(name, words.Shorten(strings.ToLower(n), longName))
	}
	slices.SortStableFunc(names, func(a, b string) int { return distance[a] - distance[b] })
	shown := lists.Map(names[:min(5, len(names))], func(n string) string { return words.Shorten(n, longName) })
	return "; the nearest names are " + strings.Join(shown, ", ")
}

// longName is the number of characters of a name that are shown and compared.
const longName = 120

// edits is V. Levenshtein's distance, in bytes. It takes time in proportion to len(a) x len(b).
func edits(a, b string) int {
	row := lists.Indexed(len(b)+1, func(j int) int { return j })
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := min(row[j], row[j+1]) + 1
			if a[i] == b[j] {
				next = min(next, diagonal)
			} else {
				next = min(next, diagonal+1)
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

package figure

import (
	"maps"
	"slices"
	"unicode"
	"unicode/utf8"
)

// sortedKeys returns the keys of a map in ascending order, for results that must not depend on the order of maps.
func sortedKeys[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }

// capital returns text with its first letter in upper case.
func capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + text[size:]
}

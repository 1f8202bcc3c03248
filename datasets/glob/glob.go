// Package glob matches names of jobs and machines with patterns as a shell has them. A slash is a character like any
// other, as in the name of a job or of an executor: unlike in [path.Match], * matches it.
package glob

import (
	"path"
	"strings"
)

var plain = strings.NewReplacer("/", "\x00")

// Match reports whether a pattern matches a whole name. The pattern is one of [path.Match]; one that [Check] refuses
// matches nothing.
func Match(pattern, name string) bool {
	ok, _ := path.Match(plain.Replace(pattern), plain.Replace(name))
	return ok
}

// MatchMachine reports whether a pattern matches the name of a machine, or of the machine of an executor, which has its
// number behind a slash: host-2/0.
func MatchMachine(pattern, name string) bool {
	if Match(pattern, name) {
		return true
	}
	host := strings.LastIndexByte(name, '/')
	return host > 0 && Match(pattern, name[:host])
}

// IsPattern reports whether a text may stand for several names, as nightly-* does.
func IsPattern(text string) bool { return strings.ContainsAny(text, "*?[") }

// Check returns an error for a pattern that is malformed.
func Check(pattern string) error {
	_, err := path.Match(plain.Replace(pattern), "")
	return err
}

// Key returns the key of a map that stands for a name: the name itself, else the longest pattern that matches it, of
// several the first in the order of text. It returns false if there is none.
func Key[V any](of map[string]V, name string) (key string, found bool) {
	if _, found = of[name]; found {
		return name, true
	}
	for pattern := range of {
		if Match(pattern, name) && (!found || len(pattern) > len(key) || len(pattern) == len(key) && pattern < key) {
			key, found = pattern, true
		}
	}
	return key, found
}

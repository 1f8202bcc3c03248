// Package jobname finds the recurring job in the names of its runs: a nightly job is often named after its date, so
// that no two runs have the same name.
package jobname

import "bytes"

// A rule finds the parts of a name that "#" replaces.
type rule struct {
	name  string                             // for people
	might func(name []byte, digits int) bool // false for most names in which there is nothing to find
	// a match must begin at a letter or digit that follows none; end is behind it
	find func(name []byte, at int) (end int, found bool)
}

// rules are tried in this order.
var rules = [...]rule{
	{"UUIDs", func(name []byte, _ int) bool { return len(name) >= 36 && bytes.Count(name, []byte("-")) >= 4 }, uuid},
	{"dates, with an hour or a clock time behind them", func(_ []byte, digits int) bool { return digits >= 6 }, date},
	{"clock times", func(name []byte, digits int) bool { return digits >= 3 && bytes.IndexByte(name, ':') >= 0 },
		clock},
}

// Rules describes, for people, what Normalize replaces.
func Rules() []string {
	out := make([]string, 0, len(rules)+2)
	for _, r := range rules {
		out = append(out, r.name)
	}
	return append(out, "hexadecimal words of 8 or more characters with a digit", "runs of 5 or more digits")
}

// Normalize returns name with dates, clock times, UUIDs, hexadecimal words of 8 or more characters with a digit, and
// runs of 5 or more digits each replaced by "#". Shorter numbers stay: they tell one job from another more often than
// one run. Names that become the same are runs of the same job. Normalizing twice changes nothing more.
func Normalize(name string) string {
	var n Normalizer
	if form := n.Form(name); string(form) != name {
		return string(form)
	}
	return name
}

// Normalizer normalizes many names in the same memory. The zero value is ready for use.
type Normalizer struct{ text, room []byte }

// Form returns what [Normalize] does, valid until the next call. A name takes some 80 ns.
func (n *Normalizer) Form(name string) []byte {
	text, room := n.text[:0], n.room
	text = append(text, name...)
	digits := countDigits(text)
	if digits > 0 { // there is nothing without one
		for i := range rules {
			if rules[i].might(text, digits) {
				text, room = replace(room[:0], text, rules[i].find), text
			}
		}
		text, room = withoutNumbers(room[:0], text), text
	}
	// not every time: pointers that change are work for the collector
	if cap(text)+cap(room) > cap(n.text)+cap(n.room) {
		n.text, n.room = text, room
	}
	return text
}

func countDigits(name []byte) int {
	n := 0
	for _, c := range name {
		n += int(kinds[c] & digitKind)
	}
	return n
}

// replace appends name to dst, with what find finds replaced, from left to right, between characters that are neither
// letters nor digits.
func replace(dst, name []byte, find func([]byte, int) (int, bool)) []byte {
	for at := 0; at < len(name); {
		if !isWord(name[at]) {
			dst = append(dst, name[at])
			at++
			continue
		}
		if end, found := find(name, at); found {
			dst = append(dst, '#')
			at = end
			continue
		}
		from := at
		for at < len(name) && isWord(name[at]) {
			at++
		}
		dst = append(dst, name[from:at]...)
	}
	return dst
}

// The least number of characters that withoutNumbers replaces.
const (
	hexWord  = 8
	digitRun = 5
)

// withoutNumbers appends name to dst, with hexadecimal words replaced, and runs of digits in other words.
func withoutNumbers(dst, name []byte) []byte {
	for at := 0; at < len(name); {
		end, numbers, met := at, 0, uint8(0)
		for end < len(name) && isWord(name[end]) {
			kind := kinds[name[end]]
			numbers += int(kind & digitKind)
			met |= kind
			end++
		}
		hex := met&otherLetter == 0
		switch {
		case end == at:
			dst = append(dst, name[at])
			end++
		case hex && numbers > 0 && end-at >= hexWord:
			dst = append(dst, '#')
		case numbers >= digitRun:
			dst = withoutRuns(dst, name[at:end])
		default:
			dst = append(dst, name[at:end]...)
		}
		at = end
	}
	return dst
}

// withoutRuns appends a word to dst, with runs of digits replaced.
func withoutRuns(dst, word []byte) []byte {
	for at := 0; at < len(word); {
		n := run(word, at)
		switch {
		case n >= digitRun:
			dst = append(dst, '#')
		case n == 0:
			n = 1
			fallthrough
		default:
			dst = append(dst, word[at:at+n]...)
		}
		at += n
	}
	return dst
}

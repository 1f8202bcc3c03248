package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// List joins words the way a sentence does: a, b and c.
func List(all []string) string {
	switch len(all) {
	case 0:
		return ""
	case 1:
		return all[0]
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

// Capital returns text with its first letter in upper case.
func Capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + text[size:]
}

// Shorten cuts text to at most n characters and ends cut text with an ellipsis. Control characters and invalid
// UTF-8 become the replacement character, so that any name from a trace can be shown. n must be positive.
func Shorten(text string, n int) string {
	text = Printable(text)
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	runes := []rune(text)
	return strings.TrimRightFunc(string(runes[:n-1]), unicode.IsSpace) + "…"
}

// Printable replaces control characters and invalid UTF-8 by the replacement character.
func Printable(text string) string {
	return strings.Map(Visible, strings.ToValidUTF8(text, string(utf8.RuneError)))
}

// Visible returns a character as it is shown: the replacement character for those that are not written but do
// something, as control characters, separators of lines and changes of direction.
func Visible(r rune) rune {
	if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || isDirection(r) {
		return utf8.RuneError
	}
	return r
}

// isDirection reports whether r changes the direction of the text that follows it: a name must not rearrange a report.
func isDirection(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c
}

// Bind keeps together what a line break would part: a number and its unit (10 s, 3 min 20 s, n = 4), by no-break
// spaces, and dates, by word joiners.
func Bind(text string) string {
	const fixed = "\u00a0"
	words := strings.Split(text, " ")
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			before := words[i-1]
			switch {
			case endsInDigit(before) && isUnit(w), i > 1 && endsInDigit(words[i-2]) && isUnit(before) &&
				endsInDigit(w) && !strings.ContainsAny(before, ",;.:)"), before == "n" && w == "=", i > 1 &&
				words[i-2] == "n" && before == "=":
				b.WriteString(fixed)
			default:
				b.WriteByte(' ')
			}
		}
		if isDate(w) {
			w = strings.ReplaceAll(w, "-", "-\u2060")
		}
		b.WriteString(w)
	}
	return b.String()
}

// isDate reports whether a word begins like 2026-03-12.
func isDate(word string) bool {
	const form = "0000-00-00"
	if len(word) < len(form) {
		return false
	}
	for i := range len(form) {
		if form[i] == '-' && word[i] != '-' || form[i] == '0' && (word[i] < '0' || word[i] > '9') {
			return false
		}
	}
	return true
}

func endsInDigit(word string) bool {
	return word != "" && word[len(word)-1] >= '0' && word[len(word)-1] <= '9'
}

func isUnit(word string) bool {
	switch strings.TrimRight(word, ",;.:)") {
	case "s", "ms", "µs", "min", "h", "d", "B", "kB", "MB", "GB", "TB", "PB", "EB":
		return true
	}
	return false
}

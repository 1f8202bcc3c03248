package cli

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"racecard/datasets/words"
)

// screen is standard output or standard error. All text of a command goes through one, so that nothing from a trace, a
// path or an argument reaches a terminal raw: control characters, among them escape sequences, and characters that
// change the direction of text become the replacement character, and overlong words and lines are cut. Programs that
// read --json get every character, escaped ([screen.json]).
//
// A screen keeps the first error of writing: a command whose output is lost fails ([screen.close]).
type screen struct {
	to    io.Writer
	mark  string // begins a style; random, so that a trace cannot contain it
	draws bool   // the terminal supports colours and cursor movements
	held  []byte // the end of what was written: part of a character or of a mark
	word  int    // characters since the last space
	line  int    // characters of the line
	err   error
}

// Longer words and lines are cut.
const (
	longestWord = 400
	longestLine = 4000
)

func newScreen(to io.Writer) *screen {
	nonce := make([]byte, 8)
	_, _ = rand.Read(nonce) // never fails
	return &screen{to: to, mark: "\x1b" + hex.EncodeToString(nonce), draws: canDraw(to)}
}

// canDraw reports whether w is a terminal that can move the cursor and show colours.
func canDraw(w any) bool { return isTerminal(w) && os.Getenv("TERM") != "dumb" }

// isTerminal reports whether someone may sit at f.
func isTerminal(f any) bool {
	if s, ok := f.(*screen); ok {
		return isTerminal(s.to)
	}
	file, ok := f.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// paint gives text a colour on a terminal, unless NO_COLOR is set (https://no-color.org).
func (s *screen) paint(code, text string) string {
	if code == "" || !s.draws || os.Getenv("NO_COLOR") != "" {
		return text
	}
	return s.mark + code + "m" + text + s.mark + "0m"
}

// Write writes text for people. It reports the first error of the screen, which it keeps.
func (s *screen) Write(p []byte) (int, error) {
	s.held = append(s.held, p...)
	var b strings.Builder
	rest := s.held
	for len(rest) > 0 {
		if rest[0] == '\x1b' && len(rest) < len(s.mark)+6 && couldBegin(rest, s.mark) && !hasStyle(rest, s.mark) {
			break // the rest of a mark is to come
		}
		if code, size := styleAt(rest, s.mark); size > 0 {
			b.WriteString("\x1b[" + code + "m")
			rest = rest[size:]
			continue
		}
		if !utf8.FullRune(rest) {
			break
		}
		r, size := utf8.DecodeRune(rest)
		rest = rest[size:]
		s.put(&b, r)
	}
	s.held = append(s.held[:0], rest...)
	s.raw(b.String())
	return len(p), s.err
}

// put adds a character as it is shown.
func (s *screen) put(b *strings.Builder, r rune) {
	switch r {
	case '\n':
		s.word, s.line = 0, 0
		b.WriteByte('\n')
		return
	case ' ', '\t':
		s.word = 0
	default:
		s.word++
		r = words.Visible(r)
	}
	if s.word > longestWord {
		r = '…'
	}
	if s.word > longestWord+1 || s.line > longestLine {
		return // the ellipsis is there
	}
	if s.line++; s.line > longestLine {
		r = '…'
	}
	b.WriteRune(r)
}

// couldBegin reports whether text is the beginning of a style.
func couldBegin(text []byte, mark string) bool {
	n := min(len(text), len(mark))
	return string(text[:n]) == mark[:n]
}

func hasStyle(text []byte, mark string) bool {
	_, size := styleAt(text, mark)
	return size > 0
}

// styleAt returns the code of the style that text begins with and the bytes that it takes, 0 for none.
func styleAt(text []byte, mark string) (code string, size int) {
	after, ok := strings.CutPrefix(string(text[:min(len(text), len(mark)+6)]), mark)
	if !ok {
		return "", 0
	}
	code, _, ok = strings.Cut(after, "m")
	if !ok || strings.Trim(code, "0123456789;") != "" {
		return "", 0
	}
	return code, len(mark) + len(code) + 1
}

// raw writes text unchanged: cursor movements, and JSON. It must not contain text from a trace.
func (s *screen) raw(text string) {
	if s.err != nil || text == "" {
		return
	}
	if strings.ContainsAny(text, "\r\n") {
		s.word, s.line = 0, 0
	}
	if _, err := io.WriteString(s.to, text); err != nil {
		s.err = err
	}
}

// json writes a JSON document: characters that could steer a terminal are escaped, so that no program loses any.
func (s *screen) json(doc []byte) error {
	var b strings.Builder
	for _, r := range string(doc) { // valid UTF-8, as the encoder writes it
		if r == '\n' || r == words.Visible(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16Of(r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	s.raw(b.String())
	return s.err
}

// values cleans the values of a message: a name must not start a new line.
func (s *screen) values(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		switch v := a.(type) {
		case string:
			a = oneLine(plainWords(v))
		case error:
			a = oneLine(plainWords(v.Error()))
		}
		out[i] = a
	}
	return out
}

// oneLine replaces the ends of lines and tabs in a value.
func oneLine(text string) string {
	return strings.NewReplacer("\n", string(utf8.RuneError), "\r", string(utf8.RuneError), "\t",
		string(utf8.RuneError)).Replace(text)
}

// printf writes a message with each value on one line.
func (s *screen) printf(format string, args ...any) { fmt.Fprintf(s, format, s.values(args)...) }

// close writes buffered output, and returns the first error.
func (s *screen) close() error {
	if len(s.held) > 0 {
		s.raw(string(utf8.RuneError))
		s.held = nil
	}
	return s.err
}

// utf16Of returns a character as JSON escapes it.
func utf16Of(r rune) []rune {
	if r < 0x10000 {
		return []rune{r}
	}
	r -= 0x10000
	return []rune{0xd800 + r>>10, 0xdc00 + r&0x3ff}
}

package jsonscan

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// accepts reports whether the scanner takes a line for one JSON value.
func accepts(line []byte) bool {
	s := Scanner{Text: line}
	s.Skip()
	s.End()
	return s.Bad == nil
}

func TestScannerAgreesWithJSON(t *testing.T) {
	texts := []string{
		``, ` `, `{}`, `[]`, `{"a":1}`, ` { "a" : [ 1 , 2 ] , "b" : { } } `, `{"a":1,}`, `{"a" 1}`, `{"a"}`, `{,}`,
		`{a:1}`, `{"a":1 "b":2}`,
		`[1,]`, `[,1]`, `[1 2]`, `{"a":1}}`, `{"a":1} x`, `[`, `{`, `{"a`, `{"a":`, `{"a":1`, `"x`, `"x"`, `"a\"b"`,
		`"a\\"`, `"a\\\"`,
		"\"a\tb\"", "\"tab in a long text\t, beyond eight bytes\"", `"12345678"`, `"1234567\"90"`, `"\\\\\\\\\\"`,
		"\"\x00\"", "{}\x00",
		`0`, `-0`, `01`, `-`, `+1`, `1.`, `.5`, `1.5`, `1e5`, `1E+5`, `1e`, `1e+`, `1-2`, `--1`, `1.5.2`, `-12.5e-3`,
		`NaN`, `Infinity`,
		`true`, `false`, `null`, `tru`, `nul`, `nulll`, `truefalse`, `[true,false,null]`, `{"a":tru}`, `"ä"`, `'a'`,
		`{"a":"b"]`, `[1}`,
	}
	for _, text := range texts {
		if got, want := accepts([]byte(text)), json.Valid([]byte(text)); got != want {
			t.Errorf("%q: accepted %v, encoding/json says %v", text, got, want)
		}
	}
	// Real events with one byte changed. Escapes of text that is skipped are not checked, so none is touched.
	source := []byte(`{"Event":"SparkListenerTaskEnd","Stage ID":0,"Task Info":{"Task ID":7,"Launch Time":1000,"Failed":false,"Accumulables":[]},"Task Metrics":{"Input Metrics":{"Bytes Read":1.5e3},"x":[null,true,-3]}}`)
	rng := rand.New(rand.NewPCG(1, 2))
	const marks = "{}[]\",:0-e.tx \x01"
	for range 20000 {
		line := bytes.Clone(source)
		line[rng.IntN(len(line))] = marks[rng.IntN(len(marks))]
		if got, want := accepts(line), json.Valid(line); got != want {
			t.Fatalf("%q: accepted %v, encoding/json says %v", line, got, want)
		}
	}
}

func TestScannerDepth(t *testing.T) {
	line := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	if !accepts([]byte(line)) {
		t.Errorf("%d levels are refused", MaxDepth)
	}
	if accepts(bytes.Repeat([]byte{'['}, 10_000_000)) {
		t.Error("ten million levels are accepted")
	}
}

// FuzzScanner holds the scanner to its bounds: it never panics, and never reads past the line.
func FuzzScanner(f *testing.F) {
	f.Add([]byte(`{"a":[1,2.5e-3,"x\"y",null,true,{"b":{}}],"c":"12345678\\"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		s := Scanner{Text: line}
		s.Skip()
		s.End()
		if s.At > len(line) {
			t.Errorf("at byte %d of %d", s.At, len(line))
		}
	})
}

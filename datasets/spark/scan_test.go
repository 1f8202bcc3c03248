package spark

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// accepts reports whether the scanner takes a line for one JSON value.
func accepts(line []byte) bool {
	s := scanner{b: line}
	s.skip()
	s.end()
	return s.bad == nil
}

func TestScannerAgreesWithJSON(t *testing.T) {
	texts := []string{
		``, ` `, `{}`, `[]`, `{"a":1}`, ` { "a" : [ 1 , 2 ] , "b" : { } } `, `{"a":1,}`, `{"a" 1}`, `{"a"}`, `{,}`, `{a:1}`, `{"a":1 "b":2}`,
		`[1,]`, `[,1]`, `[1 2]`, `{"a":1}}`, `{"a":1} x`, `[`, `{`, `{"a`, `{"a":`, `{"a":1`, `"x`, `"x"`, `"a\"b"`, `"a\\"`, `"a\\\"`,
		"\"a\tb\"", "\"tab in a long text\t, beyond eight bytes\"", `"12345678"`, `"1234567\"90"`, `"\\\\\\\\\\"`, "\"\x00\"", "{}\x00",
		`0`, `-0`, `01`, `-`, `+1`, `1.`, `.5`, `1.5`, `1e5`, `1E+5`, `1e`, `1e+`, `1-2`, `--1`, `1.5.2`, `-12.5e-3`, `NaN`, `Infinity`,
		`true`, `false`, `null`, `tru`, `nul`, `nulll`, `truefalse`, `[true,false,null]`, `{"a":tru}`, `"ä"`, `'a'`, `{"a":"b"]`, `[1}`,
	}
	for _, text := range texts {
		if got, want := accepts([]byte(text)), json.Valid([]byte(text)); got != want {
			t.Errorf("%q: accepted %v, encoding/json says %v", text, got, want)
		}
	}
	// Real events with one byte changed. Escapes of text that is skipped are not checked, so none is touched.
	source := []byte(tk{id: 7, from: 1000, to: 1100, metrics: `"Input Metrics":{"Bytes Read":1.5e3},"x":[null,true,-3]`}.end())
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
	line := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	if !accepts([]byte(line)) {
		t.Errorf("%d levels are refused", maxDepth)
	}
	if accepts(bytes.Repeat([]byte{'['}, 10_000_000)) {
		t.Error("ten million levels are accepted")
	}
}

func TestScannerValues(t *testing.T) {
	tests := []struct{ text, want string }{
		{`{"n":12}`, "12"}, {`{"n":-3}`, "-3"}, {`{"n":1.2e3}`, "1200"}, {`{"n":null}`, "null"}, {`{"n":9223372036854775807}`, "9223372036854775807"},
		{`{"n":9223372036854775808}`, `bad field "n": want a whole number of at most 64 bits`},
		{`{"n":1.5}`, `bad field "n": want a whole number of at most 64 bits`},
		{`{"n":"12"}`, `bad field "n": want a whole number`},
		{`{"\u006e":12}`, "12"},
		{`{"n":`, `bad JSON "": the line ends where a value is due`},
		{`{"n":1`, `bad JSON "": the line ends where ',' or '}' is due`},
		{`{"n";1}`, `bad JSON "": byte 5 is ';', want ':'`},
		{`["n"]`, `bad field "": want something in {}`},
	}
	for _, test := range tests {
		s := scanner{b: []byte(test.text)}
		got := ""
		for more := s.open('{'); more; more = s.more('}') {
			if string(s.key()) == "n" {
				if got = count(s.int()); got == "-" {
					got = "null"
				}
			} else {
				s.skip()
			}
		}
		if s.end(); s.bad != nil {
			got = fmt.Sprintf("%s %q: %s", s.bad.reason, s.bad.field, s.bad.detail)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}

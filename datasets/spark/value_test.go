package spark

import (
	"fmt"
	"testing"
)

func TestScannerValues(t *testing.T) {
	tests := []struct{ text, want string }{
		{`{"n":12}`, "12"}, {`{"n":-3}`, "-3"}, {`{"n":1.2e3}`, "1200"}, {`{"n":null}`, "null"},
		{`{"n":9223372036854775807}`, "9223372036854775807"},
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
		s := scan([]byte(test.text))
		got := ""
		for more := s.Open('{'); more; more = s.More('}') {
			if string(s.Key()) == "n" {
				if got = count(s.int()); got == "-" {
					got = "null"
				}
			} else {
				s.Skip()
			}
		}
		if s.End(); s.Bad != nil {
			got = fmt.Sprintf("%s %q: %s", s.Bad.Reason, s.Bad.Field, s.Bad.Detail)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}

package indexed_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"racecard/datasets/indexed"
)

var kind = indexed.Kind{Index: "things.json", Format: "racecard-things", Version: 2, What: "things",
	Make: "racecard make", Again: "make the things again"}

func TestReadIndex(t *testing.T) {
	for _, test := range []struct{ name, index, want string }{
		{"good", `{"format":"racecard-things","version":2,"things":["a"]}`, ""},
		{"none", "", "no things.json: not a folder of things; make one with `racecard make`"},
		{"cut off", `{"format":"racecard-things","ver`, "things.json: not JSON, or cut off"},
		{"another format", `{"format":"x","version":2}`, `things.json: format is "x", want "racecard-things"`},
		{"another version", `{"format":"racecard-things","version":1,"old":1}`, "version is 1, this racecard reads " +
			"2: make the things again"},
		{"an unknown field", `{"format":"racecard-things","version":2,"more":1}`,
			`things.json: json: unknown field "more"`},
		{"two documents", `{"format":"racecard-things","version":2}` + "{}", "not JSON"},
	} {
		fsys := fstest.MapFS{}
		if test.index != "" {
			fsys["things.json"] = &fstest.MapFile{Data: []byte(test.index)}
		}
		var doc struct {
			Format  string   `json:"format"`
			Version int      `json:"version"`
			Things  []string `json:"things"`
		}
		err := kind.ReadIndex(fsys, &doc)
		switch {
		case test.want == "" && (err != nil || len(doc.Things) != 1):
			t.Errorf("%s: %v, %+v", test.name, err, doc)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

func TestRead(t *testing.T) {
	fsys := fstest.MapFS{"a": &fstest.MapFile{Data: []byte("abc")}}
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // of "abc", FIPS 180-2
	if data, err := kind.Read(fsys, "a", sum); err != nil || string(data) != "abc" {
		t.Errorf("%q, %v", data, err)
	}
	for _, test := range []struct{ name, sum, want string }{
		{"a", "00", "a is damaged: its content does not match the checksum in things.json; make the things again"},
		{"b", sum, "b is missing, though things.json lists it; make the things again"},
		{"../a", sum, `things.json: "../a" is not the name of a file`},
	} {
		if _, err := kind.Read(fsys, test.name, test.sum); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

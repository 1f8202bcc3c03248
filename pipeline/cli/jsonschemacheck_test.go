package cli

import (
	"encoding/json"
	"reflect"
	"testing"
	"testing/fstest"
	"time"
)

type inner struct {
	A int    `json:"a"`
	B string `json:"b"`
}

type outer struct {
	inner
	B    *float64         `json:"b"` // hides the embedded field
	When time.Time        `json:"when,omitempty"`
	Of   map[string][]int `json:"of"`
	Next *outer           `json:"next,omitempty"`
	Gone string           `json:"-"`
	none int              //nolint:unused // not written
}

type own struct{}

// MarshalJSON implements [json.Marshaler].
func (own) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

// Links to names lose their brackets, intervals keep theirs.
func TestBracketsOfComments(t *testing.T) {
	comments, err := readComments(fstest.MapFS{"a.go": {Data: []byte(
		"package x\n\n// T is one of [Table.At] in [0, 1], (0, 1] or [from, to).\ntype T struct{}\n")}}, "racecard")
	if want := "T is one of Table.At in [0, 1], (0, 1] or [from, to)."; err != nil || comments["racecard.T"] != want {
		t.Errorf("%v, %v, want %q", comments, err, want)
	}
}

// The expected schema is written by hand after the rules of encoding/json.
func TestDeriveSchema(t *testing.T) {
	comments, err := readComments(fstest.MapFS{"pipeline/cli/a.go": {Data: []byte(
		"package x\n\ntype inner struct {\n\tA int // a number,\n\t// in [1, 2]\n\tB string // unused\n}\n")}},
		"racecard")
	if err != nil {
		t.Fatal(err)
	}
	got, err := deriveSchema("urn:x", "x", outer{}, schemaOptions{Version: 3, Comments: comments})
	if err != nil {
		t.Fatal(err)
	}
	const next = `{"type":"object","properties":{"a":{"type":"integer","description":"a number,"},"b":{"type":["number","null"]},
		"when":{"type":"string","format":"date-time"},"of":{"type":["object","null"],"additionalProperties":{"type":["array","null"],"items":{"type":"integer"}}},
		"next":{"anyOf":[{"$ref":"#/$defs/outer"},{"type":"null"}]}},"required":["a","b","of"]}`
	var of, want, def map[string]any
	text, err := json.Marshal(got)
	if err == nil {
		err = json.Unmarshal(text, &of)
	}
	if err == nil {
		err = json.Unmarshal([]byte(next), &def)
	}
	if err == nil {
		err = json.Unmarshal([]byte(next), &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	properties := of["properties"].(map[string]any)
	if v := properties["schema_version"].(map[string]any); v["const"] != 3.0 {
		t.Errorf("version %v", v)
	}
	delete(properties, "schema_version")
	if !reflect.DeepEqual(properties, want["properties"]) {
		t.Errorf("properties %v, want %v", properties, want["properties"])
	}
	if r := of["required"]; !reflect.DeepEqual(r, []any{"schema_version", "a", "b", "of"}) {
		t.Errorf("required %v", r)
	}
	if !reflect.DeepEqual(of["$defs"], map[string]any{"outer": any(def)}) {
		t.Errorf("definitions %v, want %v", of["$defs"], def)
	}
}

// A type that writes its own JSON has no schema unless one is given.
func TestSchemaOfOwnForm(t *testing.T) {
	v := struct{ X own }{}
	if _, err := deriveSchema("x", "x", v, schemaOptions{}); err == nil {
		t.Error("a type that writes its own JSON has a schema")
	}
	forms := map[reflect.Type]map[string]any{reflect.TypeFor[own](): {"const": 1}}
	if _, err := deriveSchema("x", "x", v, schemaOptions{Forms: forms}); err != nil {
		t.Error(err)
	}
}
